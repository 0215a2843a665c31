//! Lists are caches: no bit of a result depends on them.

use super::elements::{Lopsided, Plane, Switched, lopsided, plane, switched_shared};
use super::{all, apart, bits, brute, direction, family, lattice, points_of, scattered, with_now};
use least_action_core::binding::Cell;
use least_action_core::emitted::v1::{Near, NearFamily, NearPoints};
use least_action_core::internals::near::{At, Operation, Weights};
use least_action_core::lanes::Width;

const SHARED: [f64; 4] = [1.0, 1.0, 2.0, 2.5];

pub(super) fn registers() -> Vec<Width> {
    Width::available().into_iter().filter(|width| width.registers().is_some()).collect()
}

/// Points of a liquid in a cell, or of a drop.
fn liquid(cell: Cell, count: usize, skin: Option<f64>) -> Near {
    let mut near = NearPoints::new("within", SHARED[3], 3).expect("a cutoff");
    points_of(&mut near, count);
    near.periodic(cell);
    near.except(0, 1);
    near.except(17, 3);
    near.skin(skin);
    near.finish().expect("a liquid")
}

fn cells() -> [Cell; 5] {
    [
        Cell::OPEN,
        Cell::cubic(9.0),
        Cell::orthorhombic([Some(9.0), None, Some(12.0)]),
        Cell::triclinic([[9.0, 0.0, 0.0], [2.5, 9.0, 0.0], [-3.0, 1.5, 9.5]]),
        // Skins reach beyond half of it.
        Cell::triclinic([[6.1, 0.0, 0.0], [2.9, 6.2, 0.0], [-2.0, 1.5, 6.5]]),
    ]
}

#[test]
fn no_list_changes_a_bit() {
    let z = lattice(8, 1.125, 0.35);
    let (count, a) = (z.len() / 3, direction(z.len()));
    let moved: Vec<f64> =
        z.iter().enumerate().map(|(index, x)| x + 0.08 * (scattered(2 * index + 1) - 0.5)).collect();
    for cell in cells() {
        let mut expected: Option<Vec<u64>> = None;
        for width in registers() {
            for skin in [None, Some(0.1), Some(0.3), Some(1.0)] {
                let near = liquid(cell, count, skin);
                let family = family(&switched_shared::KERNEL, &near, &SHARED, width);
                for pool in [1, 2, 5] {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(pool).build().expect("threads");
                    // At first with an own list, then with one of other positions, then with one of two.
                    let fresh = pool.install(|| all(&family, &moved, &a));
                    pool.install(|| all(&family, &z, &a));
                    let far: Vec<f64> = moved.iter().map(|x| 1.01 * x).collect();
                    pool.install(|| all(&family, &far, &a));
                    pool.install(|| all(&family, &z, &a));
                    let aged = pool.install(|| all(&family, &moved, &a));
                    assert_eq!(bits(&fresh), bits(&aged), "{cell:?} {skin:?}");
                    let expected = expected.get_or_insert_with(|| bits(&fresh));
                    assert!(*expected == bits(&fresh), "{cell:?}, skin {skin:?}, {} lanes", width.lanes());
                }
            }
        }
    }
}

#[test]
fn no_number_of_threads_changes_a_bit() {
    // So many points that their lists, records and sums are made by several threads.
    let edge = 33;
    let z = lattice(edge, 1.2, 0.35);
    let a = direction(z.len());
    let mut expected: Option<Vec<u64>> = None;
    for threads in [1, 2, 5] {
        let near = liquid(Cell::cubic(1.2 * edge as f64), z.len() / 3, Some(0.3));
        let family = family(&switched_shared::KERNEL, &near, &SHARED, Width::widest());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let found = pool.install(|| bits(&all(&family, &z, &a)));
        assert!(*expected.get_or_insert_with(|| found.clone()) == found, "{threads} threads");
    }
}

#[test]
fn sums_are_those_over_all_pairs_with_an_if() {
    let z = lattice(7, 1.125, 0.35);
    let (count, a) = (z.len() / 3, direction(z.len()));
    for cell in cells() {
        let near = liquid(cell, count, Some(0.3));
        let expected = brute::sums::<Switched, 3, 4>(
            &switched_shared::KERNEL,
            near.points(),
            &z,
            &a,
            |_, _| SHARED,
            |_| Some(1.0),
        );
        for width in Width::available() {
            let family = family(&switched_shared::KERNEL, &near, &SHARED, width);
            let found = all(&family, &z, &a);
            assert!(apart(&found[..1], &expected.weighted[..1]) < 1e-13);
            for part in 0..3 {
                let part = 1 + part * z.len()..1 + (part + 1) * z.len();
                let wrong = apart(&found[part.clone()], &expected.weighted[part]);
                assert!(wrong < 1e-13, "{cell:?}, {} lanes: {wrong:.1e}", width.lanes());
            }
        }
    }
}

/// The coefficients of [`Lopsided`]: of each end, of the pair, of all.
fn charges(first: usize, second: usize) -> [f64; 4] {
    let kind = |end: usize| [0.5, -0.8, 1.3][end % 3];
    let charge = |end: usize| scattered(11 * end + 2) - 0.4;
    [charge(first), 0.7 * charge(second) + 0.1, kind(first) - 0.3 * kind(second), 0.9]
}

/// A family of an element that tells its ends apart, whose second ends begin with this point.
pub(super) fn lopsided_family(near: &Near, width: Width, second: usize) -> NearFamily {
    let mut family = NearFamily::new(&lopsided::KERNEL, near);
    family.shared(&[charges(0, 0)[3]]).expect("finite");
    for end in 0..family.firsts() {
        family.first(end, &[3 * end as u32], &charges(end, 0)[..1], &[end as u64 % 3]).expect("finite");
    }
    for end in 0..family.seconds() {
        let point = end + second;
        family
            .second(end, &[3 * point as u32], &charges(0, point)[1..2], &[point as u64 % 3])
            .expect("finite");
    }
    for (at, i, j) in family.representatives().expect("nine") {
        family.pair(at, &charges(i, j + second)[2..3]).expect("finite");
    }
    family.finish();
    family.arrange(width.registers(), width.lanes());
    family
}

#[test]
fn elements_may_tell_their_ends_apart() {
    let z = lattice(6, 1.125, 0.35);
    let (count, a) = (z.len() / 3, direction(z.len()));
    for (first_array, skin) in [(None, Some(0.3)), (None, None), (Some(90), Some(0.3)), (Some(90), None)] {
        let mut near = NearPoints::new("within", 2.5, 3).expect("a cutoff");
        for point in 0..count {
            if first_array == Some(point) {
                near.then_second_array();
            }
            near.point(3 * point as u32);
        }
        near.periodic(Cell::orthorhombic([Some(7.0), None, Some(8.0)]));
        near.except(0, 1);
        near.skin(skin);
        let near = near.finish().expect("a cell");
        let weight = |_: usize| Some(1.0);
        let expected =
            brute::sums::<Lopsided, 5, 4>(&lopsided::KERNEL, near.points(), &z, &a, charges, weight);
        let mut before: Option<Vec<u64>> = None;
        for width in Width::available() {
            let family = lopsided_family(&near, width, first_array.unwrap_or(0));
            let found = all(&family, &z, &a);
            for part in [0..1, 1..1 + z.len(), 1 + z.len()..1 + 2 * z.len(), 1 + 2 * z.len()..1 + 3 * z.len()]
            {
                let wrong = apart(&found[part.clone()], &expected.weighted[part.clone()]);
                assert!(wrong < 1e-13, "{first_array:?}, {} lanes, {part:?}: {wrong:.1e}", width.lanes());
            }
            if width.registers().is_some() {
                let before = before.get_or_insert_with(|| bits(&found));
                assert!(*before == bits(&found));
            }
        }
    }
}

#[test]
fn points_may_be_whole_cells_away() {
    let rows = [[9.0, 0.0, 0.0], [2.5, 9.0, 0.0], [-3.0, 1.5, 9.5]];
    let z = lattice(8, 1.125, 0.35);
    let (count, a) = (z.len() / 3, direction(z.len()));
    let mut away = z.clone();
    for (point, x) in away.chunks_exact_mut(3).enumerate() {
        for (direction, row) in rows.iter().enumerate() {
            let turns = (9.0 * (scattered(5 * point + direction) - 0.5)).round();
            x.iter_mut().zip(row).for_each(|(x, edge)| *x += turns * edge);
        }
    }
    let near = liquid(Cell::triclinic(rows), count, Some(0.3));
    let family = family(&switched_shared::KERNEL, &near, &SHARED, Width::widest());
    let wrong = apart(&all(&family, &away, &a), &all(&family, &z, &a));
    assert!(wrong < 1e-12, "{wrong:.1e}");
}

#[test]
fn points_that_are_nowhere_or_far_away_or_at_one_place_do_no_harm() {
    let good = lattice(6, 1.125, 0.35);
    let count = good.len() / 3;
    let a = direction(good.len());
    for cell in [Cell::OPEN, Cell::cubic(7.0), cells()[4]] {
        for (skin, width) in [(Some(0.3), Width::widest()), (None, Width::ONE), (Some(0.1), Width::ONE)] {
            let near = liquid(cell, count, skin);
            let family = family(&switched_shared::KERNEL, &near, &SHARED, width);
            let mut cases: Vec<Vec<f64>> = Vec::new();
            for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300, 1e18, -4e9, 1e-320] {
                for at in [0, 1, 77, good.len() - 1] {
                    let mut z = good.clone();
                    z[at] = bad;
                    cases.push(z);
                }
                cases.push(vec![bad; good.len()]);
            }
            // Two points at one place, all at one place, and flying apart.
            let mut z = good.clone();
            z.copy_within(30..33, 60);
            cases.push(z);
            cases.push([0.3, 0.2, 0.1].repeat(count));
            cases.push(good.iter().enumerate().map(|(index, x)| x * 1e4 * scattered(index)).collect());
            cases.push(
                good.iter().enumerate().map(|(index, x)| x * 10_f64.powi(index as i32 % 300)).collect(),
            );
            for z in cases {
                all(&family, &z, &a);
            }
            // Nothing is left of them.
            let fresh = super::family(&switched_shared::KERNEL, &liquid(cell, count, skin), &SHARED, width);
            assert_eq!(bits(&all(&family, &good, &a)), bits(&all(&fresh, &good, &a)));
        }
    }
}

/// Where numbers have no digits left for a cutoff, their differences still decide which pairs are near,
/// equally from both ends.
#[test]
fn points_that_are_farther_than_their_digits_have_the_neighbours_of_the_definition() {
    let good = lattice(6, 1.125, 0.35);
    let count = good.len() / 3;
    let a = vec![0.0; good.len()];
    for cell in [Cell::OPEN, Cell::cubic(7.0), cells()[3]] {
        let near = liquid(cell, count, Some(0.3));
        for width in registers() {
            let family = family(&switched_shared::KERNEL, &near, &SHARED, width);
            for exponent in [8, 12, 15, 16, 17, 18, 20] {
                let away = |index: usize| 10_f64.powi(exponent) * (scattered(5 * index) - 0.3);
                let one = |index: usize| if index < 3 { away(index) } else { 0.0 };
                for shift in [&away as &dyn Fn(usize) -> f64, &one] {
                    let far: Vec<f64> = good.iter().enumerate().map(|(index, x)| x + shift(index)).collect();
                    let expected = brute::sums::<Switched, 3, 4>(
                        &switched_shared::KERNEL,
                        near.points(),
                        &far,
                        &a,
                        |_, _| SHARED,
                        |_| Some(1.0),
                    );
                    let found = all(&family, &far, &a);
                    let (found, expected) = (&found[..=good.len()], &expected.weighted[..=good.len()]);
                    let wrong = apart(found, expected);
                    // Some are at one place then.
                    let is_lost = |numbers: &[f64]| numbers.iter().any(|number| !number.is_finite());
                    let is_same = wrong < 1e-12 || is_lost(found) && is_lost(expected);
                    assert!(is_same, "{cell:?}, 1e{exponent}: {wrong:.1e}");
                }
            }
        }
    }
}

/// A point with a coordinate that is no number, or infinite, has no neighbours; all others have theirs.
#[test]
fn a_lost_point_leaves_the_others_alone() {
    let z = lattice(6, 1.125, 0.35);
    let count = z.len() / 3;
    let near = liquid(Cell::OPEN, count, Some(0.3));
    let family = family(&switched_shared::KERNEL, &near, &SHARED, Width::widest());
    for bad in [f64::NAN, f64::INFINITY, 1e300, 1e12] {
        let mut lost = z.clone();
        lost[3 * 40 + 1] = bad;
        let a = vec![0.0; z.len()];
        let expected = brute::sums::<Switched, 3, 4>(
            &switched_shared::KERNEL,
            near.points(),
            &lost,
            &a,
            |_, _| SHARED,
            |_| Some(1.0),
        );
        let found = all(&family, &lost, &a);
        assert!(apart(&found[..=z.len()], &expected.weighted[..=z.len()]) < 1e-13);
    }
}

#[test]
fn momentum_is_kept_to_rounding_and_forces_of_pairs_are_opposite() {
    let z = lattice(8, 1.125, 0.35);
    let near = liquid(Cell::cubic(9.0), z.len() / 3, Some(0.3));
    let family = family(&switched_shared::KERNEL, &near, &SHARED, Width::widest());
    let mut gradient = vec![0.0; z.len()];
    with_now(|now| family.add(Operation::Gradient, At::new(&z, now), Weights::Ones, &mut gradient));
    let largest = gradient.iter().fold(0.0_f64, |largest, number| largest.max(number.abs()));
    for component in 0..3 {
        let total: f64 = gradient.iter().skip(component).step_by(3).sum();
        assert!(total.abs() < 1e-12 * largest, "{total:e}");
    }
}

/// Second derivatives equal the product, and elements add up to the sum.
#[test]
fn an_assembly_has_second_derivatives_and_elements() {
    use least_action_core::system::{Natural, System};
    let z = lattice(4, 1.125, 0.35);
    let (count, a) = (z.len() / 3, direction(z.len()));
    for skin in [Some(0.3), None] {
        let system = super::assembly(count, |binder| {
            for lopsided in [false, true] {
                let near = liquid(Cell::orthorhombic([Some(5.1), None, Some(5.2)]), count, skin);
                let family = if lopsided {
                    lopsided_family(&near, Width::ONE, 0)
                } else {
                    let mut family = NearFamily::new(&switched_shared::KERNEL, &near);
                    family.shared(&SHARED).expect("finite");
                    family
                };
                binder.near_potential(family).expect("memory");
            }
        });
        let n = z.len();
        let (mut gradient, mut expected) = (vec![0.0; n], vec![0.0; n]);
        let mut hessian = vec![0.0; system.potential_pattern().len()];
        assert!(system.dimension() == n && system.affords_second_derivatives().is_ok());
        system.potential_second(&z, 0.0, &mut gradient, &mut hessian);
        system.potential_gradient(&z, 0.0, &mut expected);
        assert_eq!(bits(&gradient), bits(&expected));
        let mut product = vec![0.0; n];
        for ((row, column), value) in system.potential_pattern().entries().zip(&hessian) {
            product[row] += value * a[column];
            if row != column {
                product[column] += value * a[row];
            }
        }
        system.potential_product(&z, 0.0, &a, &mut expected);
        assert!(apart(&product, &expected) < 1e-12, "{:.1e}", apart(&product, &expected));
        let elements = system.elements().expect("few pairs are elements, whatever list there is");
        let (mut value, mut sum) = (0.0, vec![0.0; n]);
        elements.visit_elements(&mut |element, reads| {
            let x: Vec<f64> = reads.iter().map(|at| z[*at as usize]).collect();
            let mut found = vec![0.0; x.len()];
            value += elements.element_value(element, &x, 0.0);
            elements.element_gradient(element, &x, 0.0, &mut found);
            reads.iter().zip(&found).for_each(|(at, found)| sum[*at as usize] += found);
        });
        assert!(apart(&[value], &[system.potential(&z, 0.0)]) < 1e-12);
        assert!(apart(&sum, &gradient) < 1e-12);
    }
}

#[test]
fn what_would_have_too_many_second_derivatives_is_refused_with_their_number() {
    let count = 2000;
    let system = super::assembly(count, |binder| {
        let mut family =
            NearFamily::new(&switched_shared::KERNEL, &liquid(Cell::cubic(14.0), count, Some(0.3)));
        family.shared(&SHARED).expect("finite");
        binder.near_potential(family).expect("memory");
    });
    let refused = system.affords_second_derivatives().expect_err("too many").to_string();
    assert!(refused.contains("17991000") && refused.contains("verlet"), "{refused}");
}

#[test]
fn points_of_the_plane_have_cells_too() {
    let z = lattice(7, 1.125, 0.35);
    let (count, a) = (z.len() / 3, direction(z.len()));
    let charge = |point: usize| scattered(11 * point + 2) - 0.4;
    let cells = [
        Cell::OPEN,
        Cell::orthorhombic([Some(8.0), None, None]),
        Cell::cubic(8.0),
        Cell::triclinic([Some([8.0, 0.0, 0.0]), Some([3.0, 7.5, 0.0]), None]),
    ];
    for cell in cells {
        for skin in [Some(0.3), None] {
            let mut near = NearPoints::new("within", 1.5, 2).expect("a cutoff");
            points_of(&mut near, count);
            near.periodic(cell);
            near.skin(skin);
            let near = near.finish().expect("a cell");
            let mut family = NearFamily::new(&plane::KERNEL, &near);
            for point in 0..count {
                family.first(point, &[], &[charge(point)], &[]).expect("finite");
                family.second(point, &[], &[charge(point)], &[]).expect("finite");
            }
            family.finish();
            let coefficients = |i: usize, j: usize| [charge(i), charge(j)];
            let points = near.points();
            let expected =
                brute::sums::<Plane, 2, 2>(&plane::KERNEL, points, &z, &a, coefficients, |_| Some(1.0));
            for width in Width::available() {
                family.arrange(width.registers(), width.lanes());
                let wrong = apart(&all(&family, &z, &a), &expected.weighted);
                assert!(wrong < 1e-13, "{cell:?}, {} lanes: {wrong:.1e}", width.lanes());
            }
        }
    }
}
