//! How the elements of a family stand in the lanes of registers.
//!
//! A layout keeps the elements as rows whose inputs are columns of numbers: consecutive elements read consecutive numbers, or one
//! number that stands still. There are two. The [strided](strided) layout finds rows in the order of the elements (a chain, the
//! sites of a lattice, the pairs of one particle with all others): its columns are those of the vector itself, staged so that what
//! neighbouring elements read are neighbours. The [scattered](scattered) layout takes any order (a mesh): its columns are gathered,
//! a batch of elements at a time. Whether one of them pays is decided here, once for an instance, by its elements.

mod filling;
mod scattered;
mod strided;

use super::coefficients::Coefficients;
use super::gather::Tuples;
use super::kernel::Kernel;
use super::sweep::{Column, ElementRow, Line};
use crate::lanes::Registers;
use crate::sparse::SymmetricPattern;
use scattered::Scattered;
use std::ops::Range;
use strided::Strided;

/// Families below this number of elements are not worth a register.
const FEW: usize = 16;
/// The least operations of a gradient with which elements in arbitrary order profit: below, moving numbers into lanes and out of
/// them costs more than the arithmetic.
const HEAVY: u32 = 40;
/// How many operations a staged coordinate costs.
const STAGING: usize = 4;

/// Elements in rows.
///
/// A vector is brought into *memory* of the layout by [`stage`](Self::stage), where the lines of all rows point into; what an
/// operation has added to such a memory is brought back by [`unstage`](Self::unstage).
pub(super) trait Layout: std::fmt::Debug + Send + Sync {
    /// The length of a memory.
    fn length(&self) -> usize;

    /// The batches.
    fn batches(&self) -> &[Batch];

    /// All rows, and the lines of their inputs.
    fn rows(&self) -> (&[ElementRow], &[Line]);

    /// The elements in the order of the layout, where that is not their own.
    fn order(&self) -> Option<&[u32]>;

    /// Brings a vector into a memory.
    fn stage(&self, registers: Registers, from: &[f64], memory: &mut [f64]);

    /// Whether batches have columns of their own, which are gathered and scattered.
    fn gathers(&self) -> bool {
        false
    }

    /// Prepares what a batch reads of a staged memory.
    fn gather(&self, _: Registers, _batch: usize, _memory: &mut [f64]) {}

    /// Adds what a batch has added to its own columns to the rest of the memory, and clears the columns.
    fn scatter(&self, _: Registers, _batch: usize, _memory: &mut [f64]) {}

    /// Adds a memory to a vector.
    fn unstage(&self, registers: Registers, memory: &[f64], to: &mut [f64]);

    /// How the numbers of a batch fill a matrix of this pattern, in which the entries of all elements fill each position so many
    /// times, the diagonal counted once more.
    fn filling(&self, kernel: &Kernel, pattern: &SymmetricPattern, filled: &[u8]) -> Box<dyn Filling>;
}

/// Consecutive rows that are computed in one call.
#[derive(Debug, Clone)]
pub(super) struct Batch {
    pub(super) rows: Range<usize>,
    /// The number of elements.
    pub(super) elements: usize,
    /// The length of a column of numbers, as the rows of the batch need it.
    pub(super) numbers: usize,
}

/// How numbers of second derivatives reach the matrix.
pub(super) trait Filling: std::fmt::Debug + Send + Sync {
    /// The length of the memory for what is added up before it reaches the matrix.
    fn length(&self) -> usize;

    /// Adds the numbers of a batch, columns of this length, to the matrix or to the memory.
    fn add(
        &self,
        registers: Registers,
        batch: usize,
        numbers: (&[f64], usize),
        memory: &mut [f64],
        matrix: &mut [f64],
    );

    /// Adds the memory to the matrix.
    fn finish(&self, memory: &[f64], matrix: &mut [f64]);

    /// Shows the positions that are written, not added to.
    fn visit_written(&self, visit: &mut dyn FnMut(Range<usize>));
}

/// A family in registers.
#[derive(Debug)]
pub(super) struct Arranged {
    pub(super) registers: Registers,
    pub(super) layout: Box<dyn Layout>,
    pub(super) coefficients: Vec<Column>,
}

impl Arranged {
    /// The elements of a family that add to a vector of length `length`, where a layout pays.
    pub(super) fn new(
        registers: Registers,
        kernel: &Kernel,
        slots: &Tuples,
        coefficients: &Coefficients,
        length: usize,
    ) -> Option<Self> {
        let (count, operations) = (slots.len(), kernel.operations[1]);
        if kernel.gradient.wide.is_none() || count < FEW || kernel.inputs.is_empty() {
            return None;
        }
        let work = count * operations as usize;
        let strided = if work >= STAGING * length { Strided::new(kernel, slots, length) } else { None };
        let layout: Box<dyn Layout> = match strided {
            Some(strided) => Box::new(strided),
            None if operations >= HEAVY => Box::new(Scattered::new(kernel, slots, length)),
            None => return None,
        };
        let own: Vec<u32>;
        let order = match layout.order() {
            Some(order) => order,
            None if coefficients.vary() => {
                own = (0..count as u32).collect();
                &own
            }
            None => &[],
        };
        let coefficients = coefficients.columns(order);
        Some(Self { registers, layout, coefficients })
    }
}
