//! M. Tao and H. Owhadi, *Variational and linearly-implicit integrators, with applications*, IMA J.
//! Numer. Anal. (2014): the pendulums of sections 4.1 and 4.2, the multipliers of figure 2, the water of
//! 4.3, the DNA of 4.4, the rigid body of 4.5 and the times, one file each.
//!
//! The paper shows pictures. An independent implementation of the methods computed the known numbers;
//! for the accurate solutions in other coordinates.

mod dna;
mod multipliers;
mod pendulums;
mod rigid_body;
mod timings;
mod water;

use least_action::drive::{Energy, Recording, integrate};
use least_action::method::Method;
use least_action::system::{Constrained, Lagrangian, State, Unforced};

use crate::error::Error;
use crate::experiment::{Claim, Columns, Experiment, Known, Row, Verdict};
use crate::press::{Length, Press, in_turn};

/// Known to four digits and more.
const EXACT: f64 = 0.01;

/// Remarks that hold for all experiments.
pub(super) const REMARKS: &[&str] = &[
    "The potential of the pendulums is V = +Σ m g y, gravity pointing down. The paper prints V = −Σ y; with that sign the \
     printed start is an inverted pendulum, the motion is chaotic, and the statements below do not hold for any method.",
    "Penalty ω = 20 and β = 0.4 for the pendulums, as in the paper. Errors are the largest of all coordinates, against \
     solutions of order 8 accurate to about 1e-12.",
    "The paper gives pictures. The known numbers are those of an independent implementation.",
];

pub(super) fn compute(press: &mut Press<'_>) -> Result<(), Error> {
    in_turn(
        press,
        &[
            ("section 4.1, double pendulum", |_| pendulums::double_pendulum()),
            ("figure 2a", |_| multipliers::deviations()),
            ("figure 2b", |_| multipliers::averages()),
            ("section 4.2, chain", |_| pendulums::chain()),
            ("section 4.3, water", |_| water::seven()),
            ("section 4.4, DNA", |_| dna::compute()),
            ("section 4.5, rigid body", |_| rigid_body::compute()),
            ("the times of section 4", |_| timings::compute()),
        ],
    )?;
    if press.length() == Length::Full {
        press.begin("section 4.3, a hundred molecules of water");
        press.publish(water::hundred()?)?;
    }
    Ok(())
}

/// A system with constraints and its Lagrangian: methods are compiled once for all such systems.
trait Rigid: Constrained + Lagrangian + Unforced {}

impl<S: Constrained + Lagrangian + Unforced> Rigid for S {}

/// Runs a method, observed every `every` steps, with the energy.
fn run<S, M>(
    system: &S,
    method: &M,
    start: &State,
    step: f64,
    until: f64,
    every: u64,
) -> Result<Recording, Error>
where
    S: Lagrangian + ?Sized,
    M: Method<S>,
{
    let run = integrate(system, method, start.clone(), step)?;
    Ok(run.until(until).every(every).measure(Energy::of(system)).record()?)
}

/// The largest difference of a coordinate at each moment of two runs observed together.
fn differences(a: &Recording, b: &Recording) -> Vec<(f64, f64)> {
    let largest = |(p, q): (&[f64], &[f64])| p.iter().zip(q).map(|(p, q)| (p - q).abs()).fold(0.0, f64::max);
    a.times().zip(a.positions().zip(b.positions()).map(largest)).collect()
}

/// The range of the energies of a run.
fn energies(run: &Recording) -> (f64, f64) {
    let energies = run.column("energy").unwrap_or_default();
    energies.iter().fold((f64::MAX, f64::MIN), |(low, high), energy| (low.min(*energy), high.max(*energy)))
}
