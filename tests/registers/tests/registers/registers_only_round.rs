//! Registers give the numbers of one element after the other, but for rounding, in instances too large
//! for dual numbers. Registers of any width give the same bits, with any number of threads.
//!
//! One element after the other rounds differently by intent: sums of products are rounded twice,
//! functions come from the standard library, and sums are added in their order. Only so its bits are
//! equal on every processor, also without registers.

use declarations::{
    Breathing, Chains, Cluster, Coil, Disks, Embedded, Gyration, MeanField, Ring, Sheet, Smoothed,
    SoftMinimum, Solid, Strand, Throng, Wells,
};
use least_action::lanes::Width;
use least_action::prelude::*;
use std::fmt::Debug;
use test_support::agreement::{Seeded, evaluated};

/// Compares everything that is evaluated in all widths, at a point that looks random.
#[track_caller]
fn only_rounds<M: Model + Debug>(model: &M, dimension: usize)
where
    Bound<M>: Natural,
{
    only_rounds_at(model, &Seeded::new(dimension as u64 + 1).numbers(dimension));
}

/// The same at this point.
#[track_caller]
fn only_rounds_at<M: Model + Debug>(model: &M, q: &[f64])
where
    Bound<M>: Natural,
{
    let a = Seeded::new(q.len() as u64).numbers(q.len());
    rounds_only(model, 1e-13, |system| evaluated(system, q, &a));
}

/// Compares the evaluations in all widths.
#[track_caller]
fn rounds_only<M: Model + Debug>(model: &M, tolerance: f64, evaluated: impl Fn(&Bound<M>) -> Vec<f64> + Sync)
where
    Bound<M>: Sync,
{
    let found = |width: Width, threads: usize| {
        let bound = model.bind().unwrap_or_else(|error| panic!("{error}")).with_width(width);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap_or_else(|error| panic!("{error}")).install(|| evaluated(&bound))
    };
    let expected = found(Width::ONE, 1);
    let mean = expected.iter().map(|number| number.abs()).sum::<f64>() / expected.len() as f64;
    let mut in_registers: Option<Vec<f64>> = None;
    for width in Width::available() {
        let (lanes, numbers) = (width.lanes(), found(width, 1 + width.lanes() % 3));
        let wrong = numbers.iter().zip(&expected).position(|(number, expected)| {
            let error = (number - expected).abs();
            error.is_nan() || error > tolerance * expected.abs().max(mean)
        });
        assert_eq!(wrong, None, "the first of {} that differs in {lanes} lanes: {model:?}", numbers.len());
        if lanes > 1 {
            let same = in_registers.get_or_insert_with(|| numbers.clone());
            let differs =
                same.iter().zip(&numbers).position(|(other, number)| other.to_bits() != number.to_bits());
            assert_eq!(
                differs,
                None,
                "the first of {} with other bits in {lanes} lanes: {model:?}",
                numbers.len()
            );
        }
    }
}

/// Of every length that registers divide or do not, alone in their part of the matrix or not.
#[test]
fn chains() {
    let lengths = 15..36;
    let alone = lengths.clone().map(|beads| (beads, None, false, false));
    let held = lengths.map(|beads| (beads, Some(0.4), false, false));
    let others = [
        (29, None, true, false),
        (32, None, false, true),
        (33, Some(0.4), true, true),
        (90, None, true, false),
        (1000, None, false, false),
    ];
    for (beads, hold, closed, stiffened) in alone.chain(held).chain(others) {
        only_rounds(&Chains { beads, stiffness: 1.7, hold, closed, stiffened }, 6 * beads + 1);
    }
}

/// With own depths or one for all; alone in their part of the matrix, one of two, or among others.
#[test]
fn sites() {
    for count in (15..26).chain([200]) {
        for (doubled, coupled) in [(false, false), (true, false), (false, true), (true, true)] {
            let varying: Vec<f64> = Seeded::new(3).numbers(count).iter().map(|shift| 1.5 + shift).collect();
            for depths in [vec![0.8; count], varying] {
                only_rounds(&Wells { depths, doubled, coupled }, 6 * count);
            }
        }
    }
}

/// The last element reads the last point and the first.
#[test]
fn rings() {
    for rotors in (60..70).chain([500]) {
        only_rounds(&Ring { rotors, coupling: 1.7, shared: 0.0 }, rotors);
        only_rounds(&Ring { rotors, coupling: 1.7, shared: 0.2 }, rotors);
    }
}

/// Rows so long that registers begin at cache lines: before the first partner, and end behind the last.
#[test]
fn pairs() {
    for atoms in (49..60).chain([100]) {
        only_rounds(&Cluster { atoms, epsilon: 0.7, sigma: 0.02 }, 3 * atoms);
    }
}

/// In the plane, with own coefficients or one for all, alone in their part of the matrix or not.
#[test]
fn pairs_in_a_plane() {
    for (count, springs) in [(13, 0), (14, 0), (15, 7), (33, 0), (60, 0), (60, 59)] {
        let varying: Vec<f64> = Seeded::new(7).numbers(count).iter().map(|shift| 1.5 + shift).collect();
        for charges in [vec![0.8; count], varying] {
            only_rounds(&Disks { charges, springs }, 2 * count + 1);
        }
    }
}

/// Tetrahedra that fill blocks of eight or do not, and more than are staged at once; in either order of
/// nodes, and in all orders of elements.
#[test]
fn meshes() {
    for (cells, ascending, kept, shuffled) in [
        (2, true, 48, false),
        (2, false, 47, false),
        (2, false, 41, true),
        (3, true, 17, false),
        (3, false, 162, true),
        (5, true, 750, false),
        (5, false, 747, true),
        (6, false, 1296, false),
    ] {
        let mut model = Solid::cube(cells, ascending);
        let count = model.tetrahedra.len();
        if shuffled {
            // 7 divides no number of tetrahedra.
            model.tetrahedra = (0..count).map(|k| model.tetrahedra[7 * k % count]).collect();
        }
        model.tetrahedra.truncate(kept);
        let rest = model.nodes.as_flattened();
        let shift = Seeded::new(kept as u64).numbers(rest.len());
        let q: Vec<f64> = rest.iter().zip(shift).map(|(place, shift)| 1.1 * place + 0.1 * shift).collect();
        only_rounds_at(&model, &q);
    }
}

/// Triangles of points with one, two and three components, in both orders; matrix blocks of every shape.
#[test]
fn sheets() {
    for (points, count) in [(16, 16), (20, 41), (25, 48), (400, 1500)] {
        let corners = |k: usize| [k, k * k + 1 + k % 2, 5 * k + 7].map(|corner| corner % points);
        let all = (0..).map(corners).filter(|[a, b, c]| a != b && b != c && a != c);
        only_rounds(&Sheet { points, triangles: all.take(count).collect() }, 6 * points);
    }
}

/// Sums that functions read: of points, of pairs, of other sums; sums that advance with readers.
#[test]
fn sums() {
    for count in [15, 16, 33, 70] {
        let varying: Vec<f64> = Seeded::new(9).numbers(count).iter().map(|shift| 1.5 + shift).collect();
        only_rounds(&Gyration { beads: count, stiffness: 1.3, radius: 0.4, bond: 0.7 }, 3 * count);
        only_rounds(&MeanField { coupling: 1.1, wells: varying.clone() }, count);
        let centres = Seeded::new(8).numbers(2 * count).as_chunks().0.to_vec();
        let offsets = Seeded::new(4).numbers(count);
        only_rounds(&SoftMinimum { temperature: 0.8, stiffness: varying, centres, offsets }, 2);
    }
    for count in [15, 16, 33, 70] {
        let lattice = |dimension: u32, spacing: f64| -> Vec<f64> {
            let entries = (0..count).flat_map(|i| (0..dimension).map(move |k| i / 5_usize.pow(k) % 5));
            let shift = Seeded::new(2).numbers(count * dimension as usize);
            entries.zip(shift).map(|(place, shift)| spacing * place as f64 + 0.2 * shift).collect()
        };
        only_rounds_at(
            &Smoothed { particles: count, h: 0.9, mass: 0.7, k: 1.2, gamma: 2.5 },
            &lattice(2, 1.0),
        );
        let kind: Vec<usize> = (0..count).map(|k| k * k % 3 % 2).collect();
        let of_kinds = |one: f64, other: f64| vec![vec![one, other], vec![other, 0.9 * one]];
        let metal = Embedded {
            kind,
            repulsion: of_kinds(0.1, 0.2),
            hopping: of_kinds(1.2, 1.1),
            steepness: of_kinds(10.0, 9.5),
            decay: of_kinds(2.3, 2.6),
            distance: of_kinds(1.0, 1.1),
        };
        only_rounds_at(&metal, &lattice(3, 1.1));
    }
}

/// Sums that functions of positions and velocities read, some of them partial sums.
#[test]
fn sums_of_velocities() {
    for count in [15, 16, 33, 70] {
        let varying: Vec<f64> = Seeded::new(9).numbers(count).iter().map(|shift| 1.5 + shift).collect();
        let groups = vec![3, count / 2, count];
        let [masses, weights, rods] = [(); 3].map(|()| varying.clone());
        moving_only_rounds(&Throng { weights, groups, rate: 0.7 }, count);
        moving_only_rounds(&Strand { rods, masses, gravity: 9.81 }, count);
        let breathing = Breathing { masses: varying, inertia: 0.4, stiffness: 1.7, radius: 0.3 };
        moving_only_rounds(&breathing, 2 * count);
    }
}

#[track_caller]
fn moving_only_rounds<M: Model + Debug>(model: &M, dimension: usize)
where
    Bound<M>: Lagrangian,
{
    let [q, v] = [3, 5].map(|seed| Seeded::new(seed).numbers(dimension));
    rounds_only(model, 1e-12, |system| {
        let mut all = vec![f64::NAN; 2 * dimension + 1];
        system.first_derivatives(&q, &v, 0.3, &mut all);
        all.push(system.lagrangian(&q, &v, 0.3));
        all
    });
}

/// Sums that constraints read.
#[test]
fn sums_of_constraints() {
    for beads in [15, 16, 33, 70] {
        let [q, a] = [3, 5].map(|seed| Seeded::new(seed).numbers(3 * beads));
        rounds_only(&Coil { beads, radius: 0.3 }, 1e-13, |system| {
            let (mut value, mut quadratic) = ([f64::NAN], [f64::NAN]);
            let mut rows = vec![f64::NAN; system.jacobian_pattern().len()];
            system.jacobian(&q, 0.0, &mut value, &mut rows);
            system.constraint_quadratic(&q, 0.0, &a, &mut quadratic);
            let (mut product, mut third) = (vec![0.0; q.len()], vec![0.0; q.len()]);
            system.add_weighted_product(&q, 0.0, &[0.7], &a, &mut product);
            system.add_weighted_third(&q, 0.0, &[0.7], &a, &mut third);
            [&value[..], &rows, &quadratic, &product, &third].concat()
        });
    }
}
