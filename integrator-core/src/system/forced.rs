use super::System;
use crate::sparse::RowPattern;

/// A system with generalized forces F(q, v, t) that no potential gives, such as drag:
/// d/dt ∂L/∂v − ∂L/∂q = F.
///
/// # Shapes
/// q, v, force: n.  Derivatives with respect to (q, v): n × 2n, in the order of their pattern.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no forces beside those of its Lagrangian",
    label = "no forces in `{Self}`",
    note = "declare them in a method marked #[force]"
)]
pub trait Forced: System {
    /// F(q, v, t), **added** to `force`.
    fn add_force(&self, q: &[f64], v: &[f64], t: f64, force: &mut [f64]);

    /// The pattern of the nonzero entries of ∂F/∂(q, v): column j is q_j, column n + j is v_j.
    fn force_pattern(&self) -> &RowPattern;

    /// F and ∂F/∂(q, v), **added** to both arguments.
    fn add_force_derivatives(&self, q: &[f64], v: &[f64], t: f64, force: &mut [f64], derivatives: &mut [f64]);
}
