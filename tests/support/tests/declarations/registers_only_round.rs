//! Numbers from registers are those of one element after the other, but for rounding: in instances too large for dual numbers.

use crate::evaluated;
use declarations::{Chains, Cluster, Disks, Ring, Sheet, Solid, Wells};
use integrator_core::lanes::Width;
use integrator_core::prelude::*;
use std::fmt::Debug;
use test_support::agreement::Seeded;

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
    let found = |width| {
        let bound = model.bind().unwrap_or_else(|error| panic!("{error}"));
        evaluated(&bound.with_width(width), q, &a)
    };
    let expected = found(Width::ONE);
    let mean = expected.iter().map(|number| number.abs()).sum::<f64>() / expected.len() as f64;
    for width in Width::available() {
        let numbers = found(width);
        let wrong = numbers.iter().zip(&expected).position(|(number, expected)| {
            let error = (number - expected).abs();
            error.is_nan() || error > 1e-13 * expected.abs().max(mean)
        });
        let lanes = width.lanes();
        assert_eq!(wrong, None, "the first of {} that differs in {lanes} lanes: {model:?}", numbers.len());
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

/// With depths of their own or one for all; alone in their part of the matrix, one of two, or with others between them.
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

/// Rows long enough that registers begin where cache lines do: before the first partner of an atom, and end behind the last.
#[test]
fn pairs() {
    for atoms in (49..60).chain([100]) {
        only_rounds(&Cluster { atoms, epsilon: 0.7, sigma: 0.02 }, 3 * atoms);
    }
}

/// In the plane, with coefficients of their own or one for all, alone in their part of the matrix or not.
#[test]
fn pairs_in_a_plane() {
    for (count, springs) in [(13, 0), (14, 0), (15, 7), (33, 0), (60, 0), (60, 59)] {
        let varying: Vec<f64> = Seeded::new(7).numbers(count).iter().map(|shift| 1.5 + shift).collect();
        for charges in [vec![0.8; count], varying] {
            only_rounds(&Disks { charges, springs }, 4 * count + 2);
        }
    }
}

/// Tetrahedra that fill blocks of eight or do not, and more than are staged at once; in either order of nodes, and of all orders of
/// elements.
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

/// Triangles of points with one, two and three components, in both orders; blocks of the matrix of every shape between them.
#[test]
fn sheets() {
    for (points, count) in [(16, 16), (20, 41), (25, 48), (400, 1500)] {
        let corners = |k: usize| [k, k * k + 1 + k % 2, 5 * k + 7].map(|corner| corner % points);
        let all = (0..).map(corners).filter(|[a, b, c]| a != b && b != c && a != c);
        only_rounds(&Sheet { points, triangles: all.take(count).collect() }, 6 * points);
    }
}
