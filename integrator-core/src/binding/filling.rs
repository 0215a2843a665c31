//! How the terms of a sum fill its Hessian.
//!
//! What one entry of one element alone fills, a layout for registers writes: the blocks off the diagonal of all pairs, for
//! instance, which are most of their matrix. Only the rest is set to zero before the terms add to it.

use super::family::PotentialTerm;
use crate::lanes::Width;
use crate::sparse::SymmetricPattern;
use std::ops::Range;

/// Gaps shorter than this are set to zero together with what is around them.
const GAP: usize = 16;

/// The Hessian of a sum of terms.
pub(super) struct Filling {
    pub(super) pattern: SymmetricPattern,
    /// How many entries fill each position; the diagonal counts once more.
    filled: Vec<u8>,
    /// What begins at zero.
    blank: Vec<Range<usize>>,
}

impl Filling {
    /// Prepares terms to fill the matrix that they have together.
    pub(super) fn new(dimension: usize, terms: &mut [Box<dyn PotentialTerm>], width: Width) -> Self {
        let entries = terms.iter().flat_map(|term| term.hessian_entries());
        let (pattern, filled) = SymmetricPattern::counted(dimension, entries);
        let mut filling = Self { pattern, filled, blank: Vec::new() };
        filling.place(terms, width);
        filling
    }

    /// Prepares the same terms to compute with another number of lanes.
    pub(super) fn place(&mut self, terms: &mut [Box<dyn PotentialTerm>], width: Width) {
        let mut written = Vec::new();
        for term in terms {
            term.place_in(&self.pattern, &self.filled, width);
            term.visit_written(&mut |range| written.push(range));
        }
        self.blank = rest(written, self.pattern.len());
    }

    /// Sets to zero what the terms add to.
    pub(super) fn clear(&self, hessian: &mut [f64]) {
        for range in &self.blank {
            hessian[range.clone()].fill(0.0);
        }
    }
}

/// What lies between some ranges before `end`, short gaps included.
fn rest(mut ranges: Vec<Range<usize>>, end: usize) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut rest: Vec<Range<usize>> = Vec::new();
    let mut from = 0;
    for range in ranges.into_iter().chain(std::iter::once(end..end)) {
        if from < range.start {
            match rest.last_mut() {
                Some(last) if from - last.end < GAP => last.end = range.start,
                _ => rest.push(from..range.start),
            }
        }
        from = from.max(range.end);
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::rest;

    #[test]
    fn what_is_written_is_left_out_but_for_short_gaps() {
        assert_eq!(rest(vec![], 9), std::slice::from_ref(&(0..9)));
        assert_eq!(rest(vec![40..80, 0..20], 100), [20..40, 80..100]);
        assert_eq!(rest(vec![10..14, 20..60], 100), [0..20, 60..100]);
        assert_eq!(rest(vec![0..30, 30..100], 100), []);
    }
}
