//! Parts of a large family, for several threads.

use super::Share;
use std::ops::Range;

/// Families below this number of operations, some hundred microseconds, stay whole: threads that have gone to sleep since the last
/// step are not awake much sooner.
const LARGE: usize = 2_000_000;
/// How many operations a part takes at least for each entry that it adds up by itself, so that clearing and adding up what the
/// parts have found stays a small share of the work.
const PRIVATE: usize = 256;
/// More parts than this are not made.
const MOST: usize = 16;

/// What a part runs: its range, its share, its stretch of the matrix and the first position of that. Called through a pointer,
/// so that what divides the work is compiled once and not for every family.
pub(super) type Run<'a> = &'a (dyn Fn(Range<usize>, &mut Share, &mut [f64], usize) -> f64 + Sync);

/// Consecutive rows or blocks, and the positions in the matrix that belong to them alone.
#[derive(Debug, Clone)]
struct Part {
    range: Range<usize>,
    positions: Range<usize>,
}

/// How a family is cut.
#[derive(Debug, Clone)]
pub(super) struct Parts {
    parts: Vec<Part>,
    separate: bool,
}

impl Parts {
    /// Cuts rows or blocks of these numbers of elements so that each part has about as many as the others.
    ///
    /// `positions` says which positions of the matrix a part fills, if that can be said.
    pub(super) fn new(
        weights: &[usize],
        work: usize,
        length: usize,
        positions: &dyn Fn(Range<usize>) -> Option<Range<usize>>,
    ) -> Self {
        let count = if work < LARGE { 1 } else { (work / (PRIVATE * length)).clamp(1, MOST) };
        let total: usize = weights.iter().sum();
        let mut ranges = Vec::with_capacity(count);
        let (mut start, mut passed) = (0, 0);
        for (place, weight) in weights.iter().enumerate() {
            passed += weight;
            if passed * count >= total * (ranges.len() + 1) {
                ranges.push(start..place + 1);
                start = place + 1;
            }
        }
        let known: Option<Vec<Range<usize>>> = ranges.iter().cloned().map(positions).collect();
        let known = known.filter(|known| known.windows(2).all(|pair| pair[0].end <= pair[1].start));
        let separate = known.is_some();
        let known = known.unwrap_or_else(|| vec![0..0; ranges.len()]);
        let parts = ranges.into_iter().zip(known).map(|(range, positions)| Part { range, positions });
        Self { parts: parts.collect(), separate }
    }

    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }

    /// Whether no two parts fill the same position of the matrix.
    pub(super) fn have_separate_positions(&self) -> bool {
        self.separate
    }

    /// Runs every part with its own share and its own stretch of the matrix, given with its first position; returns the sum of
    /// what they return, in their order.
    pub(super) fn share(&self, shares: &mut [Share], matrix: &mut [f64], run: Run<'_>) -> f64 {
        divide(&self.parts, shares, matrix, 0, run);
        shares.iter().map(|share| share.scalar).sum()
    }
}

/// Halves the parts until one is left, and runs the halves side by side.
fn divide(parts: &[Part], shares: &mut [Share], matrix: &mut [f64], first: usize, run: Run<'_>) {
    if let ([part], [share]) = (parts, &mut *shares) {
        share.scalar = run(part.range.clone(), share, matrix, first);
        return;
    }
    let half = parts.len() / 2;
    if half == 0 {
        return;
    }
    let (left, right) = parts.split_at(half);
    let (left_shares, right_shares) = shares.split_at_mut(half);
    let cut = right[0].positions.start.saturating_sub(first).min(matrix.len());
    let (left_matrix, right_matrix) = matrix.split_at_mut(cut);
    rayon::join(
        || divide(left, left_shares, left_matrix, first, run),
        || divide(right, right_shares, right_matrix, first + cut, run),
    );
}
