use super::*;

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

/// The dense residual |G₁ M⁻¹ G₂ᵀ x − b|, by the motion that the system itself reports only through `add_motion`.
fn check(mass: &SymmetricMatrix, pattern: &RowPattern, expected: Structure) {
    let mut random = noise(7);
    let mut system = MultiplierSystem::new(mass, pattern).unwrap();
    assert_eq!(system.structure(), expected);
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
    for rows in [1, 2, 3, 4, 5, 20, 21] {
        check(&uneven(2 * rows), &chain(rows), Structure::Tridiagonal);
    }
}

#[test]
fn a_chain_in_a_scrambled_order_is_tridiagonal_again() {
    let rows = 31;
    let scrambled = RowPattern::new(rows, 2 * rows, chain(rows).entries().map(|(i, k)| ((7 * i) % rows, k)));
    check(&uneven(2 * rows), &scrambled, Structure::Tridiagonal);
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
    check(&uneven(36), &pattern, Structure::Blocks { count: 4, largest: 3 });
}

#[test]
fn a_repeated_equation_of_one_molecule_of_many_is_named() {
    let pattern =
        RowPattern::new(20, 20, (0..20).flat_map(|row| [(row, row / 2 * 2), (row, row / 2 * 2 + 1)]));
    let mut system = MultiplierSystem::new(&uneven(20), &pattern).unwrap();
    assert_eq!(system.structure(), Structure::Blocks { count: 10, largest: 2 });
    let mut jacobian: Vec<f64> = (0..40).map(|k| (1.0 + f64::from(k)).sin()).collect();
    system.factor_symmetric(&jacobian).unwrap();
    let (first, second) = jacobian[36..].split_at_mut(2);
    second.copy_from_slice(first);
    assert_eq!(system.factor_symmetric(&jacobian).unwrap_err().row, 19);
    assert_eq!(system.factor(&jacobian).unwrap_err().row, 19);
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
    check(&uneven(3 * side * side), &pattern, Structure::Sparse);
}

#[test]
fn a_mass_of_small_blocks_keeps_the_system_sparse() {
    let n = 40;
    let pattern = crate::sparse::SymmetricPattern::new(n, (0..n / 2).map(|i| (2 * i + 1, 2 * i)));
    let values = pattern.entries().map(|(i, j)| if i == j { 2.0 + (i % 3) as f64 } else { 0.7 }).collect();
    check(&SymmetricMatrix { pattern, values }, &chain(20), Structure::Tridiagonal);
}

#[test]
fn a_mass_with_a_dense_inverse_goes_to_the_saddle_point_system() {
    let n = 60;
    let pattern = crate::sparse::SymmetricPattern::new(n, (1..n).map(|i| (i, i - 1)));
    let values = pattern.entries().map(|(i, j)| if i == j { 3.0 } else { -1.0 }).collect();
    check(&SymmetricMatrix { pattern, values }, &chain(30), Structure::SaddlePoint);
}

#[test]
fn a_coordinate_that_all_equations_share_does_not_make_the_system_dense() {
    let rows = 4000;
    let pattern = RowPattern::new(rows, rows + 1, (0..rows).flat_map(|i| [(i, i), (i, rows)]));
    check(&uneven(rows + 1), &pattern, Structure::SaddlePoint);
}

#[test]
fn a_repeated_equation_is_named() {
    let pattern = RowPattern::new(3, 2, [(0, 0), (1, 1), (2, 1)]);
    let mut system = MultiplierSystem::new(&uneven(2), &pattern).unwrap();
    let jacobian = [1.0, 2.0, 0.3];
    let zero = system.factor_symmetric(&jacobian).unwrap_err();
    assert!(zero.row == 1 || zero.row == 2, "equation {} is not one of the repeated ones", zero.row);
    assert!(zero.to_string().contains("redundant"));
}

#[test]
fn a_repeated_equation_is_found_in_the_saddle_point_system_too() {
    let n = 30;
    let pattern = crate::sparse::SymmetricPattern::new(n, (1..n).map(|i| (i, i - 1)));
    let values = pattern.entries().map(|(i, j)| if i == j { 3.0 } else { -1.0 }).collect();
    let mass = SymmetricMatrix { pattern, values };
    let jacobian = RowPattern::new(3, n, [(0, 4), (1, 4), (1, 9), (2, 4), (2, 9)]);
    let mut system = MultiplierSystem::new(&mass, &jacobian).unwrap();
    let values = [1.0, 0.3, 0.7, 0.6, 1.4];
    let zero = system.factor_symmetric(&values).unwrap_err();
    assert!(zero.row == 1 || zero.row == 2, "equation {} is not one of the repeated ones", zero.row);
}

#[test]
fn an_indefinite_mass_is_refused() {
    let mass = SymmetricMatrix::diagonal(vec![1.0, 0.0]);
    let error = MultiplierSystem::new(&mass, &RowPattern::new(1, 2, [(0, 0)])).err().unwrap();
    assert_eq!(error.index, 1);
}

/// A chain does what is done for any rows: on a fixed point and free, in two and three dimensions, other coordinates beside it.
#[test]
fn a_chain_does_what_is_done_for_any_rows() {
    for rows in [4, 5, 10, 31] {
        for before in [0, 1] {
            compare_chain::<2>(&chain(rows), before);
            let links = (0..rows).flat_map(|i| (3 * i..3 * i + 6).map(move |k| (i, k)));
            compare_chain::<3>(&RowPattern::new(rows, 3 * rows + 3, links), before);
        }
    }
}

fn compare_chain<const S: usize>(links: &RowPattern, before: usize) {
    let entries = links.entries().map(|(row, column)| (row, column + before));
    let pattern = RowPattern::new(links.height(), links.width() + before + 1, entries);
    let mass = uneven(pattern.width());
    let mut random = noise(11);
    let mut vector = |length: usize| -> Vec<f64> { (0..length).map(|_| random()).collect() };
    let (g2, g1) = (vector(pattern.len()), vector(pattern.len()));
    let left: Vec<f64> = g2.iter().zip(&g1).map(|(g2, g1)| g2 + 0.05 * g1).collect();
    let (q, v) = (vector(pattern.width()), vector(pattern.width()));
    let residual = vector(pattern.height());

    let all = |rows: &mut dyn GradientRows| {
        let mut found = vec![f64::from(u8::from(rows.face_forward(&g2, &left)))];
        found.push(f64::from(u8::from(rows.face_forward(&g2, &g1))));
        let (mut sizes, mut product) = (residual.clone(), residual.clone());
        rows.reciprocal_sizes(&g2, (&q, &v, 0.1), &mut sizes);
        rows.add_product(&g2, &q, &mut product);
        let mut acceleration = q.clone();
        rows.apply_negative_inverse_mass(&mut acceleration);
        rows.factor_symmetric(&g2).unwrap();
        let (mut x, mut y) = (vec![f64::NAN; residual.len()], q.clone());
        rows.correct(&residual, &mut x, &mut y);
        found.extend([sizes, product, acceleration, x.clone(), y.clone()].concat());
        rows.factor(&left).unwrap();
        rows.solve(&residual, &mut x);
        rows.add_motion(&x, &mut y);
        found.extend([x, y].concat());
        found
    };
    let system = || MultiplierSystem::new(&mass, &pattern).unwrap();
    let mut special = Chain::<S>::new(&system(), &pattern).unwrap();
    let (found, expected) = (all(&mut special), all(&mut AnyRows::new(system(), &pattern)));
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(&expected) {
        assert!((a - b).abs() <= 1e-10 * (1.0 + b.abs()), "{a} instead of {b}");
    }

    // A row that repeats the one before it is named by both.
    let mut repeated = g2.clone();
    repeated.fill(0.0);
    for entries in [pattern.row(2), pattern.row(3)] {
        let column = pattern.columns()[pattern.row(3)][0];
        let place = entries.clone().find(|&k| pattern.columns()[k] == column).unwrap();
        repeated[place] = 1.0;
    }
    for row in (0..pattern.height()).filter(|row| ![2, 3].contains(row)) {
        repeated[pattern.row(row).end - 1] = 1.0;
    }
    let special = special.factor_symmetric(&repeated).unwrap_err();
    assert_eq!(special.row, AnyRows::new(system(), &pattern).factor_symmetric(&repeated).unwrap_err().row);
    assert!([2, 3].contains(&special.row));
}

#[test]
fn a_chain_is_one_chain_of_its_dimension_with_a_diagonal_mass() {
    let of_two = MultiplierSystem::new(&uneven(20), &chain(10)).unwrap();
    assert!(Chain::<2>::new(&of_two, &chain(10)).is_some());
    assert!(Chain::<3>::new(&of_two, &chain(10)).is_none());
    let more = RowPattern::new(11, 20, chain(10).entries().chain([(10, 0)]));
    assert!(Chain::<2>::new(&MultiplierSystem::new(&uneven(20), &more).unwrap(), &more).is_none());
}
