use crate::carried::{Carried, CarryError, Memory, part};
use crate::error::StepError;
use crate::method::averages::Averages;
use crate::method::check::first_not_finite;
use crate::method::constraint::Manifold;
use crate::method::flow::Substep;
use crate::method::force_error::{ForceError, UNSTABLE};
use crate::method::multiscale::estimate::ForceEstimate;
use crate::method::multiscale::estimator::MicroStart;
use crate::method::multiscale::stability::Stability;
use crate::method::report::Report;
use crate::system::{Constrained, State, Vibrated};

/// The averaged force, with the checks and the errors that all macro-solvers share.
#[derive(Debug)]
pub(super) struct SlowForce<'s, S: ?Sized, B> {
    pub(super) method: &'static str,
    system: &'s S,
    estimate: ForceEstimate<'s, B>,
    /// Without constraints; with them the solver of the constraints notices a step that is too long.
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

    pub(super) fn report(&self) -> Report<'_> {
        Report { averages: Some(self.averages()), ..Report::of(self.estimate.evaluations()) }
    }

    /// The report of a solver that keeps the constraints of this manifold.
    pub(super) fn report_on(&self, manifold: &Manifold<'_, S>) -> Report<'_>
    where
        S: Constrained,
    {
        let evaluations = self.estimate.evaluations().with(manifold.evaluations);
        Report { evaluations, ..self.report() }
    }

    /// Follows the window at (q, t), in a step that begins at `time`; the averages then hold the force.
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
            Some(limit) => Err(StepError::AboveStability {
                method,
                step: substep.number,
                time,
                size: substep.size,
                limit,
            }),
            None => Ok(()),
        }
    }

    /// Refuses a state that is not finite.
    pub(super) fn check(&self, state: &State, substep: &Substep, time: f64) -> Result<(), StepError> {
        match first_not_finite(&state.q).or_else(|| first_not_finite(&state.v)) {
            Some(index) => {
                let place = |index| self.system.layout().name_of(index);
                Err(ForceError::NotFinite { index }.in_step(self.method, place, substep, time, UNSTABLE))
            }
            None => Ok(()),
        }
    }

    /// The motion goes on from elsewhere.
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
