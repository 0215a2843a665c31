//! Mistakes that keep a file from being read or written, and a model from being bound or drawn.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

use least_action_core::error::BindError;
use thiserror::Error;

/// A mistake that stops a page.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// A mistake of the user, told in a sentence where it is found.
    #[error("{0}")]
    Mistake(String),
    /// The model's parameters make no system.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// A file cannot be read.
    #[error("cannot read {path}: {reason}", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// Another program writes the output.
    #[error(
        "{flag} {path}: another run is writing this file; wait for its end, or choose another name",
        path = path.display()
    )]
    BeingWritten {
        /// The flag.
        flag: &'static str,
        /// The file.
        path: PathBuf,
    },
    /// An output cannot be written any further.
    #[error("cannot write {place}: {reason}")]
    Unwritable {
        /// The file or stream.
        place: String,
        /// The reason.
        reason: String,
    },
}

impl Error {
    /// A file that cannot be read.
    pub fn unreadable(path: &Path, reason: &impl Display) -> Self {
        Self::Unreadable { path: path.to_owned(), reason: reason.to_string() }
    }

    /// A file or a folder that cannot be created.
    pub fn uncreatable(path: &Path, reason: &impl Display) -> Self {
        Self::Mistake(format!("cannot create {}: {reason}", path.display()))
    }

    /// The ending of an output file says nothing.
    pub fn unknown_ending(flag: &str, path: &Path, endings: &str) -> Self {
        Self::Mistake(format!("{flag} {}: the name must end in {endings}", path.display()))
    }

    /// The model's own code panicked on its parameters, with this message.
    pub fn panicked(model: &str, message: impl Display) -> Self {
        Self::Mistake(format!("the parameters of `{model}` make no system: {message}"))
    }

    /// The author's look of a model cannot be drawn.
    pub(crate) fn look(model: &str, reason: impl Display) -> Self {
        Self::Mistake(format!("the look of `{model}` cannot be drawn: {reason}; change its `fn look`"))
    }

    /// A draft that cannot be made, or is another program's.
    pub fn undrafted(flag: &'static str, path: &Path, error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::WouldBlock {
            Self::BeingWritten { flag, path: path.to_owned() }
        } else {
            Self::uncreatable(path, error)
        }
    }

    /// A file or a stream that takes nothing more.
    pub fn unwritable(place: impl Display, reason: &impl Display) -> Self {
        Self::Unwritable { place: place.to_string(), reason: reason.to_string() }
    }
}
