use least_action_core::advanced::sparse::{
    Elimination, RowPattern, Solver, SymmetricMatrix, SymmetricPattern,
};
use least_action_core::internals::sparse::{Entries, Factor, General, Lu, Saddle};

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
    let mut solver = Solver::symmetric(pattern);
    let exact: Vec<f64> = (0..pattern.dimension()).map(|_| noise(seed)).collect();
    let mut x = vec![0.0; exact.len()];
    pattern.multiply_add(values, &exact, &mut x);
    solver.factor(values).unwrap();
    solver.solve(&mut x).unwrap();
    x.iter().zip(&exact).fold(0.0, |worst, (a, b)| worst.max((a - b).abs()))
}

#[test]
fn the_structure_is_found_from_the_pattern() {
    let structure = |pattern: &SymmetricPattern| Solver::symmetric(pattern).elimination();
    assert_eq!(structure(&SymmetricPattern::new(5, [])), Elimination::Diagonal);
    assert_eq!(structure(&molecules(7, 9)), Elimination::Blocks { count: 7, largest: 9 });
    let path = SymmetricPattern::new(9, (1..9).map(|i| (i, i - 1)));
    assert_eq!(structure(&path), Elimination::Banded { bandwidth: 1, renumbered: false });
    assert_eq!(structure(&chain(50)), Elimination::Banded { bandwidth: 3, renumbered: false });
    let Elimination::Banded { bandwidth, renumbered: true } = structure(&scattered_chain(50, 7)) else {
        panic!("a scattered chain is a band after renumbering")
    };
    assert!(bandwidth <= 3, "{bandwidth}");
    assert_eq!(structure(&grid(30)), Elimination::General);
}

#[test]
fn every_structure_solves_definite_and_indefinite_systems() {
    let seed = &mut 7;
    let patterns = [
        SymmetricPattern::new(6, []),
        SymmetricPattern::new(21, (1..21).map(|i| (i, i - 1))),
        SymmetricPattern::new(20, (1..20).map(|i| (i, i - 1))),
        molecules(5, 9),
        molecules(11, 3),
        molecules(9, 5),
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
        assert!(error(pattern, &definite, seed) < 1e-13, "{:?}", Solver::symmetric(pattern).elimination());
        let indefinite = values(pattern, |i| if i % 3 == 0 { -20.0 } else { 20.0 }, seed);
        assert!(error(pattern, &indefinite, seed) < 1e-13, "{:?}", Solver::symmetric(pattern).elimination());
    }
}

#[test]
fn a_singular_matrix_names_its_row() {
    // Unknown 3 of each is coupled to nothing and has no diagonal entry.
    for pattern in [
        SymmetricPattern::new(6, []),
        chain(40),
        scattered_chain(40, 9),
        grid(25),
        molecules(2, 9),
        molecules(5, 9),
    ] {
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
        let mut solver = Solver::symmetric(&pattern);
        let error = solver.factor(&matrix).unwrap_err();
        // Inside a dense panel of the general form the row equals a neighbour's.
        if solver.elimination() != Elimination::General {
            assert_eq!(error.index, 3, "{:?}", solver.elimination());
        }
        assert!(error.pivot.abs() < 1e-300, "{}", error.pivot);
        matrix[0] = f64::NAN;
        assert!(solver.factor(&matrix).is_err(), "{:?}", solver.elimination());
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
    // The path with equal springs and free ends: the last pivot is rounding; the right side has a mean.
    let pattern = SymmetricPattern::new(30, (1..30).map(|i| (i, i - 1)));
    let matrix: Vec<f64> = pattern
        .entries()
        .map(|(i, j)| match (i, j) {
            (0, 0) | (29, 29) => 0.1,
            (i, j) if i == j => 0.2,
            _ => -0.1,
        })
        .collect();
    let mut solver = Solver::symmetric(&pattern);
    let mut x = vec![1.0; 30];
    let refused = solver.factor(&matrix).is_err() || solver.solve(&mut x).is_err();
    assert!(refused || x.iter().any(|x| x.abs() > 1e12), "{x:?}");
}

/// The largest error of the solution for a known x; the symmetric part of the matrix has this diagonal.
fn error_of(mut solver: Solver, diagonal: f64, seed: &mut u64) -> f64 {
    let pattern = solver.pattern().clone();
    for (i, j) in pattern.entries().flat_map(|(i, j)| [(i, j), (j, i)]) {
        let place = solver.position(i, j).unwrap();
        solver.values_mut()[place] = if i == j { diagonal } else { noise(seed) };
    }
    let exact: Vec<f64> = (0..pattern.dimension()).map(|_| noise(seed)).collect();
    let mut x = vec![0.0; exact.len()];
    for (i, x) in x.iter_mut().enumerate() {
        for (j, exact) in exact.iter().enumerate() {
            let place = solver.position(i, j);
            let value = place.map_or(0.0, |place| solver.values_mut()[place]);
            *x += value * exact;
        }
    }
    solver.refactor().unwrap();
    let right_hand_side = x.clone();
    solver.solve(&mut x).unwrap();
    let mut unchecked = right_hand_side;
    solver.substitute(&mut unchecked);
    let distance = |x: &[f64]| x.iter().zip(&exact).fold(0.0_f64, |worst, (a, b)| worst.max((a - b).abs()));
    distance(&x).max(distance(&unchecked))
}

#[test]
fn every_structure_solves_unsymmetric_systems_with_and_without_pivoting() {
    let seed = &mut 11;
    for pattern in [
        SymmetricPattern::new(6, []),
        SymmetricPattern::new(21, (1..21).map(|i| (i, i - 1))),
        molecules(11, 3),
        molecules(5, 9),
        molecules(9, 5),
        chain(40),
        scattered_chain(40, 9),
        grid(6),
        grid(45),
    ] {
        let without = error_of(Solver::square(&pattern), 20.0, seed);
        assert!(without < 1e-13, "{:?}: {without:e}", Solver::square(&pattern).elimination());
        let with = error_of(Solver::pivoted(&pattern).unwrap(), 20.0, seed);
        assert!(with < 1e-13, "{with:e}");
    }
    assert_eq!(Solver::square(&grid(45)).elimination(), Elimination::General);
    // The diagonal is zero: pivoting is needed.
    let path = SymmetricPattern::new(10, (1..10).map(|i| (i, i - 1)));
    assert!(error_of(Solver::pivoted(&path).unwrap(), 0.0, seed) < 1e-11);
}

#[test]
fn the_mirror_image_of_a_triangle_is_factored_whatever_stands_in_the_other_one() {
    let seed = &mut 5;
    for pattern in [molecules(5, 3), chain(20), scattered_chain(40, 9), grid(45)] {
        let matrix = values(&pattern, |_| 20.0, seed);
        let exact: Vec<f64> = (0..pattern.dimension()).map(|_| noise(seed)).collect();
        let mut x = vec![0.0; exact.len()];
        pattern.multiply_add(&matrix, &exact, &mut x);
        let mut solver = Solver::square(&pattern);
        solver.values_mut().fill(f64::NAN);
        solver.values_mut()[..pattern.len()].copy_from_slice(&matrix);
        solver.refactor_mirrored().unwrap();
        solver.substitute(&mut x);
        let error = x.iter().zip(&exact).fold(0.0_f64, |worst, (a, b)| worst.max((a - b).abs()));
        assert!(error < 1e-13, "{:?}: {error:e}", solver.elimination());
    }
}

#[test]
fn a_singular_matrix_is_refused_with_pivoting() {
    let mut solver = Solver::pivoted(&SymmetricPattern::new(2, [(0, 1)])).unwrap();
    solver.values_mut().fill(1.0);
    assert!(solver.refactor().is_err());
}

/// Bands of every compiled width and wider ones, with diagonals of zeros, in their order and scattered.
#[test]
fn narrow_matrices_of_any_kind_are_solved_as_bands() {
    let seed = &mut 23;
    for bandwidth in 1..=12_usize {
        let n = 60 + 8 * bandwidth;
        let band = || (0..n).flat_map(|i: usize| (i.saturating_sub(bandwidth)..=i).map(move |j| (i, j)));
        let scattered = band().map(|(i, j)| (i * 97 % n, j * 97 % n));
        for pattern in [SymmetricPattern::new(n, band()), SymmetricPattern::new(n, scattered)] {
            let solver = || Solver::unsymmetric(&pattern).unwrap();
            assert_eq!(solver().elimination(), Elimination::Banded { bandwidth, renumbered: true });
            for diagonal in [0.0, 20.0] {
                let error = error_of(solver(), diagonal, seed);
                assert!(error < 1e-10, "{bandwidth}, {diagonal}: {error:e}");
            }
            // A row of zeros, and a number that is none.
            let mut solver = solver();
            let length = pattern.len();
            let values = solver.values_mut();
            for (place, (i, j)) in pattern.entries().enumerate() {
                let (own, mirror) = (noise(seed), noise(seed));
                values[place] = if i == n / 2 { 0.0 } else { own };
                values[length + place] = if j == n / 2 { 0.0 } else { mirror };
            }
            assert!(solver.refactor().unwrap_err().index < n, "{bandwidth}");
            solver.values_mut()[3] = f64::NAN;
            assert!(solver.refactor().is_err(), "{bandwidth}");
        }
    }
}

/// Many columns in one panel without a pivot: whatever place that is, a row of the matrix is told.
#[test]
fn a_zero_pivot_in_a_panel_names_a_row_of_the_matrix() {
    let side = 14;
    let all = (0..side * side).flat_map(|i| (0..i).map(move |j| (i, j)));
    let pattern = SymmetricPattern::new(side * side, all);
    let mut solver = Solver::symmetric(&pattern);
    assert_eq!(solver.elimination(), Elimination::General);
    for zero in 0..side * side {
        // Full, but for a row and a column of zeros.
        let matrix: Vec<f64> = pattern
            .entries()
            .map(|(i, j)| {
                if i == zero || j == zero {
                    0.0
                } else if i == j {
                    300.0
                } else {
                    1.0
                }
            })
            .collect();
        let error = solver.factor(&matrix).unwrap_err();
        assert!(error.index < side * side, "{error:?}");
    }
}

#[test]
fn a_saddle_point_system_is_solved_in_units_of_any_size() {
    let n = 12;
    let pattern = SymmetricPattern::new(n, (1..n).map(|i| (i, i - 1)));
    let jacobian = RowPattern::new(4, n, (0..4).flat_map(|c| (3 * c..3 * c + 3).map(move |j| (c, j))));
    let seed = &mut 3;
    for (unit_of_mass, unit_of_length) in [(1.0, 1.0), (1e-26, 1e-10), (1e9, 1e-3)] {
        let mass = SymmetricMatrix {
            values: values(&pattern, |_| 4.0, seed).iter().map(|value| unit_of_mass * value).collect(),
            pattern: pattern.clone(),
        };
        let [left, mut right] = [0.0, 0.05]
            .map(|_| (0..12).map(|k| unit_of_length * (1.0 + f64::from(k)).sin()).collect::<Vec<_>>());
        right.iter_mut().for_each(|value| *value *= 1.0 + 0.05 * noise(seed));
        let mut saddle = Saddle::new(&pattern, &jacobian).unwrap();
        saddle.factor(&mass.values, &left, &right).unwrap();
        let exact: Vec<f64> = (0..n + 4).map(|_| noise(seed)).collect();
        let force = unit_of_mass / unit_of_length;
        let (x, y) = exact.split_at(n);
        let y: Vec<f64> = y.iter().map(|y| force * y).collect();
        let mut b = vec![0.0; n + 4];
        let (free, constrained) = b.split_at_mut(n);
        mass.multiply(x, free);
        jacobian.transpose_multiply_add(&right, &y, free);
        jacobian.multiply_add(&left, x, constrained);
        saddle.solve(&mut b).unwrap();
        assert!(b.iter().zip(x).all(|(found, x)| (found - x).abs() < 1e-12), "{b:?}");
        assert!(b[n..].iter().zip(&y).all(|(found, y)| (found - y).abs() < 1e-12 * force), "{b:?}");

        // An equation that repeats another one is found.
        let mut repeated = left.clone();
        repeated[3..6].fill(0.0);
        let error = saddle.factor(&mass.values, &repeated, &repeated).unwrap_err();
        assert_eq!(error.index, n + 1);
    }
    // Without constraints it is the mass alone.
    let mut free = Saddle::new(&pattern, &RowPattern::new(0, n, [])).unwrap();
    let mass = values(&pattern, |_| 4.0, seed);
    free.factor(&mass, &[], &[]).unwrap();
    let mut x = vec![0.0; n];
    pattern.multiply_add(&mass, &[1.0; 12], &mut x);
    free.solve(&mut x).unwrap();
    assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-13));
}

/// The solution by elimination of the whole matrix, with partial pivoting.
fn solve_whole(n: usize, mut a: Vec<f64>, mut b: Vec<f64>) -> Vec<f64> {
    for k in 0..n {
        let pivot = (k..n).max_by(|i, j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs())).unwrap();
        (0..n).for_each(|j| a.swap(k * n + j, pivot * n + j));
        b.swap(k, pivot);
        for i in k + 1..n {
            let factor = a[i * n + k] / a[k * n + k];
            (k..n).for_each(|j| a[i * n + j] -= factor * a[k * n + j]);
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| a[k * n + j] * b[j]).sum();
        b[k] = (b[k] - known) / a[k * n + k];
    }
    b
}

/// Random entries, a row coupled to all, components, unknowns alone, at most one unknown, each as L D Lᵀ
/// and both ways as L U.
#[test]
fn general_factors_solve_what_the_whole_matrix_does() {
    let seed = &mut 41;
    let mut patterns = vec![SymmetricPattern::new(0, []), SymmetricPattern::new(1, []), grid(13)];
    patterns.push(SymmetricPattern::new(150, (1..150).map(|i| (i, 0))));
    patterns.push(SymmetricPattern::new(70, (0..70).flat_map(|i| (0..i).map(move |j| (i, j)))));
    for (n, entries) in [(40, 20), (90, 180), (120, 600), (150, 3000)] {
        let mut place = || ((noise(seed) + 1.0) * 0.5 * n as f64) as usize;
        let entries: Vec<_> = (0..entries).map(|_| (place(), place())).collect();
        patterns.push(SymmetricPattern::new(n, entries));
    }
    for pattern in patterns {
        let n = pattern.dimension();
        // Definite, and quasidefinite: L D Lᵀ exists in any order.
        for indefinite in [false, true] {
            let sign = |i: usize| if indefinite && i.is_multiple_of(3) { -1.0 } else { 1.0 };
            let lower: Vec<f64> = pattern
                .entries()
                .map(|(i, j)| if i == j { sign(i) * (2.0 * n as f64) } else { noise(seed) })
                .collect();
            let b: Vec<f64> = (0..n).map(|_| noise(seed)).collect();
            let mut kernels: Vec<Box<dyn Factor>> = vec![
                Box::new(General::new(&pattern).unwrap()),
                Box::new(Lu::new(&pattern).unwrap()),
                Box::new(Lu::near_definite(&pattern).unwrap()),
            ];
            for (number, kernel) in kernels.iter_mut().enumerate() {
                let upper: Vec<f64> =
                    if number == 0 { lower.clone() } else { lower.iter().map(|_| noise(seed)).collect() };
                let mut whole = vec![0.0; n * n];
                for ((i, j), (lower, upper)) in pattern.entries().zip(lower.iter().zip(&upper)) {
                    whole[j * n + i] = *upper;
                    whole[i * n + j] = *lower;
                }
                let upper = (number > 0).then_some(&upper[..]);
                let entries = Entries { pattern: &pattern, lower: &lower, upper, smallest_pivot: 1e-14 };
                let expected = solve_whole(n, whole, b.clone());
                // Once more, in memory that is not fresh.
                for _ in 0..2 {
                    kernel.factor(&entries).unwrap();
                    let mut x = b.clone();
                    kernel.solve(&mut x);
                    assert!(x.iter().zip(&expected).all(|(x, y)| (x - y).abs() < 1e-13), "{number}, {n}");
                }
            }
        }
    }
}

/// A matrix of rank n − 1 and one with a zero on the diagonal that elimination does not fill.
#[test]
fn a_pivot_that_is_missing_is_named() {
    let pattern = grid(25);
    for missing in [0, 312, 624] {
        let mut matrix = values(&pattern, |_| 8.0, &mut 3);
        for (value, (i, j)) in matrix.iter_mut().zip(pattern.entries()) {
            if i == missing || j == missing {
                *value = 0.0;
            }
        }
        assert_eq!(Solver::symmetric(&pattern).factor(&matrix).unwrap_err().index, missing);
        for solver in [Solver::square(&pattern), Solver::pivoted(&pattern).unwrap()] {
            let mut solver = solver;
            solver.values_mut()[..pattern.len()].copy_from_slice(&matrix);
            assert_eq!(solver.refactor_mirrored().unwrap_err().index, missing);
        }
    }
}
