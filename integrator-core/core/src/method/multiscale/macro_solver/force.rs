use crate::carried::{Carried, CarryError, Memory, part};
use crate::error::{ForceError, StepError};
use crate::method::averages::Averages;
use crate::method::flow::Substep;
use crate::method::force_error::check_finite;
use crate::method::multiscale::estimate::ForceEstimate;
use crate::method::multiscale::estimator::MicroStart;
use crate::method::multiscale::stability::Stability;
use crate::method::report::{Evaluations, Report};
use crate::system::{State, Vibrated};

/// The averaged force, with the checks and errors of all macro-solvers.
#[derive(Debug)]
pub(super) struct SlowForce<'s, S: ?Sized, B> {
    pub(super) method: &'static str,
    system: &'s S,
    estimate: ForceEstimate<'s, B>,
    /// `None` with constraints: their solver notices a step that is too long.
    stability: Option<Stability>,
}

impl<'s, S: Vibrated + ?Sized, B: MicroStart> SlowForce<'s, S, B> {
    pub(super) fn new(method: &'static str, system: &'s S, estimate: ForceEstimate<'s, B>) -> Self {
        let stability = system.holonomic().is_none().then(|| Stability::new(system.dimension()));
        Self { method, system, estimate, stability }
    }

    pub(super) fn averages(&self) -> &Averages {
        &self.estimate.averages
    }

    /// The report, including the evaluations of constraints.
    pub(super) fn report(&self, of_constraints: Evaluations) -> Report<'_> {
        let evaluations = self.estimate.evaluations().with(of_constraints);
        Report { averages: Some(self.averages()), ..Report::of(evaluations) }
    }

    /// Follows the window at (q, t), in a step that begins at `time`, and fills the averages.
    pub(super) fn evaluate(
        &mut self,
        q: &[f64],
        predicted: &[f64],
        t: f64,
        substep: &Substep,
        time: f64,
    ) -> Result<(), StepError> {
        let Self { method, system, estimate, stability } = self;
        estimate
            .evaluate(q, predicted, t)
            .map_err(|error| error.in_step(*system, method, substep, time, &estimate.window))?;
        let exceeded = stability.as_mut().and_then(|stability| {
            stability.exceeded(system.mass(), q, &estimate.averages.acceleration, substep.size)
        });
        match exceeded {
            Some(limit) => Err(ForceError::AboveStability { limit }.of_step(method, substep, time)),
            None => Ok(()),
        }
    }

    /// Refuses a state that is not finite.
    pub(super) fn check(&self, state: &State, substep: &Substep, time: f64) -> Result<(), StepError> {
        check_finite(&state.q)
            .and_then(|()| check_finite(&state.v))
            .map_err(|error| error.in_step_of(self.method, self.system.layout(), substep, time))
    }

    /// Declares that the motion continues from another state.
    pub(super) fn forget(&mut self) {
        self.stability.iter_mut().for_each(Stability::forget);
    }
}

impl<S: ?Sized, B> Carried for SlowForce<'_, S, B> {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        let Self { method: _, system: _, estimate, stability } = self;
        estimate.carry(memory)?;
        part(stability.as_mut(), memory)
    }
}
