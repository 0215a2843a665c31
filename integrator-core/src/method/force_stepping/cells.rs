//! In which simplex the motion is, as integers: no comparison of floating-point numbers is ever used to find a vertex.

use super::couplings::{Couplings, Relation};
use super::grid::{Grid, Place, Triangulation};
use super::parabola::Parabola;
use crate::error::StartError;
use crate::method::Claims;
use crate::method::force_stepping::ForceStepping;
use crate::system::{State, System};

/// The cell of each coordinate, and the order of the phases of each pair that shares an element.
#[derive(Debug)]
pub(super) struct Cells {
    pub(super) grid: Grid,
    pub(super) places: Vec<Place>,
    /// m = ⌊w_a − w_b⌋ for the pairs a < b: the phase of a is above that of b where m is the difference of their cells.
    pub(super) order: Vec<i64>,
}

/// Phases and integers within this of each other are the same: 0.39/0.02 is 19.499999999999996.
const SAME: f64 = 1e-11;

impl Cells {
    /// The simplex in which the motion begins; on faces, the one into which it moves.  Also its parabolas, without
    /// acceleration, and the coordinates by descending phase.
    ///
    /// Coordinates with equal phases are ordered by their velocities; where these are equal too, by their indices: should
    /// their accelerations want another order, they swap in no time.
    ///
    /// # Errors
    /// A coordinate is too many cells away from the vertex of the grid.
    pub(super) fn around<S: System + ?Sized>(
        system: &S,
        grid: Grid,
        couplings: &Couplings,
        state: &State,
    ) -> Result<(Self, Vec<Parabola>, Vec<u32>), StartError> {
        let dimension = grid.dimension();
        let mut places = Vec::with_capacity(dimension);
        let mut parabolas = Vec::with_capacity(dimension);
        for (a, (&q, &v)) in state.q.iter().zip(&state.v).enumerate() {
            let z = grid.in_steps(a, q);
            if !Grid::has_place(z) {
                let coordinate = system.layout().name_of(a);
                return Err(StartError::TooManyCells { method: ForceStepping::NAME, coordinate, cells: z });
            }
            let near = (z - z.round()).abs() <= SAME.max(4.0 * f64::EPSILON * z.abs());
            let speed = v / grid.steps()[a];
            let (place, phase) = grid.place(if near { z.round() } else { z }, speed);
            places.push(place);
            parabolas.push(Parabola { phase, rate: place.sign as f64 * speed, ..Parabola::default() });
        }
        let mut ranked: Vec<u32> = (0..dimension as u32).collect();
        ranked.sort_by(|&a, &b| parabolas[b as usize].phase.total_cmp(&parabolas[a as usize].phase));
        for k in 1..dimension {
            let above = parabolas[ranked[k - 1] as usize].phase;
            let phase = &mut parabolas[ranked[k] as usize].phase;
            // The ends of a cell are exact.
            if above - *phase <= SAME && *phase > 0.0 && above < 1.0 {
                *phase = above;
            }
        }
        ranked.sort_by(|&a, &b| {
            let (one, other) = (&parabolas[a as usize], &parabolas[b as usize]);
            let velocities = || other.rate.partial_cmp(&one.rate).unwrap_or(std::cmp::Ordering::Equal);
            other.phase.total_cmp(&one.phase).then_with(velocities).then(a.cmp(&b))
        });
        let mut rank = vec![0; dimension];
        for (k, &a) in ranked.iter().enumerate() {
            rank[a as usize] = k;
        }
        let order = couplings.pairs.iter().map(|&[a, b]| {
            let (a, b) = (a as usize, b as usize);
            places[a].cell - places[b].cell - i64::from(rank[a] > rank[b])
        });
        let order = order.collect();
        Ok((Self { grid, places, order }, parabolas, ranked))
    }

    /// w_a − w_b − m for the pair, without its phases.
    #[inline(always)]
    pub(super) fn gap(&self, pair: usize, a: usize, b: usize) -> i64 {
        self.places[a].cell - self.places[b].cell - self.order[pair]
    }

    /// Where another coordinate stands on the edge along which the phase of coordinate `own` grows through its cell: its
    /// integer w.
    #[inline(always)]
    pub(super) fn level(&self, own: usize, relation: Relation) -> Option<i64> {
        // With m' = ⌊w_other − w_own⌋ it is the cell of `own` + m' + 1, and m' is m or −m − 1 = !m.
        relation.pair().map(|(pair, mask)| self.places[own].cell + 1 + (self.order[pair] ^ mask))
    }

    /// The coordinate of a vertex with the integer w.
    #[inline(always)]
    pub(super) fn position(&self, coordinate: usize, level: i64) -> f64 {
        self.grid.position(coordinate, self.places[coordinate].vertex(level))
    }

    /// Moves a coordinate across the end of its cell, `upwards` or downwards, and its parabola exactly onto that end; says
    /// whether it was mirrored there.
    pub(super) fn cross(&mut self, coordinate: usize, upwards: bool, parabola: &mut Parabola) -> bool {
        let place = &mut self.places[coordinate];
        parabola.phase = if upwards { 1.0 } else { 0.0 };
        let mirrored = match self.grid.triangulation() {
            Triangulation::Kuhn => false,
            Triangulation::Mirrored => !upwards && place.cell == 0,
            Triangulation::UnionJack => true,
        };
        if mirrored {
            if upwards {
                place.base += 2 * place.sign;
            }
            place.sign = -place.sign;
            parabola.rate = -parabola.rate;
        } else if upwards {
            place.cell += 1;
            parabola.phase = 0.0;
        } else {
            place.cell -= 1;
            parabola.phase = 1.0;
        }
        mirrored
    }

    /// Puts two coordinates exactly on the face on which they meet, w_a − w_b = `difference`.
    ///
    /// A coordinate that is `loose` has no faces of its own, so that its cell can be chosen.  Says whether the two are in one
    /// cell then; they are not where one ends its cell and the other begins it, and the first has not passed yet.
    pub(super) fn meet(
        &mut self,
        [a, b]: [usize; 2],
        difference: i64,
        loose: [bool; 2],
        parabolas: &mut [Parabola],
    ) -> bool {
        let apart = difference - (self.places[a].cell - self.places[b].cell);
        if apart != 0 {
            if loose[0] {
                self.places[a].cell += apart;
                parabolas[a].phase -= apart as f64;
            } else if loose[1] {
                self.places[b].cell -= apart;
                parabolas[b].phase += apart as f64;
            } else {
                parabolas[a].phase = if apart > 0 { 1.0 } else { 0.0 };
                parabolas[b].phase = if apart > 0 { 0.0 } else { 1.0 };
                return false;
            }
        }
        let mut phase = 0.5 * (parabolas[a].phase + parabolas[b].phase);
        if loose[0] && loose[1] {
            let cells = phase.floor();
            phase -= cells;
            self.places[a].cell += cells as i64;
            self.places[b].cell += cells as i64;
        } else {
            phase = phase.clamp(0.0, 1.0);
        }
        parabolas[a].phase = phase;
        parabolas[b].phase = phase;
        true
    }
}
