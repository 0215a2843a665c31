use least_action_core::advanced::sparse::{Elimination, RowPattern, SymmetricMatrix, SymmetricPattern};
use least_action_core::internals::sparse::MultiplierSystem;

/// Deterministic values in (−1, 1) without a dependency.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as f64) / f64::from(1_u32 << 30) - 1.0
    }
}

fn chain(rows: usize) -> RowPattern {
    RowPattern::new(
        rows,
        2 * rows,
        (0..rows).flat_map(|i| (i.saturating_sub(1)..=i).flat_map(move |k| [(i, 2 * k), (i, 2 * k + 1)])),
    )
}

/// The dense residual |G₁ M⁻¹ G₂ᵀ x − b|, by the motion that the system reports by `add_motion` alone.
fn check(mass: &SymmetricMatrix, pattern: &RowPattern, expected: Option<Elimination>) {
    let mut random = noise(7);
    let mut system = MultiplierSystem::new(mass, pattern).unwrap();
    assert_eq!(system.elimination(), expected);
    let g2: Vec<f64> = (0..pattern.len()).map(|_| random()).collect();
    for symmetric in [true, false] {
        let g1: Vec<f64> =
            if symmetric { g2.clone() } else { g2.iter().map(|g| g + 0.05 * random()).collect() };
        for _ in 0..2 {
            system.factor_symmetric(&g2).unwrap();
            if !symmetric {
                system.factor(&g1).unwrap();
            }
        }
        let b: Vec<f64> = (0..pattern.height()).map(|_| random()).collect();
        let mut x = vec![f64::NAN; b.len()];
        system.solve(&b.iter().map(|b| -b).collect::<Vec<_>>(), &mut x);
        let mut motion = vec![0.0; pattern.width()];
        system.add_motion(&x, &mut motion);
        let mut force = vec![0.0; pattern.width()];
        pattern.transpose_multiply_add(&g2, &x, &mut force);
        let mut momentum = vec![0.0; pattern.width()];
        mass.multiply(&motion, &mut momentum);
        let scale = force.iter().fold(1.0_f64, |a, b| a.max(b.abs()));
        for (f, p) in force.iter().zip(&momentum) {
            assert!((f - p).abs() < 1e-11 * scale, "M · motion = {p}, but the force is {f}");
        }
        let mut back = vec![0.0; pattern.height()];
        pattern.multiply_add(&g1, &motion, &mut back);
        for (value, wanted) in back.iter().zip(&b) {
            assert!((value - wanted).abs() < 1e-9 * scale, "{value} is not {wanted}");
        }
    }
}

fn uneven(n: usize) -> SymmetricMatrix {
    SymmetricMatrix::diagonal((0..n).map(|i| 1.0 + (i % 3) as f64).collect())
}

#[test]
fn a_chain_is_tridiagonal() {
    check(&uneven(2), &chain(1), Some(Elimination::Diagonal));
    for rows in [2, 3, 4, 5, 20, 21] {
        check(&uneven(2 * rows), &chain(rows), Some(Elimination::Banded { bandwidth: 1, renumbered: false }));
    }
}

#[test]
fn a_chain_in_a_scrambled_order_is_tridiagonal_again() {
    let rows = 31;
    let scrambled = RowPattern::new(rows, 2 * rows, chain(rows).entries().map(|(i, k)| ((7 * i) % rows, k)));
    check(&uneven(2 * rows), &scrambled, Some(Elimination::Banded { bandwidth: 1, renumbered: true }));
}

#[test]
fn a_few_rows_are_full_whatever_the_mass() {
    for (rows, columns, block) in [(1, 2, 2), (2, 4, 2), (3, 9, 3), (5, 6, 3), (6, 10, 1)] {
        check(&uneven(columns), &RowPattern::full(rows, columns, block), None);
    }
    let pairs = (0..4).map(|i| (2 * i + 1, 2 * i));
    let neighbours = (1..14).map(|i| (i, i - 1));
    for pattern in [SymmetricPattern::new(8, pairs), SymmetricPattern::new(14, neighbours)] {
        let values = pattern.entries().map(|(i, j)| if i == j { 3.0 } else { 0.7 }).collect();
        let n = pattern.dimension();
        check(&SymmetricMatrix { pattern, values }, &RowPattern::full(3, n, 2), None);
    }
}

#[test]
fn independent_molecules_are_blocks_of_three() {
    let pattern = RowPattern::new(
        12,
        36,
        (0..12).flat_map(|row| {
            let (molecule, bond) = (row / 3, row % 3);
            (0..3).flat_map(move |k| [bond, (bond + 1) % 3].map(|atom| (row, 9 * molecule + 3 * atom + k)))
        }),
    );
    check(&uneven(36), &pattern, Some(Elimination::Blocks { count: 4, largest: 3 }));
}

#[test]
fn a_repeated_equation_of_one_molecule_of_many_is_named() {
    let structures = [
        Elimination::Banded { bandwidth: 1, renumbered: false },
        Elimination::Blocks { count: 10, largest: 3 },
    ];
    for (size, structure) in [2, 3].into_iter().zip(structures) {
        let rows = (0..10 * size)
            .flat_map(|row| (row / size * size..(row / size + 1) * size).map(move |k| (row, k)));
        let pattern = RowPattern::new(10 * size, 10 * size, rows);
        let mut system = MultiplierSystem::new(&uneven(10 * size), &pattern).unwrap();
        assert_eq!(system.elimination(), Some(structure));
        let mut random = noise(5);
        let mut jacobian: Vec<f64> = (0..pattern.len()).map(|_| random()).collect();
        system.factor_symmetric(&jacobian).unwrap();
        let last = pattern.len() - size;
        jacobian.copy_within(last - size..last, last);
        let repeated = [10 * size - 2, 10 * size - 1];
        assert!(repeated.contains(&system.factor_symmetric(&jacobian).unwrap_err().index));
        assert!(repeated.contains(&system.factor(&jacobian).unwrap_err().index));
    }
}

#[test]
fn a_net_goes_to_the_sparse_factorization() {
    let side = 40;
    let node = move |i: usize, j: usize| 3 * (i * side + j);
    let mut entries = Vec::new();
    let mut row = 0;
    for i in 0..side {
        for j in 0..side {
            if (i + j) % 2 == 0 && i + 1 < side && j + 1 < side {
                for end in [node(i, j), node(i + 1, j), node(i, j + 1), node(i + 1, j + 1)] {
                    entries.push((row, end));
                }
                row += 1;
            }
        }
    }
    // Threads across the net spoil the band.
    let pattern = RowPattern::new(row, 3 * side * side, entries);
    let mut all: Vec<_> = pattern.entries().collect();
    for i in 0..row {
        all.push((i, 3 * ((i * 7919) % row) + 1));
        all.push((i, 3 * ((i * 104_729 + 13) % row) + 1));
    }
    let pattern = RowPattern::new(row, 3 * side * side, all);
    check(&uneven(3 * side * side), &pattern, Some(Elimination::General));
}

#[test]
fn a_mass_of_small_blocks_keeps_the_system_sparse() {
    let n = 40;
    let pattern = SymmetricPattern::new(n, (0..n / 2).map(|i| (2 * i + 1, 2 * i)));
    let values = pattern.entries().map(|(i, j)| if i == j { 2.0 + (i % 3) as f64 } else { 0.7 }).collect();
    check(
        &SymmetricMatrix { pattern, values },
        &chain(20),
        Some(Elimination::Banded { bandwidth: 1, renumbered: false }),
    );
}

#[test]
fn a_mass_with_a_dense_inverse_goes_to_the_saddle_point_system() {
    let n = 60;
    let pattern = SymmetricPattern::new(n, (1..n).map(|i| (i, i - 1)));
    let values = pattern.entries().map(|(i, j)| if i == j { 3.0 } else { -1.0 }).collect();
    check(&SymmetricMatrix { pattern, values }, &chain(30), None);
}

#[test]
fn a_coordinate_that_all_equations_share_does_not_make_the_system_dense() {
    let rows = 4000;
    let pattern = RowPattern::new(rows, rows + 1, (0..rows).flat_map(|i| [(i, i), (i, rows)]));
    check(&uneven(rows + 1), &pattern, None);
}

#[test]
fn a_repeated_equation_is_named() {
    let pattern = RowPattern::new(3, 2, [(0, 0), (1, 1), (2, 1)]);
    let mut system = MultiplierSystem::new(&uneven(2), &pattern).unwrap();
    let jacobian = [1.0, 2.0, 0.3];
    let zero = system.factor_symmetric(&jacobian).unwrap_err();
    assert!(zero.index == 1 || zero.index == 2, "equation {} is not one of the repeated ones", zero.index);
}

#[test]
fn a_repeated_equation_is_found_in_the_saddle_point_system_too() {
    let n = 30;
    let pattern = SymmetricPattern::new(n, (1..n).map(|i| (i, i - 1)));
    let values = pattern.entries().map(|(i, j)| if i == j { 3.0 } else { -1.0 }).collect();
    let mass = SymmetricMatrix { pattern, values };
    let jacobian = RowPattern::new(3, n, [(0, 4), (1, 4), (1, 9), (2, 4), (2, 9)]);
    let mut system = MultiplierSystem::new(&mass, &jacobian).unwrap();
    let values = [1.0, 0.3, 0.7, 0.6, 1.4];
    let zero = system.factor_symmetric(&values).unwrap_err();
    assert!(zero.index == 1 || zero.index == 2, "equation {} is not one of the repeated ones", zero.index);
}

#[test]
fn an_indefinite_mass_is_refused() {
    let mass = SymmetricMatrix::diagonal(vec![1.0, 0.0]);
    let error = MultiplierSystem::new(&mass, &RowPattern::new(1, 2, [(0, 0)])).err().unwrap();
    assert_eq!(error.index, 1);
}
