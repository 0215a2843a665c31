//! The double pendulum in Cartesian coordinates: M. Tao and H. Owhadi, *Variational and linearly-implicit integrators, with
//! applications*, section 4.1.

use integrator_core::prelude::*;

/// Two point masses on massless rigid rods, the first hanging from the origin, the second from the first.
///
/// The potential is `+m g y`: gravity points down. (The paper prints the opposite sign, with which its own figures cannot
/// be reproduced; a negative `gravity` gives it.)
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DoublePendulum {
    /// Masses of the upper and the lower bob, kg.
    pub masses: [f64; 2],
    /// Lengths of the upper and the lower rod, m.
    pub rods: [f64; 2],
    /// Gravitational acceleration, m/s².
    pub gravity: f64,
}

#[lagrangian]
impl DoublePendulum {
    fn lagrangian(&self, upper: Vec2, lower: Vec2) -> Scalar {
        let kinetic =
            0.5 * self.masses[0] * der(upper).norm_squared() + 0.5 * self.masses[1] * der(lower).norm_squared();
        let potential = self.gravity * (self.masses[0] * upper.y + self.masses[1] * lower.y);
        kinetic - potential
    }

    #[holonomic]
    fn rods(&self, upper: Vec2, lower: Vec2) -> [Scalar; 2] {
        [
            upper.norm_squared() - self.rods[0].powi(2),
            (lower - upper).norm_squared() - self.rods[1].powi(2),
        ]
    }
}

impl Default for DoublePendulum {
    fn default() -> Self {
        Self { masses: [1.0, 1.0], rods: [1.0, 2.0_f64.sqrt()], gravity: 1.0 }
    }
}

impl Start for DoublePendulum {
    /// The upper rod vertical, the lower one at 45°, at rest: (0, −1) and (1, −2) for the paper's rods.
    fn start(&self) -> State {
        let [upper, lower] = self.rods;
        let reach = lower / 2.0_f64.sqrt();
        State::at_rest(vec![0.0, -upper, reach, -upper - reach])
    }
}
