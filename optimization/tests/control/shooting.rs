//! No control costs more than the one that a simple shooting finds from the same start.

use super::{CartPole, Double};
use least_action::drive::gradient::Direction;
use least_action::method::VariationalMidpoint;
use least_action::prelude::*;
use least_action::system::Signal;
use least_action_optimization::control::Control;
use least_action_optimization::fit::{Motions, Moving};
use least_action_optimization::least_squares::Status;
use nalgebra::{DMatrix, DVector};
use std::f64::consts::PI;
use std::ops::ControlFlow;

const STEP: f64 = 0.04;

fn still(end: f64) -> Signal {
    let pieces = (end / STEP).round() as usize;
    let times = (0..=pieces).map(|k| end * k as f64 / pieces as f64).collect();
    Signal::constant(times, vec![0.0; pieces]).expect("a signal")
}

/// The cost ½ ∫ u² dt of the inputs that a shooting over inputs alone finds: the shortest inputs that
/// end at the goals of the motion linearized, again and again; none where that leads nowhere.
fn shot<M: Motions>(motions: &M, start: &State, (end, goals): (f64, &[(usize, f64)])) -> Option<f64> {
    let n = motions.parameters().len();
    let directions: Vec<_> = (0..n).map(|k| (Direction::Parameter(k), [&[][..]; 2])).collect();
    let (mut u, mut cost) = (DVector::zeros(n), f64::INFINITY);
    let ends = |u: &DVector<f64>| {
        let (mut gap, mut slopes) = (DVector::zeros(goals.len()), DMatrix::zeros(goals.len(), n));
        let ran = motions.bound(u.as_slice(), &mut |begin| {
            begin(start.clone(), None)?.until(end).follow(&directions, &|_| true, &mut |at, tangents| {
                let of = |[q, v]: [&[f64]; 2], entry: usize| *q.iter().chain(v).nth(entry).expect("an entry");
                for (row, (entry, goal)) in goals.iter().enumerate() {
                    gap[row] = of([at.q, at.v], *entry) - goal;
                    (0..n).for_each(|k| slopes[(row, k)] = of(tangents[k], *entry));
                }
            })?;
            Ok(())
        });
        ran.ok().filter(|()| gap.iter().all(|gap: &f64| gap.is_finite())).map(|()| (gap, slopes))
    };
    for _ in 0..60 {
        let (gap, slopes) = ends(&u)?;
        let wanted = &slopes * &u - &gap;
        let shortest = slopes.svd(true, true).solve(&wanted, 1e-12).ok()?;
        let now = 0.5 * STEP * u.norm_squared();
        if gap.amax() < 1e-9 && (cost - now).abs() <= 1e-9 * now {
            return Some(now);
        }
        cost = now;
        let merit = |u: &DVector<f64>| {
            ends(u).map_or(f64::INFINITY, |(gap, _)| 0.5 * STEP * u.norm_squared() + 1e3 * gap.lp_norm(1))
        };
        let (before, change) = (merit(&u), shortest - &u);
        let part = (0..12).map(|k| 0.5_f64.powi(k)).find(|part| merit(&(&u + &change * *part)) < before);
        u += change * part.unwrap_or(1e-3);
    }
    None
}

fn compared<M: Motions>(motions: &M, start: Vec<f64>, end: f64, goals: &[(usize, f64)]) {
    let start = State::at_rest(start);
    let coordinates = motions.coordinates();
    let name = |entry: usize| match coordinates.get(entry) {
        Some(name) => name.clone(),
        None => format!("der.{}", coordinates[entry - coordinates.len()]),
    };
    let control = Control::from(start.clone()).until(end);
    let control = goals.iter().fold(control, |control, (entry, goal)| control.to(name(*entry), *goal));
    let found = control.solve(motions, |_, _| ControlFlow::Continue(()));
    let shot = shot(motions, &start, (end, goals));
    let found = found.unwrap_or_else(|error| unreachable!("{error}"));
    assert!(matches!(found.status, Status::Converged | Status::Still), "{:?}", found.status);
    let least = shot.unwrap_or(f64::INFINITY);
    assert!(
        found.iterations <= 35 && found.cost <= (1.0 + 1e-6) * least + 1e-9,
        "{} above {least}",
        found.cost
    );
}

#[test]
fn a_cart_with_a_pendulum_costs_no_more() {
    for (end, goals) in [
        (1.0, vec![(0, 0.0), (1, PI), (2, 0.0), (3, 0.0)]),
        (2.0, vec![(0, 1.0), (1, PI), (2, 0.0), (3, 0.0)]),
        (2.0, vec![(0, 0.5), (1, 0.0), (2, 0.0), (3, 0.0)]),
        (2.0, vec![(0, 0.1)]),
    ] {
        let motions = Moving::new(
            CartPole { masses: [1.0, 0.1], rod: 0.5, push: still(end) },
            VariationalMidpoint::default(),
            STEP,
        );
        compared(&motions.expect("a model"), vec![0.0, PI - 0.1], end, &goals);
    }
}

#[test]
fn a_cart_with_a_double_pendulum_costs_no_more() {
    for (end, goals) in [
        (1.0, vec![(0, 0.0), (1, PI), (2, PI), (3, 0.0), (4, 0.0), (5, 0.0)]),
        (2.0, vec![(0, 0.5), (1, PI), (2, PI), (3, 0.0), (4, 0.0), (5, 0.0)]),
    ] {
        let motions = Moving::new(Double { push: still(end) }, VariationalMidpoint::default(), STEP);
        compared(&motions.expect("a model"), vec![0.0, PI - 0.1, PI - 0.1], end, &goals);
    }
}
