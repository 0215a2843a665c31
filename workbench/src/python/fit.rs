//! Fits from Python: data in memory, and residuals for optimizers and samplers of others.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use least_action_optimization::Error as Failure;
use least_action_optimization::fit::Course;
use least_action_optimization::least_squares::Problem;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use super::asked::asked;
use super::columns::entries;
use super::convert;
use super::work::{raised, work};
use crate::arguments::{AskedFit, ModelChoice, StartChoice};
use crate::error::Error;
use crate::fit::asked::Table;
use crate::fit::{of_fit, residuals};
use crate::prepared::Prepared;
use crate::registry::Registry;

/// The fit that arguments of Python ask for.
pub(super) fn to_fit<'py>(
    model: ModelChoice,
    coordinates: &[String],
    (data, free): (&Bound<'py, PyAny>, &Bound<'py, PyAny>),
    arguments: Option<Bound<'py, PyDict>>,
) -> PyResult<AskedFit> {
    let arguments = arguments.unwrap_or_else(|| PyDict::new(data.py()));
    let is_list = data.is_instance_of::<PyList>() || data.is_instance_of::<PyTuple>();
    let all = if is_list { data.try_iter()?.collect::<PyResult<Vec<_>>>()? } else { vec![data.clone()] };
    if all.is_empty() {
        return Err(PyValueError::new_err("`data` is an empty list: give one at least"));
    }
    let (mut files, mut tables) = (Vec::new(), Vec::new());
    for one in all {
        if one.is_instance_of::<PyString>() || one.hasattr("__fspath__")? {
            files.push(one.extract::<PathBuf>()?);
        } else {
            tables.push(table(&one, coordinates)?);
        }
    }
    // The command line has a file at least.
    arguments
        .set_item("data", if files.is_empty() { vec![PathBuf::from("memory")] } else { files.clone() })?;
    arguments.set_item("free", free)?;
    if let Some(sensor) = arguments.get_item("sensor")?
        && let Ok(sensor) = sensor.cast_into::<PyDict>()
    {
        arguments.set_item("sensor", sensors(&sensor)?)?;
    }
    let (asked, StartChoice { from, state, .. }) = asked::<AskedFit>(&model.name, Some(&arguments))?;
    Ok(AskedFit { model, data: files, tables, from, state, ..asked })
}

/// The columns of a run, of a frame, or of a dictionary of arrays; other things than numbers are no
/// columns. An array of all of a coordinate, such as n × 2 of `bob`, is a column for each.
fn table(data: &Bound<'_, PyAny>, coordinates: &[String]) -> PyResult<Table> {
    let names = if data.hasattr("keys")? { data.call_method0("keys") } else { data.getattr("columns") };
    let names = names.and_then(|names| names.try_iter()).map_err(|_| {
        PyValueError::new_err(
            "`data` is a file, a run, a frame, a dictionary of arrays with the times `t`, or a list of them",
        )
    })?;
    let mut table = Table::new();
    for name in names {
        let name = name?;
        let Ok(text) = name.extract::<String>() else { continue };
        let Ok((shape, numbers)) = convert::array(&data.get_item(&name)?, &text) else { continue };
        let [rows, others @ ..] = &shape[..] else { continue };
        if others.is_empty() {
            table.push((text, numbers));
            continue;
        }
        let (prefix, own) = text.strip_prefix("der.").map_or(("", &*text), |own| ("der.", own));
        let width: usize = others.iter().product();
        let known = entries(coordinates, own).filter(|(range, _)| range.len() == width);
        let (range, _) = known.ok_or_else(|| {
            PyValueError::new_err(format!(
                "`{text}` has the shape {shape:?}: a column has one number in each row"
            ))
        })?;
        for (place, own) in coordinates[range].iter().enumerate() {
            let column = (0..*rows).map(|row| numbers[row * width + place]);
            table.push((format!("{prefix}{own}"), column.collect()));
        }
    }
    Ok(table)
}

/// Sensors as the command has them: `x: offset, scale`.
fn sensors(given: &Bound<'_, PyDict>) -> PyResult<Vec<String>> {
    let sensor = |(name, words): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let text = words.extract::<String>();
        let text = text.or_else(|_| words.extract().map(|words: Vec<String>| words.join(", ")))?;
        Ok(format!("{name}: {text}"))
    };
    given.iter().map(sensor).collect()
}

/// The residuals of a fit as a function of its free numbers, priors behind the samples.
#[pyclass(frozen, module = "least_action")]
pub(super) struct Residuals {
    course: Mutex<Own>,
}

/// The fit behind the residuals.
type Own = Course<Prepared<'static>>;

impl Residuals {
    pub(super) fn new(py: Python<'_>, registry: &'static Registry, arguments: &AskedFit) -> PyResult<Self> {
        let said = work(py, |streams| residuals(registry, arguments, streams))?;
        Ok(Self { course: Mutex::new(said.result(py)?.0) })
    }

    fn of<R: Send>(&self, py: Python<'_>, make: impl FnOnce(&mut Own) -> R + Send) -> R {
        py.detach(|| make(&mut self.course.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Something that the motion by some numbers makes.
    fn at<R: Send>(
        &self,
        x: &Bound<'_, PyAny>,
        make: impl FnOnce(&mut Own, &[f64]) -> Result<R, Failure<Error>> + Send,
    ) -> PyResult<R> {
        let numbers = convert::numbers(x, "x")?;
        self.of(x.py(), |course| make(course, &numbers).map_err(of_fit)).map_err(|error| raised(&error))
    }
}

#[pymethods]
impl Residuals {
    /// The names of the free numbers.
    #[getter]
    fn names(&self, py: Python<'_>) -> Vec<String> {
        self.of(py, |course| course.names().map(str::to_owned).collect())
    }

    /// The first guess of the free numbers.
    #[getter]
    fn x<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.of(py, |course| course.first().to_vec()))
    }

    /// The lower and the upper bounds of the free numbers, −∞ and ∞ where there are none.
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> [Bound<'py, PyArray1<f64>>; 2] {
        let bounds = self.of(py, |course| course.bounds());
        [0, 1].map(|side| PyArray1::from_iter(py, bounds.iter().map(|bound| bound[side])))
    }

    /// (x(t) − x*)/σ of all samples, then of all priors.
    fn __call__<'py>(&self, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_vec(x.py(), self.at(x, Course::residuals)?))
    }

    /// The exact derivatives of the residuals by the free numbers, a row for each residual.
    fn jacobian<'py>(&self, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let slopes = self.at(x, Course::jacobian)?;
        let (rows, width) = (slopes.nrows(), slopes.ncols());
        let mut table = vec![0.0; rows * width];
        slopes.triplet_iter().for_each(|(row, column, slope)| table[row * width + column] += slope);
        PyArray1::from_vec(x.py(), table).reshape([rows, width])
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<residuals by {}>", self.names(py).join(", "))
    }
}
