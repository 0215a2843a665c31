use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// A planar double pendulum in angles with dampers in both joints and a motor in the upper one.
///
/// Both angles are measured from the downward vertical. The torque on θ is τ cos(ω t) − c₁ θ̇ − c₂ (θ̇ −
/// φ̇), on φ it is −c₂ (φ̇ − θ̇). The mass depends on θ − φ. Units: SI.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DampedDoublePendulum {
    /// Masses of the upper and the lower bob, kg.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub masses: [f64; 2],
    /// Lengths of the rods, m.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub rods: [f64; 2],
    /// Gravitational acceleration, m/s².
    pub gravity: f64,
    /// Coefficients c₁ and c₂ of the dampers, N·m·s.
    #[serde(deserialize_with = "crate::allowed::not_negative")]
    pub damping: [f64; 2],
    /// Amplitude τ of the torque of the motor, N·m.
    pub torque: f64,
    /// Angular frequency ω of the motor, 1/s.
    pub frequency: f64,
}

impl Default for DampedDoublePendulum {
    fn default() -> Self {
        Self {
            masses: [1.0, 1.0],
            rods: [1.0, 0.8],
            gravity: 9.81,
            damping: [0.1, 0.05],
            torque: 2.0,
            frequency: 3.0,
        }
    }
}

#[lagrangian(sensitive(masses, rods, gravity, damping, torque, frequency))]
impl DampedDoublePendulum {
    fn lagrangian(&self, theta: Angle, phi: Angle) -> Scalar {
        let upper = self.rods[0] * vec2(theta.sin(), -theta.cos());
        let lower = upper + self.rods[1] * vec2(phi.sin(), -phi.cos());
        let kinetic = 0.5 * self.masses[0] * der(upper).norm_squared()
            + 0.5 * self.masses[1] * der(lower).norm_squared();
        let potential = self.gravity * (self.masses[0] * upper.y + self.masses[1] * lower.y);
        kinetic - potential
    }

    #[force(theta)]
    fn upper_torque(&self, theta: Angle, phi: Angle, t: Time) -> Scalar {
        self.torque * (self.frequency * t).cos()
            - self.damping[0] * der(theta)
            - self.damping[1] * (der(theta) - der(phi))
    }

    #[force(phi)]
    fn lower_torque(&self, theta: Angle, phi: Angle) -> Scalar {
        -self.damping[1] * (der(phi) - der(theta))
    }
}

/// At rest, θ = 0.5 and φ = −0.3.
impl Start for DampedDoublePendulum {
    fn start(&self) -> State {
        State::at_rest(vec![0.5, -0.3])
    }
}
