//! The author's own code, whose panics are mistakes in the parameters.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
    static MESSAGE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs `work`, and returns the message and the place of a panic in it.
///
/// A declaration passes ordinary Rust to rustc: `self.table[i]` panics where `--set` made the table too
/// short. On the command line this is a mistake in the parameters, and the user, who may not be the
/// author, reads one line instead of a backtrace. Only binding, the start and the look run the author's
/// code; the indices of a step are valid, and no step is guarded. A panic drops the half-built system,
/// and nobody sees a broken state.
pub fn guarded<R>(work: impl FnOnce() -> R) -> Result<R, String> {
    listen();
    let outer = GUARDED.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(outer);
    result.map_err(|payload| MESSAGE.take().unwrap_or_else(|| text(&*payload).to_owned()))
}

/// Sets the hook that keeps the message of a panic on a thread that is guarded.
fn listen() {
    static HOOK: Once = Once::new();
    // One hook for all threads keeps quiet on a guarded thread: a hook exchanged around each call would
    // take the messages of other threads away.
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
