//! Functions of sums over near pairs equal sums over all pairs with the condition written out.

#![expect(clippy::unwrap_used, reason = "in a test file, helpers fail as tests do")]

use declarations::{Crowd, CrowdOfAllPairs, Metal, MetalOfAllPairs};
use least_action::prelude::*;
use serde_json::Value;
use test_support::THOROUGH;
use test_support::agreement::{Seeded, constraints_agree_with_oracle, kernels_agree_with_oracle};
use test_support::reference::{numbers, read};

/// The reference metal, repeated so many times along each edge.
pub(crate) fn metal(entry: &Value, times: usize) -> Metal {
    let number = |name: &str| entry[name].as_f64().unwrap();
    let of_pair = |name: &str| numbers(&entry[name][0])[0];
    Metal {
        atoms: number("atoms") as usize * times.pow(3),
        cell: Cell::cubic(numbers(&entry["cell"][0])[0] * times as f64),
        repulsion: of_pair("A"),
        hopping: of_pair("xi"),
        steepness: of_pair("p"),
        decay: of_pair("q"),
        distance: of_pair("r0"),
        on: number("on"),
        off: number("off"),
    }
}

/// The points of a cell, repeated so many times along each edge of it.
pub(crate) fn repeated(points: &[f64], edge: f64, times: usize) -> Vec<f64> {
    let cells = (0..times.pow(3)).map(|cell| [cell / times.pow(2), cell / times % times, cell % times]);
    let shifted =
        |cell: [usize; 3]| points.iter().enumerate().map(move |(k, x)| x + edge * cell[k % 3] as f64);
    cells.flat_map(shifted).collect()
}

#[track_caller]
fn is_close(what: &str, found: &[f64], known: &[f64], tolerance: f64) {
    assert_eq!(found.len(), known.len());
    let scale = known.iter().fold(0.0_f64, |scale, number| scale.max(number.abs()));
    for (k, (found, known)) in found.iter().zip(known).enumerate() {
        assert!(
            (found - known).abs() <= tolerance * scale,
            "{what}[{k}] is {found}, not {known} (of {scale})"
        );
    }
}

/// Value, rate, gradient, product and third contraction.
fn evaluated(system: &dyn Natural, q: &[f64], a: &[f64], t: f64) -> [Vec<f64>; 4] {
    let mut all = [
        vec![system.potential(q, t), system.potential_rate(q, t)],
        vec![0.0; q.len()],
        vec![0.0; q.len()],
        vec![0.0; q.len()],
    ];
    system.potential_gradient(q, t, &mut all[1]);
    system.potential_product(q, t, a, &mut all[2]);
    system.potential_third(q, t, a, &mut all[3]);
    all
}

const NAMES: [&str; 4] = ["V and its rate", "∇V", "Hess V a", "a V‴ a"];

#[test]
fn embedded_atoms_have_the_known_values_with_and_without_lists() {
    let entry = &read("collective.json")["embedded_atoms_periodic"];
    // Sixteen atoms meet all others; a hundred and twenty-eight have lists.
    for times in [1_usize, 2] {
        let copies = times.pow(3);
        let system = metal(entry, times).bind().unwrap();
        let q = repeated(&numbers(&entry["positions"]), numbers(&entry["cell"][0])[0], times);
        let known = |name: &str| numbers(&entry[name]).repeat(copies);
        let found = evaluated(&system, &q, &known("direction"), 0.0);
        is_close("V", &found[0][..1], &[entry["value"].as_f64().unwrap() * copies as f64], 1e-12);
        is_close("∇V", &found[1], &known("gradient"), 1e-12);
        is_close("Hess V a", &found[2], &known("hessian_product"), 1e-12);
        is_close("a V‴ a", &found[3], &known("third_contraction"), 1e-12);
        let mut product = vec![0.0; q.len()];
        system.hessian(&q, 0.0).multiply(&known("direction"), &mut product);
        is_close("the assembled Hess V a", &product, &known("hessian_product"), 1e-12);
    }
}

#[test]
fn embedded_atoms_in_range_are_those_over_all_pairs() {
    let entry = &read("collective.json")["embedded_atoms_periodic"];
    let model = metal(entry, 2);
    let (near, written) = (model.clone().bind().unwrap(), MetalOfAllPairs(model).bind().unwrap());
    let mut seeded = Seeded::new(41);
    let mut q = repeated(&numbers(&entry["positions"]), numbers(&entry["cell"][0])[0], 2);
    q.iter_mut().for_each(|x| *x += 0.1 * seeded.number());
    let a = seeded.numbers(q.len());
    let (found, known) = (evaluated(&near, &q, &a, 0.0), evaluated(&written, &q, &a, 0.0));
    for (what, (found, known)) in NAMES.iter().zip(found.iter().zip(&known)) {
        is_close(what, found, known, 1e-13);
    }
}

#[test]
fn an_atom_without_neighbours_rests() {
    let entry = &read("collective.json")["embedded_atoms_periodic"];
    let q = repeated(&numbers(&entry["positions"]), numbers(&entry["cell"][0])[0], 2);
    for atoms in [5, 128] {
        let model = Metal { atoms, cell: Cell::OPEN, ..metal(entry, 2) };
        let system = model.bind().unwrap();
        let mut q = q[..3 * atoms].to_vec();
        q[3] = 1e3;
        let a = Seeded::new(5).numbers(q.len());
        for (what, found) in NAMES.iter().zip(evaluated(&system, &q, &a, 0.0)) {
            assert!(found.iter().all(|number| number.is_finite()), "{what} of {atoms}");
            if found.len() == q.len() {
                assert!(found[3..6].iter().all(|number| *number == 0.0), "{what} of {atoms}");
            }
        }
        let hessian = system.hessian(&q, 0.0);
        let (mut product, mut known) = (vec![0.0; q.len()], vec![0.0; q.len()]);
        hessian.multiply(&a, &mut product);
        system.potential_product(&q, 0.0, &a, &mut known);
        is_close("the assembled Hess V a", &product, &known, 1e-12);
    }
}

/// So many points, which have a few neighbours each.
fn crowd(points: usize) -> (Crowd, Vec<f64>) {
    let mut seeded = Seeded::new(77);
    let side = (points as f64).sqrt().ceil();
    let model = Crowd {
        charges: (0..points).map(|k| 0.3 + 0.5 * ((k * 7) % 5) as f64 - 0.1 * (k % 3) as f64).collect(),
        kind: (0..points).map(|k| k % 2).collect(),
        table: [[0.4, -0.3], [0.7, 0.2]],
        posts: 3,
        width: side.max(3.5),
        reach: 1.7,
        rate: 0.3,
    };
    let of_points = (0..points).flat_map(|k| [k as f64 % side, (k as f64 / side).floor()]);
    let mut q: Vec<f64> = of_points.chain([0.4, 0.6, 1.3, 1.6, 0.5, 2.3]).collect();
    q.iter_mut().for_each(|x| *x += 0.3 * seeded.number());
    (model, q)
}

#[test]
fn sums_of_neighbours_are_read_everywhere() {
    let (model, q) = crowd(5);
    let mut seeded = Seeded::new(12);
    for _ in 0..if THOROUGH { 3 } else { 1 } {
        let moved: Vec<f64> = q.iter().map(|q| q + 0.1 * seeded.number()).collect();
        kernels_agree_with_oracle(&model, &moved, &seeded.numbers(q.len()), 0.7);
        constraints_agree_with_oracle(&model, &moved, 0.7);
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "long without optimization: `cargo thorough` runs it")]
fn sums_of_neighbours_are_those_over_all_pairs() {
    // More than 500 pairs have lists.
    for points in [7, 33, 101] {
        let (model, q) = crowd(points);
        let (near, written) = (model.clone().bind().unwrap(), CrowdOfAllPairs(model).bind().unwrap());
        let described = near.description();
        let of_sums = described.sums.iter().chain(&described.constraints).flat_map(|sum| &sum.families);
        let in_range = of_sums.chain(&described.families).filter(|family| family.range.is_some()).count();
        // Five sums of the potential and one of the constraint, and three over pairs that read sums.
        assert_eq!(in_range, 6 + 3, "{described:?}");
        let a = Seeded::new(6).numbers(q.len());
        let (found, known) = (evaluated(&near, &q, &a, 0.7), evaluated(&written, &q, &a, 0.7));
        for (what, (found, known)) in NAMES.iter().zip(found.iter().zip(&known)) {
            is_close(&format!("{what} of {points}"), found, known, 1e-13);
        }
    }
}

/// Another number of positions has no potential, also not the one of the positions before.
#[test]
fn positions_of_another_number_are_unknown() {
    let (model, q) = crowd(110);
    let (mut longer, mut values) = (q.clone(), vec![0.0; 2]);
    longer.push(0.5);
    let system = model.bind().unwrap();
    values.resize(system.constraints(), 0.0);
    let known = evaluated(&system, &q, &q, 0.7);
    for wrong in [&[], &q[..q.len() - 1], &longer[..]] {
        let mut product = q.clone();
        system.potential_product(&q, 0.7, wrong, &mut product);
        assert!(product.iter().all(|entry| entry.is_nan()));
        let mut gradient = q.clone();
        system.potential_gradient(wrong, 0.7, &mut gradient);
        assert!(gradient.iter().all(|entry| entry.is_nan()) && system.potential(wrong, 0.7).is_nan());
        system.constraint_values(wrong, 0.7, &mut values);
        assert!(values.iter().all(|value| value.is_nan()));
        assert!(system.energy(&q, wrong, 0.7).is_nan());
    }
    assert_eq!(evaluated(&system, &q, &q, 0.7), known);
}

/// Layers of points, which bear the densities of all that come before them.
struct Layers {
    points: usize,
}

#[lagrangian]
impl Layers {
    fn lagrangian(&self, x: [Vec3; self.points]) -> Scalar {
        let near = within(1.5, x);
        let densities = each(0..self.points, |i| sum(near.of(i), |(_, d)| (1.5 - d.norm()).powi(2)));
        let borne = each(0..self.points, |i| sum(0..=i, |k| (k as f64 + 1.0) * densities[k]));
        sum(x.iter(), |x| 0.5 * der(*x).norm_squared()) - sum(0..self.points, |i| borne[i].powi(2))
    }
}

/// A partial sum of densities has a row for each point, and so have they.
#[test]
fn densities_are_added_up_in_order() {
    let points = 300;
    let system = Layers { points }.bind().unwrap();
    let described = system.description();
    let families = described.sums.iter().flat_map(|sum| &sum.families);
    let found: Vec<_> = families.map(|family| (family.range.as_deref().unwrap(), family.elements)).collect();
    assert!(found[0].0.starts_with("over pairs that are nearer than 1.5"), "{found:?}");
    assert!(found[1].0.starts_with("partial sums") && found[1].1 == points && found.len() == 2, "{found:?}");
    let q: Vec<f64> = Seeded::new(4).numbers(3 * points).into_iter().map(|x| 6.0 * x).collect();
    let (mut expected, mut borne) = (0.0, 0.0);
    for i in 0..points {
        for j in (0..points).filter(|j| *j != i) {
            let r = (0..3).map(|k| (q[3 * i + k] - q[3 * j + k]).powi(2)).sum::<f64>().sqrt();
            borne += if r < 1.5 { (i as f64 + 1.0) * (1.5 - r).powi(2) } else { 0.0 };
        }
        expected += f64::powi(borne, 2);
    }
    is_close("V", &[system.potential(&q, 0.0)], &[expected], 1e-13);
    kernels_agree_with_oracle(&Layers { points: 5 }, &q[..15], &q[15..30], 0.0);
}
