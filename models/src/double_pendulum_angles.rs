use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// The planar double pendulum in two angles from the downward vertical, without constraints.
///
/// The upper bob is at L₁ (sin θ, −cos θ), the lower at L₂ (sin φ, −cos φ) from it. M depends on θ − φ.
///
/// Units: SI.
///
/// # Source
/// M. Tao and H. Owhadi, *Variational and linearly-implicit integrators, with applications*, IMA J.
/// Numer. Anal. (2014), section 4.1, equation (23) for unit masses. The pendulum in Cartesian
/// coordinates has the same defaults and start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DoublePendulumAngles {
    /// Masses of the upper and the lower bob, kg.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub masses: [f64; 2],
    /// Lengths L₁ and L₂ of the rods, m.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub rods: [f64; 2],
    /// Gravitational acceleration, m/s².
    pub gravity: f64,
}

impl Default for DoublePendulumAngles {
    fn default() -> Self {
        Self { masses: [1.0, 1.0], rods: [1.0, std::f64::consts::SQRT_2], gravity: 1.0 }
    }
}

#[lagrangian(sensitive(masses, rods, gravity))]
impl DoublePendulumAngles {
    fn lagrangian(&self, theta: Angle, phi: Angle) -> Scalar {
        let upper = self.rods[0] * vec2(theta.sin(), -theta.cos());
        let lower = upper + self.rods[1] * vec2(phi.sin(), -phi.cos());
        let kinetic = 0.5 * self.masses[0] * der(upper).norm_squared()
            + 0.5 * self.masses[1] * der(lower).norm_squared();
        let potential = self.gravity * (self.masses[0] * upper.y + self.masses[1] * lower.y);
        kinetic - potential
    }
}

/// At rest, θ = 0 and φ = 45°.
impl Start for DoublePendulumAngles {
    fn start(&self) -> State {
        State::at_rest(vec![0.0, std::f64::consts::FRAC_PI_4])
    }
}
