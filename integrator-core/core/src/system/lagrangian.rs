use super::{System, ThroughSums};
use crate::sparse::{SymmetricMatrix, SymmetricPattern};

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

    /// The pattern of the nonzero second derivatives of L with respect to z (dimension 2n + 1), those with respect to
    /// (q, t) and (t, t) left out: they enter no equation of motion.
    fn second_pattern(&self) -> &SymmetricPattern;

    /// First and second derivatives of L with respect to z, the second in the order of the pattern, written over both
    /// arguments.
    fn second_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]);

    /// The mass M of a natural system, L = ½ vᵀ M v − V(q, t) with M constant, where the system knows that it is one: its
    /// accelerations need no second derivative then.
    fn natural_mass(&self) -> Option<&SymmetricMatrix> {
        None
    }

    /// L with its second derivatives by the sums that it reads, where it knows of any.
    fn through_sums(&self) -> Option<&dyn ThroughSums> {
        None
    }

    /// The mass matrix ∂²L/∂v∂v at (q, v, t), which may depend on all of them, as a matrix of its own.
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
