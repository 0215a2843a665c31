//! The output of `#[lagrangian]` for a term family: facts about one element, and the code of each operation on it.
//!
//! An element reads a few coordinates. It reads them through *slots*: a slot is one entry of a coordinate, such as `bobs[i]`, and
//! each *input* of the element is one component of a slot. The code of an operation is written once, over [`Real`] numbers that
//! it takes from [`Ports`] and hands back to them; `sweep.rs` runs it over all elements of a family.

use super::at::At;
use super::coefficients::{CoefficientTuples, Column};
use super::columns::Blocks;
use super::gather::Runs;
use super::instant::Instant;
use super::line::{ElementRow, Line};
use super::signals::Now;
use crate::describe::Smoothness;
use crate::lanes::{Real, Registers};

/// Where the code of an operation takes its numbers from, and where it puts its results.
///
/// T is one number for one element, or one number in each lane for as many elements.
pub trait Ports<T> {
    /// Input k.
    fn x(&self, k: usize) -> T;

    /// The component of the direction a that belongs to input k.
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
    fn sum(&mut self, k: usize, value: T);

    /// Adds to the entry of a vector that belongs to input k.
    fn vector(&mut self, k: usize, value: T);

    /// Stores number k of a matrix, in registers; its entries are added afterwards.
    ///
    /// Second derivatives with respect to a difference come several times, with both signs: each of them is computed, and in
    /// registers stored, once.
    fn number(&mut self, k: usize, value: T);

    /// Adds a number of a matrix to entry k, of a single element.
    ///
    /// Each entry is a call: loops over the few of a number would be hundreds in one function, and rustc spends more than their
    /// square on them.
    fn plus(&mut self, k: usize, value: T);

    /// Subtracts it from entry k.
    fn minus(&mut self, k: usize, value: T);
}

/// Where an operation adds its vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vector {
    /// It has none.
    None,
    /// Where its inputs stand.
    AtInputs,
    /// At places of a matrix with a row for each element: a Jacobian.
    InRow,
}

/// How an operation uses the row of an equation to which an element belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Row {
    /// Nothing.
    None,
    /// Its scalar is added there.
    Adds,
    /// The number there is a factor of what it adds to vector and matrix.
    Weighs,
}

/// The code of one operation on an element with G slots, X inputs and C coefficients that adds to R sums.
///
/// Each operation of each family is a type of its own in a module of its own: the compiler of Rust optimizes modules side by side.
pub trait Code<const G: usize, const X: usize, const C: usize, const R: usize = 0>: 'static {
    /// The slot and the component of each input.
    const INPUTS: [(usize, usize); X];
    /// Whether it reads a direction.
    const READS_DIRECTION: bool;
    /// Where its vector is added.
    const VECTOR: Vector;
    /// How it uses the row of an element.
    const ROW: Row;

    /// Computes the operation and returns its scalar, zero where it has none.
    fn run<T: Real>(ports: &mut impl Ports<T>) -> T;
}

/// A loop over single elements, which returns the sum of their scalars; and one over registers.
pub(super) type SingleLoop = fn(&mut Single<'_, '_>) -> f64;
pub(super) type WideLoop = fn(&mut Wide<'_>) -> f64;

/// An operation, compiled for one element at a time and for each kind of registers.
#[derive(Clone, Copy)]
pub struct Operation {
    pub(super) single: SingleLoop,
    pub(super) wide: Option<WideLoop>,
    /// For the same elements of several members.
    pub(super) members: Option<fn(&mut OfMembers<'_>)>,
}

impl std::fmt::Debug for Operation {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Operation").field("wide", &self.wide.is_some()).finish_non_exhaustive()
    }
}

/// An entry of the lower triangle of the Hessian of one element that is not identically zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HessianEntry {
    /// The input of its row, and that of its column.
    pub row: usize,
    /// See `row`.
    pub column: usize,
    /// Which number of the matrix it is, and whether it is the negative of that number.
    pub number: usize,
    /// See `number`.
    pub negative: bool,
}

/// One element of a family, as the compiler knows it: f(x, c, t, θ) with its operations.
#[derive(Debug)]
pub struct Kernel {
    /// The family in messages and descriptions: where it stands and what it is.
    pub name: &'static str,
    /// The entries that one element reads, in the words of the declaration.
    pub reads: &'static [&'static str],
    /// How smooth f is; see [`Smoothness`].
    pub smoothness: Smoothness,
    /// True for a sum over near pairs without a list: its elements are all pairs, and vanish where these are not near.
    pub over_all_pairs: bool,
    /// True if ∂f/∂x is one vector everywhere and always.
    pub linear: bool,
    /// Weighted operation counts of value, gradient, gradient with Hessian, and third contraction.
    pub operations: [u32; 4],
    /// The number of slots.
    pub slots: usize,
    /// The slot and the component of each input.
    pub inputs: &'static [(usize, usize)],
    /// The number of coefficients.
    pub coefficients: usize,
    /// The entries of the Hessian, and of how many numbers they are made.
    pub entries: &'static [HessianEntry],
    /// See `entries`.
    pub numbers: usize,
    /// Linear forms of the inputs, each as inputs with their factors: f sees nothing else of the positions.
    pub forms: &'static [&'static [(usize, f64)]],
    /// f, as the scalar.
    pub value: Operation,
    /// ∂f/∂t, as the scalar.
    pub rate: Operation,
    /// ∂f/∂x, as the vector.
    pub gradient: Operation,
    /// ∂f/∂x and ∂²f/∂x∂x, as the vector and the matrix.
    pub second: Operation,
    /// Operations that only the potential and constraints have.
    pub position: Option<PositionOperations>,
    /// Operations that only constraints have.
    pub constraint: Option<ConstraintOperations>,
    /// Operations that only sums in functions have.
    pub sums: Option<SumOperations>,
}

impl Kernel {
    /// Where the slots of an element begin that stand one behind the other, and their length.
    pub(super) fn starts_of_slots(&self) -> (Vec<u32>, usize) {
        let mut sizes = vec![0; self.slots];
        for &(slot, component) in self.inputs {
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

/// Operations of a function of positions alone.
#[derive(Debug)]
pub struct PositionOperations {
    /// Hess f · a, as the vector.
    pub product: Operation,
    /// a·f‴·a = ∂/∂x (aᵀ Hess f a), as the vector; none where it vanishes identically.
    pub third: Option<Operation>,
}

/// Operations of a constraint equation.
#[derive(Debug)]
pub struct ConstraintOperations {
    /// f and ∂f/∂x, as the scalar and the vector.
    pub value_gradient: Operation,
    /// aᵀ Hess f a, as the scalar.
    pub quadratic: Operation,
    /// d²f/dt² along x(t) with velocity a and without acceleration, as the scalar.
    pub curvature: Operation,
}

/// Operations of an element that adds to sums: f is what it adds to each of them, and all derivatives are those of Σ w f, with the weights of the sums.
#[derive(Debug)]
pub struct SumOperations {
    /// ∇f · a, with a direction in the space of all inputs, added to the sums.
    pub along: Operation,
    /// aᵀ Hess f a, added to the sums, where f is a function of positions.
    pub quadratic: Option<Operation>,
    /// d²f/dt² along x(t) with velocity a and without acceleration, added to the sums.
    pub curvature: Option<Operation>,
    /// Adds ∇f to the places of the element in a matrix with a row for each sum.
    pub rows: SingleLoop,
    /// To how many sums it adds.
    pub count: usize,
    /// Which of its sums depend on which inputs: those entries of ∇f are in the matrix.
    pub reads: &'static [(usize, usize)],
}

/// The arguments of an operation: the vectors that elements read, and those to which their results are added.
pub(super) struct Arguments<'a> {
    pub(super) x: &'a [f64],
    /// The direction, for operations that read one.
    pub(super) a: &'a [f64],
    pub(super) now: &'a Now<'a>,
    /// The vector that is added to.
    pub(super) vector: &'a mut [f64],
    /// The values of the matrix that are added to.
    pub(super) matrix: &'a mut [f64],
    /// The rows to which scalars are added, and a factor for each row.
    pub(super) values: &'a mut [f64],
    pub(super) weights: &'a [f64],
    /// Of sums: the others of an element stand so far behind the first one each.
    pub(super) apart: usize,
    /// One place of a vector in rows for each input of each element.
    pub(super) places: &'a [u32],
    /// True if each element is alone in its row, with its inputs in order: the row is written.
    pub(super) alone: bool,
    /// One position of the matrix for each entry of each element.
    pub(super) positions: &'a [u32],
}

impl<'a> Arguments<'a> {
    /// For an operation that yields a scalar alone.
    #[inline(always)]
    pub(super) fn at(At { z: x, a, now }: At<'a>) -> Self {
        let (vector, matrix, values) = (&mut [][..], &mut [][..], &mut [][..]);
        let (weights, places, positions) = (&[][..], &[][..], &[][..]);
        Self { x, a, now, vector, matrix, values, weights, apart: 0, places, alone: false, positions }
    }

    /// For one that adds to a vector.
    #[inline(always)]
    pub(super) fn adding_to(self, vector: &'a mut [f64]) -> Self {
        Self { vector, ..self }
    }
}

/// Elements to be computed one after the other.
pub struct Single<'w, 'a> {
    pub(super) arguments: &'w mut Arguments<'a>,
    pub(super) runs: Runs<'w>,
    pub(super) coefficients: CoefficientTuples<'w>,
    /// The number of entries of the matrix that an element has.
    pub(super) entries: usize,
    /// Of sums: which of them depend on which inputs.
    pub(super) reads: &'static [(usize, usize)],
}

/// Elements in lanes: rows whose inputs are columns of a staged vector.
pub(super) struct Wide<'a> {
    pub(super) registers: Registers,
    /// The rows, and the line of each input in each of them.
    pub(super) rows: &'a [ElementRow],
    pub(super) lines: &'a [Line],
    pub(super) x: &'a [f64],
    pub(super) a: &'a [f64],
    pub(super) now: &'a Now<'a>,
    /// The coefficients that all elements share, and the columns of the others.
    pub(super) coefficients: &'a [Column],
    /// Where the elements of each row find the weights of their first sums and add to them; the others stand so far behind the one before.
    pub(super) sums: &'a [Line],
    pub(super) apart: usize,
    pub(super) weights: &'a [f64],
    pub(super) values: &'a mut [f64],
    /// The staged vector that is added to.
    pub(super) vector: &'a mut [f64],
    /// Whether no place of that vector belongs to two lines: it is written, whatever stood there.
    pub(super) writes: bool,
    /// The numbers of the matrix, a column of this length for each.
    pub(super) numbers: &'a mut [f64],
    pub(super) length: usize,
    pub(super) blocks: &'a mut Blocks,
}

/// Elements to be computed one after the other, each of them for all members side by side: a lane is a member.
///
/// Vectors have a register for each entry.
pub(super) struct OfMembers<'a> {
    pub(super) registers: Registers,
    pub(super) count: usize,
    /// Where the slots of each element begin.
    pub(super) slots: &'a [u32],
    /// The coefficients of each element.
    pub(super) coefficients: &'a [f64],
    /// The time and the fast phase.
    pub(super) now: &'a [f64],
    pub(super) x: &'a [f64],
    /// The direction, for operations that read one.
    pub(super) a: &'a [f64],
    /// The vector that is added to; where it has a row for each element, the place of each input in it.
    pub(super) vector: &'a mut [f64],
    pub(super) places: &'a [u32],
    /// The row of each element, and the rows to which scalars are added.
    pub(super) rows: &'a [u32],
    pub(super) values: &'a mut [f64],
}
