//! The coefficients of the elements of a family.

use super::line::ElementRow;
use crate::lanes::MOST_LANES;
use std::collections::HashMap;

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

    /// Coefficient by coefficient, for rows of the elements in this order, or in their own; the rows learn where theirs begin.
    pub(super) fn columns(&self, order: Option<&[u32]>, rows: &mut [ElementRow]) -> Vec<Column> {
        let tuples = self.tuples_of(order, rows);
        let column = |k: usize| {
            let mut all = self.values.iter().skip(k).step_by(self.width);
            let first = all.next().copied().unwrap_or_default();
            if all.all(|value| value.to_bits() == first.to_bits()) {
                return Column::Shared(first);
            }
            // A register can be loaded at the last element.
            let mut values = Vec::with_capacity(tuples.len() + MOST_LANES);
            values.extend(tuples.iter().map(|tuple| self.values[*tuple as usize * self.width + k]));
            values.resize(values.len() + MOST_LANES, first);
            Column::Varying(values)
        };
        (0..self.width).map(column).collect()
    }

    /// The numbers of the tuples of all rows, those of equal rows once, where not all elements have the same tuple.
    fn tuples_of(&self, order: Option<&[u32]>, rows: &mut [ElementRow]) -> Vec<u32> {
        let mut tuples = Vec::new();
        if !self.vary() {
            return tuples;
        }
        let element = |place: usize| order.map_or(place, |order| order[place] as usize);
        let mut known: HashMap<Vec<u8>, u32> = HashMap::new();
        for row in rows {
            let places = row.coefficient as usize..(row.coefficient + row.count) as usize;
            row.coefficient = tuples.len() as u32;
            if self.numbers.is_empty() {
                tuples.extend(places.map(|place| element(place) as u32));
                continue;
            }
            let numbers: Vec<u8> = places.map(|place| self.numbers[element(place)]).collect();
            if let Some(begin) = known.get(&numbers) {
                row.coefficient = *begin;
                continue;
            }
            tuples.extend(numbers.iter().map(|number| u32::from(*number)));
            known.insert(numbers, row.coefficient);
        }
        tuples
    }

    /// True if not all elements have the same tuple.
    fn vary(&self) -> bool {
        self.values.len() > self.width
    }
}

fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

#[cfg(test)]
mod tests {
    use super::{Coefficients, Column, ElementRow, MOST_LANES};

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
            let mut rows = rows_of([600, 400]);
            let columns = coefficients.columns(Some(&order), &mut rows);
            let [Column::Shared(one), Column::Varying(values)] = &columns[..] else {
                panic!("the first coefficient is shared, the second one is not");
            };
            assert_eq!(one.to_bits(), 1.0_f64.to_bits());
            let found = rows.iter().flat_map(|row| &values[row.coefficient as usize..][..row.count as usize]);
            let expected = order.iter().map(|k| f64::from(k % different).to_bits());
            assert!(found.map(|value| value.to_bits()).eq(expected));
        }
    }

    #[test]
    fn rows_with_equal_coefficients_share_them() {
        let mut coefficients = Coefficients::new(1);
        (0..1000).for_each(|k: u32| coefficients.push(&[f64::from(k % 100 % 3)]));
        let mut rows = rows_of([100; 10]);
        let columns = coefficients.columns(None, &mut rows);
        let [Column::Varying(values)] = &columns[..] else { panic!("it is not shared") };
        assert_eq!(values.len(), 100 + MOST_LANES);
        assert!(rows.iter().all(|row| row.coefficient == 0));
    }

    /// Rows with so many elements.
    fn rows_of<const N: usize>(counts: [u32; N]) -> [ElementRow; N] {
        let mut coefficient = 0;
        counts.map(|count| {
            coefficient += count;
            ElementRow { count, coefficient: coefficient - count, number: 0 }
        })
    }
}
