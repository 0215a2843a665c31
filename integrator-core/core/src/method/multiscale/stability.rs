//! The stability limit of the macro-step: leap-frog needs H Ω < 2 for all frequencies Ω of slow motion.
//!
//! The averaged force has no derivative, but its values have differences. From Q to Q′ the mean of its
//! derivative takes M (Q′ − Q) to F′ − F, so that somewhere on the way the largest Ω² is at least
//! |M⁻¹(F′ − F)| / |Q′ − Q| in the metric of the mass. If H² times this exceeds 4 the step is too long
//! for the observed motion, be it oscillating or running away; a bounded force, such as a pendulum's,
//! would let it continue as noise.

use crate::carried::carried;
use crate::sparse::SymmetricMatrix;

/// Displacements below this part of the longest are ignored: rounding of the force, O(ω), counts there.
const TELLING: f64 = 1e-3;

/// The last point with a known averaged force.
#[derive(Debug)]
pub(super) struct Stability {
    q: Vec<f64>,
    acceleration: Vec<f64>,
    displacement: Vec<f64>,
    /// The longest displacement so far, squared in the metric of the mass.
    longest: f64,
    known: bool,
}

impl Stability {
    pub(super) fn new(dimension: usize) -> Self {
        let zero = vec![0.0; dimension];
        Self { q: zero.clone(), acceleration: zero.clone(), displacement: zero, longest: 0.0, known: false }
    }

    /// Forgets the motion, as after a replaced velocity.
    pub(super) fn forget(&mut self) {
        self.known = false;
    }

    /// The longest stable step, if the motion from the last point shows that `step` is longer.
    pub(super) fn exceeded(
        &mut self,
        mass: &SymmetricMatrix,
        q: &[f64],
        acceleration: &[f64],
        step: f64,
    ) -> Option<f64> {
        if !std::mem::replace(&mut self.known, true) {
            self.remember(q, acceleration);
            return None;
        }
        for (difference, (new, old)) in self.displacement.iter_mut().zip(q.iter().zip(&self.q)) {
            *difference = new - old;
        }
        let length = mass.quadratic(&self.displacement);
        for (change, (new, old)) in
            self.displacement.iter_mut().zip(acceleration.iter().zip(&self.acceleration))
        {
            *change = new - old;
        }
        let change = mass.quadratic(&self.displacement);
        self.longest = self.longest.max(length);
        self.remember(q, acceleration);
        let squared = (change / length).sqrt();
        (length > TELLING * TELLING * self.longest && step * step * squared > 4.0)
            .then(|| 2.0 / squared.sqrt())
    }

    fn remember(&mut self, q: &[f64], acceleration: &[f64]) {
        self.q.copy_from_slice(q);
        self.acceleration.copy_from_slice(acceleration);
    }
}

carried!([] Stability { q, acceleration, longest, known } besides { displacement });
