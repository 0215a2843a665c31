//! Every derivative of a penalized system against differences of the derivative below it, for
//! constraints of degree 3 that depend on time, and for the chain.

#![expect(clippy::unwrap_used, reason = "helpers of tests, where a failure is a panic")]

use least_action::advanced::wrap::Penalized;
use least_action::system::{Constrained, Lagrangian, Natural, Stiff};
use test_support::linkage::Linkage;
use test_support::rail::Rail;

/// Differences of order 4, and their accuracy beside round-off.
const WIDTH: f64 = 1e-3;
const TOLERANCE: f64 = 1e-8;

fn slope(function: impl Fn(f64) -> f64) -> f64 {
    (8.0 * (function(WIDTH) - function(-WIDTH)) - (function(2.0 * WIDTH) - function(-2.0 * WIDTH)))
        / (12.0 * WIDTH)
}

fn close(found: f64, expected: f64, what: &str) {
    assert!(
        (found - expected).abs() < TOLERANCE * (1.0 + expected.abs()),
        "{what}: {found} is not {expected}"
    );
}

fn moved(q: &[f64], index: usize, offset: f64) -> Vec<f64> {
    let mut q = q.to_vec();
    q[index] += offset;
    q
}

fn check_potential<S: Constrained>(model: &S, q: &[f64], t: f64, a: &[f64]) {
    let system = Penalized::new(model, 3.0).unwrap();
    let n = q.len();
    let gradient = |q: &[f64]| {
        let mut gradient = vec![0.0; n];
        system.potential_gradient(q, t, &mut gradient);
        gradient
    };
    let product = |q: &[f64]| {
        let mut product = vec![0.0; n];
        system.potential_product(q, t, a, &mut product);
        product
    };
    let pattern = system.potential_pattern();
    let (mut again, mut hessian) = (vec![0.0; n], vec![0.0; pattern.len()]);
    system.potential_second(q, t, &mut again, &mut hessian);
    let mut applied = vec![0.0; n];
    pattern.multiply_add(&hessian, a, &mut applied);
    let mut third = vec![0.0; n];
    system.potential_third(q, t, a, &mut third);
    for j in 0..n {
        let found = gradient(q)[j];
        close(again[j], found, "gradient beside Hessian");
        close(found, slope(|offset| system.potential(&moved(q, j, offset), t)), "gradient");
        close(product(q)[j], applied[j], "product");
        for i in 0..n {
            let found = pattern.position(i, j).map_or(0.0, |k| hessian[k]);
            close(found, slope(|offset| gradient(&moved(q, j, offset))[i]), "Hessian");
        }
        let quadratic =
            |offset| -> f64 { product(&moved(q, j, offset)).iter().zip(a).map(|(p, a)| p * a).sum() };
        close(third[j], slope(quadratic), "third");
    }
    check_stiff(model, &system, q, t, &hessian);
}

/// The Hessian of the model plus the Hessian of the stiff part.
fn check_stiff<S: Constrained>(model: &S, system: &Penalized<'_, S>, q: &[f64], t: f64, hessian: &[f64]) {
    let (pattern, n) = (system.stiff_pattern(), q.len());
    let (mut gradient, mut soft) = (vec![0.0; n], vec![0.0; model.potential_pattern().len()]);
    model.potential_second(q, t, &mut gradient, &mut soft);
    let mut stiff = vec![0.0; pattern.len()];
    system.stiff_hessian(q, t, &mut stiff);
    for ((i, j), total) in system.potential_pattern().entries().zip(hessian) {
        let soft = model.potential_pattern().position(i, j).map_or(0.0, |k| soft[k]);
        let stiff = pattern.position(i, j).map_or(0.0, |k| stiff[k]);
        close(stiff + soft, *total, "stiff part");
    }
}

fn check_lagrangian<S: Constrained + Lagrangian>(model: &S, q: &[f64], v: &[f64], t: f64) {
    let system = Penalized::new(model, 3.0).unwrap();
    let n = q.len();
    let z: Vec<f64> = q.iter().chain(v).copied().chain([t]).collect();
    let value = |z: &[f64]| system.lagrangian(&z[..n], &z[n..2 * n], z[2 * n]);
    let first = |z: &[f64]| {
        let mut gradient = vec![0.0; 2 * n + 1];
        system.first_derivatives(&z[..n], &z[n..2 * n], z[2 * n], &mut gradient);
        gradient
    };
    let pattern = system.second_pattern();
    let (mut gradient, mut hessian) = (vec![0.0; 2 * n + 1], vec![0.0; pattern.len()]);
    system.second_derivatives(q, v, t, &mut gradient, &mut hessian);
    for (j, found) in gradient.iter().copied().enumerate() {
        close(found, first(&z)[j], "first derivatives beside second");
        close(found, slope(|offset| value(&moved(&z, j, offset))), "first derivatives");
        // Mixed derivatives (q, t) and (t, t) are left out by contract: they do not move anything.
        let in_contract = |i: usize| !(i.max(j) == 2 * n && (i.min(j) < n || i == j));
        for i in (0..=2 * n).filter(|i| in_contract(*i)) {
            let found = pattern.position(i, j).map_or(0.0, |k| hessian[k]);
            close(found, slope(|offset| first(&moved(&z, j, offset))[i]), "second derivatives");
        }
    }
    let kinetic: f64 = v.iter().zip(&first(&z)[n..2 * n]).map(|(v, p)| v * p).sum();
    close(system.energy(q, v, t), kinetic - value(&z), "energy");
}

#[test]
fn constraints_of_degree_three_that_depend_on_time() {
    let model = Rail::default();
    check_potential(&model, &[0.7, -0.4], 0.9, &[0.3, 1.1]);
    check_lagrangian(&model, &[0.7, -0.4], &[0.5, -0.8], 0.9);
}

#[test]
fn the_rods_of_a_chain() {
    let model = Linkage::chain(&[1.0, 2.5, 0.7], &[1.0, 1.4, 0.8], 9.81);
    let (q, v) = ([0.3, -0.9, 1.2, -1.9, 1.5, -2.5], [0.4, 0.3, -0.5, 0.6, 0.1, -0.2]);
    check_potential(&model, &q, 0.0, &v);
    check_lagrangian(&model, &q, &v, 0.0);
}
