use least_action::prelude::*;
use least_action::system::Signal;
use serde::{Deserialize, Serialize};

/// A pendulum on a cart that a force pushes along a rail: the task that control begins with.
///
/// The angle is measured from the downward vertical, so that π is upright. Units: SI.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CartPendulum {
    /// Masses of the cart and of the bob, kg.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub masses: [f64; 2],
    /// Length of the rod, m.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub rod: f64,
    /// Gravitational acceleration, m/s².
    pub gravity: f64,
    /// Force on the cart, N, a function of time.
    pub push: Signal,
}

impl Default for CartPendulum {
    fn default() -> Self {
        Self { masses: [1.0, 0.1], rod: 0.5, gravity: 9.81, push: Signal::default() }
    }
}

#[lagrangian(sensitive(masses, rod, gravity, push))]
impl CartPendulum {
    fn lagrangian(
        &self,
        /// Place of the cart on its rail, m.
        x: Scalar,
        theta: Angle,
    ) -> Scalar {
        let cart = vec2(x, 0.0);
        let bob = cart + self.rod * vec2(theta.sin(), -theta.cos());
        0.5 * self.masses[0] * der(cart).norm_squared() + 0.5 * self.masses[1] * der(bob).norm_squared()
            - self.masses[1] * self.gravity * bob.y
    }

    #[force(x)]
    fn motor(&self, push: Input) -> Scalar {
        push
    }
}

/// At rest, a tenth of a radian from the upward vertical.
impl Start for CartPendulum {
    fn start(&self) -> State {
        State::at_rest(vec![0.0, std::f64::consts::PI - 0.1])
    }
}
