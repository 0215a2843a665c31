//! Text for editors and `help` about the classes, from the declarations.

use std::fmt::Write;

use pyo3::prelude::*;

use super::parameters::kinds;
use super::{Home, home};
use crate::memory;

/// The methods and the functions that stand beside the parameters of models.
const COMMON: &str = include_str!("common.pyi");

/// The documentation of a model, and its parameters with their defaults.
pub(super) fn documentation(home: &Home, model: &str) -> String {
    let facts = home.registry.facts(model);
    let mut text = facts.map_or_else(|_| String::new(), |facts| facts.documentation.into_owned());
    let parameters = home.registry.parameters(model).unwrap_or_default();
    if !parameters.is_empty() {
        text.push_str("\n\nParameters\n----------\n");
        for (name, value) in parameters {
            // A String takes every text.
            let _ = writeln!(text, "{} = {value}", home.name_of(&name));
            for line in comment(home, model, &name).lines() {
                let _ = writeln!(text, "    {line}");
            }
        }
    }
    text.trim().to_owned()
}

/// The first sentence of the documentation of a model.
fn summary(home: &Home, model: &str) -> String {
    let described = home.registry.instance(model, &[], memory::available());
    described.map_or_else(|_| String::new(), |instance| instance.system.description().summary())
}

/// The comment above a parameter.
fn comment(home: &Home, model: &str, parameter: &str) -> String {
    let facts = home.registry.facts(model);
    let of = facts.ok().and_then(|facts| facts.fields.iter().find(|(name, _)| *name == parameter).cloned());
    of.map_or_else(String::new, |(_, comment)| comment.into_owned())
}

/// A text within the quotes of a documentation.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "'")
}

/// The stub file of a module.
fn stub(home: &Home) -> String {
    let mut text = COMMON.to_owned();
    for model in home.registry.names().0 {
        let parameters = home.registry.parameters(&model).unwrap_or_default();
        let _ = write!(text, "\nclass {}(Model):\n", home.class(&model));
        let summary = quoted(&summary(home, &model));
        let _ = writeln!(text, "    \"\"\"{summary}\"\"\"\n");
        let arguments = parameters.iter().map(|(name, value)| {
            let [_, given] = kinds(value);
            format!("        {}: {given} = ...,\n", home.name_of(name))
        });
        let arguments: String = arguments.collect();
        let star = if arguments.is_empty() { "" } else { "        *,\n" };
        let class = home.class(&model);
        let _ = writeln!(text, "    def __new__(\n        cls,\n{star}{arguments}    ) -> {class}: ...");
        for (name, value) in &parameters {
            let [read, _] = kinds(value);
            let _ = writeln!(text, "    {}: {read}", home.name_of(name));
            let comment = quoted(&comment(home, &model, name));
            if !comment.is_empty() {
                let _ = writeln!(text, "    \"\"\"{}\"\"\"", comment.replace('\n', "\n    "));
            }
        }
    }
    text
}

/// The stub file of this module, which stands beside it as `NAME.pyi`: names, arguments and
/// documentation for editors.
#[pyfunction]
#[pyo3(pass_module)]
fn stubs(module: &Bound<'_, PyModule>) -> PyResult<String> {
    Ok(stub(home(module)?))
}

pub(super) fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(stubs, module)?)
}
