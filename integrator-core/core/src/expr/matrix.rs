//! Matrices in space.

use super::{Number, Scalar, Vec3};
use std::ops::Index;

/// A 3 × 3 matrix, with its rate of change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mat3<T: Number> {
    /// The entries, row by row.
    rows: [[Scalar<T>; 3]; 3],
}

impl<T: Number> Mat3<T> {
    /// The matrix with these entries, row by row.
    pub fn new(rows: [[Scalar<T>; 3]; 3]) -> Self {
        Self { rows }
    }

    /// A constant matrix, row by row. Declarations write `mat3(a)`.
    pub fn constant(rows: [[f64; 3]; 3]) -> Self {
        Self::new(rows.map(|row| row.map(Scalar::from)))
    }

    /// The zero matrix; declarations write it as the constant `ZERO`.
    pub fn zero() -> Self {
        Self::constant([[0.0; 3]; 3])
    }

    /// The unit matrix; declarations write it as the constant `IDENTITY`.
    pub fn identity() -> Self {
        Self::from_diagonal(Vec3::new(1.0.into(), 1.0.into(), 1.0.into()))
    }

    /// The matrix with these columns.
    pub fn from_columns(columns: [Vec3<T>; 3]) -> Self {
        Self::from_rows(columns).transpose()
    }

    /// The matrix with these rows.
    pub fn from_rows(rows: [Vec3<T>; 3]) -> Self {
        Self::new(rows.map(Vec3::components))
    }

    /// The diagonal matrix with these entries.
    pub fn from_diagonal(diagonal: Vec3<T>) -> Self {
        Self::of(|i, j| if i == j { diagonal[i] } else { Scalar::zero() })
    }

    /// The matrix with the entries `entry(row, column)`.
    fn of(entry: impl Fn(usize, usize) -> Scalar<T>) -> Self {
        Self::new(std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j))))
    }

    pub(super) fn map(self, f: impl Fn(Scalar<T>) -> Scalar<T>) -> Self {
        Self::new(self.rows.map(|row| row.map(&f)))
    }

    /// A function of the entries at the same place of two matrices.
    pub(super) fn zip(self, other: Self, f: impl Fn(Scalar<T>, Scalar<T>) -> Scalar<T>) -> Self {
        Self::of(|i, j| f(self.rows[i][j], other.rows[i][j]))
    }

    /// The product A · B.
    pub(super) fn times(self, other: Self) -> Self {
        Self::of(|i, j| (0..3).map(|k| self.rows[i][k] * other.rows[k][j]).sum())
    }

    /// The product A · v.
    pub(super) fn apply(self, vector: Vec3<T>) -> Vec3<T> {
        let [x, y, z] = self.rows.map(|row| Vec3::new(row[0], row[1], row[2]).dot(vector));
        Vec3::new(x, y, z)
    }

    /// The nine entries, row by row.
    pub fn components(self) -> [Scalar<T>; 9] {
        std::array::from_fn(|k| self.rows[k / 3][k % 3])
    }

    /// The transpose Aᵀ.
    #[must_use]
    pub fn transpose(self) -> Self {
        Self::of(|i, j| self.rows[j][i])
    }

    /// The sum of the entries on the diagonal.
    pub fn trace(self) -> Scalar<T> {
        self.rows[0][0] + self.rows[1][1] + self.rows[2][2]
    }

    /// The determinant.
    pub fn determinant(self) -> Scalar<T> {
        self.row(0).dot(self.row(1).cross(self.row(2)))
    }

    /// The inverse A⁻¹; undefined for a zero determinant.
    #[must_use]
    pub fn inverse(self) -> Self {
        let [a, b, c] = [self.row(0), self.row(1), self.row(2)];
        Self::from_columns([b.cross(c), c.cross(a), a.cross(b)]) / self.determinant()
    }

    /// Row `i`.
    ///
    /// # Panics
    /// If `i` is not below 3; the compiler of declarations checks it.
    pub fn row(self, i: usize) -> Vec3<T> {
        let [x, y, z] = self.rows[i];
        Vec3::new(x, y, z)
    }

    /// Column `j`.
    ///
    /// # Panics
    /// If `j` is not below 3; the compiler of declarations checks it.
    pub fn column(self, j: usize) -> Vec3<T> {
        self.transpose().row(j)
    }

    /// The entries on the diagonal.
    pub fn diagonal(self) -> Vec3<T> {
        Vec3::new(self.rows[0][0], self.rows[1][1], self.rows[2][2])
    }

    /// The inner product Σ Aᵢⱼ Bᵢⱼ.
    pub fn dot(self, other: impl Into<Self>) -> Scalar<T> {
        self.zip(other.into(), |a, b| a * b).components().into_iter().sum()
    }

    /// The square of the Frobenius norm, Σ Aᵢⱼ².
    pub fn norm_squared(self) -> Scalar<T> {
        self.dot(self)
    }

    /// The Frobenius norm; it has no derivative at zero.
    pub fn norm(self) -> Scalar<T> {
        self.norm_squared().sqrt()
    }
}

impl<T: Number> From<&Mat3<T>> for Mat3<T> {
    fn from(matrix: &Mat3<T>) -> Self {
        *matrix
    }
}

/// The entry at (row, column).
///
/// # Panics
/// If one of them is not below 3; the compiler of declarations checks it.
impl<T: Number> Index<(usize, usize)> for Mat3<T> {
    type Output = Scalar<T>;

    fn index(&self, (row, column): (usize, usize)) -> &Scalar<T> {
        &self.rows[row][column]
    }
}

/// The argument of `mat3(a)`, which becomes a constant matrix: an array of rows,
/// or a value that becomes an array of columns, such as `nalgebra::Matrix3<f64>`.
#[derive(Debug, Clone, Copy)]
pub struct Entries3x3<A>(pub A);

impl Entries3x3<[[f64; 3]; 3]> {
    /// The entries, row by row, as written.
    pub fn rows(self) -> [[f64; 3]; 3] {
        self.0
    }
}

impl Entries3x3<&[[f64; 3]; 3]> {
    /// The entries, row by row, as written.
    pub fn rows(self) -> [[f64; 3]; 3] {
        *self.0
    }
}

/// Values that become an array of columns.
pub trait MatrixColumns {
    /// The entries, row by row.
    fn rows(self) -> [[f64; 3]; 3];
}

impl<A: Into<[[f64; 3]; 3]>> MatrixColumns for Entries3x3<A> {
    fn rows(self) -> [[f64; 3]; 3] {
        let columns = self.0.into();
        std::array::from_fn(|i| std::array::from_fn(|j| columns[j][i]))
    }
}
