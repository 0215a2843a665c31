//! A family of generalized forces bound to an instance.

use super::family::{Family, FamilySummary, Term};
use super::index::{IndexList, Places, for_each_element};
use super::instant::Instant;
use super::kernel::Kernel;
use super::places;
use crate::error::BindError;
use crate::sparse::RowPattern;

/// The elements of a family, each adding to the force on one degree of freedom.
///
/// The kernels read z = (q, v), of length 2n.
#[derive(Debug)]
pub struct ForceFamily<K, const X: usize, const C: usize, const H: usize> {
    family: Family<K, X, C, H>,
    rows: IndexList<1>,
    places: IndexList<X>,
}

impl<K: Kernel<X, C, H>, const X: usize, const C: usize, const H: usize> Default for ForceFamily<K, X, C, H> {
    fn default() -> Self {
        Self { family: Family::default(), rows: IndexList::default(), places: IndexList::default() }
    }
}

impl<K: Kernel<X, C, H>, const X: usize, const C: usize, const H: usize> ForceFamily<K, X, C, H> {
    /// Appends an element: the degree of freedom that it acts on, the index in z of each local coordinate, and its
    /// coefficients.
    ///
    /// # Errors
    /// A coefficient is not finite.
    pub fn push(&mut self, row: u32, inputs: [u32; X], coefficients: [f64; C]) -> Result<(), BindError> {
        self.rows.push([row]);
        self.family.push(inputs, coefficients)
    }

    pub(super) fn finish(&mut self) {
        self.family.finish();
        Family::<K, X, C, H>::end(&mut self.rows);
    }
}

/// A family of generalized forces.
pub trait ForceTerm: Send + Sync {
    /// What the family is, and how large.
    fn summary(&self) -> FamilySummary;
    /// The entries of ∂F/∂z that the family can fill.
    fn entries(&self) -> Vec<(usize, usize)>;
    /// Prepares to fill a matrix of this pattern.
    fn place_in(&mut self, pattern: &RowPattern);
    /// Adds F.
    fn add_force(&self, z: &[f64], now: Instant, force: &mut [f64]);
    /// Adds F and ∂F/∂z.
    fn add_derivatives(&self, z: &[f64], now: Instant, force: &mut [f64], derivatives: &mut [f64]);
}

impl<K: Kernel<X, C, H>, const X: usize, const C: usize, const H: usize> ForceTerm
    for ForceFamily<K, X, C, H>
{
    fn summary(&self) -> FamilySummary {
        self.family.summary()
    }

    fn entries(&self) -> Vec<(usize, usize)> {
        places::row_entries(&places::rows(&self.rows), &self.family.inputs)
    }

    fn place_in(&mut self, pattern: &RowPattern) {
        self.places = IndexList::default();
        places::place_rows(&places::rows(&self.rows), &self.family.inputs, pattern, &mut self.places);
        Family::<K, X, C, H>::end(&mut self.places);
    }

    fn add_force(&self, z: &[f64], now: Instant, force: &mut [f64]) {
        let Family { inputs, coefficients, .. } = &self.family;
        for_each_element!(Family::<K, X, C, H>::FEW, coefficients, at in inputs, row in self.rows; |e, c| {
            row.add(force, e, &[K::value(&at.read(z, e), c, now)]);
        });
    }

    fn add_derivatives(&self, z: &[f64], now: Instant, force: &mut [f64], derivatives: &mut [f64]) {
        let Family { inputs, coefficients, .. } = &self.family;
        for_each_element!(Family::<K, X, C, H>::FEW, coefficients, at in inputs, row in self.rows, place in self.places; |e, c| {
            let x = at.read(z, e);
            row.add(force, e, &[K::value(&x, c, now)]);
            place.add(derivatives, e, &K::gradient(&x, c, now));
        });
    }
}
