//! N four-bars: singular where the bars lie level, once in each half turn.

use least_action::Model;
use least_action::method::VariationalTrapezoid;
use least_action::system::{Lagrangian, Start};
use least_action_models::FourBars;
use least_action_pages::plot::{Axis, Units};

use super::{Claim, Columns, Experiment, Row, Verdict, follow};
use crate::error::Error;
use crate::experiment::picture;
use crate::moving;

const WINDOWS: usize = 40;
const STEP: f64 = 0.0025;
const END: f64 = 10.0;
/// The change of energy with which the library accepts a run, J.
const ACCEPTED: f64 = 0.1;

pub(super) fn compute() -> Result<Experiment, Error> {
    let model = FourBars { windows: WINDOWS, ..FourBars::default() };
    let bound = model.bind()?;
    let system: &dyn Lagrangian = &bound;
    let mut tips = Vec::new();
    let mut apart: f64 = 0.0;
    let mut passed = 0;
    let steps = (END / STEP).round() as u64;
    let run = follow(system, &VariationalTrapezoid::default(), model.start(), (STEP, steps), &mut |state| {
        let heights = || state.q.iter().skip(1).step_by(2);
        apart = heights().map(|y| (y - state.q[1]).abs()).fold(apart, f64::max);
        passed += usize::from(tips.last().is_some_and(|(_, before): &(f64, f64)| before * state.q[1] < 0.0));
        tips.push((state.t, state.q[1]));
    })?;
    let change = run.change_of_energy();
    // α̈ = 3 (3 N + 1) g sin α/(8 N + 2) from α = 0, α̇ = 1, by Verlet with steps 100 times as short.
    let n = WINDOWS as f64;
    let pull = |angle: f64| 3.0 * (3.0 * n + 1.0) * model.gravity * angle.sin() / (8.0 * n + 2.0);
    let (mut angle, mut rate, small) = (0.0, model.velocity, 0.01 * STEP);
    for _ in 0..100 * steps {
        rate += 0.5 * small * pull(angle);
        angle += small * rate;
        rate += 0.5 * small * pull(angle);
    }
    let curves = vec![("N = 40".to_owned(), tips)];
    let axes = [Axis::of("t", "s"), Axis::of("y", "m")];
    let picture = picture("N four-bars", "Height of the first tip", axes, curves)?;
    Ok(Experiment {
        heading: format!("N four-bars, N = {WINDOWS}, h = {STEP} s, until t = {END} s"),
        columns: Some(Columns::of("at t = 10 s", ["height of the last tip, m"])),
        rows: vec![
            Row::of("variational trapezoid", vec![run.end.q[2 * WINDOWS + 1]]).knowing([angle.cos()], 0.02),
        ],
        claims: vec![
            Claim {
                statement: "The library accepts a run whose energy changes by no more than 0.1 J.",
                found: format!("it changes by {change:.3} J; {steps} steps in {:.2} s", run.seconds),
                verdict: Verdict::of(change < ACCEPTED),
            },
            Claim {
                statement: "The bars pass their level positions, where the constraints are singular, and stay parallel.",
                found: format!("{passed} passages; heights of the tips differ by {apart:.1e} m"),
                verdict: Verdict::of(passed > 5 && apart < 1e-6),
            },
        ],
        picture,
        motion: moving::through_states(model, Units::si(), &run.states)?,
    })
}
