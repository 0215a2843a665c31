//! The averaged force at a slow position, with the checks and errors of all macro-solvers.

use super::error::MicroError;
use super::estimator::MicroStart;
use super::micro::Micro;
use super::stability::Stability;
use super::window::Window;
use crate::carried::{Carried, CarryError, Memory, part};
use crate::error::{Begun, ForceError, StepError};
use crate::method::averages::Averages;
use crate::method::flow::Substep;
use crate::method::force_error::check_finite;
use crate::method::report::{Evaluations, Report};
use crate::system::{Holonomic, State, Vibrated};

/// The two sides of a window run in two threads from this many micro-steps of a side times degrees of
/// freedom: some hundred microseconds, the time to wake a thread. Beyond, two threads took 0.55 to 0.7
/// of the time of one.
const LARGE: usize = 30_000;

/// Follows the fast motion through a window and averages the force: micro-solver, start and filter.
pub(super) struct SlowForce<'s, S: ?Sized, B> {
    pub(super) method: &'static str,
    system: &'s S,
    micro: Box<dyn Micro + 's>,
    /// The micro-solver and the averages of the other side of a window, if both sides run in parallel.
    other: Option<(Box<dyn Micro + 's>, Averages)>,
    window: Window,
    averages: Averages,
    start: B,
    micro_steps: u64,
    starts: u64,
    /// `None` with constraints: their solver notices a step that is too long.
    stability: Option<Stability>,
}

impl<'s, S: Vibrated + ?Sized, B: MicroStart> SlowForce<'s, S, B> {
    pub(super) fn new(
        method: &'static str,
        system: &'s S,
        micro: &dyn Fn() -> Begun<Box<dyn Micro + 's>>,
        start: B,
        window: Window,
    ) -> Begun<Self> {
        let (dimension, constraints) = (system.dimension(), system.holonomic());
        let averages = Averages::new(dimension, constraints.map_or(0, Holonomic::constraints));
        let is_large = window.sides().len() == 2 && window.side.len() * dimension >= LARGE;
        let other = if is_large { Some((micro()?, averages.clone())) } else { None };
        let stability = constraints.is_none().then(|| Stability::new(dimension));
        let (micro_steps, starts) = (0, 0);
        let micro = micro()?;
        Ok(Self { method, system, micro, other, window, averages, start, micro_steps, starts, stability })
    }

    /// The averaged acceleration M⁻¹ F of the last window.
    pub(super) fn acceleration(&self) -> &[f64] {
        &self.averages.acceleration
    }

    /// The report, including the evaluations of constraints.
    pub(super) fn report(&self, of_constraints: Evaluations) -> Report<'_> {
        let other = self.other.as_ref().map(|(other, _)| other.evaluations());
        let mut evaluations = self.micro.evaluations().with(other.unwrap_or_default());
        evaluations.gradients += self.starts;
        evaluations.micro_steps += self.micro_steps;
        Report { averages: Some(&self.averages), ..Report::of(evaluations.with(of_constraints)) }
    }

    /// Follows the window at (q, t), in a step that begins at `time`, and fills the averages; the slow
    /// velocity is about `predicted`.
    pub(super) fn evaluate(
        &mut self,
        q: &[f64],
        predicted: &[f64],
        t: f64,
        substep: &Substep,
        time: f64,
    ) -> Result<(), StepError> {
        self.average(q, predicted, t)
            .map_err(|error| error.in_step(self.system, self.method, substep, time, &self.window))?;
        let Self { method, system, averages, stability, .. } = self;
        let exceeded = stability
            .as_mut()
            .and_then(|stability| stability.exceeded(system.mass(), q, &averages.acceleration, substep.size));
        match exceeded {
            Some(limit) => Err(ForceError::AboveStability { limit }.of_step(method, substep, time)),
            None => Ok(()),
        }
    }

    fn average(&mut self, q: &[f64], predicted: &[f64], t: f64) -> Result<(), MicroError> {
        let Self { system, micro, other, window, averages, start, .. } = self;
        let theta = start.begin(q, predicted, t, &mut averages.velocity)?;
        self.starts += start.evaluations();
        self.micro_steps += window.steps();
        averages.time = t;
        averages.begin();
        let instant = (t, theta);
        match other {
            None => micro.follow(q, instant, window, window.sides(), averages)?,
            Some((other, backwards)) => {
                backwards.begin();
                backwards.velocity.copy_from_slice(&averages.velocity);
                let (one, two) = rayon::join(
                    || micro.follow(q, instant, window, &window.sides()[..1], averages),
                    || other.follow(q, instant, window, &window.sides()[1..], backwards),
                );
                one.and(two)?;
                averages.add(backwards);
            }
        }
        system.mass().multiply(&averages.acceleration, &mut averages.force);
        Ok(check_finite(&averages.acceleration)?)
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
        let Self { micro, other, averages, micro_steps, starts, stability, .. } = self;
        micro.carry(memory)?;
        part(other.as_mut().map(|(other, _)| other), memory)?;
        averages.carry(memory)?;
        micro_steps.carry(memory)?;
        starts.carry(memory)?;
        part(stability.as_mut(), memory)
    }
}
