//! The numbers of a state: energy, momenta, what is left of the constraints, and the places of points.

use least_action_core::advanced::noether::{ConservedQuantity, Motion};
use least_action_core::method::Stepper;
use least_action_core::system::{Holonomic, Lagrangian, State};
use least_action_pages::quantities::{Axis, Units};
use least_action_pages::view::Scene;
use serde::Serialize;

/// A number that is drawn over time.
#[derive(Serialize)]
pub(crate) struct Curve {
    /// The names of curves of one strip begin alike.
    pub(crate) strip: &'static str,
    pub(crate) name: String,
    pub(crate) axis: Axis,
}

/// Measures the states of a system.
pub(crate) struct Measure<'s> {
    system: &'s dyn Lagrangian,
    momenta: Vec<&'s ConservedQuantity>,
    holonomic: Option<&'s dyn Holonomic>,
    gradient: Vec<f64>,
    rows: Vec<f64>,
    places: Vec<f64>,
}

impl<'s> Measure<'s> {
    pub(crate) fn of(system: &'s dyn Lagrangian) -> Self {
        let momenta = system.conserved().iter().filter(|one| one.motion != Motion::Time).collect();
        let holonomic = system.holonomic();
        let rows = vec![0.0; holonomic.map_or(0, Holonomic::constraints)];
        let gradient = vec![0.0; 2 * system.dimension() + 1];
        Self { system, momenta, holonomic, gradient, rows, places: Vec::new() }
    }

    /// The curves in the order of their numbers.
    pub(crate) fn curves(&self, units: &Units) -> Vec<Curve> {
        let curve = |strip, name: &str, axis| Curve { strip, name: name.to_owned(), axis };
        let momentum = |one: &&ConservedQuantity| curve("momentum", &one.name, units.measured(&one.name));
        let residual =
            self.holonomic.map(|_| curve("residual", "max |g|", units.measured("constraints: max |g|")));
        let energy = std::iter::once(curve("energy", "energy", units.measured("energy")));
        energy.chain(self.momenta.iter().map(momentum)).chain(residual).collect()
    }

    /// Appends the time, the curves, the coordinates with their rates, and the places of a run.
    pub(crate) fn append(&mut self, stepper: &dyn Stepper, scene: &Scene<'_>, to: &mut Vec<f64>) {
        let (State { t, q, v }, _held) = (stepper.state(), stepper.hold_angles());
        to.extend([*t, self.system.energy(q, v, *t)]);
        for one in &self.momenta {
            to.push(one.value(self.system, q, v, *t, &mut self.gradient));
        }
        if let Some(rows) = self.holonomic {
            rows.constraint_values(q, *t, &mut self.rows);
            to.push(self.rows.iter().fold(0.0, |most: f64, row| most.max(row.abs())));
        }
        to.extend(q.iter().chain(v));
        scene.place(q, *t, &mut self.places);
        to.extend(&self.places);
    }
}
