//! Derivatives against finite differences of the derivatives below them.

use super::compare::{assert_close, differences, state};
use super::models::{Atom, Beads, Chain, Cluster, DoublePendulumAngles, Driven, Net, Point, Ring};
use least_action::expr::Oracle;
use test_support::oracle;

const CLOSE: f64 = 1e-9;

/// Every derivative that the oracle offers, each against differences of the next lower one.
fn check(model: &impl Oracle, q: &[f64], t: f64) {
    let n = q.len();
    let (v, a) = (state(n, 0.6), state(n, 0.7));

    let z: Vec<f64> = [q, &v, &[t]].concat();
    let value = |z: &[f64]| vec![oracle::lagrangian(model, &z[..n], &z[n..2 * n], z[2 * n])];
    let first = |z: &[f64]| oracle::lagrangian_gradient(model, &z[..n], &z[n..2 * n], z[2 * n]);
    assert_close(&first(&z), &differences(value, &z).concat(), CLOSE);
    assert_close(
        &oracle::lagrangian_hessian(model, q, &v, t).concat(),
        &differences(first, &z).concat(),
        CLOSE,
    );

    let gradient = |q: &[f64]| oracle::potential_gradient(model, q, t);
    assert_close(&gradient(q), &differences(|q| vec![oracle::potential(model, q, t)], q).concat(), CLOSE);
    assert_close(&oracle::potential_hessian(model, q, t).concat(), &differences(gradient, q).concat(), CLOSE);
    let quadratic = |hessian: Vec<Vec<f64>>| -> f64 {
        hessian
            .iter()
            .zip(&a)
            .map(|(row, ai)| ai * row.iter().zip(&a).map(|(h, aj)| h * aj).sum::<f64>())
            .sum()
    };
    let along = |q: &[f64]| vec![quadratic(oracle::potential_hessian(model, q, t))];
    assert_close(&oracle::potential_third(model, q, t, &a), &differences(along, q).concat(), CLOSE);

    let values = |q: &[f64]| oracle::constraints(model, q, t);
    let jacobian = oracle::constraint_jacobian(model, q, t);
    for (column, difference) in differences(values, q).iter().enumerate() {
        let column: Vec<f64> = jacobian.iter().map(|row| row[column]).collect();
        assert_close(&column, difference, CLOSE);
    }
    let rate = differences(|t| oracle::constraints(model, q, t[0]), &[t]);
    assert_close(&oracle::constraint_rate(model, q, t), &rate[0], CLOSE);

    let weights = state(jacobian.len(), 0.8);
    let weighted = |q: &[f64]| -> Vec<f64> {
        let jacobian = oracle::constraint_jacobian(model, q, t);
        (0..n).map(|j| jacobian.iter().zip(&weights).map(|(row, w)| w * row[j]).sum()).collect()
    };
    let hessian = |q: &[f64]| oracle::weighted_hessian(model, q, t, &weights);
    assert_close(&hessian(q).concat(), &differences(weighted, q).concat(), CLOSE);
    let third = oracle::weighted_third(model, q, t, &weights, &a);
    assert_close(&third, &differences(|q| vec![quadratic(hessian(q))], q).concat(), CLOSE);
    let forms: f64 =
        oracle::constraint_quadratic(model, q, t, &a).iter().zip(&weights).map(|(c, w)| c * w).sum();
    assert_close(&[forms], &[quadratic(hessian(q))], 1e-12);

    // Along the line q + s v at time t + s, the rate of g is G v + ∂g/∂t.
    let rate_along = |s: &[f64]| -> Vec<f64> {
        let q: Vec<f64> = q.iter().zip(&v).map(|(q, v)| q + s[0] * v).collect();
        let spatial = oracle::constraint_jacobian(model, &q, t + s[0]);
        let temporal = oracle::constraint_rate(model, &q, t + s[0]);
        spatial
            .iter()
            .zip(temporal)
            .map(|(row, g)| g + row.iter().zip(&v).map(|(g, v)| g * v).sum::<f64>())
            .collect()
    };
    assert_close(&oracle::constraint_curvature(model, q, &v, t), &differences(rate_along, &[0.0])[0], CLOSE);

    let stiff = |q: &[f64]| oracle::gradient(&StiffPart(model, t), q);
    assert_close(&oracle::stiff_hessian(model, q, t).concat(), &differences(stiff, q).concat(), CLOSE);
}

struct StiffPart<'a, M>(&'a M, f64);

impl<M: Oracle> oracle::Function for StiffPart<'_, M> {
    fn at<T: least_action::expr::Number>(&self, q: &[T]) -> T {
        self.0.stiff_dual(q, T::from(self.1))
    }
}

#[test]
fn chain() {
    check(&Chain { links: 4, mass: 2.0, gravity: 9.5, rod: 1.5 }, &state(8, 0.0), 0.0);
}

#[test]
fn double_pendulum_in_angles() {
    check(&DoublePendulumAngles { masses: [1.0, 2.0], rods: [1.5, 0.5], gravity: 9.81 }, &state(2, 0.0), 0.0);
}

#[test]
fn ring() {
    check(&Ring { rotors: 4, coupling: 1.7 }, &state(4, 0.0), 0.0);
}

#[test]
fn cluster() {
    let q = [0.0, 0.0, 0.0, 1.5, 0.1, 0.0, 0.2, 0.3, 1.6];
    check(
        &Cluster { atoms: vec![Atom::Heavy, Atom::Light, Atom::Light], sigma: 0.9, epsilon: 1.25 },
        &q,
        0.0,
    );
}

#[test]
fn driven_pendulum() {
    check(&Driven { rod: 2.0, gravity: 9.81, amplitude: 0.3, frequency: 3.0 }, &[0.4], 0.3);
}

#[test]
fn net() {
    let model = Net { rows: 2, columns: 2, stiffness: 4.0, anchors: vec![[0.1, 0.2, 0.3], [-0.4, 0.5, 0.6]] };
    check(&model, &state(13, 0.0), 0.3);
}

#[test]
fn beads() {
    let masses = vec![0.7, 1.1, 1.9];
    let anchor = Point { x: 0.3, y: -2.0 };
    check(
        &Beads { count: 3, masses, anchor, edges: vec![(0, 1), (1, 2)], twist: Some(0.6) },
        &state(8, 0.0),
        0.0,
    );
}
