//! Runs, records and plots mechanical systems: the library behind the command `least-action`.
//!
//! A crate with models of its own gets the whole command in a few lines:
//!
//! ```ignore
//! fn main() -> std::process::ExitCode {
//!     least_action_command::Workbench::new("my-models").model::<Bead>("bead").main()
//! }
//! ```
//!
//! # Exit codes
//! - 0: done.
//! - 1: a run failed numerically, and its rows are kept; or `eval --check` found a difference.
//! - 2: a mistake of the user, told in one line.
//! - 3: an ensemble is done, and members of it failed, whose rows have their errors.
//! - 130 and 143: SIGINT or SIGTERM stopped a run after a step, and its rows are kept.

#![cfg_attr(not(feature = "tables"), allow(dead_code, reason = "ensembles alone call some parts"))]

mod arguments;
mod bench;
mod catalogue;
mod check;
#[cfg(feature = "tables")]
mod columnar;
mod command;
mod control;
mod describe;
#[cfg_attr(not(feature = "tables"), path = "left_out/ensemble.rs")]
mod ensemble;
mod error;
mod eval;
mod expand;
mod fit;
mod gradient;
mod identity;
mod json;
mod live;
mod manual;
mod memory;
mod methods;
mod model;
mod moments;
mod new;
mod observe;
mod options;
mod other_words;
mod output;
mod own_times;
mod parameters;
mod patience;
mod places;
mod prepared;
mod print;
mod project;
#[cfg(feature = "python")]
pub mod python;
mod radial;
mod registry;
mod reproduce;
mod run;
mod settings;
mod slow;
mod start;
mod stop;
mod streams;
mod turns;
mod unknowns;
mod view;
mod words;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use least_action::Model;
use least_action::emitted::v1::Declared;
use least_action::expr::Oracle;
use least_action::system::Start;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use error::{FAILED_MEMBERS, FAILURE, MISTAKE};

/// Parts that are tested by themselves: no interface.
#[doc(hidden)]
pub mod internals {
    #[cfg(feature = "tables")]
    pub use crate::ensemble::{Digest, Distribution, Draws, between_0_and_1, seed};
    pub use crate::error::{Error, Names, one_line};
    pub use crate::memory::{available, size};
    pub use crate::methods::KINDS;
    pub use crate::new::{check as check_name, check_module};
    pub use crate::options::read as read_options;
    pub use crate::registry::{model_name, type_name};
    pub use crate::words::{of_file, of_number, of_value};
}

use registry::Registry;
use streams::Streams;

/// A command over a set of models.
pub struct Workbench {
    name: String,
    registry: Registry,
    columns: Option<usize>,
}

impl Workbench {
    /// A command called `name`, without models yet.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), registry: Registry::default(), columns: None }
    }

    /// Adds a model under a name of the command line; its parameters are the fields that serde sees.
    #[must_use]
    pub fn model<M>(mut self, name: &str) -> Self
    where
        M: Model + Oracle + Declared + Default + Serialize + DeserializeOwned + Start + 'static,
    {
        self.registry.register::<M>(name);
        self
    }

    /// Adds the ready models of the crate `models`, each under the name of its type in small letters.
    #[cfg(feature = "ready-models")]
    #[must_use]
    pub fn ready_models(mut self) -> Self {
        least_action_models::give(&mut self.registry);
        self
    }

    /// Ends the lines for people at so many columns in [`run`](Self::run), as on a terminal.
    #[must_use]
    pub fn columns(self, columns: usize) -> Self {
        Self { columns: Some(columns), ..self }
    }

    /// Runs the arguments of the process and returns its exit code: the body of `main`.
    pub fn main(self) -> ExitCode {
        command::process(&self.name, &self.registry).into()
    }

    /// Runs `arguments` (without the program's name) on the given streams and returns the exit code.
    ///
    /// # Examples
    /// ```
    /// let (mut out, mut err) = (Vec::new(), Vec::new());
    /// let empty = least_action_command::Workbench::new("empty");
    /// let code = empty.run(["run", "pendulum"], &mut out, &mut err);
    /// assert_eq!(code, least_action_command::MISTAKE);
    /// ```
    pub fn run<A: Into<OsString>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
        out: &mut dyn Write,
        err: &mut dyn Write,
    ) -> u8 {
        let program = OsString::from(&self.name);
        let arguments = std::iter::once(program).chain(arguments.into_iter().map(Into::into));
        let streams = Streams { columns: self.columns, ..Streams::on(out, err) };
        command::execute(&self.name, &self.registry, arguments, streams)
    }
}
