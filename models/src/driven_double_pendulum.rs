use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// A double pendulum on a pivot that shakes up and down so fast that it stays upright. y points up.
///
/// Seen from the pivot, L = ½ m₁ |u̇|² + ½ m₂ |l̇|² − (g + v_max ω cos θ) (m₁ u_y + m₂ l_y) with |u|² =
/// l₁² and |l − u|² = l₂², θ = ω t + θ₀.
///
/// Units: SI.
///
/// # Source
/// M. P. Calvo and J. M. Sanz-Serna, *Heterogeneous multiscale methods for mechanical systems with
/// vibrations*, SIAM J. Sci. Comput. 32 (2010) 2029, section 4.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DrivenDoublePendulum {
    /// Masses m₁ and m₂ of the first and the second bob, counted from the pivot, kg.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub masses: [f64; 2],
    /// Lengths l₁ and l₂ of the rods, m.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub rods: [f64; 2],
    /// Gravitational acceleration g, m/s².
    pub gravity: f64,
    /// Greatest velocity of the pivot, m/s.
    pub v_max: f64,
    /// Angular frequency ω of the pivot, rad/s.
    pub omega: f64,
    /// Phase θ₀ at time zero, rad.
    pub phase: f64,
}

impl Default for DrivenDoublePendulum {
    fn default() -> Self {
        Self { masses: [0.01, 0.005], rods: [0.2, 0.1], gravity: 9.8, v_max: 4.0, omega: 1e4, phase: 0.0 }
    }
}

#[lagrangian]
impl DrivenDoublePendulum {
    fn lagrangian(&self, first: Vec2, second: Vec2, theta: Phase) -> Scalar {
        let gravity = self.gravity + self.v_max * self.omega * theta.cos();
        let kinetic = 0.5 * self.masses[0] * der(first).norm_squared()
            + 0.5 * self.masses[1] * der(second).norm_squared();
        kinetic - gravity * (self.masses[0] * first.y + self.masses[1] * second.y)
    }

    #[holonomic]
    fn rods(&self, first: Vec2, second: Vec2) -> [Scalar; 2] {
        [first.norm_squared() - self.rods[0].powi(2), (second - first).norm_squared() - self.rods[1].powi(2)]
    }

    #[frequency]
    fn frequency(&self) -> f64 {
        self.omega
    }

    #[phase]
    fn initial_phase(&self) -> f64 {
        self.phase
    }
}

/// At rest, the first rod 0.5 rad from the upward vertical, the second upright.
impl Start for DrivenDoublePendulum {
    fn start(&self) -> State {
        let [first, second] = self.rods;
        let (x, y) = (first * 0.5_f64.sin(), first * 0.5_f64.cos());
        State::at_rest(vec![x, y, x, y + second])
    }
}
