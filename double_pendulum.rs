use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// The planar double pendulum in Cartesian coordinates: point masses on massless rigid rods, the first
/// hinged at the origin, the second at the first. y points up.
///
/// L = ½ m₁ |u̇|² + ½ m₂ |l̇|² − g (m₁ u_y + m₂ l_y), with |u|² = L₁² and |l − u|² = L₂².
///
/// Units: SI.
///
/// # Source
/// M. Tao and H. Owhadi, *Variational and linearly-implicit integrators, with applications*, IMA J.
/// Numer. Anal. (2014), section 4.1. The defaults and the start are theirs; their potential is printed
/// with the other sign, but their figures show the hanging pendulum.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DoublePendulum {
    /// Masses of the upper and the lower bob, kg.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub masses: [f64; 2],
    /// Lengths L₁ and L₂ of the rods, m.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub rods: [f64; 2],
    /// Gravitational acceleration, m/s².
    pub gravity: f64,
}

impl Default for DoublePendulum {
    fn default() -> Self {
        Self { masses: [1.0, 1.0], rods: [1.0, std::f64::consts::SQRT_2], gravity: 1.0 }
    }
}

#[lagrangian(sensitive(masses, rods, gravity))]
impl DoublePendulum {
    fn lagrangian(&self, upper: Vec2, lower: Vec2) -> Scalar {
        let kinetic = 0.5 * self.masses[0] * der(upper).norm_squared()
            + 0.5 * self.masses[1] * der(lower).norm_squared();
        let potential = self.gravity * (self.masses[0] * upper.y + self.masses[1] * lower.y);
        kinetic - potential
    }

    #[holonomic]
    fn rods(&self, upper: Vec2, lower: Vec2) -> [Scalar; 2] {
        [upper.norm_squared() - self.rods[0].powi(2), (lower - upper).norm_squared() - self.rods[1].powi(2)]
    }
}

/// At rest, the upper rod hanging down, the lower one to the right and down by 45°; with the default
/// rods the bobs are at (0, −1) and (1, −2).
impl Start for DoublePendulum {
    fn start(&self) -> State {
        let [upper, lower] = self.rods;
        let shift = lower * std::f64::consts::FRAC_1_SQRT_2;
        State::at_rest(vec![0.0, -upper, shift, -upper - shift])
    }
}
