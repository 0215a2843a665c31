use super::{CheckpointError, Recording, Summary};
use crate::carried::CarryError;
use crate::error::StepError;
use thiserror::Error;

/// A run that did not reach its end.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RunError {
    /// The end is not later than the start, or not finite.
    #[error("the run should go until t = {end}, which is not later than its start at t = {start}")]
    EndNotLater {
        /// The time of the start.
        start: f64,
        /// The requested end.
        end: f64,
    },
    /// The run is shorter than half a step.
    #[error(
        "the step {step} is larger than the whole run, from t = {start} until t = {end}: choose a smaller one"
    )]
    StepTooLong {
        /// The time of the start.
        start: f64,
        /// The requested end.
        end: f64,
        /// The step.
        step: f64,
    },
    /// A signal of the model ends before the run.
    #[error(
        "the run should go until t = {until}, and the signal `{signal}` ends at t = {end}: give it values until then, or end the run \
         there"
    )]
    SignalEnds {
        /// The signal.
        signal: &'static str,
        /// Its last time.
        end: f64,
        /// The end of the run.
        until: f64,
    },
    /// There are more steps than a double counts.
    #[error("from t = {start:?} until t = {end:?} with step {step:?} is more than 2^53 steps")]
    TooManySteps {
        /// The time of the start.
        start: f64,
        /// The requested end.
        end: f64,
        /// The step.
        step: f64,
    },
    /// Records are requested after every 0 steps.
    #[error("records are asked for after every 0 steps: it must be at least 1")]
    EveryZero,
    /// The run cannot be saved.
    #[error(transparent)]
    Unsaved(#[from] CheckpointError),
    /// The saved memory does not fit.
    #[error("the run cannot be gone on with: {0}")]
    Resumed(CarryError),
    /// A continued run has passed its end.
    #[error("{done} steps are done already, and {planned} are planned: end the run later")]
    Beyond {
        /// The steps done.
        done: u64,
        /// The steps of the plan.
        planned: u64,
    },
    /// The run was asked to stop; everything before was observed, and saved by the keeper.
    #[error("the run was stopped at t = {} after {} steps", summary.time, summary.steps)]
    Stopped {
        /// The steps done and their cost.
        summary: Box<Summary>,
    },
    /// A step failed; everything before was observed.
    #[error("{source}")]
    Step {
        /// The error.
        source: StepError,
        /// The steps done and their cost.
        summary: Box<Summary>,
    },
    /// An observer failed, such as one that writes a file.
    #[error("{source}")]
    Observe {
        /// The error.
        source: Box<dyn std::error::Error + Send + Sync>,
        /// The steps done and their cost.
        summary: Box<Summary>,
    },
}

/// A recorded run that did not reach its end, with its records.
#[derive(Debug, Error)]
#[error("{error}")]
#[non_exhaustive]
pub struct Interrupted {
    /// The records before the failure.
    pub recording: Recording,
    /// The failure.
    #[source]
    pub error: RunError,
}
