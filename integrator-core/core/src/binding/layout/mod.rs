//! The elements of a family in the lanes of registers.
//!
//! In a layout elements stand in rows, and each input of a row is a column: consecutive elements read
//! consecutive numbers, or all read one. The strided layout finds rows in the order of the elements (a
//! chain, the sites of a lattice, the pairs of one particle with all others): its columns are parts of
//! the vector, staged so that neighbouring elements read neighbours. The scattered layout takes any
//! order (a mesh) and gathers its columns, a batch of elements at a time. `choice.rs` decides once for
//! each instance.

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
/// [`stage`](Self::stage) copies a vector into a *memory* of the layout, to which the lines of all rows
/// point; [`unstage`](Self::unstage) adds the results of an operation in a memory to a vector.
pub trait Layout: std::fmt::Debug + Send + Sync {
    /// The length of a memory.
    fn length(&self) -> usize;

    /// The batches.
    fn batches(&self) -> &[Batch];

    /// All rows, and the lines of their inputs.
    fn rows(&self) -> (&[ElementRow], &[Line]);

    /// The rows, to set the first places of their coefficients.
    fn rows_mut(&mut self) -> &mut [ElementRow];

    /// For sums: the lines of each row for weights and for adding.
    fn sums(&self) -> &[Line];

    /// Whether lines point into the vectors: nothing is staged, and operations add to the vectors.
    fn in_place(&self) -> bool {
        false
    }

    /// The sum of each element of a batch, if the lines of sums point to gathered and scattered columns.
    fn listed_sums(&self, _batch: usize) -> &[u32] {
        &[]
    }

    /// Whether operations overwrite lines, because no place belongs to two lines.
    fn writes(&self) -> bool;

    /// Prepares a memory for results.
    fn clear(&self, memory: &mut [f64]);

    /// Copies a vector into a memory.
    fn stage(&self, registers: Registers, from: &[f64], memory: &mut [f64]);

    /// Whether batches have columns that are gathered and scattered.
    fn gathers(&self) -> bool {
        false
    }

    /// Gathers the columns of a batch from a staged memory.
    fn gather(&self, _: Registers, _batch: usize, _memory: &mut [f64]) {}

    /// Adds the columns of a batch to the memory.
    fn scatter(&self, _: Registers, _batch: usize, _memory: &mut [f64]) {}

    /// Adds a memory to a vector.
    fn unstage(&self, registers: Registers, memory: &[f64], to: &mut [f64]);

    /// The filling of a matrix of this pattern; `filled` has the number of entries of all elements at
    /// each position, plus one on the diagonal.
    fn filling(&self, kernel: &Kernel, pattern: &SymmetricPattern, filled: &[u8]) -> Box<dyn Filling>;
}

/// Consecutive rows that one call computes.
#[derive(Debug, Clone)]
pub struct Batch {
    pub rows: Range<usize>,
    /// The number of elements.
    pub(super) elements: usize,
    /// The length of a column of numbers for the rows of the batch.
    pub(super) numbers: usize,
}

/// Adds numbers of second derivatives to the matrix.
pub trait Filling: std::fmt::Debug + Send + Sync {
    /// The length of the memory for sums that go to the matrix at the end.
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

    /// Visits the positions that are overwritten.
    fn visit_written(&self, visit: &mut dyn FnMut(Range<usize>));
}

/// A family in registers.
#[derive(Debug)]
pub(super) struct Arranged {
    pub(super) registers: Registers,
    pub(super) layout: Box<dyn Layout>,
    pub(super) coefficients: Vec<Column>,
}
