//! The term that has no finite force at a state.

use super::Assembly;
use crate::binding::at::{At, Weights};
use crate::binding::function::Function;
use crate::binding::kernel::Operation;
use crate::binding::terms::Terms;
use crate::binding::threads::first_not_finite;
use crate::system::{State, System};

impl Assembly {
    /// The first term whose slope, or of a declared force its value, is not finite, and the entry of
    /// (q, v).
    pub(super) fn undefined_term(&self, State { t, q, v }: &State) -> Option<(String, usize)> {
        let (n, now) = (self.dimension(), &self.at(*t));
        let (positions, motion) = ([&q[..]], [&q[..], v, std::slice::from_ref(t)]);
        let [rows, dissipated] = self.forces.families().map(Terms::of);
        // The layouts of all terms fit the z of their whole function.
        let first = |space, x: &[&[f64]], terms: Terms<'_>, is_force: bool| {
            Function::new(space, terms).stages.at(x, now, |z| {
                let (at, mut values) = (At::new(z, now), vec![0.0; z.len().max(n)]);
                terms.each().find_map(|(name, term)| {
                    values.fill(0.0);
                    if is_force {
                        term.add_to_rows(Operation::Value, at, &mut values[..n]);
                    } else {
                        term.add(Operation::Gradient, at, Weights::Ones, &mut values);
                    }
                    Some((name.to_owned(), first_not_finite(&values).filter(|index| *index < 2 * n)?))
                })
            })
        };
        first(&self.positions, &positions, self.potential.all(), false)
            .or_else(|| first(&self.motion, &motion, Terms::of(&self.general), false))
            .or_else(|| first(&self.motion, &motion, dissipated, false))
            .or_else(|| first(&self.motion, &motion, rows, true))
    }
}
