use super::observer::{Observer, Summary, drive};
use super::quantity::{Measured, Quantity};
use super::recording::Recorder;
use super::{Interrupted, Plan, Recording, RunError, Watch};
use crate::error::StartError;
use crate::method::{Method, Stepper};
use crate::system::{Layout, Signal, State, System};

/// Starts `method` on `system` from `start` with steps of size `step`.
///
/// A method that does not fit the system is refused by the compiler, which names the missing requirement.
///
/// # Errors
/// Options out of range, a state that does not fit the system or is not finite, a start off the constraints.
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
    let begin = start.t;
    // Erased: were the type of the stepper in the signature, rustc would repeat a method that does not fit at every use of it.
    let stepper: Box<dyn Stepper + 's> = Box::new(method.start(system, start, step)?);
    let layout = system.layout();
    Ok(Simulation {
        stepper,
        watch: Watch::of(system),
        layout,
        signals: system.signals(),
        begin,
        step,
        end: begin + step,
        every: 1,
        quantities: Vec::new(),
        observers: Vec::new(),
    })
}

/// A run that is being set up; it ends with [`Simulation::record`] or [`Simulation::run`].
#[must_use = "nothing runs before `.record()` or `.run()`"]
pub struct Simulation<'s> {
    stepper: Box<dyn Stepper + 's>,
    watch: Watch<'s>,
    layout: &'s Layout,
    signals: &'s [(&'static str, Signal)],
    begin: f64,
    step: f64,
    end: f64,
    every: u64,
    quantities: Vec<Box<dyn Quantity + 's>>,
    observers: Vec<Box<dyn Observer + 's>>,
}

impl<'s> Simulation<'s> {
    /// The time to run to, of which [`Plan::until`] says how it is met; one step, unless told.
    pub fn until(self, end: f64) -> Self {
        Self { end, ..self }
    }

    /// Observe each `every`-th step, beside the first and the last; every step, unless told.
    pub fn every(self, every: u64) -> Self {
        Self { every, ..self }
    }

    /// Records the value of `measure` at each observed state, in a column of this name.
    pub fn observe(self, name: impl Into<String>, measure: impl FnMut(&State) -> f64 + 's) -> Self {
        self.measure(Measured::new(name, measure))
    }

    /// Records a quantity, such as [`Energy`](super::Energy) or [`ConstraintResidual`](super::ConstraintResidual).
    pub fn measure(mut self, quantity: impl Quantity + 's) -> Self {
        self.quantities.push(Box::new(quantity));
        self
    }

    /// Shows the observed moments to an observer, such as a progress bar or a file.
    pub fn watch(mut self, observer: impl Observer + 's) -> Self {
        self.observers.push(Box::new(observer));
        self
    }

    /// Runs and returns the table of all observed moments; [`Recording::verdict`] says if they can be believed.
    ///
    /// # Errors
    /// A step or an observer failed, the run has blown up, or the plan makes no sense; the error holds everything recorded until the last
    /// good state.
    pub fn record(mut self) -> Result<Recording, Box<Interrupted>> {
        let mut recorder = Recorder::new(self.layout, std::mem::take(&mut self.quantities));
        let outcome = self.drive(Some(&mut recorder));
        let mut recording = recorder.recording;
        recording.judged(self.watch.verdict());
        match outcome {
            Ok(_) => Ok(recording),
            Err(error) => Err(Box::new(Interrupted { recording, error })),
        }
    }

    /// Runs without recording, and returns the stepper with its last state, and the cost of the run and its verdict.
    ///
    /// # Errors
    /// A step or an observer failed, the run has blown up, or the plan makes no sense.
    pub fn run(mut self) -> Result<(Box<dyn Stepper + 's>, Summary), RunError> {
        let summary = self.drive(None)?;
        Ok((self.stepper, summary))
    }

    fn drive(&mut self, recorder: Option<&mut Recorder<'_>>) -> Result<Summary, RunError> {
        let plan = Plan::until(self.begin, self.end, self.step)?.every(self.every);
        let plan = plan.within(self.signals, self.begin, self.step)?;
        let recorder = recorder.map(|recorder| recorder as &mut dyn Observer);
        let others = self.observers.iter_mut().map(|observer| observer.as_mut() as &mut dyn Observer);
        let mut observers: Vec<&mut dyn Observer> = recorder.into_iter().chain(others).collect();
        drive(self.stepper.as_mut(), plan, &mut self.watch, &mut observers)
    }
}

impl std::fmt::Debug for Simulation<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Simulation")
            .field("begin", &self.begin)
            .field("end", &self.end)
            .field("step", &self.step)
            .field("every", &self.every)
            .finish_non_exhaustive()
    }
}
