//! A run and its rows, as arrays.

use std::path::PathBuf;

use least_action_pages::document::quoted;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySlice};

use super::work::{Said, raised, work};
use super::{Interrupted, Models, RunError, convert};
use crate::arguments::{self, Format, Resume};
use crate::error::Error;
use crate::methods::averages;
use crate::output::Rows;
use crate::registry::Registry;
use crate::run::{self, Inside, Stopped};
use crate::view::in_memory::{Columns, page_of_rows, report_of_rows};

/// A run: its rows as arrays, and the JSON that the command prints at its end.
#[pyclass(frozen, module = "least_action")]
pub(super) struct Run {
    /// The times, of length n.
    #[pyo3(get)]
    t: Py<PyArray1<f64>>,
    /// The positions, n rows.
    #[pyo3(get)]
    q: Py<PyArray2<f64>>,
    /// The velocities, n rows.
    #[pyo3(get)]
    v: Py<PyArray2<f64>>,
    /// The names of the coordinates, those of the columns of q.
    #[pyo3(get)]
    coordinates: Vec<String>,
    others: Vec<(String, Py<PyArray1<f64>>)>,
    /// What the command prints with `--format json`.
    #[pyo3(get)]
    outcome: Py<PyAny>,
    /// The checkpoint of the run, if it was saved.
    #[pyo3(get)]
    checkpoint: Option<PathBuf>,
    origin: Origin,
}

/// Of which model and with which arguments a run is.
pub(super) struct Origin {
    pub(super) registry: &'static Registry,
    pub(super) arguments: arguments::Run,
}

impl Run {
    /// Moves rows into arrays.
    fn new(
        py: Python<'_>,
        rows: Rows,
        out: &str,
        checkpoint: Option<PathBuf>,
        origin: Origin,
    ) -> PyResult<Self> {
        let Rows { coordinates, t, q, v, others } = rows;
        let (count, n) = (t.len(), coordinates.len());
        let table =
            |numbers: Vec<f64>| PyArray1::from_vec(py, numbers).reshape([count, n]).map(Bound::unbind);
        let column = |numbers: Vec<f64>| PyArray1::from_vec(py, numbers).unbind();
        let outcome = if out.is_empty() { PyDict::new(py).into_any() } else { convert::object(py, out)? };
        Ok(Self {
            t: column(t),
            q: table(q)?,
            v: table(v)?,
            others: others.into_iter().map(|(name, numbers)| (name, column(numbers))).collect(),
            coordinates,
            outcome: outcome.unbind(),
            checkpoint,
            origin,
        })
    }

    /// The run that a command has made; a run that failed or was stopped is raised with what it had computed.
    pub(super) fn of(
        py: Python<'_>,
        rows: Rows,
        said: Said,
        checkpoint: Option<PathBuf>,
        origin: Origin,
    ) -> PyResult<Self> {
        said.warn(py)?;
        let begun = !rows.t.is_empty();
        let (out, interrupted) = (said.out, said.interrupted);
        match (said.outcome, interrupted) {
            (Ok(()), None) => Self::new(py, rows, &out, checkpoint, origin),
            (Err(error), None) if !begun => Err(raised(&error)),
            (outcome, interrupted) => {
                let line = outcome.as_ref().map_or_else(Error::line, |()| "stopped at its end".to_owned());
                let exception = match interrupted {
                    Some(_) => Interrupted::new_err(line),
                    None => RunError::new_err(line),
                };
                let run = Self::new(py, rows, &out, checkpoint, origin)?;
                exception.value(py).setattr("run", Bound::new(py, run)?)?;
                Err(exception)
            }
        }
    }

    /// What is made of the rows.
    fn shown<R>(
        &self,
        py: Python<'_>,
        make: impl FnOnce(&Origin, &Columns<'_>) -> Result<R, Error>,
    ) -> PyResult<R> {
        let (t, q, v) = (self.t.bind(py).readonly(), self.q.bind(py).readonly(), self.v.bind(py).readonly());
        // Pages show no energy of an averaged motion.
        let averages = averages(&self.origin.arguments.method);
        let shown = self.others.iter().filter(|(name, _)| !(averages && name == "energy"));
        let others: Vec<_> = shown.map(|(name, column)| (name, column.bind(py).readonly())).collect();
        let names: Vec<String> = others.iter().map(|(name, _)| (*name).clone()).collect();
        let measured = others.iter().map(|(_, column)| column.as_slice()).collect::<Result<Vec<_>, _>>()?;
        let (t, q, v) = (t.as_slice()?, q.as_slice()?, v.as_slice()?);
        let rows = Columns { t, q, v, names: &names, measured: &measured };
        make(&self.origin, &rows).map_err(|error| raised(&error))
    }

    fn columns(&self) -> Vec<String> {
        let own = self.coordinates.iter();
        let mut names = vec!["t".to_owned()];
        names.extend(own.clone().cloned());
        names.extend(own.map(|name| format!("der.{name}")));
        names.extend(self.others.iter().map(|(name, _)| name.clone()));
        names
    }
}

#[pymethods]
impl Run {
    /// The names of all columns: `t`, the coordinates, their velocities behind `der.`, and what was observed.
    fn keys(&self) -> Vec<String> {
        self.columns()
    }

    /// A column by its name; of positions and velocities a view.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        if name == "t" {
            return Ok(self.t.bind(py).clone().into_any());
        }
        if let Some((_, column)) = self.others.iter().find(|(known, _)| known == name) {
            return Ok(column.bind(py).clone().into_any());
        }
        let (own, table) = match name.strip_prefix("der.") {
            Some(own) => (own, &self.v),
            None => (name, &self.q),
        };
        match self.coordinates.iter().position(|known| known == own) {
            Some(place) => table.bind(py).as_any().get_item((PySlice::full(py), place)),
            None => Err(PyKeyError::new_err(format!(
                "no column `{name}`; there are: {}",
                self.columns().join(", ")
            ))),
        }
    }

    fn __contains__(&self, name: &str) -> bool {
        self.columns().iter().any(|known| known == name)
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.t.bind(py).as_any().len().unwrap_or(0)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyList::new(py, self.columns())?.as_any().try_iter()?.into_any())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let outcome = self.outcome.bind(py);
        let of =
            |name: &str| outcome.get_item(name).map_or_else(|_| "?".to_owned(), |value| value.to_string());
        format!("<run of {} by {} to t = {}: {} rows>", of("model"), of("method"), of("t"), self.__len__(py))
    }

    /// What a notebook shows: the page that plays the run, of up to 600 of its rows.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let page =
            self.shown(py, |Origin { registry, arguments }, rows| page_of_rows(registry, arguments, rows))?;
        let page = quoted(&page);
        Ok(format!(
            "<iframe srcdoc=\"{page}\" style=\"width: 100%; height: 720px; border: 0\" title=\"The motion\"></iframe>"
        ))
    }

    /// Writes the report of the run to a file ending in .html: model, parameters, method, the motion, and every quantity over time.
    fn report(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.shown(py, move |Origin { registry, arguments }, rows| {
            report_of_rows(registry, arguments, rows, &path)
        })
    }

    /// The rows as a table of pyarrow.
    fn to_arrow<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let columns = PyDict::new(py);
        for name in self.columns() {
            let column = self.__getitem__(py, &name)?;
            columns.set_item(name, column)?;
        }
        py.import("pyarrow")?.call_method1("table", (columns,))
    }
}

/// Goes on with a run from its checkpoint, to the bit as if it had not been stopped; the rows are those
/// from there on.
/// With `out` its recording goes on in that file.
#[pyfunction]
#[pyo3(signature = (file, *, until=None, out=None), pass_module)]
fn resume(
    module: &Bound<'_, PyModule>,
    file: PathBuf,
    until: Option<f64>,
    out: Option<PathBuf>,
) -> PyResult<Run> {
    let py = module.py();
    let registry = module.getattr("_models")?.cast::<Models>()?.get().0;
    let mut rows = Rows::default();
    let arguments =
        Resume { file: file.clone(), out, until, checkpoint_every: None, memory: None, format: Format::Json };
    let stopped = Stopped::read(&arguments).map_err(|error| raised(&error))?;
    let said = work(py, |streams| {
        run::resume(registry, &stopped, Inside { start: None, note: None, rows: Some(&mut rows) }, streams)
    })?;
    Run::of(py, rows, said, Some(file), Origin { registry, arguments: stopped.here() })
}

pub(super) fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(resume, module)?)
}
