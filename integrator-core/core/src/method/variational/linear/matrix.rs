//! A matrix of a step, or its transpose, and its factors.

use crate::error::Begun;
use crate::method::force_error::{Attempt, ForceError, no_factors};
use crate::sparse::{Solver, SymmetricPattern};
use crate::system::System;

/// A matrix by the list of its entries, which may repeat.
#[derive(Default)]
pub(super) struct StepMatrix {
    name: &'static str,
    solver: Option<Solver>,
    /// The place of each entry, and of its mirror image.
    places: Vec<[u32; 2]>,
}

impl StepMatrix {
    /// For these entries (row, column).
    ///
    /// # Errors
    /// There is no memory.
    pub(super) fn new<S: System + ?Sized>(
        system: &S,
        name: &'static str,
        dimension: usize,
        entries: impl Iterator<Item = (usize, usize)>,
    ) -> Begun<Self> {
        let entries: Vec<_> = entries.collect();
        let pattern = SymmetricPattern::new(dimension, entries.iter().copied());
        let solver = Solver::unsymmetric(&pattern).ok_or_else(|| no_factors(system, name, (0.0, 0)))?;
        let places = entries.iter().map(|&(i, j)| [solver.place(i, j), solver.place(j, i)]);
        Ok(Self { name, places: places.collect(), solver: Some(solver) })
    }

    /// Makes all entries zero.
    pub(super) fn clear(&mut self) -> &mut Self {
        if let Some(solver) = &mut self.solver {
            solver.values_mut().fill(0.0);
        }
        self
    }

    /// Adds values to the entries from number `first` on, or to their mirror images.
    pub(super) fn add(&mut self, first: usize, transposed: bool, values: impl Iterator<Item = f64>) {
        if let Some(solver) = &mut self.solver {
            let entries = solver.values_mut();
            for (places, value) in self.places[first..].iter().zip(values) {
                entries[places[usize::from(transposed)] as usize] += value;
            }
        }
    }

    /// Factors the matrix.
    ///
    /// # Errors
    /// It is singular.
    pub(super) fn factor(&mut self) -> Attempt {
        let factored = self.solver.as_mut().map_or(Ok(()), Solver::refactor);
        factored.map_err(|error| ForceError::Singular { matrix: self.name, error })
    }

    /// Writes the solution of the system with the right-hand side x over `y`; both may be longer.
    pub(super) fn solve(&mut self, x: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        if let Some(solver) = &mut self.solver {
            let y = &mut y[..solver.pattern().dimension()];
            y.copy_from_slice(&x[..y.len()]);
            solver.solve_or_spoil(y);
        }
    }
}
