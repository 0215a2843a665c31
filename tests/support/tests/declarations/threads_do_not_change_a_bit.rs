//! Large families are spread over threads; the bits are the same for any number of them.

#![expect(clippy::expect_used, reason = "clusters of this size are known to be sound")]

use declarations::{Cluster, Solid};
use least_action::lanes::Width;
use least_action::prelude::*;
use test_support::agreement::{Seeded, evaluated};

/// The gradient from every pair by itself, in the order of the declaration: a cluster of two.
fn pair_by_pair(model: &Cluster, q: &[f64], gradient: &mut [f64]) {
    let pair = Cluster { atoms: 2, ..model.clone() }.bind().expect("two atoms are a cluster");
    let mut forces = [0.0; 6];
    for i in 0..model.atoms {
        for j in i + 1..model.atoms {
            let places = [&q[3 * i..3 * i + 3], &q[3 * j..3 * j + 3]].concat();
            pair.potential_gradient(&places, 0.0, &mut forces);
            for k in 0..3 {
                gradient[3 * i + k] += forces[k];
                gradient[3 * j + k] += forces[3 + k];
            }
        }
    }
}

/// The values with one thread, once compared with the values of several threads.
#[track_caller]
fn the_same_by_any_threads(system: &impl Natural, q: &[f64], a: &[f64]) -> Vec<f64> {
    let mut results: Vec<Vec<f64>> = [1, 2, 3, 5]
        .into_iter()
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.unwrap_or_else(|error| panic!("{error}")).install(|| evaluated(system, q, a))
        })
        .collect();
    for others in &results[1..] {
        let differs = results[0].iter().zip(others).position(|(one, other)| one.to_bits() != other.to_bits());
        assert_eq!(differs, None, "the first entry whose bits differ");
    }
    results.swap_remove(0)
}

#[test]
fn threads_do_not_change_a_bit() {
    let model = Cluster { atoms: 600, epsilon: 1.25, sigma: 0.9 };
    let mut seeded = Seeded::new(5);
    let lattice = (0..model.atoms).flat_map(|i| [i % 8, i / 8 % 8, i / 64].map(|k| 1.2 * k as f64));
    let q: Vec<f64> = lattice.map(|place| place + 0.1 * seeded.number()).collect();
    let a = seeded.numbers(q.len());
    let system = model.bind().expect("600 atoms are a cluster");
    let in_registers = the_same_by_any_threads(&system, &q, &a);
    let one_by_one = the_same_by_any_threads(&system.with_width(Width::ONE), &q, &a);

    let mut expected = vec![0.0; q.len()];
    pair_by_pair(&model, &q, &mut expected);
    let largest = expected.iter().fold(0.0, |largest: f64, entry| largest.max(entry.abs()));
    for found in [in_registers, one_by_one] {
        for (found, expected) in found[1..].iter().zip(&expected) {
            assert!((found - expected).abs() <= 1e-12 * largest, "{found} instead of {expected}");
        }
    }
}

/// Elements that are staged by chunks, which the threads share.
#[test]
fn threads_do_not_change_a_bit_of_a_mesh() {
    let model = Solid::cube(16, false);
    let rest = model.nodes.as_flattened();
    let mut seeded = Seeded::new(6);
    let q: Vec<f64> = rest.iter().map(|place| 1.1 * place + 0.1 * seeded.number()).collect();
    let a = seeded.numbers(q.len());
    let system = model.bind().expect("a cube is a solid");
    let found = the_same_by_any_threads(&system, &q, &a);

    let one_by_one = system.with_width(Width::ONE);
    let expected = evaluated(&one_by_one, &q, &a);
    let mean = expected.iter().map(|entry| entry.abs()).sum::<f64>() / expected.len() as f64;
    for (found, expected) in found.iter().zip(&expected) {
        assert!(
            (found - expected).abs() <= 1e-12 * expected.abs().max(mean),
            "{found} instead of {expected}"
        );
    }
}
