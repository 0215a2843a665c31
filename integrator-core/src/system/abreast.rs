use crate::lanes::Eight;

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
