use super::Evaluations;
use super::kick_drift_kick::ForceError;
use crate::error::StartError;
use crate::sparse::{PatternSum, SymmetricSolver};
use crate::system::Natural;

/// (M + c Hess V(x)) a = −∇V(x) with c = β h²: the linear system that Z&S and Z&Ss solve in every step.
#[derive(Debug)]
pub(super) struct LinearlyImplicit {
    /// c = β h².
    pub(super) shift: f64,
    sum: PatternSum,
    hessian: Vec<f64>,
    solver: SymmetricSolver,
}

impl LinearlyImplicit {
    const MATRIX: &'static str = "M + β h² Hess V";

    /// Chooses the solver by the pattern of M + Hess V.
    pub(super) fn new<S: Natural + ?Sized>(
        system: &S,
        method: &'static str,
        beta: f64,
        step: f64,
    ) -> Result<Self, StartError> {
        if !(beta >= 0.0 && beta.is_finite()) {
            return Err(StartError::OptionOutOfRange {
                method,
                option: "beta",
                value: beta,
                interval: "[0, ∞)",
            });
        }
        let sum = PatternSum::new(&system.mass().pattern, system.potential_pattern());
        Ok(Self {
            shift: beta * step * step,
            hessian: vec![0.0; system.potential_pattern().len()],
            solver: SymmetricSolver::analyse(sum.pattern()),
            sum,
        })
    }

    /// a(x), written over `a`.
    pub(super) fn solve<S: Natural + ?Sized>(
        &mut self,
        system: &S,
        q: &[f64],
        t: f64,
        a: &mut [f64],
        counts: &mut Evaluations,
    ) -> Result<(), ForceError> {
        system.potential_second(q, t, a, &mut self.hessian);
        counts.gradients += 1;
        counts.hessians += 1;
        counts.factorizations += 1;
        self.solver
            .factor_with(|matrix| self.sum.combine(&system.mass().values, self.shift, &self.hessian, matrix))
            .map_err(|error| ForceError::Singular { matrix: Self::MATRIX, error })?;
        for entry in a.iter_mut() {
            *entry = -*entry;
        }
        self.solver.solve(a).map_err(|error| ForceError::Unsolved { matrix: Self::MATRIX, error })
    }
}
