//! The limit of stability of the macro-step: leap-frog needs H Ω < 2 for every frequency Ω of the slow motion.
//!
//! The averaged force has no derivative that could be asked; but two of its values have a difference. From Q to Q′ the mean of
//! its derivative takes M (Q′ − Q) to F′ − F, so that somewhere on the way the largest Ω² is at least |M⁻¹(F′ − F)| / |Q′ − Q| in the metric of
//! the mass. Where H² times this is above 4 the step is too long for the motion that it met, whether that oscillates or runs away; a force that
//! is bounded, as that of a pendulum, would let it go on as noise.

use crate::carried::carried;
use crate::sparse::SymmetricMatrix;

/// Steps that are shorter than this part of the longest one tell nothing: rounding of the force, which is of size ω, counts there.
const TELLING: f64 = 1e-3;

/// The last point at which the averaged force is known.
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

    /// Nothing is known of the motion before, as after a velocity was replaced.
    pub(super) fn forget(&mut self) {
        self.known = false;
    }

    /// The longest step that is stable, where `step` from the last point to this one was shown to be longer.
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
