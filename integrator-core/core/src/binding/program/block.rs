//! Programs on blocks of elements in lanes: each step is done for a whole block.

use super::Program;
use super::step::{Machine, Register, Source, execute};
use crate::binding::coefficients::Column;
use crate::binding::line::{BLOCK, ElementRow, Line};
use crate::binding::work::Wide;
use crate::lanes::form::{NumberForm, Several};
use crate::lanes::{Aligned, LaneMask, Lanes, MOST_LANES, Sum};
use least_action_kernel::Vector;
use pulp::{Simd, WithSimd};

/// Memory for the registers of a program and for the results of a block.
#[derive(Debug, Default)]
pub(in crate::binding) struct Memory {
    registers: Aligned,
    results: Aligned,
    sums: Vec<Sum>,
}

impl Memory {
    /// Registers of so many numbers, and the results.
    pub(in crate::binding) fn of(
        &mut self,
        registers: usize,
        results: usize,
    ) -> (&mut [f64], &mut [f64], &mut Vec<Sum>) {
        grow(&mut self.registers, registers);
        grow(&mut self.results, results);
        (self.registers.get_mut(), self.results.get_mut(), &mut self.sums)
    }
}

fn grow(memory: &mut Aligned, length: usize) {
    if memory.get().len() < length {
        *memory = Aligned::zeros(length);
    }
}

/// The numbers that a block reads.
pub(in crate::binding) trait Inputs<L: NumberForm> {
    /// Writes the numbers of a source for the elements of the block.
    fn read(&self, source: Source, k: usize, to: &mut [L::Stored]);
}

/// Registers with a column of numbers each, and the columns of results.
pub(in crate::binding) struct Columns<'m, L: NumberForm, I> {
    pub(in crate::binding) form: L,
    /// The length of a column.
    pub(in crate::binding) count: usize,
    pub(in crate::binding) registers: &'m mut [L::Stored],
    pub(in crate::binding) results: &'m mut [L::Stored],
    pub(in crate::binding) inputs: I,
    /// The numbers of the matrix, and the first place of the block in a column of this length.
    pub(in crate::binding) numbers: &'m mut [f64],
    pub(in crate::binding) place: usize,
    pub(in crate::binding) length: usize,
}

impl<L: NumberForm, I> Columns<'_, L, I> {
    /// The column of a register that is written, and the others.
    #[inline(always)]
    fn split(&mut self, to: Register) -> (&mut [L::Stored], Others<'_, L>) {
        let (count, to) = (self.count, to as usize);
        let (before, rest) = self.registers.split_at_mut(to * count);
        let (own, after) = rest.split_at_mut(count);
        (own, Others { before, after, to, count })
    }

    /// The column of a register.
    #[inline(always)]
    pub(in crate::binding) fn column(&self, register: Register) -> &[L::Stored] {
        &self.registers[register as usize * self.count..][..self.count]
    }

    #[inline(always)]
    fn keep(&mut self, k: usize, from: Register) {
        let (count, begin) = (self.count, from as usize * self.count);
        self.results[k * count..][..count].copy_from_slice(&self.registers[begin..begin + count]);
    }
}

/// All registers but one.
struct Others<'m, L: NumberForm> {
    before: &'m [L::Stored],
    after: &'m [L::Stored],
    to: usize,
    count: usize,
}

impl<'m, L: NumberForm> Others<'m, L> {
    #[inline(always)]
    fn get(&self, register: Register) -> &'m [L::Stored] {
        let register = register as usize;
        if register < self.to {
            &self.before[register * self.count..][..self.count]
        } else {
            &self.after[(register - self.to - 1) * self.count..][..self.count]
        }
    }
}

impl<L: NumberForm, I: Inputs<L>> Machine for Columns<'_, L, I> {
    type Number = L::Number;

    #[inline(always)]
    fn constant(&mut self, to: Register, value: f64) {
        let number = self.form.stored(self.form.splat(value));
        self.split(to).0.fill(number);
    }

    #[inline(always)]
    fn read(&mut self, to: Register, source: Source, k: usize) {
        let to = to as usize * self.count;
        self.inputs.read(source, k, &mut self.registers[to..to + self.count]);
    }

    #[inline(always)]
    fn unary(&mut self, to: Register, a: Register, f: impl Fn(L::Number) -> L::Number) {
        let form = self.form;
        let (to, others) = self.split(to);
        for (to, a) in to.iter_mut().zip(others.get(a)) {
            *to = form.stored(f(form.number(*a)));
        }
    }

    #[inline(always)]
    fn binary(&mut self, to: Register, [a, b]: [Register; 2], f: impl Fn(L::Number, L::Number) -> L::Number) {
        let form = self.form;
        let (to, others) = self.split(to);
        for ((to, a), b) in to.iter_mut().zip(others.get(a)).zip(others.get(b)) {
            *to = form.stored(f(form.number(*a), form.number(*b)));
        }
    }

    #[inline(always)]
    fn ternary(
        &mut self,
        to: Register,
        [a, b, c]: [Register; 3],
        f: impl Fn(L::Number, L::Number, L::Number) -> L::Number,
    ) {
        let form = self.form;
        let (to, others) = self.split(to);
        for (((to, a), b), c) in to.iter_mut().zip(others.get(a)).zip(others.get(b)).zip(others.get(c)) {
            *to = form.stored(f(form.number(*a), form.number(*b), form.number(*c)));
        }
    }

    #[inline(always)]
    fn vector(&mut self, k: usize, from: Register) {
        self.keep(k, from);
    }

    #[inline(always)]
    fn sum(&mut self, k: usize, from: Register) {
        self.keep(k, from);
    }

    #[inline(always)]
    fn number(&mut self, k: usize, from: Register) {
        let (count, begin, place) = (self.count, from as usize * self.count, self.place + k * self.length);
        // The memory has room for all numbers.
        let to = self.numbers.get_mut(place..).unwrap_or_default();
        self.form.write_all(&self.registers[begin..begin + count], to);
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
    row: &'b ElementRow,
    lines: &'b [Line],
    of_sums: Line,
    /// The places before the first element, and the first place of the block.
    lead: usize,
    begin: usize,
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

    #[inline(always)]
    fn line(&self, from: &[f64], line: Line, to: &mut [S::f64s]) {
        if line.advances {
            self.column(from, line.start as usize - self.lead + self.begin, to);
        } else {
            to.fill(self.simd.splat_f64s(from[line.start as usize]));
        }
    }
}

/// The line of sum k, from the line of the first one.
fn of_sum(first: Line, k: usize, apart: usize) -> Line {
    let by = (k * apart) as u32;
    Line { start: first.start + by, target: first.target + by, ..first }
}

impl<S: Simd> Inputs<Several<S>> for BlockInputs<'_, '_, S> {
    #[inline(always)]
    fn read(&self, source: Source, k: usize, to: &mut [S::f64s]) {
        let Wide { x, a, now, coefficients, weights, apart, .. } = *self.work;
        match source {
            Source::X => self.line(x, self.lines[k], to),
            Source::A => self.line(a, self.lines[k], to),
            Source::C => match &coefficients[k] {
                Column::Shared(number) => to.fill(self.simd.splat_f64s(*number)),
                // A register of padding precedes the numbers.
                Column::Varying(all) => {
                    let start = self.row.coefficient as usize + MOST_LANES - self.lead + self.begin;
                    self.column(all, start, to);
                }
            },
            Source::Time => to.fill(self.simd.splat_f64s(now.instant.t)),
            Source::Phase => to.fill(self.simd.splat_f64s(now.instant.theta)),
            Source::Signal => to.fill(self.simd.splat_f64s(now.readings[k])),
            Source::Weight => self.line(weights, of_sum(self.of_sums, k, apart), to),
        }
    }
}

impl WithSimd for Rows<'_, '_, '_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let Self { program, work, memory } = self;
        let (inputs, sums) = (program.shape.inputs.len(), program.shape.sums);
        let has_vector = program.vector == Vector::AtInputs;
        let adds = sums > 0 && !has_vector;
        // The numbers of a matrix begin with the first element of a row.
        let leads = has_vector && work.length == 0;
        let lanes = Lanes::<S>::COUNT;
        let results = if has_vector {
            inputs
        } else if adds {
            sums
        } else {
            0
        };
        let (numbers_of, length, writes) = (std::mem::take(&mut work.numbers), work.length, work.writes);
        let (vector, values) = (std::mem::take(&mut work.vector), std::mem::take(&mut work.values));
        let (registers, found, still) = memory.of(program.registers * BLOCK, results * BLOCK);
        let (registers, found) = (S::as_mut_simd_f64s(registers).0, S::as_mut_simd_f64s(found).0);
        let mut total = Sum::ZERO;
        let to = if has_vector { &mut *vector } else { &mut *values };
        for (number, row) in work.rows.iter().enumerate() {
            let lines = &work.lines[number * inputs..][..inputs];
            let of_sums = work.sums.get(number).copied().unwrap_or_default();
            let lead = if leads { row.lead as usize } else { 0 };
            let places = lead + row.count as usize;
            still.clear();
            still.resize(results, Sum::ZERO);
            let target = |k: usize| if has_vector { lines[k] } else { of_sum(of_sums, k, work.apart) };
            for begin in (0..places).step_by(BLOCK) {
                let count = (places - begin).min(BLOCK);
                let several = count.div_ceil(lanes);
                let block = BlockInputs { simd, work, row, lines, of_sums, lead, begin };
                let found = &mut found[..results * several];
                found.fill(simd.splat_f64s(0.0));
                let mut columns = Columns {
                    form: Several(simd),
                    count: several,
                    registers: &mut registers[..program.registers * several],
                    results: found,
                    inputs: block,
                    numbers: &mut *numbers_of,
                    place: row.number as usize + begin,
                    length,
                };
                execute(&program.steps, &mut columns);
                for register in 0..several {
                    let element = register * lanes;
                    let (before, left) = (lead.saturating_sub(begin + element), count - element);
                    // Mask lanes that belong to neighbouring rows.
                    let kept = (before > 0 || left < lanes).then(|| LaneMask::between(simd, before, left));
                    let masked = |value: S::f64s| {
                        let value = Lanes::of(simd, value);
                        kept.map_or(value, |kept| value.of_mask(kept))
                    };
                    if results == 0 {
                        if let Some(scalar) = program.scalar {
                            total.add(register, masked(columns.column(scalar)[register]));
                        }
                        continue;
                    }
                    for (k, still) in still.iter_mut().enumerate() {
                        let (value, line) = (masked(columns.results[k * several + register]), target(k));
                        if !line.advances {
                            still.add(register, value);
                            continue;
                        }
                        let place = line.target as usize - lead + begin + element;
                        if has_vector && writes {
                            value.begin(to.get_mut(place..).unwrap_or_default());
                        } else {
                            value.add_to(to, place);
                        }
                    }
                }
            }
            for (k, still) in still.iter().enumerate() {
                let line = target(k);
                if !line.advances {
                    to[line.target as usize] += still.total_from(lead);
                }
            }
        }
        (work.numbers, work.vector, work.values) = (numbers_of, vector, values);
        total.total()
    }
}
