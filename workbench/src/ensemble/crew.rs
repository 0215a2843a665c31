//! Threads that do the members of an ensemble, part by part.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::ThreadPoolBuilder;
use rayon::iter::{IntoParallelIterator as _, ParallelBridge as _, ParallelIterator as _};

use super::dataset::{Dataset, Part};
use super::member::Kept;
use super::members::BLOCK;
use crate::error::Result;

/// The work of a crew.
#[derive(Debug, Default)]
pub(super) struct Done {
    pub(super) members: u64,
    pub(super) failed: u64,
    /// The first failed member, with its error.
    pub(super) failure: Option<(u64, String)>,
    pub(super) parts: u64,
    /// Parts that another process was writing.
    pub(super) elsewhere: u64,
}

impl Done {
    /// Takes in the members from a number on.
    fn take(&mut self, first: u64, members: &[Kept]) {
        for (number, kept) in (first..).zip(members) {
            self.members += 1;
            if let Some(error) = &kept.failed {
                self.failed += 1;
                if self.failure.as_ref().is_none_or(|(first, _)| number < *first) {
                    self.failure = Some((number, error.clone()));
                }
            }
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does the members of all parts that are not done, on so many threads, until it is asked to stop.
///
/// # Errors
/// A part cannot be written; earlier parts are.
pub(super) fn work(
    dataset: &Dataset,
    parts: impl Iterator<Item = Part> + Send,
    threads: usize,
    asked_to_stop: &AtomicBool,
    run: impl Fn(Range<u64>) -> Option<Vec<Kept>> + Sync,
    progress: impl Fn(&Done) + Sync,
) -> Result<Done> {
    let done = Mutex::new(Done::default());
    let block = |members: Range<u64>| {
        let kept = if asked_to_stop.load(Ordering::Relaxed) { None } else { run(members.clone()) }?;
        let mut done = locked(&done);
        done.take(members.start, &kept);
        progress(&done);
        Some(kept)
    };
    let whole = |part: Part| -> Result {
        if asked_to_stop.load(Ordering::Relaxed) || dataset.is_done(&part) {
            return Ok(());
        }
        let Some(begun) = dataset.begin(&part)? else {
            locked(&done).elsewhere += u64::from(!dataset.is_done(&part));
            return Ok(());
        };
        let Range { start, end } = part.members;
        let blocks = (0..(end - start).div_ceil(BLOCK)).into_par_iter().map(|number| start + number * BLOCK);
        let kept: Option<Vec<Vec<Kept>>> = blocks.map(|first| block(first..end.min(first + BLOCK))).collect();
        // A part that was stopped is done again by whoever comes next.
        let Some(kept) = kept else { return Ok(()) };
        let (mut rows, mut path) = (Vec::new(), Vec::new());
        for mut kept in kept.into_iter().flatten() {
            rows.push(kept.row);
            path.append(&mut kept.path);
        }
        dataset.write(begun, &rows, &path)?;
        locked(&done).parts += 1;
        Ok(())
    };
    let all = || parts.par_bridge().try_for_each(whole);
    // A machine may refuse threads: the ones that there are do all the work.
    match ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(all)?,
        Err(_) => all()?,
    }
    Ok(done.into_inner().unwrap_or_else(PoisonError::into_inner))
}
