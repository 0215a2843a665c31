//! Threads that do the members of an ensemble, part by part.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use super::dataset::{Begun, Dataset, Part};
use super::frame::Cell;
use super::member::Kept;
use super::members::BLOCK;
use crate::error::Error;

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

/// A part whose members are being done.
struct Open {
    part: Part,
    begun: Begun,
    /// The members of each block, as soon as they are there.
    blocks: Vec<Option<Vec<Kept>>>,
    missing: usize,
}

/// The state that all threads share.
struct Course<P> {
    /// The parts that are not begun.
    waiting: P,
    /// The part that blocks are taken from, and how many were.
    current: Option<(u64, usize)>,
    open: BTreeMap<u64, Open>,
    done: Done,
    error: Option<Error>,
}

/// A block of members to be done.
struct Work {
    part: u64,
    block: usize,
    members: Range<u64>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<P: Iterator<Item = Part>> Course<P> {
    /// The next block, from the part that is open or from another one.
    fn next(&mut self, dataset: &Dataset) -> Result<Option<Work>, Error> {
        loop {
            if let Some((part, block)) = &mut self.current
                && let Some(open) = self.open.get(part)
                && *block < open.blocks.len()
            {
                let first = open.part.members.start + *block as u64 * BLOCK;
                let members = first..open.part.members.end.min(first + BLOCK);
                let work = Work { part: *part, block: *block, members };
                *block += 1;
                return Ok(Some(work));
            }
            let Some(part) = self.waiting.next() else { return Ok(None) };
            match dataset.begin(&part)? {
                None => self.done.elsewhere += u64::from(!dataset.is_done(&part)),
                Some(begun) => {
                    let count = (part.members.end - part.members.start).div_ceil(BLOCK) as usize;
                    self.current = Some((part.number, 0));
                    let blocks = (0..count).map(|_| None).collect();
                    self.open.insert(part.number, Open { part, begun, blocks, missing: count });
                }
            }
        }
    }

    /// Takes in the members of a block; the part, if it was the last of it.
    fn take(&mut self, work: &Work, members: Vec<Kept>) -> Option<Open> {
        for (number, kept) in work.members.clone().zip(&members) {
            self.done.members += 1;
            if let Some(error) = &kept.failed {
                self.done.failed += 1;
                if self.done.failure.as_ref().is_none_or(|(first, _)| number < *first) {
                    self.done.failure = Some((number, error.clone()));
                }
            }
        }
        let open = self.open.get_mut(&work.part)?;
        open.blocks[work.block] = Some(members);
        open.missing -= 1;
        if open.missing == 0 { self.open.remove(&work.part) } else { None }
    }
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
) -> Result<Done, Error> {
    let waiting = parts.filter(|part| !dataset.is_done(part));
    let course = Mutex::new(Course {
        waiting,
        current: None,
        open: BTreeMap::new(),
        done: Done::default(),
        error: None,
    });
    let one = || {
        while !asked_to_stop.load(Ordering::Relaxed) {
            let mut held = locked(&course);
            if held.error.is_some() {
                return;
            }
            let work = match held.next(dataset) {
                Ok(Some(work)) => work,
                Ok(None) => return,
                Err(error) => {
                    held.error = Some(error);
                    return;
                }
            };
            drop(held);
            // A block that was stopped is done again by whoever does its part.
            let Some(members) = run(work.members.clone()) else { return };
            let mut held = locked(&course);
            let whole = held.take(&work, members);
            progress(&held.done);
            drop(held);
            let Some(Open { begun, blocks, .. }) = whole else { continue };
            let (mut rows, mut path): (Vec<Vec<Cell>>, Vec<Vec<Cell>>) = (Vec::new(), Vec::new());
            for kept in blocks.into_iter().flatten().flatten() {
                rows.push(kept.row);
                path.extend(kept.path);
            }
            let written = dataset.write(begun, &rows, &path);
            let mut held = locked(&course);
            match written {
                Ok(()) => held.done.parts += 1,
                Err(error) => held.error = Some(error),
            }
        }
    };
    thread::scope(|scope| {
        // A machine may refuse threads: the others do all the work.
        let begin = |_: usize| thread::Builder::new().spawn_scoped(scope, one).ok();
        let others: Vec<_> = (1..threads).map_while(begin).collect();
        one();
        // A thread that panicked ends the process by the scope.
        drop(others);
    });
    let Course { done, error, .. } = course.into_inner().unwrap_or_else(PoisonError::into_inner);
    error.map_or(Ok(done), Err)
}
