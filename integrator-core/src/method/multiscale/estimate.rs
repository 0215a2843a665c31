//! The averaged force at a slow position.

use super::averages::Averages;
use super::error::MicroError;
use super::estimator::MicroStart;
use super::micro::Micro;
use super::window::Window;
use crate::method::Evaluations;
use crate::method::check::first_not_finite;
use crate::method::force_error::ForceError;
use crate::sparse::SymmetricMatrix;

/// Follows the fast motion through a window and averages the force: micro-solver, start and filter in one.
pub(super) struct ForceEstimate<'s, B> {
    mass: &'s SymmetricMatrix,
    micro: Box<dyn Micro + 's>,
    pub(super) window: Window,
    pub(super) averages: Averages,
    start: B,
    micro_steps: u64,
    starts: u64,
}

impl<'s, B: MicroStart> ForceEstimate<'s, B> {
    pub(super) fn new(
        mass: &'s SymmetricMatrix,
        micro: Box<dyn Micro + 's>,
        start: B,
        window: Window,
        constraints: usize,
    ) -> Self {
        let averages = Averages::new(mass.pattern.dimension(), constraints);
        Self { mass, micro, window, averages, start, micro_steps: 0, starts: 0 }
    }

    /// Fills the averages at the slow position q at time t, where the slow velocity is about `predicted`.
    pub(super) fn evaluate(&mut self, q: &[f64], predicted: &[f64], t: f64) -> Result<(), MicroError> {
        let Self { mass, micro, window, averages, start, .. } = self;
        let theta = start.begin(q, predicted, t, &mut averages.velocity)?;
        self.starts += start.evaluations();
        self.micro_steps += window.steps();
        averages.time = t;
        averages.acceleration.fill(0.0);
        averages.multipliers.fill(0.0);
        micro.follow(q, t, theta, window, averages)?;
        mass.multiply(&averages.acceleration, &mut averages.force);
        match first_not_finite(&averages.acceleration) {
            Some(index) => Err(ForceError::NotFinite { index }.into()),
            None => Ok(()),
        }
    }

    /// What was evaluated so far, beside what the macro-solver evaluates.
    pub(super) fn evaluations(&self) -> Evaluations {
        let mut evaluations = self.micro.evaluations();
        evaluations.gradients += self.starts;
        evaluations.micro_steps += self.micro_steps;
        evaluations
    }
}

impl<B> std::fmt::Debug for ForceEstimate<'_, B> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ForceEstimate").finish_non_exhaustive()
    }
}
