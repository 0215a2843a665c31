use super::{CheckpointError, Recording, Summary};
use crate::carried::CarryError;
use crate::error::{StepError, errors};
use thiserror::Error;

errors! {
    /// A run that did not reach its end.
    #[derive(Debug, Error)]
    #[non_exhaustive]
    RunError:

    /// The end is not later than the start, or not finite.
    #[error("the run should go until t = {end}, which is not later than its start at t = {start}")]
    EndNotLater { start: f64 = "The time of the start.", end: f64 = "The requested end." },
    /// The run is shorter than half a step.
    #[error(
        "the step {step} is larger than the whole run, from t = {start} until t = {end}: choose a smaller one"
    )]
    StepTooLong {
        start: f64 = "The time of the start.",
        end: f64 = "The requested end.",
        step: f64 = "The step.",
    },
    /// A signal of the model ends before the run.
    #[error(
        "the run should go until t = {until}, and the signal `{signal}` ends at t = {end}: give it values until then, or end the run \
         there"
    )]
    SignalEnds {
        signal: String = "The signal.",
        end: f64 = "Its last time.",
        until: f64 = "The end of the run.",
    },
    /// There are more steps than a double counts.
    #[error("from t = {start:?} until t = {end:?} with step {step:?} is more than 2^53 steps")]
    TooManySteps {
        start: f64 = "The time of the start.",
        end: f64 = "The requested end.",
        step: f64 = "The step.",
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
    Beyond { done: u64 = "The steps done.", planned: u64 = "The steps of the plan." },
    /// The run was asked to stop; everything before was observed, and saved by the keeper.
    #[error("the run was stopped at t = {} after {} steps", summary.time, summary.steps)]
    Stopped { summary: Box<Summary> = "The steps done and their cost." },
    /// A step failed; everything before was observed.
    #[error("{source}")]
    Step { source: StepError = "The error.", summary: Box<Summary> = "The steps done and their cost." },
    /// An observer failed, such as one that writes a file.
    #[error("{source}")]
    Observe {
        source: Box<dyn std::error::Error + Send + Sync> = "The error.",
        summary: Box<Summary> = "The steps done and their cost.",
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
