//! Values between Python and the command.

use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArrayDyn};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde_json::{Map, Number, Value};

use least_action::system::{Layout, State};

use crate::arguments::StartChoice;
use crate::settings::written;

/// The most values inside of values: a deeper value refers to itself.
const DEEPEST: usize = 100;

/// A value of Python as one of JSON: numbers, texts, lists, dictionaries, and values with `tolist`, such
/// as arrays.
pub(super) fn value(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    nested(object, 0)
}

fn nested(object: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    if depth > DEEPEST {
        return Err(PyValueError::new_err(
            "a value contains itself, or too many others inside of each other",
        ));
    }
    if object.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(truth) = object.cast::<PyBool>() {
        return Ok(Value::Bool(truth.is_true()));
    }
    if object.is_instance_of::<PyInt>() {
        let whole =
            object.extract::<i64>().map(Number::from).or_else(|_| object.extract::<u64>().map(Number::from));
        return whole.map(Value::Number);
    }
    if object.is_instance_of::<PyFloat>() {
        let number: f64 = object.extract()?;
        let finite = Number::from_f64(number).map(Value::Number);
        return finite.ok_or_else(|| PyValueError::new_err(format!("{number} is not finite")));
    }
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Value::String(text.to_string()));
    }
    if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
        let items = object.try_iter()?.map(|item| nested(&item?, depth + 1));
        return items.collect::<PyResult<_>>().map(Value::Array);
    }
    if let Ok(dictionary) = object.cast::<PyDict>() {
        return fields(dictionary, depth + 1).map(Value::Object);
    }
    for method in ["tolist", "__fspath__"] {
        if object.hasattr(method)? {
            return nested(&object.call_method0(method)?, depth + 1);
        }
    }
    let kind = object.get_type().name()?;
    let hint = if object.is_callable() { "; of a function take la.signal(function, times)" } else { "" };
    Err(PyValueError::new_err(format!(
        "a value of type `{kind}` is no number, text, list or dictionary{hint}"
    )))
}

/// The fields of a dictionary whose keys are texts.
pub(super) fn fields(dictionary: &Bound<'_, PyDict>, depth: usize) -> PyResult<Map<String, Value>> {
    let field = |(key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        Ok((key.extract::<String>()?, nested(&value, depth)?))
    };
    dictionary.iter().map(field).collect()
}

/// A value of JSON as one of Python.
pub(super) fn object<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (text,))
}

/// A list of finite numbers.
pub(super) fn numbers(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<f64>> {
    if let Ok(array) = object.extract::<PyReadonlyArray1<'_, f64>>() {
        return Ok(array.as_array().to_vec());
    }
    let refused = || PyValueError::new_err(format!("`{name}` must be a list or an array of numbers"));
    let flat = if object.hasattr("ravel")? { object.call_method0("ravel")? } else { object.clone() };
    flat.try_iter().map_err(|_| refused())?.map(|item| item?.extract().map_err(|_| refused())).collect()
}

/// A shape, and its numbers row by row.
pub(super) type Shaped = (Vec<usize>, Vec<f64>);

/// An array of any shape, or all that numpy makes one of.
pub(super) fn array(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Shaped> {
    let made = object.py().import("numpy")?.call_method1("asarray", (object, "float64"));
    let made = made.map_err(|_| PyValueError::new_err(format!("`{name}` must be an array of numbers")))?;
    let array: PyReadonlyArrayDyn<'_, f64> = made.extract()?;
    Ok((array.as_array().shape().to_vec(), array.as_array().iter().copied().collect()))
}

/// The state that `{"t": 0.0, "q": […], "v": […]}` or `(q, v)` stands for.
pub(super) fn state(object: &Bound<'_, PyAny>) -> PyResult<State> {
    const FORM: &str = r#"{"t": 0.0, "q": [...], "v": [...]}"#;
    if let Ok(fields) = object.cast::<PyDict>() {
        let field = |name: &str| {
            let missing = || PyValueError::new_err(format!("the start has no `{name}`: it is {FORM}"));
            numbers(&fields.get_item(name)?.ok_or_else(missing)?, name)
        };
        let t = fields.get_item("t")?.map_or(Ok(0.0), |t| t.extract())?;
        return Ok(State { t, q: field("q")?, v: field("v")? });
    }
    let pair = object.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>();
    let (q, v) = pair.map_err(|_| PyValueError::new_err(format!("a start is {FORM} or a pair (q, v)")))?;
    Ok(State { t: 0.0, q: numbers(&q, "q")?, v: numbers(&v, "v")? })
}

/// The start of a run: a state, or other entries of the model's own start by their names, such as
/// `{"theta": 2, "der.theta": 0.3, "bobs[0]": (0.1, -1), "phi": "45deg"}`.
pub(super) fn start(object: &Bound<'_, PyAny>) -> PyResult<StartChoice> {
    let is_list = |given: &Bound<'_, PyDict>, name: &str| {
        given.get_item(name).is_ok_and(|found| found.is_some_and(|found| found.len().is_ok()))
    };
    // A model may have a coordinate `q`.
    if let Ok(given) = object.cast::<PyDict>()
        && !(is_list(given, "q") && is_list(given, "v"))
    {
        let from = fields(given, 0)?.iter().map(written).collect();
        return Ok(StartChoice { from, ..StartChoice::default() });
    }
    Ok(StartChoice { state: Some(state(object)?), ..StartChoice::default() })
}

/// A copy of a state, as [`state`] reads it.
pub(super) fn copy<'py>(py: Python<'py>, State { t, q, v }: &State) -> PyResult<Bound<'py, PyDict>> {
    let state = PyDict::new(py);
    state.set_item("t", t)?;
    state.set_item("q", PyArray1::from_slice(py, q))?;
    state.set_item("v", PyArray1::from_slice(py, v))?;
    Ok(state)
}

/// The names of the entries of q.
pub(super) fn coordinates(layout: &Layout) -> Vec<String> {
    (0..layout.dimension()).map(|index| layout.name_of(index)).collect()
}
