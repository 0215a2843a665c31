//! The slopes of V_h in the simplex of the motion, kept up to date as faces are crossed.
//!
//! γ_a = V(w + e_a) − V(w), with w the vertex below: it raises the coordinates whose phases are above
//! the phase of a. A face where the phases of a and b meet changes γ_a and γ_b alone, through the
//! elements that contain both, each at one new vertex; the end of the cell of a changes γ_a alone.

use super::cells::Cells;
use super::couplings::{Couplings, Located, Member, Members};
use super::potential::Potential;
use crate::carried::carried;
use crate::system::Natural;

/// The slopes γ of V_h in one simplex, with the values of elements whose differences they are.
#[derive(Debug)]
pub(super) struct Slopes {
    /// V_e at the ends of the edge along which the phase of a coordinate grows, for each place in e.
    ends: Vec<[f64; 2]>,
    /// V_e at the lower and the upper corner of the cell, if it changes when a coordinate leaves it.
    corners: Vec<[f64; 2]>,
    /// γ, and 1/(m h²), for each coordinate.
    gamma: Vec<[f64; 2]>,
    /// A vertex of one element.
    x: Vec<f64>,
    values: u64,
}

/// A value of the potential that is infinite or NaN, at the vertex [`Slopes::vertex`].
#[derive(Debug, Clone, Copy)]
pub(super) struct NotFinite {
    pub(super) located: Located,
    pub(super) value: f64,
}

impl Slopes {
    /// The slopes in the simplex of `cells`.
    pub(super) fn new<S: Natural + ?Sized>(
        potential: &Potential<'_, S>,
        couplings: &Couplings,
        cells: &Cells,
        masses: &[f64],
    ) -> (Self, Result<(), NotFinite>) {
        let mobilities = masses.iter().zip(&cells.grid.steps).map(|(m, h)| 1.0 / (m * h * h));
        let mut slopes = Self {
            ends: vec![[0.0; 2]; potential.all_reads().len()],
            corners: vec![[0.0; 2]; potential.elements()],
            gamma: mobilities.map(|mobility| [0.0, mobility]).collect(),
            x: vec![0.0; potential.most_slots()],
            values: 0,
        };
        let mut all =
            (0..masses.len()).flat_map(|a| couplings.members.of(a).iter().map(move |member| (a, member)));
        let outcome = all
            .try_for_each(|(a, &member)| {
                let Member { located, place, .. } = member;
                slopes.evaluate_both(potential, couplings, cells, a, located, place).map(|_| ())
            })
            .and_then(|()| {
                let once = |member: &&Member| member.place == 0;
                let mut reacting =
                    (0..masses.len()).flat_map(|a| couplings.reacting.of(a).iter().filter(once));
                reacting.try_for_each(|&member| slopes.evaluate_corners(potential, cells, member))
            });
        slopes.sum_up(couplings);
        (slopes, outcome)
    }

    /// The acceleration −γ/(m h²) of the phase of a coordinate.
    #[inline(always)]
    pub(super) fn acceleration(&self, coordinate: usize) -> f64 {
        let [gamma, mobility] = self.gamma[coordinate];
        -gamma * mobility
    }

    /// The number of evaluations of the potential.
    pub(super) fn values(&self) -> u64 {
        self.values
    }

    /// The last evaluated vertex.
    pub(super) fn vertex(&self) -> &[f64] {
        &self.x
    }

    /// Sums γ anew, so that rounding errors of its changes do not accumulate.
    pub(super) fn sum_up(&mut self, couplings: &Couplings) {
        let Self { ends, gamma, .. } = self;
        for (a, [gamma, _]) in gamma.iter_mut().enumerate() {
            let members = couplings.members.of(a).iter();
            *gamma = members
                .map(|member| {
                    let [below, above] = ends[(member.located.start + member.place) as usize];
                    above - below
                })
                .sum();
        }
    }

    /// Updates the slopes across the face where the pair (a, b) meets. Its `order` is already updated;
    /// the phase of its `first` is now above. `in_one_cell` is the result of [`Cells::meet`].
    #[inline]
    pub(super) fn swap<S: Natural + ?Sized>(
        &mut self,
        potential: &Potential<'_, S>,
        couplings: &Couplings,
        cells: &Cells,
        (pair, [a, b]): (usize, [usize; 2]),
        first: usize,
        in_one_cell: bool,
    ) -> Result<(), NotFinite> {
        let [own, other] = [[a, b][first], [a, b][1 - first]];
        for &Members { located, places } in couplings.shared.of(pair) {
            let start = located.start as usize;
            let [own_place, other_place] = [places[first], places[1 - first]];
            let [at_own, at_other] = [start + own_place as usize, start + other_place as usize];
            let [[own_below, own_above], [below, above]] = [self.ends[at_own], self.ends[at_other]];
            // The path w → w + e_other → w + e_other + e_own becomes w → w + e_own → …
            let adjacent =
                self.go_to(potential, couplings, cells, located, [own, other], [own_place, other_place]);
            let (own_ends, other_ends) = if adjacent && in_one_cell {
                let value = self.evaluate(potential, located)?;
                ([below, value], [value, own_above])
            } else {
                // Others meet in this point, too, and follow.
                (
                    self.evaluate_both(potential, couplings, cells, own, located, own_place)?,
                    self.evaluate_both(potential, couplings, cells, other, located, other_place)?,
                )
            };
            self.ends[at_own] = own_ends;
            self.ends[at_other] = other_ends;
            self.gamma[own][0] += (own_ends[1] - own_ends[0]) - (own_above - own_below);
            self.gamma[other][0] += (other_ends[1] - other_ends[0]) - (above - below);
        }
        Ok(())
    }

    /// Updates the slope of a coordinate in the cell into which it passed, `upwards` or downwards, or in
    /// which it was `mirrored`.
    #[inline]
    pub(super) fn pass<S: Natural + ?Sized>(
        &mut self,
        potential: &Potential<'_, S>,
        couplings: &Couplings,
        cells: &Cells,
        coordinate: usize,
        upwards: bool,
        mirrored: bool,
    ) -> Result<(), NotFinite> {
        // The end of the edge with a new vertex: ahead of a passing coordinate, or off a mirror.
        let fresh = usize::from(upwards != mirrored);
        for &member in couplings.reacting.of(coordinate) {
            let Member { located, number, place } = member;
            let (at, corners) = ((located.start + place) as usize, number as usize);
            let old = self.ends[at];
            let is_corner = self.go_to_end(potential, couplings, cells, coordinate, (located, place), fresh);
            if mirrored || is_corner {
                let value = self.evaluate(potential, located)?;
                if !mirrored {
                    // The edge begins where the old cell ended; the old edge ends where the cell begins.
                    self.ends[at][1 - fresh] = self.corners[corners][fresh];
                    self.corners[corners][1 - fresh] = old[fresh];
                }
                self.ends[at][fresh] = value;
                self.corners[corners][fresh] = value;
            } else {
                self.evaluate_both(potential, couplings, cells, coordinate, located, place)?;
            }
            if !is_corner {
                // Others are at the end of their cells, too, and follow.
                self.evaluate_corners(potential, cells, member)?;
            }
            let [below, above] = self.ends[at];
            self.gamma[coordinate][0] += (above - below) - (old[1] - old[0]);
        }
        Ok(())
    }

    /// Goes to an end of the edge along which the phase of coordinate `own` grows, the upper one for
    /// `end` = 1; true if this is a corner of the cell.
    #[inline]
    fn go_to_end<S: Natural + ?Sized>(
        &mut self,
        potential: &Potential<'_, S>,
        couplings: &Couplings,
        cells: &Cells,
        own: usize,
        (located, own_place): (Located, u32),
        end: usize,
    ) -> bool {
        let reads = &potential.all_reads()[located.range()];
        let relations = couplings.relations(located, own_place);
        let mut corner = true;
        for ((x, &coordinate), &relation) in self.x.iter_mut().zip(reads).zip(relations) {
            let place = &cells.coordinates[coordinate as usize].place;
            let lowered = i64::from(end == 0 && coordinate as usize == own);
            let level = cells.level(own, relation) - lowered;
            corner &= level == place.cell + end as i64;
            *x = place.position(level);
        }
        corner
    }

    /// V_e at both corners of the cell.
    fn evaluate_corners<S: Natural + ?Sized>(
        &mut self,
        potential: &Potential<'_, S>,
        cells: &Cells,
        Member { located, number, .. }: Member,
    ) -> Result<(), NotFinite> {
        for end in 0..2 {
            for (x, &coordinate) in self.x.iter_mut().zip(&potential.all_reads()[located.range()]) {
                let place = &cells.coordinates[coordinate as usize].place;
                *x = place.position(place.cell + end);
            }
            self.corners[number as usize][end as usize] = self.evaluate(potential, located)?;
        }
        Ok(())
    }

    /// Evaluates V_e at both ends of the edge of a coordinate, and stores the values.
    #[inline]
    fn evaluate_both<S: Natural + ?Sized>(
        &mut self,
        potential: &Potential<'_, S>,
        couplings: &Couplings,
        cells: &Cells,
        own: usize,
        located: Located,
        place: u32,
    ) -> Result<[f64; 2], NotFinite> {
        let mut ends = [0.0; 2];
        for (end, value) in ends.iter_mut().enumerate() {
            self.go_to_end(potential, couplings, cells, own, (located, place), end);
            *value = self.evaluate(potential, located)?;
        }
        self.ends[(located.start + place) as usize] = ends;
        Ok(ends)
    }

    /// Goes to the vertex above `own` and below `other`; true if no third coordinate is between them.
    #[inline]
    fn go_to<S: Natural + ?Sized>(
        &mut self,
        potential: &Potential<'_, S>,
        couplings: &Couplings,
        cells: &Cells,
        located: Located,
        [own, other]: [usize; 2],
        [own_place, other_place]: [u32; 2],
    ) -> bool {
        let reads = &potential.all_reads()[located.range()];
        let of_own = couplings.relations(located, own_place);
        let of_other = couplings.relations(located, other_place);
        let mut adjacent = true;
        for (((x, &coordinate), &one), &two) in self.x.iter_mut().zip(reads).zip(of_own).zip(of_other) {
            let level = cells.level(own, one);
            adjacent &= level == cells.level(other, two) || coordinate as usize == other;
            *x = cells.coordinates[coordinate as usize].place.position(level);
        }
        adjacent
    }

    #[inline(always)]
    fn evaluate<S: Natural + ?Sized>(
        &mut self,
        potential: &Potential<'_, S>,
        located: Located,
    ) -> Result<f64, NotFinite> {
        self.values += 1;
        let value = potential.value(located.element, &self.x[..located.reads as usize]);
        if value.is_finite() { Ok(value) } else { Err(NotFinite { located, value }) }
    }
}

carried!([] Slopes { ends, corners, gamma, values } besides { x });
