//! Steps whose forces have no values, whose equations have no solution, or that a method refuses.

use super::errors;
use crate::sparse::{FactorError, SolveError};
use crate::system::State;
use std::fmt::{Display, Formatter};
use thiserror::Error;

errors! {
    /// A force without a value, an equation of a step without a solution, or a step that its method
    /// refuses.
    ///
    /// The index of a row of constraints is n, the dimension of the system, plus the number of the row.
    #[derive(Debug, Clone, Copy, PartialEq)]
    #[non_exhaustive]
    ForceError:

    /// A matrix has no factors.
    Singular { matrix, error: FactorError = "Pivot and row." },
    /// A solution fails its check.
    Unsolved { matrix, error: SolveError = "Residual and row." },
    /// A force or a state is infinite or not a number.
    NotFinite { index: usize = "The degree of freedom, or a row." },
    /// The potential, or its slope, is infinite or not a number.
    PotentialNotFinite,
    /// The motion meets too many edges of a piecewise potential at one instant.
    Stuck,
    /// A constraint turned by more than a right angle in a step: its force would push to the wrong side.
    Turned {
        index: usize = "The row.",
        cosine: f64 = "The cosine of the angle between its gradients before and after the step.",
    },
    /// A row jumps, or its correction goes far.
    Leap {
        index: usize = "The row.",
        jumps: bool = "True if the row jumps; false if its correction goes far.",
        size: f64 = "The jump, or the correction relative to the motion.",
    },
    /// The solution of Newton's method is out of the [reach](crate::method) of the motion.
    OutOfReach {
        unknown,
        index: usize = "The degree of freedom that is farthest away.",
        moved: f64 = "Its distance from the guess.",
        motion: f64 = "h |v| + h² |a|.",
    },
    /// Newton's method leaves a residual, of a constraint above all.
    RowNotKept {
        unknown,
        iterations,
        index: usize = "The row.",
        residual: f64 = "The residual.",
        accepted: f64 = "The largest acceptable residual.",
    },
    /// Newton's method did not converge.
    NotConverged {
        unknown,
        iterations,
        correction: f64 = "The last correction.",
        index: usize = "Its degree of freedom.",
        tolerance: f64 = "The largest acceptable correction.",
    },
    /// A signal of the model ends before the end of the step.
    SignalEnded { end: f64 = "Its last time." },
    /// A step is longer than the motion that it met allows.
    AboveStability { limit: f64 = "The longest step that is stable." },
    /// A step of the output has too many events, of a method that goes from one to the next.
    TooManyEvents {
        events: &'static str = "Their kind, in words.",
        met: u64 = "The number of events that were met.",
        limit: u64 = "The most events in a step.",
        part: f64 = "The part of the step in which they were met.",
    },
    /// A step cannot be cut at a moment, since the method keeps more of the motion than a state.
    NotCut,
    /// Impacts follow one another faster than any part of a step.
    Accumulated { impacts: u64 = "The number of impacts in the step." },
    /// An adaptive method could not keep its tolerance beyond the time of the error.
    ToleranceNotReached {
        tolerance: f64 = "The tolerance.",
        reason: &'static str = "The failure that was observed, in words.",
    },
}

/// A step that failed by a force or an equation: its place, and the advice.
#[derive(Debug, Clone, PartialEq, Error)]
pub struct FailedStep {
    /// The method.
    pub method: &'static str,
    /// The number of the step that failed, counted from 1.
    pub step: u64,
    /// The time of the last good state, or the time that an adaptive method reached inside the step.
    pub time: f64,
    /// The step size.
    pub size: f64,
    /// The cause.
    pub cause: ForceError,
    /// The degree of freedom, the equation or the signal; empty for a cause without one.
    pub place: String,
    /// The advice for another attempt.
    pub remedy: &'static str,
}

impl Display for FailedStep {
    fn fmt(&self, to: &mut Formatter<'_>) -> std::fmt::Result {
        let Self { method, step, time, size: length, cause, place, remedy } = self;
        match cause {
            ForceError::NotFinite { .. } => write!(
                to,
                "{method}: `{place}` is not finite in step {step} (from t = {time}, of length {length}): {remedy}"
            ),
            ForceError::Singular { matrix, error } => write!(
                to,
                "{method}: {matrix} is singular or indefinite in step {step} (from t = {time}; pivot {:.3e} at \
                 `{place}`): {remedy}",
                error.pivot
            ),
            ForceError::Unsolved { matrix, error } => write!(
                to,
                "{method}: {matrix} is singular to working precision in step {step} (from t = {time}; relative residual \
                 {:.3e}, worst in `{place}`): {remedy}",
                error.residual
            ),
            ForceError::PotentialNotFinite => write!(
                to,
                "{method}: the potential or its slope is not finite on the way of step {step} (from t = {time}): the motion runs into a \
                 singularity of the model"
            ),
            ForceError::Stuck => write!(
                to,
                "{method}: too many edges of terraces are met at one instant in step {step} (from t = {time}): the motion runs along an \
                 edge, or into a singularity; try another height"
            ),
            ForceError::Turned { cosine, .. } => write!(
                to,
                "{method}: the gradient of the constraint `{place}` turned by {:.0}° in step {step} (from t = {time}), and a step may \
                 turn it by less than 90°: try a smaller step",
                cosine.clamp(-1.0, 1.0).acos().to_degrees()
            ),
            ForceError::Leap { jumps: true, size, .. } => write!(
                to,
                "{method}: in step {step} (from t = {time}) the constraint `{place}` jumps by {size:.3e}, and no motion follows it: \
                 `if` jumps, and so does the angle of a point (atan2, atan, acos, asin) at the end of its range; write the row without \
                 a jump, or the rate of the angle as a #[nonholonomic] row"
            ),
            ForceError::Leap { jumps: false, size, .. } => write!(
                to,
                "{method}: in step {step} (from t = {time}) the constraint `{place}` would move its coordinates {size:.0} times as far \
                 as their motion, to another solution: try a smaller step, or a row that has one solution there"
            ),
            ForceError::SignalEnded { end } => write!(
                to,
                "{method}: the signal `{place}` ends at t = {end}, in step {step} (from t = {time}, of length {length}): give it values \
                 until the end of the run, or end the run before"
            ),
            ForceError::AboveStability { limit } => write!(
                to,
                "{method}: the step {length} is above the limit of stability, which is {limit:.3e} for the motion met in step {step} \
                 (from t = {time}): try a smaller one"
            ),
            ForceError::TooManyEvents { events, met, limit, part } => write!(
                to,
                "{method}: step {step} (from t = {time}) has met {met} {events} in {part:.1e} of its length {length}: some {:.0e} are to \
                 be expected in the whole, and {limit} are allowed; take an output step below {:.1e}, or {remedy}",
                *met as f64 / part,
                length * part * (*limit as f64 / *met as f64)
            ),
            ForceError::NotCut => write!(
                to,
                "{method}: step {step} (from t = {time}) has a moment inside of it, and cannot be cut there, since the method keeps \
                 more of the motion than a state: use another method"
            ),
            ForceError::Accumulated { impacts } => write!(
                to,
                "{method}: impacts of `{place}` accumulate in step {step} (from t = {time}): {impacts} were met, faster and faster, as \
                 where a body comes to rest; end the run before"
            ),
            ForceError::ToleranceNotReached { tolerance, reason } => write!(
                to,
                "{method}: the tolerance {tolerance:.1e} cannot be kept in step {step} beyond t = {time}: {reason}; loosen it, or \
                 check that the model is regular there"
            ),
            ForceError::OutOfReach { unknown, moved, motion, .. } => write!(
                to,
                "{method}: Newton's method for {unknown} led to another solution in step {step} (from t = {time}): it moves `{place}` by \
                 {moved:.3e}, where speed and acceleration move the system by {motion:.3e}; try a smaller step"
            ),
            ForceError::RowNotKept { unknown, iterations, residual: left, accepted: tolerance, .. }
            | ForceError::NotConverged { unknown, iterations, correction: left, tolerance, .. } => {
                let is_correction = matches!(cause, ForceError::NotConverged { .. });
                write!(
                    to,
                    "{method}: Newton's method for {unknown} did not converge in step {step} (from t = {time}): after \
                     {iterations} iterations the {} is {left:.3e} in `{place}`, the tolerance {tolerance:.1e}; {remedy}",
                    if is_correction { "last correction" } else { "residual" }
                )
            }
        }
    }
}

const GROWN: &str = "the motion had grown from step to step: the step is too long for it, or forces drive it; try a smaller one";
/// Numbers that are larger have grown.
const LARGE: f64 = 1e15;

/// The advice to a method without a tolerance, or far from it.
const LOOSER: &str = "rounding is as large: try a larger tolerance, or another step";
const NO_LENGTH: &str =
    "the tolerance is a part of the positions, and all are almost zero: try another origin";

impl FailedStep {
    /// Takes the advice that the last good state and the tolerance of the method tell.
    #[cold]
    pub(crate) fn see_from(&mut self, State { q, v, .. }: &State, of_method: Option<f64>) {
        let has_grown = || q.iter().chain(v).any(|value| value.abs() > LARGE);
        match self.cause {
            ForceError::NotFinite { .. } | ForceError::Singular { .. } | ForceError::Unsolved { .. }
                if has_grown() =>
            {
                self.remedy = GROWN;
            }
            ForceError::NotConverged { correction, tolerance, .. }
                if of_method.is_some() && correction <= 1e3 * tolerance =>
            {
                self.remedy = LOOSER;
            }
            ForceError::RowNotKept { accepted: tolerance, .. }
            | ForceError::NotConverged { tolerance, .. }
                if tolerance < f64::MIN_POSITIVE =>
            {
                self.remedy = NO_LENGTH;
            }
            _ => {}
        }
    }
}
