//! The slopes of V_h in the simplex of the motion, kept up to date as faces are crossed.
//!
//! γ_a = V(w + e_a) − V(w), with w the vertex below: the coordinates whose phases are above that of a are raised in it.  A
//! face in which the phases of a and b meet changes γ_a and γ_b alone, through the elements that contain both, each at one new
//! vertex; the end of the cell of a changes γ_a alone.

use super::cells::Cells;
use super::couplings::{Couplings, Member, Members};
use super::potential::Potential;
use crate::system::Natural;

/// The slopes, and what they are made of.
#[derive(Debug)]
pub(super) struct Slopes {
    /// V_e at the ends of the edge along which the phase of a coordinate grows: for each place of each element.
    ends: Vec<[f64; 2]>,
    /// γ, for each coordinate.
    gamma: Vec<f64>,
    /// A vertex of one element.
    x: Vec<f64>,
    values: u64,
}

/// A value of the potential that is infinite or not a number, of the vertex that [`Slopes::vertex`] has.
#[derive(Debug, Clone, Copy)]
pub(super) struct NotFinite {
    pub(super) element: usize,
    pub(super) value: f64,
}

impl Slopes {
    /// Those of the simplex in which `cells` are.
    pub(super) fn new<S: Natural + ?Sized>(
        potential: &Potential<'_, S>,
        couplings: &Couplings,
        cells: &Cells,
    ) -> (Self, Result<(), NotFinite>) {
        let mut slopes = Self {
            ends: vec![[0.0; 2]; potential.all_slots()],
            gamma: vec![0.0; cells.places.len()],
            x: vec![0.0; potential.most_slots()],
            values: 0,
        };
        let mut outcome = Ok(());
        for a in 0..cells.places.len() {
            for &member in couplings.members.of(a) {
                let found = slopes.evaluate_both(potential, couplings, cells, a, member);
                outcome = outcome.and(found.map(|_| ()));
            }
        }
        slopes.sum_up(potential, couplings);
        (slopes, outcome)
    }

    /// γ of a coordinate.
    #[inline(always)]
    pub(super) fn gamma(&self, coordinate: usize) -> f64 {
        self.gamma[coordinate]
    }

    /// How many values were taken.
    pub(super) fn values(&self) -> u64 {
        self.values
    }

    /// The vertex that was evaluated last.
    pub(super) fn vertex(&self) -> &[f64] {
        &self.x
    }

    /// Adds up γ afresh, so that rounding errors of its changes do not outlive a while.
    pub(super) fn sum_up<S: Natural + ?Sized>(
        &mut self,
        potential: &Potential<'_, S>,
        couplings: &Couplings,
    ) {
        for (a, gamma) in self.gamma.iter_mut().enumerate() {
            let ends = couplings.members.of(a).iter().map(|member| {
                self.ends[potential.slots(member.element as usize).start + member.place as usize]
            });
            *gamma = ends.map(|[below, above]| above - below).sum();
        }
    }

    /// Makes the slopes those beyond the face in which a pair meets; its `order` is already that beyond the face, where the
    /// phase of the `first` of the two is above.  `in_one_cell` is what [`Cells::meet`] said.
    #[inline]
    pub(super) fn swap<S: Natural + ?Sized>(
        &mut self,
        potential: &Potential<'_, S>,
        couplings: &Couplings,
        cells: &Cells,
        pair: usize,
        first: usize,
        in_one_cell: bool,
    ) -> Result<(), NotFinite> {
        let [a, b] = couplings.pairs[pair].map(|coordinate| coordinate as usize);
        let second = 1 - first;
        let [own, other] = if first == 0 { [a, b] } else { [b, a] };
        for &Members { element, places } in couplings.shared.of(pair) {
            let element = element as usize;
            let start = potential.slots(element).start;
            let [own_place, other_place] = [places[first] as usize, places[second] as usize];
            let [[own_below, own_above], [below, above]] =
                [self.ends[start + own_place], self.ends[start + other_place]];
            // The path w → w + e_other → w + e_other + e_own becomes w → w + e_own → …: one vertex is new.
            let adjacent =
                self.go_to(potential, couplings, cells, element, [own, other], [own_place, other_place]);
            let (own_ends, other_ends) = if adjacent && in_one_cell {
                let value = self.evaluate(potential, element)?;
                ([below, value], [value, own_above])
            } else {
                // Others meet in the same point, and their turn comes.
                let place = |place: usize| Member { element: element as u32, place: place as u32 };
                (
                    self.evaluate_both(potential, couplings, cells, own, place(own_place))?,
                    self.evaluate_both(potential, couplings, cells, other, place(other_place))?,
                )
            };
            self.ends[start + own_place] = own_ends;
            self.ends[start + other_place] = other_ends;
            self.gamma[own] += (own_ends[1] - own_ends[0]) - (own_above - own_below);
            self.gamma[other] += (other_ends[1] - other_ends[0]) - (above - below);
        }
        Ok(())
    }

    /// Makes the slope of a coordinate that of the cell into which it has passed.
    #[inline]
    pub(super) fn pass<S: Natural + ?Sized>(
        &mut self,
        potential: &Potential<'_, S>,
        couplings: &Couplings,
        cells: &Cells,
        coordinate: usize,
    ) -> Result<(), NotFinite> {
        for &member in couplings.reacting.of(coordinate) {
            let slot = potential.slots(member.element as usize).start + member.place as usize;
            let [old_below, old_above] = self.ends[slot];
            let [below, above] = self.evaluate_both(potential, couplings, cells, coordinate, member)?;
            self.gamma[coordinate] += (above - below) - (old_above - old_below);
        }
        Ok(())
    }

    /// V_e at both ends of the edge of a coordinate, which are also kept.
    fn evaluate_both<S: Natural + ?Sized>(
        &mut self,
        potential: &Potential<'_, S>,
        couplings: &Couplings,
        cells: &Cells,
        own: usize,
        Member { element, place }: Member,
    ) -> Result<[f64; 2], NotFinite> {
        let (element, place) = (element as usize, place as usize);
        let reads = potential.reads(element);
        let relations = couplings.relations(element, place, reads.len());
        let mut ends = [0.0; 2];
        for (lift, end) in (0..).zip(&mut ends) {
            for ((x, &coordinate), &relation) in self.x.iter_mut().zip(reads).zip(relations) {
                let level = cells.level(own, relation).unwrap_or(cells.places[own].cell + lift);
                *x = cells.position(coordinate as usize, level);
            }
            *end = self.evaluate(potential, element)?;
        }
        self.ends[potential.slots(element).start + place] = ends;
        Ok(ends)
    }

    /// Goes to the vertex above `own`, which lies below `other`; says whether no third coordinate stands between the two.
    #[inline]
    fn go_to<S: Natural + ?Sized>(
        &mut self,
        potential: &Potential<'_, S>,
        couplings: &Couplings,
        cells: &Cells,
        element: usize,
        [own, other]: [usize; 2],
        [own_place, other_place]: [usize; 2],
    ) -> bool {
        let reads = potential.reads(element);
        let of_own = couplings.relations(element, own_place, reads.len());
        let of_other = couplings.relations(element, other_place, reads.len());
        let mut adjacent = true;
        for (((x, &coordinate), &one), &two) in self.x.iter_mut().zip(reads).zip(of_own).zip(of_other) {
            let level = match (cells.level(own, one), cells.level(other, two)) {
                (None, _) => cells.places[own].cell + 1,
                (Some(level), None) => level,
                (Some(level), Some(seen)) => {
                    adjacent &= level == seen;
                    level
                }
            };
            *x = cells.position(coordinate as usize, level);
        }
        adjacent
    }

    #[inline]
    fn evaluate<S: Natural + ?Sized>(
        &mut self,
        potential: &Potential<'_, S>,
        element: usize,
    ) -> Result<f64, NotFinite> {
        self.values += 1;
        let value = potential.value(element, &self.x[..potential.slots(element).len()]);
        if value.is_finite() { Ok(value) } else { Err(NotFinite { element, value }) }
    }
}
