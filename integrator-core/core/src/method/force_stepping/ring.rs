//! The kinetic ring: all faces of the grid at O(log d) a crossing.
//!
//! The phases, in descending order, with one fixed point O at which they wrap (phase 1, and again phase
//! 0), are d + 1 points on a circle. The d + 1 gaps between neighbours are the barycentric coordinates,
//! and so the faces of the simplex: in *every* crossing two neighbours meet and swap. A swap with O
//! passes into the next cell. A crossing changes the velocity of at most two points, and so the times of
//! at most three gaps.

use super::cells::Cells;
use super::coordinate::Coordinate;
use super::couplings::Couplings;
use super::exit::leave;
use super::meeting::{Change, Meeting};
use super::soonest::Soonest;
use crate::carried::carried;

/// The coordinates in descending order of their phases, on a circle with the point O of index d.
#[derive(Debug)]
pub(super) struct Ring {
    points: Vec<u32>,
    soonest: Soonest,
    /// The pairs that share an element, and the first pair of each lower coordinate.
    pairs: Vec<[u32; 2]>,
    starts: Vec<usize>,
}

impl Ring {
    /// `ranked` lists the coordinates by descending phase.
    pub(super) fn new(ranked: &[u32], couplings: &Couplings, coordinates: &[Coordinate]) -> Self {
        let dimension = ranked.len() as u32;
        let points: Vec<u32> = std::iter::once(dimension).chain(ranked.iter().copied()).collect();
        let pairs = couplings.pairs.clone();
        let starts = (0..=dimension).map(|a| pairs.partition_point(|[lower, _]| *lower < a)).collect();
        let mut all = Self { soonest: Soonest::new(points.len()), points, pairs, starts };
        (0..all.points.len()).for_each(|gap| all.predict(gap, 0.0, coordinates));
        all
    }

    pub(super) fn len(&self) -> usize {
        self.points.len()
    }

    pub(super) fn rebase(&mut self, now: f64) {
        self.soonest.rebase(now);
    }

    #[inline]
    pub(super) fn next(&self, cells: &Cells) -> Option<(f64, Meeting)> {
        let (gap, time) = self.soonest.first();
        if !time.is_finite() {
            return None;
        }
        let [above, below] = self.around(gap);
        let origin = cells.coordinates.len();
        let meeting = if above == origin {
            Meeting::End { coordinate: below, upwards: true }
        } else if below == origin {
            Meeting::End { coordinate: above, upwards: false }
        } else {
            // The upper phase falls to the lower one: w_above − w_below decreases.
            let [a, b] = [above.min(below), above.max(below)];
            Meeting::Pair { a, b, pair: self.pair(a, b), upwards: above > below }
        };
        Some((time, meeting))
    }

    #[inline]
    pub(super) fn update(&mut self, change: Change, now: f64, cells: &Cells) {
        let (gap, _) = self.soonest.first();
        let next = self.after(gap);
        if !change.mirrored {
            self.points.swap(gap, next);
        }
        let before = if gap == 0 { self.points.len() - 1 } else { gap - 1 };
        let beyond = next;
        for gap in [before, gap, beyond] {
            self.predict(gap, now, &cells.coordinates);
        }
    }

    #[inline]
    fn after(&self, gap: usize) -> usize {
        if gap + 1 == self.points.len() { 0 } else { gap + 1 }
    }

    /// The points at both ends of a gap.
    #[inline]
    fn around(&self, gap: usize) -> [usize; 2] {
        [self.points[gap] as usize, self.points[self.after(gap)] as usize]
    }

    /// Predicts when a gap closes.
    #[inline]
    fn predict(&mut self, gap: usize, now: f64, coordinates: &[Coordinate]) {
        let [above, below] = self.around(gap);
        // O is fixed, at 1 above all and at 0 below all.
        let state = |point: usize, phase: f64| match coordinates.get(point) {
            Some(coordinate) => (coordinate.at(now), coordinate.acceleration),
            None => ((phase, 0.0), 0.0),
        };
        let ((phase, rate), acceleration) = state(above, 1.0);
        let ((other_phase, other_rate), other_acceleration) = state(below, 0.0);
        let time = leave(phase - other_phase, rate - other_rate, 0.5 * (acceleration - other_acceleration));
        self.soonest.set(gap, now + time);
    }

    /// The pair of two coordinates a < b, if they share an element.
    #[inline]
    fn pair(&self, a: usize, b: usize) -> Option<usize> {
        let start = self.starts[a];
        let of_a = &self.pairs[start..self.starts[a + 1]];
        // If all are coupled, this guess hits.
        let guess = b - a - 1;
        if of_a.get(guess).is_some_and(|[_, other]| *other as usize == b) {
            return Some(start + guess);
        }
        of_a.binary_search_by_key(&(b as u32), |[_, other]| *other).ok().map(|place| start + place)
    }
}

carried!([] Ring { points, soonest } besides { pairs, starts });
