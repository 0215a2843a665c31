//! The loop over the elements of a family.
//!
//! There are two: over [single] elements, which read and add at their coordinates, and over elements in
//! the lanes of [registers](wide), which read and add columns of a [`Layout`](super::layout::Layout).
//! Layouts and assembly are compiled once for all models; only the loops are compiled for each operation
//! of each model.

mod rates;
mod single;
mod wide;

use super::kernel::{Code, Operation};
use rates::RateSweep;
use single::SingleSweep;
pub(super) use single::Straight;
pub use single::rows;
use wide::WideSweep;

impl Operation {
    /// An operation for single elements.
    pub const fn single<K, const G: usize, const X: usize, const C: usize, const R: usize>() -> Self
    where
        K: Code<G, X, C, R>,
    {
        Self { single: <K as SingleSweep<G, X, C, R>>::sweep, wide: None, is_compiled: true }
    }

    /// The rates of an operation along a direction of x, for single elements.
    pub const fn rates<K, const G: usize, const X: usize, const C: usize>() -> Self
    where
        K: Code<G, X, C>,
    {
        Self { single: <K as RateSweep<G, X, C>>::sweep_rates, ..Self::left_out() }
    }

    /// In place of an operation that nobody asks for.
    pub const fn left_out() -> Self {
        Self { single: |_| f64::NAN, wide: None, is_compiled: false }
    }

    /// An operation for registers, too, if its arithmetic pays for moving numbers into lanes.
    pub const fn wide<K, const G: usize, const X: usize, const C: usize, const R: usize>() -> Self
    where
        K: Code<G, X, C, R>,
    {
        Self { wide: Some(<K as WideSweep<G, X, C, R>>::sweep), ..Self::single::<K, G, X, C, R>() }
    }
}
