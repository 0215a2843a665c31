//! The inputs of a run that a program steps: numbers that are held during a step.

use std::sync::Arc;

use least_action::system::{Signal, Text};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::{Map, Value};

use super::convert;
use crate::error::{Names, Result};
use crate::memory;
use crate::registry::{Instance, Registry};

/// The inputs of a run by their names.
#[pyclass(frozen, module = "least_action")]
pub(super) struct Inputs {
    held: Vec<(String, Signal)>,
    /// Functions of time that the model was made with, and inputs whose slope the motion needs.
    given: Vec<String>,
}

/// The model with its steady inputs held, where they may change between two steps, and the inputs.
pub(super) fn held(
    registry: &Registry,
    instance: &Arc<Instance>,
    given: &Map<String, Value>,
) -> Result<(Arc<Instance>, Inputs)> {
    let signals = |of: &Instance| of.system.lagrangian().signals().to_vec();
    let (mut steady, mut other) = (Vec::new(), Vec::new());
    for (name, signal) in signals(instance) {
        let list = if signal.times().is_empty() { &mut steady } else { &mut other };
        if !list.iter().any(|(known, _)| *known == name) {
            list.push((name, signal));
        }
    }
    let overrides = |held: &[(Text, Signal)]| {
        let held = held.iter().map(|(name, signal)| {
            (name.to_string(), Value::from(Map::from_iter([("held".to_owned(), signal.value(0.0).into())])))
        });
        let given = given.iter().map(|(name, value)| (name.clone(), value.clone()));
        given.chain(held).collect::<Vec<_>>()
    };
    let bind = |held: &[_]| registry.instance(&instance.name, &overrides(held), memory::available());
    // An input may not jump whose slope the motion needs.
    let (steady, smooth): (Vec<_>, Vec<_>) =
        steady.into_iter().partition(|one| bind(std::slice::from_ref(one)).is_ok());
    other.extend(smooth);
    let instance = if steady.is_empty() { Arc::clone(instance) } else { Arc::new(bind(&steady)?) };
    let found = signals(&instance);
    let of_name = |name: &str| found.iter().find(|(known, signal)| *known == name && signal.is_held());
    let held = steady.iter().filter_map(|(name, _)| of_name(name));
    let inputs = Inputs {
        held: held.map(|(name, signal)| (name.to_string(), signal.clone())).collect(),
        given: other.into_iter().map(|(name, _)| name.into_owned()).collect(),
    };
    Ok((instance, inputs))
}

/// An input by a function of the time, from its values at some times.
/// Between them it is `linear`, or `constant` from each time to the next.
#[pyfunction]
#[pyo3(signature = (function, times, kind="linear"))]
fn signal<'py>(
    function: &Bound<'py, PyAny>,
    times: &Bound<'py, PyAny>,
    kind: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let times = convert::numbers(times, "times")?;
    let value = |time: &f64| function.call1((*time,))?.extract::<f64>();
    let values = times.iter().map(value).collect::<PyResult<Vec<_>>>()?;
    let signal = PyDict::new(function.py());
    signal.set_item("times", times)?;
    signal.set_item("values", values)?;
    signal.set_item("kind", kind)?;
    Ok(signal)
}

pub(super) fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(signal, module)?)
}

impl Inputs {
    pub(super) fn values(&self) -> impl Iterator<Item = f64> + '_ {
        self.held.iter().map(|(_, signal)| signal.value(0.0))
    }

    /// Takes the values of another run of the same model.
    pub(super) fn copy_from(&self, other: &Self) -> PyResult<()> {
        other.held.iter().try_for_each(|(name, signal)| self.__setitem__(name, signal.value(0.0)))
    }

    fn find(&self, name: &str) -> PyResult<&Signal> {
        let found = self.held.iter().find(|(known, _)| known == name);
        found.map(|(_, signal)| signal).ok_or_else(|| {
            if self.given.iter().any(|given| given == name) {
                return PyValueError::new_err(format!(
                    "the input `{name}` cannot be set: it is a function of time with which the model was made, or the motion needs its slope"
                ));
            }
            let known: Names = self.held.iter().map(|(name, _)| name.as_str()).collect();
            let there = if self.held.is_empty() { "the model has none".to_owned() } else { format!("there are: {known}") };
            PyKeyError::new_err(format!("no input `{name}`{}; {there}", known.near(name)))
        })
    }
}

#[pymethods]
impl Inputs {
    fn __getitem__(&self, name: &str) -> PyResult<f64> {
        Ok(self.find(name)?.value(0.0))
    }

    pub(super) fn __setitem__(&self, name: &str, value: f64) -> PyResult<()> {
        let refused = |error| PyValueError::new_err(format!("the input `{name}`: {error}"));
        self.find(name)?.set(value).map_err(refused)
    }

    /// The names.
    fn keys(&self) -> Vec<&str> {
        self.held.iter().map(|(name, _)| &**name).collect()
    }

    fn __contains__(&self, name: &str) -> bool {
        self.keys().contains(&name)
    }

    fn __len__(&self) -> usize {
        self.held.len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyList::new(py, self.keys())?.as_any().try_iter()?.into_any())
    }

    fn __repr__(&self) -> String {
        let shown = |(name, signal): &(String, Signal)| format!("{name}={:?}", signal.value(0.0));
        format!("<inputs {}>", self.held.iter().map(shown).collect::<Vec<_>>().join(", "))
    }
}
