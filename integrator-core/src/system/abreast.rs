use crate::lanes::Eight;
use crate::sparse::Sets;

/// Holonomic constraints in small independent sets (those of a rigid molecule each), eight sets side by side.
///
/// Everything is in the numbering of the [`Sets`](crate::sparse::Sets) for which the system made this.
pub trait Abreast: Send {
    /// g(q, t), written over `values`.
    fn values(&self, q: &[Eight], t: f64, values: &mut [Eight]);

    /// g(q, t) and G(q, t), written over both arguments.
    fn jacobian(&self, q: &[Eight], t: f64, values: &mut [Eight], jacobian: &mut [Eight]);

    /// Σ_c w_c Hess g_c of each set, **added** to lower triangles, column by column.
    fn add_weighted_hessian(&self, q: &[Eight], t: f64, weights: &[Eight], triangles: &mut [Eight]);
}

/// A penalty ½ ω² |g|² of small independent sets of equations, and the force of everything else.
pub struct PenaltyAbreast<'s> {
    pub(crate) stiffness: f64,
    pub(crate) sets: Sets,
    pub(crate) equations: Box<dyn Abreast>,
    /// The gradient of the potential without the penalty, written over its last argument.
    pub(crate) soft_gradient: SoftGradient<'s>,
}

/// ∇V₀ at (q, t), written over the last argument.
pub(crate) type SoftGradient<'s> = Box<dyn Fn(&[f64], f64, &mut [f64]) + Send + 's>;
