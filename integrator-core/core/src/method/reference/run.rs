use super::backward::Backward;
use super::runge_kutta::RungeKutta;
use super::{Bdf, Claims as _, Reference};
use crate::binding::threads::first_not_finite;
use crate::carried::{Carried, CarryError, Memory, carried};
use crate::error::{Begun, StartError, StepError};
use crate::method::check::{check_option, check_start};
use crate::method::constraint::{Rows, check_gradients};
use crate::method::dynamics::Dynamics;
use crate::method::dynamics::equations::{Interval, MotionEquations as _, Stuck};
use crate::method::flow::{Flow, Substep};
use crate::method::force_error::{Attempt, ForceError, at_start};
use crate::method::report::{Evaluations, Report};
use crate::method::running::Running;
use crate::system::{Lagrangian, State};

const REMEDY: &str = "loosen the tolerance, or check that the model is regular there";

/// The scheme of the inner steps.
#[derive(Debug, Clone, Copy)]
pub(super) enum Choice {
    RungeKutta,
    /// With the highest order.
    Backward(usize),
}

/// The scheme of the inner steps with its memory.
enum Scheme {
    RungeKutta(Box<RungeKutta>),
    Backward(Box<Backward>),
}

impl Choice {
    fn method(self) -> &'static str {
        match self {
            Self::RungeKutta => Reference::NAME,
            Self::Backward(_) => Bdf::NAME,
        }
    }
}

/// The flow of [`Reference`](super::Reference) or [`Bdf`](super::Bdf).
pub(super) struct Adaptive<'s, L: ?Sized> {
    method: &'static str,
    scheme: Scheme,
    dynamics: Dynamics<'s, L>,
    tolerance: f64,
    /// (q, v), and the accelerations at the end of a step.
    y: Vec<f64>,
    acceleration: Vec<f64>,
    multipliers: Vec<f64>,
    /// ∂L/∂v at a bend of a signal.
    momentum: Vec<f64>,
}

impl<'s, L: Lagrangian + ?Sized> Adaptive<'s, L> {
    pub(super) fn start(
        choice: Choice,
        lagrangian: &'s L,
        tolerance: f64,
        state: State,
        step: f64,
    ) -> Begun<Running<'s, Self>> {
        let is_inside = (1e-14..=1e-2).contains(&tolerance);
        check_option(choice.method(), is_inside, ("tolerance", tolerance, "[1e-14, 1e-2]"))?;
        check_start(lagrangian, &state, step)?;
        let mut rows = Rows::of(lagrangian);
        lagrangian.holonomic().map_or(Ok(()), |rows| check_gradients(rows, &state))?;
        if let Some(rows) = &mut rows
            && let Some((error, _)) = rows.off(&state, &mut rows.at(), &mut Evaluations::default())
        {
            return Err(error);
        }
        let mut state = state;
        let mut dynamics = Dynamics::new(lagrangian, &mut state, matches!(choice, Choice::Backward(_)))?;
        dynamics.measure_terms(&state.q, state.t);
        dynamics
            .project(&mut state.q, &mut state.v, state.t, f64::INFINITY)
            .map_err(|error| at_first(choice.method(), &dynamics, error))?;
        let acceleration = first_acceleration(choice.method(), &mut dynamics, &state)?;
        let mut multipliers = vec![0.0; rows.map_or(0, |rows| rows.height())];
        dynamics.multipliers(&mut multipliers);
        let length = 2 * state.q.len();
        let scheme = match choice {
            Choice::RungeKutta => Scheme::RungeKutta(Box::new(RungeKutta::new(length))),
            Choice::Backward(highest) => {
                let matrix = dynamics.newton_matrix()?;
                let sizes = [state.q.len(), multipliers.len()];
                Scheme::Backward(Box::new(Backward::new(highest, sizes, matrix)))
            }
        };
        let method = choice.method();
        let (y, momentum) = (vec![0.0; length], vec![0.0; state.q.len()]);
        let flow = Self { method, scheme, dynamics, tolerance, y, acceleration, multipliers, momentum };
        Running::new(flow, state, step).to_tolerance(tolerance).within(method, lagrangian)
    }

    /// Moves `y` from the state to the end of a step.
    fn cross(&mut self, state: &State, substep: &Substep) -> Result<(), StepError> {
        let (q, v) = self.y.split_at_mut(state.q.len());
        q.copy_from_slice(&state.q);
        v.copy_from_slice(&state.v);
        let outcome = self.cross_pieces(state.t, substep.end);
        outcome.map_err(|Stuck { time, error }| self.failed(error, substep, time))
    }

    /// Moves `y` over the pieces of the signals: the scheme restarts where they jump or bend.
    fn cross_pieces(&mut self, mut start: f64, end: f64) -> Result<(), Stuck> {
        loop {
            let signals = self.dynamics.system().signals().iter();
            let next =
                signals.filter_map(|(_, signal)| signal.next_time(start)).fold(f64::INFINITY, f64::min);
            // Up to the last number before a jump, so that a stage at the end is not beyond it.
            let within = if next <= end { next.next_down() } else { end };
            let interval = Interval { tolerance: self.tolerance, start, end: within };
            if within - start > interval.smallest() {
                match &mut self.scheme {
                    Scheme::RungeKutta(scheme) => scheme.cross(&mut self.dynamics, &interval, &mut self.y)?,
                    Scheme::Backward(scheme) => scheme.cross(&mut self.dynamics, &interval, &mut self.y)?,
                }
            }
            if next > end {
                return Ok(());
            }
            start = next;
            self.pass(within, start).map_err(|error| Stuck { time: start, error })?;
            if next >= end {
                return Ok(());
            }
        }
    }

    /// Passes a bend of a signal, between two neighbouring times: a constraint that follows it changes
    /// its velocity there, and so does a motion whose momentum depends on the slope; the momentum itself
    /// changes by the impulse of constraints alone.
    fn pass(&mut self, before: f64, after: f64) -> Attempt {
        let Self { dynamics, y, momentum, multipliers, tolerance, .. } = self;
        let (q, v) = y.split_at_mut(momentum.len());
        dynamics.take_jump([q, v], before, -1.0);
        let is_general = dynamics.momentum(q, v, before, momentum);
        if !multipliers.is_empty() {
            dynamics.project(q, v, after, tolerance.sqrt())?;
        }
        if is_general {
            dynamics.take_momentum(q, v, after, momentum)?;
        }
        dynamics.take_jump([q, v], after, 1.0);
        Ok(())
    }

    #[cold]
    fn failed(&self, error: ForceError, substep: &Substep, time: f64) -> StepError {
        error.in_step(self.method, |index| self.dynamics.name_of(index), substep, time, REMEDY)
    }
}

impl<L: Lagrangian + ?Sized> Flow for Adaptive<'_, L> {
    fn takes_parts(&self) -> bool {
        true
    }

    fn advance(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        let end = substep.end;
        self.cross(state, substep)?;
        if let Some(index) = first_not_finite(&self.y) {
            let index = index % state.q.len();
            return Err(self.failed(ForceError::NotFinite { index }, substep, state.t));
        }
        let (q, v) = self.y.split_at_mut(state.q.len());
        // Back onto the constraints, with the multipliers there.
        if !self.multipliers.is_empty() {
            let (dynamics, acceleration) = (&mut self.dynamics, &mut self.acceleration);
            // The rows drift by the errors of positions, which add up.
            dynamics
                .project(q, v, end, self.tolerance.sqrt())
                .and_then(|()| dynamics.accelerate(q, v, end, acceleration))
                .map_err(|error| self.failed(error, substep, end))?;
            self.dynamics.multipliers(&mut self.multipliers);
        }
        let (q, v) = self.y.split_at(state.q.len());
        next.q.copy_from_slice(q);
        let completed = self.dynamics.complete(q, v, end, &mut next.v);
        completed.map_err(|error| self.failed(error, substep, end))
    }

    fn multipliers(&self) -> Option<&[f64]> {
        if self.multipliers.is_empty() { None } else { Some(&self.multipliers) }
    }

    fn report(&self) -> Report<'_> {
        Report { work: self.dynamics.work(), ..Report::of(self.dynamics.counts) }
    }

    fn go_on_from(&mut self, _state: &State) -> bool {
        true
    }
}

pub(super) fn first_acceleration<L: Lagrangian + ?Sized>(
    method: &'static str,
    dynamics: &mut Dynamics<'_, L>,
    state: &State,
) -> Begun<Vec<f64>> {
    let mut acceleration = vec![0.0; state.q.len()];
    dynamics
        .accelerate(&state.q, &state.v, state.t, &mut acceleration)
        .map_err(|error| at_first(method, dynamics, error))?;
    if let Some(index) = first_not_finite(&acceleration) {
        let coordinate = dynamics.system().layout().name_of(index);
        return Err(StartError::ForceNotFinite { coordinate, value: acceleration[index] });
    }
    Ok(acceleration)
}

/// A failure of the equations before the first step.
fn at_first<L: Lagrangian + ?Sized>(
    method: &'static str,
    dynamics: &Dynamics<'_, L>,
    error: ForceError,
) -> StartError {
    let system = dynamics.system();
    match error {
        ForceError::Singular { error, .. } if error.index >= system.dimension() => {
            let remedy = match system.nonholonomic() {
                None => "variational-midpoint, or rattle where the mass is constant",
                Some(_) => "variational-midpoint",
            };
            let (system, row) = (system.name().to_owned(), dynamics.name_of(error.index));
            StartError::DependentRow { method, system, row, remedy }
        }
        _ => at_start(system.name(), |index| dynamics.name_of(index), error),
    }
}

impl Carried for Scheme {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        match self {
            Self::RungeKutta(scheme) => scheme.carry(memory),
            Self::Backward(scheme) => scheme.carry(memory),
        }
    }
}

carried!([L: ?Sized] Adaptive<'_, L> {
    scheme, dynamics, multipliers
} besides { method, tolerance, y, acceleration, momentum });
