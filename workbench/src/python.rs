//! Models as a module of Python.
//!
//! ```ignore
//! least_action_command::python_module!(beads, [Bead, Hoop]);
//! ```
//!
//! makes `import beads` give the classes `beads.Bead` and `beads.Hoop`, whose arguments are the
//! parameters of the models. With the models of this repository the module is `least_action`. Everything
//! goes through the command: a run in Python has equal bits, and a mistake is a `ValueError` with the
//! message of the command.

mod arrow;
mod asked;
mod columns;
mod convert;
mod declared;
mod derivatives;
mod engine;
mod ensemble;
mod fit;
mod gradient;
mod inputs;
mod live;
mod model;
mod parameters;
mod recall;
mod run;
mod stepper;
mod stubs;
mod words;
mod work;

pub use crate::registry::model_name;
pub use pyo3;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};

use crate::Workbench;
use crate::registry::file::Files;
use crate::registry::{Registry, type_name};
use fit::Residuals;
use gradient::Gradient;
use inputs::Inputs;
use model::Model;
use run::Run;
use stepper::Stepper;
use work::DeclarationError;

pyo3::create_exception!(
    least_action,
    RunError,
    pyo3::exceptions::PyRuntimeError,
    "A run failed; its attribute `run` has its rows, and is None where a stepper failed, which keeps its last state."
);
pyo3::create_exception!(
    least_action,
    Interrupted,
    pyo3::exceptions::PyKeyboardInterrupt,
    "A run was stopped by Ctrl-C; its attribute `run` has its rows."
);
/// Declares a module of Python with these models.
///
/// The models are models of [`Workbench::model`]. The crate is a `cdylib`, built by maturin with its
/// feature `python`; `least-action new NAME --python` writes one.
#[macro_export]
macro_rules! python_module {
    ($module:ident, [$($model:ty),+ $(,)?]) => {
        /// The module of Python.
        #[$crate::python::pyo3::pymodule(crate = "::least_action_command::python::pyo3")]
        fn $module(
            module: &$crate::python::pyo3::Bound<'_, $crate::python::pyo3::types::PyModule>,
        ) -> $crate::python::pyo3::PyResult<()> {
            let workbench = $crate::Workbench::new(stringify!($module))
                $(.model::<$model>(&$crate::python::model_name(stringify!($model))))+;
            $crate::python::fill(module, workbench)
        }
    };
}

/// The models of a module, its name, and the names of all models that are no parameters.
struct Home {
    registry: Registry,
    module: String,
    taken: Vec<String>,
    /// The files that declare its model; none of a module.
    files: Files,
}

impl Home {
    /// A home, which lives as long as its process.
    fn new(py: Python<'_>, registry: Registry, module: String, files: Files) -> PyResult<&'static Self> {
        let taken = py.get_type::<Model>().dir()?.extract()?;
        Ok(Box::leak(Box::new(Self { registry, module, taken, files })))
    }

    /// The name of the class of a model.
    fn class(&self, model: &str) -> String {
        self.registry.facts(model).map_or_else(|_| type_name(model), |facts| facts.name.into_owned())
    }
}

/// The models that a module has, or a class.
#[pyclass(frozen, module = "least_action")]
struct Models(&'static Home);

/// The home of a module, a class, or a model.
fn home(of: &Bound<'_, PyAny>) -> PyResult<&'static Home> {
    let none = |_| PyValueError::new_err(format!("{of} is the class of no model"));
    Ok(of.getattr("_models").map_err(none)?.cast::<Models>()?.get().0)
}

/// The classes of all models.
#[pyfunction]
#[pyo3(pass_module)]
fn models<'py>(module: &Bound<'py, PyModule>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let home = home(module)?;
    home.registry.names().0.iter().map(|model| module.getattr(&*home.class(model))).collect()
}

/// The class of a model, of this type.
fn class<'py>(
    models: &Bound<'py, Models>,
    model: &str,
    kind: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, home) = (models.py(), models.get().0);
    let facts = PyDict::new(py);
    facts.set_item("__module__", &home.module)?;
    facts.set_item("__doc__", stubs::documentation(home, model))?;
    facts.set_item("__signature__", parameters::signature(py, home, model)?)?;
    facts.set_item("_models", models)?;
    facts.set_item("_model", model)?;
    let bases = PyTuple::new(py, [py.get_type::<Model>()])?;
    kind.call1((home.class(model), bases, facts))
}

/// Fills a module with a class for each model of the workbench, and with the functions beside them.
///
/// # Errors
/// Python refuses a name.
pub fn fill(module: &Bound<'_, PyModule>, workbench: Workbench) -> PyResult<()> {
    let py = module.py();
    // Without numpy a run would be computed, and have nothing to be handed over in.
    py.import("numpy")?;
    let home = Home::new(py, workbench.registry.closed(), module.name()?.to_string(), Files::new())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("RunError", py.get_type::<RunError>())?;
    module.add("Interrupted", py.get_type::<Interrupted>())?;
    module.add("DeclarationError", py.get_type::<DeclarationError>())?;
    module.add_class::<Model>()?;
    module.add_class::<Run>()?;
    module.add_class::<Gradient>()?;
    module.add_class::<Residuals>()?;
    module.add_class::<Stepper>()?;
    module.add_class::<Inputs>()?;
    let known = Bound::new(py, Models(home))?;
    module.add("_models", &known)?;
    for model in home.registry.names().0 {
        module.add(&*home.class(&model), class(&known, &model, &py.get_type::<PyType>())?)?;
    }
    module.add_function(wrap_pyfunction!(models, module)?)?;
    declared::fill(module)?;
    ensemble::fill(module)?;
    inputs::fill(module)?;
    live::fill(module)?;
    recall::fill(module)?;
    stubs::fill(module)
}
