//! Second derivatives of L by its arguments and by the sums that it reads: as sparse as the elements.
//!
//! L = ½ vᵀ M v − V(q, t | u) + R(q, v, t | u′) reads the sums u of functions of (q, t), and those of functions of (q, v, t), which stand before them here.

use super::assembly::Assembly;
use super::family::Placed;
use super::moving::Motion;
use super::reduced::{Direct, Reduction, Weighed};
use super::second::add as add_second;
use super::staged::add;
use super::stages::{Memory, Stages};
use crate::scratch::Scratch;
use crate::sparse::{RowPattern, SymmetricPattern};
use crate::system::{System, ThroughSums};

/// Where the parts of L fill them.
pub(super) struct Bordered {
    pattern: SymmetricPattern,
    rows: RowPattern,
    moving: Option<OfSums>,
    still: Option<OfSums>,
    /// The places of the entries of M, and of the second derivatives of V by q and its sums.
    of_mass: Vec<u32>,
    of_potential: Vec<u32>,
    placed: Vec<Placed>,
    potential: Scratch<Vec<f64>>,
}

/// The rows of sums, and their own second derivatives with their places.
struct OfSums {
    direct: Direct,
    weighed: Weighed,
    places: Vec<u32>,
}

impl OfSums {
    fn new(stages: &Stages) -> Self {
        Self { direct: Direct::new(stages), weighed: Weighed::new(stages), places: Vec::new() }
    }
}

impl Assembly {
    /// The second derivatives of L by its arguments and sums, where there are sums.
    pub(super) fn bordered(&self) -> Option<&Bordered> {
        self.bordered.get_or_init(|| self.find_bordered()).as_ref()
    }

    fn find_bordered(&self) -> Option<Bordered> {
        let stages_of_motion = self.moving.as_ref().map(|moving| &moving.stages);
        let stages = self.staged.as_ref().map(|staged| &staged.stages);
        if (stages_of_motion.is_none() && stages.is_none()) || self.affords_elements().is_err() {
            return None;
        }
        let n = self.dimension();
        let first = stages_of_motion.map_or(2 * n + 1, |stages| stages.length);
        let length = first + stages.map_or(0, |stages| stages.length - n);
        let mut moving = stages_of_motion.map(OfSums::new);
        let mut still = stages.map(OfSums::new);
        // The sums of functions of (q, t) stand behind all else.
        let behind = |at: usize| if at < n { at } else { at - n + first };
        let of_positions = |(row, column): (usize, usize)| (behind(row), behind(column));
        let of_velocities = |(row, column): (usize, usize)| (n + row, n + column);
        let mut entries = Vec::new();
        self.general
            .iter()
            .for_each(|family| family.visit_hessian(&mut |row, column| entries.push((row, column))));
        entries.extend(self.mass.pattern.entries().map(of_velocities));
        let potential = &self.potential_by_z().pattern;
        entries.extend(potential.entries().map(of_positions));
        entries.extend(moving.iter().flat_map(|sums| sums.weighed.entries.iter().copied()));
        entries.extend(still.iter().flat_map(|sums| sums.weighed.entries.iter().copied().map(of_positions)));
        let pattern = SymmetricPattern::new(length, entries);
        // The pattern is made of these very entries.
        let place = |(row, column)| pattern.position(row, column).unwrap_or_default() as u32;
        if let Some(sums) = &mut moving {
            sums.places = sums.weighed.pattern.entries().map(place).collect();
        }
        if let Some(sums) = &mut still {
            sums.places = sums.weighed.pattern.entries().map(of_positions).map(place).collect();
        }
        let before = first - (2 * n + 1);
        let rows = moving.iter().flat_map(|sums| sums.direct.pattern.entries());
        let rows_behind = still.iter().flat_map(|sums| sums.direct.pattern.entries());
        let rows = rows.chain(rows_behind.map(|(row, column)| (before + row, behind(column))));
        let values = potential.len();
        Some(Bordered {
            rows: RowPattern::new(length - (2 * n + 1), length, rows.collect::<Vec<_>>()),
            of_mass: self.mass.pattern.entries().map(of_velocities).map(place).collect(),
            of_potential: potential.entries().map(of_positions).map(place).collect(),
            placed: self.general.iter().map(|family| Placed::new(family, &pattern, &[])).collect(),
            potential: Scratch::new(move || vec![0.0; values]),
            moving,
            still,
            pattern,
        })
    }

    /// Adds −V to the second derivatives, ∇V to the gradient, and fills the rows of its sums.
    fn add_bordered_potential(
        &self,
        bordered: &Bordered,
        at: Motion<'_>,
        gradient: &mut [f64],
        second: &mut [f64],
        rows: &mut [f64],
    ) {
        let Motion { q, now, .. } = at;
        let mut subtract = |places: &[u32], values: &[f64]| {
            places.iter().zip(values).for_each(|(at, value)| second[*at as usize] -= value);
        };
        bordered.potential.with(|values| {
            let Some((staged, sums)) = self.staged.as_ref().zip(bordered.still.as_ref()) else {
                self.potential_by_z().add(self.terms(), q, now, gradient, values);
                return subtract(&bordered.of_potential, values);
            };
            let OfSums { direct, weighed, places } = sums;
            staged.stages.with(&[q], now, |memory| {
                memory.clear(0);
                let Memory { z: [z, ..], w: [weights, ..], .. } = &mut *memory;
                self.potential_by_z().add(self.terms(), z, now, weights, values);
                subtract(&bordered.of_potential, values);
                staged.stages.backwards(0, now, memory);
                let (z, weights) = (&memory.z[0], &memory.w[0]);
                add(weights, gradient);
                weighed.with(&staged.stages, z, now, weights, |values| subtract(places, values));
                direct.fill(&staged.stages, z, now, rows);
            });
        });
    }
}

/// The number of products of which second derivatives without sums are made, of functions with these entries by arguments and sums.
fn products(reduction: Option<&Reduction>, entries: &[(usize, usize)]) -> u64 {
    let Some(Reduction { rows, weighed: Some(weighed) }) = reduction else { return u64::MAX };
    rows.products(entries.iter().copied()).saturating_add(rows.products(weighed.entries.iter().copied()))
}

impl ThroughSums for Assembly {
    fn elimination(&self) -> u64 {
        let mut count = 0_u64;
        if let Some(moving) = &self.moving {
            let mut entries = Vec::new();
            let mut push = |row, column| entries.push((row, column));
            self.general.iter().for_each(|family| family.visit_hessian(&mut push));
            count = products(moving.reduction(), &entries);
        }
        if let Some(staged) = &self.staged {
            let mut entries = Vec::new();
            self.terms().visit_hessian(&mut |row, column| entries.push((row, column)));
            count = count.saturating_add(products(staged.reduction(), &entries));
        }
        count
    }

    fn sums(&self) -> usize {
        self.bordered().map_or(0, |bordered| bordered.rows.height())
    }

    fn bordered_pattern(&self) -> &SymmetricPattern {
        // Who is not given this face does not ask.
        self.bordered().map_or(&self.mass.pattern, |bordered| &bordered.pattern)
    }

    fn sum_pattern(&self) -> &RowPattern {
        self.bordered().map_or(&self.jacobian_pattern, |bordered| &bordered.rows)
    }

    fn bordered_second(
        &self,
        q: &[f64],
        v: &[f64],
        t: f64,
        gradient: &mut [f64],
        second: &mut [f64],
        rows: &mut [f64],
    ) {
        let Some(()) = self.fits(&[q, v], [gradient, second, rows]) else { return };
        let Some(bordered) = self.bordered() else { return };
        let now = &self.at(t);
        let at = Motion { q, v, t, now };
        gradient.fill(0.0);
        second.fill(0.0);
        let before = bordered.moving.as_ref().map_or(0, |sums| sums.direct.pattern.len());
        let (rows, rows_behind) = rows.split_at_mut(before);
        self.add_bordered_potential(bordered, at, &mut gradient[..q.len()], second, rows_behind);
        for (at, value) in bordered.of_mass.iter().zip(&self.mass.values) {
            second[*at as usize] += value;
        }
        self.finish_gradient(q, v, t, gradient);
        let Some((moving, sums)) = self.moving.as_ref().zip(bordered.moving.as_ref()) else {
            return self.with_motion(at, |z| {
                add_second(&self.general, &bordered.placed, z, now, gradient, second);
            });
        };
        let OfSums { direct, weighed, places } = sums;
        moving.stages.with(&[q, v, &[t]], now, |memory| {
            memory.clear(0);
            let Memory { z: [z, ..], w: [weights, ..], .. } = &mut *memory;
            add_second(&self.general, &bordered.placed, z, now, weights, second);
            moving.stages.backwards(0, now, memory);
            let (z, weights) = (&memory.z[0], &memory.w[0]);
            add(weights, gradient);
            weighed.with(&moving.stages, z, now, weights, |values| {
                places.iter().zip(values).for_each(|(at, value)| second[*at as usize] += value);
            });
            direct.fill(&moving.stages, z, now, rows);
        });
    }
}
