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
    /// # Errors
    /// The mass is singular, or there are forces, whose derivatives are not among the operators.
    pub(in crate::method) fn new(system: &'s S, method: &'static str) -> Result<Self, StartError> {
        if system.forced().is_some() {
            return Err(StartError::NoDerivative {
                method,
                system: system.name().to_owned(),
                reason: "forces beside its Lagrangian",
                remedy: "take `verlet`, `rattle` or a variational integrator",
            });
        }
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

    /// Writes V‴[f, a] over `y`: a quarter of the difference of third contractions with f ± a, of one
    /// size so that both keep their digits.
    pub(in crate::method) fn third(&mut self, (q, t): (&[f64], f64), f: &[f64], a: &[f64], y: &mut [f64]) {
        let largest = |x: &[f64]| x.iter().fold(0.0, |most: f64, entry| most.max(entry.abs()));
        let (size, other) = (largest(f), largest(a));
        y.fill(0.0);
        if size == 0.0 || other == 0.0 {
            return;
        }
        let Self { system, direction, product, .. } = self;
        for side in [1.0, -1.0] {
            direction.copy_from_slice(f);
            let scale = side * size / other;
            direction.iter_mut().zip(a).for_each(|(entry, a)| *entry += scale * a);
            system.potential_third(q, t, direction, product);
            y.iter_mut().zip(&*product).for_each(|(y, third)| *y += 0.25 / scale * third);
        }
    }

    /// Writes −Hess V a over `y`.
    pub(in crate::method) fn stiffness(&mut self, (q, t): (&[f64], f64), a: &[f64], y: &mut [f64]) {
        self.symmetric(a, y, |system, a, product| system.potential_product(q, t, a, product));
        y.iter_mut().for_each(|entry| *entry = -*entry);
    }
}
