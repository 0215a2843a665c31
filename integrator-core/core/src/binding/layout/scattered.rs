//! Elements in any order, a batch at a time.
//!
//! The inputs are staged in *places* of four numbers, one for each point (the components of a vector, at
//! most three): a place is read or added to at once and overlaps no other. A batch gathers its places
//! into columns and scatters its results. A register takes its elements from distant parts of a chunk,
//! so that few share a place: additions to one place would wait for each other.

use super::bundle::{Bundle, bundles};
use super::triples::TripleFilling;
use super::{Batch, Filling, Layout};
use crate::binding::gather::Tuples;
use crate::binding::kernel::Kernel;
use crate::binding::line::{BLOCK, ElementRow, Line};
use crate::lanes::{Lanes, MOST_LANES, Quadruple, Registers, gathered, scattered};
use crate::sparse::{SymmetricPattern, placed};
use pulp::{Simd, WithSimd};

/// The most numbers in the columns of a batch.
const BATCH: usize = 4096;
/// The most elements of a batch.
const MOST: usize = 64;
/// The number of elements of a chunk; the lanes of its registers take different parts of it.
const CHUNK: usize = 64 * MOST_LANES;
/// The numbers of a place.
const PLACE: usize = 4;

/// The elements, and the places of their points.
#[derive(Debug)]
pub struct Scattered {
    rows: Vec<ElementRow>,
    lines: Vec<Line>,
    /// For sums: the columns of each row, and the sum of each element.
    sums: Vec<Line>,
    listed: Vec<u32>,
    batches: Vec<Batch>,
    bundles: Vec<Bundle>,
    /// The first index and the number of components of each place.
    places: Vec<(u32, u32)>,
    /// The place of each bundle of eight elements, register by register.
    of_elements: Vec<[u32; MOST_LANES]>,
    /// The first place of the columns in a memory, and their length.
    columns: usize,
    height: usize,
    /// The slots of all elements in the order of the layout.
    slots: Vec<u32>,
}

impl Scattered {
    /// The layout of these elements, and their order in it.
    pub fn new(kernel: &Kernel, slots: &Tuples) -> (Self, Vec<u32>) {
        let (count, width, inputs) = (slots.len(), slots.width(), kernel.inputs.len());
        let height = (BATCH / (inputs + kernel.numbers) / MOST_LANES * MOST_LANES).clamp(MOST_LANES, MOST);
        let order = spread_out(count);
        let declared = slots.to_vec();
        let slots: Vec<u32> = order
            .iter()
            .flat_map(|element| &declared[*element as usize * width..][..width])
            .copied()
            .collect();
        let behind = slots.chunks_exact(width).filter_map(|element| element.get(kernel.slots));
        let listed: Vec<u32> = behind.copied().collect();
        let bundles = bundles(kernel);
        let point = |element: usize, bundle: &Bundle| {
            (slots[element * width + bundle.slot] + bundle.component as u32, bundle.count as u32)
        };
        let mut places: Vec<(u32, u32)> = (0..count)
            .flat_map(|e| bundles.iter().map(move |bundle| (e, bundle)))
            .map(|(e, b)| point(e, b))
            .collect();
        places.sort_unstable();
        places.dedup();
        let place = |element: usize, bundle: &Bundle| {
            // Lanes without an element take the last one.
            placed(places.binary_search(&point(element.min(count - 1), bundle)).ok())
        };
        let mut of_elements = Vec::with_capacity(count.div_ceil(MOST_LANES) * bundles.len());
        for first in (0..count).step_by(MOST_LANES) {
            of_elements
                .extend(bundles.iter().map(|bundle| std::array::from_fn(|lane| place(first + lane, bundle))));
        }
        // Registers of columns begin with cache lines.
        let columns = (places.len() * PLACE).next_multiple_of(MOST_LANES);
        let (mut rows, mut lines, mut sums, mut batches) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for begin in (0..count).step_by(height) {
            let elements = (count - begin).min(height);
            rows.push(ElementRow { count: elements as u32, lead: 0, coefficient: begin as u32, number: 0 });
            lines.extend((0..inputs).map(|k| {
                let start = (columns + k * height) as u32;
                Line { start, target: start, advances: true }
            }));
            if !listed.is_empty() {
                sums.push(Line { start: 0, target: 0, advances: true });
            }
            let row = batches.len();
            batches.push(Batch { rows: row..row + 1, elements, numbers: height });
        }
        let own =
            Self { rows, lines, sums, listed, batches, bundles, places, of_elements, columns, height, slots };
        (own, order)
    }

    /// The places of the bundles in the registers of a batch, register by register.
    fn of_batch(&self, batch: usize) -> &[[u32; MOST_LANES]] {
        let elements = self.batches[batch].elements;
        let registers = batch * self.height / MOST_LANES..;
        let first = registers.start * self.bundles.len();
        &self.of_elements[first..][..elements.div_ceil(MOST_LANES) * self.bundles.len()]
    }
}

/// The elements by registers; each lane has consecutive elements of a chunk.
pub fn spread_out(count: usize) -> Vec<u32> {
    let of_chunk = |start: usize| {
        let length = (count - start).min(CHUNK);
        let registers = length.div_ceil(MOST_LANES);
        let lanes_of_last = length - (registers - 1) * MOST_LANES;
        (0..length).map(move |place| {
            let (register, lane) = (place / MOST_LANES, place % MOST_LANES);
            // Lanes that the last register lacks are shorter by one.
            (start + lane * registers - lane.saturating_sub(lanes_of_last) + register) as u32
        })
    };
    (0..count).step_by(CHUNK).flat_map(of_chunk).collect()
}

impl Layout for Scattered {
    fn length(&self) -> usize {
        let inputs: usize = self.bundles.iter().map(|bundle| bundle.count).sum();
        // A block may be read at the last column.
        self.columns + inputs * self.height + BLOCK
    }

    fn batches(&self) -> &[Batch] {
        &self.batches
    }

    fn rows(&self) -> (&[ElementRow], &[Line]) {
        (&self.rows, &self.lines)
    }

    fn rows_mut(&mut self) -> &mut [ElementRow] {
        &mut self.rows
    }

    fn sums(&self) -> &[Line] {
        &self.sums
    }

    fn listed_sums(&self, batch: usize) -> &[u32] {
        let elements = self.batches[batch].elements;
        self.listed.get(batch * self.height..batch * self.height + elements).unwrap_or_default()
    }

    fn writes(&self) -> bool {
        true
    }

    fn clear(&self, memory: &mut [f64]) {
        memory[..self.columns].fill(0.0);
    }

    fn stage(&self, _: Registers, from: &[f64], memory: &mut [f64]) {
        for (&(index, count), place) in self.places.iter().zip(memory.as_chunks_mut::<PLACE>().0) {
            let (index, count) = (index as usize, count as usize);
            match count {
                3 => place[..3].copy_from_slice(&from[index..][..3]),
                _ => place[..count].copy_from_slice(&from[index..][..count]),
            }
        }
    }

    fn gathers(&self) -> bool {
        true
    }

    fn gather(&self, registers: Registers, batch: usize, memory: &mut [f64]) {
        let (places, columns) = memory.split_at_mut(self.columns);
        let places = places.as_chunks().0;
        registers.run(Gather {
            bundles: &self.bundles,
            of: self.of_batch(batch),
            places,
            columns,
            height: self.height,
        });
    }

    fn scatter(&self, registers: Registers, batch: usize, memory: &mut [f64]) {
        let (places, columns) = memory.split_at_mut(self.columns);
        let places = places.as_chunks_mut().0;
        registers.run(Scatter {
            bundles: &self.bundles,
            elements: self.batches[batch].elements,
            of: self.of_batch(batch),
            places,
            columns: &*columns,
            height: self.height,
        });
    }

    fn unstage(&self, _: Registers, memory: &[f64], to: &mut [f64]) {
        for (&(index, count), place) in self.places.iter().zip(memory.as_chunks::<PLACE>().0) {
            let to = &mut to[index as usize..][..count as usize];
            to.iter_mut().zip(place).for_each(|(to, value)| *to += value);
        }
    }

    fn filling(&self, kernel: &Kernel, pattern: &SymmetricPattern, _: &[u8]) -> Box<dyn Filling> {
        Box::new(TripleFilling::new(self, (&self.bundles, &self.slots), kernel, pattern))
    }
}

struct Gather<'a> {
    bundles: &'a [Bundle],
    of: &'a [[u32; MOST_LANES]],
    places: &'a [Quadruple],
    columns: &'a mut [f64],
    height: usize,
}

impl WithSimd for Gather<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { bundles, of, places, columns, height } = self;
        for (register, of) in of.chunks_exact(bundles.len()).enumerate() {
            for (bundle, of) in bundles.iter().zip(of) {
                for lane in (0..MOST_LANES).step_by(Lanes::<S>::COUNT) {
                    let found = gathered(simd, places, &of[lane..]);
                    let at = bundle.first * height + register * MOST_LANES + lane;
                    match bundle.count {
                        3 => (0..3).for_each(|k| found[k].write(columns, at + k * height)),
                        count => (0..count).for_each(|k| found[k].write(columns, at + k * height)),
                    }
                }
            }
        }
    }
}

struct Scatter<'a> {
    bundles: &'a [Bundle],
    elements: usize,
    of: &'a [[u32; MOST_LANES]],
    places: &'a mut [Quadruple],
    columns: &'a [f64],
    height: usize,
}

impl WithSimd for Scatter<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { bundles, elements, of, places, columns, height } = self;
        for (register, of) in of.chunks_exact(bundles.len()).enumerate() {
            for (bundle, of) in bundles.iter().zip(of) {
                for lane in (0..MOST_LANES).step_by(Lanes::<S>::COUNT) {
                    let first = register * MOST_LANES + lane;
                    let at = bundle.first * height + first;
                    let mut found = [Lanes::splat(simd, 0.0); 3];
                    match bundle.count {
                        3 => (0..3).for_each(|k| found[k] = Lanes::load(simd, columns, at + k * height)),
                        count => {
                            (0..count).for_each(|k| found[k] = Lanes::load(simd, columns, at + k * height));
                        }
                    }
                    if first + Lanes::<S>::COUNT > elements {
                        for found in &mut found {
                            *found = found.first(elements.saturating_sub(first));
                        }
                    }
                    scattered(simd, found, places, &of[lane..]);
                }
            }
        }
    }
}
