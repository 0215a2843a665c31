use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// Kepler's problem in the plane, in Cartesian coordinates: L = ½ |q̇|² + 1/|q|.
///
/// Its orbit has semi-major axis 1, period 2 π, energy −½ and angular momentum √(1 − e²).
///
/// Units: none.
///
/// # Source
/// M. Gonzalez, B. Schmidt and M. Ortiz, *Force-stepping integrators in Lagrangian mechanics*, Int. J.
/// Numer. Meth. Engng (2010), section 6.1, with the smaller of their two eccentricities; the other is
/// 0.99.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Kepler {
    /// Eccentricity e of the orbit from the start, in [0, 1).
    #[serde(deserialize_with = "crate::allowed::eccentricity")]
    pub eccentricity: f64,
}

impl Default for Kepler {
    fn default() -> Self {
        Self { eccentricity: 0.85 }
    }
}

#[lagrangian]
impl Kepler {
    fn lagrangian(&self, q: Vec2) -> Scalar {
        0.5 * der(q).norm_squared() + 1.0 / q.norm()
    }
}

/// At perihelion on the x-axis: q = (1 − e, 0), q̇ = (0, √((1 + e)/(1 − e))).
impl Start for Kepler {
    fn start(&self) -> State {
        let e = self.eccentricity;
        State::new(vec![1.0 - e, 0.0], vec![0.0, ((1.0 + e) / (1.0 - e)).sqrt()])
    }

    fn look(&self) -> Look {
        Look::new().fixed("sun", [Vector3::zeros()])
    }
}
