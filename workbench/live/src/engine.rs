//! A run that owns its system, and is asked for one thing after another.
//!
//! A stepper borrows from its system. The body of an `async` block keeps both in one place that nothing
//! moves; one poll of it carries out the call that lies on the desk.

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use least_action_core::method::Stepper;
use least_action_core::system::State;
use least_action_methods::{Entry, Options};
use least_action_pages::model::Subject;
use least_action_pages::quantities::Units;
use least_action_pages::view::Scene;
use serde_json::{Value, json};

use crate::drag;
use crate::measure::Measure;
use crate::opened::Opened;

/// The distance of two starts, in the norm of the coordinates.
const APART: f64 = 1e-9;

/// What is run, and how.
pub(crate) struct Choice {
    pub(crate) opened: Rc<Opened>,
    pub(crate) entry: &'static Entry,
    pub(crate) options: Options,
    pub(crate) step: f64,
}

/// A question to a run.
pub(crate) enum Call {
    /// So many steps.
    Advance(u32),
    /// So many steps of a run ahead, which only looks how far the points go.
    Ahead(u32),
    Measure,
    /// To start anew from a state.
    Begin(State),
    /// To have a second run beside, from a start that is off by a billionth; or none.
    Twin(bool),
    /// To start anew where a point is as near to a place as the constraints let it.
    Drag {
        point: usize,
        to: [f64; 3],
    },
    /// To forget the forces that the method keeps: an input has changed.
    Forget,
}

/// The place between the caller and the body.
pub(crate) struct Talk {
    call: Option<Call>,
    /// What the picture shows, once.
    pub(crate) facts: Value,
    pub(crate) numbers: Vec<f64>,
    /// The state of the first start.
    pub(crate) state: State,
    /// The steps of the last call, and the reason why there are no more.
    pub(crate) advanced: u32,
    pub(crate) failure: Option<String>,
}

/// A run with its system.
pub(crate) struct Run {
    body: Pin<Box<dyn Future<Output = String>>>,
    pub(crate) talk: Rc<RefCell<Talk>>,
}

impl Run {
    /// Starts a method on a model.
    ///
    /// # Errors
    /// It does not start, or the picture names nothing of the model.
    pub(crate) fn start(choice: Choice, state: State) -> Result<Self, String> {
        let talk = Talk {
            call: None,
            facts: Value::Null,
            numbers: Vec::new(),
            state: state.clone(),
            advanced: 0,
            failure: None,
        };
        let talk = Rc::new(RefCell::new(talk));
        let shared = Rc::clone(&talk);
        let body = Box::pin(async move {
            let Err(error) = follow(&choice, state, &shared).await;
            error
        });
        let mut run = Self { body, talk };
        run.poll()?;
        Ok(run)
    }

    /// Carries a call out.
    ///
    /// # Errors
    /// What went wrong; the last good state stays.
    pub(crate) fn call(&mut self, call: Call) -> Result<(), String> {
        self.talk.borrow_mut().call = Some(call);
        self.poll()
    }

    fn poll(&mut self) -> Result<(), String> {
        match self.body.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(error) => Err(error),
            Poll::Pending => self.talk.borrow_mut().failure.take().map_or(Ok(()), Err),
        }
    }
}

/// The next call.
fn next(talk: &RefCell<Talk>) -> impl Future<Output = Call> + '_ {
    poll_fn(|_| talk.borrow_mut().call.take().map_or(Poll::Pending, Poll::Ready))
}

type Stepping<'s> = Box<dyn Stepper + 's>;

/// Follows one call after another, until the method does not start.
async fn follow(
    Choice { opened, entry, options, step }: &Choice,
    state: State,
    talk: &RefCell<Talk>,
) -> Result<std::convert::Infallible, String> {
    let name = &*opened.declared.facts().name;
    let subject = Subject { name, system: &**opened, start: &opened.start };
    let scene = Scene::of(subject).map_err(|error| error.to_string())?;
    let mut measure = Measure::of(opened.lagrangian_face());
    let begin = |state: State| opened.begin((entry, options), state, *step).map(|running| running.stepper);
    let mut first = begin(state)?;
    let mut twin: Option<Stepping<'_>> = None;
    let mut ahead: Option<Stepping<'_>> = None;
    let description = opened.bound.description();
    let units = Units::of(&description.documentation).with_comments(description.comments);
    talk.borrow_mut().facts = json!({
        "scene": scene.drawn, "curves": measure.curves(&units), "warning": first.warning(),
        "time_axis": units.time(), "length_axis": units.length("length"),
        "energy_axis": units.energy("kinetic energy"),
    });
    let (mut before, mut numbers) = (0, Vec::new());
    loop {
        let mut advanced = 0;
        let begun = match next(talk).await {
            Call::Advance(count) => {
                let mut both =
                    || first.step().and_then(|()| twin.as_mut().map_or(Ok(()), |twin| twin.step()));
                (0..count).try_for_each(|_| both().map(|()| advanced += 1)).map_err(|error| error.to_string())
            }
            Call::Measure => {
                numbers.clear();
                numbers.push((before + first.steps()) as f64);
                measure.append(&*first, &scene, &mut numbers);
                twin.iter().for_each(|twin| measure.append(&**twin, &scene, &mut numbers));
                Ok(())
            }
            Call::Ahead(count) => {
                let begun = ahead.take().map_or_else(|| begin(first.state().clone()), Ok);
                begun.map(|mut stepper| {
                    let goes = (0..count).all(|_| stepper.step().is_ok());
                    scene.place(&stepper.state().q, stepper.state().t, &mut numbers);
                    ahead = goes.then_some(stepper);
                    advanced = u32::from(goes);
                })
            }
            Call::Begin(state) => {
                begin(state).map(|begun| (first, twin, ahead, before) = (begun, None, None, 0))
            }
            Call::Twin(false) => {
                twin = None;
                Ok(())
            }
            Call::Twin(true) => {
                drag::displaced(opened, first.state(), APART).and_then(begin).map(|begun| twin = Some(begun))
            }
            Call::Drag { point, to } => {
                let state = drag::dragged((opened, &scene), first.state(), point, to);
                state.and_then(begin).map(|begun| (first, twin, ahead) = (begun, None, None))
            }
            Call::Forget => {
                let state = first.state().clone();
                if first.go_on_from(&state) {
                    Ok(())
                } else {
                    let done = before + first.steps();
                    begin(state).map(|begun| (first, before) = (begun, done))
                }
            }
        };
        let mut talk = talk.borrow_mut();
        (talk.advanced, talk.failure) = (advanced, begun.err());
        talk.numbers.clone_from(&numbers);
    }
}
