//! Elements in arbitrary order, eight at a time.
//!
//! They are taken by chunks, and what a chunk reads and fills is staged: neighbours that belong together (the components of a vector,
//! a column of a block of the matrix) get a place of four numbers, which is read and added to at once and overlaps no other.
//! The elements of a block come from distant parts of their chunk, so that few of them share a place: to add to it, each would
//! have to wait for the one before.

use super::{Arguments, Elements, lanes_left};
use crate::binding::element::{Called, Compute, Element, run_shared};
use crate::binding::operation::Operation;
use crate::binding::tiles::Tiles;
use crate::lanes::{Lanes, MOST_LANES, Registers};
use crate::sparse::SymmetricPattern;
use pulp::{Simd, WithSimd};
use std::marker::PhantomData;
use std::ops::Range;

mod staging;

use staging::{MOST_PLACES, Place, Places, Staging, Stretch};

/// The most numbers that the elements of a chunk read and fill: what is staged of them stays in the nearest caches.
const CHUNK: usize = MOST_PLACES;

/// The indices of all elements; the last block is filled with its last element.
#[derive(Debug, Clone)]
pub(super) struct Blocks<const X: usize, const H: usize> {
    elements: usize,
    chunks: Vec<Chunk>,
    /// What is read of vectors, and where vectors are added to.
    inputs: Staging,
    /// The Hessian entries in the matrix.
    entries: Staging,
}

/// Consecutive blocks, and what they read and fill.
#[derive(Debug, Clone)]
struct Chunk {
    blocks: Range<usize>,
    inputs: Stretch,
    entries: Stretch,
}

impl<const X: usize, const H: usize> Blocks<X, H> {
    /// Whether a block fits into a chunk.
    pub(super) const FIT: bool = (X + H) * MOST_LANES <= CHUNK;

    /// Puts the elements in the order in which they come by blocks.
    pub(super) fn new<const C: usize>(elements: &mut Elements<X, C>, pattern: &SymmetricPattern) -> Self {
        let chunks = chunks(elements.inputs.len(), CHUNK / (X + H));
        let order: Vec<usize> = chunks.iter().cloned().flat_map(spread_out).collect();
        elements.reorder(&order);

        let indices = by_blocks(elements.inputs.as_flattened(), X);
        let vectors = staging::vectors(&indices, X);
        let mut inputs = Staging::new(staging::of_vectors(&vectors));
        let mut entries = Staging::new(staging::of_matrix(&vectors, elements.entries));
        let chunks = chunks.into_iter().map(|chunk| {
            let blocks = chunk.start / MOST_LANES..chunk.end.div_ceil(MOST_LANES);
            let indices = &indices[blocks.start * X..blocks.end * X];
            let inputs = inputs.stage(indices, X);
            let entries = entries.stage(&positions(indices, X, elements.entries, pattern), H);
            Chunk { blocks, inputs, entries }
        });
        let chunks = chunks.collect();
        Self { elements: elements.inputs.len(), chunks, inputs, entries }
    }

    /// The number of elements of each chunk, but for those that fill the last block.
    pub(super) fn weights(&self) -> Vec<usize> {
        self.chunks.iter().map(|chunk| chunk.blocks.len() * MOST_LANES).collect()
    }

    /// The number of chunks.
    pub(super) fn len(&self) -> usize {
        self.chunks.len()
    }

    /// Runs an operation over these chunks, with a memory of this length.
    pub(super) fn sweep<O: Operation<X, C, H>, const C: usize>(
        &self,
        registers: Registers,
        part: Range<usize>,
        coefficients: &Tiles<C>,
        memory: &mut [f64],
        arguments: Arguments<'_>,
    ) -> f64 {
        let memory = Memory::of(memory);
        registers.run(Sweep {
            blocks: self,
            part,
            coefficients,
            memory,
            arguments,
            operation: PhantomData::<O>,
        })
    }
}

/// The length of the memory of a sweep, most of which is never touched.
pub(super) const MEMORY_LENGTH: usize = 4 * size_of::<Places>() / size_of::<f64>();

/// What a chunk reads and fills.
struct Memory<'a> {
    x: &'a mut Places,
    a: &'a mut Places,
    vector: &'a mut Places,
    matrix: &'a mut Places,
}

impl<'a> Memory<'a> {
    fn of(memory: &'a mut [f64]) -> Self {
        let (places, _) = memory.as_chunks_mut();
        let (of_each, _) = places.as_chunks_mut();
        let (x, rest) = of_each.split_at_mut(1);
        let (a, rest) = rest.split_at_mut(1);
        let (vector, matrix) = rest.split_at_mut(1);
        Self { x: &mut x[0], a: &mut a[0], vector: &mut vector[0], matrix: &mut matrix[0] }
    }
}

/// Chooses the code for the registers at hand.
struct Sweep<'a, O, const X: usize, const C: usize, const H: usize> {
    blocks: &'a Blocks<X, H>,
    part: Range<usize>,
    coefficients: &'a Tiles<C>,
    memory: Memory<'a>,
    arguments: Arguments<'a>,
    operation: PhantomData<O>,
}

impl<O: Operation<X, C, H>, const X: usize, const C: usize, const H: usize> WithSimd
    for Sweep<'_, O, X, C, H>
{
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let Self { blocks, part, coefficients, memory, arguments, .. } = self;
        let kernel = Called::of::<O>();
        run_shared(simd, Loop { blocks, part, coefficients, memory, arguments, simd, kernel })
    }
}

/// The loop, for any operation.
struct Loop<'a, S: Simd, const X: usize, const C: usize, const H: usize> {
    blocks: &'a Blocks<X, H>,
    part: Range<usize>,
    coefficients: &'a Tiles<C>,
    memory: Memory<'a>,
    arguments: Arguments<'a>,
    simd: S,
    kernel: Called<S, X, C, H>,
}

impl<S: Simd, const X: usize, const C: usize, const H: usize> WithSimd for Loop<'_, S, X, C, H> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<Same: Simd>(mut self, _: Same) -> f64 {
        let (simd, coefficients) = (self.simd, self.coefficients.splat(self.simd));
        let mut element = Element::<S, X, C, H>::new(simd, coefficients, self.arguments.now);
        let mut total = Lanes::splat(simd, 0.0);
        for chunk in &self.blocks.chunks[self.part.clone()] {
            self.stage(chunk);
            self.run(chunk, &mut element, &mut total);
            self.unstage(chunk);
        }
        total.total()
    }
}

impl<S: Simd, const X: usize, const C: usize, const H: usize> Loop<'_, S, X, C, H> {
    /// Reads what a chunk reads and clears what it fills.
    #[inline(always)]
    fn stage(&mut self, chunk: &Chunk) {
        let Self { blocks, memory, arguments, .. } = self;
        let yields = self.kernel.yields();
        blocks.inputs.read(&chunk.inputs, arguments.x, memory.x);
        if yields.direction {
            blocks.inputs.read(&chunk.inputs, arguments.a, memory.a);
        }
        if yields.vector {
            memory.vector[..chunk.inputs.len()].fill(Place::default());
        }
        if yields.matrix {
            memory.matrix[..chunk.entries.len()].fill(Place::default());
        }
    }

    /// Adds what a chunk has filled.
    #[inline(always)]
    fn unstage(&mut self, chunk: &Chunk) {
        let Self { blocks, memory, arguments, .. } = self;
        let yields = self.kernel.yields();
        if yields.vector {
            blocks.inputs.add(&chunk.inputs, memory.vector, arguments.vector);
        }
        if yields.matrix {
            blocks.entries.add(&chunk.entries, memory.matrix, arguments.matrix);
        }
    }

    /// Runs over the elements of a chunk.
    #[inline(always)]
    fn run(&mut self, chunk: &Chunk, element: &mut Element<S, X, C, H>, total: &mut Lanes<S>) {
        let Self { blocks, coefficients, memory, simd, kernel, .. } = self;
        let (simd, yields) = (*simd, kernel.yields());
        let chosen = coefficients.chosen(kernel.coefficients);
        let lanes = Lanes::<S>::COUNT;
        let first = chunk.blocks.start * (MOST_LANES / lanes);
        let end = (chunk.blocks.end * MOST_LANES).min(blocks.elements).div_ceil(lanes);
        for register in first..=end {
            let before = (register > first).then(|| place_of(register - 1, lanes));
            if before.is_some() {
                kernel.run(simd, element);
            }
            // The next elements are read before the results of these are added: that need not wait for them.
            if register < end {
                let at = place_of(register, lanes);
                chosen.load(simd, at, &mut element.c);
                blocks.inputs.gather(simd, at, memory.x, &mut element.x);
                if yields.direction {
                    blocks.inputs.gather(simd, at, memory.a, &mut element.a);
                }
            }
            if let Some(at @ (block, lane)) = before {
                let count = lanes_left(block * MOST_LANES + lane, blocks.elements, lanes);
                let output = &element.output;
                if yields.scalar {
                    *total = *total + if count < lanes { output.scalar.first(count) } else { output.scalar };
                }
                if yields.vector {
                    blocks.inputs.scatter(simd, at, &output.vector, memory.vector, count);
                }
                if yields.matrix {
                    blocks.entries.scatter(simd, at, &output.matrix, memory.matrix, count);
                }
            }
        }
    }
}

/// The block of a register of so many lanes, and the lane of the block with which it begins.
#[inline(always)]
fn place_of(register: usize, lanes: usize) -> (usize, usize) {
    let registers = MOST_LANES / lanes;
    (register / registers, register % registers * lanes)
}

/// Consecutive elements, at most so many in each chunk but at least a block; all but the last chunk fill their blocks.
fn chunks(elements: usize, most: usize) -> Vec<Range<usize>> {
    let count = elements.div_ceil((most / MOST_LANES).max(1) * MOST_LANES);
    let each = elements.div_ceil(count).next_multiple_of(MOST_LANES);
    (0..elements).step_by(each).map(|start| start..(start + each).min(elements)).collect()
}

/// The elements of a chunk by blocks, each lane with consecutive ones.
fn spread_out(chunk: Range<usize>) -> impl Iterator<Item = usize> {
    let blocks = chunk.len().div_ceil(MOST_LANES);
    let lanes_of_last = chunk.len() - (blocks - 1) * MOST_LANES;
    (0..chunk.len()).map(move |place| {
        let (block, lane) = (place / MOST_LANES, place % MOST_LANES);
        // Lanes that the last block has not are shorter by one.
        chunk.start + lane * blocks - lane.saturating_sub(lanes_of_last) + block
    })
}

/// Tuples of this width by blocks of eight, each block by columns; lanes without an element get the last one.
fn by_blocks(tuples: &[u32], width: usize) -> Vec<[u32; MOST_LANES]> {
    let mut indices = Vec::with_capacity(tuples.len().div_ceil(MOST_LANES));
    for block in tuples.chunks(MOST_LANES * width) {
        let last = block.len() / width - 1;
        indices.extend((0..width).map(|k| std::array::from_fn(|lane| block[lane.min(last) * width + k])));
    }
    indices
}

/// The positions of the Hessian entries, block after block; a block of inputs has `width` of them.
fn positions(
    inputs: &[[u32; MOST_LANES]],
    width: usize,
    entries: &[(usize, usize)],
    pattern: &SymmetricPattern,
) -> Vec<[u32; MOST_LANES]> {
    let mut all = Vec::with_capacity(inputs.len() / width * entries.len());
    for block in inputs.chunks_exact(width) {
        for &(row, column) in entries {
            let mut position = [0; MOST_LANES];
            for (lane, position) in position.iter_mut().enumerate() {
                // The pattern is made of these very entries.
                let place = pattern.position(block[row][lane] as usize, block[column][lane] as usize);
                *position = place.unwrap_or_default() as u32;
            }
            all.push(position);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{chunks, spread_out};

    #[test]
    fn every_element_has_one_lane() {
        for elements in 1..200 {
            for most in [1, 8, 20, 64, 1000] {
                let chunks = chunks(elements, most);
                assert!(chunks.iter().all(|chunk| chunk.len() <= most.max(8)), "{chunks:?}");
                let all_but_last = &chunks[..chunks.len() - 1];
                assert!(all_but_last.iter().all(|chunk| chunk.len() % 8 == 0), "{chunks:?}");
                let mut order: Vec<usize> = chunks.into_iter().flat_map(spread_out).collect();
                order.sort_unstable();
                assert!(order.into_iter().eq(0..elements), "{elements} by {most}");
            }
        }
    }

    #[test]
    fn the_lanes_of_a_chunk_are_apart() {
        let order: Vec<usize> = spread_out(100..180).collect();
        assert_eq!(order[..9], [100, 110, 120, 130, 140, 150, 160, 170, 101]);
        // Two lanes of three elements, six of two.
        let order: Vec<usize> = spread_out(0..18).collect();
        assert_eq!(order, [0, 3, 6, 8, 10, 12, 14, 16, 1, 4, 7, 9, 11, 13, 15, 17, 2, 5]);
    }
}
