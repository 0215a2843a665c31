//! Functions of (q, v, t) by rows: constraints on velocities, and forces.

use super::{Check, filled};
use crate::check::entries::Direction;
use crate::check::quantity::{Dual, Kernel, Quantity, Stored};
use crate::sparse::RowPattern;
use crate::system::{Forced, Nonholonomic};

/// Functions of z = (q, v) at the time of the state, with their derivatives.
struct CheckedRows<'r> {
    /// The names of the values and of their derivatives.
    names: [&'static str; 2],
    count: usize,
    name: &'r dyn Fn(usize) -> String,
    values: Kernel<'r>,
    pattern: &'r RowPattern,
    derivatives: Kernel<'r>,
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
        let values = |z: &[f64]| filled(m, |values| system.nonholonomic_values(&z[..n], &z[n..], t, values));
        let derivatives = |z: &[f64]| {
            let mut values = vec![0.0; m];
            filled(pattern.len(), |derivatives| {
                system.nonholonomic_derivatives(&z[..n], &z[n..], t, &mut values, derivatives);
            })
        };
        let name = |row: usize| system.nonholonomic_name(row);
        self.rows(&CheckedRows {
            names: ["constraints on velocities", "∂c/∂(q, v)"],
            count: m,
            name: &name,
            values: &values,
            pattern,
            derivatives: &derivatives,
            duals: [&|z, a, b| a.dot(&duals.nonholonomic_along(z, t, b)[0]), &|z, a, b| {
                a.dot(&duals.nonholonomic_along(z, t, b)[1])
            }],
            afforded: true,
        });

        let kernel =
            |z: &[f64]| filled(m, |rate| system.nonholonomic_time_derivative(&z[..n], &z[n..], t, rate));
        let dual = |z: &[f64]| duals.nonholonomic_rate(z, t);
        self.list("∂c/∂t", &self.motion(), &name, (&kernel, &dual), 0.0);
    }

    /// F and its derivatives.
    pub(super) fn forces(&mut self, system: &dyn Forced) {
        let (n, t) = (self.system.dimension(), self.state.t);
        let (pattern, duals, layout) = (system.force_pattern(), self.duals, self.system.layout());
        let values = |z: &[f64]| filled(n, |force| system.add_force(&z[..n], &z[n..], t, force));
        let derivatives = |z: &[f64]| {
            let mut force = vec![0.0; n];
            filled(pattern.len(), |derivatives| {
                system.add_force_derivatives(&z[..n], &z[n..], t, &mut force, derivatives);
            })
        };
        self.rows(&CheckedRows {
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

    fn rows(&mut self, rows: &CheckedRows<'_>) {
        let CheckedRows { names, count, name, values, pattern, derivatives, duals, afforded } = *rows;
        let (z, still) = (self.motion(), vec![0.0; 2 * self.system.dimension()]);
        let lengths = self.lengths()[..z.len()].to_vec();
        let (room, ones) = (self.room(), vec![1.0; count]);
        let chosen = self.random.some(count, room).into_iter().map(|row| (row, 0)).collect();
        let weights = vec![(self.random.direction(&ones), Vec::new())];
        self.compare(Quantity {
            name: names[0],
            of: count,
            chosen,
            stored: Stored::Vector,
            weights,
            natural: 0.0,
            at: (&z, &lengths),
            kernel: values,
            dual: &|z, a, _| duals[0](z, a, Direction::Any(&still)),
            entry: &|row, _| name(row),
        });
        if !afforded {
            return;
        }
        let columns = self.random.some(z.len(), room / count.max(1));
        let weights = vec![(self.random.direction(&ones), self.random.direction(&lengths))];
        let of_columns = self.names();
        self.compare(Quantity {
            name: names[1],
            of: count * z.len(),
            chosen: columns.iter().flat_map(|&column| (0..count).map(move |row| (row, column))).collect(),
            stored: Stored::Rows(pattern),
            weights,
            natural: 0.0,
            at: (&z, &lengths),
            kernel: derivatives,
            dual: duals[1],
            entry: &|row, column| format!("{}, {}", name(row), of_columns.of(column)),
        });
    }
}
