//! The declarations of the ready models against their papers, by dual numbers alone.

use least_action::prelude::*;
use least_action_models::{Chain, DoublePendulum, DoublePendulumAngles};
use test_support::oracle;

#[track_caller]
fn assert_close(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= 1e-14 * b.abs().max(1.0), "{a} is not {b}");
    }
}

/// Tao and Owhadi (2014), section 4.1: the start (0, −1), (1, −2) with energy −3, hanging.
#[test]
fn double_pendulum_starts_as_in_the_paper() {
    let model = DoublePendulum::default();
    let State { t, q, v } = model.start();
    assert_close(&q, &[0.0, -1.0, 1.0, -2.0]);
    assert_close(&v, &[0.0; 4]);
    assert_close(&oracle::constraints(&model, &q, t), &[0.0, 0.0]);
    assert_close(&[oracle::energy(&model, &q, &v, t)], &[-3.0]);
    assert_close(&oracle::potential_gradient(&model, &q, t), &[0.0, 1.0, 0.0, 1.0]);
}

/// Tao and Owhadi (2014), section 4.2: bob i at (i, −2i).
#[test]
fn chain_starts_as_in_the_paper() {
    let model = Chain::default();
    let State { t, q, v } = model.start();
    let expected: Vec<f64> = (1..=10).flat_map(|i| [f64::from(i), -2.0 * f64::from(i)]).collect();
    assert_close(&q, &expected);
    assert_close(&oracle::constraints(&model, &q, t), &[0.0; 10]);
    assert_close(&[oracle::energy(&model, &q, &v, t)], &[-110.0]);
}

#[test]
fn starts_satisfy_the_constraints_for_any_parameters() {
    let pendulum = DoublePendulum { masses: [2.0, 0.5], rods: [0.7, 3.1], gravity: 9.81 };
    assert_close(&oracle::constraints(&pendulum, &pendulum.start().q, 0.0), &[0.0, 0.0]);
    let chain = Chain { links: 5, mass: 2.0, gravity: 9.81, rod: 0.3 };
    assert_close(&oracle::constraints(&chain, &chain.start().q, 0.0), &[0.0; 5]);
}

/// The same motion in both coordinates has the same Lagrangian and the mass matrix of equation (23).
#[test]
fn double_pendulum_is_the_same_in_angles() {
    let angles = DoublePendulumAngles { masses: [2.0, 0.5], rods: [0.7, 3.1], gravity: 9.81 };
    let cartesian = DoublePendulum { masses: angles.masses, rods: angles.rods, gravity: angles.gravity };
    let ([theta, phi], [w, u]) = ([0.4_f64, -2.1_f64], [1.3, -0.6]);
    let [a, b] = angles.rods;
    let (x, y) = (a * theta.sin(), -a * theta.cos());
    let q = [x, y, x + b * phi.sin(), y - b * phi.cos()];
    let (vx, vy) = (a * w * theta.cos(), a * w * theta.sin());
    let v = [vx, vy, vx + b * u * phi.cos(), vy + b * u * phi.sin()];
    let in_angles = oracle::lagrangian(&angles, &[theta, phi], &[w, u], 0.0);
    assert_close(&[in_angles], &[oracle::lagrangian(&cartesian, &q, &v, 0.0)]);
    assert_close(&oracle::constraints(&cartesian, &q, 0.0), &[0.0, 0.0]);

    let unit = DoublePendulumAngles::default();
    let [a, b] = unit.rods;
    let mixed = a * b * (theta - phi).cos();
    let mass = oracle::mass(&unit, &[theta, phi], &[w, u], 0.0);
    assert_close(&mass.concat(), &[2.0 * a * a, mixed, mixed, b * b]);
    let same = DoublePendulum::default().start().q;
    let start = unit.start().q;
    assert_close(&[start[1].sin() * b, -start[0].cos() * a], &[same[2], same[1]]);
}
