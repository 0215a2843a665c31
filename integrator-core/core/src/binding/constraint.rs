//! A family of constraint equations bound to an instance.

use super::family::{Family, FamilySummary, Placed};
use super::kernel::{Arguments, ConstraintOperations, Kernel, Operation};
use super::signals::Now;
use crate::error::BindError;
use crate::sparse::{RowPattern, SymmetricPattern};

/// The bytes of an entry of a row: its row and column in a list that grows, its place and its value.
const OF_ENTRY: u64 = 48;

/// The elements of a family, each adding to one row of g.
pub struct ConstraintFamily {
    family: Family,
    /// One place of the Jacobian for each input of each element.
    jacobian: Vec<u32>,
}

impl ConstraintFamily {
    /// A family without elements, which may take this many bytes of memory.
    pub fn new(kernel: &'static Kernel, room: u64) -> Self {
        Self { family: Family::in_rows(kernel, room), jacobian: Vec::new() }
    }

    /// Appends an element: its row, where each of its slots begins, and its coefficients.
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

    /// An estimate of the memory in bytes that finding and filling second derivatives of this family takes.
    pub(super) fn second_bytes(&self) -> u64 {
        self.family.second_bytes()
    }

    pub(super) fn summary(&self) -> FamilySummary {
        self.family.summary()
    }

    /// Shows the entries of G that the elements fill.
    pub(super) fn visit_jacobian(&self, visit: &mut dyn FnMut(usize, usize)) {
        self.family.visit_rows(visit);
    }

    /// Shows the entries of Σ w Hess g that the elements fill.
    pub(super) fn visit_hessian(&self, visit: &mut dyn FnMut(usize, usize)) {
        self.family.visit_hessian(visit);
    }

    /// Prepares to fill a Jacobian of this pattern.
    pub(super) fn place(&mut self, jacobian: &RowPattern) {
        self.jacobian = self.family.row_places(jacobian, 0);
    }

    /// Where the elements fill Σ w Hess g.
    pub(super) fn placed(&self, pattern: &SymmetricPattern) -> Placed {
        Placed::new(&self.family, pattern, &[])
    }

    /// The elements.
    pub(super) fn elements(&self) -> &Family {
        &self.family
    }

    /// The place of each input of each element in the Jacobian.
    pub(super) fn places(&self) -> &[u32] {
        &self.jacobian
    }

    /// True if this family has the same elements as another one, in the same rows, but for their coefficients.
    pub(super) fn has_elements_of(&self, other: &Self) -> bool {
        self.family.has_elements_of(&other.family)
    }

    fn operations(&self) -> Option<&'static ConstraintOperations> {
        self.family.kernel.constraint.as_ref()
    }

    /// Runs an operation on the rows of its elements.
    fn run(&self, operation: &Operation, arguments: Arguments<'_>) {
        self.family.sweep_rows(operation, arguments);
    }

    /// Adds g.
    pub(super) fn add_values(&self, q: &[f64], now: &Now<'_>, values: &mut [f64]) {
        let value = &self.family.kernel.value;
        self.run(value, Arguments { values, ..Arguments::of(q, now) });
    }

    /// Adds g and G.
    pub(super) fn add_jacobian(&self, q: &[f64], now: &Now<'_>, values: &mut [f64], jacobian: &mut [f64]) {
        if let Some(ConstraintOperations { value_gradient, .. }) = self.operations() {
            let arguments = Arguments::of(q, now).adding_to(jacobian);
            self.run(value_gradient, Arguments { values, places: &self.jacobian, ..arguments });
        }
    }

    /// Adds ∂g/∂t.
    pub(super) fn add_rate(&self, q: &[f64], now: &Now<'_>, rate: &mut [f64]) {
        let operation = &self.family.kernel.rate;
        self.run(operation, Arguments { values: rate, ..Arguments::of(q, now) });
    }

    /// Adds d²g/dt² at zero acceleration.
    pub(super) fn add_curvature(&self, q: &[f64], v: &[f64], now: &Now<'_>, curvature: &mut [f64]) {
        if let Some(ConstraintOperations { curvature: operation, .. }) = self.operations() {
            self.run(operation, Arguments { a: v, values: curvature, ..Arguments::of(q, now) });
        }
    }

    /// Adds aᵀ Hess g a.
    pub(super) fn add_quadratic(&self, q: &[f64], now: &Now<'_>, a: &[f64], quadratic: &mut [f64]) {
        if let Some(ConstraintOperations { quadratic: operation, .. }) = self.operations() {
            self.run(operation, Arguments { a, values: quadratic, ..Arguments::of(q, now) });
        }
    }
}
