use super::applied::{Instant, subtract_from_gradient};
use super::force_error::{Attempt, CONSTANT_MASS, ForceError};
use super::report::Evaluations;
use crate::binding::threads::each_entry;
use crate::error::{Begun, StartError};
use crate::method::force_error::no_factors;
use crate::sparse::{FactorError, Solver, SymmetricMatrix, reciprocals};
use crate::system::{Natural, System};

/// The error of a mass without an inverse: none, or an indefinite one.
#[cold]
pub(super) fn no_inverse(system: &(impl System + ?Sized), error: FactorError) -> StartError {
    let FactorError { pivot, index } = error;
    if pivot >= 0.0 {
        let (system, place) = (system.name().to_owned(), system.layout().name_of(index));
        return StartError::Massless { system, place, pivot };
    }
    no_factors(system, MassSolver::MATRIX, (pivot, index))
}

/// Solves M x = b for a constant mass matrix, factored once and checked in every solve.
#[derive(Debug)]
pub(super) enum MassSolver {
    /// The reciprocals of the diagonal.
    Diagonal(Vec<f64>),
    /// The factors of M.
    Sparse(Box<Solver>),
}

impl MassSolver {
    pub(super) const MATRIX: &'static str = CONSTANT_MASS;

    pub(super) fn new(system: &(impl System + ?Sized), mass: &SymmetricMatrix) -> Begun<Self> {
        if mass.is_diagonal() {
            return reciprocals(&mass.values).map(Self::Diagonal).map_err(|error| no_inverse(system, error));
        }
        let mut solver = Solver::symmetric(&mass.pattern);
        solver.factor(&mass.values).map_err(|error| no_inverse(system, error))?;
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
    ) -> Attempt {
        system.potential_gradient(q, at.t, a);
        subtract_from_gradient(system, q, at, a);
        counts.gradients += 1;
        a.iter_mut().for_each(|entry| *entry = -*entry);
        self.apply(a)
    }

    /// x ← M⁻¹ x.
    #[inline]
    pub(super) fn apply(&mut self, x: &mut [f64]) -> Attempt {
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
