//! G. Ariel, J. M. Sanz-Serna and R. Tsai, *A multiscale technique for finding slow manifolds of stiff
//! mechanical systems*, Multiscale Model. Simul. 10 (2012): table 1 and the points and multipliers of
//! section 5, the figures of section 6.
//!
//! Numbers beside ours are printed; for figures, an independent implementation computed them.

mod figures;
mod projected;
mod section_5;

use least_action::advanced::wrap::Penalized;
use least_action::method::slow_manifold::SlowFast;
use least_action::method::{Composition, Method, SlowManifold, Stepper, Verlet};
use least_action::system::{Constrained, State};
use least_action_models::DoubleSpring;
use least_action_pages::plot::Units;

use crate::error::Error;
use crate::experiment::{Claim, Columns, Experiment, Known, Row, Verdict};
use crate::moving;
use crate::press::Press;

/// The frequencies of section 6 and their tolerances.
const FREQUENCIES: [(f64, f64); 3] = [(100.0, 1e-7), (1000.0, 1e-9), (10_000.0, 1e-9)];
/// The end of the runs of section 6.
const END: f64 = 10.0;

/// A figure from the springs and their slow solutions.
type Figure = fn(&dyn Constrained, &[Slow]) -> Result<Experiment, Error>;

/// Remarks that hold for all experiments.
pub(super) const REMARKS: &[&str] = &[
    "Two unit masses on two unit springs of stiffness ω², without gravity. The window is 6π/ω to each side with 18 micro-steps, \
     the filter is the piecewise cubic one.",
    "The paper writes the constrained equations with −Gᵀ λ, so that λ is the limit of ω² g, a tension; everywhere else in this \
     program λ has the other sign.",
    "The slow point moves with the parameters of the projection, by O(ω⁻²) along the manifold. So the slow solution of section 6 is \
     the stiff solution from the point that is found from q = (1, 0, 2, 0), q̇ = (0, −½, 0, ½). Errors are Euclidean, at t = 10.",
];

pub(super) fn compute(press: &mut Press<'_>) -> Result<(), Error> {
    let springs = section_5::springs()?;
    for omega in [1000.0, 10_000.0] {
        press.begin("table 1");
        press.publish(section_5::table(&springs, omega)?)?;
    }
    press.publish(section_5::points(&springs)?)?;
    press.publish(section_5::multipliers(&springs)?)?;
    press.publish(section_5::cost(&springs)?)?;
    press.begin("the slow solutions of section 6");
    let slow = FREQUENCIES.into_iter().map(|(omega, tolerance)| Slow::of(&springs, omega, tolerance));
    let slow: Vec<Slow> = slow.collect::<Result<_, _>>()?;
    let figures: [(&str, Figure); 6] = [
        ("figure 2", figures::rattle),
        ("figure 3", figures::unprojected),
        ("figure 4", figures::projected_once),
        ("a stiff method", figures::stiff),
        ("figure 5", figures::projected_often),
        ("figure 6", projected::runge_kutta),
    ];
    for (name, figure) in figures {
        press.begin(name);
        press.publish(figure(&springs, &slow)?)?;
    }
    Ok(())
}

/// The start of the second example, which satisfies the constraints.
fn straight() -> State {
    State::new(vec![1.0, 0.0, 2.0, 0.0], vec![0.0, -0.5, 0.0, 0.5])
}

/// The slow solution of section 6.
struct Slow {
    omega: f64,
    tolerance: f64,
    /// The point of its start.
    start: State,
    /// The state at t = 10.
    end: State,
}

impl Slow {
    fn of(springs: &dyn Constrained, omega: f64, tolerance: f64) -> Result<Self, Error> {
        let system = Penalized::new(springs, omega)?;
        let mut start = straight();
        manifold(tolerance).projector(&system)?.project(&mut start)?;
        let end = accurate(&system, &start, END)?;
        Ok(Self { omega, tolerance, start, end })
    }

    /// The Euclidean errors of q and of q̇ at the end.
    fn errors(&self, found: &State) -> [f64; 2] {
        let norm = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        [norm(&found.q, &self.end.q), norm(&found.v, &self.end.v)]
    }
}

fn manifold(tolerance: f64) -> SlowManifold {
    SlowManifold { tolerance, ..SlowManifold::default() }
}

/// The stiff motion to rounding: order 8, with 17 parts in a step of ω h = 0.35.
fn accurate(
    system: &Penalized<'_, dyn Constrained + '_>,
    start: &State,
    duration: f64,
) -> Result<State, Error> {
    let steps = (duration * system.frequency() / 0.35).ceil();
    let method = Composition::of(Verlet, 8);
    last(method.start(system, start.clone(), duration / steps)?, steps as u64)
}

/// The state after so many steps.
fn last(mut stepper: impl Stepper, steps: u64) -> Result<State, Error> {
    for _ in 0..steps {
        stepper.step()?;
    }
    Ok(stepper.state().clone())
}

/// The page of a motion to t = 10 by 300 steps.
fn played<S: ?Sized, M: Method<S>>(system: &S, method: &M, start: &State) -> Result<Option<String>, Error> {
    let mut stepper = method.start(system, start.clone(), END / 300.0)?;
    let mut states = vec![start.clone()];
    for _ in 0..300 {
        stepper.step()?;
        states.push(stepper.state().clone());
    }
    moving::through_states(DoubleSpring::default(), Units::none(), &states)
}
