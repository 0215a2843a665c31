use super::{Natural, System};
use crate::sparse::{RowMatrix, RowPattern, SymmetricPattern};

/// Holonomic constraints g(q, t) = 0 with m equations; G = ∂g/∂q is m × n.
///
/// The sign convention of the multipliers is M q̈ = −∇V + Gᵀ λ.
///
/// # Shapes
/// q, v, a: n. values, weights: m. jacobian: G by rows, in the order of [`Holonomic::jacobian_pattern`].
#[diagnostic::on_unimplemented(
    message = "this needs holonomic constraints, and `{Self}` has none",
    label = "`{Self}` has no constraints",
    note = "declare them in a method marked #[holonomic] that returns what must be zero"
)]
pub trait Holonomic: System {
    /// The number m of equations.
    fn constraints(&self) -> usize;

    /// The name of equation `row` in messages: method and index, such as `rods[3]`.
    fn constraint_name(&self, row: usize) -> String;

    /// Writes g(q, t) over `values`.
    fn constraint_values(&self, q: &[f64], t: f64, values: &mut [f64]);

    /// The pattern of the nonzero entries of G.
    fn jacobian_pattern(&self) -> &RowPattern;

    /// Writes g(q, t) and G(q, t) over both arguments.
    fn jacobian(&self, q: &[f64], t: f64, values: &mut [f64], jacobian: &mut [f64]);

    /// G(q, t) as a new matrix; [`Holonomic::jacobian`] allocates none.
    fn jacobian_matrix(&self, q: &[f64], t: f64) -> RowMatrix {
        let mut jacobian = RowMatrix::zero(self.jacobian_pattern().clone());
        self.jacobian(q, t, &mut vec![0.0; self.constraints()], &mut jacobian.values);
        jacobian
    }

    /// True if g depends on the time; false only where it never does.
    fn constraints_move(&self) -> bool {
        true
    }

    /// Writes ∂g/∂t at (q, t) over `rate`; zero for constraints without time.
    fn constraint_rate(&self, q: &[f64], t: f64, rate: &mut [f64]);

    /// Writes d²g/dt² at zero acceleration,
    /// vᵀ Hess g_c v + 2 ∂ₜ∇g_c·v + ∂ₜₜ g_c for each c, over `curvature`.
    fn constraint_curvature(&self, q: &[f64], v: &[f64], t: f64, curvature: &mut [f64]);

    /// Writes aᵀ Hess g_c a for each c over `quadratic`.
    fn constraint_quadratic(&self, q: &[f64], t: f64, a: &[f64], quadratic: &mut [f64]);

    /// The pattern of the nonzero entries of Σ w_c Hess g_c.
    fn weighted_pattern(&self) -> &SymmetricPattern;

    /// Writes the lower triangle of Σ_c w_c Hess g_c over `hessian`.
    fn weighted_hessian(&self, q: &[f64], t: f64, weights: &[f64], hessian: &mut [f64]);

    /// Σ_c w_c Hess g_c · a, **added** to `product`.
    fn add_weighted_product(&self, q: &[f64], t: f64, weights: &[f64], a: &[f64], product: &mut [f64]);

    /// Σ_c w_c (a·g_c‴·a), **added** to `contraction`.
    fn add_weighted_third(&self, q: &[f64], t: f64, weights: &[f64], a: &[f64], contraction: &mut [f64]);

    /// Σ_c w_c g_c⁗[a, a, d], **added** to `rate`; NaN unless known.
    #[doc(hidden)]
    fn add_weighted_third_rate(
        &self,
        q: &[f64],
        t: f64,
        weights: &[f64],
        along: (&[f64], &[f64]),
        rate: &mut [f64],
    ) {
        let _ = (q, t, weights, along);
        rate.fill(f64::NAN);
    }

    /// Writes g_c‴[a, a, d] for each c over `rate`; NaN unless known.
    #[doc(hidden)]
    fn constraint_quadratic_rate(&self, q: &[f64], t: f64, along: (&[f64], &[f64]), rate: &mut [f64]) {
        let _ = (q, t, along);
        rate.fill(f64::NAN);
    }
}

/// A natural system with holonomic constraints, for SHAKE, RATTLE and penalties.
#[diagnostic::on_unimplemented(
    message = "this method needs a natural system with holonomic constraints, which `{Self}` does not offer",
    label = "`{Self}` cannot be used with this method"
)]
pub trait Constrained: Natural + Holonomic {}

// Not `do_not_recommend`: rustc must report the innermost requirement, which names the reason.
impl<S: Natural + Holonomic + ?Sized> Constrained for S {}
