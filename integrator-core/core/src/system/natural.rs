use super::{Constrained, Elements, System};
use crate::sparse::{SymmetricMatrix, SymmetricPattern};
use nalgebra::DVector;

/// A natural system: L = ½ vᵀ M v − V(q, t) with constant symmetric M,
/// positive definite, or semidefinite if constraints hold all coordinates without mass.
///
/// M q̈ = −∇V(q, t) + F(q, v, t), with other forces F if the system [announces](System::forced) them. A
/// method takes them or refuses them: see [`Unforced`].
///
/// # Shapes
/// q, a, gradient: n. Sparse symmetric matrices: the lower triangle in the order of their pattern. For
/// a q, v or a of another length a bound model gives NaN. Slices for results must have their lengths.
#[diagnostic::on_unimplemented(
    message = "this method needs L = ½ v·M v − V(q, t) with a constant mass M, which `{Self}` does not offer",
    label = "`{Self}` cannot be used with this method",
    note = "bind a model declared with #[lagrangian], or implement `Natural` by hand"
)]
pub trait Natural: System {
    /// The mass matrix M.
    fn mass(&self) -> &SymmetricMatrix;

    /// V(q, t).
    fn potential(&self, q: &[f64], t: f64) -> f64;

    /// ∂V/∂t at (q, t): zero for a potential without time.
    fn potential_rate(&self, q: &[f64], t: f64) -> f64;

    /// Writes ∇V(q, t) over `gradient`.
    fn potential_gradient(&self, q: &[f64], t: f64, gradient: &mut [f64]);

    /// The pattern of the nonzero entries of Hess V: one for all q and t.
    fn potential_pattern(&self) -> &SymmetricPattern;

    /// Writes ∇V and the lower triangle of Hess V at (q, t) over both arguments.
    fn potential_second(&self, q: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]);

    /// Writes Hess V(q, t) · a over `product`.
    fn potential_product(&self, q: &[f64], t: f64, a: &[f64], product: &mut [f64]);

    /// Writes a·V‴(q, t)·a = ∇(aᵀ Hess V a) with fixed a over `contraction`.
    fn potential_third(&self, q: &[f64], t: f64, a: &[f64], contraction: &mut [f64]);

    /// ∇V(q, t) as a new vector; [`Natural::potential_gradient`] allocates none.
    fn gradient(&self, q: &[f64], t: f64) -> DVector<f64> {
        let mut gradient = DVector::zeros(self.dimension());
        self.potential_gradient(q, t, gradient.as_mut_slice());
        gradient
    }

    /// Hess V(q, t) as a new matrix; [`Natural::potential_second`] allocates none.
    fn hessian(&self, q: &[f64], t: f64) -> SymmetricMatrix {
        let mut hessian = SymmetricMatrix::zero(self.potential_pattern().clone());
        self.potential_second(q, t, &mut vec![0.0; self.dimension()], &mut hessian.values);
        hessian
    }

    /// The potential element by element, if its elements are known.
    fn elements(&self) -> Option<&dyn Elements> {
        None
    }
}

/// A natural system for a method that knows the force of the potential only, M q̈ = −∇V(q, t).
///
/// The type of a declared model says whether it has other forces, so rustc can refuse it. Objects
/// such as `dyn Natural` and hand-written systems do not say it: the method refuses them at its start.
#[diagnostic::on_unimplemented(
    message = "this method knows only the forces that a potential gives, and `{Self}` does not promise that it has no others",
    label = "`{Self}` cannot be used with this method",
    note = "implement `Unforced` beside `Natural` for a system by hand without other forces"
)]
pub trait Unforced: Natural {}

impl Unforced for dyn Natural + '_ {}
impl Unforced for dyn Stiff + '_ {}
impl Unforced for dyn Constrained + '_ {}

/// A natural system with a stiff part: V = V₀ + V₁, where V₁ has the terms inside of `stiff(…)`, or the
/// penalty of a penalized constraint.
#[diagnostic::on_unimplemented(
    message = "this method needs a stiff part of the potential, and `{Self}` marks none",
    label = "no stiff part in `{Self}`",
    note = "enclose a term of the potential in `stiff(…)`, or penalize constraints with `Penalized`"
)]
pub trait Stiff: Natural {
    /// The pattern of the nonzero entries of Hess V₁.
    fn stiff_pattern(&self) -> &SymmetricPattern;

    /// Writes the lower triangle of Hess V₁ at (q, t) over `hessian`.
    fn stiff_hessian(&self, q: &[f64], t: f64, hessian: &mut [f64]);

    /// Writes a·V₁‴(q, t)·a over `contraction`.
    fn stiff_third(&self, q: &[f64], t: f64, a: &[f64], contraction: &mut [f64]);

    /// Writes ∇V of the whole potential and Hess V₁ at (q, t) over `gradient` and `hessian`;
    /// evaluates common terms once.
    fn stiff_second(&self, q: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        self.potential_gradient(q, t, gradient);
        self.stiff_hessian(q, t, hessian);
    }
}
