//! Vectors and matrices, rounded as nalgebra rounds; the prelude has formulas with several of them.

use super::integer::Operator;
use super::number::Numeric;
use super::value::{Matrix, Value};

impl<N: Numeric> Matrix<N> {
    /// A matrix of this shape by its entries.
    pub(crate) fn by_place([rows, columns]: [u8; 2], entry: impl Fn(usize, usize) -> N) -> Self {
        let (height, count) = (usize::from(rows), usize::from(rows) * usize::from(columns));
        Self { rows, columns, entries: (0..count).map(|k| entry(k % height, k / height)).collect() }
    }

    pub(crate) fn shape(&self) -> [u8; 2] {
        [self.rows, self.columns]
    }

    /// The position of an entry.
    pub(crate) fn place(&self, i: usize, j: usize) -> Option<usize> {
        let [rows, columns] = self.shape().map(usize::from);
        (i < rows && j < columns).then_some(j * rows + i)
    }

    /// An entry that exists.
    pub(crate) fn at(&self, i: usize, j: usize) -> &N {
        &self.entries[j * usize::from(self.rows) + i]
    }

    pub(crate) fn map(&self, function: impl Fn(N) -> N) -> Self {
        Self { entries: self.entries.iter().copied().map(function).collect(), ..*self }
    }

    /// Entry by entry with another of the same shape.
    pub(crate) fn beside(&self, other: &Self, function: impl Fn(N, N) -> N) -> Option<Self> {
        let both = self.entries.iter().zip(&*other.entries);
        let entries = both.map(|(a, b)| function(*a, *b)).collect();
        (self.shape() == other.shape()).then_some(Self { entries, ..*self })
    }

    /// The product; each column is a sum of columns.
    fn product(&self, other: &Self) -> Option<Self> {
        let inner = usize::from(self.columns);
        (self.columns == other.rows && inner > 0).then(|| {
            Self::by_place([self.rows, other.columns], |i, j| {
                let term = |k: usize| *self.at(i, k) * *other.at(k, j);
                (1..inner).fold(term(0), |sum, k| sum + term(k))
            })
        })
    }

    /// The inner product of vectors; of matrices, the sum of those of their columns.
    pub(crate) fn dot(&self, other: &Self) -> Option<N> {
        let [rows, columns] = self.shape().map(usize::from);
        let column = |j: usize| {
            let term = |i: usize| *self.at(i, j) * *other.at(i, j);
            match rows {
                4 => (term(0) + term(2)) + (term(1) + term(3)),
                _ => (1..rows).fold(term(0), |sum, i| sum + term(i)),
            }
        };
        (self.shape() == other.shape() && rows * columns > 0)
            .then(|| (1..columns).fold(column(0), |sum, j| sum + column(j)))
    }
}

/// A matrix of so many numbers, by columns or by rows.
pub(crate) fn from_numbers<N: Numeric>(
    [rows, columns]: [u8; 2],
    given: &[Value<N>],
    by_columns: bool,
) -> Option<Matrix<N>> {
    let numbers: Vec<&N> = given.iter().map(Value::as_number).collect::<Option<_>>()?;
    let (height, width) = (usize::from(rows), usize::from(columns));
    let place = |i: usize, j: usize| if by_columns { j * height + i } else { i * width + j };
    (numbers.len() == height * width).then(|| Matrix::by_place([rows, columns], |i, j| *numbers[place(i, j)]))
}

/// The value of an operator with a matrix; `None` if it has none.
pub(crate) fn operate<N: Numeric>(operator: Operator, left: &Value<N>, right: &Value<N>) -> Option<Value<N>> {
    let result = match (operator, left, right) {
        (Operator::Add, Value::Matrix(a), Value::Matrix(b)) => a.beside(b, N::add)?,
        // The sum of nothing may be one of vectors.
        (Operator::Add, Value::Matrix(a), Value::Number(b))
        | (Operator::Add, Value::Number(b), Value::Matrix(a))
            if b.real().to_bits() == (-0.0_f64).to_bits() =>
        {
            a.clone()
        }
        (Operator::Sub, Value::Matrix(a), Value::Matrix(b)) => a.beside(b, N::sub)?,
        (Operator::Mul, Value::Matrix(a), Value::Matrix(b)) => a.product(b)?,
        (Operator::Mul, Value::Matrix(a), Value::Number(b)) => a.map(|entry| entry * *b),
        (Operator::Mul, Value::Number(a), Value::Matrix(b)) => b.map(|entry| *a * entry),
        (Operator::Div, Value::Matrix(a), Value::Number(b)) => a.map(|entry| entry / *b),
        _ => return None,
    };
    Some(Value::Matrix(result))
}
