use crate::scatter::Scatter;
use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// A chain of point masses on a line between two fixed ends, joined by nonlinear springs.
///
/// V = Σ ½ k r² + ⅓ α r³ + ¼ β r⁴ over the springs, r the difference of displacements at the ends.
///
/// Units: none.
///
/// # Source
/// E. Fermi, J. Pasta and S. Ulam, *Studies of nonlinear problems*, Los Alamos report LA-1940 (1955).
/// The defaults, k = 1, α = ¼ and β = 1, and the start belong to the reference numbers for
/// force-stepping.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SpringChain {
    /// Number of masses, one less than the number of springs.
    pub beads: usize,
    /// Mass of each bead.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub mass: f64,
    /// Linear stiffness k.
    #[serde(deserialize_with = "crate::allowed::not_negative")]
    pub stiffness: f64,
    /// Quadratic part α of the force.
    pub alpha: f64,
    /// Cubic part β of the force.
    pub beta: f64,
}

impl Default for SpringChain {
    fn default() -> Self {
        Self { beads: 10, mass: 1.0, stiffness: 1.0, alpha: 0.25, beta: 1.0 }
    }
}

#[lagrangian]
impl SpringChain {
    fn lagrangian(&self, beads: [Scalar; self.beads]) -> Scalar {
        let kinetic = sum(0..self.beads, |i| 0.5 * self.mass * der(beads[i]).powi(2));
        let springs = sum(0..=self.beads, |i| {
            let left = if i == 0 { 0.0 } else { beads[i - 1] };
            let right = if i == self.beads { 0.0 } else { beads[i] };
            let stretch = right - left;
            self.stiffness / 2.0 * stretch.powi(2)
                + self.alpha / 3.0 * stretch.powi(3)
                + self.beta / 4.0 * stretch.powi(4)
        });
        kinetic - springs
    }
}

/// Displacements in (−0.2, 0.2) and velocities in (−1, 1) that look random and are always equal.
impl Start for SpringChain {
    fn start(&self) -> State {
        let mut numbers = Scatter::default();
        let state = (0..self.beads).map(|_| (0.4 * numbers.number(), 2.0 * numbers.number()));
        let (q, v) = state.unzip();
        State::new(q, v)
    }

    fn look(&self) -> Look {
        let places = self.beads + 1;
        Look::new()
            .fixed("ends", [Vector3::zeros(), Vector3::new(places as f64, 0.0, 0.0)])
            .points("masses", |q, _| {
                let place = |(i, shift): (usize, &f64)| Vector3::new(i as f64 + 1.0 + shift, 0.0, 0.0);
                q.iter().enumerate().map(place).collect()
            })
            .spring(("ends", 0), ("masses", 0))
            .spring(("masses", self.beads.saturating_sub(1)), ("ends", 1))
            .springs("masses", (1..self.beads).map(|i| (i - 1, i)))
    }
}
