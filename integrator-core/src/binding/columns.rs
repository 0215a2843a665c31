//! The coefficients of a family by column, so that registers load those of neighbouring elements at once.

use crate::lanes::{Aligned, Lanes, MOST_LANES};
use pulp::Simd;
use std::ops::Range;

/// The coefficients of all elements: a number where they all have the same, else one for each.
#[derive(Debug, Clone)]
pub(super) struct Columns<const C: usize> {
    shared: [f64; C],
    /// Empty where the coefficient is shared; padded, so that a register can be loaded at the last element.
    varying: [Option<Aligned>; C],
}

impl<const C: usize> Columns<C> {
    /// The columns of these tuples, with consecutive elements beginning at these places.
    pub(super) fn new(tuples: &[[f64; C]], rows: &[(Range<usize>, usize)]) -> Self {
        let length = rows.last().map_or(0, |(elements, place)| place + elements.len());
        let mut shared = [0.0; C];
        let mut varying = [const { None }; C];
        for (k, (shared, varying)) in shared.iter_mut().zip(&mut varying).enumerate() {
            let values;
            (*shared, values) = column(tuples.as_flattened(), C, k);
            if !values.is_empty() {
                let mut placed = Aligned::zeros(length + MOST_LANES);
                for (elements, place) in rows {
                    placed.get_mut()[*place..][..elements.len()].copy_from_slice(&values[elements.clone()]);
                }
                *varying = Some(placed);
            }
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

    /// Replaces those of the elements from this place on, where they vary.
    #[inline(always)]
    pub(super) fn load<S: Simd>(&self, simd: S, place: usize, values: &mut [Lanes<S>; C]) {
        for (value, column) in values.iter_mut().zip(&self.varying) {
            if let Some(column) = column {
                *value = Lanes::load(simd, column.get(), place);
            }
        }
    }

    /// Those of `count` registers from this place on; empty where they are shared.
    #[inline(always)]
    pub(super) fn registers<S: Simd>(&self, place: usize, count: usize) -> [&[S::f64s]; C] {
        let mut registers: [&[S::f64s]; C] = [&[]; C];
        for (registers, column) in registers.iter_mut().zip(&self.varying) {
            if let Some(column) = column {
                *registers = Lanes::<S>::registers(column.get(), place, count);
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
