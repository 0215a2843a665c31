//! Checks tables and integer arithmetic of a declaration before Rust would panic.
//!
//! The binding evaluates the author's expressions. Before `self.table[i]` or `i - 1` emitted code asks
//! here. It knows no types: [`Table`] and [`Operands`] check slices and integers; anything else that has
//! an index or arithmetic passes, and Rust checks it.

use crate::error::BindError;
use nalgebra::{DefaultAllocator, Dim, DimName, Matrix, OPoint, RawStorage, allocator::Allocator};
use std::fmt::Debug;
use std::ops::{Deref, Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

/// A type with entries in order.
pub trait TableEntries {
    /// Their number.
    fn count(&self) -> usize;

    /// The number of columns of a matrix; otherwise 1.
    fn columns(&self) -> usize {
        1
    }
}

macro_rules! counted {
    ($([$($generics:tt)*] $type:ty: |$own:pat_param| $count:expr;)+) => {
        $(impl<$($generics)*> TableEntries for $type {
            fn count(&self) -> usize {
                let $own = self;
                $count
            }
        })+
    };
}

counted! {
    [T] [T]: |own| own.len();
    [T, const N: usize] [T; N]: |_| N;
    [T] Vec<T>: |own| own.len();
    [T] std::collections::VecDeque<T>: |own| own.len();
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

/// Vectors and matrices, whose entries also have one index.
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

/// An index of a table.
pub trait Within: Debug {
    /// Whether it is below `count`.
    fn within(&self, count: usize) -> bool;

    /// Whether it is inside of `count` entries in `columns` columns.
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

macro_rules! within {
    ($($type:ty: |$own:pat_param, $count:pat_param| $holds:expr;)+) => {
        $(impl Within for $type {
            fn within(&self, count: usize) -> bool {
                let ($own, $count) = (self, count);
                $holds
            }
        })+
    };
}

within! {
    usize: |own, count| *own < count;
    Range<usize>: |own, count| own.start <= own.end && own.end <= count;
    RangeInclusive<usize>: |own, count| *own.end() < count && *own.start() <= *own.end() + 1;
    RangeFrom<usize>: |own, count| own.start <= count;
    RangeTo<usize>: |own, count| own.end <= count;
    RangeToInclusive<usize>: |own, count| own.end < count;
    RangeFull: |_, _| true;
}

/// A table before it is indexed.
#[derive(Debug)]
pub struct Table<'t, T: ?Sized>(pub &'t T);

impl<T: TableEntries + ?Sized> Table<'_, T> {
    /// Requires that the entry `index` exists.
    ///
    /// # Errors
    /// It does not.
    pub fn has<I: Within>(self, index: &I, table: &str, place: &str) -> Result<(), BindError> {
        let (length, columns) = (self.0.count(), self.0.columns());
        if index.within_columns(length, columns) {
            return Ok(());
        }
        let (place, table) = (place.to_owned(), table.to_owned());
        Err(BindError::TableTooShort { place, table, length, index: format!("{index:?}") })
    }
}

/// A value that only Rust can check.
#[derive(Debug)]
pub struct Other;

impl<T: ?Sized> Deref for Table<'_, T> {
    type Target = Other;

    fn deref(&self) -> &Other {
        &Other
    }
}

impl Other {
    /// Leaves the check to Rust.
    ///
    /// # Errors
    /// None.
    pub fn has<I>(&self, _: &I, _: &str, _: &str) -> Result<(), BindError> {
        Ok(())
    }

    /// Leaves the check to Rust.
    ///
    /// # Errors
    /// None.
    pub fn give(&self, _: char, _: &str, _: &str) -> Result<(), BindError> {
        Ok(())
    }
}

/// A whole number, or a reference to one.
pub trait Whole: Copy {
    /// The smallest and the largest value of its type.
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

/// The two sides of an operation before it is evaluated.
#[derive(Debug)]
pub struct Operands<'o, A, B>(pub &'o A, pub &'o B);

impl<A: Whole, B: Whole> Operands<'_, A, B> {
    /// Requires that the operation has a result of its type.
    ///
    /// # Errors
    /// It has none.
    #[inline]
    pub fn give(self, operation: char, expression: &str, place: &str) -> Result<(), BindError> {
        give(([self.0.wide(), self.1.wide()], A::RANGE), operation, expression, place)
    }
}

/// Requires that an operation of integers has a result within these bounds.
///
/// # Errors
/// It has none.
#[inline]
pub fn give(
    ([left, right], [least, most]): ([i128; 2], [i128; 2]),
    operation: char,
    expression: &str,
    place: &str,
) -> Result<(), BindError> {
    // i128 holds the product of two 64-bit numbers.
    let result = match operation {
        '+' => Some(left + right),
        '-' => Some(left - right),
        '*' => Some(left * right),
        '/' => left.checked_div(right),
        _ => left.checked_rem(right),
    };
    let fault = match result {
        Some(result) if (least..=most).contains(&result) => return Ok(()),
        None => "a division by zero",
        // In a type without negative numbers.
        Some(result) if result < 0 && left >= 0 && right >= 0 => "below zero",
        Some(_) => "too large",
    };
    let (place, expression) = (place.to_owned(), expression.to_owned());
    Err(BindError::Arithmetic { place, expression, operation, left, right, fault })
}

impl<A, B> Deref for Operands<'_, A, B> {
    type Target = Other;

    fn deref(&self) -> &Other {
        &Other
    }
}
