//! The coefficients of the elements of a family.

use super::kernel::Column;
use crate::lanes::MOST_LANES;

/// One tuple of numbers for each element; stored once where all elements have the same.
#[derive(Debug, Clone)]
pub(super) struct Coefficients {
    width: usize,
    values: Vec<f64>,
    elements: usize,
}

impl Coefficients {
    /// None yet, of this width.
    pub(super) fn new(width: usize) -> Self {
        Self { width, values: Vec::new(), elements: 0 }
    }

    /// Appends the tuple of an element.
    pub(super) fn push(&mut self, tuple: &[f64]) {
        if self.elements > 0 && self.is_shared() {
            if same_bits(&self.values, tuple) {
                self.elements += 1;
                return;
            }
            // The first tuple that differs: from here on each element has its own.
            let only = std::mem::take(&mut self.values);
            (0..self.elements).for_each(|_| self.values.extend_from_slice(&only));
        }
        self.values.extend_from_slice(tuple);
        self.elements += 1;
    }

    /// Gives back unused memory.
    pub(super) fn finish(&mut self) {
        self.values.shrink_to_fit();
    }

    /// Whether all elements have one tuple.
    fn is_shared(&self) -> bool {
        self.values.len() == self.width
    }

    /// All tuples, and how far that of an element is from that of the one before.
    pub(super) fn all(&self) -> (&[f64], usize) {
        (&self.values, if self.is_shared() { 0 } else { self.width })
    }

    /// Coefficient by coefficient, with the elements in this order; columns have an entry for each place of the order.
    pub(super) fn columns(&self, order: &[u32]) -> Vec<Column> {
        let column = |k: usize| {
            if self.is_shared() {
                return Column::Shared(self.values[k]);
            }
            let of = |element: usize| self.values[element * self.width + k];
            let first = of(0);
            if (1..self.elements).all(|element| of(element).to_bits() == first.to_bits()) {
                return Column::Shared(first);
            }
            let mut values: Vec<f64> = order.iter().map(|element| of(*element as usize)).collect();
            // A register can be loaded at the last element.
            values.resize(values.len() + MOST_LANES, first);
            Column::Varying(values)
        };
        (0..self.width).map(column).collect()
    }

    /// Whether [`Self::columns`] needs an order.
    pub(super) fn vary(&self) -> bool {
        self.elements > 0 && !self.is_shared()
    }
}

fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

#[cfg(test)]
mod tests {
    use super::{Coefficients, Column};

    #[test]
    fn equal_tuples_are_stored_once() {
        let mut coefficients = Coefficients::new(2);
        (0..1000).for_each(|_| coefficients.push(&[1.0, -0.0]));
        assert_eq!(coefficients.all(), (&[1.0, -0.0][..], 0));
        coefficients.push(&[1.0, 0.0]);
        let (all, width) = coefficients.all();
        assert_eq!((all.len(), width, &all[2000..]), (2002, 2, &[1.0, 0.0][..]));
        let order: Vec<u32> = (0..1001).rev().collect();
        let [Column::Shared(one), Column::Varying(values)] = &coefficients.columns(&order)[..] else {
            panic!("the first coefficient is shared, the second one is not");
        };
        assert_eq!((one.to_bits(), values[0].to_bits()), (1.0_f64.to_bits(), 0.0_f64.to_bits()));
        assert!(values[1..1001].iter().all(|value| value.to_bits() == (-0.0_f64).to_bits()));
    }
}
