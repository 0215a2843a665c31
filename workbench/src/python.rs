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
mod derivatives;
mod engine;
mod ensemble;
mod fit;
mod gradient;
mod inputs;
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

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};

use crate::Workbench;
use crate::registry::{Registry, type_name};
use fit::Residuals;
use gradient::Gradient;
use inputs::Inputs;
use model::Model;
use run::Run;
use stepper::Stepper;

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
}

/// The models that a module has.
#[pyclass(frozen, module = "least_action")]
struct Models(&'static Home);

/// The classes of all models.
#[pyfunction]
#[pyo3(pass_module)]
fn models<'py>(module: &Bound<'py, PyModule>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let home = module.getattr("_models")?.cast::<Models>()?.get().0;
    home.registry.names().0.iter().map(|model| module.getattr(&*type_name(model))).collect()
}

/// Fills a module with a class for each model of the workbench, and with the functions beside them.
///
/// # Errors
/// Python refuses a name.
pub fn fill(module: &Bound<'_, PyModule>, workbench: Workbench) -> PyResult<()> {
    let py = module.py();
    // Without numpy a run would be computed, and have nothing to be handed over in.
    py.import("numpy")?;
    let name = module.name()?;
    // A module lives as long as its process.
    let (registry, module_name) = (workbench.registry, name.to_string());
    let taken = py.get_type::<Model>().dir()?.extract()?;
    let home: &'static Home = Box::leak(Box::new(Home { registry, module: module_name, taken }));
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("RunError", py.get_type::<RunError>())?;
    module.add("Interrupted", py.get_type::<Interrupted>())?;
    module.add_class::<Model>()?;
    module.add_class::<Run>()?;
    module.add_class::<Gradient>()?;
    module.add_class::<Residuals>()?;
    module.add_class::<Stepper>()?;
    module.add_class::<Inputs>()?;
    let known = Bound::new(py, Models(home))?;
    module.add("_models", &known)?;
    for model in home.registry.names().0 {
        let class = type_name(&model);
        let facts = PyDict::new(py);
        facts.set_item("__module__", &name)?;
        facts.set_item("__doc__", stubs::documentation(home, &model))?;
        facts.set_item("__signature__", parameters::signature(py, home, &model)?)?;
        facts.set_item("_models", &known)?;
        facts.set_item("_model", &model)?;
        let bases = PyTuple::new(py, [py.get_type::<Model>()])?;
        module.add(&*class, py.get_type::<PyType>().call1((&class, bases, facts))?)?;
    }
    module.add_function(wrap_pyfunction!(models, module)?)?;
    ensemble::fill(module)?;
    inputs::fill(module)?;
    recall::fill(module)?;
    stubs::fill(module)
}
