//! The operators that all engines of natural systems share: M, M⁻¹, and Hess V over x = (q, θ).

use super::program::{Line, Operator, P, V, set};
use crate::error::StartError;
use crate::method::mass_solver::MassSolver;
use crate::system::Natural;

/// M⁻¹.
pub(in crate::method) const INVERSE_MASS: Operator = 0;
/// M.
pub(in crate::method) const MASS: Operator = 1;
/// The first operator of an engine's own.
pub(in crate::method) const OWN: Operator = 2;

/// v = M⁻¹ p.
pub(in crate::method) const VELOCITY: [Line; 1] = [set(V, INVERSE_MASS, P)];
/// p = M v.
pub(in crate::method) const MOMENTUM: [Line; 1] = [set(P, MASS, V)];

/// A natural system with the memory of products.
pub(in crate::method) struct Extended<'s, S: ?Sized> {
    pub(in crate::method) system: &'s S,
    mass: MassSolver,
    /// A direction and a product over x.
    direction: Vec<f64>,
    product: Vec<f64>,
}

impl<'s, S: Natural + ?Sized> Extended<'s, S> {
    pub(in crate::method) fn new(system: &'s S) -> Result<Self, StartError> {
        let zeros = || vec![0.0; system.dimension()];
        let mass = MassSolver::new(system, system.mass())?;
        Ok(Self { system, mass, direction: zeros(), product: zeros() })
    }

    /// The degrees of freedom, and the parameters.
    pub(in crate::method) fn dimension(&self) -> [usize; 2] {
        [self.system.dimension(), 0]
    }

    /// Writes M⁻¹ x or M x over `y`.
    pub(in crate::method) fn apply(&mut self, by: Operator, x: &[f64], y: &mut [f64]) {
        match by {
            INVERSE_MASS => {
                y.copy_from_slice(x);
                if self.mass.apply(y).is_err() {
                    y.fill(f64::NAN);
                }
            }
            _ => self.system.mass().multiply(x, y),
        }
    }

    /// Writes the product of a symmetric matrix over x with a direction over `y`, which `product` gives:
    /// the direction and the result have the lengths of a and y, the part of q or all of x.
    pub(in crate::method) fn symmetric(
        &mut self,
        a: &[f64],
        y: &mut [f64],
        product: impl FnOnce(&S, &[f64], &mut [f64]),
    ) {
        let Self { system, direction, product: result, .. } = self;
        direction.fill(0.0);
        direction[..a.len()].copy_from_slice(a);
        product(system, direction, result);
        y.copy_from_slice(&result[..y.len()]);
    }

    /// Writes −Hess V a over `y`.
    pub(in crate::method) fn stiffness(&mut self, (q, t): (&[f64], f64), a: &[f64], y: &mut [f64]) {
        self.symmetric(a, y, |system, a, product| system.potential_product(q, t, a, product));
        y.iter_mut().for_each(|entry| *entry = -*entry);
    }
}
