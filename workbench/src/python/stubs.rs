//! What editors and `help` show of the classes: text that follows from the declarations.

use std::fmt::Write;

use pyo3::prelude::*;
use serde_json::Value;

use super::{Models, class_name};
use crate::memory;
use crate::registry::Registry;

/// The methods and the functions that stand beside the parameters of models.
const COMMON: &str = include_str!("common.pyi");

/// The documentation of a model, and its parameters with their defaults.
pub(super) fn documentation(registry: &Registry, model: &str) -> String {
    let described = registry.instance(model, &[], memory::available());
    let mut text =
        described.map_or_else(|_| String::new(), |instance| instance.system.description().documentation);
    let parameters = registry.parameters(model).unwrap_or_default();
    if !parameters.is_empty() {
        text.push_str("\n\nParameters\n----------\n");
        for (name, value) in parameters {
            // A String takes every text.
            let _ = writeln!(text, "{name} = {value}");
        }
    }
    text.trim().to_owned()
}

/// The type of a parameter, by its default.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float",
        Value::Number(_) => "int",
        Value::String(_) => "str",
        Value::Array(_) => "Sequence[Any]",
        Value::Null | Value::Object(_) => "Any",
    }
}

/// The stub file of a module.
fn stub(registry: &Registry) -> String {
    let mut text = COMMON.to_owned();
    for model in registry.names().0 {
        let parameters = registry.parameters(&model).unwrap_or_default();
        let _ = write!(text, "\nclass {}(Model):\n", class_name(&model));
        let documentation = documentation(registry, &model);
        let summary =
            documentation.lines().next().unwrap_or_default().replace('\\', "\\\\").replace('"', "'");
        let _ = writeln!(text, "    \"\"\"{summary}\"\"\"");
        let arguments: Vec<String> =
            parameters.iter().map(|(name, value)| format!("{name}: {} = ...", kind(value))).collect();
        let star = if arguments.is_empty() { "" } else { ", *, " };
        let _ = writeln!(
            text,
            "    def __new__(cls{star}{}) -> {}: ...",
            arguments.join(", "),
            class_name(&model)
        );
        for (name, value) in &parameters {
            let _ = writeln!(text, "    @property\n    def {name}(self) -> {}: ...", kind(value));
        }
    }
    text
}

/// The stub file of this module, which stands beside it as `NAME.pyi`: names, arguments and documentation for editors.
#[pyfunction]
#[pyo3(pass_module)]
fn stubs(module: &Bound<'_, PyModule>) -> PyResult<String> {
    Ok(stub(module.getattr("_models")?.cast::<Models>()?.get().0))
}

pub(super) fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(stubs, module)?)
}
