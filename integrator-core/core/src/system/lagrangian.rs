use super::{System, ThroughSums};
use crate::sparse::{SymmetricMatrix, SymmetricPattern};

/// A system with a regular Lagrangian L(q, v, t): ∂²L/∂v∂v is invertible.
///
/// Derivatives are with respect to z = (q, v, t), of length 2n + 1: index i is qᵢ,
/// n + i is vᵢ, 2n is t. The Euler–Lagrange equations are L_vv a = L_q − L_vq v − L_vt.
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

    /// Writes ∂L/∂(q, v, t) over `gradient` (length 2n + 1).
    fn first_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64]);

    /// The pattern of the nonzero second derivatives of L by z (dimension 2n + 1),
    /// without (q, t) and (t, t), which enter no equation of motion.
    fn second_pattern(&self) -> &SymmetricPattern;

    /// Writes the first and second derivatives of L by z over both arguments,
    /// the second in the order of the pattern.
    fn second_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]);

    /// The mass M of a natural system L = ½ vᵀ M v − V(q, t) with constant M,
    /// if the system is known to be one: its accelerations need no second derivatives.
    fn natural_mass(&self) -> Option<&SymmetricMatrix> {
        None
    }

    /// L with second derivatives by its sums, if it has any.
    fn through_sums(&self) -> Option<&dyn ThroughSums> {
        None
    }

    /// The mass matrix ∂²L/∂v∂v at (q, v, t) as a new matrix.
    fn mass_matrix(&self, q: &[f64], v: &[f64], t: f64) -> SymmetricMatrix {
        let n = self.dimension();
        let pattern = self.second_pattern();
        let mut values = vec![0.0; pattern.len()];
        self.second_derivatives(q, v, t, &mut vec![0.0; 2 * n + 1], &mut values);
        let of_velocities =
            |((row, column), value)| (column >= n && row < 2 * n).then(|| (row - n, column - n, value));
        let entries: Vec<_> = pattern.entries().zip(values).filter_map(of_velocities).collect();
        SymmetricMatrix::of_entries(n, &entries)
    }
}
