//! The loop over the elements of a family.
//!
//! There are two: over [single] elements, which read and add at their coordinates, and over elements in
//! the lanes of [registers](wide), which read and add columns of a [`Layout`](super::layout::Layout).
//! Layouts and assembly are compiled once for all models; only the loops are compiled for each operation
//! of each model.

mod rates;
mod single;
mod wide;

use super::kernel::{Code, Compiled, Executable};
use rates::RateSweep;
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
        Self::Compiled(Compiled { single: <K as SingleSweep<G, X, C, R>>::sweep, wide: None })
    }

    /// The rates of an operation along a direction of x, for single elements.
    pub const fn rates<K, const G: usize, const X: usize, const C: usize, const R: usize>() -> Self
    where
        K: Code<G, X, C, R>,
    {
        Self::Compiled(Compiled { single: <K as RateSweep<G, X, C, R>>::sweep_rates, wide: None })
    }

    /// The gradients of sums in the rows of a matrix, for single elements.
    pub const fn rows<K, const G: usize, const X: usize, const C: usize, const R: usize>() -> Self
    where
        K: Code<G, X, C, R>,
    {
        Self::Compiled(Compiled { single: rows::<K, G, X, C, R>, wide: None })
    }

    /// An operation for registers, too, if its arithmetic pays for moving numbers into lanes.
    pub const fn wide<K, const G: usize, const X: usize, const C: usize, const R: usize>() -> Self
    where
        K: Code<G, X, C, R>,
    {
        let (single, wide) = (<K as SingleSweep<G, X, C, R>>::sweep, <K as WideSweep<G, X, C, R>>::sweep);
        Self::Compiled(Compiled { single, wide: Some(wide) })
    }
}
