//! Runs that come back: from a pickle, from a checkpoint, from a recording.

use std::path::PathBuf;

use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::run::{Origin, Run};
use super::work::{raised, warn, work};
use super::{Models, home};
use crate::arguments::{self, Format, Request, Resume};
use crate::output::Rows;
use crate::run::{self, Inside, Stopped};
use crate::view::in_memory::{self, Loaded};

/// A run from a pickle.
#[pyfunction]
#[pyo3(name = "_restored")]
#[expect(clippy::too_many_arguments, reason = "the parts of a pickle")]
fn restored(
    t: Py<PyArray1<f64>>,
    q: Py<PyArray2<f64>>,
    v: Py<PyArray2<f64>>,
    coordinates: Vec<String>,
    others: &Bound<'_, PyDict>,
    outcome: Py<PyAny>,
    checkpoint: Option<PathBuf>,
    arguments: Option<&str>,
    models: &Bound<'_, PyAny>,
) -> PyResult<Run> {
    let arguments = arguments.map(serde_json::from_str).transpose();
    let arguments = arguments.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let other =
        |(name, column): (Bound<'_, PyAny>, Bound<'_, PyAny>)| Ok((name.extract()?, column.extract()?));
    let others = others.iter().map(other).collect::<PyResult<_>>()?;
    let origin = Origin { home: models.cast::<Models>()?.get().0, arguments };
    Ok(Run { t, q, v, coordinates, others, outcome, checkpoint, origin })
}

/// Goes on with a run from its checkpoint, to the bit as if it had not been stopped.
/// Its rows begin there.
/// With `out` its recording goes on in that file; `model` is the class of one that a text declares.
#[pyfunction]
#[pyo3(signature = (file, *, until=None, out=None, model=None), pass_module)]
fn resume(
    module: &Bound<'_, PyModule>,
    file: PathBuf,
    until: Option<f64>,
    out: Option<PathBuf>,
    model: Option<&Bound<'_, PyAny>>,
) -> PyResult<Run> {
    let (py, home) = (module.py(), home(model.unwrap_or(module))?);
    let mut rows = Rows::default();
    let arguments =
        Resume { file: file.clone(), out, until, checkpoint_every: None, memory: None, format: Format::Json };
    let stopped = Stopped::read(&arguments).map_err(|error| raised(&error))?;
    let said = work(py, |streams| {
        let inside = Inside { stopped: Some(&stopped), rows: Some(&mut rows), completed: None };
        run::run(&home.registry, &stopped.arguments, inside, streams)
    })?;
    Run::of(py, rows, said, Some(file), Origin { home, arguments: Some(stopped.here()) })
}

/// A recording that `run` or the command wrote, .csv, .json or .parquet,
/// or the `member` of an ensemble in its folder.
/// Velocities that it does not have are not a number.
/// Of a model that a text or a file declares, `model` is the class: a recording declares none.
#[pyfunction]
#[pyo3(signature = (file, member=None, *, model=None), pass_module)]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python are owned")]
fn load(
    module: &Bound<'_, PyModule>,
    file: PathBuf,
    member: Option<u64>,
    model: Option<&Bound<'_, PyAny>>,
) -> PyResult<Run> {
    let (py, home) = (module.py(), home(model.unwrap_or(module))?);
    let Loaded { rows, asked, doubts } = in_memory::load(&file, member).map_err(|error| raised(&error))?;
    for doubt in doubts {
        warn(py, &format!("{}: {doubt}", file.display()))?;
    }
    let run = |(request, seed): (Request, u64)| {
        let (run, _): (arguments::Run, _) = super::asked::asked(&request.model.name, None)?;
        Ok::<_, PyErr>(arguments::Run { request, seed: Some(seed), ..run })
    };
    let known = home.registry.names().0;
    let arguments = asked.filter(|(asked, _)| known.contains(&asked.model.name)).map(run).transpose()?;
    Run::new(py, rows, "", None, Origin { home, arguments })
}

pub(super) fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(resume, module)?)?;
    module.add_function(wrap_pyfunction!(load, module)?)?;
    module.add_function(wrap_pyfunction!(restored, module)?)
}
