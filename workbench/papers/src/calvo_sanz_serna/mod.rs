//! M. P. Calvo and J. M. Sanz-Serna, *Heterogeneous multiscale methods for mechanical systems with
//! vibrations*, SIAM J. Sci. Comput. 32 (2010) 2029: the tables and figure 2.1 of the inverted pendulum,
//! and figure 4.1 of the double pendulum, one file each.

mod double_pendulum;
mod pendulum;

use least_action::method::{Method, Stepper as _};
use least_action::system::State;

use crate::error::Error;
use crate::experiment::{Claim, Columns, Experiment, Row, Verdict};
use crate::press::{Press, in_turn};

/// Remarks that hold for all experiments.
pub(super) const REMARKS: &[&str] = &[
    "A pendulum of length 0.2 whose pivot moves up and down with the velocity 4 sin(ω t + θ₀), g = 9.8; it starts 0.5 from the upward \
     vertical with the slow velocity 0 and is followed to T = 1. The slow motion of the limit ω → ∞ is known in closed form, and is \
     used here for errors alone.",
    "The errors are the largest at the points of the macro-grid. Micro-steps are h = (2π/ω) H; the number of \
     micro-steps of a run is that of the paper in every cell.",
    "The paper does not print θ₀; with θ₀ = −π/2 table 2.1 comes out to its digits. The kernel of its filter is \
     exp(5/(x² − 1)): the 5 cannot be read in print, and no other number gives the tables.",
];

pub(super) fn compute(press: &mut Press<'_>) -> Result<(), Error> {
    in_turn(
        press,
        &[
            ("figure 2.1", |_| pendulum::figure()),
            ("table 2.1", |_| pendulum::synchronous()),
            ("table 2.2", |_| pendulum::asynchronous()),
            ("table 2.3", |_| pendulum::simple()),
            ("section 4, SHAKE–SHAKE", |_| double_pendulum::convergence()),
            ("figure 4.1", |_| double_pendulum::figure()),
        ],
    )
}

/// The state at every point of a grid of `steps` steps up to T = 1, and the number of micro-steps.
fn run<S, M: Method<S>>(
    system: &S,
    method: &M,
    start: State,
    steps: u64,
) -> Result<(Vec<State>, u64), Error> {
    let mut stepper = method.start(system, start, 1.0 / steps as f64)?;
    let mut states = vec![stepper.state().clone()];
    for _ in 0..steps {
        stepper.step().map_err(Error::Step)?;
        states.push(stepper.state().clone());
    }
    Ok((states, stepper.report().evaluations.micro_steps))
}
