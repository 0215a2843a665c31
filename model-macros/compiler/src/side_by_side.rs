//! Work on several threads.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Builder};

/// The stack of a thread: rustc calls a macro on as large a one, and expressions are walked recursively.
const STACK: usize = 8 << 20;

/// The answers to the jobs, in their order; a thread on each processor, and none for one job.
///
/// Chance gives jobs to threads; the results do not depend on it, as answers depend on jobs alone.
pub fn side_by_side<J: Sync, A: Send>(jobs: &[J], answer: impl Fn(&J) -> A + Sync) -> Vec<A> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut answers = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(place) else { return answers };
            answers.push((place, answer(job)));
        }
    };
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let mut answers = thread::scope(|scope| {
        let others = (1..processors.min(jobs.len()))
            // If no thread can start, this one does all jobs.
            .filter_map(|_| Builder::new().stack_size(STACK).spawn_scoped(scope, work).ok())
            .collect::<Vec<_>>();
        let mut answers = work();
        for other in others {
            match other.join() {
                Ok(more) => answers.extend(more),
                Err(panic) => resume_unwind(panic),
            }
        }
        answers
    });
    answers.sort_by_key(|(place, _)| *place);
    answers.into_iter().map(|(_, answer)| answer).collect()
}
