//! The quantities of a system, each by its kernel and in dual numbers.

use super::entries::{Duals, STILL, passing, shifted};
use super::quantity::{Dual, Kernel, Quantity, Stored, Weights};
use super::random::Random;
use super::{Comparison, largest, spacing};
use crate::sparse::{RowPattern, SymmetricPattern};
use crate::system::{Coordinate, Forced, Holonomic, Lagrangian, Natural, Nonholonomic, State, Stiff};
use num_dual::HyperHyperDual64 as Jet;

/// The comparison of the kernels of a system with `duals`; `None` for faces that the system lacks.
pub(super) struct Check<'c> {
    pub(super) duals: &'c dyn Duals,
    pub(super) system: &'c dyn Lagrangian,
    pub(super) natural: Option<&'c dyn Natural>,
    pub(super) stiff: Option<&'c dyn Stiff>,
    pub(super) constrained: Option<&'c dyn Holonomic>,
    pub(super) state: &'c State,
    pub(super) random: Random,
    /// Called with the name of each quantity before its comparison.
    pub(super) progress: &'c mut dyn FnMut(&'static str),
    pub(super) found: Vec<Comparison>,
}

/// Functions with a name for each.
type Rows<'q> = (usize, &'q dyn Fn(usize) -> String);

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

    /// True if second derivatives are too many to be assembled;
    /// their products with a direction are compared.
    fn has_no_second(&self) -> bool {
        self.system.affords_second_derivatives().is_err()
    }

    /// (q, v, t).
    fn z(&self) -> Vec<f64> {
        let State { t, q, v } = self.state;
        q.iter().chain(v).copied().chain([*t]).collect()
    }

    /// The length in which each of the first entries of (q, v, t) moves, or one where it is zero.
    fn lengths(&self, count: usize) -> Vec<f64> {
        let State { t, q, v } = self.state;
        let or_one = |length: f64| if length > 0.0 { length } else { 1.0 };
        // Each coordinate has its own unit: lengths, angles and velocities do not compare.
        let groups = self.system.layout().coordinates();
        let by = |size: &dyn Fn(&Coordinate) -> f64| -> Vec<f64> {
            groups.iter().flat_map(|group| vec![or_one(size(group)); group.size()]).collect()
        };
        let mut lengths =
            [by(&|group| spacing(group, q)), by(&|group| largest(group, v)), vec![or_one(t.abs())]].concat();
        lengths.truncate(count);
        lengths
    }

    /// A quantity over x, the first entries of (q, v, t), with its number of entries and their names.
    fn compare(
        &mut self,
        name: &'static str,
        x: &[f64],
        (stored, entries, weights): (Stored<'_>, usize, Vec<Weights>),
        (kernel, dual): (Kernel<'_>, Dual<'_>),
        entry: &dyn Fn(usize, usize) -> String,
    ) {
        (self.progress)(name);
        let lengths = self.lengths(x.len());
        let quantity = Quantity { name, entries, stored, weights, at: (x, &lengths), kernel, dual, entry };
        self.found.extend(quantity.comparison(&mut self.random));
    }

    /// Functions of x, the first entries of (q, v, t).
    fn list(
        &mut self,
        name: &'static str,
        x: &[f64],
        (count, entry): Rows<'_>,
        kernel: Kernel<'_>,
        dual: &dyn Fn(&[f64], &[f64]) -> f64,
    ) {
        let weights = vec![(self.random.direction(&vec![1.0; count]), Vec::new())];
        let (dual, entry) = (|x: &[f64], a: &[f64], _: &[f64]| dual(x, a), |row, _| entry(row));
        self.compare(name, x, (Stored::Vector, count, weights), (kernel, &dual), &entry);
    }

    /// The derivatives of functions of x by its entries.
    fn jacobian(
        &mut self,
        name: &'static str,
        x: &[f64],
        (count, row): Rows<'_>,
        (pattern, kernel, dual): (&RowPattern, Kernel<'_>, Dual<'_>),
    ) {
        let (lengths, ones, names) = (self.lengths(x.len()), vec![1.0; count], self.names());
        let weights = vec![(self.random.direction(&ones), self.random.direction(&lengths))];
        let entry = |place, column| format!("{}, {}", row(place), names.of(column));
        self.compare(name, x, (Stored::Rows(pattern), count * x.len(), weights), (kernel, dual), &entry);
    }

    /// One number.
    fn scalar(
        &mut self,
        name: &'static str,
        x: &[f64],
        kernel: &dyn Fn(&[f64]) -> f64,
        dual: &dyn Fn(&[f64]) -> f64,
    ) {
        self.list(name, x, (1, &|_| name.to_owned()), &|x| vec![kernel(x)], &|x, a| a[0] * dual(x));
    }

    /// A vector over the entries of x.
    fn vector(
        &mut self,
        name: &'static str,
        x: &[f64],
        kernel: Kernel<'_>,
        dual: &dyn Fn(&[f64], &[f64]) -> f64,
    ) {
        let (lengths, names) = (self.lengths(x.len()), self.names());
        let weights = vec![(self.random.direction(&lengths), Vec::new())];
        let (dual, entry) = (|x: &[f64], a: &[f64], _: &[f64]| dual(x, a), |row, _| names.of(row));
        self.compare(name, x, (Stored::Vector, x.len(), weights), (kernel, &dual), &entry);
    }

    /// A symmetric matrix over the entries of x.
    fn symmetric(
        &mut self,
        name: &'static str,
        x: &[f64],
        (pattern, weights): (&SymmetricPattern, Vec<Weights>),
        kernel: Kernel<'_>,
        dual: Dual<'_>,
    ) {
        let (names, n) = (self.names(), pattern.dimension());
        let entry = |row, column| format!("{}, {}", names.of(row), names.of(column));
        let entries = (Stored::Symmetric(pattern), n * (n + 1) / 2, weights);
        self.compare(name, x, entries, (kernel, dual), &entry);
    }

    /// Second derivatives by the entries of x.
    fn hessian(
        &mut self,
        name: &'static str,
        x: &[f64],
        pattern: &SymmetricPattern,
        kernel: Kernel<'_>,
        dual: Dual<'_>,
    ) {
        let lengths = self.lengths(x.len());
        let weights = vec![(self.random.direction(&lengths), self.random.direction(&lengths))];
        self.symmetric(name, x, (pattern, weights), kernel, dual);
    }

    fn lagrangian(&mut self) {
        let (system, n) = (self.system, self.system.dimension());
        let (function, z, size) = (self.duals.of_motion(), self.z(), 2 * n + 1);
        let value = |z: &[f64]| system.lagrangian(&z[..n], &z[n..2 * n], z[2 * n]);
        self.scalar("lagrangian", &z, &value, &|z| function.value(z));

        // v·∂L/∂v − L.
        let dual = |z: &[f64]| function.first(z, &shifted(&z[n..2 * n])) - function.value(z);
        let energy = |z: &[f64]| system.energy(&z[..n], &z[n..2 * n], z[2 * n]);
        self.scalar("energy", &z, &energy, &dual);

        let kernel = |z: &[f64]| {
            filled(size, |gradient| system.first_derivatives(&z[..n], &z[n..2 * n], z[2 * n], gradient))
        };
        self.vector("first derivatives of L", &z, &kernel, &|z, a| function.first(z, a));

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
        // Positions, velocities and the time have different sizes: a sum for each block.
        let (of_q, of_v, of_t) = (0..n, n..2 * n, 2 * n..size);
        let lengths = self.lengths(size);
        let mut part = |range: &std::ops::Range<usize>| {
            let mut part = vec![0.0; size];
            part[range.clone()].copy_from_slice(&self.random.direction(&lengths[range.clone()]));
            part
        };
        let blocks = [(&of_q, &of_q), (&of_q, &of_v), (&of_v, &of_v), (&of_t, &of_v)];
        let weights = blocks.map(|(rows, columns)| (part(rows), part(columns))).to_vec();
        let dual = |z: &[f64], a: &[f64], b: &[f64]| function.second(z, a, b);
        self.symmetric("second derivatives of L", &z, (pattern, weights), &kernel, &dual);
    }

    /// The mass matrix in the kernels' own storage.
    fn mass(&mut self, natural: &dyn Natural) {
        let (function, mut z, mass) = (self.duals.of_motion(), self.z(), natural.mass());
        let n = mass.pattern.dimension();
        z[n..2 * n].iter_mut().filter(|v| **v == 0.0).for_each(|v| *v = STILL);
        let dual = |q: &[f64], a: &[f64], b: &[f64]| {
            function.second(&[q, &z[q.len()..]].concat(), &shifted(a), &shifted(b))
        };
        self.hessian("mass", &self.state.q, &mass.pattern, &|_| mass.values.clone(), &dual);
    }

    fn potential(&mut self, natural: &dyn Natural) {
        let (n, t, q) = (self.system.dimension(), self.state.t, &self.state.q);
        let function = self.duals.potential(t);
        self.scalar("potential", q, &|q| natural.potential(q, t), &|q| function.value(q));

        let gradient = |q: &[f64]| filled(n, |gradient| natural.potential_gradient(q, t, gradient));
        self.vector("gradient of V", q, &gradient, &|q, a| function.first(q, a));

        if !self.has_no_second() {
            let pattern = natural.potential_pattern();
            let kernel = |q: &[f64]| {
                let mut gradient = vec![0.0; n];
                filled(pattern.len(), |hessian| natural.potential_second(q, t, &mut gradient, hessian))
            };
            self.hessian("Hessian of V", q, pattern, &kernel, &|q, a, b| function.second(q, a, b));
        }

        let a = self.random.direction(&self.lengths(n));
        let product = |q: &[f64]| filled(n, |all| natural.potential_product(q, t, &a, all));
        self.vector("Hess V · a", q, &product, &|q, b| function.second(q, &a, b));

        let kernel = |q: &[f64]| filled(n, |all| natural.potential_third(q, t, &a, all));
        self.vector("a · V‴ · a", q, &kernel, &|q, b| function.third(q, &a, b));
    }

    fn stiff(&mut self, stiff: &dyn Stiff) {
        if self.has_no_second() {
            return;
        }
        let t = self.state.t;
        let (pattern, function) = (stiff.stiff_pattern(), self.duals.stiff_part(t));
        let kernel = |q: &[f64]| filled(pattern.len(), |hessian| stiff.stiff_hessian(q, t, hessian));
        let dual = |q: &[f64], a: &[f64], b: &[f64]| function.second(q, a, b);
        self.hessian("Hessian of the stiff part", &self.state.q, pattern, &kernel, &dual);
    }

    /// g and all its derivatives.
    fn constraints(&mut self, system: &dyn Holonomic) {
        let (n, m, duals) = (self.system.dimension(), system.constraints(), self.duals);
        let State { t, q, v } = self.state;
        let (t, still, passes) = (*t, Jet::from_re(*t), passing(*t, 1.0));
        let name = |row: usize| system.constraint_name(row);
        let rows: Rows<'_> = (m, &name);
        let a = self.random.direction(&self.lengths(n));
        let weights = self.random.direction(&vec![1.0; m]);

        let kernel = |q: &[f64]| filled(m, |values| system.constraint_values(q, t, values));
        let dual = |q: &[f64], w: &[f64]| duals.constraints_along((q, still), w, &[], |value| value.re);
        self.list("constraints", q, rows, &kernel, &dual);

        let pattern = system.jacobian_pattern();
        let kernel = |q: &[f64]| {
            let mut values = vec![0.0; m];
            filled(pattern.len(), |jacobian| system.jacobian(q, t, &mut values, jacobian))
        };
        let dual =
            |q: &[f64], w: &[f64], b: &[f64]| duals.constraints_along((q, still), w, b, |value| value.eps1);
        self.jacobian("Jacobian of the constraints", q, rows, (pattern, &kernel, &dual));

        let kernel = |q: &[f64]| filled(m, |values| system.constraint_rate(q, t, values));
        let dual = |q: &[f64], w: &[f64]| duals.constraints_along((q, passes), w, &[], |value| value.eps1);
        self.list("∂g/∂t", q, rows, &kernel, &dual);

        let kernel = |q: &[f64]| filled(m, |values| system.constraint_curvature(q, v, t, values));
        let dual = |q: &[f64], w: &[f64]| duals.constraints_along((q, passes), w, v, |value| value.eps1eps2);
        self.list("d²g/dt² at zero acceleration", q, rows, &kernel, &dual);

        let kernel = |q: &[f64]| filled(m, |values| system.constraint_quadratic(q, t, &a, values));
        let dual = |q: &[f64], w: &[f64]| duals.constraints_along((q, still), w, &a, |value| value.eps1eps2);
        self.list("a · Hess g · a", q, rows, &kernel, &dual);

        let function = duals.weighted(t, &weights);
        let pattern = system.weighted_pattern();
        let kernel =
            |q: &[f64]| filled(pattern.len(), |hessian| system.weighted_hessian(q, t, &weights, hessian));
        self.hessian("Σ w Hess g", q, pattern, &kernel, &|q, a, b| function.second(q, a, b));

        let product = |q: &[f64]| filled(n, |all| system.add_weighted_product(q, t, &weights, &a, all));
        self.vector("Σ w Hess g · a", q, &product, &|q, b| function.second(q, &a, b));

        let kernel = |q: &[f64]| filled(n, |all| system.add_weighted_third(q, t, &weights, &a, all));
        self.vector("Σ w a · g‴ · a", q, &kernel, &|q, b| function.third(q, &a, b));
    }

    /// c of z = (q, v) and all its derivatives.
    fn nonholonomic(&mut self, system: &dyn Nonholonomic) {
        let (n, m, t) = (self.system.dimension(), system.nonholonomic_rows(), self.state.t);
        let (pattern, duals, z) = (system.nonholonomic_pattern(), self.duals, self.motion());
        let (still, passes) = (Jet::from_re(t), passing(t, 1.0));
        let name = |row: usize| system.nonholonomic_name(row);
        let rows: Rows<'_> = (m, &name);

        let kernel = |z: &[f64]| filled(m, |values| system.nonholonomic_values(&z[..n], &z[n..], t, values));
        let dual = |z: &[f64], w: &[f64]| duals.nonholonomic_along((z, still), w, &[], |value| value.re);
        self.list("constraints on velocities", &z, rows, &kernel, &dual);

        let kernel = |z: &[f64]| {
            let mut values = vec![0.0; m];
            filled(pattern.len(), |derivatives| {
                system.nonholonomic_derivatives(&z[..n], &z[n..], t, &mut values, derivatives);
            })
        };
        let dual =
            |z: &[f64], w: &[f64], b: &[f64]| duals.nonholonomic_along((z, still), w, b, |value| value.eps1);
        self.jacobian("∂c/∂(q, v)", &z, rows, (pattern, &kernel, &dual));

        let kernel =
            |z: &[f64]| filled(m, |rate| system.nonholonomic_time_derivative(&z[..n], &z[n..], t, rate));
        let dual = |z: &[f64], w: &[f64]| duals.nonholonomic_along((z, passes), w, &[], |value| value.eps1);
        self.list("∂c/∂t", &z, rows, &kernel, &dual);
    }

    /// F of z = (q, v) and its derivatives.
    fn forces(&mut self, system: &dyn Forced) {
        let (n, t, z) = (self.system.dimension(), self.state.t, self.motion());
        let (pattern, duals, names) = (system.force_pattern(), self.duals, self.names());
        let name = |row: usize| names.of(row);
        let rows: Rows<'_> = (n, &name);
        let kernel = |z: &[f64]| filled(n, |force| system.add_force(&z[..n], &z[n..], t, force));
        self.list("forces", &z, rows, &kernel, &|z, a| duals.forces_along(z, t, a, &[])[0]);

        if system.affords_force_derivatives().is_err() {
            return;
        }
        let kernel = |z: &[f64]| {
            let mut force = vec![0.0; n];
            filled(pattern.len(), |derivatives| {
                system.add_force_derivatives(&z[..n], &z[n..], t, &mut force, derivatives);
            })
        };
        let dual = |z: &[f64], a: &[f64], b: &[f64]| duals.forces_along(z, t, a, b)[1];
        self.jacobian("∂F/∂(q, v)", &z, rows, (pattern, &kernel, &dual));
    }

    /// (q, v).
    fn motion(&self) -> Vec<f64> {
        [&self.state.q[..], &self.state.v].concat()
    }

    fn names(&self) -> Names<'c> {
        Names(self.system)
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
