//! The ready models as the Python module `least_action`; `docs/python.md` documents it, and `maturin
//! build` builds it.

#![forbid(unsafe_code)]

use least_action_command::Workbench;
use least_action_command::python::pyo3::prelude::*;

/// Mechanical systems declared as Lagrangians, integrated by structure-preserving methods.
#[pymodule(crate = "::least_action_command::python::pyo3")]
fn least_action(module: &Bound<'_, PyModule>) -> PyResult<()> {
    least_action_command::python::fill(module, Workbench::new("least_action").ready_models())
}
