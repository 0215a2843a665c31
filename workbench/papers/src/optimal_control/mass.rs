//! A mass on a rail: from rest to rest, and below a bound.

use least_action::method::VariationalMidpoint;
use least_action::prelude::*;
use least_action::system::{Course, Signal};
use least_action_pages::plot::{Axis, panels};

use super::{
    Claim, Columns, Curves, ENDS, Experiment, Known, Refined, Row, Solved, Verdict, order, over_time, solve,
    zero,
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
    let push = over_time("Push: 6 − 12 t in the limit", Axis::number("u"), all.finest.inputs());
    Ok(Experiment {
        heading: "A mass from rest to rest, a unit of length in a unit of time".to_owned(),
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
        picture: panels("From rest to rest", &[push])?,
        motion: None,
    })
}

/// The least cost for x ≤ l.
fn least(l: f64) -> f64 {
    if l <= 1.0 / 6.0 { 4.0 / (9.0 * l) } else { 2.0 + 6.0 * (1.0 - 4.0 * l).powi(2) }
}

pub(super) fn bounded(length: Length) -> Result<Experiment, Error> {
    const BOUNDS: [f64; 4] = [1.0 / 5.0, 1.0 / 6.0, 1.0 / 9.0, 1.0 / 12.0];
    let [coarse @ .., finest] = if length == Length::Full { [60, 120, 240] } else { [24, 48, 96] };
    let of_bound = |l: f64| {
        Refined::of(&coarse, finest, &[0.0, -1.0], |steps| {
            moved([[0.0, 1.0], [0.0, -1.0]], l, steps).map(|solved| ((), solved))
        })
    };
    let all = BOUNDS.into_iter().map(of_bound).collect::<Result<Vec<_>, _>>()?;
    let names = BOUNDS.map(|l| format!("l = 1/{}", l.recip().round()));
    // With arcs x = l the length of a part is 3 l, and ½ without them.
    let within = |l: f64, steps: usize| (steps as f64 * (3.0 * l).min(0.5)).powi(-2);
    let known = |steps: usize| BOUNDS.map(|l| Known { value: least(l), within: within(l, steps) }).to_vec();
    let of_steps = ["J(h) by the first number of steps", "by twice as many", "by four times as many"];
    let rows = of_steps.into_iter().zip([coarse[0], coarse[1], finest]).enumerate();
    let rows = rows.map(|(k, (name, steps))| Row {
        name,
        values: all.iter().map(|one| one.costs[k]).collect(),
        known: known(steps),
    });
    let orders: Vec<f64> = all.iter().zip(BOUNDS).map(|(one, l)| order(&one.errors(least(l)))).collect();
    let away = orders.iter().map(|order| (order - 2.0).abs()).fold(0.0, f64::max);
    let highest = |(one, l): (&Refined<()>, f64)| {
        one.finest.run.positions().map(|q| q[0] - l).fold(f64::NEG_INFINITY, f64::max)
    };
    let above = all.iter().zip(BOUNDS).map(highest).fold(f64::NEG_INFINITY, f64::max);
    let named = |curves: fn(&Solved) -> Curves| {
        let own = all.iter().flat_map(|one| curves(&one.finest));
        names.iter().zip(own).map(|(name, (_, points))| (name.clone(), points)).collect()
    };
    let picture = panels(
        "Bounded mass",
        &[
            over_time("Place", Axis::number("x"), named(|solved| solved.coordinates(&["x"]))),
            over_time("Push", Axis::number("u"), named(Solved::inputs)),
        ],
    )?;
    let ends = all.iter().map(|one| one.miss).fold(0.0, f64::max);
    Ok(Experiment {
        heading: format!(
            "A mass below l, from velocity 1 back to −1, by {}, {} and {finest} steps",
            coarse[0], coarse[1]
        ),
        rows: rows.chain([Row::of("order of J(h) − J", orders)]).collect(),
        columns: Some(Columns::of("least ½ ∫ u² dt", names.to_vec())),
        claims: vec![
            Claim {
                statement: "J(h) tends at order 2 to 4/(9 l) for l ≤ 1/6, and to 2 + 6 (1 − 4 l)² up to l = 1/4.",
                found: format!("orders differ from 2 by at most {away:.3}"),
                verdict: Verdict::of(away < 0.05),
            },
            Claim {
                statement: "The mass stays below l at all steps, and ends at 0 with the velocity −1.",
                found: format!("x − l ≤ {above:.1e}; the end to {ends:.1e}"),
                verdict: Verdict::of(above < ENDS && ends < ENDS),
            },
        ],
        picture,
        motion: None,
    })
}
