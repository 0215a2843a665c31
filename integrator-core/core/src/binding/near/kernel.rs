//! The code of a sum over near pairs.
//!
//! An element f(d, x_i, x_j, c) is computed at both of its ends, and each keeps its own part: nothing is
//! scattered, and each lane adds up the terms of one point in the order of its neighbours' numbers. So
//! each result depends on the positions alone, not on the list, the registers or the threads.

mod columns;
mod entries;

pub(super) use columns::{InputPlace, RecordColumns};

use super::super::kernel::{Code, Kernel};
use super::super::signals::Now;
use crate::lanes::Registers;
use entries::{Contractions, Scalars, Vectors, run};

/// The source of a slot of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The separation d of the two points.
    Separation,
    /// The first end.
    First,
    /// The second end.
    Second,
}

/// The source of a coefficient.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// All elements have one number.
    Shared,
    /// The first end.
    First,
    /// The second end.
    Second,
    /// The pair: a number for each pair of classes.
    Pair,
}

/// The pairs of a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// Each pair once; its first end has the lower number.
    Pairs,
    /// All neighbours of some points: the point is the first end, and the sum goes to its row.
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
    /// The pairs of the sum.
    pub sort: Sort,
    /// Whether an element is unchanged when its ends are exchanged and d changes its sign.
    pub exchangeable: bool,
}

/// The code of one operation on an element of finite range.
pub trait NearCode<const G: usize, const X: usize, const C: usize>: Code<G, X, C> {
    /// The roles of its slots and coefficients.
    const ENDS: Ends<G, C>;
}

/// An element of finite range for the compiler.
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
    /// The pairs of the sum.
    pub sort: Sort,
    /// Whether an element is unchanged when its ends are exchanged and d changes its sign.
    pub exchangeable: bool,
    /// The expressions that define the classes of first ends, and of second ends, as declared.
    pub keys: [&'static [&'static str]; 2],
    /// f.
    pub value: NearOperation,
    /// ∂f/∂t.
    pub rate: NearOperation,
    /// ∂f/∂x.
    pub gradient: NearOperation,
    /// Hess f · a; not needed for sums that depend on velocities.
    pub product: Option<NearOperation>,
    /// a·f‴·a; none if it is identically zero or not needed.
    pub third: Option<NearOperation>,
    /// For sums of a stage: derivatives along a direction.
    pub along: Option<Along>,
}

/// Derivatives along a direction a.
#[derive(Debug, Clone, Copy)]
pub struct Along {
    /// ∇f · a.
    pub gradient: NearOperation,
    /// aᵀ Hess f a, if it is needed.
    pub quadratic: Option<NearOperation>,
    /// d²f/dt² along a motion with velocity a and without acceleration, if it is needed.
    pub curvature: Option<NearOperation>,
}

/// An operation on the entries of a group.
#[derive(Clone, Copy)]
pub struct NearOperation {
    pub(super) run: fn(&mut GroupEntries<'_>),
    /// Whether it reads a direction.
    pub(super) directed: bool,
    /// The number of results of each end.
    pub(super) results: usize,
}

crate::shown::shown!([] NearOperation, |own| "NearOperation" { directed: own.directed });

/// Entries of a group, neighbour after neighbour, each with a register for every column.
pub(super) struct GroupEntries<'a> {
    /// The registers; `None` computes one number at a time.
    pub(super) registers: Option<Registers>,
    pub(super) entries: &'a [f64],
    /// The columns of the records of the own ends, and of their directions.
    pub(super) own: &'a [f64],
    pub(super) own_direction: &'a [f64],
    /// The shared coefficients.
    pub(super) shared: &'a [f64],
    pub(super) now: &'a Now<'a>,
    /// The square of the cutoff.
    pub(super) cutoff: f64,
    /// Whether the elements of rows are exchangeable in this instance, too.
    pub(super) exchangeable: bool,
    /// The sums so far: a register for each result.
    pub(super) results: &'a mut [f64],
}

impl NearOperation {
    /// Adds up the scalar for each end.
    pub const fn scalars<K, const G: usize, const X: usize, const C: usize>() -> Self
    where
        K: NearCode<G, X, C>,
    {
        Self { run: run::<K, Scalars, G, X, C>, directed: K::READS_DIRECTION, results: 1 }
    }

    /// Adds up the vector for each end.
    pub const fn vectors<K, const G: usize, const X: usize, const C: usize>() -> Self
    where
        K: NearCode<G, X, C>,
    {
        Self { run: run::<K, Vectors, G, X, C>, directed: K::READS_DIRECTION, results: X }
    }

    /// Adds up the vector times the direction for each first end.
    pub const fn along<K, const G: usize, const X: usize, const C: usize>() -> Self
    where
        K: NearCode<G, X, C>,
    {
        Self { run: run::<K, Contractions, G, X, C>, directed: true, results: 1 }
    }
}
