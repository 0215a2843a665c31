//! A run that owns its system, and is asked for one thing after another.
//!
//! A stepper borrows from its system, and an object of Python borrows from nothing.
//! The body of an `async` block keeps both, with all that lies between them, in one place that nothing
//! moves.
//! A call lies down on a desk, and one poll of the body carries it out: there is no thread and nobody to
//! wait for.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use least_action::advanced::carried;
use least_action::method::Stepper;
use least_action::system::State;
use least_action_methods::{Entry, Options, Setup};

use crate::error::{Error, Result};
use crate::methods::OnModels;
use crate::registry::Instance;

/// A method with its options, its step and its seed.
pub(super) struct Choice {
    pub(super) method: &'static Entry,
    pub(super) options: Options,
    pub(super) step: f64,
    pub(super) seed: u64,
}

/// A question to a run.
pub(super) enum Call {
    /// So many steps; the forces that the method keeps are forgotten before, where an input has changed.
    Step { count: u64, forgets: bool },
    /// To start anew from a state.
    Begin(State),
    /// The energy.
    Energy,
    /// The memory, to be put back into another run from the same start.
    Save,
    /// This memory, of a run with so many steps.
    PutBack(Vec<u64>, u64),
}

/// The place between the caller and the body.
pub(super) struct Desk {
    call: Option<Call>,
    answer: Option<Result>,
    /// The last good state, with its facts.
    pub(super) state: State,
    pub(super) steps: u64,
    pub(super) multipliers: Option<Vec<f64>>,
    pub(super) energy: f64,
    pub(super) warning: Option<String>,
    /// The memory that was saved last.
    pub(super) words: Vec<u64>,
}

type Body = Pin<Box<dyn Future<Output = Error> + Send>>;

/// A run with its system.
pub(super) struct Engine {
    body: Body,
    desk: Arc<Mutex<Desk>>,
}

fn lock(desk: &Mutex<Desk>) -> MutexGuard<'_, Desk> {
    desk.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Desk {
    fn answer(&mut self, stepper: &dyn Stepper, before: u64, answer: Result) {
        let State { t, q, v } = stepper.state();
        self.state.t = *t;
        self.state.q.clone_from(q);
        self.state.v.clone_from(v);
        self.steps = before + stepper.steps();
        match (stepper.multipliers(), &mut self.multipliers) {
            (Some(now), Some(before)) => before.clone_from_slice(now),
            (now, before) => *before = now.map(<[f64]>::to_vec),
        }
        self.answer = Some(answer);
    }
}

impl Engine {
    /// Starts a method on a model.
    pub(super) fn start(instance: Arc<Instance>, choice: Choice, state: State) -> Result<Self> {
        let desk = Desk {
            call: None,
            answer: None,
            state,
            steps: 0,
            multipliers: None,
            energy: f64::NAN,
            warning: None,
            words: Vec::new(),
        };
        let desk = Arc::new(Mutex::new(desk));
        let shared = Arc::clone(&desk);
        let body = Box::pin(async move {
            let Err(error) = follow(&instance, &choice, &shared).await;
            error
        });
        let mut engine = Self { body, desk };
        engine.poll()?;
        Ok(engine)
    }

    /// Carries a call out.
    pub(super) fn call(&mut self, call: Call) -> Result {
        lock(&self.desk).call = Some(call);
        self.poll()
    }

    /// The state after the last call.
    pub(super) fn desk(&self) -> MutexGuard<'_, Desk> {
        lock(&self.desk)
    }

    fn poll(&mut self) -> Result {
        match self.body.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            // It has not begun.
            Poll::Ready(error) => Err(error),
            Poll::Pending => lock(&self.desk).answer.take().unwrap_or(Ok(())),
        }
    }
}

/// The next call.
fn next(desk: &Mutex<Desk>) -> impl Future<Output = Call> + '_ {
    poll_fn(|_| lock(desk).call.take().map_or(Poll::Pending, Poll::Ready))
}

/// Follows one call after another, until the method does not start.
async fn follow(
    instance: &Instance,
    choice: &Choice,
    desk: &Mutex<Desk>,
) -> Result<std::convert::Infallible> {
    let Choice { method, options, step, seed } = choice;
    let faces = method.faces(instance, options)?;
    let start = |state: State| {
        let setup = Setup { options, state, step: *step, seed: *seed, forewarned: false };
        method.start(&faces, setup).map(|running| running.stepper)
    };
    let first = lock(desk).state.clone();
    let mut stepper = start(first)?;
    // The steps before the stepper that goes on with them.
    let mut before = 0;
    lock(desk).warning = stepper.warning().map(str::to_owned);
    lock(desk).answer(&*stepper, before, Ok(()));
    loop {
        let answer = match next(desk).await {
            Call::Step { count, forgets } => {
                // The desk has the state of the stepper.
                let forgotten = if !forgets || stepper.go_on_from(&lock(desk).state) {
                    Ok(())
                } else {
                    let done = before + stepper.steps();
                    let _held = stepper.hold_angles();
                    start(stepper.state().clone()).map(|begun| (stepper, before) = (begun, done))
                };
                forgotten.and_then(|()| (0..count).try_for_each(|_| stepper.step()).map_err(Error::Step))
            }
            Call::Begin(state) => start(state).map(|begun| (stepper, before) = (begun, 0)),
            Call::Energy => {
                let (State { t, q, v }, _held) = (stepper.state(), stepper.hold_angles());
                lock(desk).energy = faces.lagrangian().energy(q, v, *t);
                Ok(())
            }
            Call::Save => {
                let mut words = Vec::new();
                let saved = carried::save(&mut *stepper, &mut words);
                lock(desk).words = words;
                saved.map_err(|error| Error::Failed(error.to_string()))
            }
            Call::PutBack(words, steps) => {
                let put = carried::put_back(&mut *stepper, &words).map(drop);
                before = steps - stepper.steps().min(steps);
                put.map_err(|error| Error::Failed(error.to_string()))
            }
        };
        lock(desk).answer(&*stepper, before, answer);
    }
}
