//! A run and its rows, as arrays.

use std::collections::BTreeMap;
use std::path::PathBuf;

use least_action_pages::document::framed;
use least_action_pages::plot;
use least_action_pages::view::Kind;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList, PySlice, PyTuple};

use super::columns::entries;
use super::gradient::{Given, Gradient, Tables, Traced};
use super::work::{Said, line, raised};
use super::{Home, Interrupted, Models, RunError, arrow, convert};
use crate::arguments::{self, Request};
use crate::error::{Names, Result};
use crate::methods::averages;
use crate::output::Rows;
use crate::view::in_memory::{Columns, page_of_rows, picture_of_rows, units_of, write_page};
use crate::view::root;

/// A run: its rows as arrays, and the JSON that the command prints at its end.
#[pyclass(frozen, module = "least_action")]
pub(super) struct Run {
    /// The times, of length n.
    #[pyo3(get)]
    pub(super) t: Py<PyArray1<f64>>,
    /// The positions, n rows.
    #[pyo3(get)]
    pub(super) q: Py<PyArray2<f64>>,
    /// The velocities, n rows.
    #[pyo3(get)]
    pub(super) v: Py<PyArray2<f64>>,
    /// The names of the columns of q.
    #[pyo3(get)]
    pub(super) coordinates: Vec<String>,
    pub(super) others: Vec<(String, Py<PyArray1<f64>>)>,
    /// The output of the command with `--format json`.
    #[pyo3(get)]
    pub(super) outcome: Py<PyAny>,
    /// The checkpoint of the run, if it was saved.
    #[pyo3(get)]
    pub(super) checkpoint: Option<PathBuf>,
    pub(super) origin: Origin,
}

/// Of which model and with which arguments a run is.
pub(super) struct Origin {
    pub(super) home: &'static Home,
    /// None of a recording that does not know them.
    pub(super) arguments: Option<arguments::Run>,
}

/// The function of the module by which a run comes back from a pickle: see `recall.rs`.
const RESTORED: &str = "_restored";

impl Run {
    /// Moves rows into arrays.
    pub(super) fn new(
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

    /// The run that a command has made; a run that failed or was stopped is raised with its rows so far.
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
                let line = outcome.as_ref().map_or_else(line, |()| "stopped at its end".to_owned());
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

    /// The module and the arguments of the run.
    fn known(&self) -> PyResult<(&'static Home, &arguments::Run)> {
        let Origin { home, arguments: Some(arguments) } = &self.origin else {
            return Err(PyValueError::new_err(
                "the recording does not say of which model it is, or it is of one that a text declares: load(file, model=…) has its class",
            ));
        };
        Ok((home, arguments))
    }

    /// The motion of the run, to be differentiated.
    pub(super) fn motion(&self, py: Python<'_>) -> PyResult<Traced> {
        let (home, arguments) = self.known()?;
        let table =
            |table: &Py<PyArray2<f64>>| table.bind(py).readonly().as_array().iter().copied().collect();
        let t = self.t.bind(py).readonly();
        Traced::new(
            &home.registry,
            (arguments.request.clone(), arguments.seed),
            t.as_slice()?,
            [table(&self.q), table(&self.v)],
        )
    }

    /// Makes something of the rows.
    fn shown<R>(
        &self,
        py: Python<'_>,
        make: impl FnOnce(&Home, &arguments::Run, &Columns<'_>) -> Result<R>,
    ) -> PyResult<R> {
        let (home, arguments) = self.known()?;
        let (t, q, v) = (self.t.bind(py).readonly(), self.q.bind(py).readonly(), self.v.bind(py).readonly());
        // Pages show no energy of an averaged motion.
        let averages = arguments.request.by.method.as_deref().is_some_and(averages);
        let shown = self.others.iter().filter(|(name, _)| !(averages && name == "energy"));
        let others: Vec<_> = shown.map(|(name, column)| (name, column.bind(py).readonly())).collect();
        let names: Vec<String> = others.iter().map(|(name, _)| (*name).clone()).collect();
        let measured = others.iter().map(|(_, column)| column.as_slice()).collect::<Result<Vec<_>, _>>()?;
        let (t, q, v) = (t.as_slice()?, q.as_slice()?, v.as_slice()?);
        let rows = Columns { t, q, v, names: &names, measured: &measured };
        make(home, arguments, &rows).map_err(|error| raised(&error))
    }

    fn columns(&self) -> Vec<String> {
        let own = self.coordinates.iter();
        let mut names = vec!["t".to_owned()];
        names.extend(own.clone().cloned());
        names.extend(own.map(|name| format!("der.{name}")));
        names.extend(self.others.iter().map(|(name, _)| name.clone()));
        names
    }

    /// Positions or velocities: one column, or the columns of a coordinate in its shape.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (own, table) = match name.strip_prefix("der.") {
            Some(own) => (own, &self.v),
            None => (name, &self.q),
        };
        let all = PySlice::full(py);
        if let Some(place) = self.coordinates.iter().position(|known| known == own) {
            return table.bind(py).as_any().get_item((all, place)).map(Some);
        }
        let Some((range, shape)) = entries(&self.coordinates, own) else { return Ok(None) };
        let part = PySlice::new(py, range.start as isize, range.end as isize, 1);
        let shape: Vec<usize> = std::iter::once(self.__len__(py)).chain(shape).collect();
        // Axes that are split stay views.
        table.bind(py).as_any().get_item((all, part))?.call_method1("reshape", (shape,)).map(Some)
    }
}

#[pymethods]
impl Run {
    /// The names of all columns: `t`, the coordinates, their velocities behind `der.`, the observed
    /// ones.
    fn keys(&self) -> Vec<String> {
        self.columns()
    }

    /// The columns, in the order of their names.
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.columns().iter().map(|name| self.__getitem__(py, name)).collect()
    }

    /// The names with the columns.
    fn items<'py>(&self, py: Python<'py>) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
        Ok(self.columns().into_iter().zip(self.values(py)?).collect())
    }

    /// A column by its name, or all of a coordinate: `run["bobs"]` of n × links × 2.
    /// Positions and velocities are views.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        if name == "t" {
            return Ok(self.t.bind(py).clone().into_any());
        }
        if let Some((_, column)) = self.others.iter().find(|(known, _)| known == name) {
            return Ok(column.bind(py).clone().into_any());
        }
        self.column(py, name)?.ok_or_else(|| {
            let columns = self.columns();
            let known: Names = columns.iter().map(String::as_str).collect();
            let near: Names =
                columns.iter().map(|column| root(column)).chain(columns.iter().map(String::as_str)).collect();
            PyKeyError::new_err(format!("no column `{name}`{}; there are: {known}", near.near(name)))
        })
    }

    fn __contains__(&self, name: &str) -> bool {
        let own = name.strip_prefix("der.").unwrap_or(name);
        self.columns().iter().any(|known| known == name) || entries(&self.coordinates, own).is_some()
    }

    /// The number of rows.
    fn __len__(&self, py: Python<'_>) -> usize {
        self.t.bind(py).as_any().len().unwrap_or(0)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyList::new(py, self.columns())?.as_any().try_iter()?.into_any())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let rows = self.__len__(py);
        match &self.origin.arguments {
            Some(arguments::Run { request: Request { model, by, until, .. }, .. }) => {
                let last = self.t.bind(py).as_any().get_item(-1).ok().and_then(|t| t.extract::<f64>().ok());
                let (method, time) = (by.method.as_deref().unwrap_or("a method"), last.or(until.time()));
                let time = time.map_or_else(String::new, |time| format!(" to t = {time:?}"));
                format!("<run of {} by {method}{time}: {rows} rows>", model.name)
            }
            None => format!("<recording: {rows} rows>"),
        }
    }

    /// The page that plays the run in a notebook, of up to 600 of its rows.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<Option<String>> {
        // A notebook shows the text of a recording whose model is unknown.
        if self.origin.arguments.is_none() {
            return Ok(None);
        }
        let page = self.shown(py, |home, arguments, rows| page_of_rows(&home.registry, arguments, rows))?;
        Ok(Some(framed(&page)))
    }

    /// Writes the report of the run to a file ending in .html: model, parameters, method, the motion,
    /// and every quantity over time.
    fn report(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.shown(py, move |home, run, rows| write_page(Kind::Report, &home.registry, run, rows, &path))
    }

    /// Writes the page that plays the run to a file ending in .html.
    fn view(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.shown(py, move |home, run, rows| write_page(Kind::Motion, &home.registry, run, rows, &path))
    }

    /// The picture of `--plot` as the text of an SVG file, which is also written to `path` if given.
    #[pyo3(signature = (path=None))]
    fn plot(&self, py: Python<'_>, path: Option<PathBuf>) -> PyResult<String> {
        self.shown(py, |home, run, rows| {
            path.as_deref().map_or(Ok(()), plot::check_ending)?;
            let svg = picture_of_rows(&home.registry, run, rows)?;
            path.map_or(Ok(()), |path| plot::write_text(&path, &svg))?;
            Ok(svg)
        })
    }

    /// The units of the columns by their names, as far as the model states them.
    #[getter]
    fn units(&self) -> PyResult<BTreeMap<String, String>> {
        let (home, run) = self.known()?;
        let units = units_of(&home.registry, run, &self.columns()).map_err(|error| raised(&error))?;
        Ok(units.into_iter().collect())
    }

    /// The derivative of Σ q_bar·q + v_bar·v over all rows by the start and the sensitive parameters.
    /// Each of both is an array in the shape of `q`.
    #[pyo3(signature = (q_bar=None, v_bar=None))]
    fn vjp(&self, py: Python<'_>, q_bar: Given<'_, '_>, v_bar: Given<'_, '_>) -> PyResult<Gradient> {
        self.motion(py)?.transposed(py, [q_bar, v_bar])
    }

    /// The derivatives of `q` and `v` of all rows along a direction of the start and of sensitive
    /// parameters, two arrays in the shape of `q`.
    #[pyo3(signature = (q=None, v=None, **parameters))]
    fn jvp<'py>(
        &self,
        py: Python<'py>,
        q: Given<'_, 'py>,
        v: Given<'_, 'py>,
        parameters: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Tables<'py>> {
        let (home, arguments) = self.known()?;
        let all = home.registry.parameters(&arguments.request.model.name).map_err(|error| raised(&error))?;
        let named = |(name, given): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            let name: String = name.extract()?;
            Ok((home.own(&all, name.clone()), convert::array(&given, &name)?))
        };
        let parameters = parameters.into_iter().flatten().map(named).collect::<PyResult<_>>()?;
        self.motion(py)?.along(py, [q, v], parameters)
    }

    /// The rows as a stream of Arrow, which makes a run a table for Polars, pandas, DuckDB and pyarrow.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A schema is a wish.
        let _ = requested_schema;
        let numbers = |column: Bound<'py, PyAny>| {
            Ok::<_, PyErr>(column.cast_into::<PyArray1<f64>>()?.readonly().as_array().to_vec())
        };
        let columns = self.items(py)?.into_iter().map(|(name, column)| Ok((name, numbers(column)?)));
        arrow::stream(py, columns.collect::<PyResult<_>>()?)
    }

    /// The rows as a table of pyarrow.
    fn to_arrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("table", (slf,))
    }

    /// A run is no array: columns of several kinds have names.
    #[pyo3(signature = (*_args, **_others))]
    #[expect(clippy::unused_self, reason = "numpy asks the run")]
    fn __array__(&self, _args: &Bound<'_, PyTuple>, _others: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a run is a table and no array: take run.q or run[name]; as a frame it is pandas.DataFrame(dict(run)) or polars.DataFrame(run)",
        ))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let Origin { home, arguments } = &self.origin;
        let arguments = arguments.as_ref().map(serde_json::to_string).transpose();
        let arguments = arguments.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let others = PyDict::new(py);
        for (name, column) in &self.others {
            others.set_item(name, column)?;
        }
        let parts = (
            &self.t,
            &self.q,
            &self.v,
            &self.coordinates,
            others,
            &self.outcome,
            &self.checkpoint,
            arguments,
            Models(home),
        );
        Ok((py.import(&*home.module)?.getattr(RESTORED)?, parts.into_pyobject(py)?))
    }
}
