//! Derivatives of Σ w f: of elements f that each stand in a row, or in one row of each of several sums, with a weight w for each row.

use super::family::{Family, Placed};
use super::kernel::Arguments;
use super::signals::Now;

impl Family {
    /// Adds Σ w ∇f.
    pub(super) fn add_weighted_gradient(
        &self,
        x: &[f64],
        now: &Now<'_>,
        weights: &[f64],
        vector: &mut [f64],
    ) {
        let arguments = Arguments { weights, ..Arguments::of(x, now).adding_to(vector) };
        self.sweep_rows(&self.kernel.gradient, arguments);
    }

    /// Adds Σ w Hess f to a matrix that the elements fill at these places.
    pub(super) fn add_weighted_hessian(
        &self,
        placed: &Placed,
        x: &[f64],
        now: &Now<'_>,
        weights: &[f64],
        hessian: &mut [f64],
    ) {
        if self.kernel.entries.is_empty() {
            return;
        }
        let (matrix, positions) = (&mut *hessian, &placed.positions[..]);
        let arguments = Arguments { matrix, weights, positions, ..Arguments::of(x, now) };
        self.sweep_rows(&self.kernel.second, arguments);
        self.add_doubled(placed, x, now, weights, hessian);
    }

    /// Adds Σ w Hess f · a, of functions of positions.
    pub(super) fn add_weighted_product(
        &self,
        x: &[f64],
        now: &Now<'_>,
        weights: &[f64],
        a: &[f64],
        product: &mut [f64],
    ) {
        let operations = self.kernel.position.as_ref().filter(|_| !self.kernel.entries.is_empty());
        if let Some(operations) = operations {
            let arguments = Arguments { a, weights, ..Arguments::of(x, now).adding_to(product) };
            self.sweep_rows(&operations.product, arguments);
        }
    }

    /// Adds Σ w (a·f‴·a), of functions of positions.
    pub(super) fn add_weighted_third(
        &self,
        x: &[f64],
        now: &Now<'_>,
        weights: &[f64],
        a: &[f64],
        contraction: &mut [f64],
    ) {
        let operations = self.kernel.position.as_ref();
        if let Some(third) = operations.and_then(|operations| operations.third.as_ref()) {
            let arguments = Arguments { a, weights, ..Arguments::of(x, now).adding_to(contraction) };
            self.sweep_rows(third, arguments);
        }
    }
}
