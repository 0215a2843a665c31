//! The bead moves as it should.

use std::error::Error;

use least_action::check::check;
use least_action::drive::{ConstraintResidual, Energy, integrate};
use least_action::method::Rattle;
use least_action::prelude::*;
use {module}::Bead;

/// Every derivative beside two other derivations of it, at a state that is nothing special.
#[test]
fn the_derivatives_of_the_bead_agree() -> Result<(), Box<dyn Error>> {
    let bead = Bead::default();
    let state = State { t: 0.0, q: vec![0.3, 0.7], v: vec![1.0, -0.2] };
    for quantity in check(&bead, &bead.bind()?, &state, 1) {
        assert!(quantity.holds(), "{quantity:?}");
    }
    Ok(())
}

/// It comes back to the height from which it starts, and stays on the wire.
#[test]
fn the_bead_keeps_its_energy() -> Result<(), Box<dyn Error>> {
    let bead = Bead::default();
    let system = bead.bind()?;
    let run = integrate(&system, &Rattle::default(), bead.start(), 1e-3)?
        .until(10.0)
        .measure(Energy::of(&system))
        .measure(ConstraintResidual::of(&system))
        .record()?;
    let energy = run.column("energy").ok_or("recorded")?;
    let residual = run.column("constraint_residual").ok_or("recorded")?;
    // RATTLE is of second order: the error of the energy is bounded by h² times the energy.
    assert!(energy.iter().all(|value| (value - energy[0]).abs() < 1e-4 * energy[0].abs()));
    assert!(residual.iter().all(|value| *value < 1e-13));
    Ok(())
}
