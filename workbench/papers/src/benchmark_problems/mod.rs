//! Published benchmark problems of constrained mechanics, one file each: their numbers beside ours.

mod bricard;
mod car_axis;
mod fekete;
mod four_bars;

use std::time::Instant;

use least_action::method::{Method, Stepper};
use least_action::system::{Lagrangian, State};

use crate::error::Error;
use crate::experiment::{Claim, Columns, Experiment, Known, Row, Verdict};
use crate::press::{Press, in_turn};

/// Remarks that hold for all experiments.
pub(super) const REMARKS: &[&str] = &[
    "Car axis and Fekete points: F. Mazzia and C. Magherini, Test set for initial value problem solvers, release 2.4 (2008), problems II-10 \
     and II-11. N four-bars and Bricard's linkage: IFToMM library of computational benchmark problems; M. González, D. Dopico, U. Lugrís and \
     J. Cuadrado, A benchmarking system for MBS simulation software, Multibody Syst. Dyn. 16 (2006) 179, which accepts a run by the change of \
     its energy.",
    "Times are those of one core of this machine, without binding; published ones are of machines of their days and are not repeated here.",
    "Multipliers are those of this library, L_vv a = L_q + F + Gᵀ λ.",
];

pub(super) fn compute(press: &mut Press<'_>) -> Result<(), Error> {
    in_turn(
        press,
        &[
            ("car axis", |_| car_axis::compute()),
            ("Fekete points", fekete::compute),
            ("N four-bars", |_| four_bars::compute()),
            ("Bricard's linkage", |_| bricard::compute()),
        ],
    )
}

/// The states of a run that are kept.
const STATES: u64 = 300;

/// A run, and its measurements.
struct Followed {
    /// The last state and its multipliers.
    end: State,
    multipliers: Vec<f64>,
    /// The energy at every step.
    energies: Vec<(f64, f64)>,
    /// Some states, evenly spread.
    states: Vec<State>,
    /// The processor's seconds.
    seconds: f64,
}

impl Followed {
    /// The largest change of the energy since the start.
    fn change_of_energy(&self) -> f64 {
        let first = self.energies.first().map_or(f64::NAN, |(_, energy)| *energy);
        self.energies.iter().map(|(_, energy)| (energy - first).abs()).fold(0.0, f64::max)
    }
}

/// Follows a system for so many steps, and shows `see` every state.
fn follow<S: Lagrangian + ?Sized, M: Method<S>>(
    system: &S,
    method: &M,
    start: State,
    (step, steps): (f64, u64),
    see: &mut dyn FnMut(&State),
) -> Result<Followed, Error> {
    let energy = |state: &State| (state.t, system.energy(&state.q, &state.v, state.t));
    let mut stepper = method.start(system, start, step)?;
    see(stepper.state());
    let mut energies = vec![energy(stepper.state())];
    let (mut states, every) = (vec![stepper.state().clone()], steps.div_ceil(STATES).max(1));
    let clock = Instant::now();
    let mut seconds = 0.0;
    for step in 1..=steps {
        let before = clock.elapsed().as_secs_f64();
        stepper.step().map_err(Error::Step)?;
        seconds += clock.elapsed().as_secs_f64() - before;
        energies.push(energy(stepper.state()));
        see(stepper.state());
        if step.is_multiple_of(every) {
            states.push(stepper.state().clone());
        }
    }
    let multipliers = stepper.multipliers().map(<[f64]>::to_vec).unwrap_or_default();
    Ok(Followed { end: stepper.state().clone(), multipliers, energies, states, seconds })
}
