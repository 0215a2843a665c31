//! The work of the loops over elements: the elements, the vectors that they read, and the results.

use super::at::At;
use super::coefficients::{CoefficientTuples, Column};
use super::columns::Blocks;
use super::gather::Runs;
use super::line::{ElementRow, Line};
use super::signals::Now;
use crate::lanes::Registers;

/// The arguments of an operation: vectors to read, and vectors to add to.
pub(super) struct Arguments<'a> {
    pub(super) x: &'a [f64],
    /// The direction, for operations with one.
    pub(super) a: &'a [f64],
    /// The direction in which x moves, for rates.
    pub(super) rate: &'a [f64],
    pub(super) now: &'a Now<'a>,
    /// The vector to add to.
    pub(super) vector: &'a mut [f64],
    /// The values of the matrix to add to.
    pub(super) matrix: &'a mut [f64],
    /// The rows to add scalars to, and a weight for each row.
    pub(super) values: &'a mut [f64],
    pub(super) weights: &'a [f64],
    /// For sums: the distance of the sums of an element.
    pub(super) apart: usize,
    /// The place of each input of each element, for a vector in rows.
    pub(super) places: &'a [u32],
    /// True if each element is alone in its row, with its inputs in order: rows are overwritten.
    pub(super) alone: bool,
    /// The position in the matrix of each entry of each element.
    pub(super) positions: &'a [u32],
}

impl<'a> Arguments<'a> {
    /// For an operation with a scalar only.
    #[inline(always)]
    pub(super) fn at(At { z: x, a, rate, now }: At<'a>) -> Self {
        let (vector, matrix, values) = (&mut [][..], &mut [][..], &mut [][..]);
        let (weights, places, positions) = (&[][..], &[][..], &[][..]);
        Self { x, a, rate, now, vector, matrix, values, weights, apart: 0, places, alone: false, positions }
    }

    /// For an operation that adds to a vector.
    #[inline(always)]
    pub(super) fn adding_to(self, vector: &'a mut [f64]) -> Self {
        Self { vector, ..self }
    }
}

/// Elements to be computed one by one.
pub(super) struct Single<'w, 'a> {
    pub(super) arguments: &'w mut Arguments<'a>,
    pub(super) runs: Runs<'w>,
    pub(super) coefficients: CoefficientTuples<'w>,
    /// The number of entries of an element in the matrix.
    pub(super) entries: usize,
    /// For sums: the pairs of a sum and an input on which it depends.
    pub(super) reads: &'w [(usize, usize)],
}

/// Elements in columns of memory, each of [`COLUMN`](super::line::COLUMN) registers, or numbers.
pub(super) struct InColumns<'a> {
    /// The registers; `None` computes one number at a time.
    pub(super) registers: Option<Registers>,
    /// The registers of each column that have elements.
    pub(super) count: usize,
    pub(super) columns: &'a [f64],
    /// The column of each input, of its direction, if there is one, and of each coefficient.
    pub(super) x: &'a [u32],
    pub(super) a: &'a [u32],
    pub(super) c: &'a [u32],
    pub(super) now: &'a Now<'a>,
    /// The column whose numbers are below a limit where elements count; the others need no results.
    pub(super) gate: u32,
    pub(super) below: f64,
    /// A column for the scalars, or for the derivatives by each input: they are overwritten. Or, with a
    /// column of weights, a register of sums for each, to which compiled code adds.
    pub(super) results: &'a mut [f64],
    pub(super) weight: Option<u32>,
}

/// Elements in lanes: rows whose inputs are columns of a staged vector.
pub(super) struct Wide<'a> {
    pub(super) registers: Registers,
    /// The rows, and the line of each input in each row.
    pub(super) rows: &'a [ElementRow],
    pub(super) lines: &'a [Line],
    pub(super) x: &'a [f64],
    pub(super) a: &'a [f64],
    pub(super) now: &'a Now<'a>,
    /// The coefficients, shared or in columns.
    pub(super) coefficients: &'a [Column],
    /// The line of the first sum of each row of elements, for weights and for adding;
    /// the other sums follow at this distance.
    pub(super) sums: &'a [Line],
    pub(super) apart: usize,
    pub(super) weights: &'a [f64],
    pub(super) values: &'a mut [f64],
    /// The staged vector to add to.
    pub(super) vector: &'a mut [f64],
    /// Whether no place of that vector belongs to two lines: it is then overwritten.
    pub(super) writes: bool,
    /// The numbers of the matrix, a column of this length for each number.
    pub(super) numbers: &'a mut [f64],
    pub(super) length: usize,
    pub(super) blocks: &'a mut Blocks,
}
