//! Pages that compute, in notebooks and files.

use std::path::PathBuf;

use least_action_pages::document::framed;
use least_action_pages::files::replace;
use least_action_pages::view::check;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use super::home;
use super::work::raised;

/// A page that computes the motion of a model itself: one file of HTML, with its module.
#[pyclass(frozen, module = "least_action")]
pub(super) struct LivePage {
    pub(super) model: String,
    pub(super) html: String,
}

#[pymethods]
impl LivePage {
    /// The page in a notebook, which keeps it when it is exported.
    fn _repr_html_(&self) -> String {
        framed(&self.html)
    }

    /// Writes the page to a file ending in .html.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        let saved = check("path", &path).and_then(move |()| replace("path", &path, &self.html));
        saved.map_err(|error| raised(&error.into()))
    }

    fn __repr__(&self) -> String {
        format!("<page that computes {}: {} kB>", self.model, self.html.len().div_ceil(1000))
    }
}

/// The page that computes a model, as `least-action live` writes it: a class with its defaults, or a
/// model with its parameters.
/// As the last line of a cell it runs in the notebook, and in the file that the notebook is exported to.
/// The arguments say what it begins with, and `until` how much time 15 seconds show.
#[pyfunction]
#[pyo3(signature = (model, method=None, **arguments), pass_module, text_signature = "(model, method=None, *, step=None, \
    until=None, start=None, **options)")]
fn live<'py>(
    module: &Bound<'py, PyModule>,
    model: &Bound<'py, PyAny>,
    method: Option<String>,
    arguments: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    home(model)?;
    let bound = if model.is_instance_of::<PyType>() { model.call0()? } else { model.clone() };
    // A wheel puts what computes beside the package.
    let file: PathBuf = module.filename()?.extract()?;
    bound.call_method("_live", (file.ancestors().nth(2), method), arguments)
}

pub(super) fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<LivePage>()?;
    module.add_function(wrap_pyfunction!(live, module)?)
}
