use super::{Moment, Quantity};
use crate::carried::carried;
use crate::noether::{ConservedQuantity, find};
use crate::system::{Lagrangian, State};

/// Conserved quantities of the exact motion, each in a column of its name.
///
/// They belong to the system: a method may conserve others, such as the energy of a nearby system,
/// and the energy of a penalized system includes the penalty.
#[derive(Debug)]
pub struct Conserved<'s, S: ?Sized> {
    system: &'s S,
    quantities: Vec<&'s ConservedQuantity>,
    gradient: Vec<f64>,
}

impl<'s, S: Lagrangian + ?Sized> Conserved<'s, S> {
    /// All quantities that the compiler found.
    pub fn of(system: &'s S) -> Self {
        Self::some(system, system.conserved().iter().collect())
    }

    /// The quantity `name`, or `None` if the system does not conserve it.
    pub fn named(system: &'s S, name: &str) -> Option<Self> {
        find(system, name).map(|quantity| Self::some(system, vec![quantity]))
    }

    fn some(system: &'s S, quantities: Vec<&'s ConservedQuantity>) -> Self {
        Self { system, quantities, gradient: vec![0.0; 2 * system.dimension() + 1] }
    }
}

impl<S: Lagrangian + ?Sized> Quantity for Conserved<'_, S> {
    fn names(&self) -> Vec<String> {
        self.quantities.iter().map(|quantity| quantity.name.to_string()).collect()
    }

    fn measure(&mut self, moment: &Moment<'_>, values: &mut [f64]) {
        let State { t, q, v } = moment.state;
        for (quantity, value) in self.quantities.iter().zip(values) {
            *value = quantity.value(self.system, q, v, *t, &mut self.gradient);
        }
    }
}

carried!([S: ?Sized] Conserved<'_, S> {} besides { system, quantities, gradient });
