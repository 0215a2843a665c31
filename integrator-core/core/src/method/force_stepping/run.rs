use super::flight::{Crossing, Flight};
use super::interpolant::Interpolant;
use super::{ForceStepping, MOST_CROSSINGS, too_many};
use crate::carried::carried;
use crate::error::StepError;
use crate::method::contract::{Claims, Stepper};
use crate::method::flow::Substep;
use crate::method::report::{Evaluations, Report};
use crate::system::{Natural, State};

/// A run of [`ForceStepping`](super::ForceStepping).
///
/// A [`step`](Stepper::step) goes to the next output time and evaluates the parabola there, which
/// changes nothing; any number of crossings lies between two outputs.
/// [`ForceSteppingRun::next_crossing`] goes from crossing to crossing instead.
pub struct ForceSteppingRun<'s, S: ?Sized> {
    flight: Flight<'s, S>,
    start_time: f64,
    step: f64,
    steps: u64,
    state: State,
}

impl<'s, S: Natural + ?Sized> ForceSteppingRun<'s, S> {
    pub(super) fn new(flight: Flight<'s, S>, state: State, step: f64) -> Self {
        Self { flight, start_time: state.t, step, steps: 0, state }
    }

    /// Goes to the next face of the grid and crosses it; `None` if the motion never meets another.
    ///
    /// [`state`](Stepper::state) stays at the last output; [`ForceSteppingRun::state_at`] gives the
    /// state at the crossing. A later step goes to the first output after the crossing.
    ///
    /// # Errors
    /// The potential is not finite at the new vertex, or the motion slides along faces. This ends the
    /// motion; the last output stays readable.
    #[inline]
    pub fn next_crossing(&mut self) -> Result<Option<Crossing>, StepError> {
        self.flight.cross_before(f64::INFINITY)
    }

    /// Writes the exact state at a time between the last crossing and the next one over `state`, which
    /// has the size of the system.
    pub fn state_at(&self, time: f64, state: &mut State) {
        self.flight.evaluate(time, state);
    }

    /// The potential V_h in which the motion is exact: ½ v·M v + V_h(q) is conserved.
    pub fn interpolant(&self) -> Interpolant<'s, S> {
        let (potential, grid) = self.flight.interpolated();
        Interpolant::of(potential.clone(), grid.clone())
    }
}

impl<S: Natural + ?Sized> Stepper for ForceSteppingRun<'_, S> {
    fn step(&mut self) -> Result<(), StepError> {
        let mut steps = self.steps + 1;
        let mut end = self.start_time + steps as f64 * self.step;
        let last = self.flight.time();
        if last > end {
            // `next_crossing` has passed the next output.
            steps = steps.max(((last - self.start_time) / self.step).ceil() as u64);
            end = self.start_time + steps as f64 * self.step;
        }
        let begin = self.flight.crossings;
        while self.flight.cross_before(end)?.is_some() {
            if self.flight.crossings - begin == MOST_CROSSINGS {
                let part = 1.0 - (end - self.flight.time()) / self.step;
                let substep = Substep { number: steps, size: self.step, end };
                let failure = too_many(ForceStepping::NAME, &substep, self.state.t, part);
                return Err(self.flight.end(failure));
            }
        }
        self.flight.evaluate(end, &mut self.state);
        self.steps = steps;
        Ok(())
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn report(&self) -> Report<'_> {
        let evaluations = Evaluations { values: self.flight.values(), ..Evaluations::default() };
        let (crossings, step_lengths) = (Some(self.flight.crossings), Some(&self.flight.lengths));
        Report { crossings, step_lengths, ..Report::of(evaluations) }
    }
}

crate::shown::shown!([S: ?Sized] ForceSteppingRun<'_, S>, |own| "ForceSteppingRun" {
    steps: own.steps, state: own.state
});

carried!([S: ?Sized] ForceSteppingRun<'_, S> { flight, steps, state } besides { start_time, step });
