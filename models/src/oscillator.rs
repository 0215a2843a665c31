use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// A stiff oscillator whose centre moves slowly: q̈ = −ω² (q − cos t).
///
/// Its slow solution is q = ω²/(ω² − 1) cos t; all others oscillate around it with the frequency ω.
///
/// Units: none.
///
/// # Source
/// G. Ariel, J. M. Sanz-Serna and R. Tsai, *A multiscale technique for finding slow manifolds of stiff
/// mechanical systems* (2012).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Oscillator {
    /// Angular frequency ω.
    pub omega: f64,
}

impl Default for Oscillator {
    fn default() -> Self {
        Self { omega: 1000.0 }
    }
}

#[lagrangian]
impl Oscillator {
    fn lagrangian(&self, q: Scalar, t: Time) -> Scalar {
        0.5 * der(q).powi(2) - stiff(0.5 * self.omega.powi(2) * (q - t.cos()).powi(2))
    }
}

/// At the centre and moving with it: q = 1, q̇ = 0.
impl Start for Oscillator {
    fn start(&self) -> State {
        State::at_rest(vec![1.0])
    }
}
