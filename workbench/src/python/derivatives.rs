//! Derivatives of a model at a state, as arrays of `NumPy` and matrices of `SciPy`.

use std::ops::Range;
use std::sync::Arc;

use least_action::advanced::sparse::{RowMatrix, SymmetricMatrix, SymmetricPattern};
use least_action::method::reference::accelerations;
use least_action::system::{Holonomic, Lagrangian, State};
use numpy::PyArray1;
use pyo3::exceptions::{PyImportError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::work::raised;
use crate::error::Error;
use crate::registry::Instance;

/// Entries of a matrix by row and column.
type Entries = Vec<(usize, usize, f64)>;

/// All entries of a symmetric matrix, whose lower triangle is known.
fn symmetric(pattern: &SymmetricPattern, values: &[f64]) -> Entries {
    let both = |((row, column), &value): ((usize, usize), &f64)| {
        [Some((row, column, value)), (row != column).then_some((column, row, value))]
    };
    pattern.entries().zip(values).flat_map(both).flatten().collect()
}

fn negative(entries: Entries) -> Entries {
    entries.into_iter().map(|(row, column, value)| (row, column, -value)).collect()
}

fn largest<'n>(numbers: impl IntoIterator<Item = &'n f64>) -> f64 {
    numbers.into_iter().fold(0.0, |most, number| most.max(number.abs()))
}

/// Entries as a `csc_matrix`, which adds up entries of one place.
fn matrix(py: Python<'_>, entries: Entries, [height, width]: [usize; 2]) -> PyResult<Bound<'_, PyAny>> {
    let entries = entries.into_iter().map(|(row, column, value)| (row as i64, column as i64, value));
    let (rows, columns, values): (Vec<_>, Vec<_>, Vec<_>) = entries.collect();
    let places = (PyArray1::from_vec(py, rows), PyArray1::from_vec(py, columns));
    let shape = PyDict::new(py);
    shape.set_item("shape", (height, width))?;
    let sparse = py.import("scipy.sparse").map_err(|_| {
        PyImportError::new_err("matrices need SciPy, which is not installed: pip install scipy")
    })?;
    sparse.getattr("csc_matrix")?.call(((PyArray1::from_vec(py, values), places),), Some(&shape))
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

    /// The Lagrangian, if its second derivatives are few enough.
    fn second(&self) -> PyResult<&dyn Lagrangian> {
        let lagrangian = self.lagrangian();
        lagrangian.affords_second_derivatives().map_err(|error| raised(&error.into()))?;
        Ok(lagrangian)
    }

    /// V of a constant mass, and −L at rest otherwise.
    pub(super) fn potential(&self, State { t, q, .. }: &State) -> f64 {
        match self.0.system.faces().natural {
            Some(natural) => natural.potential(q, *t),
            None => -self.lagrangian().lagrangian(q, &vec![0.0; q.len()], *t),
        }
    }

    pub(super) fn kinetic(&self, state: &State) -> f64 {
        match self.0.system.faces().natural {
            Some(natural) => 0.5 * natural.mass().quadratic(&state.v),
            None => self.lagrangian().energy(&state.q, &state.v, state.t) - self.potential(state),
        }
    }

    pub(super) fn gradient(&self, State { t, q, .. }: &State) -> Vec<f64> {
        let n = q.len();
        if let Some(natural) = self.0.system.faces().natural {
            let mut gradient = vec![0.0; n];
            natural.potential_gradient(q, *t, &mut gradient);
            return gradient;
        }
        let mut gradient = vec![0.0; 2 * n + 1];
        self.lagrangian().first_derivatives(q, &vec![0.0; n], *t, &mut gradient);
        gradient[..n].iter().map(|entry| -entry).collect()
    }

    pub(super) fn hessian<'py>(&self, py: Python<'py>, state: &State) -> PyResult<Bound<'py, PyAny>> {
        let (State { t, q, .. }, n) = (state, state.q.len());
        let entries = if let Some(natural) = self.0.system.faces().natural {
            natural.affords_second_derivatives().map_err(|error| raised(&error.into()))?;
            let SymmetricMatrix { pattern, values } = &natural.hessian(q, *t);
            symmetric(pattern, values)
        } else {
            let rest = State { v: vec![0.0; n], ..state.clone() };
            negative(self.second_block(&rest, [0..n, 0..n])?)
        };
        matrix(py, entries, [n; 2])
    }

    /// a·V‴·a.
    pub(super) fn third(&self, State { t, q, .. }: &State, a: &[f64]) -> PyResult<Vec<f64>> {
        let reason = "the contraction a·V‴·a needs a natural system, with constant mass";
        let natural = self.0.system.faces().natural.ok_or_else(|| self.missing("third", reason))?;
        let mut third = vec![0.0; q.len()];
        natural.potential_third(q, *t, a, &mut third);
        Ok(third)
    }

    pub(super) fn mass<'py>(&self, py: Python<'py>, state: &State) -> PyResult<Bound<'py, PyAny>> {
        let State { t, q, v } = state;
        let found;
        let SymmetricMatrix { pattern, values } = if let Some(mass) = self.lagrangian().natural_mass() {
            mass
        } else {
            found = self.second()?.mass_matrix(q, v, *t);
            &found
        };
        matrix(py, symmetric(pattern, values), [q.len(); 2])
    }

    pub(super) fn force(&self, State { t, q, v }: &State) -> PyResult<Vec<f64>> {
        let reason = "it declares no #[force] and no #[dissipation]";
        let forced = self.lagrangian().forced().ok_or_else(|| self.missing("force", reason))?;
        let mut force = vec![0.0; q.len()];
        forced.add_force(q, v, *t, &mut force);
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
        let entries = pattern.entries().zip(values).map(|((row, column), value)| (row, column, value));
        matrix(py, entries.collect(), [pattern.height(), q.len()])
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

    /// The entries of a block of ∂²L/∂(q, v)², rows and columns of which are counted from its corner.
    fn second_block(
        &self,
        State { t, q, v }: &State,
        [rows, columns]: [Range<usize>; 2],
    ) -> PyResult<Entries> {
        let lagrangian = self.second()?;
        let pattern = lagrangian.second_pattern();
        let (mut gradient, mut values) = (vec![0.0; 2 * q.len() + 1], vec![0.0; pattern.len()]);
        lagrangian.second_derivatives(q, v, *t, &mut gradient, &mut values);
        let all = symmetric(pattern, &values).into_iter();
        let block = all.filter(|(row, column, _)| rows.contains(row) && columns.contains(column));
        Ok(block.map(|(row, column, value)| (row - rows.start, column - columns.start, value)).collect())
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
        let (positions, velocities) = (0..n, n..2 * n);
        let block = |rows: &Range<usize>, columns: &Range<usize>| {
            self.second_block(&rest, [rows.clone(), columns.clone()])
        };
        let mass = block(&velocities, &velocities)?;
        let gyroscopic = block(&velocities, &positions)?.into_iter();
        let mut damping: Entries =
            gyroscopic.flat_map(|(row, column, x)| [(row, column, x), (column, row, -x)]).collect();
        let mut stiffness = negative(block(&positions, &positions)?);
        if let Some(forced) = lagrangian.forced() {
            forced.affords_force_derivatives().map_err(|error| raised(&error.into()))?;
            let pattern = forced.force_pattern();
            let (mut force, mut values) = (vec![0.0; n], vec![0.0; pattern.len()]);
            forced.add_force_derivatives(q, v, *t, &mut force, &mut values);
            for ((row, column), value) in pattern.entries().zip(values) {
                if column < n {
                    stiffness.push((row, column, -value));
                } else {
                    damping.push((row, column - n, -value));
                }
            }
        }
        if let Some(system) = lagrangian.holonomic() {
            let mut values = vec![0.0; system.weighted_pattern().len()];
            system.weighted_hessian(q, *t, &multipliers[..system.constraints()], &mut values);
            stiffness.extend(negative(symmetric(system.weighted_pattern(), &values)));
        }
        self.check_equilibrium(&rest, &accelerations, [&mass, &stiffness])?;
        let found = PyDict::new(py);
        for (name, entries) in [("M", mass), ("C", damping), ("K", stiffness)] {
            found.set_item(name, matrix(py, entries, [n; 2])?)?;
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
        [mass, stiffness]: [&Entries; 2],
    ) -> PyResult<()> {
        let size = |entries: &Entries| largest(entries.iter().map(|(.., value)| value));
        let far = largest(q).max(1.0) * size(stiffness);
        let left = largest(accelerations) * size(mass);
        let all = accelerations.iter().enumerate();
        match all.max_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs())) {
            Some((index, most)) if left.is_nan() || left > NEARBY * far => {
                let name = self.lagrangian().layout().name_of(index);
                Err(PyValueError::new_err(format!(
                    "the state is no equilibrium: `{name}` is accelerated by {most:e}; give one where the model stays at rest"
                )))
            }
            _ => Ok(()),
        }
    }
}

/// The part of its size by which a state may lie beside an equilibrium.
const NEARBY: f64 = 1e-6;
