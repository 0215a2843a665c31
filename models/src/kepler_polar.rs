use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// Kepler's problem in polar coordinates, L = ½ (ṙ² + r² θ̇²) + 1/r. Its mass depends on r; θ is cyclic.
///
/// Units: none.
///
/// # Source
/// M. Gonzalez, B. Schmidt and M. Ortiz, *Force-stepping integrators in Lagrangian mechanics*, Int. J.
/// Numer. Meth. Engng (2010), section 6.1; without θ it is the radial problem, which they integrate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KeplerPolar {
    /// Eccentricity e of the orbit from the start, in [0, 1).
    #[serde(deserialize_with = "crate::allowed::eccentricity")]
    pub eccentricity: f64,
}

impl Default for KeplerPolar {
    fn default() -> Self {
        Self { eccentricity: 0.85 }
    }
}

#[lagrangian]
impl KeplerPolar {
    fn lagrangian(&self, r: Scalar, theta: Angle) -> Scalar {
        0.5 * (der(r).powi(2) + r.powi(2) * der(theta).powi(2)) + 1.0 / r
    }
}

/// At perihelion: r = 1 − e, θ = 0, θ̇ = √(1 − e²)/r².
impl Start for KeplerPolar {
    fn start(&self) -> State {
        let e = self.eccentricity;
        let r = 1.0 - e;
        State::new(vec![r, 0.0], vec![0.0, (1.0 - e.powi(2)).sqrt() / r.powi(2)])
    }

    fn look(&self) -> Look {
        Look::new()
            .fixed("sun", [Vector3::zeros()])
            .points("planet", |q, _| vec![q[0] * Vector3::new(q[1].cos(), q[1].sin(), 0.0)])
    }
}
