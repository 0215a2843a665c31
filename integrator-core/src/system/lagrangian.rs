use super::System;
use crate::sparse::SymmetricPattern;

/// Any system with a Lagrangian L(q, v, t) that is regular: ∂²L/∂v∂v is invertible.
///
/// The derivatives are those with respect to z = (q, v, t), of length 2n + 1: index i is qᵢ, n + i is vᵢ, 2n is t.
/// The Euler–Lagrange equations read  L_vv a = L_q − L_vq v − L_vt.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a mechanical system with a Lagrangian",
    label = "not a system",
    note = "bind a model declared with #[lagrangian]: `let system = model.bind()?;`"
)]
pub trait Lagrangian: System {
    /// L(q, v, t).
    fn lagrangian(&self, q: &[f64], v: &[f64], t: f64) -> f64;

    /// The energy v·∂L/∂v − L.
    fn energy(&self, q: &[f64], v: &[f64], t: f64) -> f64;

    /// ∂L/∂(q, v, t), written over `gradient` (length 2n + 1).
    fn first_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64]);

    /// Where the second derivatives of L with respect to z can be nonzero (dimension 2n + 1), those with respect to
    /// (q, t) and (t, t) left out: they enter no equation of motion.
    fn second_pattern(&self) -> &SymmetricPattern;

    /// First and second derivatives of L with respect to z, the second in the order of the pattern, written over both
    /// arguments.
    fn second_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]);
}
