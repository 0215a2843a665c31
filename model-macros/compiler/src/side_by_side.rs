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
pub(crate) fn side_by_side<J: Sync, A: Send>(jobs: &[J], answer: impl Fn(&J) -> A + Sync) -> Vec<A> {
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

#[cfg(test)]
mod tests {
    use super::side_by_side;
    use std::panic::catch_unwind;

    #[test]
    fn answers_come_in_the_order_of_their_jobs() {
        let jobs: Vec<u64> = (0..1000).collect();
        // The first jobs take longest.
        let answers = side_by_side(&jobs, |job| (0..1000 - job).fold(*job, u64::wrapping_add));
        let expected: Vec<u64> =
            jobs.iter().map(|job| (0..1000 - job).fold(*job, u64::wrapping_add)).collect();
        assert_eq!(answers, expected);
        assert!(side_by_side(&[] as &[u64], |job| *job).is_empty());
    }

    #[test]
    fn a_panic_is_that_of_the_caller() {
        let jobs: Vec<usize> = (0..100).collect();
        let panic = catch_unwind(|| side_by_side(&jobs, |job| assert!(*job != 50, "job {job}")));
        let panic = panic.expect_err("a panic");
        assert_eq!(panic.downcast_ref::<String>().map(String::as_str), Some("job 50"));
    }
}
