//! The arguments of a command from arguments of Python: each flag by its name, and others as options of
//! the method.

use clap::{ArgAction, Args, Command};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use super::{convert, words};
use crate::arguments::StartChoice;
use crate::other_words::first_paragraph;
use crate::settings::written;

/// The arguments of a command on a model, which prints JSON if anything, and the start.
pub(super) fn asked<A: Args>(model: &str, given: Option<&Bound<'_, PyDict>>) -> PyResult<(A, StartChoice)> {
    let command = A::augment_args(Command::new("model").no_binary_name(true));
    let mut line = vec![model.to_owned()];
    let has_format = command.get_arguments().any(|own| own.get_long() == Some("format"));
    line.extend(has_format.then(|| "--format=json".to_owned()));
    let mut start = StartChoice::default();
    for (name, value) in given.into_iter().flatten().filter(|(_, value)| !value.is_none()) {
        let name: String = name.extract()?;
        if name == "start" {
            start = convert::start(&value)?;
            continue;
        }
        if name == "set" || name == "params" {
            let told = format!(
                "`{name}`: parameters belong to the model: give them to its class, or set its attributes"
            );
            return Err(PyValueError::new_err(told));
        }
        let flag = name.replace('_', "-");
        let Some(own) = command.get_arguments().find(|own| own.get_long() == Some(&flag)) else {
            line.push(format!("--with={}", written((&name, &convert::value(&value)?))));
            continue;
        };
        match (own.get_action(), own.get_value_delimiter()) {
            (ArgAction::SetTrue, _) => line.extend(value.is_truthy()?.then(|| format!("--{flag}"))),
            (ArgAction::Append, None) => {
                line.extend(texts(&name, &value)?.into_iter().map(|text| format!("--{flag}={text}")));
            }
            _ => line.push(format!("--{flag}={}", texts(&name, &value)?.join(","))),
        }
    }
    let parsed = command.try_get_matches_from(line).and_then(|found| A::from_arg_matches(&found));
    let refused = |error| PyValueError::new_err(words::of_python(&first_paragraph("model", &error)));
    parsed.map(|asked| (asked, start)).map_err(refused)
}

/// A value as a flag has it: a text, a number or a path; the parts of a list; of a dictionary, each name
/// with its number, `x=1`, its bounds, `x=0:1` or `x=0:`, or its prior, `x=1±0.1`.
pub(super) fn texts(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    if let Ok(numbers) = value.cast::<PyDict>() {
        let between = if name == "prior" { "±" } else { ":" };
        return numbers.iter().map(|(name, value)| assigned(&name, &value, between)).collect();
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(vec![text.to_string()]);
    }
    if value.hasattr("__fspath__")? || value.len().is_err() {
        return one(value).map(|text| vec![text]);
    }
    let all = value.try_iter()?.map(|part| one(&part?)).collect::<PyResult<Vec<_>>>()?;
    if all.is_empty() {
        return Err(PyValueError::new_err(format!("`{name}` is an empty list: give one at least")));
    }
    Ok(all)
}

fn one(value: &Bound<'_, PyAny>) -> PyResult<String> {
    match convert::value(value)? {
        serde_json::Value::String(text) => Ok(text),
        value => Ok(value.to_string()),
    }
}

fn assigned(name: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>, between: &str) -> PyResult<String> {
    let side = |side: Option<f64>| side.map_or_else(String::new, |number| number.to_string());
    let all = value.try_iter().and_then(|all| all.map(|side| side?.extract()).collect::<PyResult<Vec<_>>>());
    if let Ok([lower, upper]) = all.as_deref() {
        return Ok(format!("{name}={}{between}{}", side(*lower), side(*upper)));
    }
    let wrong = |_| PyValueError::new_err(format!("`{name}`: {value} is no number, and no pair of bounds"));
    value.extract().map(|number: f64| format!("{name}={number}")).map_err(wrong)
}
