//! The numbers and files of a signal, and their errors.

use super::{Course, Signal};
use crate::error::errors;
use crate::{files, inputs};
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::path::{Path, PathBuf};
use thiserror::Error;

errors! {
    /// Numbers or a file that do not define a [`Signal`].
    #[derive(Debug, Clone, PartialEq, Error)]
    #[non_exhaustive]
    SignalError:

    /// There are too few times.
    #[error(
        "a signal of a {course} course needs at least two times, and has {times}: give the times at which it begins and ends, \
         or one number for a steady signal"
    )]
    Empty { course: &'static str = "The kind of the course.", times: usize = "The number of times." },
    /// The numbers of times and values do not fit.
    #[error(
        "a signal with {times} times and a {course} course has {expected} values, and {values} are given: a constant course has one value \
         for each span between two times, a linear one has one at each time"
    )]
    Lengths {
        course: &'static str = "The kind of the course.",
        times: usize = "The number of times.",
        values: usize = "The number of values.",
        expected: usize = "The number of values that fits the times.",
    },
    /// A time is not later than the one before.
    #[error("the times of a signal must ascend, and time {place} is {time}, after {before}")]
    Unordered {
        place: usize = "Its number, counted from 1.",
        time: f64 = "The time.",
        before: f64 = "The time before.",
    },
    /// A number is infinite or NaN.
    #[error("{what} {place} of a signal is {number}: give a finite number")]
    NotFinite {
        what: &'static str = "A time or a value.",
        place: usize = "Its number, counted from 1.",
        number: f64 = "The number.",
    },
    /// The file cannot be read.
    #[error("the signal file {} cannot be read: {reason}; its name is relative to the folder in which the command runs", file.display())]
    Unreadable { file: PathBuf = "The file.", reason: String = "The reason of the operating system." },
    /// A line of a file is not a time and a value.
    #[error("{}:{line}: `{text}` is not a time and a value: write two numbers, such as `0.5, -1.0`", file.display())]
    Line {
        file: PathBuf = "The file.",
        line: usize = "The line, counted from 1.",
        text: String = "The text of the line.",
    },
    /// An error in the numbers of a file.
    #[error("{}: {source}", file.display())]
    File { file: PathBuf = "The file.", source: Box<SignalError> = "The error." },
    /// The value of a signal is set that is not held.
    #[error("the signal is not held, so that its value cannot be set: make it by Signal::held")]
    NotHeld,
    /// A parameter has both numbers and a file, or neither.
    #[error(
        "a signal is one number, or `times` with `values`, or a `file`, or `held`: give one of them, such as \
         {{\"times\": [0, 1], \"values\": [0.0, 2.0], \"kind\": \"linear\"}}"
    )]
    Parts,
}

/// A signal as a parameter.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum SignalForm {
    Steady(f64),
    Given(Given),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Given {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    times: Option<Vec<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    values: Option<Vec<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    file: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    held: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kind: Option<Course>,
}

/// Reads a number or an object; for anything else the error describes a signal.
struct SignalVisitor;

impl<'de> Visitor<'de> for SignalVisitor {
    type Value = SignalForm;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(
            r#"a signal: a number, or {"times": […], "values": […], "kind": "linear"}, or {"file": "…", "kind": "linear"}"#,
        )
    }

    fn visit_f64<E>(self, value: f64) -> Result<SignalForm, E> {
        Ok(SignalForm::Steady(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<SignalForm, E> {
        Ok(SignalForm::Steady(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<SignalForm, E> {
        Ok(SignalForm::Steady(value as f64))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<SignalForm, A::Error> {
        Given::deserialize(MapAccessDeserializer::new(map)).map(SignalForm::Given)
    }
}

impl<'de> Deserialize<'de> for SignalForm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SignalVisitor)
    }
}

impl TryFrom<SignalForm> for Signal {
    type Error = SignalError;

    fn try_from(form: SignalForm) -> Result<Self, SignalError> {
        let Given { times, values, file, held, kind } = match form {
            SignalForm::Steady(value) => return Self::steady(value),
            SignalForm::Given(given) => given,
        };
        let course = kind.unwrap_or(Course::Linear);
        match (times, values, file, held) {
            (Some(times), Some(values), None, None) => Self::new(course, times, values),
            (None, None, Some(file), None) => Self::read(file, course),
            (None, None, None, Some(value)) => Self::held(value),
            _ => Err(SignalError::Parts),
        }
    }
}

impl From<Signal> for SignalForm {
    fn from(signal: Signal) -> Self {
        if signal.times().is_empty() {
            return Self::Steady(signal.value(0.0));
        }
        Self::Given(Given {
            times: Some(signal.times().to_vec()),
            values: Some(signal.values().to_vec()),
            file: None,
            held: None,
            kind: Some(signal.course()),
        })
    }
}

fn word(course: Course) -> &'static str {
    match course {
        Course::Constant => "constant",
        Course::Linear => "linear",
    }
}

pub(super) fn finite(numbers: &[f64], what: &'static str) -> Result<(), SignalError> {
    match numbers.iter().position(|number| !number.is_finite()) {
        Some(at) => Err(SignalError::NotFinite { what, place: at + 1, number: numbers[at] }),
        None => Ok(()),
    }
}

pub(super) fn check(course: Course, times: &[f64], values: &[f64]) -> Result<(), SignalError> {
    if times.len() < 2 {
        return Err(SignalError::Empty { course: word(course), times: times.len() });
    }
    let expected = match course {
        Course::Constant => times.len() - 1,
        Course::Linear => times.len(),
    };
    if values.len() != expected {
        let (times, values) = (times.len(), values.len());
        return Err(SignalError::Lengths { course: word(course), times, values, expected });
    }
    finite(times, "time")?;
    finite(values, "value")?;
    match times.windows(2).position(|pair| pair[0] >= pair[1]) {
        Some(at) => Err(SignalError::Unordered { place: at + 2, time: times[at + 1], before: times[at] }),
        None => Ok(()),
    }
}

pub(super) fn read(file: &Path, course: Course) -> Result<Signal, SignalError> {
    let unreadable =
        |error: std::io::Error| SignalError::Unreadable { file: file.to_owned(), reason: error.to_string() };
    let text = files::read_text(file).map_err(unreadable)?;
    let (mut times, mut values): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
    let mut is_first = true;
    for (line, written) in text.lines().enumerate() {
        let content = written.split('#').next().unwrap_or_default().trim();
        if content.is_empty() {
            continue;
        }
        let words = content.split([',', ';', ' ', '\t']).filter(|word| !word.is_empty());
        let numbers: Vec<Option<f64>> = words.map(|word| word.parse().ok()).collect();
        let is_heading = std::mem::take(&mut is_first) && numbers.iter().all(Option::is_none);
        match numbers[..] {
            _ if is_heading => {}
            // A missing value ends a constant course: any line after it is an error.
            [Some(time), Some(value)] if times.len() == values.len() => {
                times.push(time);
                values.push(value);
            }
            [Some(time)] if course == Course::Constant && times.len() == values.len() => times.push(time),
            _ => {
                let text = written.trim().to_owned();
                return Err(SignalError::Line { file: file.to_owned(), line: line + 1, text });
            }
        }
    }
    if course == Course::Constant && !values.is_empty() && values.len() == times.len() {
        values.pop();
    }
    inputs::tell(file, text.as_bytes());
    let named = |source| SignalError::File { file: file.to_owned(), source: Box::new(source) };
    Signal::new(course, times, values).map_err(named)
}
