//! Fekete points: twenty constraints and drag, until everything is at rest.

use least_action::Model;
use least_action::method::VariationalTrapezoid;
use least_action::system::{Lagrangian, Start};
use least_action_models::FeketePoints;
use least_action_pages::plot::{Axis, Units};

use super::{Claim, Columns, Experiment, Known, Row, Verdict, follow};
use crate::error::Error;
use crate::experiment::picture;
use crate::moving;
use crate::press::Length;

const STEP: f64 = 0.05;
/// The potential of the points at rest, and their multipliers −(n − 1)/4.
const AT_REST: f64 = -54.011_129_974_584_17;
const MULTIPLIER: f64 = -4.75;
/// The smallest distance of two of them.
const SMALLEST: f64 = 0.777_135_489_239_4;

pub(super) fn compute(length: Length) -> Result<Experiment, Error> {
    let until = if length == Length::Full { 1000.0 } else { 200.0 };
    let model = FeketePoints::default();
    let bound = model.bind()?;
    let system: &dyn Lagrangian = &bound;
    let steps = (until / STEP) as u64;
    let mut potentials = Vec::new();
    let run = follow(system, &VariationalTrapezoid::default(), model.start(), (STEP, steps), &mut |state| {
        let excess = -system.lagrangian(&state.q, &vec![0.0; state.q.len()], state.t) - AT_REST;
        if excess > 1e-15 {
            potentials.push((state.t, excess.log10()));
        }
    })?;
    let q = &run.end.q;
    let potential = -system.lagrangian(q, &vec![0.0; q.len()], until);
    let spread = run.multipliers.iter().map(|value| (value - MULTIPLIER).abs()).fold(0.0, f64::max);
    let distance =
        |i: usize, j: usize| (0..3).map(|k| (q[3 * i + k] - q[3 * j + k]).powi(2)).sum::<f64>().sqrt();
    let smallest = (0..20).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| distance(i, j));
    let smallest = smallest.fold(f64::INFINITY, f64::min);
    let curves = vec![("trapezoid, h = 0.05".to_owned(), potentials)];
    let axes = [Axis::number("t"), Axis::number("|V − V∞|").logarithmic()];
    let picture = picture("Fekete points", "Potential above that at rest", axes, curves)?;
    Ok(Experiment {
        heading: format!("Fekete points, n = 20, α = 0.5, until t = {until}"),
        columns: Some(Columns::of("potential and smallest distance at the end", ["V", "distance"])),
        rows: vec![Row {
            name: "variational trapezoid, h = 0.05",
            values: vec![potential, smallest],
            known: vec![Known { value: AT_REST, within: 1e-12 }, Known { value: SMALLEST, within: 1e-9 }],
        }],
        claims: vec![Claim {
            statement: "At rest every multiplier is −(n − 1)/4.",
            found: format!("all twenty are −4.75 to {spread:.1e}; {steps} steps in {:.2} s", run.seconds),
            verdict: Verdict::of(spread < 1e-9),
        }],
        picture,
        motion: moving::through_states(model, Units::none(), &run.states)?,
    })
}
