//! Bricard's linkage: five constraints, one of which follows from the others everywhere.

use least_action::Model;
use least_action::method::{Composition, Method, Stepper, VariationalMidpoint};
use least_action::system::{Lagrangian, Start};
use least_action_models::Bricard;
use least_action_pages::plot::{Axis, Units};

use super::{Claim, Columns, Experiment, Row, Verdict, follow};
use crate::error::Error;
use crate::experiment::picture;
use crate::moving;

const STEP: f64 = 0.01;
const END: f64 = 10.0;
/// The change of energy with which the library accepts a run, J.
const ACCEPTED: f64 = 1e-3;
/// q₁ and q₂ at t = 1.6 by two methods of order 16 and 8.
const KNOWN: [f64; 2] = [-1.084_567_053_387, 1.894_915_587_718];

pub(super) fn compute() -> Result<Experiment, Error> {
    let model = Bricard::default();
    let bound = model.bind()?;
    let system: &dyn Lagrangian = &bound;
    let method = Composition::of(VariationalMidpoint::default(), 4);
    let warning = method.start(system, model.start(), STEP)?.warning().unwrap_or_default().to_owned();
    let (mut angles, mut integral) = (vec![Vec::new(), Vec::new()], 0.0_f64);
    let mut early = [f64::NAN; 2];
    let steps = (END / STEP).round() as u64;
    let run = follow(system, &method, model.start(), (STEP, steps), &mut |state| {
        let (one, two) = (state.q[0].cos(), state.q[1].cos());
        integral = integral.max((one + two + one * two).abs());
        angles[0].push((state.t, state.q[0]));
        angles[1].push((state.t, state.q[1]));
        if (state.t - 1.6).abs() < 0.5 * STEP {
            early = [state.q[0], state.q[1]];
        }
    })?;
    let change = run.change_of_energy();
    let [odd, even] = [angles.swap_remove(0), angles.swap_remove(0)];
    let curves = vec![("q₁".to_owned(), odd), ("q₂".to_owned(), even)];
    let axes = [Axis::of("t", "s"), Axis::of("q", "rad")];
    let picture = picture("Bricard's linkage", "Angles of the odd and the even joints", axes, curves)?;
    Ok(Experiment {
        heading: format!("Bricard's linkage in the angles of its joints, h = {STEP} s, until t = {END} s"),
        columns: Some(Columns::of("at t = 1.6 s", ["q₁", "q₂"])),
        rows: vec![Row::of("variational midpoint composed to order 4", early.to_vec()).knowing(KNOWN, 1e-3)],
        claims: vec![
            Claim {
                statement: "The library accepts a run whose energy changes by no more than 1 mJ.",
                found: format!("it changes by {change:.1e} J; {steps} steps in {:.2} s", run.seconds),
                verdict: Verdict::of(change < ACCEPTED),
            },
            Claim {
                statement: "Along the motion cos q₁ + cos q₂ + cos q₁ cos q₂ = 0.",
                found: format!("to {integral:.1e}"),
                verdict: Verdict::of(integral < 1e-10),
            },
            Claim {
                statement: "Of the five constraints one follows from the others, and the linkage moves all the same.",
                found: warning.clone(),
                verdict: Verdict::of(!warning.is_empty()),
            },
        ],
        picture,
        motion: moving::through_states(model, Units::si(), &run.states)?,
    })
}
