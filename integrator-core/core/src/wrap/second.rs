//! The Lagrangian ½ vᵀ M v − V of a natural wrapper, and its derivatives in (q, v, t).

use crate::scratch::Scratch;
use crate::system::{Natural, NaturalSecond};

/// The places of the second derivatives, and memory for the Hessian of the potential.
#[derive(Debug)]
pub(crate) struct AddedSecond {
    pub(crate) layout: NaturalSecond,
    pub(crate) hessian: Scratch<Vec<f64>>,
}

impl AddedSecond {
    /// For the mass matrix and the Hessian of a system.
    pub(crate) fn of<S: Natural + ?Sized>(system: &S) -> Self {
        let potential = system.potential_pattern();
        let entries = potential.len();
        Self {
            layout: NaturalSecond::new(&system.mass().pattern, potential, std::iter::empty()),
            hessian: Scratch::new(move || vec![0.0; entries]),
        }
    }
}

/// Implements [`Lagrangian`](crate::system::Lagrangian) for a [`Natural`] wrapper with a field
/// `second: OnceLock<AddedSecond>`.
macro_rules! natural_lagrangian {
    ([$($generics:tt)*] $type:ty) => {
        impl<$($generics)*> $type {
            fn second(&self) -> &$crate::wrap::AddedSecond {
                self.second.get_or_init(|| $crate::wrap::AddedSecond::of(self))
            }
        }

        impl<$($generics)*> $crate::system::Lagrangian for $type {
            fn lagrangian(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
                0.5 * self.mass().quadratic(v) - self.potential(q, t)
            }

            fn energy(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
                0.5 * self.mass().quadratic(v) + self.potential(q, t)
            }

            fn first_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64]) {
                let (of_positions, rest) = gradient.split_at_mut(q.len());
                self.potential_gradient(q, t, of_positions);
                $crate::system::finish_gradient(self, q, v, t, of_positions, rest);
            }

            fn second_pattern(&self) -> &$crate::sparse::SymmetricPattern {
                &self.second().layout.pattern
            }

            fn second_derivatives(
                &self,
                q: &[f64],
                v: &[f64],
                t: f64,
                gradient: &mut [f64],
                hessian: &mut [f64],
            ) {
                let second = self.second();
                let (of_positions, rest) = gradient.split_at_mut(q.len());
                second.hessian.with(|potential| {
                    self.potential_second(q, t, of_positions, potential);
                    second.layout.fill(&self.mass().values, potential, hessian);
                });
                $crate::system::finish_gradient(self, q, v, t, of_positions, rest);
            }

            fn natural_mass(&self) -> Option<&$crate::sparse::SymmetricMatrix> {
                Some(self.mass())
            }
        }
    };
}

pub(crate) use natural_lagrangian;
