//! The parameters of a model as Python has them: attributes, and arguments by name.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::{Map, Value};

use super::{Home, convert};
use crate::error::{Names, Result};
use crate::memory;
use crate::registry::Instance;

/// The words of Python that are no names.
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

impl Home {
    /// The name of a parameter in Python: with a low line behind it where the name is a word of the
    /// language, or the name of a method.
    pub(super) fn name_of(&self, parameter: &str) -> String {
        if self.is_taken(parameter) { format!("{parameter}_") } else { parameter.to_owned() }
    }

    fn is_taken(&self, name: &str) -> bool {
        KEYWORDS.contains(&name) || self.taken.iter().any(|taken| taken == name)
    }

    /// The name of a parameter in the model.
    pub(super) fn own(&self, all: &Map<String, Value>, name: String) -> String {
        match name.strip_suffix('_') {
            Some(word) if !all.contains_key(&name) && self.is_taken(word) => word.to_owned(),
            _ => name,
        }
    }
}

/// A model bound to its parameters.
pub(super) struct Parameters {
    home: &'static Home,
    all: Map<String, Value>,
    /// The parameters that were set.
    pub(super) given: Map<String, Value>,
    pub(super) instance: Arc<Instance>,
}

impl Parameters {
    /// Binds a model.
    pub(super) fn bind(home: &'static Home, model: &str, given: Map<String, Value>) -> Result<Self> {
        let mut all = home.registry.parameters(model)?;
        let named = |(name, value)| (home.own(&all, name), value);
        let given: Map<String, Value> = given.into_iter().map(named).collect();
        let overrides: Vec<(String, Value)> =
            given.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let instance = home.registry.instance(model, &overrides, memory::available())?;
        all.extend(given.clone());
        Ok(Self { home, all, given, instance: Arc::new(instance) })
    }

    /// Sets others beside them.
    pub(super) fn with(&self, set: Map<String, Value>) -> Result<Self> {
        let set = set.into_iter().map(|(name, value)| (self.home.own(&self.all, name), value));
        let given = self.given.clone().into_iter().chain(set).collect();
        Self::bind(self.home, &self.instance.name, given)
    }

    /// The value of the parameter that is this attribute.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        if self.home.is_taken(name) { None } else { self.all.get(&self.home.own(&self.all, name.to_owned())) }
    }

    /// The names of all attributes.
    pub(super) fn names(&self) -> Vec<String> {
        self.all.keys().map(|name| self.home.name_of(name)).collect()
    }

    /// A name that is near.
    pub(super) fn near(&self, name: &str) -> String {
        let known: Names = self.names().iter().map(String::as_str).collect();
        known.near(name).to_string()
    }

    pub(super) fn all(&self) -> Value {
        Value::Object(self.all.clone())
    }

    /// The parameters that were set, as arguments.
    pub(super) fn shown(&self) -> String {
        let given = self.given.iter().map(|(name, value)| format!("{}={value}", self.home.name_of(name)));
        given.collect::<Vec<_>>().join(", ")
    }
}

/// The types of a parameter, by its default: as it is read, and as it may be given.
pub(super) fn kinds(value: &Value) -> [&'static str; 2] {
    match value {
        Value::Bool(_) => ["bool"; 2],
        Value::Number(number) if number.is_f64() => ["float"; 2],
        Value::Number(_) => ["int"; 2],
        Value::String(_) => ["str"; 2],
        Value::Array(_) => ["Any", "Sequence[Any] | Array"],
        Value::Null | Value::Object(_) => ["Any"; 2],
    }
}

/// The signature of a model: its parameters by name, with their defaults.
pub(super) fn signature<'py>(py: Python<'py>, home: &Home, model: &str) -> PyResult<Bound<'py, PyAny>> {
    let inspect = py.import("inspect")?;
    let parameter = inspect.getattr("Parameter")?;
    let (by_name, types) = (parameter.getattr("KEYWORD_ONLY")?, py.import("builtins")?);
    let parameters = home.registry.parameters(model).unwrap_or_default();
    let arguments = parameters.iter().map(|(name, value)| {
        let default = PyDict::new(py);
        default.set_item("default", convert::object(py, &value.to_string())?)?;
        if let Ok(kind) = types.getattr(kinds(value)[1]) {
            default.set_item("annotation", kind)?;
        }
        parameter.call((home.name_of(name), &by_name), Some(&default))
    });
    let arguments = PyList::new(py, arguments.collect::<PyResult<Vec<_>>>()?)?;
    inspect.getattr("Signature")?.call1((arguments,))
}
