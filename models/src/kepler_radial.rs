use integrator_core::prelude::*;
use serde::{Deserialize, Serialize};

/// Kepler's problem reduced to the distance: L = ½ ṙ² + 1/r − Θ²/(2 r²) with the angular momentum Θ = √(1 − e²).
///
/// The angle that belongs to r(t) is θ(t) = ∫ Θ/r² dt.
///
/// # Source
/// M. Gonzalez, B. Schmidt and M. Ortiz, *Force-stepping integrators in Lagrangian mechanics*, Int. J. Numer. Meth. Engng
/// (2010), section 6.1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KeplerRadial {
    /// Eccentricity e of the orbit, in [0, 1).
    pub eccentricity: f64,
}

impl Default for KeplerRadial {
    fn default() -> Self {
        Self { eccentricity: 0.85 }
    }
}

/// Kepler's problem reduced to the distance: L = ½ ṙ² + 1/r − Θ²/(2 r²) with the angular momentum Θ = √(1 − e²).
#[lagrangian]
impl KeplerRadial {
    fn lagrangian(&self, r: Scalar) -> Scalar {
        let square = 1.0 - self.eccentricity.powi(2);
        0.5 * der(r).powi(2) + 1.0 / r - 0.5 * square / r.powi(2)
    }
}

/// At perihelion: r = 1 − e, ṙ = 0.
impl Start for KeplerRadial {
    fn start(&self) -> State {
        State::at_rest(vec![1.0 - self.eccentricity])
    }
}
