//! The double pendulum in angles: the same system as [`crate::DoublePendulum`], without constraints and with a mass matrix
//! that depends on position.

use integrator_core::prelude::*;

/// Two point masses on massless rigid rods, described by the angles of the rods with the downward vertical.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DoublePendulumAngles {
    /// Masses of the upper and the lower bob, kg.
    pub masses: [f64; 2],
    /// Lengths of the upper and the lower rod, m.
    pub rods: [f64; 2],
    /// Gravitational acceleration, m/s².
    pub gravity: f64,
}

#[lagrangian]
impl DoublePendulumAngles {
    fn lagrangian(&self, theta: Angle, phi: Angle) -> Scalar {
        let upper = self.rods[0] * vec2(theta.sin(), -theta.cos());
        let lower = upper + self.rods[1] * vec2(phi.sin(), -phi.cos());
        let kinetic =
            0.5 * self.masses[0] * der(upper).norm_squared() + 0.5 * self.masses[1] * der(lower).norm_squared();
        let potential = self.gravity * (self.masses[0] * upper.y + self.masses[1] * lower.y);
        kinetic - potential
    }
}

impl Default for DoublePendulumAngles {
    fn default() -> Self {
        Self { masses: [1.0, 1.0], rods: [1.0, 2.0_f64.sqrt()], gravity: 1.0 }
    }
}

impl Start for DoublePendulumAngles {
    /// The upper rod vertical, the lower one at 45°, at rest.
    fn start(&self) -> State {
        State::at_rest(vec![0.0, std::f64::consts::FRAC_PI_4])
    }
}
