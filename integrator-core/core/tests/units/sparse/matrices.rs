use least_action_core::advanced::sparse::{RowMatrix, RowPattern, SymmetricMatrix};
use nalgebra::DMatrix;

#[test]
fn sparse_and_dense_views_have_both_triangles_and_multiply_alike() {
    let entries = [(0, 0, 2.0), (2, 0, -1.0), (1, 1, 3.0), (3, 1, 0.5), (2, 2, 4.0), (3, 3, 5.0)];
    let matrix = SymmetricMatrix::of_entries(4, &entries);
    let (dense, sparse) = (matrix.dense(), matrix.csc());
    assert_eq!(dense, dense.transpose());
    assert_eq!((dense[(0, 2)], dense[(1, 3)], dense[(0, 1)]), (-1.0, 0.5, 0.0));
    assert_eq!(sparse.nnz(), 8);
    assert_eq!(DMatrix::from(&sparse), dense);
    let x = [1.0, -2.0, 3.0, 0.25];
    let mut product = [0.0; 4];
    matrix.multiply(&x, &mut product);
    assert_eq!((dense * DMatrix::from_column_slice(4, 1, &x)).as_slice(), product);
}

#[test]
fn rows_keep_their_shape() {
    let mut rows = RowMatrix::zero(RowPattern::new(2, 3, [(0, 2), (1, 0), (1, 1)]));
    rows.values.copy_from_slice(&[7.0, 8.0, 9.0]);
    let expected = DMatrix::from_row_slice(2, 3, &[0.0, 0.0, 7.0, 8.0, 9.0, 0.0]);
    assert_eq!(rows.dense(), expected);
    assert_eq!(DMatrix::from(&rows.csc()), expected);
}
