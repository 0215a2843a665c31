//! The inner steps between two outputs, which the library takes: compiled once for all systems.

use super::{Bdf, Claims, Reference};
use crate::method::force_error::ForceError;
use differential_equations::error::Error;
use differential_equations::methods::{BackwardDifferentiationFormula, ExplicitRungeKutta};
use differential_equations::ode::{ODE, OrdinaryNumericalMethod};
use std::cell::RefCell;

/// More inner steps than this between two outputs are taken for a tolerance that cannot be reached.
const INNER_STEPS: usize = 1_000_000;

/// The method of the library that is used.
#[derive(Debug, Clone, Copy)]
pub(super) enum Scheme {
    Dop853,
    Bdf { order: usize },
}

impl Scheme {
    pub(super) fn method(self) -> &'static str {
        match self {
            Self::Dop853 => Reference::NAME,
            Self::Bdf { .. } => Bdf::NAME,
        }
    }
}

/// The accelerations of a system.
pub(super) trait Accelerations {
    /// a(q, v, t).
    fn accelerate(&mut self, q: &[f64], v: &[f64], t: f64, a: &mut [f64]) -> Result<(), ForceError>;
}

/// The reason for which an interval could not be crossed, and the time that was reached.
pub(super) struct Stuck {
    pub(super) time: f64,
    pub(super) why: Why,
}

pub(super) enum Why {
    Force(ForceError),
    Inaccurate(&'static str),
}

/// The interval of time that is to be crossed, and the accuracy.
pub(super) struct Interval {
    pub(super) scheme: Scheme,
    pub(super) tolerance: f64,
    pub(super) start: f64,
    pub(super) end: f64,
    /// The inner step that the error control proposed last; 0 before the first.
    pub(super) inner_step: f64,
}

impl Interval {
    /// (q, v) at the end from `y` at the start, by as many inner steps as the tolerance asks for.
    pub(super) fn cross(&mut self, system: &mut dyn Accelerations, y: &Vec<f64>) -> Result<Vec<f64>, Stuck> {
        let (tolerance, first) = (self.tolerance, self.inner_step.min(self.end - self.start));
        let flow = Flow(RefCell::new((system, None)));
        match self.scheme {
            Scheme::Dop853 => {
                let solver = ExplicitRungeKutta::dop853().rtol(tolerance).atol(tolerance);
                self.cross_by(solver.h0(first).max_steps(INNER_STEPS), &flow, y)
            }
            // The step of high order that ended the last interval says nothing about the first one, of order 1.
            Scheme::Bdf { order } => {
                let first = flow.first_step(tolerance, self.start, y).min(self.end - self.start);
                let solver = BackwardDifferentiationFormula::adaptive().rtol(tolerance).atol(tolerance);
                self.cross_by(solver.h0(first).max_order(order).max_steps(INNER_STEPS), &flow, y)
            }
        }
    }

    fn cross_by(
        &mut self,
        mut solver: impl OrdinaryNumericalMethod<f64, Vec<f64>>,
        flow: &Flow<'_>,
        y: &Vec<f64>,
    ) -> Result<Vec<f64>, Stuck> {
        let Self { start, end, .. } = *self;
        let smallest = 4.0 * f64::EPSILON * end.abs().max(end - start);
        solver.init(flow, start, end, y).map_err(|error| flow.gave_up(&error, start))?;
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
            solver.step(flow).map_err(|error| flow.gave_up(&error, before))?;
            let accepted = solver.t() > before;
            // A multistep method takes a smaller step by itself where the whole rest is too long.
            if last && accepted && end - solver.t() <= smallest {
                if self.inner_step == 0.0 {
                    self.inner_step = proposed.min(solver.h());
                }
                return Ok(solver.y().clone());
            }
            if !accepted && solver.h() <= smallest {
                return Err(flow.stuck("the inner steps become too small", before));
            }
        }
    }
}

/// The dynamics as the library wants them, with the last failure, which it has no way to return.
struct Flow<'s>(RefCell<(&'s mut dyn Accelerations, Option<ForceError>)>);

impl Flow<'_> {
    /// The first step of a method of order 1: the starting step of Hairer, Nørsett and Wanner (Solving Ordinary Differential Equations I,
    /// section II.4). That of the library takes the tolerance to the wrong power, and stiff systems then have no step at all.
    fn first_step(&self, tolerance: f64, t: f64, y: &Vec<f64>) -> f64 {
        let norm = |entries: &mut dyn Iterator<Item = f64>| {
            let weighted = entries.zip(y).map(|(entry, y)| (entry / (tolerance * (1.0 + y.abs()))).powi(2));
            (weighted.sum::<f64>() / y.len() as f64).sqrt()
        };
        let (mut rate, mut next) = (Vec::new(), Vec::new());
        self.diff(t, y, &mut rate);
        let (size, speed) = (norm(&mut y.iter().copied()), norm(&mut rate.iter().copied()));
        let guess = if size < 1e-5 || speed < 1e-5 { 1e-6 } else { 0.01 * size / speed };
        let moved = y.iter().zip(&rate).map(|(y, rate)| y + guess * rate).collect();
        self.diff(t + guess, &moved, &mut next);
        let curvature = norm(&mut next.iter().zip(&rate).map(|(next, rate)| next - rate)) / guess;
        let most = speed.max(curvature);
        let step = if most <= 1e-15 { 1e-3 * guess.max(1e-3) } else { (0.01 / most).sqrt() };
        // What is not a number leaves the guess, and the error control tells.
        step.min(100.0 * guess)
    }

    /// A linear system failed, or the tolerance cannot be reached.
    #[cold]
    fn stuck(&self, reason: &'static str, time: f64) -> Stuck {
        let why = self.0.borrow_mut().1.take().map_or(Why::Inaccurate(reason), Why::Force);
        Stuck { time, why }
    }

    #[cold]
    fn gave_up(&self, error: &Error<f64, Vec<f64>>, time: f64) -> Stuck {
        let reason = match error {
            Error::MaxSteps { .. } => "a million inner steps were not enough",
            Error::Stiffness { .. } => "the equations are stiff there",
            _ => "the inner steps become too small",
        };
        self.stuck(reason, time)
    }
}

impl ODE<f64, Vec<f64>> for Flow<'_> {
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
