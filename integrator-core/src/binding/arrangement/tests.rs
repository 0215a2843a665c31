//! Rows as they are found.

use super::{Elements, Matrix, Rows, cut, in_rows};
use crate::sparse::SymmetricPattern;

#[test]
fn a_chain_is_one_row() {
    let tuples: Vec<[u32; 4]> = (1..50).map(|i| [2 * i, 2 * i + 1, 2 * i - 2, 2 * i - 1]).collect();
    let found = cut(tuples.as_flattened(), 4).expect("a stride");
    assert_eq!((found.stride, found.rows.len()), (2, 1));
    assert_eq!(found.moving, [true; 4]);
}

#[test]
fn pairs_are_a_row_for_each_first_member() {
    let tuples: Vec<[u32; 2]> = (0..20).flat_map(|i| (i + 1..20).map(move |j| [3 * i, 3 * j])).collect();
    let found = cut(tuples.as_flattened(), 2).expect("a stride");
    assert_eq!((found.stride, found.rows.len()), (3, 19));
    assert_eq!(found.moving[..2], [false, true]);
    assert_eq!(found.rows[18], 189..190);
}

#[test]
fn pairs_of_sites_become_rows_in_another_order() {
    // Pairs of molecules first, pairs of their three sites within: rows of three, until elements of one site come together.
    let mut inputs = Vec::new();
    for i in 0..10_u32 {
        for j in i + 1..10 {
            inputs.extend((0..9).map(|k| [3 * i + k / 3, 3 * j + k % 3]));
        }
    }
    let coefficients: Vec<[f64; 1]> = inputs.iter().map(|[a, b]| [f64::from(100 * a + b)]).collect();
    let mut elements = Elements { inputs, coefficients, entries: &[], operations: 50, light: false };
    let found = in_rows(&mut elements).expect("rows");
    assert_eq!(found.rows.len(), 27);
    for (input, coefficient) in elements.inputs.iter().zip(&elements.coefficients) {
        assert_eq!(coefficient[0].to_bits(), f64::from(100 * input[0] + input[1]).to_bits());
    }
}

#[test]
fn no_rows_are_found_where_there_are_none() {
    let inputs: Vec<[u32; 2]> = (0..100_u32).map(|k| [k * k % 101, k * 37 % 101]).collect();
    let mut elements =
        Elements { coefficients: vec![[0.0; 0]; 100], inputs, entries: &[], operations: 50, light: false };
    assert!(in_rows(&mut elements).is_none());
}

/// The lower triangle of a matrix of `N` coordinates.
fn triangle<const N: usize>() -> &'static [(usize, usize)] {
    let entries: Vec<_> = (0..N).flat_map(|row| (0..=row).map(move |column| (row, column))).collect();
    entries.leak()
}

/// Whether rows of these elements add most of their Hessian entries one by one.
fn scatter<const X: usize, const H: usize>(inputs: Vec<[u32; X]>, dimension: usize) -> bool {
    let entries = triangle::<X>();
    assert_eq!(entries.len(), H);
    let filled = inputs
        .iter()
        .flat_map(|at| entries.iter().map(|&(row, column)| (at[row] as usize, at[column] as usize)));
    let (pattern, filled) = SymmetricPattern::counted(dimension, filled);
    let coefficients = vec![[0.0; 0]; inputs.len()];
    let mut elements = Elements { inputs, coefficients, entries, operations: 50, light: false };
    let found = in_rows(&mut elements).expect("rows");
    Rows::<X, H>::new(found, &elements, dimension, Matrix { pattern: &pattern, filled: &filled }).scatter()
}

#[test]
fn rows_of_triangles_scatter_and_rows_of_pairs_do_not() {
    // Two kinds of triangles of a grid of squares, each kind row by row; sides of one number have different lengths.
    let node = |node: u32| [2 * node, 2 * node + 1];
    let squares = || (0..10_u32).flat_map(|row| (0..20_u32).map(move |column| 21 * row + column));
    let left = squares().map(|corner| [corner, corner + 1, corner + 21]);
    let right = squares().map(|corner| [corner + 1, corner + 22, corner]);
    let triangles = left.chain(right).map(|nodes| {
        let [a, b, c] = nodes.map(node);
        [a[0], a[1], b[0], b[1], c[0], c[1]]
    });
    assert!(scatter::<6, 21>(triangles.collect(), 2 * 21 * 11));

    let pairs = (0..20_u32).flat_map(|i| (i + 1..20).map(move |j| [2 * i, 2 * i + 1, 2 * j, 2 * j + 1]));
    assert!(!scatter::<4, 10>(pairs.collect(), 40));
}
