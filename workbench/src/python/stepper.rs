//! A run that a program steps: states and inputs go in, states come out.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use least_action::system::State;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PySlice, PyString};
use serde_json::{Map, Value};

use super::engine::{Call, Choice, Desk, Engine};
use super::inputs::{Inputs, held};

use super::work::{line, log, raised, warn};
use super::{RunError, convert};
use crate::arguments::Request;
use crate::error::{Error, MISTAKE};
use crate::prepared::Prepared;
use crate::registry::{Instance, Registry};
use crate::start::fitting;

/// Steps that take longer release the lock of the interpreter.
const BRIEF: Duration = Duration::from_micros(100);
/// The interpreter is asked this often if somebody has pressed Ctrl-C.
const OFTEN: Duration = Duration::from_millis(50);

/// A run that stands between two steps.
#[pyclass(module = "least_action")]
pub(super) struct Stepper {
    /// Locked only so that threads may share it: whoever steps has it alone.
    engine: Mutex<Engine>,
    /// The inputs, which are held during a step.
    #[pyo3(get)]
    inputs: Py<Inputs>,
    /// The inputs of the last step.
    taken: Vec<f64>,
    /// The positions, and the velocities behind them.
    own: Py<PyArray1<f64>>,
    /// The positions: one array for all times, which steps write over and nobody else.
    #[pyo3(get)]
    q: Py<PyAny>,
    /// The velocities, likewise.
    #[pyo3(get)]
    v: Py<PyAny>,
    /// The names of the entries of q.
    #[pyo3(get)]
    coordinates: Vec<String>,
    /// The time of a step, as the last ones were.
    cost: Duration,
    instance: Arc<Instance>,
    origin: Origin,
    begun: State,
    /// The state from which its method was started last.
    started: State,
    words: String,
}

/// The model of a run that a program steps, and what was asked for.
#[derive(Clone)]
pub(super) struct Origin {
    pub(super) registry: &'static Registry,
    pub(super) instance: Arc<Instance>,
    /// The parameters that were set.
    pub(super) given: Map<String, Value>,
    pub(super) request: Request,
    pub(super) seed: u64,
}

/// The part of an array that nobody can write to through it.
fn shown<'py>(own: &Bound<'py, PyArray1<f64>>, [begin, end]: [usize; 2]) -> PyResult<Bound<'py, PyAny>> {
    let part = own.as_any().get_item(PySlice::new(own.py(), begin as isize, end as isize, 1))?;
    part.getattr("flags")?.setattr("writeable", false)?;
    Ok(part)
}

/// The exception of a stepper, which keeps its last state itself.
fn step_failed(py: Python<'_>, error: &Error) -> PyErr {
    let exception = if error.exit_code() == MISTAKE { raised(error) } else { RunError::new_err(line(error)) };
    match exception.value(py).setattr("run", py.None()) {
        Ok(()) => exception,
        Err(other) => other,
    }
}

impl Stepper {
    /// Starts a method on a model.
    pub(super) fn start(py: Python<'_>, origin: Origin) -> PyResult<Self> {
        let clock = Instant::now();
        let started = || {
            let Origin { registry, instance, given, request, seed } = &origin;
            let (instance, inputs) = held(registry, instance, given)?;
            let motion = Prepared::new(registry, request)?;
            let notes: Vec<String> = motion.notes().collect();
            let Prepared { method, options, step, start, .. } = motion;
            let choice = Choice { method, options, step, seed: *seed };
            let engine = Engine::start(Arc::clone(&instance), choice, start.clone())?;
            let words = format!("{} by {}, step {step}", instance.name, method.name);
            Ok((instance, inputs, engine, (start, words, notes)))
        };
        let (instance, inputs, engine, (begun, words, notes)) =
            started().map_err(|error: Error| raised(&error))?;
        notes.iter().try_for_each(|note| log(py, "info", note))?;
        if let Some(warning) = engine.desk().warning.take() {
            warn(py, &warning)?;
        }
        let (n, own) = (begun.q.len(), PyArray1::from_slice(py, &[&*begun.q, &begun.v].concat()));
        let (q, v) = (shown(&own, [0, n])?, shown(&own, [n, 2 * n])?);
        let taken = inputs.values().collect();
        Ok(Self {
            engine: Mutex::new(engine),
            inputs: Py::new(py, inputs)?,
            taken,
            own: own.unbind(),
            q: q.unbind(),
            v: v.unbind(),
            coordinates: convert::coordinates(instance.system.lagrangian().layout()),
            cost: clock.elapsed(),
            words,
            instance,
            origin,
            started: begun.clone(),
            begun,
        })
    }

    fn engine(&mut self) -> &mut Engine {
        self.engine.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the inputs, and says if some have changed.
    fn take_inputs(&mut self, py: Python<'_>) -> bool {
        let Self { inputs, taken, .. } = self;
        let mut changed = false;
        for (before, now) in taken.iter_mut().zip(inputs.bind(py).get().values()) {
            changed |= before.to_bits() != now.to_bits();
            *before = now;
        }
        changed
    }

    fn advance(&mut self, py: Python<'_>, count: u64) -> PyResult<()> {
        let (mut left, mut forgets) = (count, count > 0 && self.take_inputs(py));
        while left > 0 {
            let cost = self.cost.max(Duration::from_nanos(10));
            let part = left.min((OFTEN.as_nanos() / cost.as_nanos()).max(1) as u64);
            let is_brief = cost.as_nanos() * u128::from(part) < BRIEF.as_nanos();
            let engine = self.engine();
            let clock = Instant::now();
            let mut step = || engine.call(Call::Step { count: part, forgets });
            let outcome = if is_brief { step() } else { py.detach(step) };
            self.cost = clock.elapsed() / u32::try_from(part).unwrap_or(u32::MAX);
            if let Err(error) = outcome {
                // Inputs may not have been taken.
                self.taken.fill(f64::NAN);
                return Err(step_failed(py, &error));
            }
            (left, forgets) = (left - part, false);
            if !is_brief {
                py.check_signals()?;
            }
        }
        Ok(())
    }

    /// Writes the state over the arrays.
    fn show(&mut self, py: Python<'_>) -> PyResult<()> {
        let Self { engine, own, .. } = self;
        let desk = engine.get_mut().unwrap_or_else(PoisonError::into_inner).desk();
        let mut own = own.bind(py).try_readwrite()?;
        let (q, v) = own.as_slice_mut()?.split_at_mut(desk.state.q.len());
        q.copy_from_slice(&desk.state.q);
        v.copy_from_slice(&desk.state.v);
        Ok(())
    }

    fn begin(&mut self, py: Python<'_>, state: State) -> PyResult<()> {
        self.engine().call(Call::Begin(state.clone())).map_err(|error| raised(&error))?;
        self.started = state;
        self.show(py)
    }

    fn desk<R>(&self, read: impl FnOnce(&Desk) -> R) -> R {
        read(&self.engine.lock().unwrap_or_else(PoisonError::into_inner).desk())
    }
}

#[pymethods]
impl Stepper {
    /// Takes n steps; inputs that are given by name are held from here on.
    #[pyo3(signature = (n=1, /, **inputs))]
    fn step(&mut self, py: Python<'_>, n: u64, inputs: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        if let Some(inputs) = inputs {
            let held = self.inputs.bind(py).get();
            for (name, value) in inputs {
                held.__setitem__(name.cast::<PyString>()?.to_str()?, value.extract()?)?;
            }
        }
        let outcome = self.advance(py, n);
        self.show(py)?;
        outcome
    }

    /// The time.
    #[getter]
    fn t(&self) -> f64 {
        self.desk(|desk| desk.state.t)
    }

    /// The steps since the start, or since the last state that was set.
    #[getter]
    fn steps(&self) -> u64 {
        self.desk(|desk| desk.steps)
    }

    /// The energy of the state.
    #[getter]
    fn energy(&mut self) -> PyResult<f64> {
        self.engine().call(Call::Energy).map_err(|error| raised(&error))?;
        Ok(self.desk(|desk| desk.energy))
    }

    /// The multipliers of the constraints at the state, by methods that compute them.
    #[getter]
    fn multipliers<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.desk(|desk| desk.multipliers.as_ref().map(|numbers| PyArray1::from_slice(py, numbers)))
    }

    /// A copy of the state, `{"t": …, "q": …, "v": …}`, which is a start.
    #[getter]
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.desk(|desk| convert::copy(py, &desk.state))
    }

    /// Goes on from another state, as if the run were started there, at the time t or at the present
    /// one.
    /// A state that the model or the method refuses changes nothing.
    #[pyo3(signature = (q, v, t=None))]
    fn set_state(
        &mut self,
        py: Python<'_>,
        q: &Bound<'_, PyAny>,
        v: &Bound<'_, PyAny>,
        t: Option<f64>,
    ) -> PyResult<()> {
        let t = t.unwrap_or_else(|| self.t());
        let state = State { t, q: convert::numbers(q, "q")?, v: convert::numbers(v, "v")? };
        let layout = self.instance.system.lagrangian().layout();
        let state = fitting(state, layout).map_err(|error| raised(&error))?;
        self.begin(py, state)
    }

    /// Another run that stands where this one does, and goes on to the same bits.
    fn __copy__(&mut self, py: Python<'_>) -> PyResult<Self> {
        self.engine().call(Call::Save).map_err(|error| raised(&error))?;
        let (words, steps) = self.desk(|desk| (desk.words.clone(), desk.steps));
        let mut copy = Self::start(py, self.origin.clone())?;
        copy.begin(py, self.started.clone())?;
        copy.engine().call(Call::PutBack(words, steps)).map_err(|error| raised(&error))?;
        copy.inputs.bind(py).get().copy_from(self.inputs.bind(py).get())?;
        (copy.taken, copy.begun) = (self.taken.clone(), self.begun.clone());
        copy.show(py)?;
        Ok(copy)
    }

    fn __deepcopy__(&mut self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.__copy__(py)
    }

    /// Goes back to the start.
    fn reset(&mut self, py: Python<'_>) -> PyResult<()> {
        let state = self.begun.clone();
        self.begin(py, state)
    }

    fn __repr__(&self) -> String {
        format!("<{}, at t = {:?}>", self.words, self.t())
    }
}
