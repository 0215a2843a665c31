//! A word on a command that takes long, where no progress bar is seen.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use least_action::drive::{Moment, Observer};

/// A part of a command that takes longer is told of.
const SOON: Duration = Duration::from_secs(5);

/// Writes one line to the standard error of the process for each long part of a command, until it is
/// dropped.
pub(crate) struct Patience(Arc<Waiting>);

struct Waiting {
    course: Mutex<Course>,
    changed: Condvar,
    /// The last step that was observed, and the number of all; zero of zero where no run is observed.
    step: AtomicU64,
    of: AtomicU64,
    /// Whether the method chooses its steps by itself.
    adaptive: AtomicBool,
}

/// The part of a command that is being done.
struct Course {
    /// The words that follow "after 5 s"; none once they have been said.
    words: Option<String>,
    since: Instant,
    over: bool,
}

impl Patience {
    /// Begins to wait. A process that cannot have another thread waits without a word.
    pub(crate) fn new() -> Self {
        let words = Some("the command is still at work; a smaller model takes less".to_owned());
        let waiting = Arc::new(Waiting {
            course: Mutex::new(Course { words, since: Instant::now(), over: false }),
            changed: Condvar::new(),
            step: AtomicU64::new(0),
            of: AtomicU64::new(0),
            adaptive: AtomicBool::new(false),
        });
        let other = Arc::clone(&waiting);
        drop(thread::Builder::new().spawn(move || other.wait()));
        Self(waiting)
    }

    /// A run is begun, by a method that chooses its steps by itself or by one that does not.
    pub(crate) fn run(&self, adaptive: bool) {
        self.0.adaptive.store(adaptive, Ordering::Relaxed);
    }

    /// Begins another part; its words tell that it still goes on, and suggest a shorter way.
    pub(crate) fn part(&self, words: String) {
        let mut course = self.0.course();
        // Short parts are waited for together.
        if course.words.replace(words).is_none() {
            course.since = Instant::now();
        }
        drop(course);
        self.0.changed.notify_all();
    }
}

impl Waiting {
    fn course(&self) -> MutexGuard<'_, Course> {
        self.course.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self) {
        let mut course = self.course();
        while !course.over {
            let left = match &course.words {
                Some(_) => SOON.saturating_sub(course.since.elapsed()),
                None => Duration::MAX,
            };
            if left > Duration::ZERO {
                let waited = self.changed.wait_timeout(course, left);
                course = waited.unwrap_or_else(PoisonError::into_inner).0;
            } else if let Some(words) = course.words.take() {
                let (after, words) = (SOON.as_secs(), self.steps().unwrap_or(words));
                // In one piece, since standard error has no buffer. Nobody may listen.
                let _ = io::stderr().write_all(format!("note: after {after} s {words}\n").as_bytes());
            }
        }
    }

    /// The steps of a run that is observed.
    fn steps(&self) -> Option<String> {
        let (step, of) = (self.step.load(Ordering::Relaxed), self.of.load(Ordering::Relaxed));
        match (step, of) {
            (_, 0) => None,
            (0, of) => {
                let advice = if self.adaptive.load(Ordering::Relaxed) {
                    "a method that chooses its steps by itself takes fewer with a looser tolerance or a nearer --until"
                } else {
                    "a smaller --every tells sooner how long they take"
                };
                Some(format!("none of the {of} steps that are planned was observed; {advice}"))
            }
            (step, of) => {
                let rest = SOON.as_secs_f64() * of.saturating_sub(step) as f64 / step as f64;
                Some(format!("{step} of {of} steps were done: the rest takes about {rest:.0} s"))
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
        self.0.course().over = true;
        self.0.changed.notify_all();
    }
}
