//! The code of a sum over near pairs.
//!
//! An element f(d, x_i, x_j, c) is visited from both of its ends, and each visit keeps what belongs to its own end: nothing is
//! scattered, and each lane adds up the terms of one point in the order of its neighbours' numbers. So every result is a function of the
//! positions alone, whatever list, registers or threads there are.

mod columns;
mod entries;

pub(super) use columns::{Columns, Place};

use super::super::kernel::{Code, Kernel};
use super::super::signals::Now;
use crate::lanes::Registers;
use entries::{Contractions, Scalars, Vectors, run};

/// Where a slot of an element reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It is the separation d of the two points.
    Separation,
    /// It belongs to the first end.
    First,
    /// It belongs to the second end.
    Second,
}

/// To what a coefficient belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// All elements have the same.
    Shared,
    /// The first end.
    First,
    /// The second end.
    Second,
    /// The pair: a number for each pair of classes of ends.
    Pair,
}

/// The pairs over which a sum goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// Each pair once; its first end has the lower number.
    Pairs,
    /// All neighbours of some points: the first end is the point, and the sum belongs to its row.
    Rows,
}

/// The ends of an element with G slots and C coefficients.
#[derive(Debug, Clone, Copy)]
pub struct Ends<const G: usize, const C: usize> {
    /// The role of each slot.
    pub roles: [Role; G],
    /// The source of each coefficient.
    pub sources: [Source; C],
    /// The number of components of the points.
    pub dimension: usize,
    /// The pairs over which the sum goes.
    pub sort: Sort,
    /// Whether an element stays as it is when its ends are exchanged, with the sign of d.
    pub exchangeable: bool,
}

/// The code of one operation on an element of finite range.
pub trait NearCode<const G: usize, const X: usize, const C: usize>: Code<G, X, C> {
    /// The roles of its slots and coefficients.
    const ENDS: Ends<G, C>;
}

/// An element of finite range, as the compiler knows it.
#[derive(Debug)]
pub struct NearKernel {
    /// The element as a function of its slots, for single elements.
    pub kernel: &'static Kernel,
    /// The role of each slot.
    pub roles: &'static [Role],
    /// The source of each coefficient.
    pub sources: &'static [Source],
    /// The number of components of the points.
    pub dimension: usize,
    /// The pairs over which the sum goes.
    pub sort: Sort,
    /// Whether an element stays as it is when its ends are exchanged, with the sign of d.
    pub exchangeable: bool,
    /// The expressions that tell the first ends apart, and those that tell the second ends apart, as they are written.
    pub keys: [&'static [&'static str]; 2],
    /// f.
    pub value: NearOperation,
    /// ∂f/∂t.
    pub rate: NearOperation,
    /// ∂f/∂x.
    pub gradient: NearOperation,
    /// Hess f · a; of sums that depend on velocities, nobody asks for it.
    pub product: Option<NearOperation>,
    /// a·f‴·a; none where it vanishes identically, or nobody asks for it.
    pub third: Option<NearOperation>,
    /// Of sums of a stage: their derivatives along a direction.
    pub along: Option<Along>,
}

/// Derivatives along a direction a.
#[derive(Debug, Clone, Copy)]
pub struct Along {
    /// ∇f · a.
    pub gradient: NearOperation,
    /// aᵀ Hess f a, where somebody asks for it.
    pub quadratic: Option<NearOperation>,
    /// d²f/dt² of a motion with velocity a and without acceleration, where somebody asks for it.
    pub curvature: Option<NearOperation>,
}

/// An operation on the entries of a group.
#[derive(Clone, Copy)]
pub struct NearOperation {
    pub(super) run: fn(&mut Block<'_>),
    /// Whether it reads a direction.
    pub(super) directed: bool,
    /// The number of results of each end.
    pub(super) results: usize,
}

impl std::fmt::Debug for NearOperation {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("NearOperation").field("directed", &self.directed).finish_non_exhaustive()
    }
}

/// Entries of one group: neighbour after neighbour, each with a register for every column.
pub(super) struct Block<'a> {
    /// The registers; none for one number after the other.
    pub(super) registers: Option<Registers>,
    pub(super) entries: &'a [f64],
    /// The columns of the record of the own ends, and those of their record of the direction.
    pub(super) own: &'a [f64],
    pub(super) own_direction: &'a [f64],
    /// The shared coefficients, one after the other.
    pub(super) shared: &'a [f64],
    pub(super) now: &'a Now<'a>,
    /// r²
    pub(super) cutoff: f64,
    /// Whether the elements of rows are exchangeable in this instance, too.
    pub(super) exchangeable: bool,
    /// What the entries before have added up to: a register for each result.
    pub(super) results: &'a mut [f64],
}

impl NearOperation {
    /// Adds up the scalars of a code, for each end.
    pub const fn scalars<K, const G: usize, const X: usize, const C: usize>() -> Self
    where
        K: NearCode<G, X, C>,
    {
        Self { run: run::<K, Scalars, G, X, C>, directed: K::READS_DIRECTION, results: 1 }
    }

    /// Adds up the vectors of a code, for each end.
    pub const fn vectors<K, const G: usize, const X: usize, const C: usize>() -> Self
    where
        K: NearCode<G, X, C>,
    {
        Self { run: run::<K, Vectors, G, X, C>, directed: K::READS_DIRECTION, results: X }
    }

    /// Adds up the vectors of a code, contracted with the direction, for each first end.
    pub const fn along<K, const G: usize, const X: usize, const C: usize>() -> Self
    where
        K: NearCode<G, X, C>,
    {
        Self { run: run::<K, Contractions, G, X, C>, directed: true, results: 1 }
    }
}
