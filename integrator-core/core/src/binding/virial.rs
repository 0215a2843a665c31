//! What a bound system knows of itself as one in a periodic cell: its virial.

use super::assembly::Assembly;
use super::constraint::ConstraintFamily;
use super::family::Family;
use super::kernel::Arguments;
use super::near::family::NearFamily;
use super::signals::Now;
use super::stages::Memory;
use super::sum_family::SumFamily;
use super::terms::add_gradients;
use crate::system::cell::Cell;
use crate::system::{Lagrangian, Periodic, System};
use nalgebra::Matrix3;

/// Numbers that differ by less than this part of them are the same: so much is left of a wave some cells away.
const SAME: f64 = 1e-9;
/// Points are moved aside by some such parts of the cell.
const ASIDE: f64 = 1e-3;

impl Assembly {
    /// The system as one in a cell, if all its sums over near pairs are in one that repeats in all directions.
    pub fn periodic(&self) -> Option<&dyn Periodic> {
        let first = self.all_near().next()?;
        first.volume()?;
        let is_one = self.all_near().all(|family| family.is_in_cell_of(first));
        (is_one && self.natural_mass().is_some()).then_some(self)
    }

    /// Shows the values of each family of V and of the constraints, and of each of the sums that their functions read, with its name, if it reads
    /// points itself; sums over near pairs are not among them.
    fn visit_values(
        &self,
        q: &[f64],
        now: &Now<'_>,
        is_point: &[bool],
        visit: &mut dyn FnMut(&'static str, &[f64]),
    ) {
        let Some(staged) = &self.staged else { return self.visit_terms(q, now, is_point, visit) };
        staged.stages.with(&[q], now, |Memory { z: [z, ..], .. }| {
            self.visit_terms(z, now, is_point, visit);
            for stage in &staged.stages.all {
                let (mut rows, families) =
                    (vec![0.0; stage.rows], stage.families.iter().map(SumFamily::elements));
                visit_rows(families, &z[..stage.first], now, is_point, &mut rows, visit);
            }
        });
    }

    fn visit_terms(
        &self,
        z: &[f64],
        now: &Now<'_>,
        is_point: &[bool],
        visit: &mut dyn FnMut(&'static str, &[f64]),
    ) {
        for family in &self.potential {
            let mut reads = false;
            family.visit_inputs(&mut |inputs| reads |= reads_one(inputs, is_point));
            if reads {
                let value = family.sweep(&family.kernel.value, Arguments::of(z, now), None);
                visit(family.kernel.name, &[value]);
            }
        }
        let mut rows = vec![0.0; self.rows.count()];
        visit_rows(
            self.constraints.iter().map(ConstraintFamily::elements),
            z,
            now,
            is_point,
            &mut rows,
            visit,
        );
    }
}

/// Shows the rows of each family that reads points, those of each of its sums.
fn visit_rows<'f>(
    families: impl Iterator<Item = &'f Family>,
    z: &[f64],
    now: &Now<'_>,
    is_point: &[bool],
    rows: &mut [f64],
    visit: &mut dyn FnMut(&'static str, &[f64]),
) {
    for family in families {
        let mut reads = false;
        family.visit_inputs(&mut |inputs| reads |= reads_one(inputs, is_point));
        if reads {
            rows.fill(0.0);
            family
                .sweep_rows(&family.kernel.value, Arguments { values: &mut *rows, ..Arguments::of(z, now) });
            let of_one = if family.apart == 0 { rows.len().max(1) } else { family.apart };
            rows.chunks(of_one).for_each(|rows| visit(family.kernel.name, rows));
        }
    }
}

/// True if one of these places belongs to a point.
fn reads_one(places: &[u32], is_point: &[bool]) -> bool {
    places.iter().any(|place| is_point.get(*place as usize).copied().unwrap_or(false))
}

impl Periodic for Assembly {
    fn cell(&self) -> Cell {
        self.all_near().next().map_or(Cell::OPEN, NearFamily::cell)
    }

    fn space(&self) -> usize {
        self.all_near().next().map_or(0, NearFamily::space)
    }

    fn volume(&self) -> f64 {
        self.all_near().next().and_then(NearFamily::volume).unwrap_or(f64::NAN)
    }

    fn reach(&self) -> f64 {
        self.all_near().map(NearFamily::cutoff).fold(0.0, f64::max)
    }

    fn pair_virial(&self, q: &[f64], t: f64, virial: &mut Matrix3<f64>, rest: &mut [f64]) {
        let Some(()) = self.fits(&[q], [virial.as_mut_slice(), rest]) else { return };
        let now = &self.at(t);
        virial.fill(0.0);
        rest.fill(0.0);
        let add = |z: &[f64], virial: &mut Matrix3<f64>, vector: &mut [f64]| {
            add_gradients(&self.potential, z, now, vector);
            self.near.iter().for_each(|family| family.add_virial(z, now, None, virial, vector));
        };
        let Some(staged) = &self.staged else { return add(q, virial, rest) };
        staged.stages.with(&[q], now, |memory| {
            memory.clear(0);
            add(&memory.z[0], virial, &mut memory.w[0]);
            staged.stages.virial_backwards(now, memory, virial);
            rest.iter_mut().zip(&memory.w[0]).for_each(|(to, from)| *to += from);
        });
    }

    fn near_sum_of_constraints(&self) -> Option<&'static str> {
        // With a list, or as a sum over all pairs that asks each of them.
        let over_all_pairs = |family: &Family| family.kernel.over_all_pairs.then_some(family.kernel.name);
        let of_constraints = self.constraints.iter().map(ConstraintFamily::elements);
        if let Some(name) = of_constraints.clone().find_map(over_all_pairs) {
            return Some(name);
        }
        let stages = &self.staged.as_ref()?.stages;
        let mut is_read = vec![false; stages.length];
        of_constraints.for_each(|family| family.visit_rows(&mut |_, at| is_read[at] = true));
        for stage in stages.all.iter().rev() {
            if !is_read[stage.first..stage.first + stage.rows].contains(&true) {
                continue;
            }
            let near = stage.near.iter().map(NearFamily::name).next();
            let mut families = stage.families.iter().map(SumFamily::elements);
            if let Some(name) = near.or_else(|| families.find_map(over_all_pairs)) {
                return Some(name);
            }
            stage.families.iter().for_each(|family| family.visit_rows(&mut |_, at| is_read[at] = true));
        }
        None
    }

    fn repeating_term(&self, q: &[f64], t: f64) -> Option<&'static str> {
        self.fits(&[q], [])?;
        let now = &self.at(t);
        // Away from the state, where constraints are not zero.
        let (mut base, mut moved, mut is_point) = (q.to_vec(), q.to_vec(), vec![false; q.len()]);
        let edges = self.cell().vectors();
        let groups = self.layout().coordinates().iter();
        for group in groups.filter(|group| group.is_of_points() && group.kind.components() == self.space()) {
            for (number, start) in group.starts().enumerate() {
                for c in start..start + self.space() {
                    is_point[c] = true;
                    let part = |k: usize| ASIDE * ((5 * number + 3 * (c - start) + k) % 11) as f64;
                    // Neighbours move by different numbers of cells.
                    let times = |k: usize| ((7 * number + 3 * k) % 9) as f64 - 4.0;
                    let along = |of: &dyn Fn(usize) -> f64| {
                        edges.iter().enumerate().map(|(k, edge)| of(k) * edge[c - start]).sum::<f64>()
                    };
                    base[c] += along(&part);
                    moved[c] = base[c] + along(&times);
                }
            }
        }
        let mut before = Vec::new();
        self.visit_values(&base, now, &is_point, &mut |_, values| before.push(values.to_vec()));
        let (mut before, mut found) = (before.into_iter(), None);
        self.visit_values(&moved, now, &is_point, &mut |name, values| {
            let Some(before) = before.next() else { return };
            let largest = before.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
            let is_same = before.iter().zip(values).all(|(a, b)| (a - b).abs() <= SAME * largest);
            if is_same && largest > 0.0 {
                found = found.or(Some(name));
            }
        });
        found
    }
}
