//! The code of a sum over near pairs.
//!
//! An element f(d, x_i, x_j, c) is computed at both of its ends, and each keeps its own part: nothing is
//! scattered, and each lane adds up the terms of one point in the order of its neighbours' numbers. So
//! each result depends on the positions alone, not on the list, the registers or the threads.

mod entries;
mod places;

use super::super::kernel::{Code, KernelHandle, Operation};
use super::group::GroupEntries;
use super::program::ProgramEntries;
use entries::{Contractions, Scalars, Vectors, run};
pub use least_action_kernel::{NearFacts, Role, Sort, Source};
use std::ops::Deref;
use std::sync::Arc;

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
    pub kernel: KernelHandle,
    /// The facts about the sum.
    pub facts: NearFacts,
    /// The operations, in the order of [`Operation::ALL`].
    pub operations: [NearOperation; Operation::COUNT],
}

impl NearKernel {
    /// An operation.
    pub(super) fn operation(&self, operation: Operation) -> &NearOperation {
        &self.operations[operation as usize]
    }

    /// An operation, unless it is zero or nobody asks for it.
    pub(super) fn asked(&self, operation: Operation) -> Option<&NearOperation> {
        Some(self.operation(operation)).filter(|found| found.results() > 0)
    }
}

impl Deref for NearKernel {
    type Target = NearFacts;

    fn deref(&self) -> &NearFacts {
        &self.facts
    }
}

/// A kernel of compiled code, or one that was made while the program runs.
#[derive(Debug, Clone)]
pub enum NearKernelHandle {
    /// Of compiled code.
    Static(&'static NearKernel),
    /// Made while the program runs.
    Shared(Arc<NearKernel>),
}

impl From<&'static NearKernel> for NearKernelHandle {
    fn from(kernel: &'static NearKernel) -> Self {
        Self::Static(kernel)
    }
}

impl Deref for NearKernelHandle {
    type Target = NearKernel;

    fn deref(&self) -> &NearKernel {
        match self {
            Self::Static(kernel) => kernel,
            Self::Shared(kernel) => kernel,
        }
    }
}

/// An operation on the entries of a group.
#[derive(Clone)]
pub enum NearOperation {
    /// It is identically zero.
    Zero,
    /// Nobody asks for it; its results are not numbers.
    LeftOut,
    /// Compiled.
    Compiled(CompiledEntries),
    /// Carried out line by line.
    Program(Arc<ProgramEntries>),
}

/// The loop of an operation over entries.
#[derive(Clone, Copy)]
pub struct CompiledEntries {
    run: fn(&mut GroupEntries<'_>),
    /// Whether it reads a direction.
    directed: bool,
    /// The number of results of each end.
    results: usize,
}

crate::shown::shown!([] NearOperation, |own| "NearOperation" { directed: own.is_directed() });

impl NearOperation {
    /// Adds up the scalar for each end.
    pub const fn scalars<K, const G: usize, const X: usize, const C: usize>() -> Self
    where
        K: NearCode<G, X, C>,
    {
        let run = run::<K, Scalars, G, X, C>;
        Self::Compiled(CompiledEntries { run, directed: K::READS_DIRECTION, results: 1 })
    }

    /// Adds up the vector for each end.
    pub const fn vectors<K, const G: usize, const X: usize, const C: usize>() -> Self
    where
        K: NearCode<G, X, C>,
    {
        let run = run::<K, Vectors, G, X, C>;
        Self::Compiled(CompiledEntries { run, directed: K::READS_DIRECTION, results: X })
    }

    /// Adds up the vector times the direction for each first end.
    pub const fn along<K, const G: usize, const X: usize, const C: usize>() -> Self
    where
        K: NearCode<G, X, C>,
    {
        let run = run::<K, Contractions, G, X, C>;
        Self::Compiled(CompiledEntries { run, directed: true, results: 1 })
    }

    /// Whether it reads a direction.
    pub(super) fn is_directed(&self) -> bool {
        match self {
            Self::Compiled(compiled) => compiled.directed,
            Self::Program(program) => program.is_directed(),
            Self::Zero | Self::LeftOut => false,
        }
    }

    /// The number of results of each end.
    pub(super) fn results(&self) -> usize {
        match self {
            Self::Compiled(compiled) => compiled.results,
            Self::Program(program) => program.results(),
            Self::Zero | Self::LeftOut => 0,
        }
    }

    /// Runs it on the entries of a group.
    pub(super) fn run(&self, entries: &mut GroupEntries<'_>) {
        match self {
            Self::Compiled(compiled) => (compiled.run)(entries),
            Self::Program(program) => program.run(entries),
            Self::Zero | Self::LeftOut => {}
        }
    }
}
