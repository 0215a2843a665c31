use super::{Bdf, Claims, Dynamics, Reference};
use crate::error::{StartError, StepError};
use crate::method::check::{check_start, first_not_finite};
use crate::method::composition::Part;
use crate::method::constraint::START_TOLERANCE;
use crate::method::force_error::{ForceError, at_start};
use crate::method::{Evaluations, Stepper};
use crate::system::{Holonomic, Lagrangian, State};
use differential_equations::error::Error;
use differential_equations::methods::{BackwardDifferentiationFormula, ExplicitRungeKutta};
use differential_equations::ode::{ODE, OrdinaryNumericalMethod};
use std::cell::RefCell;

/// More inner steps than this between two outputs are taken for a tolerance that cannot be reached.
const INNER_STEPS: usize = 1_000_000;
const REMEDY: &str = "loosen the tolerance, or check that the model is regular there";

/// What the library does between two outputs.
#[derive(Debug, Clone, Copy)]
pub(super) enum Scheme {
    Dop853,
    Bdf { order: usize },
}

impl Scheme {
    fn method(self) -> &'static str {
        match self {
            Self::Dop853 => Reference::NAME,
            Self::Bdf { .. } => Bdf::NAME,
        }
    }
}

/// A run of [`Reference`] or [`Bdf`] in progress.
pub struct AdaptiveRun<'s, L: ?Sized> {
    scheme: Scheme,
    flow: Flow<'s, L>,
    tolerance: f64,
    step: f64,
    start_time: f64,
    /// The inner step that the error control proposed last; 0 before the first.
    inner_step: f64,
    state: State,
    multipliers: Vec<f64>,
    steps: u64,
}

impl<'s, L: Lagrangian + ?Sized> AdaptiveRun<'s, L> {
    pub(super) fn new(
        scheme: Scheme,
        lagrangian: &'s L,
        tolerance: f64,
        state: State,
        step: f64,
    ) -> Result<Self, StartError> {
        if !(1e-14..=1e-2).contains(&tolerance) {
            return Err(StartError::OptionOutOfRange {
                method: scheme.method(),
                option: "tolerance",
                value: tolerance,
                interval: "[1e-14, 1e-2]",
            });
        }
        let holonomic = lagrangian.holonomic();
        check_start(lagrangian, &state, step)?;
        if let Some(holonomic) = holonomic {
            check_constraints(holonomic, &state)?;
        }
        let mut dynamics = Dynamics::new(lagrangian);
        let mut state = state;
        let mut acceleration = vec![0.0; state.q.len()];
        dynamics
            .project(&mut state.q, &mut state.v, state.t)
            .and_then(|_| dynamics.accelerate(&state.q, &state.v, state.t, &mut acceleration))
            .map_err(|error| at_start(lagrangian.name(), |index| dynamics.name_of(index), error))?;
        if let Some(index) = first_not_finite(&acceleration) {
            let coordinate = lagrangian.layout().name_of(index);
            return Err(StartError::ForceNotFinite { coordinate, value: acceleration[index] });
        }
        let mut multipliers = vec![0.0; holonomic.map_or(0, Holonomic::constraints)];
        dynamics.multipliers(&mut multipliers);
        Ok(Self {
            scheme,
            flow: Flow(RefCell::new((dynamics, None))),
            tolerance,
            step,
            start_time: state.t,
            inner_step: 0.0,
            state,
            multipliers,
            steps: 0,
        })
    }

    /// (q, v) at `end`, by as many inner steps as the tolerance asks for.
    fn advance(&mut self, end: f64) -> Result<Vec<f64>, StepError> {
        let (tolerance, first) = (self.tolerance, self.inner_step.min(end - self.state.t));
        match self.scheme {
            Scheme::Dop853 => {
                let solver = ExplicitRungeKutta::dop853().rtol(tolerance).atol(tolerance);
                self.advance_by(solver.h0(first).max_steps(INNER_STEPS), end)
            }
            // The step of high order that ended the last interval says nothing about the first one, of order 1.
            Scheme::Bdf { order } => {
                let solver = BackwardDifferentiationFormula::adaptive().rtol(tolerance).atol(tolerance);
                self.advance_by(solver.max_order(order).max_steps(INNER_STEPS), end)
            }
        }
    }

    fn advance_by(
        &mut self,
        mut solver: impl OrdinaryNumericalMethod<f64, Vec<f64>>,
        end: f64,
    ) -> Result<Vec<f64>, StepError> {
        let start = self.state.t;
        let y = [self.state.q.as_slice(), self.state.v.as_slice()].concat();
        let smallest = 4.0 * f64::EPSILON * end.abs().max(self.step);
        solver.init(&self.flow, start, end, &y).map_err(|error| self.gave_up(&error, start))?;
        loop {
            let proposed = solver.h();
            let left = end - solver.t();
            // Stretched by a hundredth rather than leaving a tiny last step.
            let last = proposed * 1.01 >= left;
            if last {
                solver.set_h(left);
            } else {
                self.inner_step = proposed;
            }
            let before = solver.t();
            solver.step(&self.flow).map_err(|error| self.gave_up(&error, before))?;
            let accepted = solver.t() > before;
            // A multistep method takes a smaller step by itself where the whole rest is too long.
            if last && accepted && end - solver.t() <= smallest {
                if self.inner_step == 0.0 {
                    self.inner_step = proposed.min(solver.h());
                }
                return Ok(solver.y().clone());
            }
            if !accepted && solver.h() <= smallest {
                return Err(self.stuck(before));
            }
        }
    }

    /// The inner steps became too small: because a linear system failed, or for no reason known.
    #[cold]
    fn stuck(&self, reached: f64) -> StepError {
        match self.flow.0.borrow_mut().1.take() {
            Some(error) => self.failed(error, reached),
            None => self.inaccurate("the inner steps become too small", reached),
        }
    }

    #[cold]
    fn gave_up(&self, error: &Error<f64, Vec<f64>>, reached: f64) -> StepError {
        if let Some(error) = self.flow.0.borrow_mut().1.take() {
            return self.failed(error, reached);
        }
        let reason = match error {
            Error::MaxSteps { .. } => "a million inner steps were not enough",
            Error::Stiffness { .. } => "the equations are stiff there",
            _ => "the inner steps become too small",
        };
        self.inaccurate(reason, reached)
    }

    #[cold]
    fn inaccurate(&self, reason: &'static str, reached: f64) -> StepError {
        StepError::ToleranceNotReached {
            method: self.scheme.method(),
            step: self.steps + 1,
            time: reached,
            tolerance: self.tolerance,
            reason,
        }
    }

    #[cold]
    fn failed(&self, error: ForceError, time: f64) -> StepError {
        let borrowed = self.flow.0.try_borrow();
        let name =
            |index| borrowed.as_ref().map_or_else(|_| format!("#{index}"), |flow| flow.0.name_of(index));
        let part = Part::whole(self.steps, self.step, self.start_time);
        error.in_step(self.scheme.method(), name, &part, time, REMEDY)
    }
}

impl<L: Lagrangian + ?Sized> Stepper for AdaptiveRun<'_, L> {
    fn step(&mut self) -> Result<(), StepError> {
        let end = self.start_time + (self.steps + 1) as f64 * self.step;
        let mut q = self.advance(end)?;
        let mut v = q.split_off(q.len() / 2);
        if let Some(index) = first_not_finite(&q).or_else(|| first_not_finite(&v)) {
            let flow = self.flow.0.borrow();
            let (method, coordinate) = (self.scheme.method(), flow.0.name_of(index));
            let (step, time, size) = (self.steps + 1, self.state.t, self.step);
            return Err(StepError::NotFinite { method, coordinate, step, time, size });
        }
        // Back onto the constraints, and the multipliers there.
        if !self.multipliers.is_empty() {
            let mut acceleration = vec![0.0; q.len()];
            let outcome = {
                let dynamics = &mut self.flow.0.borrow_mut().0;
                dynamics
                    .project(&mut q, &mut v, end)
                    .and_then(|_| dynamics.accelerate(&q, &v, end, &mut acceleration))
            };
            outcome.map_err(|error| self.failed(error, end))?;
            self.flow.0.borrow().0.multipliers(&mut self.multipliers);
        }
        self.state = State { t: end, q, v };
        self.steps += 1;
        Ok(())
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn multipliers(&self) -> Option<&[f64]> {
        if self.multipliers.is_empty() { None } else { Some(&self.multipliers) }
    }

    fn evaluations(&self) -> Evaluations {
        self.flow.0.borrow().0.counts
    }

    fn go_on_from(&mut self, state: &State) -> bool {
        self.state.assign(state);
        true
    }
}

/// The dynamics as the library wants them, with the last failure, which it has no way to return.
struct Flow<'s, L: ?Sized>(RefCell<(Dynamics<'s, L>, Option<ForceError>)>);

impl<L: Lagrangian + ?Sized> ODE<f64, Vec<f64>> for Flow<'_, L> {
    fn diff(&self, t: f64, y: &Vec<f64>, rate: &mut Vec<f64>) {
        let (dynamics, failure) = &mut *self.0.borrow_mut();
        // The library's multistep method begins with an empty vector here.
        rate.resize(y.len(), 0.0);
        let (q, v) = y.split_at(y.len() / 2);
        let (rate_of_q, rate_of_v) = rate.split_at_mut(q.len());
        rate_of_q.copy_from_slice(v);
        match dynamics.accelerate(q, v, t, rate_of_v) {
            Ok(()) => *failure = None,
            Err(error) => {
                // What is not a number makes the error control reject the step and try a smaller one.
                rate_of_v.fill(f64::NAN);
                *failure = Some(error);
            }
        }
    }
}

fn check_constraints(holonomic: &(impl Holonomic + ?Sized), state: &State) -> Result<(), StartError> {
    let size = |values: &[f64]| values.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    let worst = |values: &[f64]| {
        let row = (0..values.len()).max_by(|&a, &b| values[a].abs().total_cmp(&values[b].abs())).unwrap_or(0);
        (holonomic.constraint_name(row), values.get(row).copied().unwrap_or(0.0))
    };
    let mut values = vec![0.0; holonomic.constraints()];
    let mut jacobian = vec![0.0; holonomic.jacobian_pattern().len()];
    holonomic.jacobian(&state.q, state.t, &mut values, &mut jacobian);
    let tolerance = START_TOLERANCE * (1.0 + size(&state.q));
    let (equation, residual) = worst(&values);
    if residual.is_nan() || residual.abs() > tolerance {
        return Err(StartError::OffConstraints { equation, residual, tolerance });
    }
    holonomic.constraint_rate(&state.q, state.t, &mut values);
    holonomic.jacobian_pattern().multiply_add(&jacobian, &state.v, &mut values);
    let tolerance = tolerance * (1.0 + size(&state.v));
    let (equation, residual) = worst(&values);
    if residual.is_nan() || residual.abs() > tolerance {
        return Err(StartError::VelocityOffConstraints { equation, residual, tolerance });
    }
    Ok(())
}
