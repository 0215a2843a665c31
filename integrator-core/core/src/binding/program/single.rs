//! Programs on single elements, and on their rates and rows: each step is done for several elements.

use super::registers::{Columns, Inputs};
use super::step::{Register, Source};
use super::{MatrixNumber, Output, Program};
use crate::binding::gather::Run;
use crate::binding::work::{Arguments, Single};
use crate::lanes::form::{ElementForm, NumberForm, One, Rated};
use crate::scratch::Scratch;
use least_action_kernel::{Row, Vector};
use num_dual::Dual64;

/// The memory for numbers of a form.
pub(super) trait Remembered: ElementForm<Entry = f64> {
    fn memory(program: &Program) -> &Scratch<Vec<Self::Stored>>;
}

impl Remembered for One {
    fn memory(program: &Program) -> &Scratch<Vec<f64>> {
        &program.single
    }
}

impl Remembered for Rated {
    fn memory(program: &Program) -> &Scratch<Vec<Dual64>> {
        &program.rated
    }
}

/// Neighbours of a run.
#[derive(Clone, Copy)]
struct Group<'g> {
    program: &'g Program,
    run: Run<'g>,
    /// The number of the first one in the run, and how many they are.
    first: u32,
    count: usize,
}

impl<'g> Group<'g> {
    /// The number of an element in the family.
    #[inline(always)]
    fn element(&self, place: usize) -> usize {
        self.run.element + (self.first as usize + place) * self.run.step
    }

    /// The first index in vectors of a slot of each element.
    /// Behind the slots: its row, or the row of its first sum.
    #[inline(always)]
    fn starts(&self, slot: usize) -> impl Fn(usize) -> usize + use<> {
        let (stride, first) = (self.run.stride(slot), self.run.place(slot, self.first));
        move |place| first.wrapping_add(stride.wrapping_mul(place as u32)) as usize
    }

    /// The index in vectors of an input of each element.
    #[inline(always)]
    fn indices(&self, k: usize) -> impl Fn(usize) -> usize + use<> {
        let (slot, component) = self.program.shape.inputs[k];
        let start = self.starts(slot);
        move |place| start(place) + component
    }

    #[inline(always)]
    fn rows(&self) -> impl Fn(usize) -> usize + use<> {
        self.starts(self.program.shape.slots)
    }

    /// Carries out the program; `unit` is the sum with weight one, the others having none.
    fn carry_out<'m, L: ElementForm<Entry = f64>>(
        &self,
        form: L,
        (work, unit): (&Single<'_, '_>, Option<usize>),
        memory: &'m mut Vec<L::Stored>,
    ) -> Found<'m, L>
    where
        'g: 'm,
    {
        let Self { program, count, .. } = *self;
        let numbers = program.registers * count;
        if memory.len() < numbers {
            memory.resize(numbers, form.stored(form.splat(0.0)));
        }
        let (registers, inputs) = (&mut memory[..numbers], Reads { form, group: self, work, unit });
        let mut columns = Columns { form, count, registers, inputs };
        columns.carry_out(&program.steps);
        Found { form, count, program, registers: columns.registers }
    }

    /// Adds the vectors, the sums and the matrices in the order of compiled code: element by element.
    #[inline(always)]
    fn add<L: ElementForm<Entry = f64>>(
        &self,
        found: &Found<'_, L>,
        arguments: &mut Arguments<'_>,
        entries: usize,
    ) {
        let (program, row) = (self.program, self.rows());
        let Arguments { vector, matrix, values, weights, apart, positions, .. } = arguments;
        for place in 0..self.count {
            let weight = if program.row == Row::Weighs { weights[row(place)] } else { 1.0 };
            for put in &program.puts {
                match *put {
                    Output::Vector(k) => vector[self.indices(k)(place)] += weight * found.result(k, place),
                    Output::Sum(k) => values[row(place) + k * *apart] += found.result(k, place),
                    Output::Number(k) => {
                        let value = weight * found.result(program.first_number() + k, place);
                        let MatrixNumber { plus, minus } = &program.numbers[k];
                        let positions = &positions[self.element(place) * entries..];
                        plus.iter().for_each(|entry| matrix[positions[*entry] as usize] += value);
                        minus.iter().for_each(|entry| matrix[positions[*entry] as usize] -= value);
                    }
                }
            }
        }
    }

    /// Adds the vectors to the rows of a matrix.
    #[inline(always)]
    fn add_rows<L: ElementForm<Entry = f64>>(&self, found: &Found<'_, L>, arguments: &mut Arguments<'_>) {
        let (inputs, row) = (self.program.shape.inputs.len(), self.rows());
        let Arguments { vector, weights, places, alone, .. } = arguments;
        for place in 0..self.count {
            let weight = if self.program.row == Row::Weighs { weights[row(place)] } else { 1.0 };
            // As a sum that begins at zero: -0 becomes 0.
            let own = self.program.results.iter().map(|result| 0.0 + weight * found.at(*result, place));
            let places = &places[self.element(place) * inputs..][..inputs];
            if *alone {
                // The places are these, from the first on.
                let first = places.first().map_or(0, |place| *place as usize);
                vector[first..first + inputs].iter_mut().zip(own).for_each(|(to, value)| *to = value);
            } else {
                places.iter().zip(own).for_each(|(place, value)| vector[*place as usize] += value);
            }
        }
    }
}

/// The results of a group.
struct Found<'m, L: NumberForm> {
    form: L,
    count: usize,
    program: &'m Program,
    registers: &'m [L::Stored],
}

impl<L: ElementForm<Entry = f64>> Found<'_, L> {
    #[inline(always)]
    fn at(&self, register: Register, place: usize) -> f64 {
        self.form.result(self.form.number(self.registers[register as usize * self.count + place]))
    }

    /// Result k of an element.
    #[inline(always)]
    fn result(&self, k: usize, place: usize) -> f64 {
        self.at(self.program.results[k], place)
    }
}

/// The numbers that a group reads.
struct Reads<'r, 'w, 'a, L> {
    form: L,
    group: &'r Group<'r>,
    work: &'r Single<'w, 'a>,
    unit: Option<usize>,
}

impl<L: ElementForm<Entry = f64>> Inputs<L> for Reads<'_, '_, '_, L> {
    #[inline(always)]
    fn read(&self, source: Source, k: usize, to: &mut [L::Stored]) {
        let Self { form, group, work, .. } = *self;
        let Arguments { x, a, rate, now, weights, apart, .. } = &*work.arguments;
        let still = |value| form.stored(form.splat(value));
        match source {
            Source::X => {
                let at = group.indices(k);
                let each = to.iter_mut().enumerate();
                each.for_each(|(place, to)| *to = form.stored(form.input(x[at(place)], || rate[at(place)])));
            }
            Source::A => {
                let at = group.indices(k);
                to.iter_mut().enumerate().for_each(|(place, to)| *to = still(a[at(place)]));
            }
            Source::C => {
                let (all, width) = (work.coefficients, group.program.shape.coefficients);
                let own = |place| all.tuple(group.element(place), width).map_or(f64::NAN, |own| own[k]);
                if all.are_shared() {
                    return to.fill(still(own(0)));
                }
                to.iter_mut().enumerate().for_each(|(place, to)| *to = still(own(place)));
            }
            Source::Time => to.fill(still(now.instant.t)),
            Source::Phase => to.fill(still(now.instant.theta)),
            Source::Signal => to.fill(still(now.readings[k])),
            Source::Weight => {
                if let Some(unit) = self.unit {
                    return to.fill(still(f64::from(unit == k)));
                }
                let row = group.rows();
                let own = |place| weights[row(place) + k * apart];
                to.iter_mut().enumerate().for_each(|(place, to)| *to = still(own(place)));
            }
        }
    }
}

/// Adds the results of each element, or their rates along the direction `rate` of x; returns the sum of
/// the scalars.
pub(super) fn elements<L: Remembered>(program: &Program, form: L, work: &mut Single<'_, '_>) -> f64 {
    L::memory(program).with(|memory| {
        let mut total = 0.0;
        for run in work.runs.clone() {
            for group in groups(program, run) {
                let found = group.carry_out(form, (work, None), memory);
                let (entries, arguments) = (work.entries, &mut *work.arguments);
                if program.vector == Vector::InRow {
                    group.add_rows(&found, arguments);
                } else {
                    group.add(&found, arguments, entries);
                }
                let (Some(scalar), row) = (program.scalar, group.rows()) else { continue };
                for place in 0..group.count {
                    let own = found.at(scalar, place);
                    let to =
                        if program.row == Row::Adds { &mut arguments.values[row(place)] } else { &mut total };
                    *to += own;
                }
            }
        }
        total
    })
}

/// The elements of a run in groups.
fn groups<'g>(program: &'g Program, run: Run<'g>) -> impl Iterator<Item = Group<'g>> {
    let several = program.most(1);
    (0..run.count).step_by(several).map(move |first| {
        let count = several.min(run.count - first);
        Group { program, run, first: first as u32, count }
    })
}

/// Adds ∇f of each sum of each element to its row of a matrix: the code of Σ w ∇f for each unit
/// vector of weights.
pub(super) fn rows(program: &Program, work: &mut Single<'_, '_>) -> f64 {
    let reads = work.reads;
    program.single.with(|memory| {
        for group in work.runs.clone().flat_map(|run| groups(program, run)) {
            for sum in 0..program.shape.sums {
                let found = group.carry_out(One, (work, Some(sum)), memory);
                for place in 0..group.count {
                    let Arguments { places, vector: matrix, .. } = &mut *work.arguments;
                    let places = reads.iter().zip(&places[group.element(place) * reads.len()..]);
                    for ((_, input), at) in places.filter(|((of, _), _)| *of == sum) {
                        matrix[*at as usize] += 0.0 + found.result(*input, place);
                    }
                }
            }
        }
    });
    0.0
}
