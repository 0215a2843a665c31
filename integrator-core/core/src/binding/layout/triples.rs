//! Adds the second derivatives of elements in any order to the matrix, three numbers at a time.
//!
//! A *triple* has the entries of one element in the column of one coordinate and the rows of one point
//! (or fewer: a point of the plane has two components, and only a lower triangle is stored). Triples are
//! added to places of four numbers in memory, as points are; at the end each place goes to its positions
//! in the matrix. A triple above the diagonal stands for the transposed entries.

use super::bundle::Bundle;
use super::{Batch, Filling, Layout};
use crate::binding::kernel::{HessianEntry, Kernel};
use crate::lanes::{Lanes, MOST_LANES, Quadruple, Registers, scattered};
use crate::sparse::{SymmetricPattern, placed};
use pulp::{Simd, WithSimd};
use std::ops::Range;

/// No position: nothing is added there.
const NOWHERE: u32 = u32::MAX;

/// Adds the numbers of a scattered layout to a matrix.
#[derive(Debug)]
pub(super) struct TripleFilling {
    triples: Vec<Triple>,
    /// The place of each triple of the elements of a register: by batch, by triple, by register.
    places: Vec<[u32; MOST_LANES]>,
    /// The positions of the three numbers of each place.
    positions: Vec<[u32; 3]>,
    batches: Vec<BatchPlaces>,
}

/// The entries of one element in one column and the rows of one point.
#[derive(Debug, Clone)]
struct Triple {
    column: usize,
    rows: Bundle,
    /// The number of each entry, and whether it is negated.
    entries: [Option<(usize, bool)>; 3],
}

/// The places of a batch, and its number of elements.
#[derive(Debug, Clone)]
struct BatchPlaces {
    places: Range<usize>,
    elements: usize,
}

impl TripleFilling {
    /// For a layout with these bundles of inputs, and the slots of all elements in its order.
    pub(super) fn new(
        layout: &impl Layout,
        (bundles, slots): (&[Bundle], &[u32]),
        kernel: &Kernel,
        pattern: &SymmetricPattern,
    ) -> Self {
        let triples = triples(bundles, &kernel.entries);
        let elements: usize = layout.batches().iter().map(|batch| batch.elements).sum();
        let index = |element: usize, input: usize| {
            let (slot, component) = kernel.inputs[input];
            slots[element * kernel.slots + slot] + component as u32
        };
        // A place is known by its first row and its column.
        let of = |element: usize, triple: &Triple| {
            (index(element, triple.rows.first), index(element, triple.column))
        };
        let mut known: Vec<(u32, u32)> =
            (0..elements).flat_map(|e| triples.iter().map(move |triple| of(e, triple))).collect();
        known.sort_unstable();
        known.dedup();
        let mut positions = vec![[NOWHERE; 3]; known.len()];
        let mut place = |element: usize, triple: &Triple| {
            let (row, column) = of(element, triple);
            let place = placed(known.binary_search(&(row, column)).ok()) as usize;
            for (k, position_of) in positions[place].iter_mut().enumerate() {
                if triple.entries[k].is_some() {
                    *position_of = pattern.place(row as usize + k, column as usize);
                }
            }
            place as u32
        };
        let (mut places, mut batches, mut begin) = (Vec::new(), Vec::new(), 0);
        for &Batch { elements: count, .. } in layout.batches() {
            let start = places.len();
            for triple in &triples {
                for first in (0..count).step_by(MOST_LANES) {
                    // Lanes without an element add zeros to the place of the last one.
                    places.push(std::array::from_fn(|lane| {
                        place(begin + (first + lane).min(count - 1), triple)
                    }));
                }
            }
            batches.push(BatchPlaces { places: start..places.len(), elements: count });
            begin += count;
        }
        Self { triples, places, positions, batches }
    }
}

/// The triples of an element.
fn triples(bundles: &[Bundle], entries: &[HessianEntry]) -> Vec<Triple> {
    let mut triples: Vec<Triple> = Vec::new();
    for entry in entries {
        let Some(rows) = bundles.iter().find(|b| (b.first..b.first + b.count).contains(&entry.row)) else {
            continue;
        };
        let known = triples.iter().position(|t| t.column == entry.column && t.rows.first == rows.first);
        let at = known.unwrap_or_else(|| {
            triples.push(Triple { column: entry.column, rows: *rows, entries: [None; 3] });
            triples.len() - 1
        });
        triples[at].entries[entry.row - rows.first] = Some((entry.number, entry.negative));
    }
    triples
}

impl Filling for TripleFilling {
    fn length(&self) -> usize {
        4 * self.positions.len()
    }

    fn add(
        &self,
        registers: Registers,
        batch: usize,
        (numbers, length): (&[f64], usize),
        memory: &mut [f64],
        _: &mut [f64],
    ) {
        let BatchPlaces { places, elements } = &self.batches[batch];
        registers.run(AddBatch {
            triples: &self.triples,
            places: &self.places[places.clone()],
            elements: *elements,
            numbers,
            length,
            memory: memory.as_chunks_mut().0,
        });
    }

    fn finish(&self, memory: &[f64], matrix: &mut [f64]) {
        for (values, positions) in memory.as_chunks::<4>().0.iter().zip(&self.positions) {
            let [first, second, third] = *positions;
            // The rows of a point are mostly consecutive.
            if second.wrapping_sub(first) == 1 && third.wrapping_sub(first) == 2 {
                let to = matrix[first as usize..][..3].iter_mut();
                to.zip(values).for_each(|(to, value)| *to += value);
                continue;
            }
            for (value, &position) in values.iter().zip(positions) {
                if position != NOWHERE {
                    matrix[position as usize] += *value;
                }
            }
        }
    }

    fn visit_written(&self, _: &mut dyn FnMut(Range<usize>)) {}
}

/// Adds the numbers of a batch.
struct AddBatch<'a> {
    triples: &'a [Triple],
    places: &'a [[u32; MOST_LANES]],
    elements: usize,
    numbers: &'a [f64],
    /// The length of a column of numbers.
    length: usize,
    memory: &'a mut [Quadruple],
}

impl WithSimd for AddBatch<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { triples, places, elements, numbers, length, memory } = self;
        let lanes = Lanes::<S>::COUNT;
        let registers = elements.div_ceil(MOST_LANES);
        for (triple, places) in triples.iter().zip(places.chunks_exact(registers)) {
            for (register, places) in places.iter().enumerate() {
                for lane in (0..MOST_LANES).step_by(lanes) {
                    let first = register * MOST_LANES + lane;
                    let mut found = [Lanes::splat(simd, 0.0); 3];
                    for (found, entry) in found.iter_mut().zip(&triple.entries) {
                        if let Some((number, negative)) = *entry {
                            let value = Lanes::load(simd, numbers, number * length + first);
                            *found = if negative { -value } else { value };
                        }
                    }
                    if first + lanes > elements {
                        for found in &mut found {
                            *found = found.first(elements.saturating_sub(first));
                        }
                    }
                    scattered(simd, found, memory, &places[lane..]);
                }
            }
        }
    }
}
