//! The simplex of the motion, as integers: no comparison of floating-point numbers finds a vertex.

use super::coordinate::Coordinate;
use super::couplings::{Couplings, Relation};
use super::grid::{Grid, Triangulation};
use crate::carried::carried;
use crate::error::{Begun, StartError};
use crate::method::contract::Claims;
use crate::method::force_stepping::ForceStepping;
use crate::system::{State, System};

/// The coordinates with their cells, and the order of the phases of each pair that shares an element.
#[derive(Debug)]
pub(super) struct Cells {
    pub(super) grid: Grid,
    pub(super) coordinates: Vec<Coordinate>,
    /// m = ⌊w_a − w_b⌋ for the pairs a < b: the phase of a is above the phase of b if m is the
    /// difference of their cells. The last entry is 0, for a coordinate and itself.
    pub(super) order: Vec<i64>,
}

/// Phases and integers within this distance are equal: 0.39/0.02 is 19.499999999999996.
const SAME: f64 = 1e-11;

impl Cells {
    /// The simplex in which the motion begins, on faces the one that it enters, before accelerations are
    /// known; and the coordinates by descending phase.
    ///
    /// Coordinates with equal phases are ordered by their velocities, then by their indices: if their
    /// accelerations require another order, they swap in no time.
    ///
    /// # Errors
    /// A coordinate is too many cells away from the vertex of the grid.
    pub(super) fn around<S: System + ?Sized>(
        system: &S,
        grid: Grid,
        couplings: &Couplings,
        state: &State,
    ) -> Begun<(Self, Vec<u32>)> {
        let mut coordinates = Vec::with_capacity(grid.dimension());
        for (a, (&q, &v)) in state.q.iter().zip(&state.v).enumerate() {
            let z = grid.in_steps(a, q);
            if !Grid::has_place(z) {
                let coordinate = system.layout().name_of(a);
                return Err(StartError::TooManyCells { method: ForceStepping::NAME, coordinate, cells: z });
            }
            let near = (z - z.round()).abs() <= SAME.max(4.0 * f64::EPSILON * z.abs());
            let (place, phase) = grid.place(a, if near { z.round() } else { z }, v);
            coordinates.push(Coordinate {
                phase,
                rate: v / place.step,
                acceleration: 0.0,
                since: 0.0,
                place,
            });
        }
        let ranked = rank(&mut coordinates);
        let mut ranks = vec![0; coordinates.len()];
        for (k, &a) in ranked.iter().enumerate() {
            ranks[a as usize] = k;
        }
        let order = couplings.pairs.iter().map(|pair| {
            let [a, b] = pair.map(|coordinate| coordinate as usize);
            coordinates[a].place.cell - coordinates[b].place.cell - i64::from(ranks[a] > ranks[b])
        });
        let order = order.chain([0]).collect();
        Ok((Self { grid, coordinates, order }, ranked))
    }

    /// w_a − w_b − m for the pair, without its phases.
    #[inline(always)]
    pub(super) fn gap(&self, pair: usize, a: usize, b: usize) -> i64 {
        self.coordinates[a].place.cell - self.coordinates[b].place.cell - self.order[pair]
    }

    /// The integer w of a coordinate at the upper end of the edge along which the phase of coordinate
    /// `own` grows through its cell.
    #[inline(always)]
    pub(super) fn level(&self, own: usize, relation: Relation) -> i64 {
        // With m' = ⌊w − w_own⌋ it is the cell of `own` + m' + 1, and m' is m or −m − 1 = !m.
        let (pair, mask) = relation.pair();
        self.coordinates[own].place.cell + 1 + (self.order[pair] ^ mask)
    }

    /// Moves a coordinate across the end of its cell, `upwards` or downwards, exactly onto the end; true
    /// if it was mirrored there.
    #[inline]
    pub(super) fn cross(&mut self, coordinate: usize, upwards: bool) -> bool {
        let Coordinate { phase, rate, acceleration, place, .. } = &mut self.coordinates[coordinate];
        let mirrored = match self.grid.triangulation {
            Triangulation::Kuhn => false,
            Triangulation::Mirrored => !upwards && place.cell == 0,
            Triangulation::UnionJack => true,
        };
        if mirrored {
            *phase = if upwards { 1.0 } else { 0.0 };
            place.base = if upwards { -(place.base + 2) } else { -place.base };
            (place.step, *rate, *acceleration) = (-place.step, -*rate, -*acceleration);
        } else {
            *phase = if upwards { 0.0 } else { 1.0 };
            place.cell += if upwards { 1 } else { -1 };
        }
        mirrored
    }

    /// Puts two coordinates exactly on the face where they meet, w_a − w_b = `difference`.
    ///
    /// A `loose` coordinate has no faces, so that its cell can be chosen. True if the two are then in
    /// one cell; false if one is at the end of its cell, the other at its beginning, and the first has
    /// not passed yet.
    #[inline]
    pub(super) fn meet(&mut self, [a, b]: [usize; 2], difference: i64, loose: [bool; 2]) -> bool {
        let [mut one, mut other] = [self.coordinates[a], self.coordinates[b]];
        let apart = difference - (one.place.cell - other.place.cell);
        let together = apart == 0 || loose != [false, false];
        if together {
            if loose[0] {
                one.place.cell += apart;
                one.phase -= apart as f64;
            } else {
                other.place.cell -= apart;
                other.phase += apart as f64;
            }
            let phase = 0.5 * (one.phase + other.phase);
            if loose == [true, true] {
                let cells = floor(phase);
                (one.phase, other.phase) = (phase - cells as f64, phase - cells as f64);
                one.place.cell += cells;
                other.place.cell += cells;
            } else {
                one.phase = phase.clamp(0.0, 1.0);
                other.phase = one.phase;
            }
        } else {
            (one.phase, other.phase) = if apart > 0 { (1.0, 0.0) } else { (0.0, 1.0) };
        }
        (self.coordinates[a], self.coordinates[b]) = (one, other);
        together
    }

    /// Puts two coordinates that share no element exactly on the face where they meet.
    #[inline]
    pub(super) fn touch(&mut self, a: usize, b: usize) {
        let phase = 0.5 * (self.coordinates[a].phase + self.coordinates[b].phase);
        self.coordinates[a].phase = phase;
        self.coordinates[b].phase = phase;
    }

    /// Takes whole cells out of the phase of a loose coordinate.
    #[inline]
    pub(super) fn tidy(&mut self, coordinate: usize) {
        let Coordinate { phase, place, .. } = &mut self.coordinates[coordinate];
        let cells = floor(*phase);
        *phase -= cells as f64;
        place.cell += cells;
    }
}

/// ⌊x⌋ for |x| far below 2⁶³, without the function call of `f64::floor` on old processors.
#[inline(always)]
fn floor(x: f64) -> i64 {
    let whole = x as i64;
    whole - i64::from(x < whole as f64)
}

/// Makes phases equal that differ by rounding, and orders the coordinates by descending phase, then by
/// descending velocity.
fn rank(coordinates: &mut [Coordinate]) -> Vec<u32> {
    let mut ranked: Vec<u32> = (0..coordinates.len() as u32).collect();
    ranked.sort_by(|&a, &b| coordinates[b as usize].phase.total_cmp(&coordinates[a as usize].phase));
    for k in 1..coordinates.len() {
        let above = coordinates[ranked[k - 1] as usize].phase;
        let phase = &mut coordinates[ranked[k] as usize].phase;
        // The ends of a cell are exact.
        if above - *phase <= SAME && *phase > 0.0 && above < 1.0 {
            *phase = above;
        }
    }
    ranked.sort_by(|&a, &b| {
        let (one, other) = (&coordinates[a as usize], &coordinates[b as usize]);
        let by_rate = || other.rate.partial_cmp(&one.rate).unwrap_or(std::cmp::Ordering::Equal);
        other.phase.total_cmp(&one.phase).then_with(by_rate).then(a.cmp(&b))
    });
    ranked
}

carried!([] Cells { coordinates, order } besides { grid });
