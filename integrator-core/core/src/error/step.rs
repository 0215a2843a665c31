//! Steps that fail.

use super::{FailedStep, SlowManifoldError};
use thiserror::Error;

/// A step that failed.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum StepError {
    /// A force has no value, or the equations of the step have no solution.
    #[error("{0}")]
    Failed(Box<FailedStep>),
    /// The energy is not finite, or beyond all bounds.
    #[error(
        "the run has blown up: at t = {time} (step {step}) its energy is {energy:.3e}, and was {start:.3e} at the start; the last state \
         that can be believed is that of t = {good_time} (step {good}): take a smaller step, another method, or parameters nearer to each other"
    )]
    BlownUp {
        /// The energy.
        energy: f64,
        /// The number of steps.
        step: u64,
        /// The time there.
        time: f64,
        /// The energy at the start.
        start: f64,
        /// The number of steps of the last good state.
        good: u64,
        /// The time of the last good state.
        good_time: f64,
    },
    /// The energy is not finite before the first step.
    #[error("the energy is {energy} at the start: give parameters and a start for which it is finite")]
    EnergyAtStart {
        /// The energy.
        energy: f64,
    },
    /// A signal of the model ends before the end of the step.
    #[error(
        "{method}: the signal `{signal}` ends at t = {end}, in step {step} (from t = {time}, of length {size}): give it values until the \
         end of the run, or end the run before"
    )]
    SignalEnded {
        /// The method.
        method: &'static str,
        /// The number of the step that failed, counted from 1.
        step: u64,
        /// The time of the last good state.
        time: f64,
        /// The step size.
        size: f64,
        /// The signal.
        signal: &'static str,
        /// Its last time.
        end: f64,
    },
    /// A step is longer than the motion that it met allows.
    #[error(
        "{method}: the step {size} is above the limit of stability, which is {limit:.3e} for the motion met in step {step} (from \
         t = {time}): try a smaller one"
    )]
    AboveStability {
        /// The method.
        method: &'static str,
        /// The number of the step that failed, counted from 1.
        step: u64,
        /// The time of the last good state.
        time: f64,
        /// The step size.
        size: f64,
        /// The longest step that is stable.
        limit: f64,
    },
    /// The fast motion could not be followed through a window.
    #[error(
        "{method}: the fast motion cannot be followed in step {step} (from t = {time}){place}: {reason}; take more micro-steps than \
         {per_period} in a period, or a smaller step"
    )]
    FastMotion {
        /// The method.
        method: &'static str,
        /// The number of the step that failed, counted from 1.
        step: u64,
        /// The time of the last good state.
        time: f64,
        /// The micro-step, in words.
        place: String,
        /// The failure that was observed, in words.
        reason: String,
        /// The micro-steps in a period.
        per_period: usize,
    },
    /// A step of the output has too many events, of a method that goes from one to the next.
    #[error(
        "{method}: step {step} (from t = {time}) has met {met} {events} in {part:.1e} of its length {size}: some {:.0e} are to be \
         expected in the whole, and {limit} are allowed; take an output step below {:.1e}, or {remedy}",
        *met as f64 / part, size * part * (*limit as f64 / *met as f64)
    )]
    TooManyEvents {
        /// The method.
        method: &'static str,
        /// Their kind, in words.
        events: &'static str,
        /// The number of the step that failed, counted from 1.
        step: u64,
        /// The time of the last good state.
        time: f64,
        /// The length of the step.
        size: f64,
        /// The number of events that were met.
        met: u64,
        /// The most events in a step.
        limit: u64,
        /// The part of the step in which they were met.
        part: f64,
        /// The parameter that changes their number, in words.
        remedy: &'static str,
    },
    /// An adaptive method could not keep its tolerance.
    #[error(
        "{method}: the tolerance {tolerance:.1e} cannot be kept in step {step} beyond t = {time}: {reason}; loosen it, or \
         check that the model is regular there"
    )]
    ToleranceNotReached {
        /// The method.
        method: &'static str,
        /// The number of the step that failed, counted from 1.
        step: u64,
        /// The time that was reached inside the step.
        time: f64,
        /// The tolerance.
        tolerance: f64,
        /// The failure that was observed, in words.
        reason: &'static str,
    },
    /// The potential at a vertex of the grid is not finite.
    #[error(
        "{method}: the potential is {value} at the vertex {vertex} of the grid, reached at t = {time} after {crossings} \
         crossings: take smaller grid steps, or keep the motion away from the singularity"
    )]
    VertexNotFinite {
        /// The method.
        method: &'static str,
        /// The coordinates of the vertex that matter, and their values.
        vertex: String,
        /// The value found.
        value: f64,
        /// The time at which it was needed.
        time: f64,
        /// The crossings done.
        crossings: u64,
    },
    /// The motion slides along faces of the grid, which no sequence of crossings can follow.
    #[error(
        "{method}: {burst} crossings in a row took no time at t = {time}, the last through {wall}: the motion slides along \
         faces of the grid, as from rest at a vertex at a minimum or in a narrow valley of the potential; shift the grid, at \
         random or by a thousandth of its step or more, and resolve the valley with a smaller step"
    )]
    Sliding {
        /// The method.
        method: &'static str,
        /// The crossings in a row.
        burst: u64,
        /// The last face.
        wall: String,
        /// The time.
        time: f64,
    },
    /// A point of the step cannot be projected onto the slow manifold.
    #[error("{method}: in step {step} (from t = {time}), {source}")]
    NotSlow {
        /// The method.
        method: &'static str,
        /// The number of the step that failed, counted from 1.
        step: u64,
        /// The time of the last good state.
        time: f64,
        /// The reason, with the last iterate.
        source: Box<SlowManifoldError>,
    },
}
