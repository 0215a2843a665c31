use super::observer::{Moment, Observer, Summary, drive_kept};
use super::quantity::{Measured, Quantity};
use super::recording::Recorder;
use super::{
    Checkpoint, CheckpointError, CheckpointFile, Interrupted, Interval, Keeper, Plan, Recording, RunError,
    SavedRun, SystemIdentity, Watch,
};
use crate::error::StartError;
use crate::method::{Event, Method, Passed, Stepper};
use crate::system::{Layout, Signal, State, System, Text};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Starts `method` on `system` from `start` with steps of size `step`.
///
/// The compiler refuses a method that does not fit the system, and names the missing requirement.
/// The step and the end of the run are in the time unit of the model.
///
/// ```
/// use least_action::drive::integrate;
/// use least_action::method::VariationalMidpoint;
/// use least_action::prelude::*;
///
/// struct Pendulum { length: f64 }
///
/// #[lagrangian]
/// impl Pendulum {
///     fn lagrangian(&self, angle: Angle) -> Scalar {
///         0.5 * (self.length * der(angle)).powi(2) + 9.81 * self.length * angle.cos()
///     }
/// }
///
/// let (system, start) = (Pendulum { length: 0.5 }.bind()?, State::at_rest(vec![1.0]));
/// let method = VariationalMidpoint::default();
/// let run = integrate(&system, &method, start, 0.01)?.until(2.0).every(10).record()?;
/// assert_eq!(run.len(), 21);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// An option is out of range, the state does not fit the system or is not finite,
/// or the start violates the constraints.
pub fn integrate<'s, S, M>(
    system: &'s S,
    method: &M,
    start: State,
    step: f64,
) -> Result<Simulation<'s>, StartError>
where
    S: System + ?Sized,
    M: Method<S>,
{
    let of = (system.name(), system.dimension());
    let by = (M::NAME, options(method));
    let run = SavedRun::new(of, SystemIdentity::default(), by, step, String::new());
    let begin = start.clone();
    // Erased: with the stepper's type in the signature,
    // rustc would repeat the refusal of a method at every use.
    let stepper: Box<dyn Stepper + 's> = Box::new(method.start(system, start, step)?);
    let layout = system.layout();
    Ok(Simulation {
        stepper,
        watch: Watch::of(system),
        layout,
        signals: system.signals(),
        identify: Box::new(|start| SystemIdentity::of(system, start)),
        end: begin.t + step,
        begin,
        run,
        every: 1,
        quantities: Vec::new(),
        observers: Vec::new(),
        checkpoint: None,
        restart: false,
        stop: None,
        resumed: None,
    })
}

/// A method with its options, to the last bit.
fn options(method: &impl std::fmt::Debug) -> String {
    format!("{method:?}")
}

/// Continues a run from its checkpoint, with its system, method, options, quantities and observers,
/// which must be added again: to the bit, it takes the steps that the run would have taken.
///
/// ```no_run
/// # use least_action::{drive::{Interval, integrate, resume}, method::Verlet, system::{Natural, State}};
/// # use std::{path::Path, time::Duration};
/// # fn example(system: &dyn Natural, start: State) -> Result<(), Box<dyn std::error::Error>> {
/// let file = Path::new("run.checkpoint");
/// let every = Interval::Time(Duration::from_secs(60));
/// integrate(system, &Verlet, start, 0.01)?.until(1e5).every(100).checkpoint(file, every).record()?;
/// // … and, should the process have ended before:
/// let recording =
///     resume(system, &Verlet, file)?.until(1e5).every(100).checkpoint(file, every).record()?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// The checkpoint cannot be read, or has another system or method: other parameters, signals, forces or
/// options, or a declaration that has changed.
pub fn resume<'s, S, M>(system: &'s S, method: &M, file: &Path) -> Result<Simulation<'s>, CheckpointError>
where
    S: System + ?Sized,
    M: Method<S>,
{
    let Checkpoint { run, start, words } = Checkpoint::read(file)?;
    let (name, dimension) = (system.name(), system.dimension());
    if (&*run.system, run.dimension, &*run.method) != (name, dimension, M::NAME) {
        let (run, system) = (Box::new(run), name.to_owned());
        return Err(CheckpointError::OtherRun { run, system, dimension, method: M::NAME });
    }
    if let Some(part) = SystemIdentity::of(system, &start).difference(&run.identity) {
        return Err(CheckpointError::OtherSystem { system: name.to_owned(), part });
    }
    let given = options(method);
    if given != run.options {
        return Err(CheckpointError::OtherOptions { saved: run.options, given });
    }
    let begun = integrate(system, method, start, run.step());
    let begun = begun.map_err(|error| CheckpointError::Start(Box::new(error)))?;
    Ok(Simulation { resumed: Some((file.to_owned(), words)), ..begun })
}

/// A run in preparation; [`Simulation::record`] or [`Simulation::run`] starts it.
#[must_use = "nothing runs before `.record()` or `.run()`"]
pub struct Simulation<'s> {
    stepper: Box<dyn Stepper + 's>,
    watch: Watch<'s>,
    layout: &'s Layout,
    signals: &'s [(Text, Signal)],
    /// The identity of the system for a run that begins at a state.
    identify: Box<dyn Fn(&State) -> SystemIdentity + 's>,
    begin: State,
    run: SavedRun,
    end: f64,
    every: u64,
    quantities: Vec<Box<dyn Quantity + 's>>,
    observers: Vec<Box<dyn Observer + 's>>,
    checkpoint: Option<(PathBuf, Interval)>,
    /// True if a saved run may be replaced.
    restart: bool,
    stop: Option<&'s AtomicBool>,
    /// The checkpoint to continue from, and its words.
    resumed: Option<(PathBuf, Vec<u64>)>,
}

impl<'s> Simulation<'s> {
    /// Sets the end of the run, which [`Plan::until`] meets; without it the run takes one step.
    pub fn until(self, end: f64) -> Self {
        Self { end, ..self }
    }

    /// Observes each `every`-th step, beside the first and the last; without it, every step.
    pub fn every(self, every: u64) -> Self {
        Self { every, ..self }
    }

    /// Records `measure` of each observed state in a column of this name.
    pub fn observe(self, name: impl Into<String>, measure: impl FnMut(&State) -> f64 + 's) -> Self {
        self.measure(Measured::new(name, measure))
    }

    /// Records a quantity, such as [`Energy`](super::Energy).
    pub fn measure(mut self, quantity: impl Quantity + 's) -> Self {
        self.quantities.push(Box::new(quantity));
        self
    }

    /// Shows the observed moments to an observer, such as a progress bar or a file.
    pub fn watch(mut self, observer: impl Observer + 's) -> Self {
        self.observers.push(Box::new(observer));
        self
    }

    /// Looks for an event: one that the model declares, by its name, or one with a value of its own. The
    /// run may [end](Event::ending_after) there; [`Recording::moments`] has all.
    ///
    /// ```
    /// # use least_action::{drive::integrate, method::{Event, Verlet}, prelude::*};
    /// # struct Throw;
    /// # #[lagrangian]
    /// # impl Throw {
    /// #     fn lagrangian(&self, ball: Vec2) -> Scalar {
    /// #         0.5 * der(ball).norm_squared() - 9.81 * ball.y
    /// #     }
    /// # }
    /// let (system, start) = (Throw.bind()?, State::new(vec![0.0, 0.0], vec![3.0, 4.0]));
    /// let landing = Event::of("landing", |state| state.q[1]).falling().ending_after(1);
    /// let run = integrate(&system, &Verlet, start, 0.01)?.until(10.0).event(landing)?.record()?;
    /// let end = run.times().last().ok_or("a run has a start")?;
    /// assert!((end - 2.0 * 4.0 / 9.81).abs() < 1e-14);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The model declares no event of this name, or the method looks for none.
    pub fn event(mut self, event: Event) -> Result<Self, StartError> {
        self.stepper.look_for(event)?;
        Ok(self)
    }

    /// Calls `act` at each moment of this name.
    pub fn on(self, name: impl Into<String>, act: impl FnMut(&Passed) + 's) -> Self {
        self.watch(Callback { name: name.into(), act })
    }

    /// Saves the run to a file in intervals, when it is stopped, and at its end, so that it can
    /// [`resume`]: all that method, watch, quantities and observers carry, and the records. The memory
    /// of a closure is not saved.
    ///
    /// No other run can save to the file at this time.
    /// A file that is not a checkpoint is never replaced; the checkpoint of another run only by
    /// [`restart`](Self::restart).
    pub fn checkpoint(mut self, file: impl Into<PathBuf>, interval: Interval) -> Self {
        self.run.identity = (self.identify)(&self.begin);
        Self { checkpoint: Some((file.into(), interval)), ..self }
    }

    /// Starts a new run over a [checkpoint](Self::checkpoint) that could be continued.
    pub fn restart(self) -> Self {
        Self { restart: true, ..self }
    }

    /// Stops the run after the step in which `stop` becomes true, with [`RunError::Stopped`].
    pub fn stopped_by(self, stop: &'s AtomicBool) -> Self {
        Self { stop: Some(stop), ..self }
    }

    /// Runs, and returns the table of all observed moments;
    /// [`Recording::verdict`] says if they can be believed.
    ///
    /// # Errors
    /// A step or an observer failed, the run has blown up, or the plan is invalid;
    /// the error holds all records until the last good state.
    pub fn record(mut self) -> Result<Recording, Box<Interrupted>> {
        let recorder = Recorder::new(self.layout, std::mem::take(&mut self.quantities));
        let mut recorder = recorder.with_moments(self.layout, self.stepper.moment_names());
        let outcome = self.drive(Some(&mut recorder));
        let mut recording = recorder.recording;
        recording.judged(self.watch.verdict());
        match outcome {
            Ok(_) => Ok(recording),
            Err(error) => Err(Box::new(Interrupted { recording, error })),
        }
    }

    /// Runs without recording, and returns the stepper with its last state,
    /// the cost of the run and its verdict.
    ///
    /// # Errors
    /// A step or an observer failed, the run has blown up, or the plan is invalid.
    pub fn run(mut self) -> Result<(Box<dyn Stepper + 's>, Summary), RunError> {
        let summary = self.drive(None)?;
        Ok((self.stepper, summary))
    }

    fn drive(&mut self, recorder: Option<&mut Recorder<'_>>) -> Result<Summary, RunError> {
        let Self { stepper, watch, begin, run, end, every, checkpoint, restart, stop, resumed, .. } = self;
        let plan = Plan::until(begin.t, *end, run.step())?.every(*every);
        let plan = plan.within(self.signals, begin.t, run.step())?;
        let recorder = recorder.map(|recorder| recorder as &mut dyn Observer);
        let others = self.observers.iter_mut().map(|observer| observer.as_mut() as &mut dyn Observer);
        let mut observers: Vec<&mut dyn Observer> = recorder.into_iter().chain(others).collect();
        let mut keeper = Keeper::default();
        if let Some((file, interval)) = checkpoint {
            let is_own = resumed.as_ref().is_some_and(|(from, _)| is_one(from, file));
            let file = CheckpointFile::take(file)?;
            if !(is_own || *restart) {
                file.check_new()?;
            }
            keeper = keeper.saving(*interval, move |words| Ok(file.write(run, begin, words)?));
        }
        if let Some(stop) = stop {
            keeper = keeper.stopped_by(stop);
        }
        if let Some((_, words)) = resumed {
            keeper = keeper.resuming(words);
        }
        drive_kept(stepper.as_mut(), plan, watch, &mut observers, &mut keeper)
    }
}

/// A closure that is called at moments of a name.
struct Callback<F> {
    name: String,
    act: F,
}

impl<F: FnMut(&Passed)> Observer for Callback<F> {
    fn observe(&mut self, _: &Moment<'_>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }

    fn pass(&mut self, name: &str, passed: &Passed) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let is_row = name.strip_prefix(&*self.name).is_some_and(|rest| rest.starts_with('['));
        if name == self.name || is_row {
            (self.act)(passed);
        }
        Ok(())
    }
}

/// True if two names lead to one file.
fn is_one(a: &Path, b: &Path) -> bool {
    let [a, b] = [a, b].map(|path| path.canonicalize().ok());
    a.is_some() && a == b
}

crate::shown::shown!([] Simulation<'_>, |own| "Simulation" { run: own.run, end: own.end, every: own.every });
