//! Functions of (q, v, t) by rows: constraints on velocities, and forces.

use super::{Check, Function, STEP, Slope};
use crate::check::entries::Direction;
use crate::check::parts::{Dual, Parts, Stored, some};
use crate::sparse::RowPattern;
use crate::system::{Forced, Nonholonomic};

/// The rows that are compared, all of them functions of z = (q, v) at the time of the state.
struct Rows<'r> {
    /// The names of the values and of their derivatives.
    names: [&'static str; 2],
    count: usize,
    name: &'r dyn Fn(usize) -> String,
    values: Function<'r>,
    pattern: &'r RowPattern,
    derivatives: Function<'r>,
    /// a·c, and a·∂c/∂z·b.
    duals: [Dual<'r>; 2],
    /// False where the derivatives are too many to be assembled.
    afforded: bool,
}

impl Check<'_> {
    /// c and all its derivatives.
    pub(super) fn nonholonomic(&mut self, system: &dyn Nonholonomic) {
        let (n, m, t) = (self.system.dimension(), system.nonholonomic_rows(), self.state.t);
        let (pattern, duals) = (system.nonholonomic_pattern(), self.duals);
        let values_at = |z: &[f64], t: f64| {
            let mut values = vec![0.0; m];
            system.nonholonomic_values(&z[..n], &z[n..], t, &mut values);
            values
        };
        let derivatives = |z: &[f64]| {
            let (mut values, mut derivatives) = (vec![0.0; m], vec![0.0; pattern.len()]);
            system.nonholonomic_derivatives(&z[..n], &z[n..], t, &mut values, &mut derivatives);
            derivatives
        };
        let weighted = |a: Direction<'_>, rows: &[f64]| match a {
            Direction::Unit(row) => rows[row],
            Direction::Any(a) => a.iter().zip(rows).map(|(a, row)| a * row).sum(),
        };
        let name = |row: usize| system.nonholonomic_name(row);
        self.rows(&Rows {
            names: ["constraints on velocities", "∂c/∂(q, v)"],
            count: m,
            name: &name,
            values: &|z| values_at(z, t),
            pattern,
            derivatives: &derivatives,
            duals: [&|z, a, b| weighted(a, &duals.nonholonomic_along(z, t, b)[0]), &|z, a, b| {
                weighted(a, &duals.nonholonomic_along(z, t, b)[1])
            }],
            afforded: true,
        });

        let z = self.motion();
        let kernel = |z: &[f64]| {
            let mut rate = vec![0.0; m];
            system.nonholonomic_time_derivative(&z[..n], &z[n..], t, &mut rate);
            rate
        };
        let step = STEP * if t == 0.0 { 1.0 } else { t.abs() };
        let noise = self.noise(&[t], &[step / STEP], &|t| values_at(&z, t[0]));
        let slope = Slope { noise, step, value: Box::new(|s| values_at(&z, t + s)) };
        self.list("∂c/∂t", &z, &name, (&kernel, &|z| duals.nonholonomic_rate(z, t)), 0.0, Some(slope));
    }

    /// F and its derivatives.
    pub(super) fn forces(&mut self, system: &dyn Forced) {
        let (n, t) = (self.system.dimension(), self.state.t);
        let (pattern, duals, layout) = (system.force_pattern(), self.duals, self.system.layout());
        let values = |z: &[f64]| {
            let mut force = vec![0.0; n];
            system.add_force(&z[..n], &z[n..], t, &mut force);
            force
        };
        let derivatives = |z: &[f64]| {
            let (mut force, mut derivatives) = (vec![0.0; n], vec![0.0; pattern.len()]);
            system.add_force_derivatives(&z[..n], &z[n..], t, &mut force, &mut derivatives);
            derivatives
        };
        self.rows(&Rows {
            names: ["forces", "∂F/∂(q, v)"],
            count: n,
            name: &|row| layout.name_of(row),
            values: &values,
            pattern,
            derivatives: &derivatives,
            duals: [&|z, a, b| duals.forces_along(z, t, a, b)[0], &|z, a, b| {
                duals.forces_along(z, t, a, b)[1]
            }],
            afforded: system.affords_force_derivatives().is_ok(),
        });
    }

    /// z = (q, v).
    fn motion(&self) -> Vec<f64> {
        [&self.state.q[..], &self.state.v].concat()
    }

    fn rows(&mut self, rows: &Rows<'_>) {
        let Rows { names, count, name, values, pattern, derivatives, duals, afforded } = *rows;
        let (z, still) = (self.motion(), vec![0.0; 2 * self.system.dimension()]);
        let lengths = self.way(&z);
        (self.progress)(names[0]);
        let ones = vec![1.0; count];
        let chosen = some(count, self.room(), &mut self.random).into_iter().map(|row| (row, 0)).collect();
        let parts = Parts {
            quantity: names[0],
            of: count,
            chosen,
            stored: Stored::Vector,
            here: values(&z),
            perturbed: self.perturbed(&z).iter().map(|z| values(z)).collect(),
            weights: vec![(self.direction(&ones), Vec::new())],
            natural: 0.0,
            at: &z,
            way: lengths.clone(),
            kernel: values,
            dual: &|z, a, _| duals[0](z, a, Direction::Any(&still)),
            name: &|row, _| name(row),
        };
        self.record(&parts, &[]);
        if !afforded {
            return;
        }

        let columns = some(z.len(), self.room() / count.max(1), &mut self.random);
        let chosen = columns.iter().flat_map(|&column| (0..count).map(move |row| (row, column))).collect();
        let weights = vec![(self.direction(&ones), self.direction(&lengths))];
        let of_columns = self.names();
        let entry = |row: usize, column: Option<usize>| {
            let column = column.map_or_else(String::new, |column| format!(", {}", of_columns.of(column)));
            format!("{}{column}", name(row))
        };
        let function: Option<(_, Function<'_>)> = Some((self.noise(&z, &lengths, values), values));
        let what = (Stored::Rows(pattern), chosen, weights);
        let quantity = (names[1], count * z.len());
        self.matrix(quantity, (&z, &lengths), what, (derivatives, duals[1]), &entry, function);
    }
}
