//! The coefficients of the elements of a family.

use crate::lanes::MOST_LANES;

/// One tuple of numbers for each element. Tuples that come again are stored once, as long as there are few: then an element has the
/// number of its tuple, in one byte, and where all elements have the same tuple it has none.
#[derive(Debug, Clone)]
pub(super) struct Coefficients {
    width: usize,
    values: Vec<f64>,
    /// The number of the tuple of each element; empty where all have the first one, or each has its own.
    numbers: Vec<u8>,
    elements: usize,
}

/// The coefficients of elements one after the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct CoefficientTuples<'a> {
    values: &'a [f64],
    numbers: &'a [u8],
    /// How far the tuple of an element is from that of the one before, where they have no numbers.
    step: usize,
}

impl<'a> CoefficientTuples<'a> {
    /// The tuple of an element, which has C coefficients.
    #[inline(always)]
    pub(super) fn of<const C: usize>(&self, element: usize) -> Option<&'a [f64; C]> {
        let begin =
            if self.numbers.is_empty() { element * self.step } else { self.numbers[element] as usize * C };
        self.values.get(begin..)?.first_chunk()
    }

    /// That of one element.
    pub(super) fn one(values: &'a [f64]) -> Self {
        Self { values, numbers: &[], step: 0 }
    }

    /// Those of the elements from this one on.
    pub(super) fn from(self, element: usize) -> Self {
        let numbers = self.numbers.get(element..).unwrap_or_default();
        Self { values: self.values.get(element * self.step..).unwrap_or_default(), numbers, ..self }
    }
}

/// One coefficient of all elements.
#[derive(Debug, Clone)]
pub(super) enum Column {
    /// The number that all have.
    Shared(f64),
    /// One number for each, and a register more.
    Varying(Vec<f64>),
}

impl Coefficients {
    /// None yet, of this width.
    pub(super) fn new(width: usize) -> Self {
        Self { width, values: Vec::new(), numbers: Vec::new(), elements: 0 }
    }

    /// Appends the tuple of an element.
    pub(super) fn push(&mut self, tuple: &[f64]) {
        self.elements += 1;
        if self.width == 0 {
            return;
        }
        let before = self.elements - 1;
        let shared = self.values.len() == self.width;
        if before > 0 && !shared && self.numbers.is_empty() {
            self.values.extend_from_slice(tuple);
            return;
        }
        let mut known = self.values.chunks_exact(self.width);
        match known.position(|known| same_bits(known, tuple)) {
            Some(0) if shared => {}
            Some(number) => self.numbers.push(number as u8),
            None if before == 0 => self.values.extend_from_slice(tuple),
            None if self.values.len() < self.width << u8::BITS => {
                // Those before have the first tuple.
                self.numbers.resize(before, 0);
                self.numbers.push((self.values.len() / self.width) as u8);
                self.values.extend_from_slice(tuple);
            }
            None => {
                // Too many tuples: from here on each element has its own.
                let of = |number: &u8| &self.values[*number as usize * self.width..][..self.width];
                let mut values: Vec<f64> = self.numbers.iter().flat_map(of).copied().collect();
                values.extend_from_slice(tuple);
                (self.values, self.numbers) = (values, Vec::new());
            }
        }
    }

    /// The memory of the tuples in bytes.
    pub(super) fn bytes(&self) -> u64 {
        (8 * self.values.len() + self.numbers.len()) as u64
    }

    /// Gives back unused memory.
    pub(super) fn finish(&mut self) {
        self.values.shrink_to_fit();
        self.numbers.shrink_to_fit();
    }

    /// Brings the tuples into another order of the elements.
    pub(super) fn reorder(&mut self, order: &[u32]) {
        if !self.numbers.is_empty() {
            self.numbers = order.iter().map(|element| self.numbers[*element as usize]).collect();
        } else if self.vary() {
            let of = |element: &u32| &self.values[*element as usize * self.width..][..self.width];
            self.values = order.iter().flat_map(of).copied().collect();
        }
    }

    /// Coefficient k of an element.
    pub(super) fn number(&self, element: usize, k: usize) -> f64 {
        let tuple = match self.numbers.get(element) {
            Some(number) => *number as usize,
            None if self.vary() => element,
            None => 0,
        };
        self.values[tuple * self.width + k]
    }

    /// All tuples.
    pub(super) fn all(&self) -> CoefficientTuples<'_> {
        let shared = self.values.len() == self.width || !self.numbers.is_empty();
        CoefficientTuples {
            values: &self.values,
            numbers: &self.numbers,
            step: if shared { 0 } else { self.width },
        }
    }

    /// Coefficient by coefficient, with the elements in this order; columns have an entry for each place of the order.
    pub(super) fn columns(&self, order: &[u32]) -> Vec<Column> {
        let column = |k: usize| {
            let mut tuples = self.values.iter().skip(k).step_by(self.width);
            let first = tuples.next().copied().unwrap_or_default();
            if tuples.all(|value| value.to_bits() == first.to_bits()) {
                return Column::Shared(first);
            }
            let of = |element: &u32| match self.numbers.get(*element as usize) {
                Some(number) => self.values[*number as usize * self.width + k],
                None => self.values[*element as usize * self.width + k],
            };
            // A register can be loaded at the last element.
            let mut values = Vec::with_capacity(order.len() + MOST_LANES);
            values.extend(order.iter().map(of));
            values.resize(values.len() + MOST_LANES, first);
            Column::Varying(values)
        };
        (0..self.width).map(column).collect()
    }

    /// Whether [`Self::columns`] needs an order.
    pub(super) fn vary(&self) -> bool {
        self.values.len() > self.width
    }
}

fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

#[cfg(test)]
mod tests {
    use super::{Coefficients, Column};

    /// All tuples of this width, by elements.
    fn listed<const C: usize>(coefficients: &Coefficients) -> Vec<u64> {
        let all = coefficients.all();
        let of = |element| all.of::<C>(element).expect("an element").map(f64::to_bits);
        (0..coefficients.elements).flat_map(of).collect()
    }

    #[test]
    fn equal_tuples_are_stored_once() {
        let mut coefficients = Coefficients::new(2);
        let mut expected = Vec::new();
        let mut push = |coefficients: &mut Coefficients, tuple: [f64; 2]| {
            coefficients.push(&tuple);
            expected.extend(tuple.map(f64::to_bits));
            assert_eq!(listed::<2>(coefficients), expected);
        };
        (0..100).for_each(|_| push(&mut coefficients, [1.0, -0.0]));
        assert_eq!((coefficients.values.len(), coefficients.numbers.len()), (2, 0));
        // Few different ones have numbers.
        (0..100).for_each(|k| push(&mut coefficients, [1.0, f64::from(k % 7)]));
        assert_eq!((coefficients.values.len(), coefficients.numbers.len()), (16, 200));
        // Many different ones are stored each for itself.
        (0..300).for_each(|k| push(&mut coefficients, [1.0, f64::from(k)]));
        assert_eq!((coefficients.values.len(), coefficients.numbers.len()), (1000, 0));
    }

    #[test]
    fn columns_have_the_order_that_is_asked_for() {
        for different in [3_u32, 1000] {
            let mut coefficients = Coefficients::new(2);
            (0..1000).for_each(|k: u32| coefficients.push(&[1.0, f64::from(k % different)]));
            let order: Vec<u32> = (0..1000).rev().collect();
            let [Column::Shared(one), Column::Varying(values)] = &coefficients.columns(&order)[..] else {
                panic!("the first coefficient is shared, the second one is not");
            };
            assert_eq!(one.to_bits(), 1.0_f64.to_bits());
            let expected = order.iter().map(|k| f64::from(k % different).to_bits());
            assert!(values[..1000].iter().map(|value| value.to_bits()).eq(expected));
        }
    }
}
