//! The elements of a function: families, and sums over near pairs.

use super::at::{At, Weights};
use super::family::Family;
use super::kernel::Operation;
use super::near::family::NearFamily;
use super::work::Arguments;
use crate::lanes::Width;

#[derive(Clone, Copy)]
pub(super) struct Terms<'a> {
    pub(super) families: &'a [Family],
    pub(super) near: &'a [NearFamily],
}

/// Elements that a function owns.
#[derive(Default)]
pub(super) struct Elements {
    pub(super) families: Vec<Family>,
    pub(super) near: Vec<NearFamily>,
}

impl Elements {
    pub(super) fn all(&self) -> Terms<'_> {
        Terms { families: &self.families, near: &self.near }
    }

    /// Finds which elements read sums, which stand from `base` on.
    pub(super) fn find_sums(&mut self, base: usize) {
        self.families.iter_mut().for_each(|family| family.find_sums(base));
        self.near.iter_mut().for_each(|family| family.find_sums(base));
    }

    /// Sets how many numbers are computed at once, for vectors of length `length`.
    pub(super) fn arrange(&mut self, width: Width, length: usize) {
        self.families.iter_mut().for_each(|family| family.arrange(width.registers(), length));
        self.near.iter_mut().for_each(|family| family.arrange(width.registers(), width.lanes()));
    }
}

impl<'a> Terms<'a> {
    pub(super) fn of(families: &'a [Family]) -> Self {
        Self { families, near: &[] }
    }

    /// The elements of each family by themselves, with their place and expression.
    pub(super) fn each(self) -> impl Iterator<Item = (&'a str, Self)> {
        let families =
            self.families.iter().map(|family| (&*family.kernel.name, std::slice::from_ref(family)));
        let near = self.near.iter().map(|family| (&*family.kernel.kernel.name, std::slice::from_ref(family)));
        let families = families.map(|(name, families)| (name, Self::of(families)));
        families.chain(near.map(|(name, near)| (name, Self { families: &[], near })))
    }

    pub(super) fn is_empty(self) -> bool {
        self.families.is_empty() && self.near.is_empty()
    }

    /// Adds up a number over all elements.
    pub(super) fn sum(self, operation: Operation, at: At<'_>) -> f64 {
        let far: f64 = self.families.iter().map(|family| family.sum(operation, at)).sum();
        self.near.iter().fold(far, |sum, family| sum + family.sum(operation, at))
    }

    /// Adds a number of each element to its row.
    pub(super) fn add_to_rows(self, operation: Operation, at: At<'_>, values: &mut [f64]) {
        let arguments = &mut Arguments { values, ..Arguments::at(at) };
        self.families.iter().for_each(|family| family.add_to_rows(operation, arguments));
        self.near.iter().for_each(|family| family.add_to_rows(operation, at, arguments.values));
    }

    /// Adds a vector of all elements.
    pub(super) fn add(self, operation: Operation, at: At<'_>, weights: Weights<'_>, vector: &mut [f64]) {
        self.families.iter().for_each(|family| family.add(operation, at, weights, vector));
        self.near.iter().for_each(|family| family.add(operation, at, weights, vector));
    }

    /// Adds a vector of the elements that read sums: only they have derivatives by sums.
    pub(super) fn add_by_sums(
        self,
        operation: Operation,
        at: At<'_>,
        weights: Weights<'_>,
        vector: &mut [f64],
    ) {
        let families = self.families.iter().filter(|family| family.reads_sums);
        families.for_each(|family| family.add(operation, at, weights, vector));
        let near = self.near.iter().filter(|family| family.reads_sums);
        near.for_each(|family| family.add(operation, at, weights, vector));
    }

    /// True if an element reads sums.
    pub(super) fn reads_sums(self) -> bool {
        self.families.iter().any(|family| family.reads_sums)
            || self.near.iter().any(|family| family.reads_sums)
    }

    /// True if the elements have the rates of their third derivatives.
    pub(super) fn have_third_rates(self) -> bool {
        self.near.is_empty() && !self.reads_sums() && self.families.iter().all(Family::has_third_rates)
    }

    /// Visits the second derivatives of the elements.
    pub(super) fn visit_second(self, visit: &mut dyn FnMut(usize, usize)) {
        self.families.iter().for_each(|family| family.visit_hessian(visit));
        self.near.iter().for_each(|family| family.visit_hessian(visit));
    }

    /// The entries of the second derivatives of the elements.
    pub(super) fn second_entries(self) -> Vec<(usize, usize)> {
        let mut entries = Vec::new();
        self.visit_second(&mut |row, column| entries.push((row, column)));
        entries
    }

    /// Visits the entries of the derivatives of rows.
    pub(super) fn visit_rows(self, visit: &mut dyn FnMut(usize, usize)) {
        self.families.iter().for_each(|family| family.visit_rows(visit));
        self.near.iter().for_each(|family| family.visit_rows(visit));
    }
}
