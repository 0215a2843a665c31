//! Derivatives of a model at a state, as arrays of `NumPy` and matrices of `SciPy`.

use std::sync::Arc;

use least_action::advanced::sparse::{RowMatrix, RowPattern, SymmetricMatrix, SymmetricPattern};
use least_action::method::reference::accelerations;
use least_action::system::{Forced, Holonomic, Lagrangian, State};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::work::raised;
use crate::error::Error;
use crate::registry::Instance;

/// Rows, columns and values of entries.
#[derive(Default)]
pub(super) struct Triplets {
    rows: Vec<i64>,
    columns: Vec<i64>,
    values: Vec<f64>,
}

impl Triplets {
    fn push(&mut self, row: usize, column: usize, value: f64) {
        self.rows.push(row as i64);
        self.columns.push(column as i64);
        self.values.push(value);
    }

    /// Adds a symmetric matrix, whose lower triangle is known.
    fn add_symmetric(&mut self, pattern: &SymmetricPattern, values: &[f64], sign: f64) {
        for ((row, column), &value) in pattern.entries().zip(values) {
            self.push(row, column, sign * value);
            if row != column {
                self.push(column, row, sign * value);
            }
        }
    }

    /// As a `csc_matrix`, which adds up entries of one place.
    fn matrix(self, py: Python<'_>, [height, width]: [usize; 2]) -> PyResult<Bound<'_, PyAny>> {
        let index = |entries: Vec<i64>| PyArray1::from_vec(py, entries);
        let entries = (PyArray1::from_vec(py, self.values), (index(self.rows), index(self.columns)));
        let shape = PyDict::new(py);
        shape.set_item("shape", (height, width))?;
        let matrix = py.import("scipy.sparse").map_err(|_| {
            pyo3::exceptions::PyImportError::new_err(
                "matrices need SciPy, which is not installed: pip install scipy",
            )
        })?;
        matrix.getattr("csc_matrix")?.call((entries,), Some(&shape))
    }
}

/// A model whose derivatives are asked for.
pub(super) struct Derivatives(pub(super) Arc<Instance>);

impl Derivatives {
    fn lagrangian(&self) -> &dyn Lagrangian {
        self.0.system.lagrangian()
    }

    fn missing(&self, quantity: &'static str, reason: &str) -> PyErr {
        raised(&Error::not_available(&self.0.name, quantity, reason))
    }

    fn holonomic(&self, quantity: &'static str) -> PyResult<&dyn Holonomic> {
        let reason = "it declares none with #[holonomic]";
        self.lagrangian().holonomic().ok_or_else(|| self.missing(quantity, reason))
    }

    fn forced(&self) -> PyResult<&dyn Forced> {
        let reason = "it declares no #[force] and no #[dissipation]";
        self.lagrangian().forced().ok_or_else(|| self.missing("force", reason))
    }

    /// The Lagrangian, if its second derivatives are few enough.
    fn second(&self) -> PyResult<&dyn Lagrangian> {
        let lagrangian = self.lagrangian();
        lagrangian.affords_second_derivatives().map_err(|error| raised(&error.into()))?;
        Ok(lagrangian)
    }

    /// V of a constant mass, and −L at rest otherwise.
    pub(super) fn potential(&self, State { t, q, .. }: &State) -> f64 {
        match self.0.system.natural() {
            Some(natural) => natural.potential(q, *t),
            None => -self.lagrangian().lagrangian(q, &vec![0.0; q.len()], *t),
        }
    }

    pub(super) fn kinetic(&self, state: &State) -> f64 {
        match self.0.system.natural() {
            Some(natural) => 0.5 * natural.mass().quadratic(&state.v),
            None => self.lagrangian().energy(&state.q, &state.v, state.t) - self.potential(state),
        }
    }

    pub(super) fn gradient(&self, State { t, q, .. }: &State) -> Vec<f64> {
        let n = q.len();
        if let Some(natural) = self.0.system.natural() {
            let mut gradient = vec![0.0; n];
            natural.potential_gradient(q, *t, &mut gradient);
            return gradient;
        }
        let mut gradient = vec![0.0; 2 * n + 1];
        self.lagrangian().first_derivatives(q, &vec![0.0; n], *t, &mut gradient);
        gradient[..n].iter().map(|entry| -entry).collect()
    }

    pub(super) fn hessian<'py>(&self, py: Python<'py>, state: &State) -> PyResult<Bound<'py, PyAny>> {
        let (State { t, q, .. }, mut entries) = (state, Triplets::default());
        if let Some(natural) = self.0.system.natural() {
            natural.affords_second_derivatives().map_err(|error| raised(&error.into()))?;
            let SymmetricMatrix { pattern, values } = &natural.hessian(q, *t);
            entries.add_symmetric(pattern, values, 1.0);
        } else {
            let rest = State { v: vec![0.0; q.len()], ..state.clone() };
            self.second_block(&rest, [Part::Positions; 2], |row, column, value| {
                entries.push(row, column, -value);
            })?;
        }
        entries.matrix(py, [q.len(); 2])
    }

    /// a·V‴·a.
    pub(super) fn third(&self, State { t, q, .. }: &State, a: &[f64]) -> PyResult<Vec<f64>> {
        let reason = "the contraction a·V‴·a needs a natural system, with constant mass";
        let natural = self.0.system.natural().ok_or_else(|| self.missing("third", reason))?;
        let mut third = vec![0.0; q.len()];
        natural.potential_third(q, *t, a, &mut third);
        Ok(third)
    }

    pub(super) fn mass<'py>(&self, py: Python<'py>, state: &State) -> PyResult<Bound<'py, PyAny>> {
        let State { t, q, v } = state;
        let mut entries = Triplets::default();
        let found;
        let SymmetricMatrix { pattern, values } = if let Some(mass) = self.lagrangian().natural_mass() {
            mass
        } else {
            found = self.second()?.mass_matrix(q, v, *t);
            &found
        };
        entries.add_symmetric(pattern, values, 1.0);
        entries.matrix(py, [q.len(); 2])
    }

    pub(super) fn force(&self, State { t, q, v }: &State) -> PyResult<Vec<f64>> {
        let mut force = vec![0.0; q.len()];
        self.forced()?.add_force(q, v, *t, &mut force);
        Ok(force)
    }

    /// q̈ and the multipliers.
    pub(super) fn accelerations(&self, state: &State) -> PyResult<(Vec<f64>, Vec<f64>)> {
        accelerations(self.lagrangian(), state).map_err(|error| raised(&error.into()))
    }

    pub(super) fn constraints(&self, State { t, q, .. }: &State) -> PyResult<Vec<f64>> {
        let system = self.holonomic("constraints")?;
        let mut values = vec![0.0; system.constraints()];
        system.constraint_values(q, *t, &mut values);
        Ok(values)
    }

    pub(super) fn jacobian<'py>(
        &self,
        py: Python<'py>,
        State { t, q, .. }: &State,
    ) -> PyResult<Bound<'py, PyAny>> {
        let RowMatrix { pattern, values } = self.holonomic("jacobian")?.jacobian_matrix(q, *t);
        rows(&pattern, &values).matrix(py, [pattern.height(), q.len()])
    }

    /// The kind and the name of each row.
    pub(super) fn rows(&self) -> Vec<(&'static str, String)> {
        let lagrangian = self.lagrangian();
        let positions = lagrangian.holonomic().into_iter().flat_map(|system| {
            (0..system.constraints()).map(|row| ("holonomic", system.constraint_name(row)))
        });
        let velocities = lagrangian.nonholonomic().into_iter().flat_map(|system| {
            (0..system.nonholonomic_rows()).map(|row| ("nonholonomic", system.nonholonomic_name(row)))
        });
        positions.chain(velocities).collect()
    }

    /// The entries of a block of ∂²L/∂(q, v)².
    fn second_block(
        &self,
        State { t, q, v }: &State,
        [rows, columns]: [Part; 2],
        mut entry: impl FnMut(usize, usize, f64),
    ) -> PyResult<()> {
        let (lagrangian, n) = (self.second()?, q.len());
        let pattern = lagrangian.second_pattern();
        let (mut gradient, mut values) = (vec![0.0; 2 * n + 1], vec![0.0; pattern.len()]);
        lagrangian.second_derivatives(q, v, *t, &mut gradient, &mut values);
        let place = |part: Part, index: usize| match part {
            Part::Positions => (index < n).then_some(index),
            Part::Velocities => (n..2 * n).contains(&index).then(|| index - n),
        };
        for ((first, second), &value) in pattern.entries().zip(&values) {
            let mut put = |row, column| {
                if let (Some(row), Some(column)) = (place(rows, row), place(columns, column)) {
                    entry(row, column, value);
                }
            };
            put(first, second);
            if first != second {
                put(second, first);
            }
        }
        Ok(())
    }

    /// M, C and K of M δq̈ + C δq̇ + K δq = Gᵀ δλ around an equilibrium, and G.
    pub(super) fn linearize<'py>(&self, py: Python<'py>, state: &State) -> PyResult<Bound<'py, PyDict>> {
        let (n, lagrangian) = (state.q.len(), self.lagrangian());
        if lagrangian.nonholonomic().is_some() {
            let reason = "constraints on velocities leave no equation of positions alone";
            return Err(self.missing("linearize", reason));
        }
        let rest = State { v: vec![0.0; n], ..state.clone() };
        let State { t, q, v } = &rest;
        let (accelerations, multipliers) = self.accelerations(&rest)?;
        let [mut mass, mut damping, mut stiffness] = [(); 3].map(|()| Triplets::default());
        self.second_block(&rest, [Part::Velocities; 2], |row, column, value| mass.push(row, column, value))?;
        self.second_block(&rest, [Part::Velocities, Part::Positions], |row, column, value| {
            damping.push(row, column, value);
            damping.push(column, row, -value);
        })?;
        self.second_block(&rest, [Part::Positions; 2], |row, column, value| {
            stiffness.push(row, column, -value);
        })?;
        if let Some(forced) = lagrangian.forced() {
            forced.affords_force_derivatives().map_err(|error| raised(&error.into()))?;
            let pattern = forced.force_pattern();
            let (mut force, mut values) = (vec![0.0; n], vec![0.0; pattern.len()]);
            forced.add_force_derivatives(q, v, *t, &mut force, &mut values);
            for ((row, column), value) in pattern.entries().zip(values) {
                if column < n {
                    stiffness.push(row, column, -value);
                } else {
                    damping.push(row, column - n, -value);
                }
            }
        }
        if let Some(system) = lagrangian.holonomic() {
            let mut values = vec![0.0; system.weighted_pattern().len()];
            system.weighted_hessian(q, *t, &multipliers[..system.constraints()], &mut values);
            stiffness.add_symmetric(system.weighted_pattern(), &values, -1.0);
        }
        self.check_equilibrium(&rest, &accelerations, &mass, &stiffness)?;
        let found = PyDict::new(py);
        for (name, matrix) in [("M", mass), ("C", damping), ("K", stiffness)] {
            found.set_item(name, matrix.matrix(py, [n; 2])?)?;
        }
        if lagrangian.holonomic().is_some() {
            found.set_item("G", self.jacobian(py, &rest)?)?;
        }
        Ok(found)
    }

    /// Refuses a state where a force is left that the stiffness does not take up nearby.
    fn check_equilibrium(
        &self,
        State { q, .. }: &State,
        accelerations: &[f64],
        mass: &Triplets,
        stiffness: &Triplets,
    ) -> PyResult<()> {
        let largest = |numbers: &[f64]| numbers.iter().fold(0.0, |most: f64, number| most.max(number.abs()));
        let far = largest(q).max(1.0) * largest(&stiffness.values);
        let left = largest(accelerations) * largest(&mass.values);
        let near = |(index, _): &(usize, &f64)| *index;
        let first = accelerations.iter().enumerate().max_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs()));
        match first {
            Some(most) if left.is_nan() || left > NEARBY * far => {
                let name = self.lagrangian().layout().name_of(near(&most));
                Err(PyValueError::new_err(format!(
                    "the state is no equilibrium: `{name}` is accelerated by {:e}; give one where the model stays at rest",
                    most.1
                )))
            }
            _ => Ok(()),
        }
    }
}

/// The part of its size by which a state may lie beside an equilibrium.
const NEARBY: f64 = 1e-6;

/// The positions or the velocities among (q, v, t).
#[derive(Clone, Copy)]
enum Part {
    Positions,
    Velocities,
}

fn rows(pattern: &RowPattern, values: &[f64]) -> Triplets {
    let mut entries = Triplets::default();
    for ((row, column), &value) in pattern.entries().zip(values) {
        entries.push(row, column, value);
    }
    entries
}
