//! Programs on blocks of elements in lanes: each step is done for a whole block.

use super::Program;
use super::registers::{Columns, Inputs};
use super::step::Source;
use crate::binding::coefficients::Column;
use crate::binding::line::Line;
use crate::binding::work::Wide;
use crate::lanes::form::Several;
use crate::lanes::{Aligned, LaneMask, Lanes, MOST_LANES, Sum};
use least_action_kernel::Vector;
use pulp::{Simd, WithSimd};

/// Memory for the registers of a program.
#[derive(Debug, Default)]
pub(in crate::binding) struct Memory {
    registers: Aligned,
    sums: Vec<Sum>,
    segments: Vec<Segment>,
}

/// The part of a row in a block.
#[derive(Debug, Clone, Copy)]
struct Segment {
    row: usize,
    /// Its first place in the row, and the number of its places.
    begin: usize,
    count: usize,
    /// Its first register in a column, and the number of its registers.
    first: usize,
    several: usize,
}

impl Memory {
    /// Registers of so many numbers.
    pub(in crate::binding) fn of(&mut self, numbers: usize) -> &mut [f64] {
        if self.registers.get().len() < numbers {
            self.registers = Aligned::zeros(numbers);
        }
        self.registers.get_mut()
    }
}

/// The rows of elements in lanes.
pub(in crate::binding) struct Rows<'p, 'w, 'a> {
    pub(in crate::binding) program: &'p Program,
    pub(in crate::binding) work: &'w mut Wide<'a>,
    pub(in crate::binding) memory: &'p mut Memory,
}

/// The numbers that the elements of a block read.
struct BlockInputs<'b, 'a, S> {
    simd: S,
    work: &'b Wide<'a>,
    segments: &'b [Segment],
    inputs: usize,
    leads: bool,
}

impl<S: Simd> BlockInputs<'_, '_, S> {
    /// A column that begins here.
    #[inline(always)]
    fn column(&self, from: &[f64], start: usize, to: &mut [S::f64s]) {
        let (whole, _) = S::as_simd_f64s(from.get(start..).unwrap_or_default());
        if let Some(whole) = whole.get(..to.len()) {
            to.copy_from_slice(whole);
            return;
        }
        for (register, to) in to.iter_mut().enumerate() {
            let at = (start + register * Lanes::<S>::COUNT).min(from.len());
            *to = Lanes::rest(self.simd, from, at).values();
        }
    }

    /// The numbers on a line of each row.
    #[inline(always)]
    fn lines(&self, from: &[f64], line: impl Fn(usize) -> Line, to: &mut [S::f64s]) {
        for segment in self.segments {
            let (line, to) = (line(segment.row), &mut to[segment.first..][..segment.several]);
            if line.advances {
                let lead = lead(self.work, self.leads, segment.row);
                self.column(from, line.start as usize - lead + segment.begin, to);
            } else {
                to.fill(self.simd.splat_f64s(from[line.start as usize]));
            }
        }
    }
}

/// The number of places before the first element of a row.
#[inline(always)]
fn lead(work: &Wide<'_>, leads: bool, row: usize) -> usize {
    if leads { work.rows[row].lead as usize } else { 0 }
}

/// The line of sum k, from the line of the first one.
#[inline(always)]
fn of_sum(work: &Wide<'_>, row: usize, k: usize) -> Line {
    let (first, by) = (work.sums.get(row).copied().unwrap_or_default(), (k * work.apart) as u32);
    Line { start: first.start + by, target: first.target + by, ..first }
}

impl<S: Simd> Inputs<Several<S>> for BlockInputs<'_, '_, S> {
    #[inline(always)]
    fn read(&self, source: Source, k: usize, to: &mut [S::f64s]) {
        let Self { simd, work, inputs, .. } = *self;
        let Wide { x, a, now, coefficients, weights, .. } = *work;
        match source {
            Source::X => self.lines(x, |row| work.lines[row * inputs + k], to),
            Source::A => self.lines(a, |row| work.lines[row * inputs + k], to),
            Source::C => match &coefficients[k] {
                Column::Shared(number) => to.fill(simd.splat_f64s(*number)),
                // A register of padding precedes the numbers.
                Column::Varying(all) => {
                    let of_row = |row: usize| (work.rows[row].coefficient as usize + MOST_LANES) as u32;
                    self.lines(all, |row| Line { start: of_row(row), target: 0, advances: true }, to);
                }
            },
            Source::Time => to.fill(simd.splat_f64s(now.instant.t)),
            Source::Phase => to.fill(simd.splat_f64s(now.instant.theta)),
            Source::Signal => to.fill(simd.splat_f64s(now.readings[k])),
            Source::Weight => self.lines(weights, |row| of_sum(work, row, k), to),
        }
    }
}

/// The numbers in these lanes, zero in the others.
#[inline(always)]
fn masked<S: Simd>(value: Lanes<S>, kept: Option<LaneMask<S>>) -> Lanes<S> {
    match kept {
        Some(kept) => value.of_mask(kept),
        None => value,
    }
}

/// Fills a block with segments from this row and place on; returns where the next one begins.
fn fill(
    segments: &mut Vec<Segment>,
    (work, leads): (&Wide<'_>, bool),
    (lanes, most): (usize, usize),
    (mut row, mut begin): (usize, usize),
) -> (usize, usize) {
    let mut first = 0;
    segments.clear();
    while row < work.rows.len() && first < most {
        let places = lead(work, leads, row) + work.rows[row].count as usize;
        let count = (places - begin).min((most - first) * lanes);
        let several = count.div_ceil(lanes);
        segments.push(Segment { row, begin, count, first, several });
        first += several;
        (row, begin) = if begin + count < places { (row, begin + count) } else { (row + 1, 0) };
    }
    (row, begin)
}

impl WithSimd for Rows<'_, '_, '_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let Self { program, work, memory } = self;
        let (inputs, lanes) = (program.shape.inputs.len(), Lanes::<S>::COUNT);
        let has_vector = program.vector == Vector::AtInputs;
        // The numbers of a matrix begin with the first element of a row.
        let leads = has_vector && work.length == 0;
        let results = program.first_number();
        let (numbers, vector, values) = (
            std::mem::take(&mut work.numbers),
            std::mem::take(&mut work.vector),
            std::mem::take(&mut work.values),
        );
        let to = if has_vector { &mut *vector } else { &mut *values };
        let (mut still, mut segments) =
            (std::mem::take(&mut memory.sums), std::mem::take(&mut memory.segments));
        let most = program.most(lanes);
        let registers = S::as_mut_simd_f64s(memory.of(program.registers * most * lanes)).0;
        let (mut total, mut next) = (Sum::ZERO, (0, 0));
        while next.0 < work.rows.len() {
            next = fill(&mut segments, (work, leads), (lanes, most), next);
            let count = segments.last().map_or(0, |last| last.first + last.several);
            let mut block = Columns {
                form: Several(simd),
                count,
                registers: &mut registers[..program.registers * count],
                inputs: BlockInputs { simd, work, segments: &segments, inputs, leads },
            };
            block.carry_out(&program.steps);
            for &Segment { row, begin, count: places, first, several } in &segments {
                let lead = lead(work, leads, row);
                let target =
                    |k: usize| if has_vector { work.lines[row * inputs + k] } else { of_sum(work, row, k) };
                for (k, result) in program.results[results..].iter().enumerate() {
                    let place = work.rows[row].number as usize + begin + k * work.length;
                    // The memory has room for all numbers.
                    let to = S::as_mut_simd_f64s(numbers.get_mut(place..).unwrap_or_default()).0;
                    let own = &block.column(*result)[first..][..several];
                    to.iter_mut().zip(own).for_each(|(to, number)| *to = *number);
                }
                if begin == 0 {
                    still.clear();
                    still.resize(results, Sum::ZERO);
                }
                for register in 0..several {
                    let element = begin + register * lanes;
                    let (before, left) = (lead.saturating_sub(element), places - register * lanes);
                    // Mask lanes that belong to neighbouring rows.
                    let kept = (before > 0 || left < lanes).then(|| LaneMask::between(simd, before, left));
                    if results == 0 {
                        if let Some(scalar) = program.scalar {
                            let value = Lanes::of(simd, block.column(scalar)[first + register]);
                            total.add(element / lanes, masked(value, kept));
                        }
                        continue;
                    }
                    for (k, (still, result)) in still.iter_mut().zip(&program.results).enumerate() {
                        let value = masked(Lanes::of(simd, block.column(*result)[first + register]), kept);
                        let line = target(k);
                        if !line.advances {
                            still.add(element / lanes, value);
                            continue;
                        }
                        let place = line.target as usize - lead + element;
                        if has_vector && work.writes {
                            value.begin(to.get_mut(place..).unwrap_or_default());
                        } else {
                            value.add_to(to, place);
                        }
                    }
                }
                if begin + places == lead + work.rows[row].count as usize {
                    for (k, still) in still.iter().enumerate() {
                        let line = target(k);
                        if !line.advances {
                            to[line.target as usize] += still.total_from(lead);
                        }
                    }
                }
            }
        }
        (work.numbers, work.vector, work.values) = (numbers, vector, values);
        (memory.sums, memory.segments) = (still, segments);
        total.total()
    }
}
