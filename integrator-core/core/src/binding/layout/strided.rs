//! Rows of elements in which each slot stays or advances by one stride.
//!
//! In elements of sums the sum advances by one, too, or stays. Pieces that begin at nearby sums are
//! neighbours, so that their common inputs are still in the cache. If their inputs advance by one number
//! (other sums), they read and add in place.

use super::filling::StridedFilling;
use super::staging::Staging;
use super::{Batch, Filling, Layout};
use crate::binding::gather::{Run, Tuples};
use crate::binding::kernel::Kernel;
use crate::binding::line::{ElementRow, Line};
use crate::lanes::{Lanes, MOST_LANES, Registers, deinterleaved, interleaved};
use crate::sparse::SymmetricPattern;
use pulp::{Simd, WithSimd};

/// The longest stride.
const LONGEST_STRIDE: u32 = 16;
/// The most elements of a batch, and the most numbers of a batch: they stay in the nearest cache.
const BATCH: usize = 512;
const NUMBERS: usize = 4096;
/// The least distance of lines that add to one column: reading a register waits for a recent write to a
/// part of it.
const APART: u32 = 8 * MOST_LANES as u32;
/// From this length a row gains more by registers within cache lines than it loses by a partly
/// empty one.
const LONG: usize = 48;

/// The rows, and the staging of vectors.
///
/// Staging moves entry i of a vector to `(i mod stride) · height + i / stride`: a step by the stride
/// becomes a step by one. Inputs that follow each other too closely add to different *planes*.
#[derive(Debug)]
pub struct Strided {
    rows: Vec<ElementRow>,
    lines: Vec<Line>,
    /// For sums: the places of the sums of each row.
    sums: Vec<Line>,
    in_place: bool,
    batches: Vec<Batch>,
    staging: Staging,
    planes: usize,
    /// Whether each place of each plane belongs to one line.
    writes: bool,
    /// The length of the vectors.
    entries: usize,
}

impl Strided {
    /// The rows of these elements, if they are long enough,
    /// and the order of the elements in them, unless it is their own.
    pub fn new(kernel: &Kernel, slots: &Tuples, length: usize) -> Option<(Self, Option<Vec<u32>>)> {
        let found = slots.are_long().then(|| StridedRuns::of(kernel, slots.runs())).flatten()?;
        Some((Self::of(kernel, &found, length), slots.order()))
    }

    fn of(kernel: &Kernel, found: &StridedRuns<'_>, length: usize) -> Self {
        let stride = found.stride;
        let staging = Staging::new(length, stride as usize);
        let planes_of = planes(kernel, found, staging);
        let planes = planes_of.iter().max().map_or(0, |plane| plane + 1);
        let in_place = found.of_sums && stride == 1 && planes <= 1;
        // Second derivatives of sums are not filled from registers.
        let numbers = if found.of_sums { 1 } else { kernel.numbers.max(1) };
        let most = (NUMBERS / numbers / MOST_LANES * MOST_LANES).clamp(MOST_LANES, BATCH);
        let (mut rows, mut lines, mut sums, mut batches) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for RunPiece { run, begin, count, element } in found.pieces(most) {
            let numbers = count.next_multiple_of(MOST_LANES);
            match batches.last_mut() {
                Some(Batch { rows: of_last, elements, numbers: taken }) if *taken + numbers <= most => {
                    rows.push(row(count, element, *taken));
                    of_last.end += 1;
                    *elements += count;
                    *taken += numbers;
                }
                _ => {
                    let at = rows.len();
                    rows.push(row(count, element, 0));
                    batches.push(Batch { rows: at..at + 1, elements: count, numbers });
                }
            }
            let first =
                |slot: usize| run.first[slot].wrapping_add(run.strides[slot].wrapping_mul(begin as u32));
            lines.extend(kernel.inputs.iter().map(|&(slot, component)| {
                let start = staging.place(first(slot) + component as u32);
                let target = start + (planes_of[slot] * staging.length()) as u32;
                Line { start, target, advances: run.strides[slot] != 0 }
            }));
            if found.of_sums {
                let (start, advances) = (first(kernel.slots), run.strides[kernel.slots] != 0);
                sums.push(Line { start, target: start, advances });
            }
        }
        let writes = !in_place && separate(&rows, &lines, planes.max(1) * staging.length());
        if !writes && !found.of_sums {
            rows.iter_mut().zip(lines.chunks_exact(kernel.inputs.len())).for_each(lead);
        }
        Self { rows, lines, sums, in_place, batches, staging, planes, writes, entries: length }
    }
}

/// Consecutive elements of a run.
struct RunPiece<'r> {
    run: &'r Run<'r>,
    /// The index of its first element in the run.
    begin: usize,
    count: usize,
    /// The number of elements before it, in earlier runs and in its own.
    element: u32,
}

/// Whether all lines advance, and no register of a row reaches places of other lines or of earlier rows.
fn separate(rows: &[ElementRow], lines: &[Line], length: usize) -> bool {
    let mut taken = vec![false; length];
    let Some(inputs) = lines.len().checked_div(rows.len()) else { return false };
    if !lines.iter().all(|line| line.advances) {
        return false;
    }
    rows.iter().zip(lines.chunks_exact(inputs)).all(|(row, lines)| {
        let reach = |line: &Line, count: usize| {
            let target = line.target as usize;
            target..target + if line.advances { count } else { 1 }
        };
        let (count, whole) = (row.count as usize, (row.count as usize).next_multiple_of(MOST_LANES));
        let free = lines.iter().all(|line| !taken[reach(line, whole)].contains(&true));
        let apart = |a: &Line, b: &Line| {
            let (a, b) = (reach(a, whole), reach(b, whole));
            a.end <= b.start || b.end <= a.start
        };
        let apart = (1..inputs).all(|k| lines[..k].iter().all(|other| apart(other, &lines[k])));
        lines.iter().for_each(|line| taken[reach(line, count)].fill(true));
        free && apart
    })
}

fn row(count: usize, element: u32, number: usize) -> ElementRow {
    ElementRow { count: count as u32, lead: 0, coefficient: element, number: number as u32 }
}

/// Lets a long row begin with a cache line, if all its advancing lines begin at one offset from it.
fn lead((row, lines): (&mut ElementRow, &[Line])) {
    let behind = |place: u32| place % MOST_LANES as u32;
    let mut places = lines.iter().filter(|line| line.advances).flat_map(|line| [line.start, line.target]);
    if let Some(first) = places.next().map(behind) {
        let alike = row.count as usize >= LONG && places.all(|place| behind(place) == first);
        row.lead = if alike { first } else { 0 };
    }
}

/// Runs of elements in which each slot stays or advances by one stride.
struct StridedRuns<'a> {
    runs: Vec<Run<'a>>,
    stride: u32,
    /// Whether a sum follows the slots of each element.
    of_sums: bool,
}

impl<'a> StridedRuns<'a> {
    fn of(kernel: &Kernel, runs: impl Iterator<Item = Run<'a>>) -> Option<Self> {
        let runs: Vec<Run<'a>> = runs.collect();
        let strides = |run: &Run<'a>| run.strides.split_at(kernel.slots);
        let moving = |run: &Run<'a>| run.count > 1 && strides(run).0.iter().any(|stride| *stride != 0);
        let stride = runs.iter().filter(|run| moving(run)).flat_map(|run| strides(run).0).copied();
        let stride = stride.filter(|stride| *stride != 0).min()?;
        let fits = |run: &Run<'a>| {
            let (of_slots, of_sum) = strides(run);
            of_slots.iter().all(|other| *other == 0 || *other == stride)
                && (run.count == 1 || of_sum.iter().all(|other| *other <= 1))
        };
        // A row of one element does not advance.
        let same = |run: &Run<'a>| run.count > 1 && strides(run).0.iter().all(|stride| *stride == 0);
        if stride > LONGEST_STRIDE || !runs.iter().all(fits) || runs.iter().any(same) {
            return None;
        }
        let of_sums = runs.iter().any(|run| run.strides.len() > kernel.slots);
        Some(Self { runs, stride, of_sums })
    }

    /// Pieces of the runs with at most `most` elements.
    fn pieces(&self, most: usize) -> Vec<RunPiece<'_>> {
        let (mut pieces, mut element) = (Vec::new(), 0);
        for run in &self.runs {
            for begin in (0..run.count).step_by(most) {
                let count = (run.count - begin).min(most);
                pieces.push(RunPiece { run, begin, count, element });
                element += count as u32;
            }
        }
        if self.of_sums {
            pieces.sort_by_key(|piece| piece.begin);
        }
        pieces
    }
}

/// The plane of each slot: slots that add close to each other have different ones.
fn planes(kernel: &Kernel, found: &StridedRuns<'_>, staging: Staging) -> Vec<usize> {
    let slots = kernel.slots;
    let mut close = vec![false; slots * slots];
    for run in &found.runs {
        for (k, &(slot, component)) in kernel.inputs.iter().enumerate() {
            for &(other, second) in &kernel.inputs[..k] {
                let place = |slot: usize, component: usize| staging.place(run.first[slot] + component as u32);
                let distance = place(slot, component).abs_diff(place(other, second));
                let both = run.strides[slot] != 0 && run.strides[other] != 0;
                if both && slot != other && distance > 0 && distance < APART {
                    close[slot * slots + other] = true;
                    close[other * slots + slot] = true;
                }
            }
        }
    }
    let mut planes: Vec<usize> = Vec::with_capacity(slots);
    for slot in 0..slots {
        let taken =
            |plane: usize| (0..slot).any(|other| close[slot * slots + other] && planes[other] == plane);
        let free = (0..=slot).find(|plane| !taken(*plane)).unwrap_or_default();
        planes.push(free);
    }
    planes
}

impl Layout for Strided {
    fn length(&self) -> usize {
        if self.in_place { 0 } else { self.planes.max(1) * self.staging.length() }
    }

    fn batches(&self) -> &[Batch] {
        &self.batches
    }

    fn rows(&self) -> (&[ElementRow], &[Line]) {
        (&self.rows, &self.lines)
    }

    fn rows_mut(&mut self) -> &mut [ElementRow] {
        &mut self.rows
    }

    fn sums(&self) -> &[Line] {
        &self.sums
    }

    fn in_place(&self) -> bool {
        self.in_place
    }

    fn writes(&self) -> bool {
        self.writes
    }

    fn clear(&self, memory: &mut [f64]) {
        // Places without a line stay zero.
        if !self.writes {
            memory.fill(0.0);
        }
    }

    fn stage(&self, registers: Registers, from: &[f64], memory: &mut [f64]) {
        let Staging { stride, height } = self.staging;
        let from = &from[..self.entries];
        match stride {
            1 => memory[..from.len()].copy_from_slice(from),
            2 => registers.run(StridedStage::<2> { from, height, memory }),
            3 => registers.run(StridedStage::<3> { from, height, memory }),
            _ => {
                for (residue, column) in memory.chunks_exact_mut(height).take(stride).enumerate() {
                    let values = from.iter().skip(residue).step_by(stride);
                    column.iter_mut().zip(values).for_each(|(staged, value)| *staged = *value);
                }
            }
        }
    }

    fn unstage(&self, registers: Registers, memory: &[f64], to: &mut [f64]) {
        let (Staging { stride, height }, plane) = (self.staging, self.staging.length());
        let to = &mut to[..self.entries];
        match stride {
            2 => registers.run(Unstage::<2> { memory, plane, height, to }),
            3 => registers.run(Unstage::<3> { memory, plane, height, to }),
            _ => {
                for plane in memory.chunks_exact(plane) {
                    for (residue, column) in plane.chunks_exact(height).take(stride).enumerate() {
                        let values = to.iter_mut().skip(residue).step_by(stride);
                        values.zip(column).for_each(|(to, value)| *to += value);
                    }
                }
            }
        }
    }

    fn filling(&self, kernel: &Kernel, pattern: &SymmetricPattern, filled: &[u8]) -> Box<dyn Filling> {
        Box::new(StridedFilling::new(self, self.staging, kernel, pattern, filled))
    }
}

/// Staging with a stride of S.
struct StridedStage<'a, const S: usize> {
    from: &'a [f64],
    height: usize,
    memory: &'a mut [f64],
}

impl<const S: usize> WithSimd for StridedStage<'_, S> {
    type Output = ();

    #[inline(always)]
    fn with_simd<I: Simd>(self, simd: I) {
        let Self { from, height, memory } = self;
        let lanes = Lanes::<I>::COUNT;
        let whole = from.len() / S / lanes * lanes;
        for at in (0..whole).step_by(lanes) {
            let mut columns = [Lanes::splat(simd, 0.0); S];
            deinterleaved(simd, &from[S * at..][..S * lanes], &mut columns);
            for (residue, column) in columns.into_iter().enumerate() {
                column.write(memory, residue * height + at);
            }
        }
        for (place, value) in from[S * whole..].iter().enumerate() {
            memory[place % S * height + whole + place / S] = *value;
        }
    }
}

/// Unstaging with a stride of S: adds up all planes.
struct Unstage<'a, const S: usize> {
    memory: &'a [f64],
    plane: usize,
    height: usize,
    to: &'a mut [f64],
}

impl<const S: usize> WithSimd for Unstage<'_, S> {
    type Output = ();

    #[inline(always)]
    fn with_simd<I: Simd>(self, simd: I) {
        let Self { memory, plane, height, to } = self;
        let lanes = Lanes::<I>::COUNT;
        let whole = to.len() / S / lanes * lanes;
        for at in (0..whole).step_by(lanes) {
            let mut columns = [Lanes::splat(simd, 0.0); S];
            for (residue, column) in columns.iter_mut().enumerate() {
                for begin in (0..memory.len()).step_by(plane) {
                    *column = *column + Lanes::load(simd, memory, begin + residue * height + at);
                }
            }
            for (k, row) in interleaved(simd, columns).iter().enumerate() {
                row.add_to(to, S * at + k * lanes);
            }
        }
        for (place, value) in to[S * whole..].iter_mut().enumerate() {
            // In the order of the sums in registers.
            let of_plane = |begin: usize| memory[begin + place % S * height + whole + place / S];
            *value +=
                (0..memory.len()).step_by(plane).map(of_plane).fold(0.0, |sum, of_plane| sum + of_plane);
        }
    }
}
