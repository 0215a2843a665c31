//! Rows of elements in which each gather stands still or advances by one stride.

use super::{Elements, InRows, Matrix, position};
use crate::binding::columns::Columns;
use crate::binding::operation::Operation;
use crate::binding::pair::Pair;
use crate::lanes::{MOST_LANES, Registers};
use crate::sparse::SymmetricPattern;
use std::ops::Range;

mod sweep;

pub(super) use sweep::Staged;

/// Rows of this length gain more by registers that do not straddle cache lines than they lose by one that is not full.
const LONG: usize = 48;

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
    fillings: Vec<Filling>,
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
    bands: Vec<Band>,
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

/// The position of each entry of a band, by its staged column.
#[derive(Debug, Clone)]
enum Band {
    /// Side by side.
    Together(Range<usize>),
    /// Entry by entry.
    Listed(Vec<u32>),
}

impl Band {
    fn of(places: Vec<u32>) -> Self {
        // The last columns may be of other families.
        let end = places.iter().rposition(|place| *place != NOWHERE).map_or(0, |last| last + 1);
        let used = &places[..end];
        let together = used.windows(2).all(|pair| pair[1] == pair[0].wrapping_add(1));
        match used.first() {
            Some(&first) if together && first != NOWHERE => {
                Self::Together(first as usize..first as usize + end)
            }
            _ => Self::Listed(places),
        }
    }
}

/// One row.
#[derive(Debug, Clone)]
struct StagedRow<const X: usize, const H: usize> {
    /// The first element and the number of elements.
    start: usize,
    count: usize,
    /// Where its coefficients begin.
    coefficient: usize,
    /// Where each gather begins in a staged vector, and whether it advances.
    first: [u32; X],
    moving: [bool; X],
    /// How far behind the beginning of a cache line what moves begins, where it is worth beginning there.
    lead: usize,
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
        found: InRows,
        elements: &Elements<X, C>,
        length: usize,
        matrix: Matrix<'_>,
    ) -> Self {
        let Matrix { pattern, filled } = matrix;
        let InRows { rows, moving, stride } = found;
        let staging = Staging { stride, height: length.div_ceil(stride).next_multiple_of(MOST_LANES) };
        let mut all: Vec<StagedRow<X, H>> = Vec::with_capacity(rows.len());
        for (row, moves) in rows.iter().zip(moving.chunks_exact(X)) {
            let mut first = elements.inputs[row.start];
            first.iter_mut().for_each(|index| *index = staging.staged(*index));
            let mut moving = [false; X];
            moving.copy_from_slice(moves);
            let lead = lead(&first, &moving, row.len());
            let coefficient = all.last().map_or(0, |last: &StagedRow<X, H>| last.coefficient + last.count);
            all.push(StagedRow {
                start: row.start,
                count: row.len(),
                coefficient: if lead > 0 {
                    coefficient.next_multiple_of(MOST_LANES) + lead
                } else {
                    coefficient
                },
                first,
                moving,
                lead,
                star: (0..X).all(|k| moving[k] == (2 * k >= X)),
                place: [0; H],
                advance: [0; H],
                matrix: [Target { start: 0, advances: false }; H],
            });
        }
        let inputs = Inputs { tuples: elements.inputs.as_flattened(), width: X };
        let mut bands = Bands::default();
        let mut fillings = Vec::with_capacity(H);
        for (entry, &(row, column)) in elements.entries.iter().enumerate() {
            fillings.push(bands.take(inputs, (row, column), staging, pattern).unwrap_or_else(|| {
                let mut positions = inputs.positions((row, column), pattern);
                let mut regular = true;
                for staged in &mut all {
                    let of_row = &positions[staged.start..staged.start + staged.count];
                    let (place, advance, even) = advancing(of_row);
                    (staged.place[entry], staged.advance[entry]) = (place, advance);
                    regular &= even;
                }
                if regular {
                    return Filling::Regular;
                }
                positions.extend([0; MOST_LANES]);
                Filling::Listed(positions)
            }));
        }
        let threes = together(&mut fillings, &all, filled);
        let twos = together(&mut fillings, &all, filled);
        let bands: Vec<Band> = bands.places.into_iter().map(Band::of).collect();
        let Staging { stride, height } = staging;
        let memory = Memory {
            staged: staging.length() + MOST_LANES,
            bands: bands.len(),
            longest: rows.iter().map(Range::len).max().unwrap_or(0) + MOST_LANES,
            entries: H,
        };
        for row in &mut all {
            for (entry, (target, filling)) in row.matrix.iter_mut().zip(&fillings).enumerate() {
                *target = match *filling {
                    Filling::Band { band, column } => Target {
                        start: (memory.band(band) + row.first[column] as usize) as u32,
                        advances: row.moving[column],
                    },
                    Filling::Regular | Filling::Together | Filling::Listed(_) => {
                        Target { start: memory.entry(entry) as u32, advances: true }
                    }
                };
            }
        }
        let banded = entries_with(&fillings, |filling| matches!(filling, Filling::Band { .. }));
        let stretched =
            entries_with(&fillings, |filling| matches!(filling, Filling::Regular | Filling::Listed(_)));
        let of_pairs = are_of_pairs(&Pair::of(elements.entries, X), &fillings, &threes, &twos);
        Self { all, stride, height, fillings, banded, stretched, threes, twos, of_pairs, bands, memory }
    }

    /// Whether most Hessian entries reach the matrix one by one, as they do from [`Blocks`](super::Blocks) without a detour: those of
    /// a mesh, even where its elements come in long rows.
    pub(super) fn scatter(&self) -> bool {
        2 * self.stretched.len() > H
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// The elements of each row, and where their coefficients begin.
    pub(super) fn coefficients(&self) -> Vec<(Range<usize>, usize)> {
        self.all.iter().map(|row| (row.start..row.start + row.count, row.coefficient)).collect()
    }

    /// The number of elements of each row.
    pub(super) fn weights(&self) -> Vec<usize> {
        self.all.iter().map(|row| row.count).collect()
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
        if self.stride == 1 {
            return to[..from.len()].copy_from_slice(from);
        }
        for (residue, column) in to.chunks_exact_mut(self.height).take(self.stride).enumerate() {
            for (staged, value) in column.iter_mut().zip(from.iter().skip(residue).step_by(self.stride)) {
                *staged = *value;
            }
        }
    }

    /// Adds a staged vector to one in the usual order.
    pub(super) fn unstage(&self, from: &[f64], to: &mut [f64]) {
        if self.stride == 1 {
            return add(from, to);
        }
        for (residue, column) in from.chunks_exact(self.height).take(self.stride).enumerate() {
            for (value, staged) in to.iter_mut().skip(residue).step_by(self.stride).zip(column) {
                *value += *staged;
            }
        }
    }

    /// Adds staged bands to the values of the matrix.
    pub(super) fn unstage_bands(&self, memory: &[f64], matrix: &mut [f64]) {
        for (values, band) in memory.chunks_exact(self.memory.staged).skip(1).zip(&self.bands) {
            match band {
                Band::Together(places) => add(values, &mut matrix[places.clone()]),
                Band::Listed(places) => {
                    for (value, &place) in values.iter().zip(places) {
                        if place != NOWHERE {
                            matrix[place as usize] += *value;
                        }
                    }
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

/// y ← y + x, as far as both go.
fn add(x: &[f64], y: &mut [f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += x);
}

/// The entries that reach their positions in some way.
fn entries_with(fillings: &[Filling], wanted: fn(&Filling) -> bool) -> Vec<usize> {
    (0..fillings.len()).filter(|entry| wanted(&fillings[*entry])).collect()
}

/// Where the entries of a vector stand when what gathers read one after the other stands side by side.
#[derive(Clone, Copy)]
struct Staging {
    stride: usize,
    height: usize,
}

impl Staging {
    fn staged(self, index: u32) -> u32 {
        let Self { stride, height } = self;
        (index as usize % stride * height + index as usize / stride) as u32
    }

    fn length(self) -> usize {
        self.stride * self.height
    }
}

/// What elements read, one tuple after the other.
#[derive(Clone, Copy)]
struct Inputs<'a> {
    tuples: &'a [u32],
    width: usize,
}

impl Inputs<'_> {
    /// Two of the indices of each element.
    fn pairs(self, first: usize, second: usize) -> impl Iterator<Item = (u32, u32)> {
        self.tuples.chunks_exact(self.width).map(move |tuple| (tuple[first], tuple[second]))
    }

    /// The position of an entry of each element.
    fn positions(self, (row, column): (usize, usize), pattern: &SymmetricPattern) -> Vec<u32> {
        self.pairs(row, column).map(|(row, column)| position(pattern, row, column)).collect()
    }

    /// The distance of row and column where it is the same in all elements, and which of the two is the column.
    fn distance(self, row: usize, column: usize) -> Option<(u32, usize)> {
        let (first_row, first_column) = self.pairs(row, column).next()?;
        let (row, column) = if first_row >= first_column { (row, column) } else { (column, row) };
        let distance = first_row.abs_diff(first_column);
        let alike = self.pairs(row, column).all(|(row, column)| row.checked_sub(column) == Some(distance));
        alike.then_some((distance, column))
    }
}

/// The bands that entries of the matrix fill.
#[derive(Default)]
struct Bands {
    /// The distance of row and column in each.
    distances: Vec<u32>,
    /// The position of each entry of each band, by its staged column.
    places: Vec<Vec<u32>>,
}

impl Bands {
    /// Puts an entry into its band, if it has one.
    fn take(
        &mut self,
        inputs: Inputs<'_>,
        (row, column): (usize, usize),
        staging: Staging,
        pattern: &SymmetricPattern,
    ) -> Option<Filling> {
        let (distance, column) = inputs.distance(row, column)?;
        let known = self.distances.iter().position(|known| *known == distance);
        let band = known.unwrap_or_else(|| {
            self.distances.push(distance);
            self.places.push(vec![NOWHERE; staging.length()]);
            self.places.len() - 1
        });
        for (index, _) in inputs.pairs(column, column) {
            let place = &mut self.places[band][staging.staged(index) as usize];
            if *place == NOWHERE {
                *place = position(pattern, index + distance, index);
            }
        }
        Some(Filling::Band { band, column })
    }
}

/// How far behind the beginning of a cache line all that moves begins; zero where that differs, or the row is too short to gain by
/// a register more.
fn lead(first: &[u32], moving: &[bool], count: usize) -> usize {
    let mut moving = first.iter().zip(moving).filter(|(_, moving)| **moving);
    let of_line = |first: u32| first as usize % MOST_LANES;
    let Some(lead) = moving.next().map(|(first, _)| of_line(*first)).filter(|_| count >= LONG) else {
        return 0;
    };
    if moving.all(|(first, _)| of_line(*first) == lead) { lead } else { 0 }
}

/// Where the positions of a row begin, how far they advance, and whether they do so evenly.
fn advancing(positions: &[u32]) -> (u32, u32, bool) {
    let advance = positions.get(1).map_or(0, |next| next.wrapping_sub(positions[0]));
    let even = positions.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]) == advance);
    (positions[0], advance, even)
}

/// Finds entries that stand side by side in all elements, and stand there again `N` further in the next element.
fn together<const N: usize, const X: usize, const H: usize>(
    fillings: &mut [Filling],
    rows: &[StagedRow<X, H>],
    filled: &[u8],
) -> Vec<Group<N>> {
    let mut all = Vec::new();
    let regular = |filling: &Filling| matches!(filling, Filling::Regular);
    for first in 0..H {
        let mut members = [first; N];
        for (k, member) in members.iter_mut().enumerate().skip(1) {
            let follows = |entry: &usize| {
                rows.iter().all(|row| row.place[*entry] == row.place[first].wrapping_add(k as u32))
            };
            let free = |entry: &usize| regular(&fillings[*entry]);
            *member = (0..H).filter(free).find(follows).unwrap_or(first);
        }
        let advances = |entry: &usize| {
            // A row of one element has nowhere to advance to.
            rows.iter().all(|row| row.count == 1 || row.advance[*entry] == N as u32)
        };
        let apart = members[1..].iter().all(|member| *member != first);
        let regular = members.iter().all(|member| regular(&fillings[*member]));
        if apart && regular && members.iter().all(advances) {
            for member in members {
                fillings[member] = Filling::Together;
            }
            let alone = rows.iter().all(|row| {
                let start = row.place[first] as usize;
                filled
                    .get(start..start + N * row.count)
                    .is_some_and(|all| all.iter().all(|count| *count == 1))
            });
            all.push(Group { entries: members, single: alone });
        }
    }
    all
}

/// Whether the entries of one point, and those of its partner, lie in bands, and those of both in columns that nothing else adds to.
fn are_of_pairs(pair: &Pair, fillings: &[Filling], threes: &[Group<3>], twos: &[Group<2>]) -> bool {
    let is_banded = |entry: &usize| matches!(fillings[*entry], Filling::Band { .. });
    let in_bands = pair.point.entries().iter().chain(pair.partner.entries()).all(is_banded);
    let is_alone = |column: &[usize; 3]| match pair.components {
        3 => threes.iter().any(|group| group.single && group.entries[..] == column[..]),
        2 => twos.iter().any(|group| group.single && group.entries[..] == column[..2]),
        _ => false,
    };
    pair.components > 0 && in_bands && pair.columns[..pair.components].iter().all(is_alone)
}
