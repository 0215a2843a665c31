//! Rayleigh's oscillator: a force of the velocity, a cost of the place, and a free end.

use least_action::method::VariationalTrapezoid;
use least_action::prelude::*;
use least_action::system::{Course, Signal};
use least_action_pages::plot::{Axis, panels};

use super::{Claim, Experiment, Known, Refined, Verdict, order, over_time, solve, zero};
use crate::error::Error;

const END: f64 = 2.5;
/// Half of the least ∫ (x² + u²) dt by PROPT with 50 points.
const LEAST: f64 = 0.5 * 29.376_079_656;

/// A tube that drives its own circuit, and a voltage at its grid.
#[derive(Clone)]
struct Oscillator {
    voltage: Signal,
}

#[lagrangian(sensitive(voltage))]
impl Oscillator {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * der(x).powi(2) - 0.5 * x.powi(2)
    }

    #[force]
    fn tube(&self, x: Scalar, voltage: Input) -> Scalar {
        (1.4 - 0.14 * der(x).powi(2)) * der(x) + 4.0 * voltage
    }
}

pub(super) fn compute() -> Result<Experiment, Error> {
    let start = State::new(vec![-5.0], vec![-5.0]);
    let all = Refined::of(&[25, 50, 100], 200, &[], |steps| {
        let mut oscillator = Oscillator { voltage: zero(END, steps, Course::Linear)? };
        let step = END / steps as f64;
        let times = (start.clone(), END, step);
        let solved = solve(&mut oscillator, &VariationalTrapezoid::default(), times, |control| {
            control.effort("voltage", 1.0).distance("x", 0.0, 1.0).stretches(steps)
        })?;
        Ok((oscillator, solved))
    })?;
    let (columns, rows) = all.table(
        "least ½ ∫ (x² + u²) dt",
        ["J(h), variational trapezoid; known J = 14.68804", "J(h) − J"],
        LEAST,
        |steps| Known { value: LEAST, within: (END / steps as f64).powi(2) },
    );
    let (found, limit) = (order(&all.errors(LEAST)), all.limit());
    let curves = [("x", all.finest.coordinates(&["place"])), ("u", all.finest.inputs())];
    let curves = curves.map(|(axis, curves)| over_time(axis, Axis::number(axis), curves));
    Ok(Experiment {
        heading: "Rayleigh's oscillator for 2.5 units of time, without a goal".to_owned(),
        columns: Some(columns),
        rows,
        claims: vec![Claim {
            statement: "The least ∫ (x² + u²) dt is 29.37608 (PROPT).",
            found: format!("order {found:.3}, and {:.5} in the limit", 2.0 * limit),
            verdict: Verdict::of((found - 2.0).abs() < 0.05 && (limit / LEAST - 1.0).abs() < 1e-5),
        }],
        picture: panels("Rayleigh's oscillator", &curves)?,
        motion: None,
    })
}
