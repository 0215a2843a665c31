//! Work that is done side by side.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Builder};

/// The stack of a thread, as large as that on which rustc calls a macro: expressions are walked recursively.
const STACK: usize = 8 << 20;

/// The answer to each job, in their order: with as many threads as there are processors, and none for one job.
///
/// Which thread does what is left to chance; since an answer depends on its job alone, what comes out is not.
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
            // Where no thread can be had, this one does what there is to do.
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
