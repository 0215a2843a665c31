use super::keeper::Keeper;
use super::{Plan, RunError, Verdict, Watch};
use crate::carried::{CarryError, Memory};
use crate::error::StepError;
use crate::method::{Evaluations, Passed, Report, Stepper};
use crate::system::State;
use std::error::Error;
use std::time::Instant;

/// A state of a run, with all else that observers see.
#[derive(Debug, Clone, Copy)]
pub struct Moment<'r> {
    /// The number of steps done; 0 at the start.
    pub step: u64,
    /// The number of steps planned.
    pub of: u64,
    /// Time, positions and velocities.
    pub state: &'r State,
    /// The Lagrange multipliers, if the method computes them.
    pub multipliers: Option<&'r [f64]>,
    /// The counts of the run, and the averages, crossings and other quantities of some methods.
    pub report: Report<'r>,
}

impl<'r> Moment<'r> {
    /// The state of a stepper as the last planned one.
    pub(super) fn of(stepper: &'r (impl Stepper + ?Sized)) -> Self {
        Self {
            step: stepper.steps(),
            of: stepper.steps(),
            state: stepper.state(),
            multipliers: stepper.multipliers(),
            report: stepper.report(),
        }
    }
}

/// Something that follows a run: it records, prints, measures, or shows progress.
pub trait Observer {
    /// Takes one moment.
    ///
    /// # Errors
    /// An error ends the run.
    fn observe(&mut self, moment: &Moment<'_>) -> Result<(), Box<dyn Error + Send + Sync>>;

    /// Takes a [moment that the run has found](crate::method::Event) inside of a step, before the end of
    /// the step is observed.
    ///
    /// # Errors
    /// An error ends the run.
    fn pass(&mut self, name: &str, passed: &Passed) -> Result<(), Box<dyn Error + Send + Sync>> {
        let _ = (name, passed);
        Ok(())
    }

    /// Saves or puts back the observer's memory, for a run that [continues](super::resume);
    /// an observer without memory carries none.
    ///
    /// # Errors
    /// The saved memory belongs to another observer,
    /// or a file of the observer cannot be read or written.
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        let _ = memory;
        Ok(())
    }

    /// Called after the last moment, also after a failure: the place to flush a file.
    ///
    /// # Errors
    /// Reported unless the run failed before.
    fn finish(&mut self, summary: &Summary) -> Result<(), Box<dyn Error + Send + Sync>> {
        let _ = summary;
        Ok(())
    }
}

/// Any closure of a moment is an observer that cannot fail.
impl<F: FnMut(&Moment<'_>)> Observer for F {
    fn observe(&mut self, moment: &Moment<'_>) -> Result<(), Box<dyn Error + Send + Sync>> {
        self(moment);
        Ok(())
    }
}

/// The steps done by a run, and their cost.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// The number of steps done.
    pub steps: u64,
    /// The time of the last good state.
    pub time: f64,
    /// The wall-clock time of the loop, observers included, in seconds.
    pub seconds: f64,
    /// Evaluations of the system since the start of the stepper.
    pub evaluations: Evaluations,
    /// The run's verdict on itself.
    pub verdict: Verdict,
}

/// Takes the planned steps under a watch, and shows the start,
/// each `every`-th step and the last one to the observers.
///
/// # Errors
/// A step or an observer failed; the summary inside says how far the run came. After a failed step the
/// stepper still has its last good state, which the observers see before the error returns. If the run
/// has [blown up](crate::error::StepError::BlownUp), the last good state is [`Watch::good`], and
/// observers have seen later ones.
pub fn drive(
    stepper: &mut dyn Stepper,
    plan: Plan,
    watch: &mut Watch<'_>,
    observers: &mut [&mut dyn Observer],
) -> Result<Summary, RunError> {
    drive_kept(stepper, plan, watch, observers, &mut Keeper::default())
}

/// As [`drive`], with a keeper that may save the run, stop it, or continue a saved one.
///
/// # Errors
/// The errors of [`drive`]; or the run was stopped, or the saved memory belongs to another run.
pub fn drive_kept(
    stepper: &mut dyn Stepper,
    plan: Plan,
    watch: &mut Watch<'_>,
    observers: &mut [&mut dyn Observer],
    keeper: &mut Keeper<'_>,
) -> Result<Summary, RunError> {
    if plan.every == 0 {
        return Err(RunError::EveryZero);
    }
    let clock = Instant::now();
    let done = keeper.put_back(stepper, watch, observers).map_err(RunError::Resumed)?;
    if done > plan.steps {
        return Err(RunError::Beyond { done, planned: plan.steps });
    }
    let mut guide = Guide { plan, watch, observers };
    let outcome = run(stepper, done, &mut guide, keeper);
    guide.finish(stepper, clock, outcome)
}

/// The reason for which a run has ended.
#[doc(hidden)]
#[derive(Debug)]
pub enum Stopped {
    Step(StepError),
    Observe(Box<dyn Error + Send + Sync>),
    /// On request.
    Asked,
}

fn run(
    stepper: &mut dyn Stepper,
    done: u64,
    guide: &mut Guide<'_, '_, '_>,
    keeper: &mut Keeper<'_>,
) -> Result<(), Stopped> {
    let Plan { steps, every } = guide.plan;
    if done == 0 {
        guide.begin(stepper)?;
    }
    for step in done + 1..=steps {
        if stepper.has_ended() {
            break;
        }
        let outcome = stepper.step();
        guide.after(stepper, step, outcome)?;
        // Save first: a run that is extended does not show an end between two observed steps.
        if keeper.is_due(step, if stepper.has_ended() { step } else { steps }) {
            let is_asked = keeper.is_asked_to_stop();
            keeper.save(stepper, guide.watch, guide.observers).map_err(Stopped::Observe)?;
            if is_asked && step < steps {
                if step % every != 0 {
                    guide.show(stepper, step)?;
                }
                return Err(Stopped::Asked);
            }
        }
    }
    guide.end(stepper)
}

/// A planned run under a watch, whose steps somebody takes: [`drive`] without its loop.
#[doc(hidden)]
pub struct Guide<'c, 'w, 'o> {
    pub plan: Plan,
    pub watch: &'c mut Watch<'w>,
    pub observers: &'c mut [&'o mut dyn Observer],
}

impl Guide<'_, '_, '_> {
    /// Looks at the start.
    ///
    /// # Errors
    /// The watch or an observer stops the run.
    pub fn begin(&mut self, stepper: &dyn Stepper) -> Result<(), Stopped> {
        self.watch.look(stepper).map_err(Stopped::Step)?;
        self.show(stepper, 0)
    }

    /// Looks at the stepper after a step.
    ///
    /// # Errors
    /// The step has failed, or the watch or an observer stops the run.
    pub fn after(
        &mut self,
        stepper: &dyn Stepper,
        step: u64,
        outcome: Result<(), StepError>,
    ) -> Result<(), Stopped> {
        if let Err(error) = outcome {
            // The last good state, unless it was shown before.
            if !(step - 1).is_multiple_of(self.plan.every) {
                self.show(stepper, step - 1)?;
            }
            // The failed step is the cause, not the verdict.
            let _ = self.watch.finish(stepper);
            return Err(Stopped::Step(error));
        }
        for passed in stepper.passed() {
            let (name, mut observers) = (&stepper.moment_names()[passed.name], self.observers.iter_mut());
            observers.try_for_each(|observer| observer.pass(name, passed)).map_err(Stopped::Observe)?;
        }
        self.watch.look(stepper).map_err(Stopped::Step)?;
        if step.is_multiple_of(self.plan.every) { self.show(stepper, step) } else { Ok(()) }
    }

    /// Looks at the end.
    ///
    /// # Errors
    /// The watch or an observer refuses the motion.
    pub fn end(&mut self, stepper: &dyn Stepper) -> Result<(), Stopped> {
        // An event may end a run before its plan does.
        let steps = stepper.steps();
        if !steps.is_multiple_of(self.plan.every) {
            self.show(stepper, steps)?;
        }
        self.watch.finish(stepper).map(drop).map_err(Stopped::Step)
    }

    /// The summary of a run that has ended, with the time from a clock.
    ///
    /// # Errors
    /// The run has stopped before its end, or an observer fails.
    pub fn finish(
        self,
        stepper: &dyn Stepper,
        clock: Instant,
        outcome: Result<(), Stopped>,
    ) -> Result<Summary, RunError> {
        let Self { watch, observers, .. } = self;
        let mut summary = Summary {
            steps: stepper.steps(),
            time: stepper.state().t,
            seconds: clock.elapsed().as_secs_f64(),
            evaluations: stepper.report().evaluations,
            verdict: watch.verdict(),
        };
        if let Err(Stopped::Step(StepError::BlownUp { .. })) = &outcome {
            watch.turn_back(&mut summary);
        }
        // Finish every observer before an error returns, so that results are kept.
        let mut finished = Ok(());
        for observer in observers {
            finished = finished.and(observer.finish(&summary));
        }
        match (outcome, finished) {
            (Err(Stopped::Step(source)), _) => Err(RunError::Step { source, summary: Box::new(summary) }),
            (Err(Stopped::Observe(source)), _) | (Ok(()) | Err(Stopped::Asked), Err(source)) => {
                Err(RunError::Observe { source, summary: Box::new(summary) })
            }
            (Err(Stopped::Asked), Ok(())) => Err(RunError::Stopped { summary: Box::new(summary) }),
            (Ok(()), Ok(())) => Ok(summary),
        }
    }

    fn show(&mut self, stepper: &dyn Stepper, step: u64) -> Result<(), Stopped> {
        let _held = stepper.hold_angles();
        let moment = Moment {
            step,
            of: self.plan.steps,
            state: stepper.state(),
            multipliers: stepper.multipliers(),
            report: stepper.report(),
        };
        let mut observers = self.observers.iter_mut();
        observers.try_for_each(|observer| observer.observe(&moment)).map_err(Stopped::Observe)
    }
}
