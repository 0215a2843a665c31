//! Each kind of model with methods that fit it: compiled, and run.
//!
//! All methods on all kinds, also the ones that rustc refuses: `integrator-core/tests/ui/engines.txt`.

use least_action::drive::{Energy, Simulation};
use least_action::system::Lagrangian;
use std::error::Error;

mod constrained_position_dependent_mass;
mod forced;
mod gyroscopic;
mod natural;
mod natural_constrained;
mod position_dependent_mass;
mod stated_intentions_that_hold;

/// The largest distance of the energy from its first value within a unit of time.
fn drift<'s, S: Lagrangian>(system: &'s S, run: Simulation<'s>) -> Result<f64, Box<dyn Error>> {
    let recording = run.until(1.0).every(10).measure(Energy::of(system)).record()?;
    let energies = recording.column("energy").ok_or("the energy is recorded")?;
    Ok(energies.iter().fold(0.0, |worst, energy| f64::max(worst, (energy - energies[0]).abs())))
}
