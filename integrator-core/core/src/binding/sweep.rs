//! The loop over the elements of a family.
//!
//! It is written three times: for [one element after the other](single), which read and add where their coordinates stand; for elements in
//! the lanes of [registers](wide), which read and add columns that a [`Layout`](super::layout::Layout) has prepared; and for one element after the
//! other of several [members] of an ensemble, whose lanes are members. Around all, layouts
//! and assembly are compiled once for all models; only what stands here is compiled for each operation of each model.

mod members;
mod single;
mod wide;

use super::kernel::{Code, Operation};
use members::MembersSweep;
use single::SingleSweep;
pub(super) use single::Straight;
pub use single::rows;
use wide::WideSweep;

impl Operation {
    /// An operation for one element at a time.
    pub const fn single<K, const G: usize, const X: usize, const C: usize, const R: usize>() -> Self
    where
        K: Code<G, X, C, R>,
    {
        Self { single: <K as SingleSweep<G, X, C, R>>::sweep, wide: None, members: None }
    }

    /// An operation for registers, too: where its arithmetic is worth bringing the numbers into lanes.
    pub const fn wide<K, const G: usize, const X: usize, const C: usize, const R: usize>() -> Self
    where
        K: Code<G, X, C, R>,
    {
        Self { wide: Some(<K as WideSweep<G, X, C, R>>::sweep), ..Self::single::<K, G, X, C, R>() }
    }

    /// The same operation, also for several members side by side.
    #[must_use]
    pub const fn of_members<K, const G: usize, const X: usize, const C: usize>(self) -> Self
    where
        K: Code<G, X, C>,
    {
        Self { members: Some(<K as MembersSweep<G, X, C>>::sweep), ..self }
    }
}
