//! Tables and integer arithmetic of a declaration, looked at before Rust would panic.
//!
//! The binding of a declaration evaluates what its author wrote. Where that reads `self.table[i]` or counts `i - 1`, emitted code
//! asks here first. It knows no types: [`Table`] and [`Operands`] look at slices and integers, and let pass whatever else can be
//! indexed or calculated with, which is then Rust's own affair.

use crate::error::BindError;
use nalgebra::{DefaultAllocator, Dim, DimName, Matrix, OPoint, RawStorage, allocator::Allocator};
use std::fmt::Debug;
use std::ops::{Deref, Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

/// A type with entries side by side.
pub trait TableEntries {
    /// How many.
    fn count(&self) -> usize;

    /// In how many columns they stand; one, but for matrices.
    fn columns(&self) -> usize {
        1
    }
}

impl<T> TableEntries for [T] {
    fn count(&self) -> usize {
        self.len()
    }
}

impl<T, const N: usize> TableEntries for [T; N] {
    fn count(&self) -> usize {
        N
    }
}

impl<T> TableEntries for Vec<T> {
    fn count(&self) -> usize {
        self.len()
    }
}

impl<T> TableEntries for std::collections::VecDeque<T> {
    fn count(&self) -> usize {
        self.len()
    }
}

macro_rules! by_reference {
    ($($pointer:ty),*) => {
        $(impl<T: TableEntries + ?Sized> TableEntries for $pointer {
            fn count(&self) -> usize {
                (**self).count()
            }

            fn columns(&self) -> usize {
                (**self).columns()
            }
        })*
    };
}

by_reference!(&T, &mut T, Box<T>, std::rc::Rc<T>, std::sync::Arc<T>);

/// Vectors and matrices, whose entries can also be counted one after the other.
impl<T, R: Dim, C: Dim, S: RawStorage<T, R, C>> TableEntries for Matrix<T, R, C, S> {
    fn count(&self) -> usize {
        self.nrows() * self.ncols()
    }

    fn columns(&self) -> usize {
        self.ncols()
    }
}

impl<T: nalgebra::Scalar, D: DimName> TableEntries for OPoint<T, D>
where
    DefaultAllocator: Allocator<D>,
{
    fn count(&self) -> usize {
        D::dim()
    }
}

/// An index of such entries.
pub trait Within: Debug {
    /// Whether it is inside of so many.
    fn within(&self, count: usize) -> bool;

    /// The same for entries that stand in so many columns.
    fn within_columns(&self, count: usize, columns: usize) -> bool {
        let _ = columns;
        self.within(count)
    }
}

impl Within for (usize, usize) {
    fn within(&self, count: usize) -> bool {
        self.within_columns(count, 1)
    }

    fn within_columns(&self, count: usize, columns: usize) -> bool {
        let (row, column) = *self;
        column < columns && row < count / columns
    }
}

impl Within for usize {
    fn within(&self, count: usize) -> bool {
        *self < count
    }
}

impl Within for Range<usize> {
    fn within(&self, count: usize) -> bool {
        self.start <= self.end && self.end <= count
    }
}

impl Within for RangeInclusive<usize> {
    fn within(&self, count: usize) -> bool {
        *self.end() < count && *self.start() <= *self.end() + 1
    }
}

impl Within for RangeFrom<usize> {
    fn within(&self, count: usize) -> bool {
        self.start <= count
    }
}

impl Within for RangeTo<usize> {
    fn within(&self, count: usize) -> bool {
        self.end <= count
    }
}

impl Within for RangeToInclusive<usize> {
    fn within(&self, count: usize) -> bool {
        self.end < count
    }
}

impl Within for RangeFull {
    fn within(&self, _: usize) -> bool {
        true
    }
}

/// A table that is about to be indexed.
#[derive(Debug)]
pub struct Table<'t, T: ?Sized>(pub &'t T);

impl<T: TableEntries + ?Sized> Table<'_, T> {
    /// Looks whether the entry `index` is there.
    ///
    /// # Errors
    /// It is not.
    pub fn has<I: Within>(
        self,
        index: &I,
        table: &'static str,
        place: &'static str,
    ) -> Result<(), BindError> {
        let (length, columns) = (self.0.count(), self.0.columns());
        if index.within_columns(length, columns) {
            return Ok(());
        }
        Err(BindError::TableTooShort { place, table, length, index: format!("{index:?}") })
    }
}

/// A value that only Rust can judge.
#[derive(Debug)]
pub struct Other;

impl<T: ?Sized> Deref for Table<'_, T> {
    type Target = Other;

    fn deref(&self) -> &Other {
        &Other
    }
}

impl Other {
    /// Rust looks itself.
    ///
    /// # Errors
    /// None.
    pub fn has<I>(&self, _: &I, _: &'static str, _: &'static str) -> Result<(), BindError> {
        Ok(())
    }

    /// Rust calculates itself.
    ///
    /// # Errors
    /// None.
    pub fn give(&self, _: char, _: &'static str, _: &'static str) -> Result<(), BindError> {
        Ok(())
    }
}

/// A whole number, or a reference to one.
pub trait Whole: Copy {
    /// The smallest and the largest of its type.
    const RANGE: [i128; 2];
    /// The number.
    fn wide(self) -> i128;
}

macro_rules! whole {
    ($($integer:ty),*) => {
        $(#[allow(clippy::cast_lossless, reason = "`usize` has no `From` for it")]
        impl Whole for $integer {
            const RANGE: [i128; 2] = [<$integer>::MIN as i128, <$integer>::MAX as i128];

            #[inline]
            fn wide(self) -> i128 {
                self as i128
            }
        })*
    };
}

whole!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize);

impl<T: Whole> Whole for &T {
    const RANGE: [i128; 2] = T::RANGE;

    #[inline]
    fn wide(self) -> i128 {
        (*self).wide()
    }
}

/// The two sides of an operation that is about to be carried out.
#[derive(Debug)]
pub struct Operands<'o, A, B>(pub &'o A, pub &'o B);

impl<A: Whole, B: Whole> Operands<'_, A, B> {
    /// Looks whether the operation has a result of its type.
    ///
    /// # Errors
    /// It has none.
    #[inline]
    pub fn give(
        self,
        operation: char,
        expression: &'static str,
        place: &'static str,
    ) -> Result<(), BindError> {
        let (left, right) = (self.0.wide(), self.1.wide());
        let [least, most] = A::RANGE;
        // Products of two 64-bit numbers fit into 128 bits.
        let result = match operation {
            '+' => Some(left + right),
            '-' => Some(left - right),
            '*' => Some(left * right),
            '/' => left.checked_div(right),
            _ => left.checked_rem(right),
        };
        if result.is_some_and(|result| (least..=most).contains(&result)) {
            return Ok(());
        }
        Err(BindError::Arithmetic { place, expression, operation, left, right, result })
    }
}

impl<A, B> Deref for Operands<'_, A, B> {
    type Target = Other;

    fn deref(&self) -> &Other {
        &Other
    }
}

#[cfg(test)]
mod tests {
    use super::{Operands, Table};
    use nalgebra::{DMatrix, Point3, Vector3};
    use std::collections::BTreeMap;

    fn message<E: std::fmt::Display>(result: Result<(), E>) -> String {
        result.err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn slices_are_looked_at_and_maps_let_pass() {
        let (list, map) = (vec![1.0, 2.0], BTreeMap::from([(7, 1.0)]));
        assert!(Table(&list).has(&1, "list", "V").is_ok());
        assert!(Table(&&list[..]).has(&(1..2), "list", "V").is_ok());
        assert!(Table(&map).has(&8, "map", "V").is_ok());
        assert_eq!(
            message(Table(&[1, 2]).has(&2, "list", "V")),
            "V: index 2 is outside `list`, whose length is 2: check the parameters of the model"
        );
        assert!(message(Table(&list).has(&(1..3), "list", "V")).contains("index 1..3 is outside"));
        assert!(Table(&list).has(&(3..), "list", "V").is_err());
    }

    #[test]
    fn vectors_and_matrices_are_looked_at() {
        let (vector, matrix) = (Vector3::<f64>::x(), DMatrix::repeat(2, 3, 1.0));
        for (row, column) in (0..4).flat_map(|row| (0..4).map(move |column| (row, column))) {
            assert_eq!(Table(&matrix).has(&(row, column), "m", "V").is_ok(), row < 2 && column < 3);
            assert_eq!(Table(&vector).has(&(row, column), "a", "V").is_ok(), row < 3 && column == 0);
        }
        assert!(Table(&vector).has(&2, "a", "V").is_ok() && Table(&matrix).has(&5, "m", "V").is_ok());
        assert!(Table(&DMatrix::<f64>::zeros(0, 0)).has(&(0, 0), "m", "V").is_err());
        assert_eq!(
            message(Table(&Point3::<f64>::origin()).has(&3, "place", "V")),
            "V: index 3 is outside `place`, whose length is 3: check the parameters of the model"
        );
        assert_eq!(
            message(Table(&&matrix).has(&(2, 0), "m", "V")),
            "V: index (2, 0) is outside `m`, whose length is 6: check the parameters of the model"
        );
    }

    #[test]
    fn integers_are_looked_at_and_numbers_let_pass() {
        let none = 0_usize;
        assert!(Operands(&none, &1.0).give('-', "", "V").is_ok());
        assert!(Operands(&0.0, &0.0).give('/', "", "V").is_ok());
        assert!(Operands(&&3_usize, &3).give('-', "", "V").is_ok());
        assert_eq!(
            message(Operands(&none, &1).give('-', "i - 1", "V")),
            "V: `i - 1` is 0 - 1, which is below zero: check the parameters of the model"
        );
        assert!(message(Operands(&5, &none).give('%', "5 % n", "V")).contains("a division by zero"));
        assert!(message(Operands(&usize::MAX, &1).give('+', "i + 1", "V")).contains("too large"));
        assert!(message(Operands(&i32::MIN, &-1).give('/', "", "V")).contains("too large"));
        assert!(Operands(&3_i32, &5).give('-', "", "V").is_ok());
    }
}
