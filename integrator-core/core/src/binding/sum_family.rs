//! The elements that add to sums inside of functions.

use super::family::{Family, FamilySummary, Placed};
use super::kernel::{Arguments, Kernel, Operation, SumOperations};
use super::signals::Now;
use crate::error::BindError;
use crate::lanes::Registers;
use crate::sparse::{RowPattern, SymmetricPattern};

/// The elements of a family, each adding to one sum, or to as many as go over the same items. With f what an element adds to a sum and w the weight of the
/// sum, derivatives are those of Σ w f.
pub struct SumFamily {
    family: Family,
}

impl SumFamily {
    /// A family without elements, which may take this many bytes of memory.
    pub fn new(kernel: &'static Kernel, room: u64) -> Self {
        Self { family: Family::in_rows(kernel, room) }
    }

    /// Appends an element: the row of its first sum, where each of its slots begins, and its coefficients.
    ///
    /// # Errors
    /// A coefficient is not finite, or there are more elements than can be counted or than there is memory for.
    pub fn push(&mut self, row: u32, slots: &[u32], coefficients: &[f64]) -> Result<(), BindError> {
        self.family.push_in_row(row, slots, coefficients)
    }

    /// Ends the family; the rows of its further sums stand each this far behind those before.
    pub(super) fn finish(&mut self, apart: usize) {
        self.family.apart = apart;
        self.family.finish();
    }

    /// Computes with the elements in these registers where that pays, for vectors of length `length`, or one by one.
    pub(super) fn arrange(&mut self, registers: Option<Registers>, length: usize) {
        self.family.arrange(registers, length);
    }

    /// An estimate of the memory of the elements in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.family.bytes()
    }

    pub(super) fn summary(&self) -> FamilySummary {
        self.family.summary()
    }

    /// True if elements read what begins behind so many numbers.
    pub(super) fn reads_behind(&self, base: usize) -> bool {
        self.family.reads_behind(base)
    }

    /// Shows which sum depends on which input.
    pub(super) fn visit_rows(&self, visit: &mut dyn FnMut(usize, usize)) {
        self.family.visit_rows(visit);
    }

    /// Shows the entries of Σ w Hess f that the elements fill.
    pub(super) fn visit_hessian(&self, visit: &mut dyn FnMut(usize, usize)) {
        self.family.visit_hessian(visit);
    }

    /// Where the elements fill Σ w Hess f.
    pub(super) fn placed(&self, pattern: &SymmetricPattern) -> Placed {
        Placed::new(&self.family, pattern, &[])
    }

    /// Where the derivatives of the sums stand in a matrix whose row `first` is the first of them.
    pub(super) fn places_in(&self, pattern: &RowPattern, first: usize) -> Vec<u32> {
        self.family.row_places(pattern, first)
    }

    /// The elements.
    pub(super) fn elements(&self) -> &Family {
        &self.family
    }

    fn of_sums(&self) -> Option<&'static SumOperations> {
        self.family.kernel.sums.as_ref()
    }

    /// Adds f to the sums.
    pub(super) fn add_values(&self, x: &[f64], now: &Now<'_>, sums: &mut [f64]) {
        self.add(&self.family.kernel.value, x, x, now, sums);
    }

    /// Adds ∂f/∂t.
    pub(super) fn add_rate(&self, x: &[f64], now: &Now<'_>, sums: &mut [f64]) {
        self.add(&self.family.kernel.rate, x, x, now, sums);
    }

    /// Adds ∇f · a.
    pub(super) fn add_along(&self, x: &[f64], now: &Now<'_>, a: &[f64], sums: &mut [f64]) {
        if let Some(SumOperations { along, .. }) = self.of_sums() {
            self.add(along, x, a, now, sums);
        }
    }

    /// Adds aᵀ Hess f a, of functions of positions.
    pub(super) fn add_quadratic(&self, x: &[f64], now: &Now<'_>, a: &[f64], sums: &mut [f64]) {
        if let Some(SumOperations { quadratic: Some(operation), .. }) = self.of_sums() {
            self.add(operation, x, a, now, sums);
        }
    }

    /// Adds d²f/dt² at zero acceleration, of functions of positions.
    pub(super) fn add_curvature(&self, x: &[f64], v: &[f64], now: &Now<'_>, sums: &mut [f64]) {
        if let Some(SumOperations { curvature: Some(operation), .. }) = self.of_sums() {
            self.add(operation, x, v, now, sums);
        }
    }

    fn add(&self, operation: &Operation, x: &[f64], a: &[f64], now: &Now<'_>, values: &mut [f64]) {
        self.family.sweep_rows(operation, Arguments { a, values, ..Arguments::of(x, now) });
    }

    /// Adds the derivatives of the sums by all inputs.
    pub(super) fn add_rows(&self, x: &[f64], now: &Now<'_>, places: &[u32], jacobian: &mut [f64]) {
        if let Some(SumOperations { rows, .. }) = self.of_sums() {
            let arguments = Arguments::of(x, now).adding_to(jacobian);
            self.family.each(*rows, &mut Arguments { places, ..arguments });
        }
    }
}
