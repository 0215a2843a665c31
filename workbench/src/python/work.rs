//! Work of the command beside Python's interpreter, which goes on meanwhile and may ask it to stop.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::{PyRuntimeError, PyValueError, PyWarning};
use pyo3::prelude::*;

use super::words;
use crate::error::{Error, MISTAKE, Result};
use crate::stop::Stop;
use crate::streams::Streams;

pyo3::create_exception!(
    least_action,
    DeclarationError,
    PyValueError,
    "Mistakes in a declaration, shown in its lines; `line` and `column` are the place of the first, None where it has none."
);

/// The interpreter is asked this often if somebody has pressed Ctrl-C.
const OFTEN: Duration = Duration::from_millis(50);
/// The stack of a thread that works, as large as the stack of a process.
const STACK: usize = 8 << 20;

/// The output of a command.
pub(super) struct Said<R = ()> {
    pub(super) outcome: Result<R>,
    /// Standard output and standard error.
    pub(super) out: String,
    err: String,
    /// The exception of the interpreter that ended the work.
    pub(super) interrupted: Option<PyErr>,
}

/// Runs a command on a thread of its own, without the lock of the interpreter.
pub(super) fn work<R: Send>(
    py: Python<'_>,
    command: impl FnOnce(&mut Streams<'_>) -> Result<R> + Send,
) -> PyResult<Said<R>> {
    let stop = Stop::default();
    let asked = stop.clone();
    py.detach(|| {
        thread::scope(|scope| {
            let (done, wait) = mpsc::channel();
            let worker = move || {
                let (mut out, mut err) = (Vec::new(), Vec::new());
                let outcome = command(&mut Streams { stop: Some(stop), ..Streams::on(&mut out, &mut err) });
                // Nobody waits any more if the interpreter ends.
                let _ = done.send(());
                (outcome, out, err)
            };
            let worker =
                thread::Builder::new().stack_size(STACK).spawn_scoped(scope, worker).map_err(|error| {
                    PyRuntimeError::new_err(format!("there is no thread to work on: {error}"))
                })?;
            let mut interrupted = None;
            while let Err(RecvTimeoutError::Timeout) = wait.recv_timeout(OFTEN) {
                let pressed = |interpreter: Python<'_>| interpreter.check_signals();
                if let Err(error) = Python::attach(pressed) {
                    asked.ask();
                    interrupted = interrupted.or(Some(error));
                }
            }
            let (outcome, out, err) = worker
                .join()
                .map_err(|_| PyRuntimeError::new_err("the command ended by a panic: please report it"))?;
            let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
            Ok(Said { outcome, out: text(out), err: text(err), interrupted })
        })
    })
}

impl<R> Said<R> {
    /// Warns as the command warned; its notes, and the iterations of a solver, go to the log.
    pub(super) fn warn(&self, py: Python<'_>) -> PyResult<()> {
        self.err.lines().try_for_each(|line| match line.strip_prefix("warning: ") {
            Some(line) => warn(py, line),
            None if line.starts_with("iteration ") => log(py, "debug", line),
            None => log(py, "info", line.strip_prefix("note: ").unwrap_or(line)),
        })
    }

    /// The result and the text on standard output, or the mistake of the command.
    pub(super) fn result(self, py: Python<'_>) -> PyResult<(R, String)> {
        self.warn(py)?;
        match (self.interrupted, self.outcome) {
            (Some(error), _) => Err(error),
            (None, Err(error)) => Err(raised(&error)),
            (None, Ok(result)) => Ok((result, self.out)),
        }
    }

    /// The text on standard output.
    pub(super) fn text(self, py: Python<'_>) -> PyResult<String> {
        Ok(self.result(py)?.1)
    }
}

/// A line in the log `least_action` of Python's `logging`.
pub(super) fn log(py: Python<'_>, level: &str, line: &str) -> PyResult<()> {
    let log = py.import("logging")?.call_method1("getLogger", ("least_action",))?;
    // A line is no pattern for arguments.
    log.call_method1(level, ("%s", words::of_python(line))).map(drop)
}

/// Warns whoever called.
pub(super) fn warn(py: Python<'_>, line: &str) -> PyResult<()> {
    let line = std::ffi::CString::new(words::of_python(line)).unwrap_or_default();
    PyErr::warn(py, &py.get_type::<PyWarning>(), &line, 2)
}

/// The message of an error.
pub(super) fn line(error: &Error) -> String {
    words::of_python(&error.line())
}

/// The exception for an error: a mistake is a `ValueError`.
pub(super) fn raised(error: &Error) -> PyErr {
    if let Error::Declaration { shown, line, column } = error {
        return mistaken(shown, (*line > 0).then_some((*line, *column)));
    }
    let line = line(error);
    if error.exit_code() == MISTAKE { PyValueError::new_err(line) } else { PyRuntimeError::new_err(line) }
}

/// Mistakes of a declaration, with the place of the first.
fn mistaken(shown: &str, place: Option<(u32, u16)>) -> PyErr {
    Python::attach(|py| {
        let error = DeclarationError::new_err(shown.to_owned());
        let own = error.value(py);
        let told = own
            .setattr("line", place.map(|at| at.0))
            .and_then(|()| own.setattr("column", place.map(|at| at.1)));
        told.err().unwrap_or(error)
    })
}
