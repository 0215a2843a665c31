//! The loop over the elements of a family.
//!
//! There are three: over [single] elements, which read and add at their coordinates; over elements in
//! the lanes of [registers](wide), which read and add columns of a
//! [`Layout`](super::layout::Layout); and over elements in [columns], whose inputs and results a list of
//! near pairs gathers and adds up.
//! Layouts and assembly are compiled once for all models; only the loops are compiled for each operation
//! of each model.

mod columns;
mod single;
mod wide;

use super::kernel::{Code, Compiled, Executable};
use crate::lanes::form::{One, Rated};
use single::SingleSweep;
pub(super) use single::Straight;
use single::rows;
use wide::WideSweep;

impl Executable {
    /// An operation for single elements.
    pub const fn single<K, const G: usize, const X: usize, const C: usize, const R: usize>() -> Self
    where
        K: Code<G, X, C, R>,
    {
        Self::Compiled(Compiled {
            single: <K as SingleSweep<G, X, C, R>>::sweep::<One>,
            wide: None,
            columns: None,
        })
    }

    /// The rates of an operation along a direction of x, for single elements.
    pub const fn rates<K, const G: usize, const X: usize, const C: usize, const R: usize>() -> Self
    where
        K: Code<G, X, C, R>,
    {
        Self::Compiled(Compiled {
            single: <K as SingleSweep<G, X, C, R>>::sweep::<Rated>,
            wide: None,
            columns: None,
        })
    }

    /// The gradients of sums in the rows of a matrix, for single elements.
    pub const fn rows<K, const G: usize, const X: usize, const C: usize, const R: usize>() -> Self
    where
        K: Code<G, X, C, R>,
    {
        Self::Compiled(Compiled { single: rows::<K, G, X, C, R>, wide: None, columns: None })
    }

    /// An operation for registers, too, if its arithmetic pays for moving numbers into lanes.
    pub const fn wide<K, const G: usize, const X: usize, const C: usize, const R: usize>() -> Self
    where
        K: Code<G, X, C, R>,
    {
        let (single, wide) =
            (<K as SingleSweep<G, X, C, R>>::sweep::<One>, <K as WideSweep<G, X, C, R>>::sweep);
        Self::Compiled(Compiled { single, wide: Some(wide), columns: None })
    }

    /// An operation for single elements and for columns; all elements share the first S coefficients.
    pub const fn near<K, const G: usize, const X: usize, const C: usize, const R: usize, const S: usize>()
    -> Self
    where
        K: Code<G, X, C, R>,
    {
        let (single, columns) =
            (<K as SingleSweep<G, X, C, R>>::sweep::<One>, columns::sweep::<K, G, X, C, R, S>);
        Self::Compiled(Compiled { single, wide: None, columns: Some(columns) })
    }
}
