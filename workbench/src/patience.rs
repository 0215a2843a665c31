//! A word on a run that takes long, where no progress bar is seen.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use integrator_core::drive::{Moment, Observer};

/// A run that takes longer is told of.
const SOON: Duration = Duration::from_secs(5);

/// Writes one line to the standard error of the process, unless it is dropped before.
pub(crate) struct Patience(Arc<Waiting>);

struct Waiting {
    over: Mutex<bool>,
    ended: Condvar,
    /// The last step that was observed, and the number of all; zero of zero before the first.
    step: AtomicU64,
    of: AtomicU64,
}

impl Patience {
    /// Begins to wait. A process that cannot have another thread waits without a word.
    pub(crate) fn new() -> Self {
        let waiting = Arc::new(Waiting {
            over: Mutex::new(false),
            ended: Condvar::new(),
            step: AtomicU64::new(0),
            of: AtomicU64::new(0),
        });
        let other = Arc::clone(&waiting);
        drop(thread::Builder::new().spawn(move || other.wait()));
        Self(waiting)
    }
}

impl Waiting {
    fn wait(&self) {
        let over = self.over.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.ended.wait_timeout_while(over, SOON, |over| !*over);
        if waited.is_ok_and(|(over, _)| !*over) {
            // Nobody may listen.
            let _ = writeln!(io::stderr(), "note: {}", self.word());
        }
    }

    fn word(&self) -> String {
        let (step, of) = (self.step.load(Ordering::Relaxed), self.of.load(Ordering::Relaxed));
        let seconds = SOON.as_secs_f64();
        match (step, of) {
            (_, 0) => format!("after {seconds} s the model is still being set up; a smaller one takes less"),
            (0, of) => format!(
                "after {seconds} s none of the {of} steps that are planned was observed; a method that chooses its steps by itself takes \
                 fewer with a looser tolerance or a nearer --until"
            ),
            (step, of) => {
                let rest = seconds * of.saturating_sub(step) as f64 / step as f64;
                format!("{step} of {of} steps were done in {seconds} s: the rest takes about {rest:.0} s")
            }
        }
    }
}

impl Observer for Patience {
    fn observe(&mut self, moment: &Moment<'_>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        self.0.step.store(moment.step, Ordering::Relaxed);
        self.0.of.store(moment.of, Ordering::Relaxed);
        Ok(())
    }
}

impl Drop for Patience {
    fn drop(&mut self) {
        *self.0.over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.ended.notify_all();
    }
}
