//! The quantities of holonomic constraints.

use super::{Check, filled, size_of};
use crate::check::entries::Direction;
use crate::check::quantity::{Quantity, Stored};
use crate::system::{Holonomic, State};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The most entries of a Jacobian compared one by one.
const ENTRIES: usize = 100_000;

impl Check<'_> {
    /// g and all its derivatives.
    pub(super) fn constraints(&mut self, system: &dyn Holonomic) {
        let (n, m) = (self.system.dimension(), system.constraints());
        let State { t, q, v } = self.state.clone();
        let lengths = self.lengths()[..n].to_vec();
        let (at, duals) = ((&q[..], &lengths[..]), self.duals);
        let row = |k: usize| system.constraint_name(k);
        let a = self.random.direction(&lengths);
        let weights = self.random.direction(&vec![1.0; m]);
        // The size of d · Hess g · d without cancellation: Σ |G d|, bent by d once more.
        let pattern = system.jacobian_pattern();
        let of_bends = |d: &[f64]| {
            let (mut values, mut jacobian) = (vec![0.0; m], vec![0.0; pattern.len()]);
            system.jacobian(&q, t, &mut values, &mut jacobian);
            let mut rows = vec![0.0; m];
            for ((row, column), value) in pattern.entries().zip(&jacobian) {
                rows[row] += (value * d[column]).abs();
            }
            let turns =
                d.iter().zip(&lengths).fold(0.0_f64, |most, (d, length)| most.max((d / length).abs()));
            size_of(&[turns * rows.into_iter().fold(0.0, f64::max)])
        };

        let kernel = |q: &[f64]| filled(m, |values| system.constraint_values(q, t, values));
        self.list("constraints", &q, &row, (&kernel, &|q| duals.constraint_values(q, t)), 0.0);
        self.jacobian(system);

        let kernel = |q: &[f64]| filled(m, |values| system.constraint_rate(q, t, values));
        self.list("∂g/∂t", &q, &row, (&kernel, &|q| duals.constraint_rate(q, t)), 0.0);

        let kernel = |q: &[f64]| filled(m, |values| system.constraint_curvature(q, &v, t, values));
        let dual = |q: &[f64]| duals.constraint_curvature(q, &v, t);
        self.list("d²g/dt² at zero acceleration", &q, &row, (&kernel, &dual), of_bends(&v));

        let kernel = |q: &[f64]| filled(m, |values| system.constraint_quadratic(q, t, &a, values));
        let dual = |q: &[f64]| duals.constraint_quadratic(q, t, &a);
        self.list("a · Hess g · a", &q, &row, (&kernel, &dual), of_bends(&a));

        let function = duals.weighted(t, &weights);
        let pattern = system.weighted_pattern();
        let kernel =
            |q: &[f64]| filled(pattern.len(), |hessian| system.weighted_hessian(q, t, &weights, hessian));
        self.hessian("Σ w Hess g", at, pattern, &kernel, &|q, a, b| function.second(q, a, b));

        let product = |q: &[f64]| filled(n, |all| system.add_weighted_product(q, t, &weights, &a, all));
        let dual = |q: &[f64], b: Direction<'_>| function.second(q, Direction::Any(&a), b);
        self.vector("Σ w Hess g · a", at, &product, &dual, 0.0);

        let kernel = |q: &[f64]| filled(n, |all| system.add_weighted_third(q, t, &weights, &a, all));
        let dual = |q: &[f64], b: Direction<'_>| function.third(q, &a, b);
        self.vector("Σ w a · g‴ · a", at, &kernel, &dual, size_of(&product(&q)));
    }

    /// G, all columns or some, and a sum of all entries.
    fn jacobian(&mut self, system: &dyn Holonomic) {
        let (n, m, t) = (self.system.dimension(), system.constraints(), self.state.t);
        let (q, lengths) = (self.state.q.clone(), self.lengths()[..n].to_vec());
        let room = self.room().min(ENTRIES / m.max(1));
        let columns = self.random.some(n, room);
        let (pattern, duals, names) = (system.jacobian_pattern(), self.duals, self.names());
        let kernel = |q: &[f64]| {
            let mut values = vec![0.0; m];
            filled(pattern.len(), |jacobian| system.jacobian(q, t, &mut values, jacobian))
        };
        // One evaluation in dual numbers gives a whole column.
        let known: RefCell<BTreeMap<usize, Vec<f64>>> = RefCell::default();
        let dual = |point: &[f64], a: Direction<'_>, b: Direction<'_>| match b {
            Direction::Unit(column) if point == q => {
                a.dot(known.borrow_mut().entry(column).or_insert_with(|| duals.jacobian_along(&q, t, b)))
            }
            _ => a.dot(&duals.jacobian_along(point, t, b)),
        };
        let weights = vec![(self.random.direction(&vec![1.0; m]), self.random.direction(&lengths))];
        self.compare(Quantity {
            name: "Jacobian of the constraints",
            of: m * n,
            chosen: columns.iter().flat_map(|&column| (0..m).map(move |row| (row, column))).collect(),
            stored: Stored::Rows(pattern),
            weights,
            natural: 0.0,
            at: (&q, &lengths),
            kernel: &kernel,
            dual: &dual,
            entry: &|row, column| format!("{}, {}", system.constraint_name(row), names.of(column)),
        });
    }
}
