//! How the elements of a family stand in the lanes of registers.
//!
//! A layout keeps the elements as rows whose inputs are columns of numbers: consecutive elements read consecutive numbers, or one
//! number that stands still. There are two. The strided layout finds rows in the order of the elements (a chain, the
//! sites of a lattice, the pairs of one particle with all others): its columns are those of the vector itself, staged so that what
//! neighbouring elements read are neighbours. The scattered layout takes any order (a mesh): its columns are gathered,
//! a batch of elements at a time. Whether one of them pays is decided in `choice.rs`, once for an instance, by its elements.

mod bundle;
pub(super) mod choice;
mod filling;
pub(crate) mod scattered;
mod staging;
pub(crate) mod strided;
mod triples;

use super::coefficients::Column;
use super::kernel::Kernel;
use super::line::{ElementRow, Line};
use crate::lanes::Registers;
use crate::sparse::SymmetricPattern;
use std::ops::Range;

/// Elements in rows.
///
/// A vector is brought into *memory* of the layout by [`stage`](Self::stage), where the lines of all rows point into; what an
/// operation has added to such a memory is brought back by [`unstage`](Self::unstage).
pub trait Layout: std::fmt::Debug + Send + Sync {
    /// The length of a memory.
    fn length(&self) -> usize;

    /// The batches.
    fn batches(&self) -> &[Batch];

    /// All rows, and the lines of their inputs.
    fn rows(&self) -> (&[ElementRow], &[Line]);

    /// The rows, to be told where their coefficients begin.
    fn rows_mut(&mut self) -> &mut [ElementRow];

    /// Of elements of sums: where those of each row find the weights of their sums and add to them.
    fn sums(&self) -> &[Line];

    /// Whether lines point into the vectors themselves: nothing is staged, and operations add to what is there.
    fn in_place(&self) -> bool {
        false
    }

    /// The sum of each element of a batch, where lines of sums point into columns that are gathered and scattered.
    fn listed_sums(&self, _batch: usize) -> &[u32] {
        &[]
    }

    /// Whether operations write to lines instead of adding to them, because no place belongs to two lines.
    fn writes(&self) -> bool;

    /// Makes a memory ready for what operations add or write to it.
    fn clear(&self, memory: &mut [f64]);

    /// Brings a vector into a memory.
    fn stage(&self, registers: Registers, from: &[f64], memory: &mut [f64]);

    /// Whether batches have columns of their own, which are gathered and scattered.
    fn gathers(&self) -> bool {
        false
    }

    /// Prepares what a batch reads of a staged memory.
    fn gather(&self, _: Registers, _batch: usize, _memory: &mut [f64]) {}

    /// Adds the columns of a batch to the rest of the memory.
    fn scatter(&self, _: Registers, _batch: usize, _memory: &mut [f64]) {}

    /// Adds a memory to a vector.
    fn unstage(&self, registers: Registers, memory: &[f64], to: &mut [f64]);

    /// How the numbers of a batch fill a matrix of this pattern, in which the entries of all elements fill each position so many
    /// times, the diagonal counted once more.
    fn filling(&self, kernel: &Kernel, pattern: &SymmetricPattern, filled: &[u8]) -> Box<dyn Filling>;
}

/// Consecutive rows that are computed in one call.
#[derive(Debug, Clone)]
pub struct Batch {
    /// The rows.
    pub rows: Range<usize>,
    /// The number of elements.
    pub(super) elements: usize,
    /// The length of a column of numbers, as the rows of the batch need it.
    pub(super) numbers: usize,
}

/// How numbers of second derivatives reach the matrix.
pub trait Filling: std::fmt::Debug + Send + Sync {
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

/// The position of an entry.
pub(super) fn position(pattern: &SymmetricPattern, row: usize, column: usize) -> u32 {
    // The pattern is made of these very entries.
    pattern.position(row, column).unwrap_or_default() as u32
}
