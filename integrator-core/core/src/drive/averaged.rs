use super::{Moment, Quantity};
use crate::carried::carried;
use crate::method::multiscale::Averages;
use crate::system::{Holonomic, System};

/// The averages over the windows of a multiscale method, in columns named after
/// coordinates or equations; NaN before the first window, and for other methods.
///
/// A window belongs to the position at its centre. A solver that takes one at the beginning of each step
/// (leap-frog, SHAKE) shows with a state the window of the state before.
#[derive(Debug)]
pub struct Averaged {
    names: Vec<String>,
    pick: fn(&Averages) -> &[f64],
}

impl Averaged {
    /// The averaged force F in columns `force.…`;
    /// with constraints, the force of potential and constraints.
    pub fn force(system: &(impl System + ?Sized)) -> Self {
        Self { names: of_coordinates(system, "force"), pick: |averages| &averages.force }
    }

    /// The velocity at which the fast motion of a window began, in columns `fast_velocity.…`; for the
    /// synchronous estimator the slow velocity with its ripple.
    pub fn velocity(system: &(impl System + ?Sized)) -> Self {
        Self { names: of_coordinates(system, "fast_velocity"), pick: |averages| &averages.velocity }
    }

    /// The averages of the multipliers of the fast motion, in columns `fast_lambda.…`.
    pub fn multipliers(system: &(impl Holonomic + ?Sized)) -> Self {
        let name = |row| format!("fast_lambda.{}", system.constraint_name(row));
        Self { names: (0..system.constraints()).map(name).collect(), pick: |averages| &averages.multipliers }
    }
}

fn of_coordinates(system: &(impl System + ?Sized), quantity: &str) -> Vec<String> {
    let layout = system.layout();
    (0..layout.dimension()).map(|index| format!("{quantity}.{}", layout.name_of(index))).collect()
}

impl Quantity for Averaged {
    fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    fn measure(&mut self, moment: &Moment<'_>, values: &mut [f64]) {
        match moment.report.averages.map(self.pick) {
            Some(found) if found.len() == values.len() => values.copy_from_slice(found),
            _ => values.fill(f64::NAN),
        }
    }
}

carried!([] Averaged {} besides { names, pick });
