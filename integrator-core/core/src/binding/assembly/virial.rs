//! The virial of a bound system in a periodic cell.

use super::Assembly;
use crate::binding::at::{At, Weights};
use crate::binding::family::Family;
use crate::binding::function::SumStage;
use crate::binding::kernel::Operation;
use crate::binding::near::family::NearFamily;
use crate::binding::signals::Now;
use crate::binding::terms::Terms;
use crate::binding::work::Arguments;
use crate::system::cell::Cell;
use crate::system::{Lagrangian, Periodic, System};
use nalgebra::Matrix3;

/// Values are equal within this part of them: rounding leaves as much of a wave some cells away.
const SAME: f64 = 1e-9;
/// Points are displaced by multiples of this part of the cell.
const ASIDE: f64 = 1e-3;

impl Assembly {
    /// The system as a periodic one, if all its sums over near pairs are in one cell that repeats in all
    /// directions.
    pub fn periodic(&self) -> Option<&dyn Periodic> {
        let first = self.all_near().next()?;
        first.points().volume()?;
        let is_one = self.all_near().all(|family| family.points().are_in_cell_of(first.points()));
        (is_one && self.natural_mass().is_some()).then_some(self)
    }

    /// Visits the values, with their name, of each family of V,
    /// of the constraints and of their sums that reads points itself; not of sums over near pairs.
    fn visit_values<'s>(
        &'s self,
        q: &[f64],
        now: &Now<'_>,
        is_point: &[bool],
        visit: &mut dyn FnMut(&'s str, &[f64]),
    ) {
        self.positions.stages.at(&[q], now, |z| {
            let at = At::new(&z[..self.v().stages.length], now);
            for family in self.potential.families.iter().filter(|family| reads_one(family, is_point)) {
                visit(&family.kernel.name, &[family.sum(Operation::Value, at)]);
            }
            let mut rows = vec![0.0; self.rows.count()];
            visit_rows(&self.constraints.families, At::new(z, now), is_point, &mut rows, visit);
            for stage in &self.positions.stages.all {
                let (mut rows, at) = (vec![0.0; stage.rows], At::new(&z[..stage.first], now));
                visit_rows(&stage.elements.families, at, is_point, &mut rows, visit);
            }
        });
    }
}

/// Visits the rows of each family that reads points, sum by sum.
fn visit_rows<'s>(
    families: &'s [Family],
    at: At<'_>,
    is_point: &[bool],
    rows: &mut [f64],
    visit: &mut dyn FnMut(&'s str, &[f64]),
) {
    for family in families.iter().filter(|family| reads_one(family, is_point)) {
        rows.fill(0.0);
        family.add_to_rows(Operation::Value, &mut Arguments { values: rows, ..Arguments::at(at) });
        let of_one = if family.apart == 0 { rows.len().max(1) } else { family.apart };
        rows.chunks(of_one).for_each(|rows| visit(&family.kernel.name, rows));
    }
}

fn reads_one(family: &Family, is_point: &[bool]) -> bool {
    let (mut reads, is_one) = (false, |place: &u32| is_point.get(*place as usize) == Some(&true));
    family.visit_inputs(&mut |inputs| reads |= inputs.iter().any(is_one));
    reads
}

/// A sum over near pairs with a list, or over all pairs.
fn near_sum(stage: &SumStage) -> Option<&str> {
    let Terms { families, near } = stage.elements.all();
    let near = near.iter().map(NearFamily::name).next();
    near.or_else(|| families.iter().find_map(over_all_pairs))
}

fn over_all_pairs(family: &Family) -> Option<&str> {
    family.kernel.over_all_pairs.then_some(&*family.kernel.name)
}

/// Adds gradients; a sum over near pairs adds Σ f ⊗ d instead of its derivatives by separations d.
fn add_virial(
    terms: Terms<'_>,
    at: At<'_>,
    weights: Weights<'_>,
    virial: &mut Matrix3<f64>,
    vector: &mut [f64],
) {
    Terms::of(terms.families).add(Operation::Gradient, at, weights, vector);
    terms.near.iter().for_each(|family| family.add_virial(at, weights, virial, vector));
}

impl Periodic for Assembly {
    fn cell(&self) -> Cell {
        self.all_near().next().map_or(Cell::OPEN, |family| family.points().image.cell())
    }

    fn space(&self) -> usize {
        self.all_near().next().map_or(0, |family| family.points().dimension)
    }

    fn volume(&self) -> f64 {
        self.all_near().next().and_then(|family| family.points().volume()).unwrap_or(f64::NAN)
    }

    fn reach(&self) -> f64 {
        self.all_near().map(|family| family.points().cutoff).fold(0.0, f64::max)
    }

    fn pair_virial(&self, q: &[f64], t: f64, virial: &mut Matrix3<f64>, rest: &mut [f64]) {
        let Some(()) = self.fits(&[q], [virial.as_mut_slice(), rest]) else { return };
        let now = &self.at(t);
        virial.fill(0.0);
        rest.fill(0.0);
        let mut of_stages = Matrix3::zeros();
        let mut carry = |terms: Terms<'_>, at: At<'_>, weights: Weights<'_>, vector: &mut [f64]| {
            add_virial(terms, at, weights, &mut of_stages, vector);
        };
        self.positions.stages.weighed(
            (&[q], now),
            rest,
            |z, w| add_virial(self.potential.all(), At::new(z, now), Weights::Ones, virial, w),
            &mut carry,
            |_, _, ()| {},
        );
        *virial += of_stages;
    }

    fn near_sum_of_constraints(&self) -> Option<&str> {
        let of_constraints = &self.constraints.families;
        if let Some(name) = of_constraints.iter().find_map(over_all_pairs) {
            return Some(name);
        }
        self.positions.stages.read_by(of_constraints).into_iter().find_map(near_sum)
    }

    fn repeating_term(&self, q: &[f64], t: f64) -> Option<&str> {
        self.fits(&[q], [])?;
        let now = &self.at(t);
        // Move away from the state, where constraints are not zero.
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
