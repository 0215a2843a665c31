//! The quantities of constraints.

use super::{Check, Differences, Function, STEP, Slope, along};
use crate::check::entries::Direction;
use crate::check::parts::{Stored, some};
use crate::system::{Holonomic, State};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The most entries of a Jacobian that are compared one by one.
const COLUMNS: usize = 100_000;

impl Check<'_> {
    /// g and all its derivatives.
    pub(super) fn constraints(&mut self, system: &dyn Holonomic) {
        let (n, m) = (self.system.dimension(), system.constraints());
        let State { t, q, v } = self.state.clone();
        let lengths = self.lengths()[..n].to_vec();
        let at = (&q[..], &lengths[..]);
        let duals = self.duals;
        let row = |k: usize| system.constraint_name(k);
        let a = self.direction(&lengths);
        let weights = self.direction(&vec![1.0; m]);
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
        // The size of d · Hess g · d where no terms cancel: Σ |G d|, bent by d once more.
        let of_bends = |d: &[f64]| {
            let (mut values, mut jacobian) = (vec![0.0; m], vec![0.0; system.jacobian_pattern().len()]);
            system.jacobian(&q, t, &mut values, &mut jacobian);
            let mut rows = vec![0.0; m];
            for ((row, column), value) in system.jacobian_pattern().entries().zip(&jacobian) {
                rows[row] += (value * d[column]).abs();
            }
            let turns =
                d.iter().zip(&lengths).fold(0.0_f64, |most, (d, length)| most.max((d / length).abs()));
            let size = turns * rows.into_iter().fold(0.0, f64::max);
            if size.is_finite() { size } else { 0.0 }
        };
        self.list(
            "constraints",
            &q,
            &row,
            (&|q| values_at(q, t), &|q| duals.constraint_values(q, t)),
            0.0,
            None,
        );
        self.jacobian(system);

        let kernel = |q: &[f64]| rows(&|values| system.constraint_rate(q, t, values));
        let value = |s: f64| values_at(&q, t + s);
        let step = STEP * if t == 0.0 { 1.0 } else { t.abs() };
        let noise = self.noise(&[t], &[step / STEP], &|t| values_at(&q, t[0]));
        let slope = Slope { noise, step, value: Box::new(value) };
        self.list("∂g/∂t", &q, &row, (&kernel, &|q| duals.constraint_rate(q, t)), 0.0, Some(slope));

        let kernel = |q: &[f64]| rows(&|values| system.constraint_curvature(q, &v, t, values));
        let dual = |q: &[f64]| duals.constraint_curvature(q, &v, t);
        self.list("d²g/dt² at zero acceleration", &q, &row, (&kernel, &dual), of_bends(&v), None);

        let kernel = |q: &[f64]| rows(&|values| system.constraint_quadratic(q, t, &a, values));
        let dual = |q: &[f64]| duals.constraint_quadratic(q, t, &a);
        self.list("a · Hess g · a", &q, &row, (&kernel, &dual), of_bends(&a), None);

        let function = duals.weighted(t, &weights);
        let pattern = system.weighted_pattern();
        let kernel = |q: &[f64]| {
            let mut hessian = vec![0.0; pattern.len()];
            system.weighted_hessian(q, t, &weights, &mut hessian);
            hessian
        };
        let dual = |q: &[f64], a: Direction<'_>, b: Direction<'_>| function.second(q, a, b);
        self.hessian("Σ w Hess g", at, pattern, &kernel, &dual, None);

        let product_at = |q: &[f64]| {
            let mut all = vec![0.0; n];
            system.add_weighted_product(q, t, &weights, &a, &mut all);
            all
        };
        let dual = |q: &[f64], b: Direction<'_>| function.second(q, Direction::Any(&a), b);
        self.vector("Σ w Hess g · a", at, &product_at, &dual, Differences::None);

        let kernel = |q: &[f64]| {
            let mut all = vec![0.0; n];
            system.add_weighted_third(q, t, &weights, &a, &mut all);
            all
        };
        let dual = |q: &[f64], b: Direction<'_>| function.third(q, &a, b);
        let noise = self.noise(&q, &lengths, &product_at);
        let value = Box::new(|s| product_at(&along(&q, &a, s)));
        let slope = Differences::Along(Slope { noise, step: STEP, value });
        self.vector("Σ w a · g‴ · a", at, &kernel, &dual, slope);
    }

    /// G by columns, all of them or some, and along a direction.
    fn jacobian(&mut self, system: &dyn Holonomic) {
        let (n, m, t) = (self.system.dimension(), system.constraints(), self.state.t);
        let (q, lengths) = (self.state.q.clone(), self.lengths()[..n].to_vec());
        let columns = some(n, self.room().min(COLUMNS / m.max(1)), &mut self.random);
        let chosen = columns.iter().flat_map(|&column| (0..m).map(move |row| (row, column))).collect();
        let (pattern, duals) = (system.jacobian_pattern(), self.duals);
        let kernel = |q: &[f64]| {
            let (mut values, mut jacobian) = (vec![0.0; m], vec![0.0; pattern.len()]);
            system.jacobian(q, t, &mut values, &mut jacobian);
            jacobian
        };
        // One evaluation gives a whole column.
        let known: RefCell<BTreeMap<usize, Vec<f64>>> = RefCell::default();
        let dual = |point: &[f64], a: Direction<'_>, b: Direction<'_>| {
            let weighted = |column: &[f64]| match a {
                Direction::Unit(row) => column[row],
                Direction::Any(a) => a.iter().zip(column).map(|(a, entry)| a * entry).sum(),
            };
            match b {
                Direction::Unit(column) if point == q => weighted(
                    known.borrow_mut().entry(column).or_insert_with(|| duals.jacobian_along(&q, t, b)),
                ),
                _ => weighted(&duals.jacobian_along(point, t, b)),
            }
        };
        let values_at = |q: &[f64]| {
            let mut values = vec![0.0; m];
            system.constraint_values(q, t, &mut values);
            values
        };
        let weights = vec![(self.direction(&vec![1.0; m]), self.direction(&lengths))];
        let names = self.names();
        let name = |row: usize, column: Option<usize>| {
            let column = column.map_or_else(String::new, |column| format!(", {}", names.of(column)));
            format!("{}{column}", system.constraint_name(row))
        };
        let function: Option<(_, Function<'_>)> = Some((self.noise(&q, &lengths, &values_at), &values_at));
        let what = (Stored::Rows(pattern), chosen, weights);
        let quantity = ("Jacobian of the constraints", m * n);
        self.matrix(quantity, (&q, &lengths), what, (&kernel, &dual), &name, function);
    }
}
