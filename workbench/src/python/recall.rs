//! Runs that come back: from a pickle, from a checkpoint, from a recording.

use std::path::PathBuf;

use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::run::{Origin, Run};
use super::work::{raised, warn, work};
use super::{Home, Models};
use crate::arguments::{self, Format, Request, Resume};
use crate::output::Rows;
use crate::run::{self, Inside, Stopped};
use crate::view::in_memory::{self, Loaded};

/// A run from a pickle.
#[pyfunction]
#[pyo3(name = "_restored", pass_module)]
#[expect(clippy::too_many_arguments, reason = "the parts of a pickle")]
fn restored(
    module: &Bound<'_, PyModule>,
    t: Py<PyArray1<f64>>,
    q: Py<PyArray2<f64>>,
    v: Py<PyArray2<f64>>,
    coordinates: Vec<String>,
    others: &Bound<'_, PyDict>,
    outcome: Py<PyAny>,
    checkpoint: Option<PathBuf>,
    arguments: Option<&str>,
) -> PyResult<Run> {
    let arguments = arguments.map(serde_json::from_str).transpose();
    let arguments = arguments.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let other =
        |(name, column): (Bound<'_, PyAny>, Bound<'_, PyAny>)| Ok((name.extract()?, column.extract()?));
    let others = others.iter().map(other).collect::<PyResult<_>>()?;
    let origin = Origin { home: home(module)?, arguments };
    Ok(Run { t, q, v, coordinates, others, outcome, checkpoint, origin })
}

fn home(module: &Bound<'_, PyModule>) -> PyResult<&'static Home> {
    Ok(module.getattr("_models")?.cast::<Models>()?.get().0)
}

/// Goes on with a run from its checkpoint, to the bit as if it had not been stopped.
/// Its rows begin there.
/// With `out` its recording goes on in that file.
#[pyfunction]
#[pyo3(signature = (file, *, until=None, out=None), pass_module)]
fn resume(
    module: &Bound<'_, PyModule>,
    file: PathBuf,
    until: Option<f64>,
    out: Option<PathBuf>,
) -> PyResult<Run> {
    let (py, home) = (module.py(), home(module)?);
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
#[pyfunction]
#[pyo3(signature = (file, member=None), pass_module)]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python are owned")]
fn load(module: &Bound<'_, PyModule>, file: PathBuf, member: Option<u64>) -> PyResult<Run> {
    let (py, home) = (module.py(), home(module)?);
    let Loaded { rows, asked, doubts } = in_memory::load(&file, member).map_err(|error| raised(&error))?;
    for doubt in doubts {
        warn(py, &format!("{}: {doubt}", file.display()))?;
    }
    let run = |(request, seed): (Request, u64)| {
        let (run, _): (arguments::Run, _) = super::asked::asked(&request.model.name, None)?;
        Ok::<_, PyErr>(arguments::Run { request, seed: Some(seed), ..run })
    };
    let arguments = asked.map(run).transpose()?;
    Run::new(py, rows, "", None, Origin { home, arguments })
}

pub(super) fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(resume, module)?)?;
    module.add_function(wrap_pyfunction!(load, module)?)?;
    module.add_function(wrap_pyfunction!(restored, module)?)
}
