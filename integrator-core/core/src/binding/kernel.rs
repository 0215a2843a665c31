//! The output of `#[lagrangian]` for a term family:
//! facts about one element, and code for each operation.
//!
//! An element reads a few coordinates through *slots*: a slot is one entry of a coordinate, such as
//! `bobs[i]`; each *input* of the element is one component of a slot. The code of an operation is
//! written once over [`Real`] numbers, which it reads from and writes to [`Ports`]; `sweep.rs` runs it
//! over all elements of a family.

use super::instant::Instant;
use super::program::Program;
use super::work::{InColumns, Single, Wide};
use crate::lanes::Real;
use std::ops::Deref;
use std::sync::Arc;

pub use least_action_kernel::{ElementFacts, HessianEntry, Operation, Row, Vector};

/// The source of the numbers of an operation, and the destination of its results.
///
/// T is one number for one element, or a register with one number for each of several elements. A loop
/// without a matrix, or without sums, has no use for these.
pub trait Ports<T> {
    /// Input k.
    fn x(&self, k: usize) -> T;

    /// The component of the direction a for input k.
    fn a(&self, k: usize) -> T;

    /// Coefficient k.
    fn c(&self, k: usize) -> T;

    /// The time and the fast phase.
    fn now(&self) -> Instant<T>;

    /// Reading k of the signals.
    fn signal(&self, k: usize) -> T;

    /// The weight of sum k of the element.
    fn weight(&self, k: usize) -> T;

    /// Adds to sum k of the element.
    #[inline(always)]
    fn sum(&mut self, _: usize, _: T) {}

    /// Adds to the entry of input k in a vector.
    fn vector(&mut self, k: usize, value: T);

    /// Stores number k of a matrix in registers; it is added to its entries later.
    ///
    /// Second derivatives by a difference occur several times with both signs:
    /// each is computed once, and in registers stored once.
    #[inline(always)]
    fn number(&mut self, _: usize, _: T) {}

    /// Adds a number of the matrix of a single element to entry k.
    ///
    /// Each entry is a call:
    /// rustc takes more than quadratic time for hundreds of short loops in one function.
    #[inline(always)]
    fn plus(&mut self, _: usize, _: T) {}

    /// Subtracts a number from entry k.
    #[inline(always)]
    fn minus(&mut self, _: usize, _: T) {}
}

/// The code of one operation on an element with G slots, X inputs, C coefficients and R sums.
///
/// Each operation of each family is a type in a module of its own: rustc optimizes modules in parallel.
pub trait Code<const G: usize, const X: usize, const C: usize, const R: usize = 0>: 'static {
    /// The slot and the component of each input.
    const INPUTS: [(usize, usize); X];
    /// Whether it reads a direction.
    const READS_DIRECTION: bool;
    /// The place of its vector.
    const VECTOR: Vector;
    /// Its use of the row of an element.
    const ROW: Row;

    /// Computes the operation and returns its scalar, or zero.
    fn run<T: Real>(ports: &mut impl Ports<T>) -> T;
}

/// A loop over single elements, or over registers; returns the sum of the scalars.
pub(super) type SingleLoop = fn(&mut Single<'_, '_>) -> f64;
pub(super) type WideLoop = fn(&mut Wide<'_>) -> f64;
/// A loop over elements in columns.
pub(super) type ColumnLoop = fn(&mut InColumns<'_>);

/// An operation of a kernel.
#[derive(Clone)]
pub enum Executable {
    /// It is identically zero.
    Zero,
    /// Nobody asks for it; its results are not numbers.
    LeftOut,
    /// Compiled for single elements, and, if its arithmetic pays for moving numbers into lanes, for each
    /// kind of registers.
    Compiled(Compiled),
    /// Carried out line by line.
    Program(Arc<Program>),
}

/// The loops of an operation.
#[derive(Clone, Copy)]
pub struct Compiled {
    pub(super) single: SingleLoop,
    pub(super) wide: Option<WideLoop>,
    pub(super) columns: Option<ColumnLoop>,
}

crate::shown::shown!([] Executable, |own| "Executable" { wide: own.is_wide() });

impl Executable {
    /// Whether it runs in registers, too.
    pub(super) fn is_wide(&self) -> bool {
        match self {
            Self::Compiled(compiled) => compiled.wide.is_some(),
            Self::Program(program) => program.is_wide(),
            Self::Zero | Self::LeftOut => false,
        }
    }

    /// Runs it on single elements; returns the sum of the scalars.
    #[inline]
    pub(super) fn run_single(&self, work: &mut Single<'_, '_>) -> f64 {
        match self {
            Self::Compiled(compiled) => (compiled.single)(work),
            Self::Program(program) => program.single(work),
            Self::Zero => 0.0,
            Self::LeftOut => f64::NAN,
        }
    }

    /// Runs it on rows of registers; returns the sum of the scalars.
    pub(super) fn run_wide(&self, work: &mut Wide<'_>) -> f64 {
        match self {
            Self::Compiled(Compiled { wide: Some(wide), .. }) => wide(work),
            Self::Program(program) => program.wide(work),
            Self::Zero => 0.0,
            Self::Compiled(_) | Self::LeftOut => f64::NAN,
        }
    }

    /// Runs it on columns.
    pub(super) fn run_columns(&self, work: &mut InColumns<'_>) {
        match self {
            Self::Compiled(Compiled { columns: Some(columns), .. }) => columns(work),
            Self::Program(program) => program.columns(work),
            Self::Zero => work.results.fill(0.0),
            Self::Compiled(_) | Self::LeftOut => work.results.fill(f64::NAN),
        }
    }
}

/// One element of a family for the compiler: the facts about f(x, c, t, θ), and its operations.
#[derive(Debug)]
pub struct Kernel {
    /// The facts.
    pub facts: ElementFacts,
    /// The operations, in the order of [`Operation::ALL`].
    pub operations: [Executable; Operation::COUNT],
}

impl Deref for Kernel {
    type Target = ElementFacts;

    #[inline(always)]
    fn deref(&self) -> &ElementFacts {
        &self.facts
    }
}

/// A kernel of compiled code, or one that was made while the program runs.
#[derive(Debug, Clone)]
pub enum KernelHandle {
    /// Of compiled code.
    Static(&'static Kernel),
    /// Made while the program runs.
    Shared(Arc<Kernel>),
}

impl From<&'static Kernel> for KernelHandle {
    fn from(kernel: &'static Kernel) -> Self {
        Self::Static(kernel)
    }
}

impl Deref for KernelHandle {
    type Target = Kernel;

    #[inline(always)]
    fn deref(&self) -> &Kernel {
        match self {
            Self::Static(kernel) => kernel,
            Self::Shared(kernel) => kernel,
        }
    }
}

impl Kernel {
    /// An operation.
    #[inline(always)]
    pub(super) fn operation(&self, operation: Operation) -> &Executable {
        &self.operations[operation as usize]
    }

    /// The first place of each slot, if the slots of an element are contiguous, and their length.
    pub(super) fn starts_of_slots(&self) -> (Vec<u32>, usize) {
        let mut sizes = vec![0; self.slots];
        for &(slot, component) in &*self.inputs {
            sizes[slot] = sizes[slot].max(component as u32 + 1);
        }
        let mut length = 0;
        let begin = |size: u32| {
            length += size;
            length - size
        };
        (sizes.into_iter().map(begin).collect(), length as usize)
    }
}
