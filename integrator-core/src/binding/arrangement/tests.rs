//! Rows as they are found.

use super::{Chain, Elements, Matrix, cut, in_rows};
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

/// Every entry of the lower triangle of a pair of points in the plane.
const ENTRIES: [(usize, usize); 10] =
    [(0, 0), (1, 0), (2, 0), (3, 0), (1, 1), (2, 1), (3, 1), (2, 2), (3, 2), (3, 3)];

/// Bonds in the plane between these points, in a matrix to which others add once at each of the rows `also`: where the chain
/// begins, how many of its elements are links, whether they are alone, and how many are none.
fn bonds(pairs: impl Iterator<Item = [u32; 2]>, also: &[usize]) -> Option<(usize, usize, bool, usize)> {
    let inputs: Vec<[u32; 4]> = pairs.map(|[a, b]| [2 * a, 2 * a + 1, 2 * b, 2 * b + 1]).collect();
    let entries = |at: &[u32; 4]| ENTRIES.map(|(row, column)| (at[row] as usize, at[column] as usize));
    let filled = inputs.iter().flat_map(entries).chain(also.iter().map(|row| (*row, *row)));
    let dimension = inputs.iter().flatten().max().map_or(0, |last| *last as usize + 1);
    let (pattern, filled) = SymmetricPattern::counted(dimension, filled);
    let coefficients = vec![[1.0]; inputs.len()];
    let elements = Elements { inputs, coefficients, entries: &ENTRIES, operations: 11, light: true };
    let chain = Chain::<4, 1, 10>::of(&elements, Matrix { pattern: &pattern, filled: &filled })?;
    Some((chain.start, chain.count, chain.alone, chain.others.len()))
}

#[test]
fn a_chain_is_written_where_it_is_alone() {
    let open = || (0..50).map(|i| [i, i + 1]);
    // The last bond ends where the columns of the matrix are shorter; alone, the first one is done by itself, too.
    assert_eq!(bonds(open(), &[]), Some((2, 48, true, 2)));
    assert_eq!(bonds(open(), &[0]), Some((2, 48, true, 2)));
    assert_eq!(bonds(open(), &[7]), Some((0, 49, false, 1)));
}

#[test]
fn a_ring_is_a_chain_but_for_its_ends() {
    let ring = |n: u32| (0..n).map(move |i| [i, (i + 1) % n]);
    assert_eq!(bonds(ring(100), &[]), Some((4, 96, true, 4)));
    assert_eq!(bonds(ring(10), &[]), None);
}

#[test]
fn what_skips_a_point_is_no_chain() {
    assert_eq!(bonds((0..50).map(|i| [i, i + 2]), &[]), None);
    assert_eq!(bonds((0..50).map(|i| [i + 1, i]), &[]), None);
}
