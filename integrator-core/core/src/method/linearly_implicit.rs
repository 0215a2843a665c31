use super::applied::{Instant, subtract_from_gradient};
use super::check::check_beta;
use super::force_error::ForceError;
use super::report::Evaluations;
use crate::carried::carried;
use crate::error::StartError;
use crate::sparse::{PatternSum, Solver, SymmetricMatrix, SymmetricPattern};
use crate::system::{Natural, Stiff};

/// (M + c Hess V(x)) a = −∇V(x) + F(x) with c = β h²: the linear system of linearly implicit methods.
#[derive(Debug)]
pub(super) struct LinearlyImplicit {
    matrix: &'static str,
    beta: f64,
    /// c = β h².
    pub(super) shift: f64,
    sum: PatternSum,
    hessian: Vec<f64>,
    solver: Solver,
}

impl LinearlyImplicit {
    /// The matrix of the whole potential; the solver is chosen by the pattern of M + Hess V.
    pub(super) fn new<S: Natural + ?Sized>(
        system: &S,
        method: &'static str,
        beta: f64,
        step: f64,
    ) -> Result<Self, StartError> {
        system.affords_second_derivatives()?;
        Self::with("M + β h² Hess V", system.mass(), system.potential_pattern(), method, beta, step)
    }

    /// The matrix of the stiff part alone, M + c Hess V₁.
    pub(super) fn stiff<S: Stiff + ?Sized>(
        system: &S,
        method: &'static str,
        beta: f64,
        step: f64,
    ) -> Result<Self, StartError> {
        system.affords_second_derivatives()?;
        Self::with("M + β h² Hess V₁", system.mass(), system.stiff_pattern(), method, beta, step)
    }

    fn with(
        matrix: &'static str,
        mass: &SymmetricMatrix,
        pattern: &SymmetricPattern,
        method: &'static str,
        beta: f64,
        step: f64,
    ) -> Result<Self, StartError> {
        check_beta(method, beta)?;
        let sum = PatternSum::new(&mass.pattern, pattern);
        Ok(Self {
            matrix,
            beta,
            shift: beta * step * step,
            hessian: vec![0.0; pattern.len()],
            solver: Solver::symmetric(sum.pattern()),
            sum,
        })
    }

    /// Makes c that of steps of this size, and says whether it changed.
    pub(super) fn resize(&mut self, step: f64) -> bool {
        let shift = self.beta * step * step;
        let changed = self.shift.to_bits() != shift.to_bits();
        self.shift = shift;
        changed
    }

    /// a(x), written over `a`.
    pub(super) fn solve<S: Natural + ?Sized>(
        &mut self,
        system: &S,
        q: &[f64],
        at: Instant,
        a: &mut [f64],
        counts: &mut Evaluations,
    ) -> Result<(), ForceError> {
        self.factor(system, q, at, a, counts)?;
        self.answer(a)
    }

    /// Factors M + c Hess V(x), and leaves ∇V(x) − F(x) in `gradient`.
    pub(super) fn factor<S: Natural + ?Sized>(
        &mut self,
        system: &S,
        q: &[f64],
        at: Instant,
        gradient: &mut [f64],
        counts: &mut Evaluations,
    ) -> Result<(), ForceError> {
        system.potential_second(q, at.t, gradient, &mut self.hessian);
        subtract_from_gradient(system, q, at, gradient);
        self.eliminate(system.mass(), counts)
    }

    /// (M + c Hess V₁(x))⁻¹ (−∇V(x) + F(x)), written over `a`: for [`LinearlyImplicit::stiff`].
    pub(super) fn solve_stiff<S: Stiff + ?Sized>(
        &mut self,
        system: &S,
        q: &[f64],
        at: Instant,
        a: &mut [f64],
        counts: &mut Evaluations,
    ) -> Result<(), ForceError> {
        self.factor_stiff(system, q, at, a, counts)?;
        self.answer(a)
    }

    /// Factors M + c Hess V₁(x), and leaves ∇V(x) − F(x) in `gradient`: for [`LinearlyImplicit::stiff`].
    pub(super) fn factor_stiff<S: Stiff + ?Sized>(
        &mut self,
        system: &S,
        q: &[f64],
        at: Instant,
        gradient: &mut [f64],
        counts: &mut Evaluations,
    ) -> Result<(), ForceError> {
        system.stiff_second(q, at.t, gradient, &mut self.hessian);
        subtract_from_gradient(system, q, at, gradient);
        self.eliminate(system.mass(), counts)
    }

    /// The matrix factored last.
    pub(super) fn matrix(&self, mass: &SymmetricMatrix) -> SymmetricMatrix {
        let pattern = self.sum.pattern().clone();
        let mut values = vec![0.0; pattern.len()];
        self.sum.combine(&mass.values, self.shift, &self.hessian, &mut values);
        SymmetricMatrix { pattern, values }
    }

    fn eliminate(&mut self, mass: &SymmetricMatrix, counts: &mut Evaluations) -> Result<(), ForceError> {
        counts.gradients += 1;
        counts.hessians += 1;
        counts.factorizations += 1;
        let (sum, hessian, shift) = (&self.sum, &self.hessian, self.shift);
        self.solver
            .factor_with(|matrix| sum.combine(&mass.values, shift, hessian, matrix))
            .map_err(|error| ForceError::Singular { matrix: self.matrix, error })
    }

    /// a ← −(M + c Hess V)⁻¹ a, with the matrix factored last: the acceleration, where a holds ∇V − F.
    fn answer(&mut self, a: &mut [f64]) -> Result<(), ForceError> {
        for entry in a.iter_mut() {
            *entry = -*entry;
        }
        self.apply(a)
    }

    /// x ← (M + c Hess V)⁻¹ x, with the matrix factored last.
    pub(super) fn apply(&mut self, x: &mut [f64]) -> Result<(), ForceError> {
        self.solver.solve(x).map_err(|error| ForceError::Unsolved { matrix: self.matrix, error })
    }
}

carried!([] LinearlyImplicit { shift } besides { matrix, beta, sum, hessian, solver });
