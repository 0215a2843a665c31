//! The errors that end a paper before its last experiment.

use std::io;

use least_action::drive::{Interrupted, RunError};
use least_action::error::{BindError, ProjectionError, StartError, StepError};
use least_action::system::SignalError;
use least_action_pages::Error as PageError;
use thiserror::Error;

/// The failure of a motion in a fit or under control.
pub(super) type Cause = Box<dyn std::error::Error + Send + Sync>;

/// The reason why a paper ends early.
#[derive(Debug, Error)]
pub enum Error {
    /// The page cannot be made.
    #[error(transparent)]
    Page(#[from] PageError),
    /// A model cannot be bound.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The times and steps of an experiment make no run.
    #[error(transparent)]
    Plan(RunError),
    /// A run cannot start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A state cannot be projected.
    #[error(transparent)]
    Projection(#[from] ProjectionError),
    /// A signal has no such values.
    #[error(transparent)]
    Signal(#[from] SignalError),
    /// A fit has no result, or no inputs bring a motion to its end.
    #[error(transparent)]
    Optimization(#[from] least_action_optimization::Error<Cause>),
    /// The tables cannot be printed.
    #[error(transparent)]
    Output(io::Error),
}

impl From<Box<Interrupted>> for Error {
    fn from(interrupted: Box<Interrupted>) -> Self {
        match interrupted.error {
            RunError::Step { source, .. } => Self::Step(source),
            other => Self::Plan(other),
        }
    }
}
