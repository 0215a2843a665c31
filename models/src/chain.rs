//! A chain of point masses on rods: M. Tao and H. Owhadi, *Variational and linearly-implicit integrators, with
//! applications*, section 4.2.

use integrator_core::prelude::*;

/// A chain of point masses on massless rigid rods, hanging from the origin.
///
/// The potential is `+m g y`: gravity points down. (The paper prints the opposite sign, with which its own figures cannot
/// be reproduced.)
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Chain {
    /// Number of masses.
    pub links: usize,
    /// Mass of each bob, kg.
    pub mass: f64,
    /// Gravitational acceleration, m/s².
    pub gravity: f64,
    /// Length of each rod, m.
    pub rod: f64,
}

#[lagrangian]
impl Chain {
    fn lagrangian(&self, bobs: [Vec2; self.links]) -> Scalar {
        let kinetic = sum(0..self.links, |i| 0.5 * self.mass * der(bobs[i]).norm_squared());
        let potential = sum(0..self.links, |i| self.mass * self.gravity * bobs[i].y);
        kinetic - potential
    }

    #[holonomic]
    fn rods(&self, bobs: [Vec2; self.links]) -> [Scalar; self.links] {
        each(0..self.links, |i| {
            let pivot = if i == 0 { Vec2::ZERO } else { bobs[i - 1] };
            (bobs[i] - pivot).norm_squared() - self.rod.powi(2)
        })
    }
}

impl Default for Chain {
    fn default() -> Self {
        Self { links: 10, mass: 1.0, gravity: 1.0, rod: 5.0_f64.sqrt() }
    }
}

impl Start for Chain {
    /// Straight, at rest, along the direction (1, −2): the paper's start for its rods of length √5.
    fn start(&self) -> State {
        let (x, y) = (self.rod / 5.0_f64.sqrt(), -2.0 * self.rod / 5.0_f64.sqrt());
        State::at_rest((1..=self.links).flat_map(|i| [i as f64 * x, i as f64 * y]).collect())
    }
}
