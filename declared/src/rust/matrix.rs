//! Vectors and matrices, rounded as nalgebra rounds.

use super::error::Error;
use super::number::Numeric;
use super::operator::Operator;
use super::tree::Make;
use super::value::{Matrix, Value};

impl<N: Numeric> Matrix<N> {
    /// A matrix of entries by columns.
    pub(crate) fn new(rows: usize, columns: usize, entries: impl IntoIterator<Item = N>) -> Self {
        Self { rows: rows as u8, columns: columns as u8, entries: entries.into_iter().collect() }
    }

    fn by_place(rows: usize, columns: usize, entry: impl Fn(usize, usize) -> N) -> Self {
        Self::new(rows, columns, (0..rows * columns).map(|k| entry(k % rows, k / rows)))
    }

    pub(crate) fn vector(entries: impl IntoIterator<Item = N>) -> Self {
        let entries: std::rc::Rc<[N]> = entries.into_iter().collect();
        Self { rows: entries.len() as u8, columns: 1, entries }
    }

    pub(crate) fn identity(size: usize) -> Self {
        Self::by_place(size, size, |i, j| N::of(if i == j { 1.0 } else { 0.0 }))
    }

    pub(crate) fn shape(&self) -> [usize; 2] {
        [self.rows.into(), self.columns.into()]
    }

    fn is_vector(&self) -> bool {
        self.columns == 1
    }

    /// An entry that exists.
    fn at(&self, i: usize, j: usize) -> &N {
        &self.entries[j * usize::from(self.rows) + i]
    }

    /// The position of an entry.
    pub(crate) fn place(&self, i: usize, j: usize) -> Option<usize> {
        let [rows, columns] = self.shape();
        (i < rows && j < columns).then_some(j * rows + i)
    }

    pub(crate) fn by_rows(&self) -> impl Iterator<Item = &N> {
        let [rows, columns] = self.shape();
        (0..rows * columns).map(move |k| self.at(k / columns, k % columns))
    }

    fn map(&self, function: impl Fn(&N) -> N) -> Self {
        let entries = self.entries.iter().map(function).collect();
        Self { rows: self.rows, columns: self.columns, entries }
    }

    fn beside(&self, other: &Self, function: impl Fn(&N, &N) -> N) -> Option<Self> {
        if self.shape() != other.shape() {
            return None;
        }
        let entries = self.entries.iter().zip(&*other.entries).map(|(a, b)| function(a, b)).collect();
        Some(Self { rows: self.rows, columns: self.columns, entries })
    }

    fn transposed(&self) -> Self {
        let [rows, columns] = self.shape();
        Self::by_place(columns, rows, |i, j| self.at(j, i).clone())
    }

    /// The product; each column is a sum of columns.
    fn product(&self, other: &Self) -> Option<Self> {
        let ([rows, inner], [same, columns]) = (self.shape(), other.shape());
        (inner == same && inner > 0).then(|| {
            Self::by_place(rows, columns, |i, j| {
                let term = |k: usize| self.at(i, k).times(other.at(k, j));
                (1..inner).fold(term(0), |sum, k| sum.plus(&term(k)))
            })
        })
    }

    /// The inner product of vectors; of matrices, the sum of those of their columns.
    fn dot(&self, other: &Self) -> Option<N> {
        if self.shape() != other.shape() {
            return None;
        }
        let [rows, columns] = self.shape();
        let column = |j: usize| {
            let term = |i: usize| self.at(i, j).times(other.at(i, j));
            match rows {
                4 => term(0).plus(&term(2)).plus(&term(1).plus(&term(3))),
                _ => (1..rows).fold(term(0), |sum, i| sum.plus(&term(i))),
            }
        };
        Some((1..columns).fold(column(0), |sum, j| sum.plus(&column(j))))
    }

    fn norm_squared(&self) -> N {
        self.dot(self).unwrap_or_else(|| N::of(0.0))
    }

    fn norm(&self) -> N {
        self.norm_squared().apply(super::number::Elementary::sqrt)
    }

    fn cross(&self, other: &Self) -> Option<Self> {
        let ([a, b, c], [x, y, z]) = (self.three()?, other.three()?);
        let minus = |p: &N, q: &N, r: &N, s: &N| p.times(q).minus(&r.times(s));
        Some(Self::vector([minus(b, z, c, y), minus(c, x, a, z), minus(a, y, b, x)]))
    }

    fn three(&self) -> Option<[&N; 3]> {
        if let [a, b, c] = &*self.entries { Some([a, b, c]) } else { None }
    }

    fn cross_matrix(&self) -> Option<Self> {
        let ([x, y, z], zero) = (self.three()?, N::of(0.0));
        let entries = [zero.clone(), z.clone(), y.negative(), z.negative(), zero.clone(), x.clone()];
        Some(Self::new(3, 3, entries.into_iter().chain([y.clone(), x.negative(), zero])))
    }

    /// The determinant, and the inverse if it is not zero; of a matrix of at most three rows.
    fn inverse(&self) -> Option<(N, Option<Self>)> {
        let m = |i: usize, j: usize| self.at(i, j);
        let minor =
            |i: usize, j: usize, k: usize, l: usize| m(i, j).times(m(k, l)).minus(&m(k, j).times(m(i, l)));
        let (determinant, entries) = match self.shape() {
            [1, 1] => (m(0, 0).clone(), vec![N::of(1.0)]),
            [2, 2] => {
                let entries = vec![m(1, 1).clone(), m(1, 0).negative(), m(0, 1).negative(), m(0, 0).clone()];
                (m(0, 0).times(m(1, 1)).minus(&m(1, 0).times(m(0, 1))), entries)
            }
            [3, 3] => {
                let first = [minor(1, 1, 2, 2), minor(1, 0, 2, 2), minor(1, 0, 2, 1)];
                let determinant =
                    m(0, 0).times(&first[0]).minus(&m(0, 1).times(&first[1])).plus(&m(0, 2).times(&first[2]));
                let cofactor =
                    |a: (usize, usize), b: (usize, usize), c: (usize, usize), d: (usize, usize)| {
                        m(a.0, a.1).times(m(b.0, b.1)).minus(&m(c.0, c.1).times(m(d.0, d.1)))
                    };
                let [a, b, c] = first;
                let entries = vec![
                    a,
                    b.negative(),
                    c,
                    cofactor((0, 2), (2, 1), (2, 2), (0, 1)),
                    cofactor((0, 0), (2, 2), (2, 0), (0, 2)),
                    cofactor((0, 1), (2, 0), (2, 1), (0, 0)),
                    cofactor((0, 1), (1, 2), (1, 1), (0, 2)),
                    cofactor((0, 2), (1, 0), (1, 2), (0, 0)),
                    cofactor((0, 0), (1, 1), (1, 0), (0, 1)),
                ];
                (determinant, entries)
            }
            _ => return None,
        };
        let [size, _] = self.shape();
        let inverse = (determinant.real() != 0.0)
            .then(|| Self::new(size, size, entries.iter().map(|entry| entry.over(&determinant))));
        Some((determinant, inverse))
    }

    /// The rotation about a unit vector.
    pub(crate) fn rotation(axis: &Self, angle: &N) -> Option<Self> {
        use super::number::Elementary::{cos, sin};
        if angle.real() == 0.0 {
            return Some(Self::identity(3));
        }
        let (u, one) = (axis.three()?, N::of(1.0));
        let (sine, cosine) = (angle.apply(sin), angle.apply(cos));
        let rest = one.minus(&cosine);
        Some(Self::by_place(3, 3, |i, j| {
            let both = u[i.min(j)].times(u[i.max(j)]);
            let across = || u[3 - i - j].times(&sine);
            match (3 + j - i) % 3 {
                0 => both.plus(&one.minus(&both).times(&cosine)),
                1 => both.times(&rest).minus(&across()),
                _ => both.times(&rest).plus(&across()),
            }
        }))
    }

    /// Of the quaternion (x, y, z, w) of length one, the turned vector.
    pub(crate) fn turned(&self, vector: &Self) -> Option<Self> {
        let ([x, y, z, w], two) = (<&[N; 4]>::try_from(&*self.entries).ok()?, N::of(2.0));
        let axis = Self::vector([x, y, z].map(N::clone));
        let twice = axis.cross(vector)?.map(|entry| entry.times(&two));
        let cross = axis.cross(&twice)?;
        twice.map(|entry| entry.times(w)).beside(&cross, N::plus)?.beside(vector, N::plus)
    }

    /// With the length one.
    pub(crate) fn normalized(&self) -> Self {
        let norm = self.norm();
        self.map(|entry| entry.over(&norm))
    }
}

/// A matrix from numbers, or from other matrices.
pub(crate) fn make<N: Numeric>(
    make: Make,
    rows: usize,
    columns: usize,
    given: &[Value<N>],
) -> Option<Matrix<N>> {
    let count = rows * columns;
    let numbers = |by_columns: bool| {
        let all: Option<Vec<&N>> = match given {
            [Value::List(list)] => list.iter().map(Value::as_number).collect(),
            list => list.iter().map(Value::as_number).collect(),
        };
        let all = all.filter(|all| all.len() == count)?;
        let at = |i: usize, j: usize| all[if by_columns { j * rows + i } else { i * columns + j }].clone();
        Some(Matrix::by_place(rows, columns, at))
    };
    let vectors = || {
        let [Value::List(list)] = given else { return None };
        let vector =
            |value: &Value<N>| if let Value::Matrix(vector) = value { Some(vector.clone()) } else { None };
        list.iter().map(vector).collect::<Option<Vec<_>>>()
    };
    match (make, given) {
        (Make::Zeros, []) => Some(Matrix::by_place(rows, columns, |_, _| N::of(0.0))),
        (Make::Identity, []) => {
            Some(Matrix::by_place(rows, columns, |i, j| N::of(if i == j { 1.0 } else { 0.0 })))
        }
        (Make::Axis(axis), []) => Some(Matrix::by_place(rows, columns, |i, _| {
            N::of(if i == usize::from(axis) { 1.0 } else { 0.0 })
        })),
        (Make::Repeat, [Value::Number(number)]) => {
            Some(Matrix::by_place(rows, columns, |_, _| number.clone()))
        }
        (Make::Diagonal, [Value::Matrix(entries)]) if entries.entries.len() == rows && rows == columns => {
            Some(Matrix::by_place(
                rows,
                columns,
                |i, j| if i == j { entries.at(i, 0).clone() } else { N::of(0.0) },
            ))
        }
        (Make::New | Make::RowSlice, _) => numbers(false),
        (Make::ColumnSlice, _) => numbers(true),
        (Make::Columns, _) => vectors()
            .filter(|all| all.len() == columns && all.iter().all(|one| one.entries.len() == rows))
            .map(|all| Matrix::by_place(rows, columns, |i, j| all[j].entries[i].clone())),
        (Make::Rows, _) => vectors()
            .filter(|all| all.len() == rows && all.iter().all(|one| one.entries.len() == columns))
            .map(|all| Matrix::by_place(rows, columns, |i, j| all[i].entries[j].clone())),
        _ => None,
    }
}

/// The value of an operator with a matrix; `None` if it has none.
pub(crate) fn operate<N: Numeric>(operator: Operator, left: &Value<N>, right: &Value<N>) -> Option<Value<N>> {
    let result = match (operator, left, right) {
        (Operator::Add, Value::Matrix(a), Value::Matrix(b)) => a.beside(b, N::plus)?,
        (Operator::Sub, Value::Matrix(a), Value::Matrix(b)) => a.beside(b, N::minus)?,
        (Operator::Mul, Value::Matrix(a), Value::Matrix(b)) => a.product(b)?,
        (Operator::Mul, Value::Matrix(a), Value::Number(b)) => a.map(|entry| entry.times(b)),
        (Operator::Mul, Value::Number(a), Value::Matrix(b)) => b.map(|entry| a.times(entry)),
        (Operator::Div, Value::Matrix(a), Value::Number(b)) => a.map(|entry| entry.over(b)),
        _ => return None,
    };
    Some(Value::Matrix(result))
}

/// −M.
pub(crate) fn negative<N: Numeric>(matrix: &Matrix<N>) -> Matrix<N> {
    matrix.map(N::negative)
}

/// A method of a matrix; `None` if there is no such method.
pub(crate) fn method<N: Numeric>(
    name: &str,
    own: &Matrix<N>,
    arguments: &[Value<N>],
) -> Option<Result<Value<N>, Error>> {
    let value = match (name, arguments) {
        ("norm" | "magnitude", []) => Value::Number(own.norm()),
        ("norm_squared" | "magnitude_squared", []) => Value::Number(own.norm_squared()),
        ("normalize", []) => Value::Matrix(own.normalized()),
        ("into_inner" | "matrix" | "into_owned" | "clone_owned" | "vector" | "as_ref", []) => {
            Value::Matrix(own.clone())
        }
        ("transpose", []) => Value::Matrix(own.transposed()),
        ("inverse", []) => Value::Matrix(own.inverse()?.1?),
        ("determinant", []) => Value::Number(own.inverse()?.0),
        ("try_inverse", []) => Value::option(own.inverse()?.1.map(Value::Matrix)),
        ("trace", []) if own.rows == own.columns => {
            Value::Number((1..own.shape()[0]).fold(own.at(0, 0).clone(), |sum, k| {
                sum.plus(own.entries.get(k * (usize::from(own.rows) + 1)).unwrap_or(&sum))
            }))
        }
        ("sum", []) => Value::Number(
            own.entries.iter().skip(1).fold(own.entries.first()?.clone(), |sum, entry| sum.plus(entry)),
        ),
        ("cross_matrix", []) => Value::Matrix(own.cross_matrix()?),
        ("len", []) => Value::count(own.entries.len()),
        ("nrows", []) => Value::count(own.rows.into()),
        ("ncols", []) => Value::count(own.columns.into()),
        ("iter" | "as_slice" | "into_iter", []) => {
            Value::list(own.entries.iter().cloned().map(Value::Number).collect())
        }
        ("column", [j]) => {
            let [rows, columns] = own.shape();
            let j = j.as_count().filter(|j| *j < columns)?;
            Value::Matrix(Matrix::vector((0..rows).map(|i| own.at(i, j).clone())))
        }
        ("row", [i]) => {
            let [rows, columns] = own.shape();
            let i = i.as_count().filter(|i| *i < rows)?;
            Value::Matrix(Matrix::new(1, columns, (0..columns).map(|j| own.at(i, j).clone())))
        }
        ("dot", [Value::Matrix(other)]) => Value::Number(own.dot(other)?),
        ("cross", [Value::Matrix(other)]) => Value::Matrix(own.cross(other)?),
        ("component_mul", [Value::Matrix(other)]) => Value::Matrix(own.beside(other, N::times)?),
        ("component_div", [Value::Matrix(other)]) => Value::Matrix(own.beside(other, N::over)?),
        ("metric_distance", [Value::Matrix(other)]) => Value::Number(own.beside(other, N::minus)?.norm()),
        ("scale", [Value::Number(factor)]) => Value::Matrix(own.map(|entry| entry.times(factor))),
        ("xy", []) if own.is_vector() && own.rows > 2 => {
            Value::Matrix(Matrix::vector(own.entries.iter().take(2).cloned()))
        }
        ("push", [Value::Number(last)]) if own.is_vector() && own.rows < 4 => {
            Value::Matrix(Matrix::vector(own.entries.iter().chain([last]).cloned()))
        }
        _ => return None,
    };
    Some(Ok(value))
}
