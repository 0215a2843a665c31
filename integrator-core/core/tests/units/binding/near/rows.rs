//! Sums over the neighbours of points, which belong to rows.

use super::elements::{Density, Formula, Lopsided, density, density_of_pairs, lopsided_rows};
use super::{apart, brute, direction, lattice, points_of, scattered, with_now};
use least_action_core::binding::Cell;
use least_action_core::emitted::v1::{Near, NearFamily, NearKernel, NearPoints};
use least_action_core::internals::near::{At, Operation, Weights};
use least_action_core::lanes::Width;

fn near(count: usize, skin: Option<f64>) -> Near {
    let mut near = NearPoints::new("within", 2.5, 3).expect("a cutoff");
    points_of(&mut near, count);
    near.periodic(Cell::orthorhombic([Some(7.0), None, Some(8.0)]));
    near.except(2, 5);
    near.skin(skin);
    near.finish().expect("a cell")
}

/// The row of a point, and its weight.
fn rows_of(everywhere: bool, point: usize) -> Option<(u32, f64)> {
    (everywhere || point % 5 != 2).then(|| ((point as u32 * 7) % 400, scattered(13 * point) - 0.3))
}

fn compare<F: Formula<X, C>, const X: usize, const C: usize>(
    kernel: &'static NearKernel,
    everywhere: bool,
    coefficients: impl Fn(usize, usize) -> [f64; C] + Copy,
    bind: impl Fn(&mut NearFamily, usize, u32),
    finish: impl Fn(&mut NearFamily),
) {
    let z = lattice(6, 1.125, 0.35);
    let (count, a) = (z.len() / 3, direction(z.len()));
    for skin in [Some(0.3), None] {
        let near = near(count, skin);
        let weight = |point: usize| rows_of(everywhere, point).map(|(_, weight)| weight);
        let expected = brute::sums::<F, X, C>(kernel, near.points(), &z, &a, coefficients, weight);
        let plain = brute::sums::<F, X, C>(kernel, near.points(), &z, &a, coefficients, |point| {
            weight(point).map(|_| 1.0)
        });
        let mut family = NearFamily::new(kernel, &near);
        for point in 0..count {
            if let Some((row, _)) = rows_of(everywhere, point) {
                bind(&mut family, point, row);
            }
        }
        finish(&mut family);
        family.finish();
        assert_eq!(family.layers(), 1);
        for width in Width::available() {
            family.arrange(width.registers(), width.lanes());
            let mut weights = vec![f64::NAN; 400];
            (0..count).filter_map(|point| rows_of(everywhere, point)).for_each(|(row, weight)| {
                weights[row as usize] = weight;
            });
            with_now(|now| {
                for (part, weights, expected) in [(0, None, &plain), (1, Some(&weights), &expected)] {
                    let mut found = [vec![0.0; z.len()], vec![0.0; z.len()], vec![0.0; z.len()]];
                    let [gradient, product, third] = &mut found;
                    if weights.is_none() {
                        let value = family.sum(Operation::Value, At::new(&z, now));
                        assert!(apart(&[value], &expected.weighted[..1]) < 1e-13);
                    }
                    let weights = weights.map_or(Weights::Ones, |weights| Weights::Of(weights));
                    family.add(Operation::Gradient, At::new(&z, now), weights, gradient);
                    family.add(Operation::Product, At::new(&z, now).along(&a), weights, product);
                    family.add(Operation::Third, At::new(&z, now).along(&a), weights, third);
                    for (which, found) in found.iter().enumerate() {
                        let known = &expected.weighted[1 + which * z.len()..][..z.len()];
                        let wrong = apart(found, known);
                        assert!(wrong < 1e-13, "{part} {which}, {} lanes: {wrong:.1e}", width.lanes());
                    }
                }
                let mut rates = vec![0.0; 400];
                family.add_to_rows(Operation::Rate, At::new(&z, now), &mut rates);
                assert!(
                    rates.iter().all(|rate| *rate == 0.0)
                        && family.sum(Operation::Rate, At::new(&z, now)) == 0.0
                );
                let mut found = [vec![0.0; 400], vec![0.0; 400], vec![0.0; 400]];
                let [values, along, quadratic] = &mut found;
                family.add_to_rows(Operation::Value, At::new(&z, now), values);
                family.add_to_rows(Operation::Along, At::new(&z, now).along(&a), along);
                family.add_to_rows(Operation::Quadratic, At::new(&z, now).along(&a), quadratic);
                for (which, found) in found.iter().enumerate() {
                    let mut known = vec![0.0; 400];
                    for (point, sums) in plain.rows.iter().enumerate() {
                        if let Some((row, _)) = rows_of(everywhere, point) {
                            known[row as usize] += sums[which];
                        }
                    }
                    let wrong = apart(found, &known);
                    assert!(wrong < 1e-13, "row {which}, {} lanes: {wrong:.1e}", width.lanes());
                }
            });
        }
    }
}

#[test]
fn densities_have_all_sweeps() {
    for everywhere in [true, false] {
        compare::<Density, 3, 1>(
            &density::KERNEL,
            everywhere,
            |_, _| [1.4],
            |family, point, row| family.visit(row, point, &[], &[], &[]).expect("a row"),
            |family| family.shared(&[1.4]).expect("finite"),
        );
    }
}

#[test]
fn tables_of_rows_need_not_be_symmetric() {
    let kind = |point: usize| point % 2;
    for table in [[[1.0, 1.7], [1.7, 0.8]], [[1.0, 1.7], [1.2, 0.8]]] {
        compare::<Density, 3, 1>(
            &density_of_pairs::KERNEL,
            true,
            |first, second| [table[kind(first)][kind(second)]],
            |family, point, row| family.visit(row, point, &[], &[], &[kind(point) as u64]).expect("a row"),
            |family| {
                for point in 0..family.seconds() {
                    family.second(point, &[], &[], &[kind(point) as u64]).expect("finite");
                }
                for (at, i, j) in family.representatives().expect("four") {
                    family.pair(at, &[table[kind(i)][kind(j)]]).expect("finite");
                }
            },
        );
    }
}

#[test]
fn rows_may_tell_their_ends_apart() {
    let kind = |point: usize| [0.5, -0.8, 1.3][point % 3];
    let charge = |point: usize| scattered(11 * point + 2) - 0.4;
    let coefficients = |i: usize, j: usize| [charge(i), 0.7 * charge(j) + 0.1, kind(i) - 0.3 * kind(j), 0.9];
    for everywhere in [true, false] {
        compare::<Lopsided, 5, 4>(
            &lopsided_rows::KERNEL,
            everywhere,
            coefficients,
            |family, point, row| {
                let coefficients = &coefficients(point, 0)[..1];
                family
                    .visit(row, point, &[3 * point as u32], coefficients, &[point as u64 % 3])
                    .expect("a row");
            },
            |family| {
                family.shared(&[0.9]).expect("finite");
                for point in 0..family.seconds() {
                    let keys = [point as u64 % 3];
                    let coefficients = &coefficients(0, point)[1..2];
                    family.second(point, &[3 * point as u32], coefficients, &keys).expect("finite");
                }
                for (at, i, j) in family.representatives().expect("nine") {
                    family.pair(at, &coefficients(i, j)[2..3]).expect("finite");
                }
            },
        );
    }
}

#[test]
fn a_point_may_have_several_rows() {
    let z = lattice(6, 1.125, 0.35);
    let near = near(z.len() / 3, Some(0.3));
    let mut family = NearFamily::new(&density::KERNEL, &near);
    family.shared(&[1.4]).expect("finite");
    for row in 0..3 {
        family.visit(row, 9, &[], &[], &[]).expect("a row");
    }
    family.visit(3, 10, &[], &[], &[]).expect("a row");
    assert!(family.visit(4, 1000, &[], &[], &[]).is_err());
    family.finish();
    family.arrange(Width::widest().registers(), Width::widest().lanes());
    let mut values = vec![0.0; 4];
    with_now(|now| family.add_to_rows(Operation::Value, At::new(&z, now), &mut values));
    assert!(
        values[0] > 0.0
            && values[0].to_bits() == values[2].to_bits()
            && values[3].to_bits() != values[0].to_bits(),
        "{values:?}"
    );
}
