//! A term family bound to an instance: its elements, their coefficients, and the sweeps over them.

use super::budget::Budget;
use super::coefficients::Coefficients;
use super::gather::{Run, Tuples};
use super::kernel::{Arguments, Kernel, Operation, Single, SingleLoop};
use super::layout::choice::arranged;
use super::signals::Now;
use super::sweeps::{FillingMemory, Sweeps};
use crate::checksum::Checksum;
use crate::describe::Smoothness;
use crate::error::BindError;
use crate::lanes::Registers;
use crate::scratch::Scratch;
use crate::sparse::{RowPattern, SymmetricPattern};
use std::ops::Range;

/// The most elements of a family, which 32-bit numbers count.
pub(super) const ELEMENTS: usize = u32::MAX as usize;
/// Lists that grow ask for memory before each so many entries.
pub(super) const OFTEN: usize = 1 << 16;
/// A list that grows holds its entries three times for a moment.
const GROWN: u64 = 3;
/// The bytes of an entry of second derivatives: its row and column in a list that grows, its place, and a part of the matrix.
const OF_ENTRY: u64 = 48;
/// The remedy where the elements themselves are too many.
pub(super) const SMALLER: &str = "choose smaller parameters";

/// The elements of a term family, with what the compiler knows of one.
pub struct Family {
    pub(super) kernel: &'static Kernel,
    /// Where the slots of each element begin, and behind them its row, if it has one.
    pub(super) slots: Tuples,
    /// Of sums: so far behind its row the rows of the other sums of an element stand each.
    pub(super) apart: usize,
    pub(super) coefficients: Coefficients,
    /// The elements once more in registers, where that pays.
    arranged: Option<Sweeps>,
    local: Local,
    /// Where an element begins and its row, while it is appended.
    appended: Vec<u32>,
    /// The memory that the elements may take.
    budget: Budget,
}

/// One element by itself: its slots stand one behind the other in a short vector.
struct Local {
    /// Where each slot begins, and the length of the vector.
    starts: Vec<u32>,
    length: usize,
    still: Vec<u32>,
}

/// The name and the sizes of a family, for descriptions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FamilySummary {
    /// The expression of one element.
    pub(crate) name: &'static str,
    /// The entries that one element reads, in the words of the declaration.
    pub(crate) reads: Vec<String>,
    /// The number of elements.
    pub(crate) elements: usize,
    /// The number of inputs of one element.
    pub(crate) variables: usize,
    /// How smooth the expression is.
    pub(crate) smoothness: Smoothness,
    /// Where it ends, if it is a sum over near pairs.
    pub(crate) range: Option<String>,
    /// Weighted operation counts of value, gradient, gradient with Hessian, and third contraction.
    pub(crate) operations: [u32; 4],
}

impl Family {
    /// A family without elements, which may take this many bytes of memory.
    pub fn new(kernel: &'static Kernel, room: u64) -> Self {
        Self::with_slots(kernel, kernel.slots, room)
    }

    /// The same of elements that each belong to a row of a function.
    pub(super) fn in_rows(kernel: &'static Kernel, room: u64) -> Self {
        Self::with_slots(kernel, kernel.slots + 1, room)
    }

    fn with_slots(kernel: &'static Kernel, slots: usize, room: u64) -> Self {
        Self {
            kernel,
            slots: Tuples::new(slots),
            apart: 0,
            coefficients: Coefficients::new(kernel.coefficients),
            arranged: None,
            local: Local::new(kernel),
            appended: Vec::new(),
            budget: Budget::within(room),
        }
    }

    /// Appends an element: where each of its slots begins in the vector of coordinates, and its coefficients.
    ///
    /// # Errors
    /// A coefficient is not finite, or there are more elements than can be counted or than there is memory for.
    pub fn push(&mut self, slots: &[u32], coefficients: &[f64]) -> Result<(), BindError> {
        let place = self.kernel.name;
        if self.slots.len() >= ELEMENTS {
            return Err(BindError::TooManyElements { place, limit: ELEMENTS });
        }
        if self.len().is_multiple_of(OFTEN) {
            let part = || format!("{place}, of which there are {} elements and more,", self.len());
            self.budget.ask(GROWN * self.bytes(), part, SMALLER)?;
        }
        if let Some(&value) = coefficients.iter().find(|value| !value.is_finite()) {
            return Err(BindError::CoefficientNotFinite { place: place.to_owned(), value });
        }
        self.slots.push(slots);
        self.coefficients.push(coefficients);
        Ok(())
    }

    /// The same of an element that belongs to a row.
    ///
    /// # Errors
    /// Those of [`push`](Self::push).
    pub(super) fn push_in_row(
        &mut self,
        row: u32,
        slots: &[u32],
        coefficients: &[f64],
    ) -> Result<(), BindError> {
        let mut appended = std::mem::take(&mut self.appended);
        appended.clear();
        appended.extend_from_slice(slots);
        appended.push(row);
        let pushed = self.push(&appended, coefficients);
        self.appended = appended;
        pushed
    }

    pub(super) fn finish(&mut self) {
        self.slots.finish();
        self.coefficients.finish();
    }

    /// Brings the elements into an order in which neighbours follow a pattern, where there is one.
    pub(super) fn sort(&mut self) {
        if let Some(order) = self.slots.sort() {
            self.coefficients.reorder(&order);
        }
    }

    /// Computes with elements in these registers where that pays, for vectors of length `length`, or one by one.
    pub(super) fn arrange(&mut self, registers: Option<Registers>, length: usize) {
        let Self { kernel, slots, coefficients, .. } = self;
        let arranged =
            registers.and_then(|registers| arranged(registers, kernel, slots, coefficients, length));
        self.arranged = arranged.map(|arranged| Sweeps::new(arranged, kernel, length));
    }

    /// True if registers hold several elements.
    pub(super) fn is_arranged(&self) -> bool {
        self.arranged.is_some()
    }

    /// True if this family has the same elements as another one, but for their coefficients.
    pub(super) fn has_elements_of(&self, other: &Self) -> bool {
        std::ptr::eq(self.kernel, other.kernel) && self.slots == other.slots
    }

    /// Tells a checksum of the elements.
    pub(super) fn tell(&self, sum: &mut Checksum) {
        self.slots.tell(sum);
        sum.word(self.apart as u64);
        self.coefficients.tell(sum);
    }

    /// The memory of the elements in bytes, those in registers left out.
    pub(super) fn bytes(&self) -> u64 {
        self.slots.bytes() + self.coefficients.bytes()
    }

    /// An estimate of the memory in bytes that finding and filling second derivatives of this family takes.
    pub(super) fn second_bytes(&self) -> u64 {
        (self.len() as u64).saturating_mul(self.kernel.entries.len() as u64 * OF_ENTRY)
    }

    /// The number of elements.
    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(super) fn summary(&self) -> FamilySummary {
        FamilySummary {
            name: self.kernel.name,
            reads: self.kernel.reads.iter().map(|&text| text.to_owned()).collect(),
            elements: self.len(),
            variables: self.kernel.inputs.len(),
            smoothness: self.kernel.smoothness,
            range: self
                .kernel
                .over_all_pairs
                .then(|| "over all pairs, without a list of neighbours".to_owned()),
            operations: self.kernel.operations,
        }
    }

    /// True if elements read what begins behind so many numbers.
    pub(super) fn reads_behind(&self, base: usize) -> bool {
        let mut reads = false;
        self.visit_inputs(&mut |inputs| reads |= inputs.iter().any(|at| *at as usize >= base));
        reads
    }

    /// Shows each element with the index of each of its inputs.
    pub(super) fn visit_inputs(&self, visit: &mut dyn FnMut(&[u32])) {
        self.visit_elements(&mut |_, inputs| visit(inputs));
    }

    /// Shows each element with its row, zero where it has none, and with the index of each of its inputs.
    pub(super) fn visit_elements(&self, visit: &mut dyn FnMut(usize, &[u32])) {
        let mut inputs = vec![0; self.kernel.inputs.len()];
        self.slots.for_each(|slots| {
            for (index, &(slot, component)) in inputs.iter_mut().zip(self.kernel.inputs) {
                *index = slots[slot] + component as u32;
            }
            visit(self.row(slots), &inputs);
        });
    }

    /// The row that stands behind the slots of an element.
    fn row(&self, slots: &[u32]) -> usize {
        slots.get(self.kernel.slots).map_or(0, |row| *row as usize)
    }

    /// Shows the entries that elements fill which stand in rows.
    pub(super) fn visit_rows(&self, visit: &mut dyn FnMut(usize, usize)) {
        let reads = self.kernel.sums.as_ref().map(|sums| sums.reads);
        self.visit_elements(&mut |row, inputs| match reads {
            None => inputs.iter().for_each(|column| visit(row, *column as usize)),
            Some(reads) => {
                for &(sum, input) in reads {
                    visit(row + sum * self.apart, inputs[input] as usize);
                }
            }
        });
    }

    /// Where each of these entries stands in a matrix whose row `first` is the first of these rows: one place for each input of each element, or
    /// of elements of sums for each that a sum depends on.
    pub(super) fn row_places(&self, pattern: &RowPattern, first: usize) -> Vec<u32> {
        let mut places = Vec::with_capacity(self.len() * self.kernel.inputs.len());
        self.visit_rows(&mut |row, column| {
            // The pattern is made of these very entries.
            places.push(pattern.position(first + row, column).unwrap_or_default() as u32);
        });
        places
    }

    /// The entries of the Hessian that the elements fill.
    pub(super) fn visit_hessian(&self, visit: &mut dyn FnMut(usize, usize)) {
        self.visit_inputs(&mut |inputs| {
            for entry in self.kernel.entries {
                visit(inputs[entry.row] as usize, inputs[entry.column] as usize);
            }
        });
    }

    /// Runs an operation over all elements and adds what it yields; returns the sum of its scalars.
    ///
    /// `placed` is needed for operations that yield a matrix.
    pub(super) fn sweep(
        &self,
        operation: &Operation,
        arguments: Arguments<'_>,
        placed: Option<&Placed>,
    ) -> f64 {
        if let (Some(sweeps), Some(wide)) = (&self.arranged, operation.wide) {
            let filling = placed.and_then(|placed| placed.filling.as_ref());
            return sweeps.run(wide, arguments, filling);
        }
        let positions = placed.map_or(&[][..], |placed| &placed.positions);
        self.one_by_one(operation, &mut Arguments { positions, ..arguments })
    }

    /// Runs an operation over all elements, each of which adds to its row or is weighed by it.
    pub(super) fn sweep_rows(&self, operation: &Operation, arguments: Arguments<'_>) {
        let mut arguments = Arguments { apart: self.apart, ..arguments };
        match (&self.arranged, operation.wide) {
            (Some(sweeps), Some(wide)) => sweeps.run_in_rows(wide, arguments),
            _ => {
                self.one_by_one(operation, &mut arguments);
            }
        }
    }

    /// Runs an operation over all elements, one after the other.
    pub(super) fn one_by_one(&self, operation: &Operation, arguments: &mut Arguments<'_>) -> f64 {
        self.each(operation.single, arguments)
    }

    /// Runs a sweep over all elements, one after the other.
    pub(super) fn each(&self, sweep: SingleLoop, arguments: &mut Arguments<'_>) -> f64 {
        let (coefficients, entries) = (self.coefficients.all(), self.kernel.entries.len());
        let reads = self.kernel.sums.as_ref().map_or(&[][..], |sums| sums.reads);
        let run = |run| {
            let arguments = &mut *arguments;
            sweep(&mut Single { arguments, run, coefficients, entries, reads })
        };
        self.slots.runs().map(run).sum()
    }

    /// An operation on one element by itself, whose inputs are these numbers; returns its scalar and writes its vector, which has
    /// a number for each input, or is empty.
    pub(super) fn alone(
        &self,
        element: usize,
        operation: &Operation,
        inputs: &[f64],
        now: &Now<'_>,
        vector: &mut [f64],
    ) -> f64 {
        let length = self.local.length;
        let (mut few, mut many) = ([0.0; 2 * FEW], Vec::new());
        let memory = if length <= FEW {
            &mut few[..2 * length]
        } else {
            many.resize(2 * length, 0.0);
            &mut many[..]
        };
        let (x, found) = memory.split_at_mut(length);
        for (value, at) in inputs.iter().zip(self.local.inputs(self.kernel)) {
            x[at] = *value;
        }
        let sum = self.local(element, operation, &mut Arguments::of(x, now).adding_to(found));
        for (value, at) in vector.iter_mut().zip(self.local.inputs(self.kernel)) {
            *value = found[at];
        }
        sum
    }

    /// An operation on one element whose slots stand one behind the other, and whose sums do.
    fn local(&self, element: usize, operation: &Operation, arguments: &mut Arguments<'_>) -> f64 {
        let run =
            Run { element: 0, step: 1, count: 1, first: &self.local.starts, strides: &self.local.still };
        (operation.single)(&mut Single {
            entries: arguments.positions.len(),
            arguments,
            run,
            coefficients: self.coefficients.all().from(element),
            reads: &[],
        })
    }

    /// Adds once more what counts twice: `weights` has a factor for each row, if there are rows.
    pub(super) fn add_doubled(
        &self,
        placed: &Placed,
        x: &[f64],
        now: &Now<'_>,
        weights: &[f64],
        matrix: &mut [f64],
    ) {
        if placed.doubled.is_empty() {
            return;
        }
        placed.alone.with(|Alone { x: inputs, vector, numbers, counting, weights: own_weights }| {
            for twice in &placed.doubled {
                for (&(slot, component), at) in self.kernel.inputs.iter().zip(self.local.inputs(self.kernel))
                {
                    inputs[at] = x[twice.slots[slot] as usize + component];
                }
                numbers.fill(0.0);
                let row = self.row(&twice.slots);
                for (k, own) in own_weights.iter_mut().enumerate() {
                    *own = weights.get(row + k * self.apart).copied().unwrap_or(1.0);
                }
                self.local(
                    twice.element,
                    &self.kernel.second,
                    &mut Arguments {
                        vector,
                        matrix: numbers,
                        positions: counting,
                        weights: own_weights,
                        apart: 1,
                        ..Arguments::of(inputs, now)
                    },
                );
                matrix[twice.position] += numbers[twice.entry];
            }
        });
    }
}

/// Vectors of one element that are no longer than this stand on the stack.
const FEW: usize = 64;

impl Local {
    fn new(kernel: &Kernel) -> Self {
        let mut sizes = vec![0; kernel.slots];
        for &(slot, component) in kernel.inputs {
            sizes[slot] = sizes[slot].max(component as u32 + 1);
        }
        let mut length = 0;
        let mut starts = Vec::with_capacity(kernel.slots);
        for size in sizes {
            starts.push(length);
            length += size;
        }
        Self { starts, length: length as usize, still: vec![0; kernel.slots] }
    }

    /// Where each input stands.
    fn inputs(&self, kernel: &'static Kernel) -> impl Iterator<Item = usize> {
        kernel.inputs.iter().map(|&(slot, component)| self.starts[slot] as usize + component)
    }
}

/// Where a family fills the matrix of its second derivatives: found when an engine first asks for them.
#[derive(Debug)]
pub(super) struct Placed {
    filling: Option<FillingMemory>,
    /// One position for each entry of each element, for elements one after the other.
    pub(super) positions: Vec<u32>,
    pub(super) doubled: Vec<Doubled>,
    alone: Scratch<Alone>,
}

/// The inputs, a vector and the entries of one element, and the numbers of these entries.
#[derive(Debug)]
struct Alone {
    x: Vec<f64>,
    vector: Vec<f64>,
    numbers: Vec<f64>,
    counting: Vec<u32>,
    /// The weights of its rows.
    weights: Vec<f64>,
}

/// An entry off the local diagonal that falls on the diagonal, because one coordinate is read twice: it counts twice.
#[derive(Debug, Clone)]
pub(super) struct Doubled {
    pub(super) element: usize,
    slots: Box<[u32]>,
    entry: usize,
    position: usize,
}

impl Placed {
    /// For a matrix of this pattern; `filled` tells how many entries of elements fill each position, the diagonal counted once
    /// more; it may be empty, when that is not known.
    pub(super) fn new(family: &Family, pattern: &SymmetricPattern, filled: &[u8]) -> Self {
        let kernel = family.kernel;
        let in_registers = family.arranged.as_ref().filter(|_| kernel.second.wide.is_some());
        let filling = in_registers.map(|sweeps| sweeps.filling(kernel, pattern, filled));
        let (mut positions, mut doubled, mut element) = (Vec::new(), Vec::new(), 0);
        family.slots.for_each(|slots| {
            let index = |input: usize| {
                let (slot, component) = kernel.inputs[input];
                slots[slot] as usize + component
            };
            for (entry, at) in kernel.entries.iter().enumerate() {
                let (row, column) = (index(at.row), index(at.column));
                let twice = at.row != at.column && row == column;
                if filling.is_some() && !twice {
                    continue;
                }
                // The pattern is made of these very entries.
                let position = pattern.position(row, column).unwrap_or_default();
                if filling.is_none() {
                    positions.push(position as u32);
                }
                if twice {
                    doubled.push(Doubled { element, slots: slots.into(), entry, position });
                }
            }
            element += 1;
        });
        positions.shrink_to_fit();
        let (length, entries) =
            (family.local.length, if doubled.is_empty() { 0 } else { kernel.entries.len() });
        let rows = kernel.sums.as_ref().map_or(1, |sums| sums.count);
        let alone = Scratch::new(move || Alone {
            weights: vec![0.0; rows],
            x: vec![0.0; length],
            vector: vec![0.0; length],
            numbers: vec![0.0; entries],
            counting: (0..entries as u32).collect(),
        });
        Self { filling, positions, doubled, alone }
    }

    /// Shows the positions that a sweep writes, whatever stands there.
    pub(super) fn visit_written(&self, visit: &mut dyn FnMut(Range<usize>)) {
        if let Some(filling) = &self.filling {
            filling.filling.visit_written(visit);
        }
    }
}
