//! The second derivatives of ½ vᵀ M v − V, and memory for the Hessian of V.

use crate::scratch::Scratch;
use crate::sparse::SymmetricPattern;
use crate::system::NaturalSecond;

/// The places of the second derivatives, and memory for the Hessian of the potential.
#[derive(Debug)]
pub(super) struct AddedSecond {
    pub(super) layout: NaturalSecond,
    pub(super) hessian: Scratch<Vec<f64>>,
}

impl AddedSecond {
    /// For a mass matrix and a Hessian of these patterns.
    pub(super) fn new(mass: &SymmetricPattern, potential: &SymmetricPattern) -> Self {
        let entries = potential.len();
        Self {
            layout: NaturalSecond::new(mass, potential, std::iter::empty()),
            hessian: Scratch::new(move || vec![0.0; entries]),
        }
    }
}
