//! Symmetries and their conserved quantities.

#[doc(hidden)]
pub use crate::system::symmetry::{Action, CoordinateMotion};
pub use crate::system::symmetry::{Certainty, ConservedQuantity, Motion};
use crate::system::{Lagrangian, System};

impl ConservedQuantity {
    /// J(q, v, t); `gradient` is memory of length 2n + 1 and is overwritten.
    ///
    /// # Shapes
    /// q, v: n. With a `gradient` of another length the result is NaN.
    pub fn value<S: Lagrangian + ?Sized>(
        &self,
        system: &S,
        q: &[f64],
        v: &[f64],
        t: f64,
        gradient: &mut [f64],
    ) -> f64 {
        let n = system.dimension();
        let Motion::Space(parts) = &self.motion else { return system.energy(q, v, t) };
        if gradient.len() != 2 * n + 1 {
            return f64::NAN;
        }
        system.first_derivatives(q, v, t, gradient);
        let momenta = &gradient[n..2 * n];
        let layout = system.layout();
        parts.iter().map(|part| part.factor * part.moved(layout, q, |at, rate| momenta[at] * rate)).sum()
    }
}

/// The energy alone, if a system conserves or balances it:
/// an additional potential of positions keeps it.
pub(crate) fn energy_alone(quantities: &[ConservedQuantity]) -> &[ConservedQuantity] {
    quantities.iter().find(|quantity| quantity.motion == Motion::Time).map_or(&[], std::slice::from_ref)
}

/// The quantity called `name`, if the system conserves it.
pub fn find<'s, S: System + ?Sized>(system: &'s S, name: &str) -> Option<&'s ConservedQuantity> {
    system.conserved().iter().find(|quantity| quantity.name == name)
}
