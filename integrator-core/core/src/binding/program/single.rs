//! Programs on single elements, and on their rates and rows.

use super::step::{Formula, Machine, Register, Source, execute};
use super::{MOST, Program};
use crate::binding::gather::Run;
use crate::binding::work::{Arguments, Single};
use crate::lanes::Real;
use least_action_kernel::{Row, Vector};
use num_dual::Dual64;

/// Registers of programs with few of them are on the stack.
const FEW: usize = 32;

/// Memory for programs with many registers, and for the vector of an element.
#[derive(Debug)]
pub(super) struct Memory {
    vector: Vec<f64>,
    many: Vec<f64>,
    rated: Vec<Dual64>,
}

impl Memory {
    pub(super) fn new(inputs: usize) -> Self {
        Self { vector: vec![0.0; inputs], many: Vec::new(), rated: Vec::new() }
    }
}

/// The registers of one element with its ports.
struct One<'e, 'a, T, const N: usize> {
    program: &'e Program,
    registers: &'e mut [T; N],
    arguments: &'e mut Arguments<'a>,
    element: Element<'e>,
    /// The vector of the element, before it goes into a row.
    row_vector: &'e mut [f64],
    in_row: bool,
}

/// One element of a run.
#[derive(Clone, Copy)]
struct Element<'e> {
    run: Run<'e>,
    number: u32,
    coefficients: &'e [f64],
    positions: &'e [u32],
    row: usize,
}

impl Element<'_> {
    /// The first place of a slot.
    #[inline(always)]
    fn start(&self, slot: usize) -> usize {
        let Run { first, strides, .. } = self.run;
        first[slot].wrapping_add(strides[slot].wrapping_mul(self.number)) as usize
    }
}

/// A number that single elements are computed with.
trait Form: Real {
    /// A number with the rate of the input, for inputs.
    fn input(value: f64, rate: impl FnOnce() -> f64) -> Self;
    /// The part that is the result.
    fn result(self) -> f64;
}

impl Form for f64 {
    #[inline(always)]
    fn input(value: f64, _: impl FnOnce() -> f64) -> Self {
        value
    }

    #[inline(always)]
    fn result(self) -> f64 {
        self
    }
}

impl Form for Dual64 {
    fn input(value: f64, rate: impl FnOnce() -> f64) -> Self {
        Self::new(value, rate())
    }

    fn result(self) -> f64 {
        self.eps
    }
}

impl<T: Form, const N: usize> One<'_, '_, T, N> {
    #[inline(always)]
    fn at(&self, register: Register) -> T {
        self.registers[register as usize & (N - 1)]
    }

    #[inline(always)]
    fn set(&mut self, to: Register, value: T) {
        self.registers[to as usize & (N - 1)] = value;
    }

    #[inline(always)]
    fn place(&self, k: usize) -> usize {
        let (slot, component) = self.program.shape.inputs[k];
        self.element.start(slot) + component
    }

    #[inline(always)]
    fn weighted(&self, value: f64) -> f64 {
        if self.program.row == Row::Weighs { self.arguments.weights[self.element.row] * value } else { value }
    }
}

impl<T: Form, const N: usize> Machine for One<'_, '_, T, N> {
    type Number = T;

    #[inline(always)]
    fn constant(&mut self, to: Register, value: f64) {
        self.set(to, T::input(value, || 0.0));
    }

    #[inline(always)]
    fn read(&mut self, to: Register, source: Source, k: usize) {
        let Arguments { x, a, rate, now, weights, apart, .. } = &*self.arguments;
        let number = |value| T::input(value, || 0.0);
        let value = match source {
            Source::X => {
                let place = self.place(k);
                T::input(x[place], || rate[place])
            }
            Source::A => number(a[self.place(k)]),
            Source::C => number(self.element.coefficients[k]),
            Source::Time => number(now.instant.t),
            Source::Phase => number(now.instant.theta),
            Source::Signal => number(now.readings[k]),
            Source::Weight => number(weights[self.element.row + k * apart]),
        };
        self.set(to, value);
    }

    #[inline(always)]
    fn compute<const K: usize>(&mut self, to: Register, of: [Register; K], formula: impl Formula<K>) {
        self.set(to, formula.of(of.map(|register| self.at(register))));
    }

    #[inline(always)]
    fn vector(&mut self, k: usize, from: Register) {
        let value = self.weighted(self.at(from).result());
        if self.in_row {
            self.row_vector[k] += value;
        } else {
            let place = self.place(k);
            self.arguments.vector[place] += value;
        }
    }

    #[inline(always)]
    fn sum(&mut self, k: usize, from: Register) {
        let (row, apart) = (self.element.row, self.arguments.apart);
        self.arguments.values[row + k * apart] += self.at(from).result();
    }

    fn number(&mut self, k: usize, from: Register) {
        let (value, number) = (self.weighted(self.at(from).result()), &self.program.numbers[k]);
        let (matrix, positions) = (&mut *self.arguments.matrix, self.element.positions);
        number.plus.iter().for_each(|entry| matrix[positions[*entry] as usize] += value);
        number.minus.iter().for_each(|entry| matrix[positions[*entry] as usize] -= value);
    }
}

impl Program {
    /// Adds the results of each element; returns the sum of the scalars.
    pub(super) fn each(&self, work: &mut Single<'_, '_>) -> f64 {
        if self.registers <= FEW && self.vector != Vector::InRow {
            return self.elements::<f64, FEW>(work, &mut [0.0; FEW], &mut []);
        }
        self.single.with(|Memory { vector, many, .. }| {
            many.resize(MOST, 0.0);
            many.first_chunk_mut()
                .map_or(0.0, |registers| self.elements::<f64, MOST>(work, registers, vector))
        })
    }

    /// Adds the rates of the results of each element along the direction `rate` of x.
    pub(super) fn each_rate(&self, work: &mut Single<'_, '_>) -> f64 {
        self.single.with(|Memory { vector, rated, .. }| {
            rated.resize(MOST, Dual64::from_re(0.0));
            let registers = rated.first_chunk_mut();
            registers.map_or(0.0, |registers| self.elements::<Dual64, MOST>(work, registers, vector))
        })
    }

    fn elements<T: Form, const N: usize>(
        &self,
        work: &mut Single<'_, '_>,
        registers: &mut [T; N],
        row_vector: &mut [f64],
    ) -> f64 {
        let (slots, in_row) = (self.shape.slots, self.vector == Vector::InRow);
        let mut total = 0.0;
        let Single { runs, coefficients, entries, arguments, .. } = work;
        for run in runs.clone() {
            let row = |number: u32| run.place(slots, number);
            for number in 0..run.count as u32 {
                let element = run.element + number as usize * run.step;
                let Some(own) = coefficients.tuple(element, self.shape.coefficients) else { break };
                let positions = arguments.positions.get(element * *entries..).unwrap_or_default();
                let row = row(number) as usize;
                let element_of = Element { run, number, coefficients: own, positions, row };
                if in_row {
                    row_vector.fill(0.0);
                }
                let mut one = One {
                    program: self,
                    registers: &mut *registers,
                    arguments,
                    element: element_of,
                    row_vector: &mut *row_vector,
                    in_row,
                };
                execute(&self.steps, &mut one);
                let scalar = self.scalar.map_or(0.0, |scalar| one.at(scalar).result());
                if in_row {
                    put_row(row_vector, element, arguments);
                }
                if self.row == Row::Adds {
                    arguments.values[row] += scalar;
                } else {
                    total += scalar;
                }
            }
        }
        total
    }

    /// Adds ∇f of each sum of each element to its row of a matrix: the code of Σ w ∇f with one weight of
    /// one, the others zero.
    pub(super) fn each_row(&self, work: &mut Single<'_, '_>) -> f64 {
        let inputs = self.shape.inputs.len();
        let Single { ref runs, coefficients, reads, .. } = *work;
        let Arguments { x, a, now, places, .. } = *work.arguments;
        let matrix = &mut *work.arguments.vector;
        self.single.with(|Memory { vector, many, .. }| {
            many.resize(MOST + self.shape.sums, 0.0);
            let (registers, weights) = many.split_at_mut(MOST);
            let Some(registers) = registers.first_chunk_mut::<MOST>() else { return };
            for run in runs.clone() {
                for number in 0..run.count as u32 {
                    let element = run.element + number as usize * run.step;
                    let Some(own) = coefficients.tuple(element, self.shape.coefficients) else { break };
                    let places = &places[element * reads.len()..];
                    for sum in 0..self.shape.sums {
                        weights.fill(0.0);
                        weights[sum] = 1.0;
                        vector[..inputs].fill(0.0);
                        let none = &mut [][..];
                        let arguments = &mut Arguments {
                            weights: &*weights,
                            apart: 1,
                            ..Arguments::at(crate::binding::at::At { z: x, a, rate: x, now }).adding_to(none)
                        };
                        let element = Element { run, number, coefficients: own, positions: &[], row: 0 };
                        let mut one = One {
                            program: self,
                            registers: &mut *registers,
                            arguments,
                            element,
                            row_vector: &mut *vector,
                            in_row: true,
                        };
                        execute(&self.steps, &mut one);
                        for (&(_, input), place) in reads.iter().zip(places).filter(|((of, _), _)| *of == sum)
                        {
                            matrix[*place as usize] += vector[input];
                        }
                    }
                }
            }
        });
        0.0
    }
}

/// Writes the vector of an element to its places in a row.
fn put_row(vector: &[f64], element: usize, arguments: &mut Arguments<'_>) {
    let places = &arguments.places[element * vector.len()..][..vector.len()];
    if arguments.alone {
        // The places are these, from the first on.
        let first = places.first().map_or(0, |place| *place as usize);
        arguments.vector[first..first + vector.len()].copy_from_slice(vector);
        return;
    }
    for (place, entry) in places.iter().zip(vector) {
        arguments.vector[*place as usize] += entry;
    }
}
