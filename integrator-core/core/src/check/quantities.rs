//! The quantities of a system, each by its kernel and in dual numbers.

mod constraints;
mod rows;

use super::entries::{Direction, Duals};
use super::quantity::{Dual, Evaluated, Kernel, Quantity, Stored, Weights};
use super::random::Random;
use super::{Comparison, largest, spacing};
use crate::sparse::SymmetricPattern;
use crate::system::{Coordinate, Holonomic, Lagrangian, Natural, State, Stiff};

/// The most entries of a quantity compared one by one.
const MOST: usize = 2000;
/// The operations for single entries of a quantity in dual numbers.
const OPERATIONS: usize = 10_000_000;

/// The comparison of the kernels of a system with `duals`; `None` for faces that the system lacks.
pub(super) struct Check<'c> {
    pub(super) duals: &'c dyn Duals,
    pub(super) system: &'c dyn Lagrangian,
    pub(super) natural: Option<&'c dyn Natural>,
    pub(super) stiff: Option<&'c dyn Stiff>,
    pub(super) constrained: Option<&'c dyn Holonomic>,
    pub(super) state: &'c State,
    /// The operations of one evaluation of the declaration.
    pub(super) work: usize,
    pub(super) random: Random,
    /// Called with the name of each quantity before its comparison.
    pub(super) progress: &'c mut dyn FnMut(&'static str),
    pub(super) found: Vec<Comparison>,
}

/// A point, and the length in which each of its entries moves.
type ScaledPoint<'q> = (&'q [f64], &'q [f64]);

impl<'c> Check<'c> {
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
        let system = self.system;
        if let Some(nonholonomic) = system.nonholonomic() {
            self.nonholonomic(nonholonomic);
        }
        if let Some(forced) = system.forced() {
            self.forces(forced);
        }
        self.found
    }

    /// The number of entries compared one by one: few where
    /// one evaluation is long, and a sum compares all.
    fn room(&self) -> usize {
        (OPERATIONS / self.work.max(1)).min(MOST)
    }

    /// True if second derivatives are too many to be assembled;
    /// their products with a direction are compared.
    fn has_no_second(&self) -> bool {
        self.system.affords_second_derivatives().is_err()
    }

    fn names(&self) -> Names<'c> {
        Names(self.system)
    }

    fn z(&self) -> Vec<f64> {
        let State { t, q, v } = self.state;
        q.iter().chain(v).copied().chain([*t]).collect()
    }

    /// The length in which each entry of (q, v, t) moves, or one where it is zero.
    fn lengths(&self) -> Vec<f64> {
        let State { t, q, v } = self.state;
        let or_one = |length: f64| if length > 0.0 { length } else { 1.0 };
        // Each coordinate has its own unit: lengths, angles and velocities do not compare.
        let groups = self.system.layout().coordinates();
        let by = |size: &dyn Fn(&Coordinate) -> f64| -> Vec<f64> {
            groups.iter().flat_map(|group| vec![or_one(size(group)); group.size()]).collect()
        };
        [by(&|group| spacing(group, q)), by(&|group| largest(group, v)), vec![or_one(t.abs())]].concat()
    }

    fn compare(&mut self, quantity: Quantity<'_>) {
        (self.progress)(quantity.name);
        self.found.extend(Evaluated::new(quantity, &mut self.random).comparison());
    }

    /// A list, of which dual numbers give all entries at once.
    fn list(
        &mut self,
        name: &'static str,
        x: &[f64],
        entry: &dyn Fn(usize) -> String,
        (kernel, dual): (Kernel<'_>, Kernel<'_>),
        natural: f64,
    ) {
        let (here, mut lengths) = (dual(x), self.lengths());
        lengths.truncate(x.len());
        self.compare(Quantity {
            name,
            of: here.len(),
            chosen: (0..here.len()).map(|row| (row, 0)).collect(),
            stored: Stored::Vector,
            weights: Vec::new(),
            natural,
            at: (x, &lengths),
            kernel,
            dual: &|point, a, _| if point == x { a.dot(&here) } else { a.dot(&dual(point)) },
            entry: &|row, _| entry(row),
        });
    }

    /// One number.
    fn scalar(
        &mut self,
        name: &'static str,
        x: &[f64],
        kernel: &dyn Fn(&[f64]) -> f64,
        dual: &dyn Fn(&[f64]) -> f64,
    ) {
        let (kernel, dual) = (|x: &[f64]| vec![kernel(x)], |x: &[f64]| vec![dual(x)]);
        self.list(name, x, &|_| name.to_owned(), (&kernel, &dual), 0.0);
    }

    /// A vector over the entries of x, of which dual numbers give single entries and sums.
    fn vector(
        &mut self,
        name: &'static str,
        (x, lengths): ScaledPoint<'_>,
        kernel: Kernel<'_>,
        dual: &dyn Fn(&[f64], Direction<'_>) -> f64,
        natural: f64,
    ) {
        let (room, names) = (self.room(), self.names());
        let chosen = self.random.some(x.len(), room).into_iter().map(|row| (row, 0)).collect();
        let weights = vec![(self.random.direction(lengths), Vec::new())];
        self.compare(Quantity {
            name,
            of: x.len(),
            chosen,
            stored: Stored::Vector,
            weights,
            natural,
            at: (x, lengths),
            kernel,
            dual: &|x, a, _| dual(x, a),
            entry: &|row, _| names.of(row),
        });
    }

    /// A symmetric matrix of second derivatives by the entries of x.
    fn hessian(
        &mut self,
        name: &'static str,
        at: ScaledPoint<'_>,
        pattern: &SymmetricPattern,
        kernel: Kernel<'_>,
        dual: Dual<'_>,
    ) {
        let (n, room) = (pattern.dimension(), self.room());
        let chosen = self.random.some_pairs(pattern, room);
        let weights = vec![(self.random.direction(at.1), self.random.direction(at.1))];
        self.symmetric((name, n * (n + 1) / 2), at, pattern, (chosen, weights), (kernel, dual));
    }

    fn symmetric(
        &mut self,
        (name, of): (&'static str, usize),
        at: ScaledPoint<'_>,
        pattern: &SymmetricPattern,
        (chosen, weights): (Vec<(usize, usize)>, Vec<Weights>),
        (kernel, dual): (Kernel<'_>, Dual<'_>),
    ) {
        let (names, stored) = (self.names(), Stored::Symmetric(pattern));
        let entry = |row, column| format!("{}, {}", names.of(row), names.of(column));
        self.compare(Quantity {
            name,
            of,
            chosen,
            stored,
            weights,
            natural: 0.0,
            at,
            kernel,
            dual,
            entry: &entry,
        });
    }

    fn lagrangian(&mut self) {
        let (system, n) = (self.system, self.system.dimension());
        let function = self.duals.of_motion();
        let (z, lengths) = (self.z(), self.lengths());
        let at = (&z[..], &lengths[..]);
        let size = 2 * n + 1;
        let value = |z: &[f64]| system.lagrangian(&z[..n], &z[n..2 * n], z[2 * n]);
        self.scalar("lagrangian", &z, &value, &|z| function.value(z));

        // v·∂L/∂v − L.
        let dual = |z: &[f64]| {
            let mut velocity = vec![0.0; size];
            velocity[n..2 * n].copy_from_slice(&z[n..2 * n]);
            function.first(z, Direction::Any(&velocity)) - function.value(z)
        };
        let energy = |z: &[f64]| system.energy(&z[..n], &z[n..2 * n], z[2 * n]);
        self.scalar("energy", &z, &energy, &dual);

        let kernel = |z: &[f64]| {
            filled(size, |gradient| system.first_derivatives(&z[..n], &z[n..2 * n], z[2 * n], gradient))
        };
        self.vector("first derivatives of L", at, &kernel, &|z, a| function.first(z, a), 0.0);

        if self.has_no_second() {
            return;
        }
        let pattern = system.second_pattern();
        let kernel = |z: &[f64]| {
            let mut gradient = vec![0.0; size];
            filled(pattern.len(), |second| {
                system.second_derivatives(&z[..n], &z[n..2 * n], z[2 * n], &mut gradient, second);
            })
        };
        // The interface leaves out derivatives by (q, t) and (t, t): no equation of motion has them.
        let room = self.room();
        let mut chosen = self.random.some_pairs(pattern, room);
        chosen.retain(|&(row, column)| row < 2 * n || (n..2 * n).contains(&column));
        // Positions, velocities and the time have different sizes: a sum for each block.
        let (of_q, of_v, of_t) = (0..n, n..2 * n, 2 * n..size);
        let mut part = |range: &std::ops::Range<usize>| {
            let mut part = vec![0.0; size];
            part[range.clone()].copy_from_slice(&self.random.direction(&lengths[range.clone()]));
            part
        };
        let blocks = [(&of_q, &of_q), (&of_q, &of_v), (&of_v, &of_v), (&of_t, &of_v)];
        let weights = blocks.map(|(rows, columns)| (part(rows), part(columns))).to_vec();
        let quantity = ("second derivatives of L", size * (size + 1) / 2 - n - 1);
        let dual = |z: &[f64], a: Direction<'_>, b: Direction<'_>| function.second(z, a, b);
        self.symmetric(quantity, at, pattern, (chosen, weights), (&kernel, &dual));
    }

    /// The mass matrix in the kernels' own storage.
    fn mass(&mut self, natural: &dyn Natural) {
        let function = self.duals.of_motion();
        let n = self.system.dimension();
        let (z, lengths) = (self.z(), self.lengths());
        let mass = natural.mass();
        let at = (&z[n..2 * n], &lengths[n..2 * n]);
        let dual = |v: &[f64], a: Direction<'_>, b: Direction<'_>| {
            let mut z = z.clone();
            z[n..2 * n].copy_from_slice(v);
            a.shifted(n, |a| b.shifted(n, |b| function.second(&z, a, b)))
        };
        self.hessian("mass", at, &mass.pattern, &|_| mass.values.clone(), &dual);
    }

    fn potential(&mut self, natural: &dyn Natural) {
        let (n, t) = (self.system.dimension(), self.state.t);
        let (q, lengths) = (self.state.q.clone(), self.lengths()[..n].to_vec());
        let at = (&q[..], &lengths[..]);
        let function = self.duals.potential(t);
        self.scalar("potential", &q, &|q| natural.potential(q, t), &|q| function.value(q));

        let gradient = |q: &[f64]| filled(n, |gradient| natural.potential_gradient(q, t, gradient));
        self.vector("gradient of V", at, &gradient, &|q, a| function.first(q, a), 0.0);

        if !self.has_no_second() {
            let pattern = natural.potential_pattern();
            let kernel = |q: &[f64]| {
                let mut gradient = vec![0.0; n];
                filled(pattern.len(), |hessian| natural.potential_second(q, t, &mut gradient, hessian))
            };
            self.hessian("Hessian of V", at, pattern, &kernel, &|q, a, b| function.second(q, a, b));
        }

        let a = self.random.direction(&lengths);
        let product = |q: &[f64]| filled(n, |all| natural.potential_product(q, t, &a, all));
        let dual = |q: &[f64], b: Direction<'_>| function.second(q, Direction::Any(&a), b);
        self.vector("Hess V · a", at, &product, &dual, size_of(&gradient(&q)));

        let kernel = |q: &[f64]| filled(n, |all| natural.potential_third(q, t, &a, all));
        let dual = |q: &[f64], b: Direction<'_>| function.third(q, &a, b);
        self.vector("a · V‴ · a", at, &kernel, &dual, size_of(&product(&q)));
    }

    fn stiff(&mut self, stiff: &dyn Stiff) {
        if self.has_no_second() {
            return;
        }
        let (n, t) = (self.system.dimension(), self.state.t);
        let (q, lengths) = (self.state.q.clone(), self.lengths()[..n].to_vec());
        let (pattern, function) = (stiff.stiff_pattern(), self.duals.stiff_part(t));
        let kernel = |q: &[f64]| filled(pattern.len(), |hessian| stiff.stiff_hessian(q, t, hessian));
        let dual = |q: &[f64], a: Direction<'_>, b: Direction<'_>| function.second(q, a, b);
        self.hessian("Hessian of the stiff part", (&q, &lengths), pattern, &kernel, &dual);
    }
}

/// The names of the entries of (q, v, t).
#[derive(Clone, Copy)]
struct Names<'c>(&'c dyn Lagrangian);

impl Names<'_> {
    fn of(self, index: usize) -> String {
        let n = self.0.dimension();
        match index {
            k if k < n => self.0.layout().name_of(k),
            k if k < 2 * n => format!("der.{}", self.0.layout().name_of(k - n)),
            _ => "t".to_owned(),
        }
    }
}

/// Zeros, after `fill`.
fn filled(count: usize, fill: impl FnOnce(&mut [f64])) -> Vec<f64> {
    let mut values = vec![0.0; count];
    fill(&mut values);
    values
}

/// The largest magnitude of a derivative, the size of the
/// terms of the next one; zero where it is not finite.
///
/// All terms of the third derivatives of a quadratic
/// function cancel, and their size measures the rounding.
fn size_of(values: &[f64]) -> f64 {
    let size = values.iter().fold(0.0_f64, |size, value| size.max(value.abs()));
    if size.is_finite() { size } else { 0.0 }
}
