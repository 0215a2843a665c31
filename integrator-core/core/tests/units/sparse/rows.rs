use least_action_core::advanced::sparse::RowPattern;

/// A chain of `links` rows with groups of `size` columns, the first short; if `closed`, also a row of
/// the first and last column.
fn chain(links: usize, size: usize, closed: bool) -> RowPattern {
    let rows = (0..links).flat_map(|i| (size * i.saturating_sub(1)..size * (i + 1)).map(move |j| (i, j)));
    let last = [0, size * links - 1].into_iter().filter(|_| closed).map(|j| (links + 1, j));
    RowPattern::new(links + 2, size * links, rows.chain(last))
}

/// The three distances of each of four molecules, behind another column.
fn molecules() -> RowPattern {
    let rows = (0..12).flat_map(|row| {
        let (molecule, bond) = (row / 3, row % 3);
        (0..3).flat_map(move |k| [bond, (bond + 1) % 3].map(|site| (row, 1 + 9 * molecule + 3 * site + k)))
    });
    RowPattern::new(12, 37, rows)
}

fn vector(length: usize, step: f64) -> Vec<f64> {
    (0..length).map(|k| (1.0 + step * k as f64).sin()).collect()
}

fn close(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() < 1e-14, "{a} instead of {b}");
    }
}

#[test]
fn products_are_those_of_the_entries_in_blocks_of_every_size() {
    for (links, size) in [(1, 2), (3, 1), (9, 1), (9, 2), (9, 3)] {
        check(&chain(links, size, false), size);
        if links > 1 {
            check(&chain(links, size, true), 1);
        }
    }
    check(&chain(9, 4, false), 2);
    check(&molecules(), 3);
    // Two rows that share one column of a pair.
    check(&RowPattern::new(2, 3, [(0, 0), (0, 1), (1, 1), (1, 2)]), 1);
    check(&RowPattern::new(2, 3, []), 3);
}

#[test]
fn products_of_full_rows_are_those_of_the_entries() {
    for (rows, columns, block) in [(1, 1, 1), (2, 4, 2), (3, 9, 3), (4, 5, 1), (6, 10, 2)] {
        check(&RowPattern::full(rows, columns, block), block);
    }
}

#[test]
fn rows_that_advance_are_told_apart_from_others() {
    for size in 1..=3 {
        // Two chains, and a link between them.
        let link = |first: usize| (size * first..size * (first + 2)).collect::<Vec<_>>();
        let rows = (0..12)
            .chain(20..32)
            .map(link)
            .chain([(3 * size..4 * size).chain(25 * size..26 * size).collect()]);
        let entries: Vec<_> =
            rows.enumerate().flat_map(|(i, row)| row.into_iter().map(move |j| (i, j))).collect();
        check(&RowPattern::new(25, 34 * size, entries), size);
        // Rods from one list of points to another, and from each point to the next but one.
        for apart in [2, 12, 15] {
            let ends =
                |i: usize| [i, i + apart].into_iter().flat_map(move |point| size * point..size * (point + 1));
            let entries = (0..12).flat_map(|i| ends(i).map(move |j| (i, j)));
            check(&RowPattern::new(12, 27 * size, entries), size);
        }
    }
}

/// Everything by its definition.
fn check(pattern: &RowPattern, block: usize) {
    assert_eq!(pattern.block(), block, "{pattern:?}");
    let (values, other) = (vector(pattern.len(), 1.0), vector(pattern.len(), 0.3));
    let (x, w) = (vector(pattern.width(), 3.0), vector(pattern.height(), 2.0));
    let magnitudes: Vec<f64> = x.iter().map(|x| x.abs()).collect();
    let (mut product, mut sizes) = (w.clone(), w.clone());
    let (mut transposed, mut scaled) = (x.clone(), vec![f64::NAN; values.len()]);
    pattern.multiply_add(&values, &x, &mut product);
    pattern.reciprocal_sizes(&values, &magnitudes, &mut sizes);
    pattern.transpose_multiply_add(&values, &w, &mut transposed);
    pattern.scale_columns(&values, &x, &mut scaled);
    let (mut by_entry, mut by_size, mut by_column) = (w.clone(), vec![f64::MIN_POSITIVE; w.len()], x.clone());
    let mut products = vec![0.0; w.len()];
    for (place, (row, column)) in pattern.entries().enumerate() {
        by_entry[row] += values[place] * x[column];
        by_size[row] += values[place].abs() * magnitudes[column];
        by_column[column] += values[place] * w[row];
        products[row] += values[place] * other[place];
        let product = values[place] * x[column];
        assert_eq!(scaled[place].to_bits(), product.to_bits());
    }
    close(&product, &by_entry);
    // A row without entries has no size, and its reciprocal is finite.
    assert!(sizes.iter().all(|size| size.is_finite()));
    close(&sizes.iter().zip(&by_size).map(|(a, b)| a * b).collect::<Vec<_>>(), &vec![1.0; w.len()]);
    close(&transposed, &by_column);

    assert_eq!(pattern.face_forward(&values, &other), products.iter().all(|product| *product > 0.0));
    let full = (0..w.len()).all(|row| !pattern.row(row).is_empty());
    assert_eq!(pattern.face_forward(&values, &values), full);
}
