//! The loop over the elements of a family.
//!
//! It is written three times: for [one element after the other](single), which read and add where their coordinates stand; for elements in
//! the lanes of [registers](wide), which read and add columns that a [`Layout`](super::layout::Layout) has prepared; and for one element after the
//! other of several [members] of an ensemble, whose lanes are members. Around all, layouts
//! and assembly are compiled once for all models; only what stands here is compiled for each operation of each model.

mod members;
mod single;
mod wide;

use super::kernel::{Along, Code, Operation};
use members::MembersSweep;
use single::{GradientSweep, SingleSweep};
use wide::WideSweep;

impl Operation {
    /// An operation for one element at a time.
    pub const fn single<K, const G: usize, const X: usize, const C: usize>() -> Self
    where
        K: Code<G, X, C>,
    {
        Self { single: <K as SingleSweep<G, X, C>>::sweep, wide: None, along: None, members: None }
    }

    /// An operation for registers, too: where its arithmetic is worth bringing the numbers into lanes.
    pub const fn wide<K, const G: usize, const X: usize, const C: usize>() -> Self
    where
        K: Code<G, X, C>,
    {
        Self {
            single: <K as SingleSweep<G, X, C>>::sweep,
            wide: Some(<K as WideSweep<G, X, C>>::sweep),
            along: None,
            members: None,
        }
    }

    /// The gradient of the elements of a collective: weighed, along a direction, and in rows.
    pub const fn along<K, const G: usize, const X: usize, const C: usize>() -> Self
    where
        K: Code<G, X, C>,
    {
        let along = Along {
            rates: <K as GradientSweep<G, X, C>>::rates,
            wide_rates: None,
            rows: <K as GradientSweep<G, X, C>>::rows,
        };
        Self { along: Some(along), ..Self::single::<K, G, X, C>() }
    }

    /// The same, weighed and along a direction for registers, too.
    pub const fn wide_along<K, const G: usize, const X: usize, const C: usize>() -> Self
    where
        K: Code<G, X, C>,
    {
        let along = Along {
            rates: <K as GradientSweep<G, X, C>>::rates,
            wide_rates: Some(<K as WideSweep<G, X, C>>::rates),
            rows: <K as GradientSweep<G, X, C>>::rows,
        };
        Self { along: Some(along), ..Self::wide::<K, G, X, C>() }
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
