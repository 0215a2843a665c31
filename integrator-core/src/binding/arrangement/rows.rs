//! Rows of elements in which each gather stands still or advances by one stride.

use super::{Elements, InRows, Matrix};
use crate::binding::columns::Columns;
use crate::binding::operation::Operation;
use crate::binding::pair::Pair;
use crate::lanes::{MOST_LANES, Registers};
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
    /// The entries in bands.
    banded: Vec<usize>,
    /// The entries that are collected in a stretch of the memory until the end of a row.
    stretched: Vec<usize>,
    /// Entries that stand side by side in the matrix, so that neighbouring elements fill a stretch without a gap: the columns
    /// of the blocks of vectors in space.
    threes: Vec<Group<3>>,
    /// The same for vectors in the plane.
    twos: Vec<Group<2>>,
    /// Whether the matrix is filled as by pairs of points: a block of its own for each pair, written column by column.
    of_pairs: bool,
    /// The position of each entry of each band, by its staged column.
    bands: Vec<Vec<u32>>,
    memory: Memory,
}

/// Entries that stand side by side in all elements, and `N` further in the next element.
#[derive(Debug, Clone)]
struct Group<const N: usize> {
    entries: [usize; N],
    /// Whether nothing else is added there, so that a sweep may write instead.
    single: bool,
}

/// Where a sweep over rows adds: a staged vector, the staged bands, and for each Hessian entry a stretch of the length of a
/// row.
#[derive(Debug, Clone, Copy)]
struct Memory {
    /// The length of a staged vector: padded, so that a register can be loaded at its last entry.
    staged: usize,
    bands: usize,
    /// The length of the longest row, padded.
    longest: usize,
    entries: usize,
}

impl Memory {
    fn band(&self, band: usize) -> usize {
        (1 + band) * self.staged
    }

    fn entry(&self, entry: usize) -> usize {
        self.band(self.bands) + entry * self.longest
    }

    fn length(&self) -> usize {
        self.entry(self.entries)
    }
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
    /// The same, together with the next ones.
    Together,
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
    /// Whether just the second half of the gathers advances: one point with many others.
    star: bool,
    /// Where each regular Hessian entry begins, and how far it advances.
    place: [u32; H],
    advance: [u32; H],
    /// Where the loop adds or writes those Hessian entries that are not together.
    matrix: [Target; H],
}

/// A place in the memory of a sweep.
#[derive(Debug, Clone, Copy)]
struct Target {
    /// That of the first element.
    start: u32,
    /// Whether it advances; what stands still is added up in a register.
    advances: bool,
}

/// The place of element `at` of a row that starts at `start`; of numbers of 32 bits, so that the sum needs no check.
#[inline(always)]
fn place(start: u32, at: usize) -> usize {
    start as usize + at as u32 as usize
}

impl<const X: usize, const H: usize> Rows<X, H> {
    pub(super) fn new<const C: usize>(
        found: InRows<X>,
        elements: &Elements<X, C>,
        length: usize,
        matrix: Matrix<'_>,
    ) -> Self {
        let Matrix { pattern, single } = matrix;
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
                star: (0..X).all(|k| row.moving[k] == (2 * k >= X)),
                place: [0; H],
                advance: [0; H],
                matrix: [Target { start: 0, advances: false }; H],
            })
            .collect();
        let mut distances: Vec<u32> = Vec::new();
        let mut bands: Vec<Vec<u32>> = Vec::new();
        let mut fillings = std::array::from_fn(|entry| {
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
        let threes = together(&mut fillings, &all, single);
        let twos = together(&mut fillings, &all, single);
        let memory = Memory {
            staged: stride * height + MOST_LANES,
            bands: bands.len(),
            longest: all.iter().map(|row| row.count).max().unwrap_or(0) + MOST_LANES,
            entries: H,
        };
        for row in &mut all {
            row.matrix = std::array::from_fn(|k| match fillings[k] {
                Filling::Band { band, column } => Target {
                    start: (memory.band(band) + row.first[column] as usize) as u32,
                    advances: row.moving[column],
                },
                Filling::Regular | Filling::Together | Filling::Listed(_) => {
                    Target { start: memory.entry(k) as u32, advances: true }
                }
            });
        }
        let entries_with =
            |filling: fn(&Filling) -> bool| (0..H).filter(|k| filling(&fillings[*k])).collect();
        let banded = entries_with(|filling| matches!(filling, Filling::Band { .. }));
        let stretched = entries_with(|filling| matches!(filling, Filling::Regular | Filling::Listed(_)));
        let of_pairs = are_of_pairs::<X, H>(elements.entries, &fillings, &threes, &twos);
        Self { all, stride, height, fillings, banded, stretched, threes, twos, of_pairs, bands, memory }
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
                    Filling::Regular | Filling::Together => {
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

    /// Shows the positions over which a sweep writes.
    pub(super) fn visit_written(&self, visit: &mut dyn FnMut(Range<usize>)) {
        for row in &self.all {
            let mut written = |entries: &[usize], single: bool| {
                let start = row.place[entries[0]] as usize;
                if single {
                    visit(start..start + entries.len() * row.count);
                }
            };
            self.threes.iter().for_each(|group| written(&group.entries, group.single));
            self.twos.iter().for_each(|group| written(&group.entries, group.single));
        }
    }

    /// The length of a staged vector.
    pub(super) fn staged_length(&self) -> usize {
        self.memory.staged
    }

    /// The length of the memory of a sweep.
    pub(super) fn memory_length(&self) -> usize {
        self.memory.length()
    }

    /// Prepares the memory for a sweep.
    pub(super) fn clear(&self, memory: &mut [f64], vector: bool, matrix: bool) {
        if vector {
            memory[..self.memory.staged].fill(0.0);
        }
        if matrix {
            memory[self.memory.staged..self.memory.entry(0)].fill(0.0);
        }
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

    /// Adds staged bands to the values of the matrix.
    pub(super) fn unstage_bands(&self, memory: &[f64], matrix: &mut [f64]) {
        for (band, places) in memory.chunks_exact(self.memory.staged).skip(1).zip(&self.bands) {
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
        registers: Registers,
        part: Range<usize>,
        coefficients: &Columns<C>,
        arguments: Staged<'_>,
    ) -> f64 {
        sweep::sweep::<O, X, C, H>(registers, &self.all[part], self, coefficients, arguments)
    }
}

/// Finds entries that stand side by side in all elements, and stand there again `N` further in the next element.
fn together<const N: usize, const X: usize, const H: usize>(
    fillings: &mut [Filling; H],
    rows: &[StagedRow<X, H>],
    single: &[bool],
) -> Vec<Group<N>> {
    let mut all = Vec::new();
    for first in 0..H {
        let members: [usize; N] = std::array::from_fn(|k| {
            let follows = |entry: &usize| {
                rows.iter().all(|row| row.place[*entry] == row.place[first].wrapping_add(k as u32))
            };
            let free = |entry: &usize| k > 0 && matches!(fillings[*entry], Filling::Regular);
            (0..H).filter(free).find(follows).unwrap_or(first)
        });
        let advances = |entry: &usize| {
            // A row of one element has nowhere to advance to.
            rows.iter().all(|row| row.count == 1 || row.advance[*entry] == N as u32)
        };
        let apart = members[1..].iter().all(|member| *member != first);
        let regular = members.iter().all(|member| matches!(fillings[*member], Filling::Regular));
        if apart && regular && members.iter().all(advances) {
            for member in members {
                fillings[member] = Filling::Together;
            }
            let alone = rows.iter().all(|row| {
                let start = row.place[first] as usize;
                single.get(start..start + N * row.count).is_some_and(|all| !all.contains(&false))
            });
            all.push(Group { entries: members, single: alone });
        }
    }
    all
}

/// Whether the entries of one point, and those of its partner, lie in bands, and those of both in columns that nothing else adds to.
fn are_of_pairs<const X: usize, const H: usize>(
    entries: &[(usize, usize)],
    fillings: &[Filling; H],
    threes: &[Group<3>],
    twos: &[Group<2>],
) -> bool {
    let pair = Pair::of(entries, X);
    let is_banded = |entry: &usize| matches!(fillings[*entry], Filling::Band { .. });
    let in_bands = pair.point.entries().iter().chain(pair.partner.entries()).all(is_banded);
    let is_alone = |column: &[usize; 3]| match pair.components {
        3 => threes.iter().any(|group| group.single && group.entries[..] == column[..]),
        2 => twos.iter().any(|group| group.single && group.entries[..] == column[..2]),
        _ => false,
    };
    pair.components > 0 && in_bands && pair.columns[..pair.components].iter().all(is_alone)
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
