//! The car axis: stiff springs, and a constraint that depends on time.

use least_action::Model;
use least_action::method::{Composition, VariationalMidpoint};
use least_action::system::{Lagrangian, Start};
use least_action_models::CarAxis;
use least_action_pages::plot::{Axis, Units};

use super::{Claim, Columns, Experiment, Known, Row, Verdict, follow};
use crate::error::Error;
use crate::experiment::picture;
use crate::moving;

const STEPS: u64 = 3000;
const END: f64 = 3.0;

/// Positions and multipliers at t = 3 in the test set, whose multipliers have the other sign.
const PUBLISHED: [f64; 6] = [
    0.049_345_578_427_556_29,
    0.496_989_460_230_332_4,
    1.041_742_524_885_4,
    0.373_911_027_265_221_4,
    -0.004_736_886_750_784_63,
    -0.001_104_680_411_345_73,
];

pub(super) fn compute() -> Result<Experiment, Error> {
    let model = CarAxis::default();
    let bound = model.bind()?;
    let system: &dyn Lagrangian = &bound;
    let method = Composition::of(VariationalMidpoint::default(), 6);
    let mut heights = vec![Vec::new(), Vec::new()];
    let run = follow(system, &method, model.start(), (END / STEPS as f64, STEPS), &mut |state| {
        heights[0].push((state.t, state.q[1]));
        heights[1].push((state.t, state.q[3]));
    })?;
    let found: Vec<f64> = run.end.q.iter().chain(&run.multipliers).copied().collect();
    let error =
        found[..4].iter().zip(PUBLISHED).map(|(found, known)| (found - known).abs()).fold(0.0, f64::max);
    let known = |(k, value): (usize, f64)| Known { value, within: if k < 4 { 1e-10 } else { 1e-6 } };
    let [left, right] = [heights.swap_remove(0), heights.swap_remove(0)];
    let curves = vec![("left".to_owned(), left), ("right".to_owned(), right)];
    let axes = [Axis::number("t"), Axis::number("y")];
    let picture = picture("Car axis", "Heights of both ends", axes, curves)?;
    Ok(Experiment {
        heading: "Car axis, ε = 0.01, until t = 3".to_owned(),
        columns: Some(Columns::of("at t = 3", ["x left", "y left", "x right", "y right", "λ₁", "λ₂"])),
        rows: vec![Row {
            name: "variational midpoint composed to order 6, h = 10⁻³",
            values: found,
            known: PUBLISHED.into_iter().enumerate().map(known).collect(),
        }],
        claims: vec![Claim {
            statement: "The reference solution of the test set has 12 digits or more.",
            found: format!("positions differ by {error:.1e}; {STEPS} steps in {:.2} s", run.seconds),
            verdict: Verdict::of(error < 1e-10),
        }],
        picture,
        motion: moving::through_states(model, Units::none(), &run.states)?,
    })
}
