use super::Evaluations;
use super::check::check_beta;
use super::force_error::ForceError;
use crate::error::StartError;
use crate::sparse::SetsSolver;
use crate::system::Stiff;
use crate::wrap::PenaltyAbreast;

/// (M + c Hess V₁(x)) a = −∇V(x) with c = β h², where V₁ is a penalty of small independent sets of equations.
#[derive(Debug)]
pub(super) struct ImplicitPenalty<'s> {
    beta: f64,
    shift: f64,
    penalty: PenaltyAbreast<'s>,
    solver: SetsSolver,
}

/// The matrix, for messages.
const MATRIX: &str = "M + β h² Hess V₁";

impl<'s> ImplicitPenalty<'s> {
    /// `None` where the system is not of that form.
    pub(super) fn new<S: Stiff + ?Sized>(
        system: &'s S,
        method: &'static str,
        beta: f64,
        step: f64,
    ) -> Result<Option<Self>, StartError> {
        check_beta(method, beta)?;
        let Some(penalty) = system.penalty_abreast() else { return Ok(None) };
        let solver = SetsSolver::new(penalty.sets(), &system.mass().values);
        Ok(solver.map(|solver| Self { beta, shift: beta * step * step, penalty, solver }))
    }

    /// Makes c that of steps of this size, and says whether it changed.
    pub(super) fn resize(&mut self, step: f64) -> bool {
        let shift = self.beta * step * step;
        let changed = self.shift.to_bits() != shift.to_bits();
        self.shift = shift;
        changed
    }

    /// a(x), written over `a`.
    pub(super) fn solve(
        &mut self,
        q: &[f64],
        t: f64,
        a: &mut [f64],
        counts: &mut Evaluations,
    ) -> Result<(), ForceError> {
        counts.gradients += 1;
        counts.hessians += 1;
        counts.factorizations += 1;
        let Self { shift, penalty, solver, .. } = self;
        penalty.gradient(q, t, a);
        solver
            .factor_with(|triangles| penalty.matrices(*shift, triangles))
            .map_err(|error| ForceError::Singular { matrix: MATRIX, error })?;
        for entry in a.iter_mut() {
            *entry = -*entry;
        }
        solver.solve(a).map_err(|error| ForceError::Unsolved { matrix: MATRIX, error })
    }
}
