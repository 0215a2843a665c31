//! A model with its parameters.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use clap::ValueEnum;
use numpy::PyArray1;
use pyo3::exceptions::{PyAttributeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};
use serde_json::{Map, Value};

use least_action::system::State;

use super::asked::{asked, texts};
use super::derivatives::Derivatives;
use super::fit::{Residuals, to_fit};
use super::gradient::{Given, Gradient};
use super::live::LivePage;
use super::parameters::Parameters;
use super::run::Run;
use super::stepper::{Origin, Stepper};
use super::work::{raised, work};
use super::{Home, convert, home, words};
use crate::arguments::{
    AskedControl, By, Describe, DescribeFormat, Eval, ModelChoice, Project, Request, Until,
};
use crate::error::{Error, Result};
use crate::live::whole;
use crate::output::Rows;
use crate::run::{self, Inside};
use crate::streams::Streams;
use crate::{arguments, control, describe, eval, fit, methods, project};

/// A mechanical system: a declared model, bound to parameters.
#[pyclass(subclass, frozen, module = "least_action")]
pub(super) struct Model {
    home: &'static Home,
    bound: RwLock<Arc<Parameters>>,
}

impl Model {
    fn bound(&self) -> Arc<Parameters> {
        Arc::clone(&self.bound.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Binds other parameters, all or none.
    fn rebind(&self, py: Python<'_>, set: Map<String, Value>) -> PyResult<()> {
        let bound = py.detach(|| self.bound().with(set)).map_err(|error| raised(&error))?;
        *self.bound.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(bound);
        Ok(())
    }

    /// The model and its parameters, as the command has them.
    fn choice(&self) -> ModelChoice {
        let bound = self.bound();
        let set = bound.given.iter().map(|(name, value)| format!("{name}={value}")).collect();
        ModelChoice { name: bound.instance.name.clone(), set, params: None, memory: None }
    }

    /// A run of this model.
    fn asked(
        &self,
        method: Option<String>,
        arguments: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<arguments::Run> {
        let model = self.choice();
        let (asked, start): (arguments::Run, _) = asked(&model.name, arguments)?;
        let Request { by, until, .. } = asked.request;
        let by = By { method: method.or(by.method), ..by };
        Ok(arguments::Run { request: Request { model, by, until, start }, ..asked })
    }

    /// Reads a state; the start of the model where none is given.
    fn at<R>(
        &self,
        (q, v, t): (Given<'_, '_>, Given<'_, '_>, f64),
        read: impl FnOnce(&Derivatives, &State) -> R,
    ) -> PyResult<R> {
        let bound = self.bound();
        let start = &bound.instance.start;
        let entries = |given: Given<'_, '_>, name: &str, own: &Vec<f64>| {
            let numbers = given.map_or_else(|| Ok(own.clone()), |given| convert::numbers(given, name))?;
            if numbers.len() == own.len() {
                return Ok(numbers);
            }
            let (given, n) = (numbers.len(), own.len());
            Err(PyValueError::new_err(format!("`{name}` has length {given}, but the model needs {n}")))
        };
        let state = State { t, q: entries(q, "q", &start.q)?, v: entries(v, "v", &start.v)? };
        Ok(read(&Derivatives(Arc::clone(&bound.instance)), &state))
    }

    fn unknown(&self, name: &str, is: &str) -> PyErr {
        let bound = self.bound();
        let (class, near, known) = (self.home.class(&bound.instance.name), bound.near(name), bound.names());
        PyAttributeError::new_err(format!(
            "`{class}` has {is} `{name}`{near}; its parameters are: {}",
            known.join(", ")
        ))
    }
}

/// The text that `command` prints.
fn said(py: Python<'_>, command: impl FnOnce(&mut Streams<'_>) -> Result + Send) -> PyResult<String> {
    work(py, command)?.text(py)
}

/// An array, or anything else of Python, that a method gives.
type Array<'py> = PyResult<Bound<'py, PyArray1<f64>>>;
type Object<'py> = PyResult<Bound<'py, PyAny>>;

#[pymethods]
impl Model {
    #[new]
    #[classmethod]
    #[pyo3(signature = (**parameters))]
    fn new(class: &Bound<'_, PyType>, parameters: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let home = home(class)?;
        let name: String = class.getattr("_model")?.extract()?;
        let given = parameters.map_or_else(|| Ok(Map::new()), |parameters| convert::fields(parameters, 0))?;
        let bound = class.py().detach(|| Parameters::bind(home, &name, given));
        let bound = bound.map_err(|error| raised(&error))?;
        Ok(Self { home, bound: RwLock::new(Arc::new(bound)) })
    }

    /// The parameters of the model by name, each also an attribute that can be set.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> Object<'py> {
        convert::object(py, &self.bound().all().to_string())
    }

    /// Sets parameters, all of them or none: some only fit together.
    #[pyo3(signature = (**parameters))]
    fn set(&self, parameters: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        parameters.map_or(Ok(()), |given| self.rebind(given.py(), convert::fields(given, 0)?))
    }

    /// A parameter of the model.
    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> Object<'py> {
        match self.bound().get(name) {
            Some(value) => convert::object(py, &value.to_string()),
            None => Err(self.unknown(name, "neither a parameter nor a method")),
        }
    }

    /// Binds the model to another value of a parameter; a value that is refused changes nothing.
    fn __setattr__(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        if self.bound().get(name).is_none() {
            return Err(self.unknown(name, "no parameter"));
        }
        self.rebind(value.py(), Map::from_iter([(name.to_owned(), convert::value(value)?)]))
    }

    /// The methods, and the parameters.
    fn __dir__(slf: &Bound<'_, Self>) -> PyResult<Vec<String>> {
        let own = slf.py().get_type::<PyAny>().call_method1("__dir__", (slf,))?;
        let mut names: Vec<String> = own.extract()?;
        names.extend(slf.get().bound().names());
        Ok(names)
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyAny>)> {
        let given = Value::Object(self.bound().given.clone()).to_string();
        Ok((PyTuple::empty(py), convert::object(py, &given)?))
    }

    /// True for the same model with the same parameters.
    fn __eq__(&self, other: &Self) -> bool {
        let [one, two] = [self.bound(), other.bound()];
        let is_of_it = std::ptr::eq(self.home, other.home) && one.instance.name == two.instance.name;
        is_of_it && one.all() == two.all()
    }

    /// The equations of motion, in a notebook.
    fn _repr_latex_(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("$\\displaystyle {}$", self.describe(py, "latex")?))
    }

    fn __repr__(&self) -> String {
        let bound = self.bound();
        format!("{}({})", self.home.class(&bound.instance.name), bound.shown())
    }

    /// The names of the entries of q.
    #[getter]
    fn coordinates(&self) -> Vec<String> {
        convert::coordinates(self.bound().instance.system.lagrangian().layout())
    }

    /// The constraints, row by row: `{"kind": "holonomic", "name": …}`, in the order of the multipliers.
    #[getter]
    fn constraint_rows<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let row = |(kind, name): (&str, String)| {
            let row = PyDict::new(py);
            row.set_item("kind", kind)?;
            row.set_item("name", name)?;
            Ok(row)
        };
        Derivatives(Arc::clone(&self.bound().instance)).rows().into_iter().map(row).collect()
    }

    /// The model's own initial state: `{"t": …, "q": …, "v": …}`.
    #[getter]
    fn initial<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        convert::copy(py, &self.bound().instance.start)
    }

    /// The names of the methods that fit the model.
    #[getter]
    fn methods(&self) -> Vec<&'static str> {
        let fits = methods::fits(&self.bound().instance);
        fits.into_iter().filter(|fit| fit.fits).map(|fit| fit.method).collect()
    }

    /// Integrates, with the bits of the command `run`, which also chooses what is not given.
    /// Arguments are the flags of the command by their names, and options of the method, such as
    /// `beta=0.4`.
    #[pyo3(signature = (method=None, **arguments), text_signature = "($self, method=None, *, step=None, until=None, \
        start=None, observe=None, every=None, seed=None, boltzmann=1.0, out=None, plot=None, view=None, report=None, \
        section=None, events=None, checkpoint=None, checkpoint_every='60s', restart=False, **options)")]
    fn run(
        &self,
        py: Python<'_>,
        method: Option<String>,
        arguments: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Run> {
        let asked = self.asked(method, arguments)?;
        let (home, mut rows, mut completed) = (self.home, Rows::default(), asked.clone());
        let said = work(py, |streams| {
            let inside = Inside { stopped: None, rows: Some(&mut rows), completed: Some(&mut completed) };
            run::run(&home.registry, &asked, inside, streams)
        })?;
        let origin = super::run::Origin { home, arguments: Some(completed) };
        Run::of(py, rows, said, asked.checkpoint, origin)
    }

    /// Starts a run that the program steps: `stepper.step(n)`, with inputs and states set in between.
    /// Arguments are those of `run`, and what is not given is chosen as there.
    #[pyo3(signature = (method=None, **arguments), text_signature = "($self, method=None, *, step=None, start=None, \
        seed=None, **options)")]
    fn start(
        &self,
        py: Python<'_>,
        method: Option<String>,
        arguments: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Stepper> {
        let asked = self.asked(method, arguments)?;
        // A program ends it.
        let request = Request { until: Until::at(0.0), ..asked.request };
        let (seed, bound) = (asked.seed.unwrap_or_default(), self.bound());
        let (instance, given) = (Arc::clone(&bound.instance), bound.given.clone());
        Stepper::start(py, Origin { registry: &self.home.registry, instance, given, request, seed })
    }

    /// The page of `la.live`, whose module may stand in a folder.
    #[pyo3(signature = (folder, method, /, **arguments))]
    fn _live(
        &self,
        py: Python<'_>,
        folder: Option<PathBuf>,
        method: Option<String>,
        arguments: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<LivePage> {
        let model = self.choice();
        let (asked, start): (Request, _) = asked(&model.name, arguments)?;
        let by = By { method: method.or(asked.by.method), ..asked.by };
        let (request, registry) = (Request { model, by, start, ..asked }, &self.home.registry);
        let name = self.home.class(&request.model.name);
        let page = work(py, move |streams| whole(registry, &request, folder.as_deref(), streams))?;
        Ok(LivePage { model: name, html: page.result(py)?.0 })
    }

    /// A loss with its exact derivative by the start and by the sensitive parameters.
    /// The model moves as in a run: by its method, options and step, from its first row to its end.
    /// A run from the model's own start follows it: the change of the start by a parameter counts.
    /// The loss is a text of the command, `end: bob.x = 0.3`, or a list of texts, which is a sum.
    #[pyo3(signature = (run, loss))]
    fn gradient_of(&self, run: &Bound<'_, Run>, loss: &Bound<'_, PyAny>) -> PyResult<Gradient> {
        let py = run.py();
        if !std::ptr::eq(run.get().origin.home, self.home) {
            return Err(PyValueError::new_err("the run is of a model of another declaration"));
        }
        run.get().motion(py)?.losses(py, self.choice(), &texts("loss", loss)?)
    }

    /// Fits sensitive parameters and entries of the start to recordings, with the numbers of the command
    /// `fit`, as a dictionary.
    /// The data are files, runs, frames, dictionaries of arrays with the times `t`, or a list of them.
    /// `bounds` is a dictionary such as `{"gravity": (0, 20), "masses": (0.1, None)}`, and `prior` one
    /// of values with errors, `{"gravity": (9.81, 0.02)}`; `sensor` frees offsets and scales of columns,
    /// `{"bob.x": "offset, scale"}`.
    #[pyo3(signature = (data, free, **arguments), text_signature = "($self, data, free, *, columns=None, bounds=None, \
        prior=None, sensor=None, loss=None, once=False, segments=1, method=None, step=None, start=None, iterations=200, \
        checkpoint=None, report=None, **options)")]
    fn fit<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
        free: &Bound<'py, PyAny>,
        arguments: Option<Bound<'py, PyDict>>,
    ) -> Object<'py> {
        let asked = to_fit(self.choice(), &self.coordinates(), (data, free), arguments)?;
        let registry = &self.home.registry;
        convert::object(py, &said(py, |streams| fit::fit(registry, &asked, streams))?)
    }

    /// The residuals of a fit for optimizers and samplers of others, with their derivatives: a function
    /// of the free numbers, which holds the data. Its arguments are the ones of `fit`.
    #[pyo3(signature = (data, free, **arguments), text_signature = "($self, data, free, *, columns=None, bounds=None, \
        prior=None, sensor=None, loss=None, method=None, step=None, start=None, **options)")]
    fn residuals(
        &self,
        data: &Bound<'_, PyAny>,
        free: &Bound<'_, PyAny>,
        arguments: Option<Bound<'_, PyDict>>,
    ) -> PyResult<Residuals> {
        let asked = to_fit(self.choice(), &self.coordinates(), (data, free), arguments)?;
        Residuals::new(data.py(), &self.home.registry, &asked)
    }

    /// Finds the inputs that bring the motion to an end, with the numbers of the command `control`, as a
    /// dictionary.
    /// The end is a dictionary, `{"theta": pi, "der": 0}`, and so are bounds, `{"push": (-20, 20)}`.
    #[pyo3(signature = (to, **arguments), text_signature = "($self, to, *, until, input=None, cost=None, bounds=None, \
        pieces=50, course='constant', stretches=None, method=None, step=None, start=None, guess=None, out=None, \
        checkpoint=None, **options)")]
    fn control<'py>(&self, to: &Bound<'py, PyAny>, arguments: Option<Bound<'py, PyDict>>) -> Object<'py> {
        let py = to.py();
        let (model, arguments) = (self.choice(), arguments.unwrap_or_else(|| PyDict::new(py)));
        arguments.set_item("to", to)?;
        let (asked, start): (AskedControl, _) = asked(&model.name, Some(&arguments))?;
        let (asked, registry) = (AskedControl { model, start, ..asked }, &self.home.registry);
        convert::object(py, &said(py, |streams| control::control(registry, &asked, streams))?)
    }

    /// The energy v · ∂L/∂v − L at a state; at the start unless it is given.
    #[pyo3(signature = (q=None, v=None, t=0.0))]
    fn energy(&self, q: Given<'_, '_>, v: Given<'_, '_>, t: f64) -> PyResult<f64> {
        self.at((q, v, t), |of, state| of.0.system.lagrangian().energy(&state.q, &state.v, state.t))
    }

    /// The kinetic energy: the energy less the potential.
    #[pyo3(signature = (q=None, v=None, t=0.0))]
    fn kinetic(&self, q: Given<'_, '_>, v: Given<'_, '_>, t: f64) -> PyResult<f64> {
        self.at((q, v, t), Derivatives::kinetic)
    }

    /// L(q, v, t).
    #[pyo3(signature = (q=None, v=None, t=0.0))]
    fn lagrangian(&self, q: Given<'_, '_>, v: Given<'_, '_>, t: f64) -> PyResult<f64> {
        self.at((q, v, t), |of, state| of.0.system.lagrangian().lagrangian(&state.q, &state.v, state.t))
    }

    /// The potential V(q, t): −L at rest.
    #[pyo3(signature = (q=None, t=0.0))]
    fn potential(&self, q: Given<'_, '_>, t: f64) -> PyResult<f64> {
        self.at((q, None, t), Derivatives::potential)
    }

    /// ∇V(q, t), an array of length n.
    #[pyo3(signature = (q=None, t=0.0))]
    fn gradient<'py>(&self, py: Python<'py>, q: Given<'_, '_>, t: f64) -> Array<'py> {
        Ok(PyArray1::from_vec(py, self.at((q, None, t), Derivatives::gradient)?))
    }

    /// Hess V(q, t), a `csc_matrix` of SciPy, n × n.
    #[pyo3(signature = (q=None, t=0.0))]
    fn hessian<'py>(&self, py: Python<'py>, q: Given<'_, '_>, t: f64) -> Object<'py> {
        self.at((q, None, t), |of, state| of.hessian(py, state))?
    }

    /// The contraction a·V‴(q, t)·a of a model with constant mass, an array of length n.
    #[pyo3(signature = (a, q=None, t=0.0))]
    fn third<'py>(&self, py: Python<'py>, a: &Bound<'py, PyAny>, q: Given<'_, '_>, t: f64) -> Array<'py> {
        // The direction has the length of a velocity, and is checked as one.
        let direction = self.at((None, Some(a), t), |_, state| state.v.clone())?;
        Ok(PyArray1::from_vec(py, self.at((q, None, t), |of, state| of.third(state, &direction))??))
    }

    /// The mass matrix ∂²L/∂v∂v, a `csc_matrix` of SciPy, n × n.
    #[pyo3(signature = (q=None, v=None, t=0.0))]
    fn mass_matrix<'py>(&self, py: Python<'py>, q: Given<'_, '_>, v: Given<'_, '_>, t: f64) -> Object<'py> {
        self.at((q, v, t), |of, state| of.mass(py, state))?
    }

    /// The forces F(q, v, t) that no potential gives, an array of length n.
    #[pyo3(signature = (q=None, v=None, t=0.0))]
    fn force<'py>(&self, py: Python<'py>, q: Given<'_, '_>, v: Given<'_, '_>, t: f64) -> Array<'py> {
        Ok(PyArray1::from_vec(py, self.at((q, v, t), Derivatives::force)??))
    }

    /// The accelerations q̈ of the motion on the constraints, an array of length n.
    #[pyo3(signature = (q=None, v=None, t=0.0))]
    fn accelerations<'py>(&self, py: Python<'py>, q: Given<'_, '_>, v: Given<'_, '_>, t: f64) -> Array<'py> {
        Ok(PyArray1::from_vec(py, self.at((q, v, t), Derivatives::accelerations)??.0))
    }

    /// The constraints g(q, t), an array of length m.
    #[pyo3(signature = (q=None, t=0.0))]
    fn constraints<'py>(&self, py: Python<'py>, q: Given<'_, '_>, t: f64) -> Array<'py> {
        Ok(PyArray1::from_vec(py, self.at((q, None, t), Derivatives::constraints)??))
    }

    /// ∂g/∂q, a `csc_matrix` of SciPy, m × n.
    #[pyo3(signature = (q=None, t=0.0))]
    fn jacobian<'py>(&self, py: Python<'py>, q: Given<'_, '_>, t: f64) -> Object<'py> {
        self.at((q, None, t), |of, state| of.jacobian(py, state))?
    }

    /// The small motions around an equilibrium, M δq̈ + C δq̇ + K δq = Gᵀ δλ, as a dictionary of M, C
    /// and K, and G where there are constraints.
    #[pyo3(signature = (q=None, t=0.0))]
    fn linearize<'py>(&self, py: Python<'py>, q: Given<'_, '_>, t: f64) -> PyResult<Bound<'py, PyDict>> {
        self.at((q, None, t), |of, state| of.linearize(py, state))?
    }

    /// The facts about the model as a text; as a dictionary with `format="json"`, for a document with
    /// `format="latex"`.
    #[pyo3(signature = (format="text"))]
    fn describe<'py>(&self, py: Python<'py>, format: &str) -> Object<'py> {
        let none = |_| PyValueError::new_err(format!("no format `{format}`; there are: text, json, latex"));
        let parsed = DescribeFormat::from_str(format, false).map_err(none)?;
        let arguments = Describe { model: self.choice(), plot: None, format: parsed };
        let registry = &self.home.registry;
        let text = said(py, |streams| describe::describe(registry, &arguments, streams))?;
        match parsed {
            DescribeFormat::Json => convert::object(py, &text),
            DescribeFormat::Text => Ok(words::of_python(&text).into_pyobject(py)?.into_any()),
            DescribeFormat::Latex => Ok(text.into_pyobject(py)?.into_any()),
        }
    }

    /// Every derivative beside dual numbers, as a dictionary.
    #[pyo3(signature = (seed=1))]
    fn check<'py>(&self, py: Python<'py>, seed: u64) -> Object<'py> {
        let (model, arguments) = (self.choice(), PyDict::new(py));
        arguments.set_item("check", true)?;
        arguments.set_item("seed", seed)?;
        let (asked, _): (Eval, _) = asked(&model.name, Some(&arguments))?;
        let (asked, registry) = (Eval { model, ..asked }, &self.home.registry);
        let said = work(py, |streams| eval::eval(registry, &asked, streams))?;
        // A disagreement is told by the report itself.
        if matches!(said.outcome, Err(Error::Disagreement(_))) {
            return convert::object(py, &said.out);
        }
        convert::object(py, &said.text(py)?)
    }

    /// The state on the constraints, or with `omega` on a slow manifold, nearest to a guess, as a
    /// dictionary.
    #[pyo3(signature = (start=None, **options))]
    fn project<'py>(
        &self,
        py: Python<'py>,
        start: Given<'_, 'py>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> Object<'py> {
        let model = self.choice();
        let (asked, _): (Project, _) = asked(&model.name, options)?;
        let start = start.map(convert::start).transpose()?.unwrap_or_default();
        let (asked, registry) = (Project { model, start, ..asked }, &self.home.registry);
        convert::object(py, &said(py, |streams| project::project(registry, &asked, streams))?)
    }
}
