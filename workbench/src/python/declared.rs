//! Models that a text declares, as classes beside the others.
//!
//! A class is its text: a pickle holds nothing else, and declares it again where it arrives.

use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyString, PyTuple, PyType};

use super::work::{DeclarationError, raised, work};
use super::{Home, Models, class, home};
use crate::registry::Registry;
use crate::registry::file::{self, Files, FromFile};

/// The name of a text in messages.
const TEXT: &str = "<text>";
/// The classes of a module by their texts.
const CLASSES: &str = "_declarations";
/// The type of these classes, of which pickles know how it is made again.
const KIND: &str = "_Declared";

/// Declares a model by a text of Rust, or by a file with its path from `pathlib`: a class as the ones of
/// the ready models.
///
/// The text is a struct with the parameters, its `Default`, and an `impl` block under `#[lagrangian]`; a
/// `Start` is where runs begin. `crate::lattice` in a file is `lattice.rs` beside it.
#[pyfunction]
#[pyo3(signature = (declaration, /), pass_module)]
fn declare<'py>(
    module: &Bound<'py, PyModule>,
    declaration: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    if declaration.is_instance_of::<PyString>() {
        let text: String = declaration.extract()?;
        if file::is_file(&text) {
            return Err(PyValueError::new_err(format!("a text is no file: declare(pathlib.Path({text:?}))")));
        }
        return declared(module, vec![(TEXT.to_owned(), text)]);
    }
    let path: PathBuf = declaration.extract()?;
    declared(module, file::read(&path.display().to_string()).map_err(|error| raised(&error))?)
}

/// The class of files, which are compiled once.
#[pyfunction]
#[pyo3(name = "_declared", pass_module)]
fn declared<'py>(module: &Bound<'py, PyModule>, files: Files) -> PyResult<Bound<'py, PyAny>> {
    let (py, classes) = (module.py(), module.getattr(CLASSES)?.cast_into::<PyDict>()?);
    let key = PyTuple::new(py, &files)?;
    if let Some(class) = classes.get_item(&key)? {
        return Ok(class);
    }
    let compiled = work(py, |streams| {
        let (model, registry) = Registry::declared(FromFile::of(files.clone())?);
        registry.warnings().into_iter().for_each(|warning| streams.warn(warning));
        // Defaults that fail are told here, and not by the first object.
        registry.parameters(&model)?;
        Ok((model, registry))
    })?;
    let (model, registry) = compiled.result(py)?.0;
    let own = Home::new(py, registry, home(module)?.module.clone(), files)?;
    let class = class(&Bound::new(py, Models(own))?, &model, &module.getattr(KIND)?)?;
    classes.set_item(key, &class)?;
    Ok(class)
}

/// The models of files, or of the module.
#[pyfunction]
#[pyo3(name = "_known", pass_module)]
fn known<'py>(module: &Bound<'py, PyModule>, files: Files) -> PyResult<Bound<'py, PyAny>> {
    if files.is_empty() { module.getattr("_models") } else { declared(module, files)?.getattr("_models") }
}

#[pymethods]
impl Models {
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyTuple>,))> {
        let Home { module, files, .. } = self.0;
        Ok((py.import(&**module)?.getattr("_known")?, (PyTuple::new(py, files)?,)))
    }
}

/// How a class is made again; one that a program derives from it is found by its name.
#[pyfunction]
#[pyo3(name = "_reduced")]
fn reduced<'py>(class: &Bound<'py, PyType>) -> PyResult<Bound<'py, PyAny>> {
    let py = class.py();
    if !class.getattr("__dict__")?.contains("_models")? {
        return class.getattr("__qualname__");
    }
    let Home { module, files, .. } = home(class)?;
    let again = (py.import(&**module)?.getattr("_declared")?, (PyTuple::new(py, files)?,));
    Ok(again.into_pyobject(py)?.into_any())
}

/// Gives IPython the magic `%%lagrangian`: the cell is the text of a model, whose class it binds to the
/// name of the struct.
#[pyfunction]
#[pyo3(pass_module)]
fn load_ipython_extension(module: &Bound<'_, PyModule>, ipython: &Bound<'_, PyAny>) -> PyResult<()> {
    let (py, module, shell) = (module.py(), module.clone().unbind(), ipython.clone().unbind());
    let magic = move |given: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| -> PyResult<Py<PyAny>> {
        let (py, (line, cell)) = (given.py(), given.extract::<(String, String)>()?);
        if !line.trim().is_empty() {
            return Err(PyValueError::new_err("the declaration begins in the line below %%lagrangian"));
        }
        // The magic stands in the first line of the cell.
        let class = declared(module.bind(py), vec![("<cell>".to_owned(), format!("\n{cell}"))]);
        let class = class.or_else(|error| {
            // IPython shows these lines instead of the calls that led to them.
            if error.is_instance_of::<DeclarationError>(py) {
                let lines = error.value(py).str()?.getattr("splitlines")?;
                error.value(py).setattr("_render_traceback_", lines)?;
            }
            Err(error)
        })?;
        let names = PyDict::new(py);
        names.set_item(class.getattr("__name__")?, class)?;
        shell.bind(py).call_method1("push", (names,)).map(|_| py.None())
    };
    let magic = PyCFunction::new_closure(py, Some(c"lagrangian"), Some(c"Declares a model."), magic)?;
    ipython.call_method1("register_magic_function", (magic, "cell", "lagrangian")).map(drop)
}

/// Adds the function, and what pickles ask for.
pub(super) fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let (py, types) = (module.py(), module.py().get_type::<PyType>());
    let facts = PyDict::new(py);
    facts.set_item("__module__", module.name()?)?;
    let kind = types.call1((KIND, (&types,), facts))?;
    py.import("copyreg")?.call_method1("pickle", (&kind, wrap_pyfunction!(reduced, module)?))?;
    module.add(KIND, kind)?;
    module.add(CLASSES, PyDict::new(py))?;
    module.add_function(wrap_pyfunction!(declare, module)?)?;
    module.add_function(wrap_pyfunction!(declared, module)?)?;
    module.add_function(wrap_pyfunction!(known, module)?)?;
    module.add_function(wrap_pyfunction!(load_ipython_extension, module)?)
}
