//! A family of constraint equations bound to an instance.

use super::family::{Family, FamilySummary, Term, gathered};
use super::index::{IndexList, Places, for_each_element};
use super::instant::Instant;
use super::kernel::ConstraintKernel;
use super::places;
use crate::error::BindError;
use crate::sparse::{RowPattern, SymmetricPattern};

/// The elements of a family, each adding to one row of g.
#[derive(Debug)]
pub struct ConstraintFamily<K, const X: usize, const C: usize, const H: usize> {
    family: Family<K, X, C, H>,
    rows: IndexList<1>,
    jacobian: IndexList<X>,
    doubled_rows: Vec<usize>,
    /// Whether nothing else adds to the rows and entries of G where the family does.
    alone: bool,
}

impl<K: ConstraintKernel<X, C, H>, const X: usize, const C: usize, const H: usize> Default
    for ConstraintFamily<K, X, C, H>
{
    fn default() -> Self {
        Self {
            family: Family::default(),
            rows: IndexList::default(),
            jacobian: IndexList::default(),
            doubled_rows: Vec::new(),
            alone: false,
        }
    }
}

impl<K: ConstraintKernel<X, C, H>, const X: usize, const C: usize, const H: usize>
    ConstraintFamily<K, X, C, H>
{
    /// Appends an element: its row, the global index of each local coordinate, and its coefficients.
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

/// A family of constraint equations.
pub trait ConstraintTerm: Send + Sync {
    /// What the family is, and how large.
    fn summary(&self) -> FamilySummary;
    /// The entries of G that the family can fill.
    fn jacobian_entries(&self) -> Vec<(usize, usize)>;
    /// The entries of Σ w Hess g that the family can fill.
    fn hessian_entries(&self) -> Vec<(usize, usize)>;
    /// Prepares to fill matrices of these patterns; `alone` where each row, and each entry of G, is filled only once.
    fn place_in(&mut self, jacobian: &RowPattern, hessian: &SymmetricPattern, alone: bool);
    /// Adds g, or writes it where the families are alone.
    fn put_values(&self, q: &[f64], now: Instant, values: &mut [f64]);
    /// Adds g and G, or writes them where the families are alone.
    fn put_jacobian(&self, q: &[f64], now: Instant, values: &mut [f64], jacobian: &mut [f64]);
    /// Adds ∂g/∂t.
    fn add_rate(&self, q: &[f64], now: Instant, rate: &mut [f64]);
    /// Adds d²g/dt² at zero acceleration.
    fn add_curvature(&self, q: &[f64], v: &[f64], now: Instant, curvature: &mut [f64]);
    /// Adds aᵀ Hess g a.
    fn add_quadratic(&self, q: &[f64], now: Instant, a: &[f64], quadratic: &mut [f64]);
    /// Adds Σ w Hess g.
    fn add_weighted_hessian(&self, q: &[f64], now: Instant, weights: &[f64], hessian: &mut [f64]);
    /// Adds Σ w Hess g · a.
    fn add_weighted_product(&self, q: &[f64], now: Instant, weights: &[f64], a: &[f64], product: &mut [f64]);
    /// Adds Σ w (a·g‴·a).
    fn add_weighted_third(
        &self,
        q: &[f64],
        now: Instant,
        weights: &[f64],
        a: &[f64],
        contraction: &mut [f64],
    );
}

impl<K: ConstraintKernel<X, C, H>, const X: usize, const C: usize, const H: usize> ConstraintTerm
    for ConstraintFamily<K, X, C, H>
{
    fn summary(&self) -> FamilySummary {
        self.family.summary()
    }

    fn jacobian_entries(&self) -> Vec<(usize, usize)> {
        places::row_entries(&places::rows(&self.rows), &self.family.inputs)
    }

    fn hessian_entries(&self) -> Vec<(usize, usize)> {
        self.family.hessian_entries()
    }

    fn place_in(&mut self, jacobian: &RowPattern, hessian: &SymmetricPattern, alone: bool) {
        self.alone = alone;
        let rows = places::rows(&self.rows);
        self.jacobian = IndexList::default();
        places::place_rows(&rows, &self.family.inputs, jacobian, &mut self.jacobian);
        Family::<K, X, C, H>::end(&mut self.jacobian);
        self.family.place(hessian);
        self.doubled_rows = self.family.doubled.iter().map(|twice| rows[twice.element]).collect();
    }

    fn put_values(&self, q: &[f64], now: Instant, values: &mut [f64]) {
        let Family { inputs, coefficients, .. } = &self.family;
        for_each_element!(Family::<K, X, C, H>::FEW, coefficients, at in inputs, row in self.rows; |e, c| {
            row.put(values, e, &[K::value(&at.read(q, e), c, now)], self.alone);
        });
    }

    fn put_jacobian(&self, q: &[f64], now: Instant, values: &mut [f64], jacobian: &mut [f64]) {
        let Family { inputs, coefficients, .. } = &self.family;
        for_each_element!(Family::<K, X, C, H>::FEW, coefficients, at in inputs, row in self.rows, place in self.jacobian; |e, c| {
            let (value, gradient) = K::value_gradient(&at.read(q, e), c, now);
            row.put(values, e, &[value], self.alone);
            place.put(jacobian, e, &gradient, self.alone);
        });
    }

    fn add_rate(&self, q: &[f64], now: Instant, rate: &mut [f64]) {
        let Family { inputs, coefficients, .. } = &self.family;
        for_each_element!(Family::<K, X, C, H>::FEW, coefficients, at in inputs, row in self.rows; |e, c| {
            row.add(rate, e, &[K::rate(&at.read(q, e), c, now)]);
        });
    }

    fn add_curvature(&self, q: &[f64], v: &[f64], now: Instant, curvature: &mut [f64]) {
        let Family { inputs, coefficients, .. } = &self.family;
        for_each_element!(Family::<K, X, C, H>::FEW, coefficients, at in inputs, row in self.rows; |e, c| {
            row.add(curvature, e, &[K::curvature(&at.read(q, e), &at.read(v, e), c, now)]);
        });
    }

    fn add_quadratic(&self, q: &[f64], now: Instant, a: &[f64], quadratic: &mut [f64]) {
        let Family { inputs, coefficients, .. } = &self.family;
        for_each_element!(Family::<K, X, C, H>::FEW, coefficients, at in inputs, row in self.rows; |e, c| {
            row.add(quadratic, e, &[K::quadratic(&at.read(q, e), &at.read(a, e), c, now)]);
        });
    }

    fn add_weighted_hessian(&self, q: &[f64], now: Instant, weights: &[f64], hessian: &mut [f64]) {
        let Family { inputs, coefficients, positions, .. } = &self.family;
        if H == 0 {
            return;
        }
        for_each_element!(Family::<K, X, C, H>::FEW, coefficients, at in inputs, row in self.rows, place in positions; |e, c| {
            let [weight] = row.read(weights, e);
            let h = K::hessian(&at.read(q, e), c, now);
            place.add(hessian, e, &scaled(weight, h));
        });
        for (twice, &row) in self.family.doubled.iter().zip(&self.doubled_rows) {
            let Some(coefficients) = coefficients.get(twice.element) else { continue };
            let h = K::hessian(&gathered(q, &twice.inputs), coefficients, now);
            hessian[twice.position] += weights[row] * h[twice.entry];
        }
    }

    fn add_weighted_product(&self, q: &[f64], now: Instant, weights: &[f64], a: &[f64], product: &mut [f64]) {
        let Family { inputs, coefficients, .. } = &self.family;
        if H == 0 {
            return;
        }
        for_each_element!(Family::<K, X, C, H>::FEW, coefficients, at in inputs, row in self.rows; |e, c| {
            let [weight] = row.read(weights, e);
            let values = K::product(&at.read(q, e), &at.read(a, e), c, now);
            at.add(product, e, &scaled(weight, values));
        });
    }

    fn add_weighted_third(
        &self,
        q: &[f64],
        now: Instant,
        weights: &[f64],
        a: &[f64],
        contraction: &mut [f64],
    ) {
        let Family { inputs, coefficients, .. } = &self.family;
        if K::QUADRATIC {
            return;
        }
        for_each_element!(Family::<K, X, C, H>::FEW, coefficients, at in inputs, row in self.rows; |e, c| {
            let [weight] = row.read(weights, e);
            let values = K::third(&at.read(q, e), &at.read(a, e), c, now);
            at.add(contraction, e, &scaled(weight, values));
        });
    }
}

/// A loop, because `map` is a call where the array is long.
#[inline(always)]
fn scaled<const N: usize>(factor: f64, mut values: [f64; N]) -> [f64; N] {
    for value in &mut values {
        *value *= factor;
    }
    values
}
