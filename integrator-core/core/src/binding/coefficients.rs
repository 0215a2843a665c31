//! The coefficients of the elements of a family.

use super::line::{BLOCK, ElementRow};
use crate::checksum::Checksum;
use crate::lanes::MOST_LANES;
use std::collections::HashMap;

/// One tuple of numbers for each element. A few different tuples are stored once, and an element has the
/// number of its tuple in a byte; if all elements have one tuple, there are no numbers.
#[derive(Debug, Clone)]
pub struct Coefficients {
    width: usize,
    values: Vec<f64>,
    /// The number of the tuple of each element; empty if all have the first tuple, or each has its own.
    numbers: Vec<u8>,
    elements: usize,
    /// The tuple of each element, if elements have numbers and are few: for loops over single elements.
    each: Vec<f64>,
}

/// At most this many coefficients are few.
const FEW: usize = 1 << 12;

/// The coefficient tuples of elements in order.
#[derive(Debug, Clone, Copy)]
pub struct CoefficientTuples<'a> {
    values: &'a [f64],
    numbers: &'a [u8],
    /// The distance of the tuples of two elements in order, if they have no numbers.
    step: usize,
}

impl<'a> CoefficientTuples<'a> {
    /// The tuple of an element, with C coefficients.
    #[inline(always)]
    pub fn of<const C: usize>(&self, element: usize) -> Option<&'a [f64; C]> {
        let begin =
            if self.numbers.is_empty() { element * self.step } else { self.numbers[element] as usize * C };
        self.values.get(begin..)?.first_chunk()
    }

    /// The tuple of an element, with `count` coefficients.
    #[inline(always)]
    pub(super) fn tuple(&self, element: usize, count: usize) -> Option<&'a [f64]> {
        let begin = if self.numbers.is_empty() {
            element * self.step
        } else {
            self.numbers[element] as usize * count
        };
        self.values.get(begin..begin + count)
    }

    /// True if all elements have one tuple.
    #[inline(always)]
    pub(super) fn are_shared(&self) -> bool {
        self.step == 0 && self.numbers.is_empty()
    }

    /// The tuple of all elements, if there is only one.
    #[inline(always)]
    pub(super) fn shared<const C: usize>(&self) -> Option<&'a [f64; C]> {
        if self.are_shared() { self.values.first_chunk() } else { None }
    }

    /// The tuple of one element.
    pub(super) fn one(values: &'a [f64]) -> Self {
        Self { values, numbers: &[], step: 0 }
    }

    /// The tuples from `element` on.
    pub(super) fn from(self, element: usize) -> Self {
        let numbers = self.numbers.get(element..).unwrap_or_default();
        Self { values: self.values.get(element * self.step..).unwrap_or_default(), numbers, ..self }
    }
}

/// One coefficient of all elements.
#[derive(Debug, Clone)]
pub enum Column {
    /// All have this number.
    Shared(f64),
    /// One number for each; a register of padding before them, a block after.
    Varying(Vec<f64>),
}

impl Coefficients {
    /// An empty list.
    pub fn new(width: usize) -> Self {
        Self { width, values: Vec::new(), numbers: Vec::new(), elements: 0, each: Vec::new() }
    }

    /// Appends the tuple of an element.
    pub fn push(&mut self, tuple: &[f64]) {
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
                // The elements before have the first tuple.
                self.numbers.resize(before, 0);
                self.numbers.push((self.values.len() / self.width) as u8);
                self.values.extend_from_slice(tuple);
            }
            None => {
                // Too many tuples: from now on each element has its own.
                let of = |number: &u8| &self.values[*number as usize * self.width..][..self.width];
                let mut values: Vec<f64> = self.numbers.iter().flat_map(of).copied().collect();
                values.extend_from_slice(tuple);
                (self.values, self.numbers) = (values, Vec::new());
            }
        }
    }

    /// Adds all tuples to a checksum.
    pub(super) fn tell(&self, sum: &mut Checksum) {
        let Self { width, values, numbers, elements, each: _ } = self;
        [*width, *elements].into_iter().for_each(|number| sum.word(number as u64));
        sum.numbers(values);
        sum.bytes(numbers);
    }

    /// The memory of the tuples in bytes.
    pub fn bytes(&self) -> u64 {
        (8 * self.values.len() + self.numbers.len()) as u64
    }

    /// Gives back unused memory.
    pub(super) fn finish(&mut self) {
        self.values.shrink_to_fit();
        self.numbers.shrink_to_fit();
        self.spread();
    }

    /// If elements are few, stores the tuple of each.
    fn spread(&mut self) {
        if self.elements * self.width <= FEW {
            let of = |number: &u8| &self.values[*number as usize * self.width..][..self.width];
            self.each = self.numbers.iter().flat_map(of).copied().collect();
        }
    }

    /// Reorders the tuples.
    pub(super) fn reorder(&mut self, order: &[u32]) {
        if !self.numbers.is_empty() {
            self.numbers = order.iter().map(|element| self.numbers[*element as usize]).collect();
            self.spread();
        } else if self.vary() {
            let of = |element: &u32| &self.values[*element as usize * self.width..][..self.width];
            self.values = order.iter().flat_map(of).copied().collect();
        }
    }

    /// The tuple of the first element.
    pub(super) fn first(&self) -> &[f64] {
        self.values.get(..self.width).unwrap_or_default()
    }

    /// All tuples.
    pub fn all(&self) -> CoefficientTuples<'_> {
        if !self.each.is_empty() {
            return CoefficientTuples { values: &self.each, numbers: &[], step: self.width };
        }
        let shared = self.values.len() == self.width || !self.numbers.is_empty();
        CoefficientTuples {
            values: &self.values,
            numbers: &self.numbers,
            step: if shared { 0 } else { self.width },
        }
    }

    /// The coefficients in columns, for rows of elements in `order` or in their own;
    /// sets the first place of each row.
    pub fn columns(&self, order: Option<&[u32]>, rows: &mut [ElementRow]) -> Vec<Column> {
        let tuples = self.tuples_of(order, rows);
        let column = |k: usize| {
            let mut all = self.values.iter().skip(k).step_by(self.width);
            let first = all.next().copied().unwrap_or_default();
            if all.all(|value| value.to_bits() == first.to_bits()) {
                return Column::Shared(first);
            }
            // A register may be loaded before the first element, and a block at the last.
            let mut values = Vec::with_capacity(tuples.len() + MOST_LANES + BLOCK);
            values.resize(MOST_LANES, first);
            values.extend(tuples.iter().map(|tuple| self.values[*tuple as usize * self.width + k]));
            values.resize(values.len() + BLOCK, first);
            Column::Varying(values)
        };
        (0..self.width).map(column).collect()
    }

    /// The numbers of the tuples of all rows, equal rows once, unless all elements have one tuple.
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

    /// True if elements have different tuples.
    fn vary(&self) -> bool {
        self.values.len() > self.width
    }
}

fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}
