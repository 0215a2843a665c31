//! The quantities that are compared, one after the other.

use super::compare::{Entries, Random};
use super::entries::{Duals, some, some_pairs};
use super::finite::derivative;
use super::{Comparison, largest, spacing};
use crate::sparse::SymmetricPattern;
use crate::system::{Coordinate, Holonomic, Lagrangian, Natural, State, Stiff};
use std::collections::BTreeMap;

/// The step of differences, as a part of the size of a coordinate.
const STEP: f64 = 1.0 / 64.0;
/// The last digits of a perturbed point.
const DIGITS: f64 = 4.0 * f64::EPSILON;

/// The comparison of the kernels of a system with `duals`; the faces are those that the system has.
pub(super) struct Check<'c> {
    pub(super) duals: &'c dyn Duals,
    pub(super) system: &'c dyn Lagrangian,
    pub(super) natural: Option<&'c dyn Natural>,
    pub(super) stiff: Option<&'c dyn Stiff>,
    pub(super) constrained: Option<&'c dyn Holonomic>,
    pub(super) state: &'c State,
    pub(super) random: Random,
    pub(super) found: Vec<Comparison>,
}

impl Check<'_> {
    pub(super) fn all(mut self) -> Vec<Comparison> {
        let n = self.system.dimension();
        if self.state.q.len() != n || self.state.v.len() != n {
            return Vec::new();
        }
        self.lagrangian();
        if let Some(natural) = self.natural {
            self.mass(natural);
            self.potential(natural);
        }
        if let Some(stiff) = self.stiff {
            self.stiff(stiff);
        }
        if let Some(constrained) = self.constrained {
            self.constraints(constrained);
        }
        self.found
    }

    fn name(&self, index: usize) -> String {
        let n = self.system.dimension();
        match index {
            k if k < n => self.system.layout().name_of(k),
            k if k < 2 * n => format!("der.{}", self.system.layout().name_of(k - n)),
            _ => "t".to_owned(),
        }
    }

    fn z(&self) -> Vec<f64> {
        let State { t, q, v } = self.state;
        q.iter().chain(v).copied().chain([*t]).collect()
    }

    /// Points that differ from x in the last digits.
    fn perturbed(&mut self, x: &[f64]) -> Vec<Vec<f64>> {
        (0..3).map(|_| x.iter().map(|x| x * (1.0 + DIGITS * self.random.signed())).collect()).collect()
    }

    /// The first step of differences by entry `index` of (q, v, t): a part of the length that it moves in, or one at zero.
    fn step(&self, index: usize) -> f64 {
        let State { t, q, v } = self.state;
        let n = q.len();
        let length = match index {
            k if k < n => self.group(k).map_or(0.0, |group| spacing(group, q)),
            k if k < 2 * n => self.group(k - n).map_or(0.0, |group| largest(group, v)),
            _ => t.abs(),
        };
        STEP * if length > 0.0 { length } else { 1.0 }
    }

    /// The coordinate that has an entry: lengths are not measured by angles, nor positions by velocities.
    fn group(&self, index: usize) -> Option<&Coordinate> {
        let mut groups = self.system.layout().coordinates().iter();
        groups.find(|group| (group.offset..group.offset + group.size()).contains(&index))
    }

    /// The length by which rounding moves each entry of `value` at x, whose entries are those of (q, v, t) from number `first` on.
    ///
    /// Models start where much is zero or one, and nothing is rounded; so it is measured a first step away, too.
    fn noise(&mut self, x: &[f64], first: usize, value: &dyn Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
        let mut away = x.to_vec();
        for (k, entry) in away.iter_mut().enumerate() {
            *entry += self.step(first + k) * self.random.signed();
        }
        let mut noise = Vec::new();
        for x in [x, &away] {
            let here = value(x);
            noise.resize(here.len(), 0.0_f64);
            for point in self.perturbed(x) {
                for ((noise, here), there) in noise.iter_mut().zip(&here).zip(value(&point)) {
                    *noise = noise.max((there - here).abs());
                }
            }
        }
        noise
    }

    /// The derivatives of `value` at x by `chosen` entries of it.
    fn by_entries(
        &mut self,
        chosen: &[usize],
        x: &[f64],
        value: &dyn Fn(&[f64]) -> Vec<f64>,
    ) -> Vec<(f64, f64)> {
        let noise = self.noise(x, 0, value);
        let by = |&i: &usize| derivative(&noise, self.step(i), &|s| value(&moved(x, i, s)));
        chosen.iter().flat_map(by).collect()
    }

    /// The derivatives of a gradient at x, for each pair: one column of differences for all pairs that need it.
    fn by_columns(
        &mut self,
        pairs: &[(usize, usize)],
        x: &[f64],
        gradient: &dyn Fn(&[f64]) -> Vec<f64>,
    ) -> Vec<(f64, f64)> {
        let noise = self.noise(x, 0, gradient);
        let mut columns: BTreeMap<usize, Vec<(f64, f64)>> = BTreeMap::new();
        pairs
            .iter()
            .map(|&(row, column)| {
                let differences = columns.entry(column).or_insert_with(|| {
                    derivative(&noise, self.step(column), &|s| gradient(&moved(x, column, s)))
                });
                differences[row]
            })
            .collect()
    }

    /// The derivatives of `value` at q along the direction a.
    fn along(&mut self, q: &[f64], a: &[f64], value: &dyn Fn(&[f64]) -> Vec<f64>) -> Vec<(f64, f64)> {
        let noise = self.noise(q, 0, value);
        // No entry moves further than by its own step.
        let step = (0..q.len()).map(|k| self.step(k)).fold(STEP, f64::min);
        derivative(&noise, step, &|s| value(&along(q, a, s)))
    }

    /// Records one quantity: entries by `indices`, kernels and dual numbers of one entry list each.
    #[allow(clippy::too_many_arguments, reason = "each is another derivation of the same quantity")]
    fn record(
        &mut self,
        quantity: &'static str,
        of: usize,
        at: &[f64],
        kernel: &dyn Fn(&[f64]) -> Vec<f64>,
        dual: Vec<f64>,
        finite: Vec<(f64, f64)>,
        name: &dyn Fn(usize) -> String,
    ) {
        let perturbed = self.perturbed(at).iter().map(|point| kernel(point)).collect();
        let entries = Entries { quantity, of, kernel: kernel(at), dual, perturbed, finite, name };
        self.found.extend(entries.compare());
    }

    fn lagrangian(&mut self) {
        let (system, n) = (self.system, self.system.dimension());
        let function = self.duals.lagrangian();
        let z = self.z();
        let size = 2 * n + 1;
        let value = |z: &[f64]| vec![system.lagrangian(&z[..n], &z[n..2 * n], z[2 * n])];
        let dual = vec![function.value(&z)];
        self.record("lagrangian", 1, &z, &value, dual, Vec::new(), &|_| "L".to_owned());

        let energy = |z: &[f64]| vec![system.energy(&z[..n], &z[n..2 * n], z[2 * n])];
        let dual = vec![self.duals.energy(&z[..n], &z[n..2 * n], z[2 * n])];
        if n <= 500 {
            self.record("energy", 1, &z, &energy, dual, Vec::new(), &|_| "energy".to_owned());
        }

        let chosen = some(size, &mut self.random);
        let gradient_at = |z: &[f64]| {
            let mut gradient = vec![0.0; size];
            system.first_derivatives(&z[..n], &z[n..2 * n], z[2 * n], &mut gradient);
            gradient
        };
        let kernel = |z: &[f64]| pick(&gradient_at(z), &chosen);
        let dual = chosen.iter().map(|&i| function.first(&z, i)).collect();
        let finite = self.by_entries(&chosen, &z, &value);
        let names: Vec<String> = chosen.iter().map(|&i| self.name(i)).collect();
        self.record("first derivatives of L", size, &z, &kernel, dual, finite, &|k| names[k].clone());

        let mut pairs = some_pairs(size, &mut system.second_pattern().entries(), &mut self.random);
        // Those with respect to (q, t) and (t, t) are left out of the interface: no equation of motion has them.
        pairs.retain(|&(row, column)| row < 2 * n || (n..2 * n).contains(&column));
        let kernel = |z: &[f64]| {
            let mut gradient = vec![0.0; size];
            let mut hessian = vec![0.0; system.second_pattern().len()];
            system.second_derivatives(&z[..n], &z[n..2 * n], z[2 * n], &mut gradient, &mut hessian);
            pick_pairs(system.second_pattern(), &hessian, &pairs)
        };
        let dual = pairs.iter().map(|&(i, j)| function.second(&z, i, j)).collect();
        let finite = self.by_columns(&pairs, &z, &gradient_at);
        let names: Vec<String> =
            pairs.iter().map(|&(i, j)| format!("{}, {}", self.name(i), self.name(j))).collect();
        let of = size * (size + 1) / 2 - n - 1;
        self.record("second derivatives of L", of, &z, &kernel, dual, finite, &|k| names[k].clone());
    }

    /// The mass matrix in the kernels' own storage.
    fn mass(&mut self, natural: &dyn Natural) {
        let function = self.duals.lagrangian();
        let n = self.system.dimension();
        let z = self.z();
        let mass = natural.mass();
        let pairs = some_pairs(n, &mut mass.pattern.entries(), &mut self.random);
        let kernel = |_: &[f64]| pick_pairs(&mass.pattern, &mass.values, &pairs);
        let dual = pairs.iter().map(|&(i, j)| function.second(&z, n + i, n + j)).collect();
        let names: Vec<String> =
            pairs.iter().map(|&(i, j)| format!("{}, {}", self.name(i), self.name(j))).collect();
        self.record("mass", n * (n + 1) / 2, &z, &kernel, dual, Vec::new(), &|k| names[k].clone());
    }

    fn potential(&mut self, natural: &dyn Natural) {
        let (n, t) = (self.system.dimension(), self.state.t);
        let q = self.state.q.clone();
        let function = self.duals.potential(t);
        let a: Vec<f64> = (0..n).map(|_| self.random.signed()).collect();
        let value = |q: &[f64]| vec![natural.potential(q, t)];
        let dual = vec![function.value(&q)];
        self.record("potential", 1, &q, &value, dual, Vec::new(), &|_| "V".to_owned());

        let chosen = some(n, &mut self.random);
        let names: Vec<String> = chosen.iter().map(|&i| self.name(i)).collect();
        let name = |k: usize| names[k].clone();
        let gradient_at = |q: &[f64]| {
            let mut gradient = vec![0.0; n];
            natural.potential_gradient(q, t, &mut gradient);
            gradient
        };
        let kernel = |q: &[f64]| pick(&gradient_at(q), &chosen);
        let dual = chosen.iter().map(|&i| function.first(&q, i)).collect();
        let finite = self.by_entries(&chosen, &q, &value);
        self.record("gradient of V", n, &q, &kernel, dual, finite, &name);

        let pairs = some_pairs(n, &mut natural.potential_pattern().entries(), &mut self.random);
        let kernel = |q: &[f64]| {
            let (mut gradient, mut hessian) = (vec![0.0; n], vec![0.0; natural.potential_pattern().len()]);
            natural.potential_second(q, t, &mut gradient, &mut hessian);
            pick_pairs(natural.potential_pattern(), &hessian, &pairs)
        };
        let dual = pairs.iter().map(|&(i, j)| function.second(&q, i, j)).collect();
        let finite = self.by_columns(&pairs, &q, &gradient_at);
        let pair_names: Vec<String> =
            pairs.iter().map(|&(i, j)| format!("{}, {}", self.name(i), self.name(j))).collect();
        self.record("Hessian of V", n * (n + 1) / 2, &q, &kernel, dual, finite, &|k| pair_names[k].clone());

        let product_at = |q: &[f64]| {
            let mut all = vec![0.0; n];
            natural.potential_product(q, t, &a, &mut all);
            all
        };
        let kernel = |q: &[f64]| pick(&product_at(q), &chosen);
        let dual = chosen.iter().map(|&i| function.product(&q, &a, i)).collect();
        let finite = self.along(&q, &a, &gradient_at);
        self.record("Hess V · a", n, &q, &kernel, dual, pick(&finite, &chosen), &name);

        let kernel = |q: &[f64]| {
            let mut all = vec![0.0; n];
            natural.potential_third(q, t, &a, &mut all);
            pick(&all, &chosen)
        };
        let dual = chosen.iter().map(|&i| function.third(&q, &a, i)).collect();
        let finite = self.along(&q, &a, &product_at);
        self.record("a · V‴ · a", n, &q, &kernel, dual, pick(&finite, &chosen), &name);
    }

    fn stiff(&mut self, stiff: &dyn Stiff) {
        let (n, t) = (self.system.dimension(), self.state.t);
        let q = self.state.q.clone();
        let pairs = some_pairs(n, &mut stiff.stiff_pattern().entries(), &mut self.random);
        let kernel = |q: &[f64]| {
            let mut hessian = vec![0.0; stiff.stiff_pattern().len()];
            stiff.stiff_hessian(q, t, &mut hessian);
            pick_pairs(stiff.stiff_pattern(), &hessian, &pairs)
        };
        let function = self.duals.stiff(t);
        let dual = pairs.iter().map(|&(i, j)| function.second(&q, i, j)).collect();
        let names: Vec<String> =
            pairs.iter().map(|&(i, j)| format!("{}, {}", self.name(i), self.name(j))).collect();
        let of = n * (n + 1) / 2;
        self.record("Hessian of the stiff part", of, &q, &kernel, dual, Vec::new(), &|k| names[k].clone());
    }

    fn constraints(&mut self, system: &dyn Holonomic) {
        let (n, m) = (self.system.dimension(), system.constraints());
        let State { t, q, v } = self.state.clone();
        let duals = self.duals;
        let row = |k: usize| system.constraint_name(k);
        let a: Vec<f64> = (0..n).map(|_| self.random.signed()).collect();
        let weights: Vec<f64> = (0..m).map(|_| self.random.signed()).collect();
        let values_at = |q: &[f64], t: f64| {
            let mut values = vec![0.0; m];
            system.constraint_values(q, t, &mut values);
            values
        };
        let rows = |fill: &dyn Fn(&mut [f64])| {
            let mut values = vec![0.0; m];
            fill(&mut values);
            values
        };
        let kernel = |q: &[f64]| values_at(q, t);
        self.record("constraints", m, &q, &kernel, duals.constraints(&q, t), Vec::new(), &row);
        self.jacobian(system);

        let kernel = |q: &[f64]| rows(&|values| system.constraint_rate(q, t, values));
        let in_time = |t: &[f64]| values_at(&q, t[0]);
        let noise = self.noise(&[t], 2 * n, &in_time);
        let finite = derivative(&noise, self.step(2 * n), &|s| in_time(&[t + s]));
        self.record("∂g/∂t", m, &q, &kernel, duals.constraint_rate(&q, t), finite, &row);

        let kernel = |q: &[f64]| rows(&|values| system.constraint_curvature(q, &v, t, values));
        let dual = duals.constraint_curvature(&q, &v, t);
        self.record("d²g/dt² at zero acceleration", m, &q, &kernel, dual, Vec::new(), &row);

        let kernel = |q: &[f64]| rows(&|values| system.constraint_quadratic(q, t, &a, values));
        let dual = duals.constraint_quadratic(&q, t, &a);
        self.record("a · Hess g · a", m, &q, &kernel, dual, Vec::new(), &row);

        let function = duals.weighted(t, &weights);
        let pairs = some_pairs(n, &mut system.weighted_pattern().entries(), &mut self.random);
        let kernel = |q: &[f64]| {
            let mut hessian = vec![0.0; system.weighted_pattern().len()];
            system.weighted_hessian(q, t, &weights, &mut hessian);
            pick_pairs(system.weighted_pattern(), &hessian, &pairs)
        };
        let dual = pairs.iter().map(|&(i, j)| function.second(&q, i, j)).collect();
        let names: Vec<String> =
            pairs.iter().map(|&(i, j)| format!("{}, {}", self.name(i), self.name(j))).collect();
        self.record("Σ w Hess g", n * (n + 1) / 2, &q, &kernel, dual, Vec::new(), &|k| names[k].clone());

        let chosen = some(n, &mut self.random);
        let names: Vec<String> = chosen.iter().map(|&i| self.name(i)).collect();
        let product_at = |q: &[f64]| {
            let mut all = vec![0.0; n];
            system.add_weighted_product(q, t, &weights, &a, &mut all);
            all
        };
        let kernel = |q: &[f64]| pick(&product_at(q), &chosen);
        let dual = chosen.iter().map(|&i| function.product(&q, &a, i)).collect();
        self.record("Σ w Hess g · a", n, &q, &kernel, dual, Vec::new(), &|k| names[k].clone());

        let kernel = |q: &[f64]| {
            let mut all = vec![0.0; n];
            system.add_weighted_third(q, t, &weights, &a, &mut all);
            pick(&all, &chosen)
        };
        let dual = chosen.iter().map(|&i| function.third(&q, &a, i)).collect();
        let finite = self.along(&q, &a, &product_at);
        let finite = pick(&finite, &chosen);
        self.record("Σ w a · g‴ · a", n, &q, &kernel, dual, finite, &|k| names[k].clone());
    }

    /// G by columns: all of them, or some.
    fn jacobian(&mut self, system: &dyn Holonomic) {
        let (n, m, t) = (self.system.dimension(), system.constraints(), self.state.t);
        let q = self.state.q.clone();
        let columns = some(n, &mut self.random);
        let pattern = system.jacobian_pattern();
        let kernel = |q: &[f64]| {
            let (mut values, mut jacobian) = (vec![0.0; m], vec![0.0; pattern.len()]);
            system.jacobian(q, t, &mut values, &mut jacobian);
            let entry =
                |row: usize, column: usize| pattern.position(row, column).map_or(0.0, |at| jacobian[at]);
            columns
                .iter()
                .flat_map(|&column| (0..m).map(move |row| (row, column)))
                .map(|(r, c)| entry(r, c))
                .collect()
        };
        let dual = columns.iter().flat_map(|&column| self.duals.jacobian_column(&q, t, column)).collect();
        let values_at = |q: &[f64]| {
            let mut values = vec![0.0; m];
            system.constraint_values(q, t, &mut values);
            values
        };
        let finite = self.by_entries(&columns, &q, &values_at);
        let names: Vec<String> = columns.iter().map(|&column| self.name(column)).collect();
        let name = |k: usize| format!("{}, {}", system.constraint_name(k % m), names[k / m]);
        self.record("Jacobian of the constraints", m * n, &q, &kernel, dual, finite, &name);
    }
}

fn pick<T: Copy>(all: &[T], chosen: &[usize]) -> Vec<T> {
    chosen.iter().map(|&k| all[k]).collect()
}

fn pick_pairs(pattern: &SymmetricPattern, values: &[f64], pairs: &[(usize, usize)]) -> Vec<f64> {
    pairs.iter().map(|&(row, column)| pattern.position(row, column).map_or(0.0, |at| values[at])).collect()
}

fn moved(x: &[f64], index: usize, by: f64) -> Vec<f64> {
    let mut moved = x.to_vec();
    moved[index] += by;
    moved
}

fn along(x: &[f64], a: &[f64], by: f64) -> Vec<f64> {
    x.iter().zip(a).map(|(x, a)| x + by * a).collect()
}
