//! Cuts large families and long vectors into parts for several threads.
//!
//! The parts and the order of their sums depend on the instance alone,
//! so that any number of threads gives the same bits.

use std::ops::Range;

/// Families with fewer operations, some hundred microseconds,
/// stay whole: sleeping threads do not wake much sooner.
const LARGE: usize = 2_000_000;
/// The least operations of a part for each entry of its own vector, so that clearing and adding up these
/// vectors stays a small share of the work.
const PRIVATE: usize = 256;
/// The most parts.
const MOST: usize = 16;

/// The number of entries of a vector that pay for a thread: some ten microseconds.
pub const ENTRIES: usize = 32_768;

/// The number of parts for so many operations that add to a vector of this length.
pub(super) fn parts(operations: usize, length: usize) -> usize {
    if operations < LARGE { 1 } else { (operations / (PRIVATE * length.max(1))).clamp(1, MOST) }
}

/// Cuts batches with these numbers of elements into `count` parts with about equally many elements.
pub fn cut(weights: &[usize], count: usize) -> Vec<Range<usize>> {
    let total: usize = weights.iter().sum();
    let mut parts = Vec::with_capacity(count);
    let (mut start, mut passed) = (0, 0);
    for (place, weight) in weights.iter().enumerate() {
        passed += weight;
        if passed * count >= total * (parts.len() + 1) {
            parts.push(start..place + 1);
            start = place + 1;
        }
    }
    parts
}

/// Runs every part with its own memory.
pub(super) fn side_by_side<M: Send>(
    parts: &[Range<usize>],
    memories: &mut [M],
    run: &(dyn Fn(Range<usize>, &mut M) + Sync),
) {
    match (parts, &mut *memories) {
        ([], _) | (_, []) => {}
        ([part], [memory, ..]) => run(part.clone(), memory),
        _ => {
            let half = parts.len() / 2;
            let (left, right) = parts.split_at(half);
            let (left_memories, right_memories) = memories.split_at_mut(half);
            rayon::join(
                || side_by_side(left, left_memories, run),
                || side_by_side(right, right_memories, run),
            );
        }
    }
}

/// Acts on each entry of a vector together with the entries of others at its index,
/// on several threads if there are many.
#[inline]
pub fn each_entry<const N: usize>(
    to: &mut [f64],
    from: [&[f64]; N],
    act: &(impl Fn(&mut f64, [f64; N]) + Sync),
) {
    let piece = |to: &mut [f64], from: [&[f64]; N]| {
        let from = from.map(|from| &from[..to.len()]);
        for (k, to) in to.iter_mut().enumerate() {
            act(to, from.map(|from| from[k]));
        }
    };
    if to.len() / 2 < ENTRIES { piece(to, from) } else { halved(to, from, &piece) }
}

/// A loop over entries of a vector and of others.
type Piecewise<'a, const N: usize> = dyn Fn(&mut [f64], [&[f64]; N]) + Sync + 'a;

/// Runs a loop over pieces. It takes the loop by reference:
/// the code that joins threads is long, and would be compiled again for each loop.
#[inline(never)]
fn halved<const N: usize>(to: &mut [f64], from: [&[f64]; N], act: &Piecewise<'_, N>) {
    let half = to.len() / 2;
    if half < ENTRIES {
        act(to, from);
        return;
    }
    let (left, right) = to.split_at_mut(half);
    let (left_from, right_from) = (from.map(|from| &from[..half]), from.map(|from| &from[half..]));
    rayon::join(|| halved(left, left_from, act), || halved(right, right_from, act));
}

/// Whether all entries are finite.
#[inline]
pub fn all_finite(values: &[f64]) -> bool {
    // No early exit, so that the loop is vectorized.
    let all = |values: &[f64]| values.iter().fold(true, |finite, value| finite & value.is_finite());
    if values.len() / 2 < ENTRIES { all(values) } else { halves_are_finite(values) }
}

#[inline(never)]
fn halves_are_finite(values: &[f64]) -> bool {
    let (left, right) = values.split_at(values.len() / 2);
    let (left, right) = rayon::join(|| all_finite(left), || all_finite(right));
    left && right
}

/// The first entry that is infinite or NaN.
#[inline]
pub(crate) fn first_not_finite(values: &[f64]) -> Option<usize> {
    if all_finite(values) { None } else { search(values) }
}

/// Runs only after a failure.
#[cold]
fn search(values: &[f64]) -> Option<usize> {
    values.iter().position(|value| !value.is_finite())
}
