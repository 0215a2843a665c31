//! A mass on a rail: from rest to rest, and below a bound.

use least_action::method::VariationalMidpoint;
use least_action::prelude::*;
use least_action::system::{Course, Signal};
use least_action_pages::plot::{Axis, panels};

use super::{
    Claim, Columns, Experiment, Known, Refined, Row, Solved, Verdict, order, over_time, solve, zero,
};
use crate::error::Error;
use crate::press::Length;

/// A unit mass that a force pushes along a rail.
#[derive(Clone)]
struct Mass {
    push: Signal,
}

#[lagrangian(sensitive(push))]
impl Mass {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * der(x).powi(2)
    }

    #[force]
    fn motor(&self, push: Input) -> Scalar {
        push
    }
}

/// x ≤ `highest` from (x, v) to (x, v) within a unit of time.
fn moved([from, to]: [[f64; 2]; 2], highest: f64, steps: usize) -> Result<Solved, Error> {
    let mut mass = Mass { push: zero(1.0, steps, Course::Constant)? };
    let start = State::new(vec![from[0]], vec![from[1]]);
    let step = 1.0 / steps as f64;
    solve(&mut mass, &VariationalMidpoint::default(), (start, 1.0, step), |control| {
        let control = control.to("x", to[0]).to("der.x", to[1]).stretches(steps);
        control.within("x", f64::NEG_INFINITY, highest)
    })
}

pub(super) fn rest_to_rest() -> Result<Experiment, Error> {
    let all = Refined::of(&[5, 10, 20], 40, &[1.0, 0.0], |steps| {
        moved([[0.0, 0.0], [1.0, 0.0]], f64::INFINITY, steps).map(|solved| ((), solved))
    })?;
    // The middles of the steps have the variance (1 − h²)/12 about ½.
    let known = |steps: usize| Known { value: 6.0 / (1.0 - (steps as f64).powi(-2)), within: 1e-9 };
    let names = ["J(h), variational midpoint; known 6/(1 − h²)", "J(h) − 6"];
    let (columns, rows) = all.table("least ½ ∫ u² dt, constant on each step", names, 6.0, known);
    let found = order(&all.errors(6.0));
    Ok(Experiment {
        heading: "A mass from rest to rest, a unit of length in a unit of time".to_owned(),
        times: Vec::new(),
        columns: Some(columns),
        rows,
        claims: vec![
            Claim {
                statement: "J(h) tends to 6 at order 2.",
                found: format!("order {found:.3} between the last numbers of steps"),
                verdict: Verdict::of((found - 2.0).abs() < 0.01),
            },
            all.ends("One run with the input ends at rest, a unit of length away."),
        ],
        picture: panels(
            "From rest to rest",
            &[over_time("Push: 6 − 12 t in the limit", Axis::number("u"), all.finest.inputs())],
        )?,
        motion: None,
    })
}

/// The least cost for x ≤ l.
fn least(l: f64) -> f64 {
    if l <= 1.0 / 6.0 { 4.0 / (9.0 * l) } else { 2.0 + 6.0 * (1.0 - 4.0 * l).powi(2) }
}

pub(super) fn bounded(length: Length) -> Result<Experiment, Error> {
    const BOUNDS: [f64; 5] = [1.0 / 4.0, 1.0 / 5.0, 1.0 / 6.0, 1.0 / 9.0, 1.0 / 12.0];
    let steps = if length == Length::Full { [60, 120, 240] } else { [24, 48, 96] };
    let solved = |bound: f64, steps: usize| moved([[0.0, 1.0], [0.0, -1.0]], bound, steps);
    let mut costs = vec![Vec::new(); steps.len()];
    let (mut pushes, mut places, mut highest) = (Vec::new(), Vec::new(), 0.0_f64);
    for bound in BOUNDS {
        for (steps, costs) in steps.into_iter().zip(&mut costs) {
            let solved = solved(bound, steps)?;
            costs.push(solved.found.cost);
            if steps == 96 || steps == 240 {
                let name = format!("l = 1/{}", bound.recip().round());
                let x = solved.run.times().zip(solved.run.positions().map(|q| q[0])).collect();
                highest = highest.max(solved.run.positions().map(|q| q[0] - bound).fold(0.0, f64::max));
                places.push((name.clone(), x));
                pushes.extend(solved.inputs().into_iter().map(|(_, points)| (name.clone(), points)));
            }
        }
    }
    let errors: Vec<Vec<f64>> = costs
        .iter()
        .map(|costs| costs.iter().zip(BOUNDS).map(|(cost, l)| cost - least(l)).collect())
        .collect();
    // Without the arcs x = l the length of a part is ½, with them 3 l.
    let within = |l: f64, steps: usize| (steps as f64 * (3.0 * l).min(0.5)).powi(-2);
    let known = |steps: usize| BOUNDS.map(|l| Known { value: least(l), within: within(l, steps) }).to_vec();
    let names = ["J(h) by the first number of steps", "by twice as many", "by four times as many"];
    let rows = names.into_iter().zip(costs).zip(steps);
    let rows = rows.map(|((name, values), steps)| Row { name, values, known: known(steps) });
    let orders: Vec<f64> = (0..BOUNDS.len())
        .map(|k| order(&errors.iter().map(|errors| errors[k]).collect::<Vec<_>>()))
        .collect();
    let picture = panels(
        "Bounded mass",
        &[over_time("Place", Axis::number("x"), places), over_time("Push", Axis::number("u"), pushes)],
    )?;
    Ok(Experiment {
        heading: format!("A mass below l, from velocity 1 back to −1, {steps:?} steps"),
        times: Vec::new(),
        columns: Some(Columns {
            measure: "least ½ ∫ u² dt",
            names: BOUNDS.map(|l| format!("l = 1/{}", l.recip().round())).to_vec(),
        }),
        rows: rows.chain([Row { name: "order of J(h) − J", values: orders, known: Vec::new() }]).collect(),
        claims: vec![Claim {
            statement: "J = 4/(9 l) for l ≤ 1/6, and 2 + 6 (1 − 4 l)² up to l = 1/4; no step leaves the bound.",
            found: format!("x exceeds l by at most {highest:.1e} at steps"),
            verdict: Verdict::of(highest < 1e-9),
        }],
        picture,
        motion: None,
    })
}
