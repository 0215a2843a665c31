//! Adds the second derivatives of elements in rows to the matrix.
//!
//! In a row of elements the positions of an entry in the matrix are mostly regular. The first way that
//! fits is taken:
//!
//! - *Band*: row and column have one distance in all elements, and each coordinate has many elements.
//!   A band is added up in memory by its column, like a vector, and goes to its positions at the end.
//! - *Columns*: consecutive entries whose positions advance by a fixed number with the element. They are
//!   added in turns; by registers, if the entries of the next element follow at once (as in the blocks
//!   between a point and its partners).
//! - *Listed*: a position for each element.

use super::staging::Staging;
use super::{Filling, Layout};
use crate::binding::kernel::{HessianEntry, Kernel};
use crate::binding::line::{ElementRow, Line};
use crate::lanes::{Lanes, MOST_LANES, Registers, Sum, interleaved};
use crate::sparse::SymmetricPattern;
use pulp::{Simd, WithSimd};
use std::ops::Range;

/// No position: nothing is added there.
const NOWHERE: u32 = u32::MAX;

/// Bands pay with this many elements for each coordinate.
const OFTEN: usize = 4;

/// Adds the numbers of a strided layout to a matrix.
#[derive(Debug)]
pub(super) struct StridedFilling {
    /// The rows of each batch; and the facts of each row.
    batches: Vec<Range<usize>>,
    rows: Vec<FillingRow>,
    bands: Vec<BandEntry>,
    columns: Vec<ConsecutiveEntries>,
    listed: Vec<Listed>,
    /// For each band, the position of each entry by its place in memory.
    places: Vec<Vec<u32>>,
    /// The length of a band in memory.
    band: usize,
    /// The target of each banded entry in each row.
    targets: Vec<RowTarget>,
    /// The first position of each `ConsecutiveEntries` in each row.
    begins: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct FillingRow {
    count: usize,
    /// The first place of its numbers in each column of numbers.
    number: usize,
    /// Its first element.
    element: usize,
}

/// An entry of a band.
#[derive(Debug, Clone, Copy)]
struct BandEntry {
    number: usize,
    negative: bool,
}

#[derive(Debug, Clone, Copy)]
struct RowTarget {
    start: u32,
    advances: bool,
}

/// Consecutive entries.
#[derive(Debug, Clone)]
struct ConsecutiveEntries {
    entries: Vec<(usize, bool)>,
    /// The step of their positions from element to element.
    step: usize,
    /// No other entry is added at these positions, and no other position lies between them.
    alone: bool,
}

/// An entry with a position for each element.
#[derive(Debug, Clone)]
struct Listed {
    number: usize,
    negative: bool,
    positions: Vec<u32>,
}

impl StridedFilling {
    pub(super) fn new(
        layout: &impl Layout,
        staging: Staging,
        kernel: &Kernel,
        pattern: &SymmetricPattern,
        filled: &[u8],
    ) -> Self {
        let (rows, lines) = layout.rows();
        let all = AllRows { rows, lines, staging, inputs: kernel.inputs.len() };
        let band = layout.length();
        let elements: usize = layout.batches().iter().map(|batch| batch.elements).sum();
        let often = elements >= OFTEN * staging.height;
        let mut before = 0;
        let mut found = Self {
            batches: layout.batches().iter().map(|batch| batch.rows.clone()).collect(),
            rows: rows
                .iter()
                .map(|row| {
                    let (count, element) = (row.count as usize, before);
                    before += count;
                    FillingRow { count, number: row.number as usize, element }
                })
                .collect(),
            bands: Vec::new(),
            columns: Vec::new(),
            listed: Vec::new(),
            places: Vec::new(),
            band,
            targets: Vec::new(),
            begins: Vec::new(),
        };
        let mut distances: Vec<u32> = Vec::new();
        let mut targets: Vec<Vec<RowTarget>> = Vec::new();
        let mut regular: Vec<(HessianEntry, usize, Vec<u32>)> = Vec::new();
        for entry in &*kernel.entries {
            if let Some((distance, column)) = all.distance(entry).filter(|_| often) {
                let known = distances.iter().position(|known| *known == distance);
                let number = known.unwrap_or_else(|| {
                    distances.push(distance);
                    found.places.push(vec![NOWHERE; band]);
                    distances.len() - 1
                });
                all.place_band(distance, column, pattern, &mut found.places[number]);
                found.bands.push(BandEntry { number: entry.number, negative: entry.negative });
                targets.push(all.targets(column, number * band));
                continue;
            }
            let positions = all.positions(entry, pattern);
            match all.advancing(&positions) {
                Some((step, begins)) => regular.push((*entry, step, begins)),
                None => found.list(entry, positions),
            }
        }
        let mut begins: Vec<Vec<u32>> = Vec::new();
        while let Some((_, step, first)) = regular.first().cloned() {
            let mut members = vec![0];
            while let Some(next) = behind(&regular, &first, step, members.len()) {
                members.push(next);
            }
            let width = members.len();
            let of_row = |(row, begin): (&ElementRow, &u32)| {
                *begin as usize..*begin as usize + width * row.count as usize
            };
            let alone = step == width
                && rows.iter().zip(&first).map(of_row).all(|range| {
                    filled.get(range).is_some_and(|filled| filled.iter().all(|count| *count == 1))
                });
            let entries = members.iter().map(|member| {
                let entry = regular[*member].0;
                (entry.number, entry.negative)
            });
            found.columns.push(ConsecutiveEntries { entries: entries.collect(), step, alone });
            begins.push(first);
            let mut place = 0..;
            regular.retain(|_| place.next().is_some_and(|place| !members.contains(&place)));
        }
        found.targets = by_rows(&targets, rows.len());
        found.begins = by_rows(&begins, rows.len());
        found
    }

    fn list(&mut self, entry: &HessianEntry, positions: Vec<u32>) {
        self.listed.push(Listed { number: entry.number, negative: entry.negative, positions });
    }
}

/// Turns a table by entries into a table by rows.
fn by_rows<T: Copy>(lists: &[Vec<T>], rows: usize) -> Vec<T> {
    (0..rows).flat_map(|row| lists.iter().map(move |list| list[row])).collect()
}

/// The entry whose positions are `by` after the first entry's in all rows, with one step.
fn behind(
    regular: &[(HessianEntry, usize, Vec<u32>)],
    first: &[u32],
    step: usize,
    by: usize,
) -> Option<usize> {
    regular.iter().position(|(_, other, begins)| {
        *other == step && first.iter().zip(begins).all(|(a, b)| *b == a.wrapping_add(by as u32))
    })
}

/// The rows of a layout, and the lines of their inputs.
struct AllRows<'a> {
    rows: &'a [ElementRow],
    lines: &'a [Line],
    staging: Staging,
    inputs: usize,
}

impl AllRows<'_> {
    /// Each row with the lines of an entry.
    fn of(&self, entry: &HessianEntry) -> impl Iterator<Item = (&ElementRow, Line, Line)> {
        let lines = self.lines.chunks_exact(self.inputs);
        self.rows.iter().zip(lines).map(move |(row, lines)| (row, lines[entry.row], lines[entry.column]))
    }

    /// The index that the first element of a row reads.
    fn index(&self, line: Line) -> u32 {
        self.staging.index(line.start as usize) as u32
    }

    /// The distance of row and column if all elements have one, and the input of the column.
    fn distance(&self, entry: &HessianEntry) -> Option<(u32, usize)> {
        let (_, row, column) = self.of(entry).next()?;
        let lower = self.index(row) >= self.index(column);
        let ordered = |row: Line, column: Line| if lower { (row, column) } else { (column, row) };
        let distance = self.index(row).abs_diff(self.index(column));
        let alike = self.of(entry).all(|(of_row, row, column)| {
            let (row, column) = ordered(row, column);
            let together = of_row.count == 1 || row.advances == column.advances;
            together && self.index(row).checked_sub(self.index(column)) == Some(distance)
        });
        alike.then_some((distance, if lower { entry.column } else { entry.row }))
    }

    /// Looks up the positions of a band by the places to which this input adds.
    fn place_band(&self, distance: u32, column: usize, pattern: &SymmetricPattern, places: &mut [u32]) {
        for (row, lines) in self.rows.iter().zip(self.lines.chunks_exact(self.inputs)) {
            let line = lines[column];
            let steps = if line.advances { row.count } else { 1 };
            for step in 0..steps {
                let place = &mut places[(line.target + step) as usize];
                if *place == NOWHERE {
                    let index = self.staging.index((line.start + step) as usize);
                    *place = pattern.place(index + distance as usize, index);
                }
            }
        }
    }

    /// The places of the entries of a band in each row; its memory starts at `begin`.
    fn targets(&self, column: usize, begin: usize) -> Vec<RowTarget> {
        let of_row = |lines: &[Line]| {
            let Line { target, advances, .. } = lines[column];
            RowTarget { start: begin as u32 + target, advances }
        };
        self.lines.chunks_exact(self.inputs).map(of_row).collect()
    }

    /// The position of an entry in each element.
    fn positions(&self, entry: &HessianEntry, pattern: &SymmetricPattern) -> Vec<u32> {
        let mut positions = Vec::new();
        for (of_row, row, column) in self.of(entry) {
            let index = |line: Line, step: u32| {
                self.staging.index((line.start + if line.advances { step } else { 0 }) as usize)
            };
            positions
                .extend((0..of_row.count).map(|step| pattern.place(index(row, step), index(column, step))));
        }
        positions
    }

    /// The step of the positions from element to element,
    /// and the first one of each row, if all rows have one step.
    fn advancing(&self, positions: &[u32]) -> Option<(usize, Vec<u32>)> {
        let mut rest = positions;
        let of_rows = self.rows.iter().map(|row| {
            let of_row;
            (of_row, rest) = rest.split_at(row.count as usize);
            of_row
        });
        let of_rows: Vec<&[u32]> = of_rows.collect();
        let mut steps =
            of_rows.iter().flat_map(|row| row.windows(2)).map(|pair| pair[1].wrapping_sub(pair[0]));
        let step = steps.next()?;
        // Only forwards: elements that share a position would wait for each other.
        let regular = (1..1 << 16).contains(&step) && steps.all(|other| other == step);
        regular.then(|| (step as usize, of_rows.iter().map(|row| row[0]).collect()))
    }
}

impl Filling for StridedFilling {
    fn length(&self) -> usize {
        self.places.len() * self.band
    }

    fn add(
        &self,
        registers: Registers,
        batch: usize,
        (numbers, length): (&[f64], usize),
        memory: &mut [f64],
        matrix: &mut [f64],
    ) {
        registers.run(AddRows {
            filling: self,
            rows: self.batches[batch].clone(),
            numbers,
            length,
            memory,
            matrix,
        });
    }

    fn finish(&self, memory: &[f64], matrix: &mut [f64]) {
        for (values, places) in memory.chunks_exact(self.band.max(1)).zip(&self.places) {
            for (value, &place) in values.iter().zip(places) {
                if place != NOWHERE {
                    matrix[place as usize] += *value;
                }
            }
        }
    }

    fn visit_written(&self, visit: &mut dyn FnMut(Range<usize>)) {
        let count = self.columns.len();
        for (row, begins) in self.rows.iter().zip(self.begins.chunks(count.max(1))) {
            for (columns, begin) in self.columns.iter().zip(begins) {
                // Entries that are added one by one need zeros.
                if columns.alone && matches!(columns.entries.len(), 2 | 3) {
                    visit(*begin as usize..*begin as usize + columns.entries.len() * row.count);
                }
            }
        }
    }
}

/// Adds the numbers of some rows.
struct AddRows<'a> {
    filling: &'a StridedFilling,
    rows: Range<usize>,
    numbers: &'a [f64],
    /// The length of a column of numbers.
    length: usize,
    memory: &'a mut [f64],
    matrix: &'a mut [f64],
}

impl WithSimd for AddRows<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { filling, rows, numbers, length, memory, matrix } = self;
        let (banded, columns) = (filling.bands.len(), filling.columns.len());
        for k in rows {
            let row = filling.rows[k];
            let of = |number: usize| &numbers[number * length + row.number..][..row.count];
            for (entry, target) in filling.bands.iter().zip(&filling.targets[k * banded..]) {
                let (values, start) = (of(entry.number), target.start as usize);
                if target.advances {
                    add_all(simd, values, entry.negative, &mut memory[start..][..row.count]);
                } else {
                    let sum = total(simd, values);
                    memory[start] += if entry.negative { -sum } else { sum };
                }
            }
            for (group, begin) in filling.columns.iter().zip(&filling.begins[k * columns..]) {
                let to = &mut matrix[*begin as usize..];
                match group.entries[..] {
                    [a, b, c] if group.step == 3 => {
                        let columns = [a, b, c].map(|(number, negative)| (of(number), negative));
                        in_turns(simd, columns, group.alone, &mut to[..3 * row.count]);
                    }
                    [a, b] if group.step == 2 => {
                        let columns = [a, b].map(|(number, negative)| (of(number), negative));
                        in_turns(simd, columns, group.alone, &mut to[..2 * row.count]);
                    }
                    _ => {
                        for (k, &(number, negative)) in group.entries.iter().enumerate() {
                            let places = to[k..].iter_mut().step_by(group.step);
                            for (to, value) in places.zip(of(number)) {
                                *to += if negative { -value } else { *value };
                            }
                        }
                    }
                }
            }
            for entry in &filling.listed {
                let positions = &entry.positions[row.element..][..row.count];
                for (value, position) in of(entry.number).iter().zip(positions) {
                    matrix[*position as usize] += if entry.negative { -value } else { *value };
                }
            }
        }
    }
}

/// y ← y ± x.
#[inline(always)]
fn add_all<S: Simd>(simd: S, x: &[f64], negative: bool, y: &mut [f64]) {
    let lanes = Lanes::<S>::COUNT;
    let whole = x.len() / lanes * lanes;
    for at in (0..whole).step_by(lanes) {
        let value = Lanes::load(simd, x, at);
        (if negative { -value } else { value }).add_to(y, at);
    }
    for (y, x) in y[whole..].iter_mut().zip(&x[whole..]) {
        *y += if negative { -x } else { *x };
    }
}

/// Σ x.
#[inline(always)]
fn total<S: Simd>(simd: S, x: &[f64]) -> f64 {
    let mut sum = Sum::ZERO;
    let (registers, rest) = S::as_simd_f64s(x);
    for (number, register) in registers.iter().enumerate() {
        sum.add(number, Lanes::of(simd, *register));
    }
    if !rest.is_empty() {
        sum.add(registers.len(), Lanes::rest(simd, rest, 0));
    }
    sum.total()
}

/// Writes or adds the numbers of columns in turns, some of them negated.
#[inline(always)]
fn in_turns<S: Simd, const N: usize>(simd: S, columns: [(&[f64], bool); N], write: bool, to: &mut [f64]) {
    let lanes = Lanes::<S>::COUNT;
    let whole = to.len() / N / lanes * lanes;
    for at in (0..whole).step_by(lanes) {
        let mut values = [Lanes::splat(simd, 0.0); N];
        for (value, (column, negative)) in values.iter_mut().zip(&columns) {
            *value = Lanes::load(simd, column, at);
            if *negative {
                *value = -*value;
            }
        }
        let to = &mut to[N * at..][..N * lanes];
        for (k, row) in interleaved(simd, values).iter().enumerate() {
            if write {
                row.write(to, k * lanes);
            } else {
                row.add_to(to, k * lanes);
            }
        }
    }
    for (at, to) in to[N * whole..].chunks_exact_mut(N).enumerate() {
        for (to, (column, negative)) in to.iter_mut().zip(&columns) {
            let value = column[whole + at];
            let value = if *negative { -value } else { value };
            *to = if write { value } else { *to + value };
        }
    }
}

const _: () = assert!(MOST_LANES == 8, "batches hold a multiple of eight elements");
