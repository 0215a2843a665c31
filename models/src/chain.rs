use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// A chain of point masses on massless rigid rods, hanging from the origin. y points up.
///
/// Units: SI.
///
/// # Source
/// M. Tao and H. Owhadi, *Variational and linearly-implicit integrators, with applications*, IMA J.
/// Numer. Anal. (2014), section 4.2. The defaults and the start are theirs; gravity points down, as in
/// their figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Chain {
    /// Number of masses.
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

impl Default for Chain {
    fn default() -> Self {
        Self { links: 10, mass: 1.0, gravity: 1.0, rod: 5.0_f64.sqrt() }
    }
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

/// At rest on a line in the direction (1, −2); with the default rod, bob i = 1, 2, … is at (i, −2i).
impl Start for Chain {
    fn start(&self) -> State {
        let scale = self.rod / 5.0_f64.sqrt();
        State::at_rest((1..=self.links).flat_map(|i| [scale * i as f64, -2.0 * scale * i as f64]).collect())
    }
}
