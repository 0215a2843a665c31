use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// Pendulums in the plane that hang on one another, in angles from the downward vertical.
///
/// With θ the angles, without constraints, bob i is at xᵢ = Σ_{k ≤ i} ℓ (sin θ_k, −cos θ_k), and L = Σ ½
/// m |ẋᵢ|² − Σ m g yᵢ. The mass matrix Mᵢⱼ = m ℓ² (n − max(i, j)) cos(θᵢ − θⱼ), counted from zero, is
/// full and depends on all angles. As places are partial sums, L and its first derivatives take O(n)
/// operations. y points up.
///
/// Units: SI.
///
/// # Source
/// The chain of point masses in other coordinates, with equal parameters, start and motion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pendulums {
    /// Number of pendulums.
    pub links: usize,
    /// Mass of each bob, kg.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub mass: f64,
    /// Gravitational acceleration, m/s².
    pub gravity: f64,
    /// Length of each rod, m.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub rod: f64,
}

impl Default for Pendulums {
    fn default() -> Self {
        Self { links: 10, mass: 1.0, gravity: 1.0, rod: 5.0_f64.sqrt() }
    }
}

#[lagrangian]
impl Pendulums {
    fn lagrangian(&self, theta: [Angle; self.links]) -> Scalar {
        let bobs = each(0..self.links, |i| sum(0..=i, |k| self.rod * vec2(theta[k].sin(), -theta[k].cos())));
        let kinetic = sum(0..self.links, |i| 0.5 * self.mass * der(bobs[i]).norm_squared());
        let potential = sum(0..self.links, |i| self.mass * self.gravity * bobs[i].y);
        kinetic - potential
    }
}

/// At rest on a straight line in the direction (1, −2), like the chain.
impl Start for Pendulums {
    fn start(&self) -> State {
        State::at_rest(vec![0.5_f64.atan(); self.links])
    }
}
