use super::applied::{Instant, subtract_from_gradient};
use super::force_error::ForceError;
use super::report::Evaluations;
use crate::binding::threads::each_entry;
use crate::error::StartError;
use crate::sparse::{Solver, SymmetricMatrix, reciprocals};
use crate::system::{Natural, System};

/// Solves M x = b for a constant mass matrix, factored once and checked in every solve.
#[derive(Debug)]
pub(super) enum MassSolver {
    /// The reciprocals of the diagonal.
    Diagonal(Vec<f64>),
    /// The factors of M.
    Sparse(Box<Solver>),
}

impl MassSolver {
    pub(super) const MATRIX: &'static str = "the mass matrix";

    pub(super) fn new(system: &(impl System + ?Sized), mass: &SymmetricMatrix) -> Result<Self, StartError> {
        let singular = |pivot: f64, index: usize| StartError::Singular {
            system: system.name().to_owned(),
            matrix: Self::MATRIX,
            pivot,
            place: system.layout().name_of(index),
        };
        if mass.is_diagonal() {
            return reciprocals(&mass.values)
                .map(Self::Diagonal)
                .map_err(|error| singular(error.pivot, error.index));
        }
        let mut solver = Solver::symmetric(&mass.pattern);
        solver.factor(&mass.values).map_err(|error| singular(error.pivot, error.index))?;
        Ok(Self::Sparse(Box::new(solver)))
    }

    /// Writes M⁻¹ (−∇V + F)(q, t) over `a`, for forces F that do not depend on velocities.
    pub(super) fn accelerate<S: Natural + ?Sized>(
        &mut self,
        system: &S,
        q: &[f64],
        at: Instant,
        a: &mut [f64],
        counts: &mut Evaluations,
    ) -> Result<(), ForceError> {
        system.potential_gradient(q, at.t, a);
        subtract_from_gradient(system, q, at, a);
        counts.gradients += 1;
        a.iter_mut().for_each(|entry| *entry = -*entry);
        self.apply(a)
    }

    /// x ← M⁻¹ x.
    #[inline]
    pub(super) fn apply(&mut self, x: &mut [f64]) -> Result<(), ForceError> {
        match self {
            Self::Diagonal(reciprocals) => {
                each_entry(x, [reciprocals], &|x, [reciprocal]| *x *= reciprocal);
                Ok(())
            }
            Self::Sparse(solver) => {
                solver.solve(x).map_err(|error| ForceError::Unsolved { matrix: Self::MATRIX, error })
            }
        }
    }
}
