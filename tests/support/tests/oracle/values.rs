//! Values against formulas written by hand on indices.

use super::compare::{assert_close, state};
use super::models::{Atom, Beads, Chain, Cluster, DoublePendulumAngles, Driven, Net, Point, Ring};
use test_support::oracle;

const CLOSE: f64 = 1e-14;

#[test]
fn chain() {
    let chain = Chain { links: 3, mass: 2.0, gravity: 9.5, rod: 1.5 };
    let q = [1.0, -1.0, 2.0, -3.0, 2.5, -3.5];
    let v = [0.5, 0.25, -1.0, 2.0, 0.0, 3.0];
    let kinetic = 0.25 + 0.0625 + 1.0 + 4.0 + 9.0;
    assert_close(&[oracle::lagrangian(&chain, &q, &v, 0.0)], &[kinetic - 2.0 * 9.5 * (-7.5)], CLOSE);
    assert_close(&oracle::constraints(&chain, &q, 0.0), &[2.0 - 2.25, 5.0 - 2.25, 0.5 - 2.25], CLOSE);
    assert_close(&oracle::potential_gradient(&chain, &q, 0.0), &[0.0, 19.0, 0.0, 19.0, 0.0, 19.0], CLOSE);
    let jacobian = oracle::constraint_jacobian(&chain, &q, 0.0);
    assert_close(&jacobian[1], &[-2.0, 4.0, 2.0, -4.0, 0.0, 0.0], CLOSE);
}

#[test]
fn double_pendulum_in_angles() {
    let model = DoublePendulumAngles { masses: [1.0, 2.0], rods: [1.5, 0.5], gravity: 9.81 };
    let ([theta, phi], [w, u]) = ([0.4_f64, -1.1_f64], [0.7_f64, 2.0_f64]);
    let kinetic = 0.5 * 3.0 * (1.5 * w).powi(2)
        + 0.5 * 2.0 * (0.5 * u).powi(2)
        + 2.0 * 1.5 * 0.5 * w * u * (theta - phi).cos();
    let potential = -9.81 * (3.0 * 1.5 * theta.cos() + 2.0 * 0.5 * phi.cos());
    assert_close(&[oracle::lagrangian(&model, &[theta, phi], &[w, u], 0.0)], &[kinetic - potential], CLOSE);
    assert_close(&[oracle::energy(&model, &[theta, phi], &[w, u], 0.0)], &[kinetic + potential], CLOSE);
    let mixed = 1.5 * (theta - phi).cos();
    let mass = oracle::mass(&model, &[theta, phi], &[w, u], 0.0);
    assert_close(&mass.concat(), &[3.0 * 2.25, mixed, mixed, 0.5], CLOSE);
}

#[test]
fn ring() {
    let model = Ring { rotors: 5, coupling: 1.7 };
    let (q, v) = (state(5, 0.1), state(5, 0.2));
    let potential: f64 = (0..5).map(|k| 1.7 * (1.0 - (q[(k + 1) % 5] - q[k]).cos())).sum();
    let kinetic: f64 = v.iter().map(|v| 0.5 * v * v).sum();
    assert_close(&[oracle::lagrangian(&model, &q, &v, 0.0)], &[kinetic - potential], CLOSE);
    assert_close(&[oracle::potential(&model, &q, 0.0)], &[potential], CLOSE);
}

#[test]
fn cluster() {
    let model = Cluster { atoms: vec![Atom::Heavy, Atom::Light, Atom::Light], sigma: 0.9, epsilon: 1.25 };
    let (q, v) = (vec![0.0_f64, 0.0, 0.0, 1.0, 0.1, 0.0, 0.2, 0.3, 1.1], state(9, 0.3));
    let mut potential = 0.0;
    for i in 0..3 {
        for j in i + 1..3 {
            let squared: f64 = (0..3).map(|c| (q[3 * i + c] - q[3 * j + c]).powi(2)).sum();
            let s = (0.81 / squared).powi(3);
            potential += 5.0 * (s * s - s);
        }
    }
    let kinetic: f64 = (0..9).map(|k| 0.5 * if k < 3 { 4.0 } else { 1.0 } * v[k] * v[k]).sum();
    assert_close(&[oracle::lagrangian(&model, &q, &v, 0.0)], &[kinetic - potential], CLOSE);
}

#[test]
fn driven_pendulum() {
    let model = Driven { rod: 2.0, gravity: 9.81, amplitude: 0.3, frequency: 7.0 };
    let (angle, rate, t) = (0.3_f64, 1.2, 0.45_f64);
    let pivot_rate = -0.3 * 7.0 * (7.0 * t).sin();
    let (vx, vy) = (2.0 * angle.cos() * rate, pivot_rate + 2.0 * angle.sin() * rate);
    let height = 0.3 * (7.0 * t).cos() - 2.0 * angle.cos();
    let expected = 0.5 * (vx * vx + vy * vy) - 9.81 * height;
    assert_close(&[oracle::lagrangian(&model, &[angle], &[rate], t)], &[expected], CLOSE);
}

#[test]
fn net() {
    let model =
        Net { rows: 3, columns: 2, stiffness: 40.0, anchors: vec![[0.1, 0.2, 0.3], [-0.4, 0.5, 0.6]] };
    let (q, v, t) = (state(19, 0.4), state(19, 0.5), 0.7);
    let knot = |i: usize, j: usize, c: usize| q[1 + (2 * i + j) * 3 + c];
    let mut springs = 0.0;
    for c in 0..3 {
        for i in 0..3 {
            springs += 0.5 * (knot(i, 0, c) - knot(i, 1, c)).powi(2);
        }
        for (i, j) in [(1, 0), (1, 1), (2, 0), (2, 1)] {
            springs += 0.5 * (knot(i - 1, j, c) - knot(i, j, c)).powi(2);
        }
    }
    let mut pull = 0.0;
    for (i, anchor) in model.anchors.iter().enumerate() {
        let shifted = [knot(i, 0, 0), knot(i, 0, 1), knot(i, 0, 2) - q[0]];
        let distance = (0..3).map(|c| (anchor[c] - shifted[c]).powi(2)).sum::<f64>().sqrt();
        pull += distance.exp() + shifted[1] * anchor[2] - shifted[2] * anchor[1];
    }
    let kinetic = v[0] * v[0] + v[1..].iter().map(|v| 0.5 * v * v).sum::<f64>();
    assert_close(&[oracle::lagrangian(&model, &q, &v, t)], &[kinetic - 40.0 * springs - pull], 1e-13);
    assert_close(&[oracle::stiff(&model, &q, t)], &[40.0 * springs], CLOSE);

    let hem = (0..2).map(|j| knot(0, j, 2) - (0.5 * t).sin());
    let level = (0..2).map(|j| 2.0 * (0..3).map(|c| knot(2, j, c) * knot(0, j, c)).sum::<f64>() - 0.25);
    let corner = (0..3).map(|c| knot(0, 0, c) - model.anchors[0][c]);
    let expected: Vec<f64> = hem.chain(level).chain(corner).collect();
    assert_close(&oracle::constraints(&model, &q, t), &expected, CLOSE);
}

fn beads(count: usize, twist: Option<f64>) -> Beads {
    let masses = vec![0.7, 1.1, 1.9][..count].to_vec();
    Beads { count, masses, anchor: Point { x: 0.3, y: -2.0 }, edges: vec![(0, 1), (1, 0)], twist }
}

#[test]
fn every_way_to_choose_to_name_and_to_call() {
    for (count, twist) in [(3, Some(0.6)), (3, Some(-0.6)), (2, None)] {
        let model = beads(count, twist);
        let (q, v) = (state(2 * count + 2, 0.9), state(2 * count + 2, 1.0));
        let (shift, angle) = (q[2 * count], q[2 * count + 1]);
        let total: f64 = model.masses.iter().sum();
        let bead = |i: usize| (q[2 * i], q[2 * i + 1]);
        let mut expected = 0.5 * (total * v[2 * count + 1]).powi(2);
        for i in 0..count {
            expected += 0.5 * ((v[2 * i] + v[2 * count]).powi(2) + v[2 * i + 1].powi(2));
            expected -= model.masses[i] * 9.81 * bead(i).1;
            let (a, b) = (bead(i), bead((i + 1) % count));
            expected -= 2.0 * (a.0 * b.1 - a.1 * b.0);
        }
        for (i, j) in [(0, 1), (1, 0)] {
            let squared = (bead(i).0 + shift - bead(j).0).powi(2) + (bead(i).1 - bead(j).1).powi(2);
            expected -= 0.5 * model.masses[i] * squared;
        }
        let scale = match twist {
            Some(twist) if twist > 0.0 => twist * angle.cos(),
            Some(twist) => twist,
            None => 1.0,
        };
        expected -= scale * if count == 2 { 3.0 } else { shift * shift - 1.0 };
        expected -= 2.0 * shift + 0.5;
        expected -= (bead(0).0 - 0.3).hypot(bead(0).1 + 2.0);
        assert_close(&[oracle::lagrangian(&model, &q, &v, 0.0)], &[expected], 1e-13);

        let together = if count == 3 { [q[4] - q[0], q[5] - q[1]] } else { [0.0, 0.0] };
        let constraints = [&[q[0] - shift, q[3], 0.5], together.as_slice()].concat();
        assert_close(&oracle::constraints(&model, &q, 0.0), &constraints, CLOSE);
    }
}
