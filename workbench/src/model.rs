//! A declared model behind a type-erased face: what the command line sees of it.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use least_action::binding::Members;
use least_action::check::{Comparison, check_penalized, check_with_progress};
use least_action::describe::Description;
use least_action::expr::Oracle;
use least_action::system::{Constrained, Lagrangian, Look, Natural, Start, State, Stiff};
use least_action::{Bound, Model};
use least_action_methods::VibratedFace;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::Error;

/// A bound model instance behind a type-erased face.
///
/// The faces that a model does not have are `None`; a method asks for the face that it needs.
pub(crate) trait Erased: Send + Sync {
    /// L(q, v, t) with its derivatives: every model has this.
    fn lagrangian(&self) -> &dyn Lagrangian;

    /// The face of a natural system, where the mass is constant and the force free of velocities.
    fn natural(&self) -> Option<&dyn Natural>;

    /// The face of a natural system with a marked stiff part.
    fn stiff(&self) -> Option<&dyn Stiff>;

    /// The face of a natural system with holonomic constraints.
    fn constrained(&self) -> Option<&dyn Constrained>;

    /// The faces of a natural system with a fast phase.
    fn vibrated(&self) -> Option<VibratedFace<'_>>;

    /// The facts about the instance.
    fn description(&self) -> Description;

    /// The parameters.
    fn parameters(&self) -> Map<String, Value>;

    /// What the author adds to a moving picture.
    ///
    /// # Errors
    /// The author's own code panicked.
    fn look(&self) -> Result<Look, Error>;

    /// Shows each element of the potential: see [`Bound::visit_potential`].
    fn visit_potential(&self, most: usize, visit: &mut dyn FnMut(usize, &[u32]));

    /// The concrete type.
    fn as_any(&self) -> &dyn Any;

    /// Instances of this model side by side; none where they cannot step so.
    fn side_by_side<'s>(&self, all: &[&'s dyn Erased]) -> Option<Members<'s>>;

    /// Every derivative of the kernels beside its other derivations, of the model itself or with a penalty of this stiffness
    /// instead of its constraints; `progress` is told the name of each quantity.
    ///
    /// # Errors
    /// The author's own code panicked, or there is nothing to penalize.
    fn check(
        &self,
        state: &State,
        penalty: Option<f64>,
        seed: u64,
        progress: &mut dyn FnMut(&'static str),
    ) -> Result<Vec<Comparison>, Error>;
}

/// A model and what it was bound to.
struct Declared<M> {
    model: M,
    bound: Bound<M>,
}

impl<M: Model + Oracle + Start + Serialize + 'static> Erased for Declared<M> {
    fn lagrangian(&self) -> &dyn Lagrangian {
        &self.bound
    }

    fn natural(&self) -> Option<&dyn Natural> {
        M::natural(&self.bound)
    }

    fn stiff(&self) -> Option<&dyn Stiff> {
        M::stiff(&self.bound)
    }

    fn constrained(&self) -> Option<&dyn Constrained> {
        M::constrained(&self.bound)
    }

    fn vibrated(&self) -> Option<VibratedFace<'_>> {
        match M::constrained_vibrated(&self.bound) {
            Some(system) => Some(VibratedFace::Constrained(system, M::constrained_even(&self.bound))),
            None => Some(VibratedFace::Free(M::vibrated(&self.bound)?, M::even_in_phase(&self.bound))),
        }
    }

    fn description(&self) -> Description {
        self.bound.description()
    }

    fn parameters(&self) -> Map<String, Value> {
        match serde_json::to_value(&self.model) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        }
    }

    fn look(&self) -> Result<Look, Error> {
        guarded(|| self.model.look())
            .map_err(|panic| Error::Panicked { model: M::NAME.to_owned(), reason: panic })
    }

    fn visit_potential(&self, most: usize, visit: &mut dyn FnMut(usize, &[u32])) {
        self.bound.visit_potential(most, visit);
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn side_by_side<'s>(&self, all: &[&'s dyn Erased]) -> Option<Members<'s>> {
        let bound = all.iter().map(|one| Some(&one.as_any().downcast_ref::<Self>()?.bound));
        Members::bind(bound.collect::<Option<Vec<&'s Bound<M>>>>()?).ok()
    }

    fn check(
        &self,
        state: &State,
        penalty: Option<f64>,
        seed: u64,
        progress: &mut dyn FnMut(&'static str),
    ) -> Result<Vec<Comparison>, Error> {
        let (model, bound) = (&self.model, &self.bound);
        // Dual numbers run the author's code once more.
        let checked = guarded(|| match penalty {
            None => Ok(Some(check_with_progress(model, bound, state, seed, progress))),
            Some(omega) => check_penalized(model, bound, omega, state, seed, progress),
        });
        checked
            .map_err(|panic| Error::Panicked { model: M::NAME.to_owned(), reason: panic })??
            .ok_or_else(|| Error::NothingToPenalize { model: M::NAME.to_owned() })
    }
}

/// Binds a model within so many bytes of memory, and asks for its start.
///
/// # Errors
/// The parameters make no system, or the author's own code panicked on them.
pub(crate) fn bind<M: Model + Oracle + Start + Serialize + 'static>(
    name: &str,
    model: M,
    memory: u64,
) -> Result<(Box<dyn Erased>, State), Error> {
    let (bound, start) = guarded(|| Ok((model.bind_within(memory)?, model.start())))
        .unwrap_or_else(|panic| Err(Error::Panicked { model: name.to_owned(), reason: panic }))?;
    Ok((Box::new(Declared { model, bound }), start))
}

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
    static MESSAGE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs `work`, and returns the message and the place of a panic in it.
///
/// A declaration passes ordinary Rust through to rustc: `self.table[i]` with a table that `--set` made too short panics, as
/// it would anywhere.  On the command line that is a mistake in the parameters like any other, and the user, who may not
/// be the author, is owed one line instead of a backtrace.  Only binding, the start and the look run such code; every
/// index of a step is known to be valid, so that no step is guarded.  The half-built system is dropped, so no broken state is seen.
pub(crate) fn guarded<R>(work: impl FnOnce() -> R) -> Result<R, String> {
    listen();
    let outer = GUARDED.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(outer);
    result.map_err(|payload| MESSAGE.take().unwrap_or_else(|| text(&*payload).to_owned()))
}

/// Sets the hook that keeps the message of a panic on a thread that is guarded.
fn listen() {
    static HOOK: Once = Once::new();
    // One hook for all threads, which keeps quiet on a thread that is guarded just now: exchanging the hook around each
    // call would take the messages of other threads away.
    HOOK.call_once(|| {
        let otherwise = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if GUARDED.get() {
                let place = panic.location().map(|at| format!(" ({at})")).unwrap_or_default();
                let message = format!("{}{place}", text(panic.payload()));
                MESSAGE.with_borrow_mut(|slot| *slot = Some(message));
            } else {
                otherwise(panic);
            }
        }));
    });
}

fn text(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a message")
}
