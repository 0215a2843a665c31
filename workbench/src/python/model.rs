//! A model with its parameters.

use std::path::PathBuf;

use numpy::PyArray1;
use pyo3::exceptions::{PyAttributeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};
use serde_json::{Map, Value};

use least_action::sparse::{RowMatrix, SymmetricMatrix};
use least_action::system::State;

use super::run::{Origin, Run};
use super::work::{raised, work};
use super::{Models, class_name, convert};
use crate::arguments::{Describe, DescribeFormat, Eval, Format, ModelChoice, Project, interval};
use crate::error::{Error, Names};
use crate::methods;
use crate::output::Rows;
use crate::registry::{Instance, Registry};
use crate::run::{self, Inside};
use crate::streams::Streams;
use crate::{arguments, describe, eval, memory, project};

/// A mechanical system: a declared model, bound to parameters.
#[pyclass(subclass, frozen, module = "least_action")]
pub(super) struct Model {
    registry: &'static Registry,
    /// All parameters, and those that were given.
    parameters: Map<String, Value>,
    given: Map<String, Value>,
    instance: Instance,
}

impl Model {
    /// The model and its parameters, as the command has them.
    fn choice(&self) -> ModelChoice {
        let set = self.given.iter().map(|(name, value)| format!("{name}={value}")).collect();
        ModelChoice { name: self.instance.name.clone(), set, params: None, memory: None }
    }

    /// Positions, or those of the start.
    fn positions(&self, q: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<f64>> {
        self.entries(q, "q", |state| &state.q)
    }

    fn entries(
        &self,
        given: Option<&Bound<'_, PyAny>>,
        name: &str,
        of: impl Fn(&State) -> &Vec<f64>,
    ) -> PyResult<Vec<f64>> {
        let n = self.instance.start.q.len();
        let numbers = given
            .map_or_else(|| Ok(of(&self.instance.start).clone()), |given| convert::numbers(given, name))?;
        if numbers.len() == n {
            Ok(numbers)
        } else {
            Err(PyValueError::new_err(format!(
                "`{name}` has length {}, but the model needs {n}",
                numbers.len()
            )))
        }
    }

    /// The names of the parameters.
    fn known(&self) -> Names {
        self.parameters.keys().map(String::as_str).collect()
    }

    fn missing(&self, quantity: &'static str, reason: &str) -> PyErr {
        let (model, reason) = (self.instance.name.clone(), reason.to_owned());
        raised(&Error::NotAvailable { model, quantity, reason })
    }
}

/// What `command` prints.
fn said(
    py: Python<'_>,
    command: impl FnOnce(&mut Streams<'_>) -> Result<(), Error> + Send,
) -> PyResult<String> {
    work(py, command)?.text(py)
}

/// A symmetric matrix, whose lower triangle is known, as one of SciPy.
fn symmetric<'py>(py: Python<'py>, matrix: &SymmetricMatrix) -> PyResult<Bound<'py, PyAny>> {
    let (mut rows, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for ((row, column), &value) in matrix.pattern.entries().zip(&matrix.values) {
        let mut push = |row: usize, column: usize| {
            rows.push(row as i64);
            columns.push(column as i64);
            values.push(value);
        };
        push(row, column);
        if row != column {
            push(column, row);
        }
    }
    sparse(py, (rows, columns, values), [matrix.pattern.dimension(); 2])
}

/// Entries of a matrix as a `csc_matrix` of SciPy.
fn sparse(
    py: Python<'_>,
    (rows, columns, values): (Vec<i64>, Vec<i64>, Vec<f64>),
    [height, width]: [usize; 2],
) -> PyResult<Bound<'_, PyAny>> {
    let index = |entries: Vec<i64>| PyArray1::from_vec(py, entries);
    let entries = (PyArray1::from_vec(py, values), (index(rows), index(columns)));
    let matrix = py.import("scipy.sparse")?.getattr("csc_matrix")?;
    let shape = PyDict::new(py);
    shape.set_item("shape", (height, width))?;
    matrix.call((entries,), Some(&shape))
}

fn array(py: Python<'_>, numbers: Vec<f64>) -> Bound<'_, PyArray1<f64>> {
    PyArray1::from_vec(py, numbers)
}

#[pymethods]
impl Model {
    #[new]
    #[classmethod]
    #[pyo3(signature = (**parameters))]
    fn new(class: &Bound<'_, PyType>, parameters: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let models = class
            .getattr("_models")
            .map_err(|_| PyValueError::new_err("this class is the base of all models; make one of them"))?;
        let registry = models.cast::<Models>()?.get().0;
        let name: String = class.getattr("_model")?.extract()?;
        let given = parameters.map_or_else(|| Ok(Map::new()), |parameters| convert::fields(parameters, 0))?;
        let overrides: Vec<(String, Value)> =
            given.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let instance =
            registry.instance(&name, &overrides, memory::available()).map_err(|error| raised(&error))?;
        let mut parameters = registry.parameters(&name).map_err(|error| raised(&error))?;
        parameters.extend(given.clone());
        Ok(Self { registry, parameters, given, instance })
    }

    /// The parameters of the model by name.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        convert::object(py, &Value::Object(self.parameters.clone()).to_string())
    }

    /// A parameter of the model.
    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        match self.parameters.get(name) {
            Some(value) => convert::object(py, &value.to_string()),
            None => Err(PyAttributeError::new_err(format!(
                "`{}` has neither a parameter nor a method `{name}`{}",
                class_name(&self.instance.name),
                self.known().near(name)
            ))),
        }
    }

    /// A model keeps the parameters that it is bound to.
    fn __setattr__(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let (class, known) = (class_name(&self.instance.name), self.known());
        let words = if known.0.iter().any(|known| known == name) {
            format!("a model keeps its parameters; make another one: {class}({name}={})", value.repr()?)
        } else {
            format!("`{class}` has no parameter `{name}`{}; there are: {known}", known.near(name))
        };
        Err(PyAttributeError::new_err(words))
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyAny>)> {
        Ok((PyTuple::empty(py), convert::object(py, &Value::Object(self.given.clone()).to_string())?))
    }

    fn __repr__(&self) -> String {
        let given: Vec<String> = self.given.iter().map(|(name, value)| format!("{name}={value}")).collect();
        format!("{}({})", class_name(&self.instance.name), given.join(", "))
    }

    /// The names of the coordinates, those of the entries of q.
    #[getter]
    fn coordinates(&self) -> Vec<String> {
        let layout = self.instance.system.lagrangian().layout();
        (0..layout.dimension()).map(|index| layout.name_of(index)).collect()
    }

    /// The model's own initial state: `{"t": …, "q": …, "v": …}`.
    #[getter]
    fn start<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let State { t, q, v } = &self.instance.start;
        let state = PyDict::new(py);
        state.set_item("t", t)?;
        state.set_item("q", array(py, q.clone()))?;
        state.set_item("v", array(py, v.clone()))?;
        Ok(state)
    }

    /// The names of the methods that fit the model.
    #[getter]
    fn methods(&self) -> Vec<&'static str> {
        let fits = methods::fits(&self.instance);
        fits.into_iter().filter(|fit| fit.fits).map(|fit| fit.method).collect()
    }

    /// Integrates: the same bits as the command `run`. Options of the method are further arguments, such as `beta=0.4`.
    #[pyo3(signature = (
        method, *, step, until, start=None, observe=None, every=1, seed=None, boltzmann=1.0, out=None, plot=None, view=None,
        report=None, checkpoint=None, checkpoint_every="60s", restart=false, **options
    ))]
    #[expect(clippy::too_many_arguments, reason = "arguments by name")]
    fn run(
        &self,
        py: Python<'_>,
        method: &str,
        step: f64,
        until: f64,
        start: Option<&Bound<'_, PyAny>>,
        observe: Option<Vec<String>>,
        every: u64,
        seed: Option<u64>,
        boltzmann: f64,
        out: Option<PathBuf>,
        plot: Option<PathBuf>,
        view: Option<PathBuf>,
        report: Option<PathBuf>,
        checkpoint: Option<PathBuf>,
        checkpoint_every: &str,
        restart: bool,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Run> {
        let options = options.map_or_else(|| Ok(Map::new()), |options| convert::fields(options, 0))?;
        let option = |(name, value): (String, Value)| match value {
            Value::String(word) => format!("{name}={word}"),
            value => format!("{name}={value}"),
        };
        let arguments = arguments::Run {
            model: self.choice(),
            method: method.to_owned(),
            with: options.into_iter().map(option).collect(),
            step,
            until,
            start: None,
            observe: observe.unwrap_or_default(),
            boltzmann,
            radial: None,
            reach: None,
            bins: arguments::BINS,
            observe_window: None,
            every,
            out,
            plot,
            view,
            report,
            checkpoint: checkpoint.clone(),
            checkpoint_every: interval(checkpoint_every).map_err(PyValueError::new_err)?,
            restart,
            seed,
            format: Format::Json,
        };
        let start = start.map(convert::state).transpose()?;
        let (registry, mut rows) = (self.registry, Rows::default());
        let said = work(py, |streams| {
            run::run(registry, &arguments, Inside { start, note: None, rows: Some(&mut rows) }, streams)
        })?;
        Run::of(py, rows, said, checkpoint, Origin { registry, arguments })
    }

    /// The energy v · ∂L/∂v − L at a state; at the start unless it is given.
    #[pyo3(signature = (q=None, v=None, t=0.0))]
    fn energy(&self, q: Option<&Bound<'_, PyAny>>, v: Option<&Bound<'_, PyAny>>, t: f64) -> PyResult<f64> {
        let (q, v) = (self.positions(q)?, self.entries(v, "v", |state| &state.v)?);
        Ok(self.instance.system.lagrangian().energy(&q, &v, t))
    }

    /// L(q, v, t).
    #[pyo3(signature = (q=None, v=None, t=0.0))]
    fn lagrangian(
        &self,
        q: Option<&Bound<'_, PyAny>>,
        v: Option<&Bound<'_, PyAny>>,
        t: f64,
    ) -> PyResult<f64> {
        let (q, v) = (self.positions(q)?, self.entries(v, "v", |state| &state.v)?);
        Ok(self.instance.system.lagrangian().lagrangian(&q, &v, t))
    }

    /// The potential V(q, t) of a model with constant mass.
    #[pyo3(signature = (q=None, t=0.0))]
    fn potential(&self, q: Option<&Bound<'_, PyAny>>, t: f64) -> PyResult<f64> {
        let natural = self.instance.system.natural().ok_or_else(|| self.missing("potential", NATURAL))?;
        Ok(natural.potential(&self.positions(q)?, t))
    }

    /// ∇V(q, t), an array of length n.
    #[pyo3(signature = (q=None, t=0.0))]
    fn gradient<'py>(
        &self,
        py: Python<'py>,
        q: Option<&Bound<'_, PyAny>>,
        t: f64,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let natural = self.instance.system.natural().ok_or_else(|| self.missing("gradient", NATURAL))?;
        let q = self.positions(q)?;
        let mut gradient = vec![0.0; q.len()];
        natural.potential_gradient(&q, t, &mut gradient);
        Ok(array(py, gradient))
    }

    /// Hess V(q, t), a `csc_matrix` of SciPy, n × n.
    #[pyo3(signature = (q=None, t=0.0))]
    fn hessian<'py>(
        &self,
        py: Python<'py>,
        q: Option<&Bound<'_, PyAny>>,
        t: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let natural = self.instance.system.natural().ok_or_else(|| self.missing("hessian", NATURAL))?;
        natural.affords_second_derivatives().map_err(|error| raised(&error.into()))?;
        symmetric(py, &natural.hessian(&self.positions(q)?, t))
    }

    /// The mass matrix ∂²L/∂v∂v, a `csc_matrix` of SciPy, n × n.
    #[pyo3(signature = (q=None, v=None, t=0.0))]
    fn mass<'py>(
        &self,
        py: Python<'py>,
        q: Option<&Bound<'_, PyAny>>,
        v: Option<&Bound<'_, PyAny>>,
        t: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let lagrangian = self.instance.system.lagrangian();
        if let Some(mass) = lagrangian.natural_mass() {
            return symmetric(py, mass);
        }
        lagrangian.affords_second_derivatives().map_err(|error| raised(&error.into()))?;
        let (q, v) = (self.positions(q)?, self.entries(v, "v", |state| &state.v)?);
        symmetric(py, &lagrangian.mass_matrix(&q, &v, t))
    }

    /// The constraints g(q, t), an array of length m.
    #[pyo3(signature = (q=None, t=0.0))]
    fn constraints<'py>(
        &self,
        py: Python<'py>,
        q: Option<&Bound<'_, PyAny>>,
        t: f64,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let system = self.instance.system.lagrangian().holonomic();
        let system =
            system.ok_or_else(|| self.missing("constraints", "it declares none with #[holonomic]"))?;
        let mut values = vec![0.0; system.constraints()];
        system.constraint_values(&self.positions(q)?, t, &mut values);
        Ok(array(py, values))
    }

    /// ∂g/∂q, a `csc_matrix` of SciPy, m × n.
    #[pyo3(signature = (q=None, t=0.0))]
    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        q: Option<&Bound<'_, PyAny>>,
        t: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let system = self.instance.system.lagrangian().holonomic();
        let system =
            system.ok_or_else(|| self.missing("jacobian", "it declares no constraints with #[holonomic]"))?;
        let RowMatrix { pattern, values } = system.jacobian_matrix(&self.positions(q)?, t);
        let (rows, columns) = pattern.entries().map(|(row, column)| (row as i64, column as i64)).unzip();
        sparse(py, (rows, columns, values), [system.constraints(), system.dimension()])
    }

    /// What is known about the model, as a text; as a dictionary with `format="json"`, for a document with `format="latex"`.
    #[pyo3(signature = (format="text"))]
    fn describe<'py>(&self, py: Python<'py>, format: &str) -> PyResult<Bound<'py, PyAny>> {
        let parsed = match format {
            "text" => DescribeFormat::Text,
            "json" => DescribeFormat::Json,
            "latex" => DescribeFormat::Latex,
            other => {
                let words = format!("no format `{other}`; there are: text, json, latex");
                return Err(PyValueError::new_err(words));
            }
        };
        let arguments = Describe { model: self.choice(), plot: None, format: parsed };
        let registry = self.registry;
        let text = said(py, |streams| describe::describe(registry, &arguments, streams))?;
        if parsed == DescribeFormat::Json {
            convert::object(py, &text)
        } else {
            Ok(text.into_pyobject(py)?.into_any())
        }
    }

    /// Every derivative beside dual numbers and finite differences, as a dictionary.
    #[pyo3(signature = (seed=1))]
    fn check<'py>(&self, py: Python<'py>, seed: u64) -> PyResult<Bound<'py, PyAny>> {
        let arguments = Eval {
            model: self.choice(),
            start: None,
            what: Vec::new(),
            direction: None,
            penalty: None,
            check: true,
            seed,
            format: Format::Json,
        };
        let registry = self.registry;
        let said = work(py, |streams| eval::eval(registry, &arguments, streams))?;
        // A disagreement is told by the report itself.
        if matches!(said.outcome, Err(Error::Disagreement { .. })) {
            return convert::object(py, &said.out);
        }
        convert::object(py, &said.text(py)?)
    }

    /// The state on the constraints, or with `omega` on a slow manifold, that is nearest to a guess, as a dictionary.
    #[pyo3(signature = (start=None, **options))]
    fn project<'py>(
        &self,
        py: Python<'py>,
        start: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = options.map_or_else(|| Ok(Map::new()), |options| convert::fields(options, 0))?;
        let with = options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let arguments = Project { model: self.choice(), start: None, with, format: Format::Json };
        let start = start.map(convert::state).transpose()?;
        let registry = self.registry;
        let text = said(py, |streams| project::project(registry, &arguments, start, streams))?;
        convert::object(py, &text)
    }
}

/// The reason for which a model has no potential.
const NATURAL: &str = "it belongs to L = ½ v·M v − V(q, t) with constant M";
