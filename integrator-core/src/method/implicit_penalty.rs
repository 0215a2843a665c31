use super::Evaluations;
use super::check::check_beta;
use super::force_error::ForceError;
use crate::error::StartError;
use crate::lanes::Eight;
use crate::sparse::{PenaltySets, SetsSolver};
use crate::system::{Abreast, PenaltyAbreast, SoftGradient, Stiff};
use std::fmt;

/// (M + c Hess V₁(x)) a = −∇V(x) with c = β h², where V₁ is a penalty ½ ω² |g|² of small independent sets of equations.
///
/// Each set has a small dense matrix of its own. What makes them, and they themselves, stand eight sets side by side from the
/// evaluation of g to the solution.
pub(super) struct ImplicitPenalty<'s> {
    beta: f64,
    shift: f64,
    stiffness: f64,
    soft_gradient: SoftGradient<'s>,
    equations: Box<dyn Abreast>,
    penalty: PenaltySets,
    solver: SetsSolver,
    positions: Vec<Eight>,
    values: Vec<Eight>,
    jacobian: Vec<Eight>,
    /// ω² g, and c ω² g.
    forces: Vec<Eight>,
    weights: Vec<Eight>,
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
        let mass = system.mass();
        let Some(PenaltyAbreast { stiffness, sets, equations, soft_gradient }) =
            system.penalty_abreast().filter(|_| mass.is_diagonal())
        else {
            return Ok(None);
        };
        let solver = SetsSolver::new(&sets, &mass.values);
        Ok(solver.map(|solver| Self {
            beta,
            shift: beta * step * step,
            stiffness,
            soft_gradient,
            equations,
            solver,
            positions: sets.zero_columns(),
            values: sets.zero_rows(),
            jacobian: sets.zero_cells(),
            forces: sets.zero_rows(),
            weights: sets.zero_rows(),
            penalty: PenaltySets::new(sets, &mass.values),
        }))
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
        let Self {
            shift, stiffness, equations, penalty, positions, values, jacobian, forces, weights, ..
        } = self;
        (self.soft_gradient)(q, t, a);
        penalty.sets().gather_columns(q, positions);
        equations.jacobian(positions, t, values, jacobian);
        let scale = *shift * *stiffness;
        for ((value, force), weight) in values.iter().zip(&mut *forces).zip(&mut *weights) {
            *force = value.scaled(*stiffness);
            *weight = value.scaled(scale);
        }
        penalty.add_force(jacobian, forces, a);
        let matrix = |triangles: &mut [Eight]| {
            penalty.multiply(jacobian, scale, triangles);
            equations.add_weighted_hessian(positions, t, weights, triangles);
        };
        self.solver.factor_with(matrix).map_err(|error| ForceError::Singular { matrix: MATRIX, error })?;
        for entry in a.iter_mut() {
            *entry = -*entry;
        }
        self.solver.solve(a).map_err(|error| ForceError::Unsolved { matrix: MATRIX, error })
    }
}

impl fmt::Debug for ImplicitPenalty<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { beta, shift, stiffness, .. } = self;
        let mut fields = formatter.debug_struct("ImplicitPenalty");
        fields.field("beta", beta).field("shift", shift).field("stiffness", stiffness).finish_non_exhaustive()
    }
}
