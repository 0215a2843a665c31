//! The coefficients of a family by column, so that registers load those of neighbouring elements at once.

use crate::lanes::{Lanes, MOST_LANES};
use pulp::Simd;

/// The coefficients of all elements: a number where they all have the same, else one for each.
#[derive(Debug, Clone)]
pub(super) struct Columns<const C: usize> {
    shared: [f64; C],
    /// Empty where the coefficient is shared; padded, so that a register can be loaded at the last element.
    varying: [Vec<f64>; C],
}

impl<const C: usize> Columns<C> {
    /// The columns of these tuples.
    pub(super) fn new(tuples: &[[f64; C]]) -> Self {
        let mut shared = [0.0; C];
        let mut varying = [const { Vec::new() }; C];
        for (k, (shared, varying)) in shared.iter_mut().zip(&mut varying).enumerate() {
            (*shared, *varying) = column(tuples.as_flattened(), C, k);
        }
        Self { shared, varying }
    }

    /// The shared ones in all lanes.
    #[inline(always)]
    pub(super) fn splat<S: Simd>(&self, simd: S) -> [Lanes<S>; C] {
        let mut values = [Lanes::splat(simd, 0.0); C];
        for (value, shared) in values.iter_mut().zip(self.shared) {
            *value = Lanes::splat(simd, shared);
        }
        values
    }

    /// Those of `count` registers of elements from `element` on; empty where they are shared.
    #[inline(always)]
    pub(super) fn registers<S: Simd>(&self, element: usize, count: usize) -> [&[S::f64s]; C] {
        let mut registers: [&[S::f64s]; C] = [&[]; C];
        for (registers, column) in registers.iter_mut().zip(&self.varying) {
            if !column.is_empty() {
                *registers = Lanes::<S>::registers(column, element, count);
            }
        }
        registers
    }
}

/// Number `k` of each tuple of this width: the first, and where they are not all the same, all of them, padded.
pub(super) fn column(tuples: &[f64], width: usize, k: usize) -> (f64, Vec<f64>) {
    let values = || tuples.iter().copied().skip(k).step_by(width);
    let shared = values().next().unwrap_or(0.0);
    if values().all(|value| value.to_bits() == shared.to_bits()) {
        return (shared, Vec::new());
    }
    let mut column: Vec<f64> = values().collect();
    column.resize(column.len() + MOST_LANES, column.last().copied().unwrap_or(0.0));
    (shared, column)
}
