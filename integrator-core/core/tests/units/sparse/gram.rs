use least_action_core::advanced::sparse::{RowPattern, SymmetricPattern};
use least_action_core::internals::sparse::Gram;

/// Gᵀ G by its definition.
fn check(matrix: &RowPattern, block: usize) {
    assert_eq!(matrix.block(), block);
    let pairs = matrix.entries().flat_map(|(row, a)| {
        let others = matrix.columns()[matrix.row(row)].iter();
        others.map(move |&b| (a, b as usize))
    });
    let pattern = SymmetricPattern::new(matrix.width(), pairs.chain([(matrix.width() - 1, 0)]));
    let gram = Gram::new(matrix, &pattern);
    let values: Vec<f64> = (0..matrix.len()).map(|k| (1.0 + k as f64).sin()).collect();
    let mut found = vec![f64::NAN; pattern.len()];
    gram.multiply(matrix, &values, 3.0, &mut found);
    let value = |row: usize, column: usize| matrix.position(row, column).map_or(0.0, |place| values[place]);
    for ((i, j), found) in pattern.entries().zip(found) {
        let expected: f64 = (0..matrix.height()).map(|row| 3.0 * value(row, i) * value(row, j)).sum();
        assert!((found - expected).abs() < 1e-14, "({i}, {j}): {found} instead of {expected}");
    }
}

#[test]
fn products_of_molecules_and_of_chains_are_those_of_the_definition() {
    // Three distances of each of eleven molecules, then one distance of each of two.
    let rigid = (0..33).flat_map(|row| {
        let (molecule, bond) = (row / 3, row % 3);
        (0..3).flat_map(move |k| [bond, (bond + 1) % 3].map(|site| (row, 9 * molecule + 3 * site + k)))
    });
    let pairs = (33..35).flat_map(|row| (0..6).map(move |k| (row, 99 + 6 * (row - 33) + k)));
    check(&RowPattern::new(35, 111, rigid.chain(pairs)), 3);
    for size in 1..=3 {
        let row = |i: usize| size * i.saturating_sub(1)..size * (i + 1);
        let chain = (0..9_usize).flat_map(|i| row(i).map(move |j| (i, j)));
        check(&RowPattern::new(9, 9 * size, chain), size);
    }
    // Columns that are no neighbours.
    check(&RowPattern::new(3, 9, (0..9).map(|k| (k % 3, k))), 1);
}
