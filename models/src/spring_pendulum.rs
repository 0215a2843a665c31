use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// A point mass on a stiff spring that swings around the origin. y points up.
///
/// L = ½ m |q̇|² − ½ m ω² (|q| − l)² − m g q_y; as ω grows, the pendulum with a rod of length l.
///
/// Units: none.
///
/// # Source
/// The stiff system of fewest coordinates with a slow manifold as in G. Ariel, J. M. Sanz-Serna, R.
/// Tsai, *A multiscale technique for finding slow manifolds of stiff mechanical systems* (2012), in
/// their units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SpringPendulum {
    /// Mass m.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub mass: f64,
    /// Length l of the spring at rest.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub length: f64,
    /// Gravitational acceleration g.
    pub gravity: f64,
    /// Angular frequency ω of the spring with this mass.
    pub omega: f64,
}

impl Default for SpringPendulum {
    fn default() -> Self {
        Self { mass: 1.0, length: 1.0, gravity: 1.0, omega: 1000.0 }
    }
}

#[lagrangian]
impl SpringPendulum {
    fn lagrangian(&self, bob: Vec2) -> Scalar {
        let kinetic = 0.5 * self.mass * der(bob).norm_squared();
        let spring = 0.5 * self.mass * self.omega.powi(2) * (bob.norm() - self.length).powi(2);
        kinetic - stiff(spring) - self.mass * self.gravity * bob.y
    }
}

/// At rest and horizontal, the spring relaxed.
impl Start for SpringPendulum {
    fn start(&self) -> State {
        State::at_rest(vec![self.length, 0.0])
    }

    fn look(&self) -> Look {
        Look::new().fixed("pivot", [Vector3::zeros()]).spring(("pivot", 0), ("bob", 0))
    }
}
