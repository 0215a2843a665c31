//! Systems whose potential reads sums over near pairs.

use super::elements::{density, density_of_all, dressed, dressed_rows, root, switched_shared};
use super::{apart, bits, direction, lattice, points_of, scattered};
use least_action_core::binding::Cell;
use least_action_core::emitted::v1::{Family, Near, NearFamily, NearPoints, Reader, RowsOf};
use least_action_core::internals::binding::Assembly;
use least_action_core::lanes::Width;
use least_action_core::system::{Forced, Lagrangian, Natural};

const RANGE: f64 = 1.4;

fn near(count: usize, skin: Option<f64>) -> Near {
    let mut near = NearPoints::new("within", 2.5, 3).expect("a cutoff");
    points_of(&mut near, count);
    near.periodic(Cell::orthorhombic([Some(7.0), None, Some(8.0)]));
    near.except(2, 5);
    near.skin(skin);
    near.finish().expect("a cell")
}

/// Σ c √ρᵢ + Σ c √σᵢ + c √τ + a sum over pairs that reads ρ at either end, where ρ is a density, σ a sum
/// over neighbours that reads ρ, too, and τ a sum over all pairs.
fn system(count: usize, skin: Option<f64>) -> Assembly {
    super::assembly(count, |binder| {
        let points = near(count, skin);
        binder.begin_collective(Reader::Positions, "density", 1);
        let mut family = NearFamily::new(&density::KERNEL, &points);
        family.shared(&[RANGE]).expect("finite");
        for point in 0..count {
            let row = binder.collective_row(&[point], "density").expect("a row");
            family.visit(row, point, &[], &[], &[]).expect("a point");
        }
        binder.near_collective(family).expect("memory");
        let density: Vec<u32> = (0..count)
            .map(|point| binder.collective(Reader::Positions, (0, 0), &[point], "density").expect("a row"))
            .collect();
        binder.begin_collective(Reader::Positions, "deep", 1);
        let mut family = NearFamily::new(&dressed_rows::KERNEL, &points);
        family.shared(&[RANGE]).expect("finite");
        for (point, density) in density.iter().enumerate() {
            let row = binder.collective_row(&[point], "deep").expect("a row");
            family.visit(row, point, &[*density], &[], &[]).expect("a point");
            family.second(point, &[*density], &[], &[]).expect("finite");
        }
        binder.near_collective(family).expect("memory");
        binder.begin_collective(Reader::Positions, "all", 1);
        let row = binder.collective_row(&[], "all").expect("a row");
        let mut family = NearFamily::new(&density_of_all::KERNEL, &points);
        family.shared(&[RANGE]).expect("finite");
        family.row(row);
        binder.near_collective(family).expect("memory");
        let mut roots = Family::new(root::KERNEL.kernel.clone(), binder.room());
        for (point, density) in density.iter().enumerate() {
            roots.push(&[*density], &[-0.3]).expect("finite");
            let deep = binder.collective(Reader::Positions, (1, 0), &[point], "deep").expect("a row");
            roots.push(&[deep], &[0.2]).expect("finite");
        }
        roots
            .push(&[binder.collective(Reader::Positions, (2, 0), &[], "all").expect("a row")], &[0.7])
            .expect("finite");
        binder.potential(roots);
        let mut family = NearFamily::new(&dressed::KERNEL, &points);
        family.shared(&[RANGE]).expect("finite");
        for (point, density) in density.iter().enumerate() {
            family.first(point, &[*density], &[], &[]).expect("finite");
            family.second(point, &[*density], &[], &[]).expect("finite");
        }
        binder.near_potential(family).expect("memory");
    })
}

/// Value, gradient, product and third contraction.
fn all(system: &Assembly, z: &[f64], a: &[f64]) -> Vec<f64> {
    let mut vector = vec![0.0; z.len()];
    let mut found = vec![system.potential(z, 0.0)];
    system.potential_gradient(z, 0.0, &mut vector);
    found.extend(&vector);
    system.potential_product(z, 0.0, a, &mut vector);
    found.extend(&vector);
    system.potential_third(z, 0.0, a, &mut vector);
    found.extend(&vector);
    found
}

#[test]
fn no_list_changes_a_bit_of_functions_of_sums() {
    let z = lattice(6, 1.125, 0.35);
    let (count, a) = (z.len() / 3, direction(z.len()));
    let moved: Vec<f64> =
        z.iter().enumerate().map(|(index, x)| x + 0.08 * (scattered(2 * index + 1) - 0.5)).collect();
    let far: Vec<f64> = moved.iter().map(|x| 1.01 * x).collect();
    let mut expected: Option<Vec<u64>> = None;
    for width in super::lists::registers() {
        for skin in [None, Some(0.1), Some(0.3), Some(1.0)] {
            let mut system = system(count, skin);
            system.set_width(width);
            for pool in [1, 2, 5] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(pool).build().expect("threads");
                let fresh = pool.install(|| all(&system, &moved, &a));
                for other in [&z, &far, &z] {
                    pool.install(|| all(&system, other, &a));
                }
                let aged = pool.install(|| all(&system, &moved, &a));
                assert_eq!(bits(&fresh), bits(&aged), "{skin:?}");
                let expected = expected.get_or_insert_with(|| bits(&fresh));
                assert!(*expected == bits(&fresh), "skin {skin:?}, {} lanes", width.lanes());
            }
        }
    }
}

/// A term of L and a dissipation: Σ c √uᵢ each, u a sum over neighbours that reads velocities of both.
fn moving(count: usize, skin: Option<f64>) -> Assembly {
    super::assembly(count, |binder| {
        let points = near(count, skin);
        let velocity = |point: usize| 3 * (count + point) as u32;
        binder.begin_collective(Reader::Motion, "flow", 1);
        let mut family = NearFamily::new(&dressed_rows::KERNEL, &points);
        family.shared(&[RANGE]).expect("finite");
        for point in 0..count {
            let row = binder.collective_row(&[point], "flow").expect("a row");
            family.visit(row, point, &[velocity(point)], &[], &[]).expect("a point");
            family.second(point, &[velocity(point)], &[], &[]).expect("finite");
        }
        binder.near_collective(family).expect("memory");
        let roots = |factor: f64| {
            let mut roots = Family::new(root::KERNEL.kernel.clone(), binder.room());
            for point in 0..count {
                let row = binder.collective(Reader::Motion, (0, 0), &[point], "flow").expect("a row");
                roots.push(&[row], &[factor]).expect("finite");
            }
            roots
        };
        let (general, dissipated) = (roots(0.3), roots(0.7));
        binder.general(general);
        binder.begin_dissipation("drag");
        binder.dissipated(dissipated);
    })
}

#[test]
fn no_list_changes_a_bit_of_sums_of_velocities() {
    let q = lattice(6, 1.125, 0.35);
    let (n, count) = (q.len(), q.len() / 3);
    // Positive, so that every root is a number.
    let v: Vec<f64> = (0..n).map(|index| 0.1 + scattered(5 * index + 2)).collect();
    let moved: Vec<f64> =
        q.iter().enumerate().map(|(index, x)| x + 0.08 * (scattered(2 * index + 1) - 0.5)).collect();
    let far: Vec<f64> = moved.iter().map(|x| 1.01 * x).collect();
    let all = |system: &Assembly, q: &[f64]| {
        let (mut gradient, mut force) = (vec![0.0; 2 * n + 1], vec![0.0; n]);
        system.first_derivatives(q, &v, 0.0, &mut gradient);
        system.add_dissipation(q, &v, 0.0, &mut force);
        let found = [vec![system.lagrangian(q, &v, 0.0)], gradient, force].concat();
        assert!(found.iter().all(|number| number.is_finite()));
        assert!(found[1 + n..].iter().any(|number| *number != 0.0));
        bits(&found)
    };
    let mut expected: Option<Vec<u64>> = None;
    for width in super::lists::registers() {
        for skin in [None, Some(0.3)] {
            let mut system = moving(count, skin);
            system.set_width(width);
            for pool in [1, 2, 5] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(pool).build().expect("threads");
                let fresh = pool.install(|| all(&system, &moved));
                for other in [&q, &far, &q] {
                    pool.install(|| all(&system, other));
                }
                let aged = pool.install(|| all(&system, &moved));
                assert_eq!(fresh, aged, "{skin:?}");
                let expected = expected.get_or_insert_with(|| fresh.clone());
                assert!(*expected == fresh, "skin {skin:?}, {} lanes", width.lanes());
            }
        }
    }
}

/// The forces of a constraint with a sum over near pairs are unknown by separations: no virial.
#[test]
fn near_sums_of_constraints_have_no_virial() {
    let q = lattice(4, 1.7, 0.35);
    let count = q.len() / 3;
    for is_read in [false, true] {
        let system = super::assembly(count, |binder| {
            let mut points = NearPoints::new("within", 2.5, 3).expect("a cutoff");
            points_of(&mut points, count);
            points.periodic(Cell::cubic(7.0));
            let points = points.finish().expect("a cell");
            let mut family = NearFamily::new(&switched_shared::KERNEL, &points);
            family.shared(&[1.0, 1.0, 2.0, 2.5]).expect("finite");
            binder.near_potential(family).expect("memory");
            binder.begin_collective(Reader::Positions, "all", 1);
            let row = binder.collective_row(&[], "all").expect("a row");
            let mut family = NearFamily::new(&density_of_all::KERNEL, &points);
            family.shared(&[RANGE]).expect("finite");
            family.row(row);
            binder.near_collective(family).expect("memory");
            let sum = binder.collective(Reader::Positions, (0, 0), &[], "all").expect("a row");
            let mut roots = Family::new(root::KERNEL.kernel.clone(), binder.room());
            roots.push(&[sum], &[0.3]).expect("finite");
            binder.potential(roots);
            if is_read {
                binder.begin_rows(RowsOf::Holonomic, "held");
                let mut held = Family::in_rows(root::KERNEL.kernel.clone(), binder.room());
                let row = binder.row_of(RowsOf::Holonomic);
                held.push(&[sum, row], &[1.0]).expect("finite");
                binder.rows_of(RowsOf::Holonomic, held);
                binder.end_rows(RowsOf::Holonomic);
            }
        });
        let periodic = system.periodic().expect("a cell");
        assert_eq!(
            periodic.near_sum_of_constraints(),
            is_read.then_some(&*density_of_all::KERNEL.kernel.name)
        );
        assert_eq!(periodic.repeating_term(&q, 0.0), None);
    }
}

/// Each derivative beside differences of the one before; assembled second derivatives beside products.
#[test]
fn derivatives_of_functions_of_sums_are_those() {
    let z = lattice(3, 1.125, 0.35);
    let (count, a) = (z.len() / 3, direction(z.len()));
    for skin in [None, Some(0.3)] {
        for width in Width::available() {
            let mut system = system(count, skin);
            system.set_width(width);
            let step = 1e-4;
            let at = |factor: f64| -> Vec<f64> {
                let z: Vec<f64> = z.iter().zip(&a).map(|(z, a)| z + factor * step * a).collect();
                all(&system, &z, &a)
            };
            let [here, before, after] = [0.0, -1.0, 1.0].map(at);
            let n = z.len();
            let slopes: Vec<f64> =
                before.iter().zip(&after).map(|(before, after)| (after - before) / (2.0 * step)).collect();
            let along: f64 = here[1..=n].iter().zip(&a).map(|(g, a)| g * a).sum();
            assert!(apart(&[slopes[0]], &[along]) < 1e-6);
            assert!(apart(&slopes[1..=n], &here[1 + n..=2 * n]) < 1e-6);
            assert!(apart(&slopes[1 + n..=2 * n], &here[1 + 2 * n..]) < 1e-6);
            let (mut gradient, mut hessian) = (vec![0.0; n], vec![0.0; system.potential_pattern().len()]);
            system.affords_second_derivatives().expect("few points");
            system.potential_second(&z, 0.0, &mut gradient, &mut hessian);
            let mut product = vec![0.0; n];
            system.potential_pattern().multiply_add(&hessian, &a, &mut product);
            assert!(apart(&gradient, &here[1..=n]) < 1e-13);
            assert!(
                apart(&product, &here[1 + n..=2 * n]) < 1e-12,
                "{:e}",
                apart(&product, &here[1 + n..=2 * n])
            );
        }
    }
}

#[test]
fn sums_that_would_fill_second_derivatives_are_refused() {
    let system = system(1500, Some(0.3));
    let refused = system.affords_second_derivatives().expect_err("too many").to_string();
    assert!(refused.contains("verlet") && !refused.contains('\n'), "{refused}");
}
