use least_action::prelude::*;
use least_action::system::Signal;
use serde::{Deserialize, Serialize};

/// A double pendulum on a cart that a force pushes along a rail: one force for three degrees of freedom.
///
/// Both angles are measured from the downward vertical, so that π is upright. Units: SI.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CartDoublePendulum {
    /// Masses of the cart, of the upper and of the lower bob, kg.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub masses: [f64; 3],
    /// Lengths of the upper and the lower rod, m.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub rods: [f64; 2],
    /// Gravitational acceleration, m/s².
    pub gravity: f64,
    /// Force on the cart, N, a function of time.
    pub push: Signal,
}

impl Default for CartDoublePendulum {
    fn default() -> Self {
        Self { masses: [1.0, 0.1, 0.1], rods: [0.5, 0.5], gravity: 9.81, push: Signal::default() }
    }
}

#[lagrangian(sensitive(masses, rods, gravity, push))]
impl CartDoublePendulum {
    fn lagrangian(
        &self,
        /// Place of the cart on its rail, m.
        x: Scalar,
        theta: Angle,
        phi: Angle,
    ) -> Scalar {
        let cart = vec2(x, 0.0);
        let upper = cart + self.rods[0] * vec2(theta.sin(), -theta.cos());
        let lower = upper + self.rods[1] * vec2(phi.sin(), -phi.cos());
        let kinetic = 0.5 * self.masses[0] * der(cart).norm_squared()
            + 0.5 * self.masses[1] * der(upper).norm_squared()
            + 0.5 * self.masses[2] * der(lower).norm_squared();
        kinetic - self.gravity * (self.masses[1] * upper.y + self.masses[2] * lower.y)
    }

    #[force(x)]
    fn motor(&self, push: Input) -> Scalar {
        push
    }
}

/// At rest, a tenth of a radian from the upward vertical.
impl Start for CartDoublePendulum {
    fn start(&self) -> State {
        let upright = std::f64::consts::PI - 0.1;
        State::at_rest(vec![0.0, upright, upright])
    }
}
