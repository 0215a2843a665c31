use super::*;
use crate::sparse::{RowPattern, column_start};

/// A reproducible sequence in (−1, 1).
fn noise(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// Values of a matrix with the given diagonal dominance; below 1 it is indefinite.
fn values(pattern: &SymmetricPattern, diagonal: impl Fn(usize) -> f64, seed: &mut u64) -> Vec<f64> {
    pattern.entries().map(|(i, j)| if i == j { diagonal(i) } else { noise(seed) }).collect()
}

fn chain(nodes: usize) -> SymmetricPattern {
    let blocks =
        (1..nodes).flat_map(|i| (0..2).flat_map(move |a| (0..2).map(move |b| (2 * i + a, 2 * (i - 1) + b))));
    SymmetricPattern::new(2 * nodes, blocks.chain((0..nodes).map(|i| (2 * i + 1, 2 * i))))
}

/// The chain with its nodes numbered in a scattered order.
fn scattered_chain(nodes: usize, factor: usize) -> SymmetricPattern {
    let place = |i: usize| 2 * ((i / 2 * factor) % nodes) + i % 2;
    SymmetricPattern::new(2 * nodes, chain(nodes).entries().map(|(i, j)| (place(i), place(j))))
}

fn grid(side: usize) -> SymmetricPattern {
    let index = move |x: usize, y: usize| x * side + y;
    SymmetricPattern::new(
        side * side,
        (0..side).flat_map(move |x| {
            (1..side).flat_map(move |y| [(index(x, y), index(x, y - 1)), (index(y, x), index(y - 1, x))])
        }),
    )
}

fn molecules(count: usize, size: usize) -> SymmetricPattern {
    // The unknowns of one molecule stand `count` apart.
    SymmetricPattern::new(
        count * size,
        (0..count).flat_map(move |m| {
            (0..size).flat_map(move |a| (0..a).map(move |b| (a * count + m, b * count + m)))
        }),
    )
}

/// The largest error of the solution for a known x.
fn error(pattern: &SymmetricPattern, values: &[f64], seed: &mut u64) -> f64 {
    let mut solver = SymmetricSolver::analyse(pattern);
    let exact: Vec<f64> = (0..pattern.dimension()).map(|_| noise(seed)).collect();
    let mut x = vec![0.0; exact.len()];
    pattern.multiply_add(values, &exact, &mut x);
    solver.factor(values).unwrap();
    solver.solve(&mut x).unwrap();
    x.iter().zip(&exact).fold(0.0, |worst, (a, b)| worst.max((a - b).abs()))
}

#[test]
fn the_structure_is_found_from_the_pattern() {
    let structure = |pattern: &SymmetricPattern| SymmetricSolver::analyse(pattern).structure();
    assert_eq!(structure(&SymmetricPattern::new(5, [])), Structure::Diagonal);
    assert_eq!(structure(&molecules(7, 9)), Structure::Blocks { count: 7, largest: 9 });
    assert_eq!(structure(&chain(50)), Structure::Banded { bandwidth: 3, renumbered: false });
    let Structure::Banded { bandwidth, renumbered: true } = structure(&scattered_chain(50, 7)) else {
        panic!("a scattered chain is a band after renumbering")
    };
    assert!(bandwidth <= 3, "{bandwidth}");
    assert_eq!(structure(&grid(30)), Structure::General);
}

#[test]
fn every_structure_solves_definite_and_indefinite_systems() {
    let seed = &mut 7;
    let patterns = [
        SymmetricPattern::new(6, []),
        molecules(5, 9),
        molecules(1, 4),
        chain(2),
        chain(40),
        scattered_chain(40, 9),
        grid(6),
        grid(12),
        grid(25),
    ];
    for bandwidth in 1..=12 {
        let band = SymmetricPattern::new(
            30,
            (0..30).flat_map(|i| (i.max(bandwidth) - bandwidth..i).map(move |j| (i, j))),
        );
        let matrix = values(&band, |_| 2.0 * bandwidth as f64, seed);
        assert!(error(&band, &matrix, seed) < 1e-13, "bandwidth {bandwidth}");
    }
    for pattern in &patterns {
        let definite = values(pattern, |_| 20.0, seed);
        assert!(
            error(pattern, &definite, seed) < 1e-13,
            "{:?}",
            SymmetricSolver::analyse(pattern).structure()
        );
        let indefinite = values(pattern, |i| if i % 3 == 0 { -20.0 } else { 20.0 }, seed);
        assert!(
            error(pattern, &indefinite, seed) < 1e-13,
            "{:?}",
            SymmetricSolver::analyse(pattern).structure()
        );
    }
}

#[test]
fn a_singular_matrix_names_its_row() {
    // Unknown 3 of each is coupled to nothing and has no diagonal entry.
    for pattern in
        [SymmetricPattern::new(6, []), chain(40), scattered_chain(40, 9), grid(25), molecules(2, 9)]
    {
        let mut matrix: Vec<f64> = pattern
            .entries()
            .map(|(i, j)| {
                if i == j {
                    9.0
                } else if i == 3 || j == 3 {
                    0.0
                } else {
                    -1.0
                }
            })
            .collect();
        matrix[pattern.position(3, 3).unwrap()] = 0.0;
        let mut solver = SymmetricSolver::analyse(&pattern);
        let error = solver.factor(&matrix).unwrap_err();
        // Inside a dense panel of the general form the row is that of a neighbour.
        if solver.structure() != Structure::General {
            assert_eq!(error.index, 3, "{:?}", solver.structure());
        }
        assert!(error.pivot.abs() < 1e-300, "{}", error.pivot);
        matrix[0] = f64::NAN;
        assert!(solver.factor(&matrix).is_err(), "{:?}", solver.structure());
    }
}

#[test]
fn a_solution_spoiled_by_a_small_pivot_is_refined() {
    // Without refinement the relative error would be about 1e-16 / 1e-9.
    let pattern = chain(10);
    let mut matrix = values(&pattern, |_| 6.0, &mut 3);
    matrix[0] = 1e-9;
    assert!(error(&pattern, &matrix, &mut 5) < 1e-13);
}

#[test]
fn a_singular_system_without_a_small_pivot_is_refused_by_its_residual() {
    // The path with equal springs and free ends: the last pivot is rounding, and the right-hand side has a mean.
    let pattern = SymmetricPattern::new(30, (1..30).map(|i| (i, i - 1)));
    let matrix: Vec<f64> = pattern
        .entries()
        .map(|(i, j)| match (i, j) {
            (0, 0) | (29, 29) => 0.1,
            (i, j) if i == j => 0.2,
            _ => -0.1,
        })
        .collect();
    let mut solver = SymmetricSolver::analyse(&pattern);
    let mut x = vec![1.0; 30];
    let refused = solver.factor(&matrix).is_err() || solver.solve(&mut x).is_err();
    assert!(refused || x.iter().any(|x| x.abs() > 1e12), "{x:?}");
}

/// Columns of eleven molecules and of three pairs, and two that belong to none, in registers that are not all full.
#[test]
fn sets_side_by_side_are_solved_and_refused_as_one_matrix() {
    let of_set = |row: usize| if row < 11 { 6 * row..6 * row + 6 } else { 4 * row + 22..4 * row + 26 };
    let matrix =
        RowPattern::new(14, 80, (0..14).flat_map(|row| of_set(row).map(move |column| (row, column))));
    let sets = Sets::new(&RowPattern::new(
        28,
        80,
        matrix.entries().flat_map(|(row, column)| [(2 * row, column), (2 * row + 1, column)]),
    ))
    .unwrap();
    let diagonal: Vec<f64> = (0..80).map(|k| 1.0 + f64::from(k)).collect();
    let mut solver = SetsSolver::new(&sets, &diagonal).unwrap();

    // Entries of a set that look random, but for what makes it definite; those of one set may be made singular.
    let entry = |i: usize, j: usize| {
        let coupled = f64::from(u8::from(i == j)) * 4.0;
        coupled + (0.3 * (i + j) as f64).sin() * (1.7 * (i * j) as f64).cos()
    };
    let mut fill = |singular: Option<usize>| {
        solver.factor_with(|triangles| {
            for group in &sets.groups {
                let size = group.columns.len();
                for (column, row) in (0..size).flat_map(|column| (column..size).map(move |row| (column, row)))
                {
                    let place = group.first_triangle + column_start(size, column) + row - column;
                    for (lane, number) in triangles[place].iter_mut().enumerate() {
                        let [i, j] = [row, column].map(|k| group.columns[k][lane] as usize);
                        let own =
                            if singular.is_some_and(|index| index == j || index == i) { 0.0 } else { 1.0 };
                        *number = own * entry(i, j);
                    }
                }
            }
        })
    };
    let error = fill(Some(63)).unwrap_err();
    assert_eq!((error.index, error.pivot), (63, 0.0));
    fill(None).unwrap();
    let x: Vec<f64> = (0..80).map(|k| (0.9 * f64::from(k)).cos()).collect();
    let mut b: Vec<f64> = x.iter().zip(&diagonal).map(|(x, mass)| x * mass).collect();
    for row in 0..14 {
        for i in of_set(row) {
            b[i] = of_set(row).map(|j| entry(i.max(j), i.min(j)) * x[j]).sum();
        }
    }
    solver.solve(&mut b).unwrap();
    for (k, (found, expected)) in b.iter().zip(&x).enumerate() {
        assert!((found - expected).abs() < 1e-13, "{k}: {found} instead of {expected}");
    }
    b[40] = f64::NAN;
    assert_eq!(solver.solve(&mut b).unwrap_err().index, 36);
}
