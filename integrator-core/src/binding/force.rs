//! A family of generalized forces bound to an instance.

use super::family::{Family, FamilySummary};
use super::kernel::{Arguments, Instant, Kernel};
use crate::error::BindError;
use crate::sparse::RowPattern;

/// The elements of a family, each adding to the force on one degree of freedom.
///
/// The kernels read z = (q, v), of length 2n.
pub struct ForceFamily {
    family: Family,
    rows: Vec<u32>,
    /// One place of ∂F/∂z for each input of each element.
    places: Vec<u32>,
}

impl ForceFamily {
    /// A family without elements.
    pub fn new(kernel: &'static Kernel) -> Self {
        Self { family: Family::new(kernel), rows: Vec::new(), places: Vec::new() }
    }

    /// Appends an element: the degree of freedom that it acts on, where each of its slots begins in z, and its coefficients.
    ///
    /// # Errors
    /// A coefficient is not finite, or there are too many elements.
    pub fn push(&mut self, row: u32, slots: &[u32], coefficients: &[f64]) -> Result<(), BindError> {
        self.rows.push(row);
        self.family.push(slots, coefficients)
    }

    pub(super) fn finish(&mut self) {
        self.family.finish();
        self.rows.shrink_to_fit();
    }

    pub(super) fn summary(&self) -> FamilySummary {
        self.family.summary()
    }

    /// Shows the entries of ∂F/∂z that the elements fill.
    pub(super) fn visit_entries(&self, visit: &mut dyn FnMut(usize, usize)) {
        self.family.visit_rows(&self.rows, visit);
    }

    /// Prepares to fill a matrix of this pattern.
    pub(super) fn place(&mut self, pattern: &RowPattern) {
        self.places = self.family.row_places(&self.rows, pattern);
    }

    /// Adds F.
    pub(super) fn add_force(&self, z: &[f64], now: Instant, force: &mut [f64]) {
        let mut arguments = Arguments { rows: &self.rows, values: force, ..Arguments::of(z, now) };
        self.family.one_by_one(&self.family.kernel.value, &mut arguments);
    }

    /// Adds ∂F/∂z.
    pub(super) fn add_derivatives(&self, z: &[f64], now: Instant, derivatives: &mut [f64]) {
        let mut arguments =
            Arguments { places: &self.places, ..Arguments::of(z, now).adding_to(derivatives) };
        self.family.one_by_one(&self.family.kernel.gradient, &mut arguments);
    }
}
