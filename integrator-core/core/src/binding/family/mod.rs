//! A family bound to an instance: its elements with their coefficients.
//!
//! Elements are terms of a scalar function, or each adds to a row of a function with several values; its
//! row then follows its slots. An element of sums adds to several sums over the same items; their rows
//! are `apart` from each other.

mod evaluate;
mod local;
mod placed;

pub(super) use placed::Placed;

use super::alone::Local;
use super::budget::Budget;
use super::coefficients::Coefficients;
use super::gather::Tuples;
use super::kernel::KernelHandle;
use super::layout::choice::arranged;
use super::sweeps::Sweeps;
use crate::checksum::Checksum;
use crate::describe::Smoothness;
use crate::error::BindError;
use crate::lanes::Registers;
use crate::sparse::RowPattern;
use crate::system::Text;

/// The most elements of a family: 32-bit numbers count them.
pub(super) const ELEMENTS: usize = u32::MAX as usize;
/// Growing lists ask for memory each time they have this many more entries.
pub(super) const OFTEN: usize = 1 << 16;
/// A growing list holds its entries three times for a moment.
const GROWN: u64 = 3;
/// The bytes of an entry of a matrix: row and column in a growing list, place, and value.
const OF_ENTRY: u64 = 48;
/// The remedy for too many elements.
pub(super) const SMALLER: &str = "choose smaller parameters";

/// The elements of a family, with their kernel.
pub struct Family {
    pub(super) kernel: KernelHandle,
    /// The first index of each slot of each element, and then its row, if it has one.
    pub(super) slots: Tuples,
    /// For sums: the distance of the rows of the sums of an element.
    pub(super) apart: usize,
    pub(super) coefficients: Coefficients,
    /// The elements in registers, if registers pay.
    arranged: Option<Sweeps>,
    local: Local,
    /// True if elements read sums.
    pub(super) reads_sums: bool,
    /// The bytes that the elements may take.
    budget: Budget,
}

/// The name and the sizes of a family, for descriptions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FamilySummary {
    /// The expression of one element.
    pub(crate) name: Text,
    /// The entries of one element, in the words of the declaration.
    pub(crate) reads: Vec<String>,
    /// The number of elements.
    pub(crate) elements: usize,
    /// The number of inputs of one element.
    pub(crate) variables: usize,
    /// How smooth the expression is.
    pub(crate) smoothness: Smoothness,
    /// The range of a sum over near pairs.
    pub(crate) range: Option<String>,
    /// Weighted operation counts of value, gradient, gradient with Hessian, and third contraction.
    pub(crate) operations: [u32; 4],
}

impl Family {
    /// A family without elements, which may take `room` bytes.
    pub fn new(kernel: impl Into<KernelHandle>, room: u64) -> Self {
        Self::with_slots(kernel.into(), 0, room)
    }

    /// A family whose elements each add to a row.
    pub fn in_rows(kernel: impl Into<KernelHandle>, room: u64) -> Self {
        Self::with_slots(kernel.into(), 1, room)
    }

    fn with_slots(kernel: KernelHandle, rows: usize, room: u64) -> Self {
        Self {
            slots: Tuples::new(kernel.slots + rows),
            apart: 0,
            coefficients: Coefficients::new(kernel.coefficients),
            arranged: None,
            local: Local::new(&kernel),
            kernel,
            reads_sums: false,
            budget: Budget::within(room),
        }
    }

    /// Appends an element: the first index in z of each slot,
    /// then its row if it has one, and its coefficients.
    ///
    /// # Errors
    /// A coefficient is not finite, or there are more elements than numbers count or memory holds.
    pub fn push(&mut self, slots: &[u32], coefficients: &[f64]) -> Result<(), BindError> {
        let place = &*self.kernel.name;
        if self.slots.len() >= ELEMENTS {
            return Err(BindError::TooManyElements { place: place.to_owned(), limit: ELEMENTS });
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

    pub(super) fn finish(&mut self) {
        self.slots.finish();
        self.coefficients.finish();
    }

    /// Sorts the elements so that neighbours follow a pattern, if there is one.
    pub(super) fn sort(&mut self) {
        if let Some(order) = self.slots.sort() {
            self.coefficients.reorder(&order);
        }
    }

    /// Computes in these registers where they pay, for vectors of length `length`; else one by one.
    pub(super) fn arrange(&mut self, registers: Option<Registers>, length: usize) {
        let Self { kernel, slots, coefficients, .. } = self;
        let arranged =
            registers.and_then(|registers| arranged(registers, kernel, slots, coefficients, length));
        self.arranged = arranged.map(|arranged| Sweeps::new(arranged, kernel, length));
    }

    /// Adds the elements to a checksum.
    pub(super) fn tell(&self, sum: &mut Checksum) {
        self.slots.tell(sum);
        sum.word(self.apart as u64);
        self.coefficients.tell(sum);
    }

    /// The bytes of the elements, without their copies in registers.
    pub(super) fn bytes(&self) -> u64 {
        self.slots.bytes() + self.coefficients.bytes()
    }

    /// An estimate of the bytes of the entries of its rows.
    pub(super) fn row_bytes(&self) -> u64 {
        self.len() as u64 * self.kernel.inputs.len() as u64 * OF_ENTRY
    }

    /// An estimate of the bytes for placing and filling its second derivatives.
    pub(super) fn second_bytes(&self) -> u64 {
        (self.len() as u64).saturating_mul(self.kernel.entries.len() as u64 * OF_ENTRY)
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(super) fn summary(&self) -> FamilySummary {
        FamilySummary {
            name: self.kernel.name.clone(),
            reads: self.kernel.reads.iter().map(ToString::to_string).collect(),
            elements: self.len(),
            variables: self.kernel.inputs.len(),
            smoothness: self.kernel.smoothness,
            range: self
                .kernel
                .over_all_pairs
                .then(|| "over all pairs, without a list of neighbours".to_owned()),
            operations: self.kernel.costs,
        }
    }

    /// Finds whether elements read sums, which stand from `base` on.
    pub(super) fn find_sums(&mut self, base: usize) {
        let mut reads = false;
        self.visit_inputs(&mut |inputs| reads |= inputs.iter().any(|at| *at as usize >= base));
        self.reads_sums = reads;
    }

    /// Visits each element with the index of each input.
    pub(super) fn visit_inputs(&self, visit: &mut dyn FnMut(&[u32])) {
        self.visit_elements(&mut |_, inputs| visit(inputs));
    }

    /// Visits each element with its row, or zero, and with the index of each input.
    pub(super) fn visit_elements(&self, visit: &mut dyn FnMut(usize, &[u32])) {
        let mut inputs = vec![0; self.kernel.inputs.len()];
        self.slots.for_each(|slots| {
            for (index, &(slot, component)) in inputs.iter_mut().zip(&*self.kernel.inputs) {
                *index = slots[slot] + component as u32;
            }
            visit(self.row(slots), &inputs);
        });
    }

    /// The row after the slots of an element.
    fn row(&self, slots: &[u32]) -> usize {
        slots.get(self.kernel.slots).map_or(0, |row| *row as usize)
    }

    /// Visits the entries of the derivatives of rows.
    pub(super) fn visit_rows(&self, visit: &mut dyn FnMut(usize, usize)) {
        self.visit_elements(&mut |row, inputs| {
            if self.kernel.sums == 0 {
                inputs.iter().for_each(|column| visit(row, *column as usize));
            }
            for &(sum, input) in &*self.kernel.reads_of_sums {
                visit(row + sum * self.apart, inputs[input] as usize);
            }
        });
    }

    /// The place of each of these entries in a matrix, whose row `first` is row 0 here:
    /// one place for each input of each element; for sums, for each input that the sum depends on.
    pub(super) fn row_places(&self, pattern: &RowPattern, first: usize) -> Vec<u32> {
        let mut places = Vec::with_capacity(self.len() * self.kernel.inputs.len());
        self.visit_rows(&mut |row, column| places.push(pattern.place(first + row, column)));
        places
    }

    /// Visits the entries of the Hessian.
    pub(super) fn visit_hessian(&self, visit: &mut dyn FnMut(usize, usize)) {
        self.visit_inputs(&mut |inputs| {
            for entry in &*self.kernel.entries {
                visit(inputs[entry.row] as usize, inputs[entry.column] as usize);
            }
        });
    }
}
