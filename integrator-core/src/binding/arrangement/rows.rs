//! Rows of elements in which each gather stands still or advances by one stride.

use super::{Elements, InRows};
use crate::binding::columns::Columns;
use crate::binding::operation::Operation;
use crate::lanes::{MOST_LANES, Width};
use crate::sparse::SymmetricPattern;
use std::ops::Range;

mod sweep;

pub(super) use sweep::Staged;

/// No position: nothing is ever added there.
const NOWHERE: u32 = u32::MAX;

/// The rows, and how vectors are staged for them.
#[derive(Debug, Clone)]
pub(super) struct Rows<const X: usize, const H: usize> {
    all: Vec<StagedRow<X, H>>,
    /// How far gathers advance in a vector.
    stride: usize,
    /// How many entries of a staged vector belong to one residue of the stride.
    height: usize,
    fillings: [Filling; H],
    /// The position of each entry of each band, by its staged column.
    bands: Vec<Vec<u32>>,
}

/// How a Hessian entry reaches its positions.
#[derive(Debug, Clone)]
enum Filling {
    /// Row and column have the same distance in all elements: a diagonal of the matrix, staged like a vector.
    Band {
        /// Which.
        band: usize,
        /// The local coordinate that is the column.
        column: usize,
    },
    /// Positions that stand still or advance by one step in each row of elements.
    Regular,
    /// Positions element by element.
    Listed(Vec<u32>),
}

/// One row.
#[derive(Debug, Clone)]
struct StagedRow<const X: usize, const H: usize> {
    /// The first element and the number of elements.
    start: usize,
    count: usize,
    /// Where each gather begins in a staged vector, and whether it advances.
    first: [u32; X],
    moving: [bool; X],
    /// Where each regular Hessian entry begins, and how far it advances.
    place: [u32; H],
    advance: [u32; H],
}

impl<const X: usize, const H: usize> Rows<X, H> {
    pub(super) fn new<const C: usize>(
        found: InRows<X>,
        elements: &Elements<X, C>,
        length: usize,
        pattern: &SymmetricPattern,
    ) -> Self {
        let InRows { rows, stride } = found;
        let height = length.div_ceil(stride);
        let staged = |index: u32| (index as usize % stride * height + index as usize / stride) as u32;
        let mut all: Vec<StagedRow<X, H>> = rows
            .into_iter()
            .map(|row| StagedRow {
                start: row.elements.start,
                count: row.elements.len(),
                first: elements.inputs[row.elements.start].map(staged),
                moving: row.moving,
                place: [0; H],
                advance: [0; H],
            })
            .collect();
        let mut distances: Vec<u32> = Vec::new();
        let mut bands: Vec<Vec<u32>> = Vec::new();
        let fillings = std::array::from_fn(|entry| {
            let (row, column) = elements.entries[entry];
            let Some((distance, column)) = distance(&elements.inputs, row, column) else {
                return scattered(entry, (row, column), elements, &mut all, pattern);
            };
            let known = distances.iter().position(|known| *known == distance);
            let band = known.unwrap_or_else(|| {
                distances.push(distance);
                bands.push(vec![NOWHERE; stride * height]);
                bands.len() - 1
            });
            for tuple in &elements.inputs {
                let index = tuple[column];
                let place = &mut bands[band][staged(index) as usize];
                if *place == NOWHERE {
                    *place = position(pattern, index + distance, index);
                }
            }
            Filling::Band { band, column }
        });
        Self { all, stride, height, fillings, bands }
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// The number of elements of each row.
    pub(super) fn weights(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        self.all.iter().map(|row| row.count)
    }

    /// The positions that some rows fill directly, from the first to behind the last.
    pub(super) fn positions(&self, part: Range<usize>) -> Range<usize> {
        let (mut start, mut end) = (usize::MAX, 0);
        for row in &self.all[part] {
            for (entry, filling) in self.fillings.iter().enumerate() {
                match filling {
                    Filling::Band { .. } => {}
                    Filling::Regular => {
                        let last = row.advance[entry].wrapping_mul(row.count as u32 - 1);
                        let ends = [row.place[entry], row.place[entry].wrapping_add(last)];
                        start = ends.iter().fold(start, |start, at| start.min(*at as usize));
                        end = ends.iter().fold(end, |end, at| end.max(*at as usize + 1));
                    }
                    Filling::Listed(positions) => {
                        for &position in &positions[row.start..row.start + row.count] {
                            start = start.min(position as usize);
                            end = end.max(position as usize + 1);
                        }
                    }
                }
            }
        }
        // Only bands: nothing is filled directly.
        if start == usize::MAX { 0..0 } else { start..end }
    }

    /// The length of a staged vector: padded, so that a register can be loaded at its last entry.
    pub(super) fn staged_length(&self) -> usize {
        self.stride * self.height + MOST_LANES
    }

    /// Copies a vector so that what gathers read one after the other stands side by side.
    pub(super) fn stage(&self, from: &[f64], to: &mut [f64]) {
        for (residue, column) in to.chunks_exact_mut(self.height).take(self.stride).enumerate() {
            for (staged, value) in column.iter_mut().zip(from.iter().skip(residue).step_by(self.stride)) {
                *staged = *value;
            }
        }
    }

    /// Adds a staged vector to one in the usual order.
    pub(super) fn unstage(&self, from: &[f64], to: &mut [f64]) {
        for (residue, column) in from.chunks_exact(self.height).take(self.stride).enumerate() {
            for (value, staged) in to.iter_mut().skip(residue).step_by(self.stride).zip(column) {
                *value += *staged;
            }
        }
    }

    /// The length of all staged bands.
    pub(super) fn banded_length(&self) -> usize {
        self.bands.len() * self.staged_length()
    }

    /// Adds staged bands to the values of the matrix.
    pub(super) fn unstage_bands(&self, from: &[f64], matrix: &mut [f64]) {
        for (band, places) in from.chunks_exact(self.staged_length()).zip(&self.bands) {
            for (value, &place) in band.iter().zip(places) {
                if place != NOWHERE {
                    matrix[place as usize] += *value;
                }
            }
        }
    }

    /// Runs an operation over some rows; returns the sum of its scalars.
    pub(super) fn sweep<O: Operation<X, C, H>, const C: usize>(
        &self,
        width: Width,
        part: Range<usize>,
        coefficients: &Columns<C>,
        arguments: Staged<'_>,
    ) -> f64 {
        sweep::sweep::<O, X, C, H>(width, &self.all[part], self, coefficients, arguments)
    }
}

/// The distance of row and column where it is the same in all elements, and which of the two is the column.
fn distance<const X: usize>(inputs: &[[u32; X]], row: usize, column: usize) -> Option<(u32, usize)> {
    let first = inputs.first()?;
    let (row, column) = if first[row] >= first[column] { (row, column) } else { (column, row) };
    let distance = first[row] - first[column];
    inputs
        .iter()
        .all(|tuple| tuple[row].checked_sub(tuple[column]) == Some(distance))
        .then_some((distance, column))
}

fn position(pattern: &SymmetricPattern, row: u32, column: u32) -> u32 {
    // The pattern is made of these very entries.
    pattern.position(row as usize, column as usize).unwrap_or_default() as u32
}

/// Finds where an entry begins in each row of elements and how far it advances, or lists its positions.
fn scattered<const X: usize, const C: usize, const H: usize>(
    entry: usize,
    (row, column): (usize, usize),
    elements: &Elements<X, C>,
    rows: &mut [StagedRow<X, H>],
    pattern: &SymmetricPattern,
) -> Filling {
    let mut positions: Vec<u32> =
        elements.inputs.iter().map(|tuple| position(pattern, tuple[row], tuple[column])).collect();
    let mut regular = true;
    for staged in rows {
        let of_row = &positions[staged.start..staged.start + staged.count];
        staged.place[entry] = of_row[0];
        staged.advance[entry] = of_row.get(1).map_or(0, |next| next.wrapping_sub(of_row[0]));
        regular &= of_row.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]) == staged.advance[entry]);
    }
    if regular {
        return Filling::Regular;
    }
    positions.extend([0; MOST_LANES]);
    Filling::Listed(positions)
}
