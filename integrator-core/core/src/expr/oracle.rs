//! A declaration on dual numbers: slow, simple, and independent of the kernels' compiler.

use super::Number;
use num_dual::Dual;

/// A declaration that can be evaluated on dual numbers. `#[lagrangian]` implements it.
///
/// q and v have length n, in the order of the layout; missing entries are NaN. Array lengths and indices
/// are the model's: evaluate only models that can be bound.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a declared model",
    label = "not a model",
    note = "declare it with #[lagrangian], and evaluate the model itself rather than what it was bound to"
)]
pub trait Oracle {
    /// L(q, v, t).
    fn lagrangian_dual<T: Number>(&self, q: &[T], v: &[T], t: T) -> T;

    /// The part V₁(q, t) of the potential inside of `stiff(…)`; zero without marks.
    fn stiff_dual<T: Number>(&self, q: &[T], t: T) -> T;

    /// g(q, t) of all constraints, in the order of the declaration.
    fn constraints_dual<T: Number>(&self, q: &[T], t: T) -> Vec<T>;

    /// c(q, v, t) of all constraints on velocities, in the order of the declaration.
    fn nonholonomic_dual<T: Number>(&self, q: &[T], v: &[T], t: T) -> Vec<T> {
        let _ = (q, v, t);
        Vec::new()
    }

    /// D(q, v, t), the sum of all `#[dissipation]` methods.
    fn dissipation_dual<T: Number>(&self, q: &[T], v: &[T], t: T) -> T {
        let _ = (q, v, t);
        T::zero()
    }

    /// F(q, v, t), the forces of all `#[force]` methods, of length n.
    fn forces_dual<T: Number>(&self, q: &[T], v: &[T], t: T) -> Vec<T> {
        let _ = (v, t);
        vec![T::zero(); q.len()]
    }
}

/// The part of the potential inside of `stiff(…)`, from a Lagrangian in which it has the factor μ:
/// −∂L/∂μ at rest and at μ = 1. Generated code calls it.
#[doc(hidden)]
pub fn marked_part<T: Number>(
    q: &[T],
    t: T,
    lagrangian: impl FnOnce(&[Dual<T>], &[Dual<T>], Dual<T>, Dual<T>) -> Dual<T>,
) -> T {
    let still: Vec<_> = q.iter().map(|&q| Dual::from_re(q)).collect();
    let rest = vec![Dual::from_re(T::zero()); q.len()];
    -lagrangian(&still, &rest, Dual::from_re(t), Dual::new(T::one(), T::one())).eps
}
