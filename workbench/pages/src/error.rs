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
    /// The author's look of a model cannot be drawn.
    #[error("the look of `{model}` cannot be drawn: {reason}; change its `fn look`")]
    Look {
        /// The model.
        model: String,
        /// The reason.
        reason: String,
    },
    /// The model's parameters make no system.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The model's own code panicked on its parameters.
    #[error("the parameters of `{model}` make no system: {reason}")]
    Panicked {
        /// The model.
        model: String,
        /// The message of the panic, and its place.
        reason: String,
    },
    /// A file cannot be read.
    #[error("cannot read {path}: {reason}", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// A file cannot be created.
    #[error("cannot create {path}: {reason}", path = path.display())]
    Uncreatable {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// An output would replace an input of the same command.
    #[error("{flag} {path}: the command reads this file; choose another name for its output", path = path.display())]
    OverAnInput {
        /// The flag.
        flag: &'static str,
        /// The file.
        path: PathBuf,
    },
    /// Two outputs of a command are one file.
    #[error("{second} {path}: {first} names the same file; give each a name of its own", path = path.display())]
    SameFile {
        /// The earlier flag.
        first: &'static str,
        /// The later flag.
        second: &'static str,
        /// The file.
        path: PathBuf,
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
    /// The ending of an output file says nothing.
    #[error("{flag} {path}: the name must end in {endings}", path = path.display())]
    UnknownEnding {
        /// The flag.
        flag: &'static str,
        /// The file.
        path: PathBuf,
        /// The endings that are known.
        endings: &'static str,
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
        Self::Uncreatable { path: path.to_owned(), reason: reason.to_string() }
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
