//! The errors that end a paper before its last experiment.

use std::io;

use least_action::drive::RunError;
use least_action::error::{BindError, ProjectionError, StartError, StepError};
use least_action_pages::Error as PageError;
use thiserror::Error;

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
    /// The tables cannot be printed.
    #[error(transparent)]
    Output(io::Error),
}
