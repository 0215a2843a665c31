use super::System;
use crate::sparse::RowPattern;

/// Nonholonomic constraints c(q, v, t) = A(q, t) v + b(q, t) = 0 with r equations,
/// such as rolling without sliding.
///
/// They act by forces Aᵀ μ, which do no work along velocities with A δq = 0 (Lagrange and d'Alembert):
/// d/dt ∂L/∂v − ∂L/∂q = F + Aᵀ μ, beside the Gᵀ λ of [`Holonomic`](super::Holonomic) constraints.
///
/// # Shapes
/// q, v: n. values, rate: r. derivatives: ∂c/∂(q, v) by rows, in the order of
/// [`Nonholonomic::nonholonomic_pattern`].
#[diagnostic::on_unimplemented(
    message = "this needs nonholonomic constraints, and `{Self}` has none",
    label = "`{Self}` has no constraints of velocities",
    note = "declare them in a method marked #[nonholonomic] that returns what must be zero"
)]
pub trait Nonholonomic: System {
    /// The number r of equations.
    fn nonholonomic_rows(&self) -> usize;

    /// The name of equation `row` in messages: method and index, such as `wheels[1]`.
    fn nonholonomic_name(&self, row: usize) -> String;

    /// The pattern of the nonzero entries of ∂c/∂(q, v), r × 2n: column j is q_j, column n + j is v_j.
    fn nonholonomic_pattern(&self) -> &RowPattern;

    /// Writes c(q, v, t) over `values`.
    fn nonholonomic_values(&self, q: &[f64], v: &[f64], t: f64, values: &mut [f64]);

    /// Writes c and ∂c/∂(q, v) at (q, v, t) over both arguments. ∂c/∂v is A, which does not depend on v.
    fn nonholonomic_derivatives(
        &self,
        q: &[f64],
        v: &[f64],
        t: f64,
        values: &mut [f64],
        derivatives: &mut [f64],
    );

    /// Writes ∂c/∂t at (q, v, t) over `rate`.
    fn nonholonomic_time_derivative(&self, q: &[f64], v: &[f64], t: f64, rate: &mut [f64]);
}
