//! Derivatives of the motion of a run: of a loss, and of its rows, along a direction and transposed.

use least_action::drive::gradient::{self, Loss, Observed};
use least_action::system::State;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::columns::entries;
use super::convert::{self, Shaped};
use super::work::{raised, work};
use crate::arguments::{ModelChoice, Request, StartChoice, Until};
use crate::error::{Error, Names, Result};
use crate::gradient::losses;
use crate::gradient::motion::warn;
use crate::prepared::Prepared;
use crate::registry::Registry;
use crate::streams::Streams;
use crate::view::root;

/// A number of a motion with its derivatives by the start and by the sensitive parameters.
#[pyclass(frozen, get_all, module = "least_action")]
pub(super) struct Gradient {
    /// The number J.
    value: f64,
    /// ∂J/∂q₀, of length d.
    q: Py<PyArray1<f64>>,
    /// ∂J/∂v₀, of length d.
    v: Py<PyArray1<f64>>,
    /// ∂J/∂θ by the names of the parameters, in their shapes.
    parameters: Py<PyDict>,
    /// The factor by which the motion amplifies a change of its start.
    growth: f64,
    /// The decimal digits that rounding leaves.
    digits: u32,
}

#[pymethods]
impl Gradient {
    fn __repr__(&self, py: Python<'_>) -> String {
        let parameters = self.parameters.bind(py).keys();
        format!("<gradient: J = {:?}, by q, v and {parameters}, {} digits>", self.value, self.digits)
    }
}

impl Gradient {
    fn new(py: Python<'_>, found: &gradient::Gradient) -> PyResult<Self> {
        let array = |numbers: &[f64]| PyArray1::from_slice(py, numbers);
        let parameters = PyDict::new(py);
        for name in roots(&found.names) {
            let Some((range, shape)) = entries(&found.names, name) else { continue };
            match &found.parameters[range] {
                [number] if shape.is_empty() => parameters.set_item(name, number)?,
                numbers => parameters.set_item(name, array(numbers).reshape(shape)?)?,
            }
        }
        Ok(Self {
            value: found.value,
            q: array(&found.q).unbind(),
            v: array(&found.v).unbind(),
            parameters: parameters.unbind(),
            growth: found.growth,
            digits: found.digits(),
        })
    }
}

/// Positions and velocities of all rows.
pub(super) type Tables<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>);
/// An array that a program may give.
pub(super) type Given<'g, 'py> = Option<&'g Bound<'py, PyAny>>;

/// The part of the largest number by which rounding may change a row.
const NEAR: f64 = 1e-6;

/// The motion of a run, and its rows.
pub(super) struct Traced {
    registry: &'static Registry,
    request: Request,
    seed: Option<u64>,
    start: State,
    /// The time of the last row.
    last: f64,
    /// The steps before each row.
    steps: Vec<u64>,
    /// The positions and the velocities, row by row.
    columns: [Vec<f64>; 2],
    /// The largest numbers of both.
    sizes: [f64; 2],
    /// The time of the first row that the motion does not meet.
    missed: Option<f64>,
}

impl Traced {
    /// # Errors
    /// There are no rows.
    pub(super) fn new(
        registry: &'static Registry,
        (request, seed): (Request, Option<u64>),
        t: &[f64],
        columns: [Vec<f64>; 2],
    ) -> PyResult<Self> {
        let (Some(&begin), Some(&last)) = (t.first(), t.last()) else {
            return Err(PyValueError::new_err("the run has no rows"));
        };
        let step = request.by.step.ok_or_else(|| PyValueError::new_err("the run does not tell its step"))?;
        let steps = t.iter().map(|time| ((time - begin) / step).round() as u64).collect();
        let n = columns[0].len() / t.len();
        let [q, v] = [0, 1].map(|part: usize| columns[part][..n].to_vec());
        Ok(Self {
            registry,
            request,
            seed,
            start: State { t: begin, q, v },
            last,
            steps,
            sizes: columns.each_ref().map(|all| all.iter().fold(0.0, |most: f64, x| most.max(x.abs()))),
            columns,
            missed: None,
        })
    }

    /// The places of the numbers of a row, once it is compared.
    fn meet(&mut self, at: &Observed<'_>) -> std::ops::Range<usize> {
        let (row, n) = (self.steps.partition_point(|step| *step < at.step), at.q.len());
        let range = n * row..n * (row + 1);
        let meets =
            [at.q, at.v].iter().zip(self.columns.iter().zip(self.sizes)).all(|(own, (column, size))| {
                own.iter().zip(&column[range.clone()]).all(|(a, b)| (a - b).abs() <= NEAR * size)
            });
        if !meets {
            self.missed.get_or_insert(at.t);
        }
        range
    }

    fn met(&self) -> Result {
        self.missed.map_or(Ok(()), |time| {
            Err(Error::Mistake(format!(
                "the motion from the first row has another row at t = {time}: arrays of the run were changed; copy an array before"
            )))
        })
    }

    fn shape(&self) -> [usize; 2] {
        [self.steps.len(), self.start.q.len()]
    }

    /// The motion to the last row.
    fn to_the_last(&self, streams: &mut Streams<'_>) -> Result<Prepared<'static>> {
        self.motion(&Request { until: Until::at(self.last), ..self.request.clone() }, streams)
    }

    /// The motion of a request from its start.
    fn motion(&self, request: &Request, streams: &mut Streams<'_>) -> Result<Prepared<'static>> {
        let start = StartChoice { state: Some(self.start.clone()), ..request.start.clone() };
        let mut motion = Prepared::new(self.registry, &Request { start, ..request.clone() })?;
        motion.seed = self.seed.unwrap_or_default();
        motion.differentiable(streams)?;
        Ok(motion)
    }

    /// The derivative of losses as the command has them, with the parameters of a model.
    pub(super) fn losses(self, py: Python<'_>, model: ModelChoice, loss: &[String]) -> PyResult<Gradient> {
        let of = &self.request.model.name;
        if *of != model.name {
            let message = format!("the run is of `{of}`, and the model is `{}`", model.name);
            return Err(PyValueError::new_err(message));
        }
        let request = Request { model, ..self.request.clone() };
        let found = work(py, |streams| {
            let losses = losses::read(loss)?;
            let motion = self.motion(&request, streams)?;
            let mut losses = losses.on(&motion, streams)?;
            let mut found = motion.gradient(&motion.instance, &self.start, &mut losses)?;
            // A run from the model's own start follows it.
            if motion.changes.on(motion.instance.start.clone()) == self.start {
                found = found.following(&motion.own_start()?);
            }
            warn(&found, streams);
            Ok(found)
        })?;
        Gradient::new(py, &found.result(py)?.0)
    }

    /// The derivative of Σ q̄·q + v̄·v over the rows.
    pub(super) fn transposed(self, py: Python<'_>, [q, v]: [Given<'_, '_>; 2]) -> PyResult<Gradient> {
        let shape = self.shape();
        let numbers = |given: Given<'_, '_>, name| given.map(|given| fitted(given, name, &shape)).transpose();
        let bars = [numbers(q, "q_bar")?, numbers(v, "v_bar")?];
        let found = work(py, |streams| {
            let motion = self.to_the_last(streams)?;
            let mut loss = Weighted { rows: self, bars };
            let found = motion.gradient(&motion.instance, &motion.start, &mut loss)?;
            loss.rows.met()?;
            warn(&found, streams);
            Ok(found)
        })?;
        Gradient::new(py, &found.result(py)?.0)
    }

    /// The derivatives of the rows along a direction of the start and of parameters.
    pub(super) fn along<'py>(
        mut self,
        py: Python<'py>,
        [q, v]: [Given<'_, 'py>; 2],
        parameters: Vec<(String, Shaped)>,
    ) -> PyResult<Tables<'py>> {
        let shape = self.shape();
        let part = |given: Given<'_, '_>, name| {
            given.map_or(Ok(Vec::new()), |given| fitted(given, name, &shape[1..]))
        };
        let (q, v) = (part(q, "q")?, part(v, "v")?);
        let tangents = work(py, |streams| {
            let motion = self.to_the_last(streams)?;
            let (steps, mut tangents) = (self.steps.clone(), [Vec::new(), Vec::new()]);
            motion.of(&motion.instance, &motion.start, |motion| {
                let along = direction(&motion.parameters(), parameters)?;
                let shown = |step: u64| steps.binary_search(&step).is_ok();
                motion.follow_along([&q, &v, &along], &shown, &mut |at, found| {
                    self.meet(at);
                    let found = found.iter().flatten();
                    tangents.iter_mut().zip(found).for_each(|(all, own)| all.extend_from_slice(own));
                })?;
                self.met()
            })?;
            Ok(tangents)
        })?;
        let [q, v] = tangents.result(py)?.0;
        let table = |numbers| PyArray1::from_vec(py, numbers).reshape(shape);
        Ok((table(q)?, table(v)?))
    }
}

/// The linear loss Σ q̄·q + v̄·v over the rows of a run.
struct Weighted {
    rows: Traced,
    bars: [Option<Vec<f64>>; 2],
}

impl Loss for Weighted {
    fn sees(&self, step: u64, _: u64) -> bool {
        self.rows.steps.binary_search(&step).is_ok()
    }

    fn add(&mut self, at: &Observed<'_>, of_q: &mut [f64], of_v: &mut [f64]) -> f64 {
        let range = self.rows.meet(at);
        let mut value = 0.0;
        for (bar, (x, slopes)) in self.bars.iter().zip([(at.q, of_q), (at.v, of_v)]) {
            let weights = bar.iter().flat_map(|bar| &bar[range.clone()]);
            for ((weight, x), slope) in weights.zip(x).zip(slopes) {
                value += weight * x;
                *slope += weight;
            }
        }
        value
    }
}

/// The names of fields, each once.
fn roots(names: &[String]) -> Vec<&str> {
    let mut roots: Vec<&str> = names.iter().map(|name| root(name)).collect();
    roots.dedup();
    roots
}

/// The direction that parameters of these names change in.
fn direction(names: &[String], given: Vec<(String, Shaped)>) -> Result<Vec<f64>> {
    let mut along = vec![0.0; names.len()];
    for (name, given) in given {
        let (range, shape) = entries(names, &name).ok_or_else(|| {
            let none = names.is_empty().then_some("none that `#[lagrangian(sensitive(…))]` names");
            let known: Names = roots(names).into_iter().chain(none).collect();
            Error::unknown_number("jvp", &name, &name, known)
        })?;
        along[range].copy_from_slice(&fitting(given, &name, &shape)?);
    }
    Ok(along)
}

/// The numbers of an array of this shape.
fn fitting((shape, numbers): Shaped, name: &str, wanted: &[usize]) -> Result<Vec<f64>> {
    if shape == wanted {
        return Ok(numbers);
    }
    Err(Error::Mistake(format!("`{name}` has the shape {shape:?}, and the run needs {wanted:?}")))
}

fn fitted(given: &Bound<'_, PyAny>, name: &str, wanted: &[usize]) -> PyResult<Vec<f64>> {
    fitting(convert::array(given, name)?, name, wanted).map_err(|error| raised(&error))
}
