//! Members of an ensemble that cannot step in lanes.

use super::{StartError, StepError};
use thiserror::Error;

/// Members of an ensemble that cannot step in lanes: step each by itself.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MembersError {
    /// There is none.
    #[error("there is no member: give at least one")]
    None,
    /// There are not as many starts or steps as members.
    #[error("{members} members have {found} {quantity}: give one for each")]
    WrongCount {
        /// The number of members.
        members: usize,
        /// The quantity that each member needs: starts, steps.
        quantity: &'static str,
        /// The number given.
        found: usize,
    },
    /// No registers hold several numbers.
    #[error(
        "neither this processor nor a build with debug assertions has registers for several members: step each by itself"
    )]
    NoRegisters,
    /// The members differ in structure.
    #[error(
        "member {member} of `{model}` has other {part} than the first one: members side by side have the same sizes and differ in \
         numbers alone"
    )]
    Different {
        /// The model.
        model: String,
        /// The member, counted from 0.
        member: usize,
        /// The part in which it differs.
        part: &'static str,
    },
    /// The model has a part that only single runs compute.
    #[error("members of `{model}` do not step side by side, for it has {part}: step each by itself")]
    NotSideBySide {
        /// The model.
        model: String,
        /// The part.
        part: &'static str,
    },
}

/// The end of one member, with the error of its single run.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum MemberError {
    /// It could not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A step failed; the last good state stays readable.
    #[error(transparent)]
    Step(#[from] StepError),
}
