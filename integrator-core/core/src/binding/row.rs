//! A family of rows that depend on positions and velocities, bound to an instance: of forces and of constraints on velocities.

use super::family::{Family, FamilySummary};
use super::kernel::{Arguments, Kernel, Operation};
use super::signals::Now;
use crate::error::BindError;
use crate::sparse::RowPattern;

/// The bytes of an entry of a row: its row and column in a list that grows, its place and its value.
const OF_ENTRY: u64 = 48;

/// The elements of a family, each adding to one row: to the force on a degree of freedom, or to an equation c = 0.
///
/// The kernels read z = (q, v), of length 2n, and the time.
pub struct RowFamily {
    family: Family,
    /// One place of the derivatives by z for each input of each element.
    places: Vec<u32>,
}

impl RowFamily {
    /// A family without elements, which may take this many bytes of memory.
    pub fn new(kernel: &'static Kernel, room: u64) -> Self {
        Self { family: Family::in_rows(kernel, room), places: Vec::new() }
    }

    /// Appends an element: its row, where each of its slots begins in z, and its coefficients.
    ///
    /// # Errors
    /// A coefficient is not finite, or there are more elements than can be counted or than there is memory for.
    pub fn push(&mut self, row: u32, slots: &[u32], coefficients: &[f64]) -> Result<(), BindError> {
        self.family.push_in_row(row, slots, coefficients)
    }

    pub(super) fn finish(&mut self) {
        self.family.finish();
    }

    /// An estimate of the memory of the elements in bytes, and of the entries of rows that they fill.
    pub(super) fn bytes(&self) -> u64 {
        let entries = self.family.len() as u64 * self.family.kernel.inputs.len() as u64;
        self.family.bytes() + entries * OF_ENTRY
    }

    /// The elements.
    pub(super) fn elements(&self) -> &Family {
        &self.family
    }

    pub(super) fn summary(&self) -> FamilySummary {
        self.family.summary()
    }

    /// Shows the entries of the derivatives by z that the elements fill.
    pub(super) fn visit_entries(&self, visit: &mut dyn FnMut(usize, usize)) {
        self.family.visit_rows(visit);
    }

    /// Prepares to fill a matrix of this pattern.
    pub(super) fn place(&mut self, pattern: &RowPattern) {
        self.places = self.family.row_places(pattern, 0);
    }

    /// Adds the values.
    pub(super) fn add_values(&self, z: &[f64], now: &Now<'_>, values: &mut [f64]) {
        self.run(&self.family.kernel.value, Arguments { values, ..Arguments::of(z, now) });
    }

    /// Adds the derivatives by z.
    pub(super) fn add_derivatives(&self, z: &[f64], now: &Now<'_>, derivatives: &mut [f64]) {
        let arguments = Arguments::of(z, now).adding_to(derivatives);
        self.run(&self.family.kernel.gradient, Arguments { places: &self.places, ..arguments });
    }

    /// Adds the derivatives by the time.
    pub(super) fn add_rate(&self, z: &[f64], now: &Now<'_>, values: &mut [f64]) {
        self.run(&self.family.kernel.rate, Arguments { values, ..Arguments::of(z, now) });
    }

    fn run(&self, operation: &Operation, arguments: Arguments<'_>) {
        self.family.sweep_rows(operation, arguments);
    }
}
