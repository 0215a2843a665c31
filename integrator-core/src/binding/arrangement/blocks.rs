//! Elements in arbitrary order, eight at a time.

use super::{Arguments, Elements, lanes_left};
use crate::binding::element::{Called, Compute, Element, Yields, run_shared};
use crate::binding::operation::Operation;
use crate::binding::tiles::Tiles;
use crate::lanes::{Lanes, MOST_LANES, Registers};
use crate::sparse::SymmetricPattern;
use pulp::{Simd, WithSimd};
use std::marker::PhantomData;
use std::ops::Range;

/// Indices of eight elements, by gather and by lane.
type Indices<const W: usize> = [[u32; MOST_LANES]; W];

/// The indices of all elements; the last block is filled with its last element.
#[derive(Debug, Clone)]
pub(super) struct Blocks<const X: usize, const H: usize> {
    inputs: Vec<Indices<X>>,
    elements: usize,
    /// Where gathers begin whose entries stand side by side in all elements, and how many there are: the components of vectors.
    sides: Vec<(usize, usize)>,
    /// The Hessian entries that stand side by side in all elements: the columns of the blocks of vectors.
    columns: Vec<Side>,
    /// Where each of these begins in the matrix, block after block.
    places: Vec<[u32; MOST_LANES]>,
}

/// At most three Hessian entries side by side.
#[derive(Debug, Clone, Copy)]
struct Side {
    entries: [usize; 3],
    length: usize,
}

impl<const X: usize, const H: usize> Blocks<X, H> {
    pub(super) fn new<const C: usize>(elements: &Elements<X, C>, pattern: &SymmetricPattern) -> Self {
        let mut inputs = Vec::with_capacity(elements.inputs.len().div_ceil(MOST_LANES));
        for block in elements.inputs.chunks(MOST_LANES) {
            let mut indices = [[0; MOST_LANES]; X];
            spread(block.as_flattened(), &mut indices);
            inputs.push(indices);
        }
        let positions = positions(inputs.as_flattened(), X, elements.entries, pattern);
        let columns = columns(&positions, H);
        let mut places = Vec::with_capacity(inputs.len() * columns.len());
        for block in 0..inputs.len() {
            places.extend(columns.iter().map(|side| positions[block * H + side.entries[0]]));
        }
        let sides = sides(elements.inputs.as_flattened(), X);
        Self { inputs, elements: elements.inputs.len(), sides, columns, places }
    }

    /// The number of blocks.
    pub(super) fn len(&self) -> usize {
        self.inputs.len()
    }

    pub(super) fn sweep<O: Operation<X, C, H>, const C: usize>(
        &self,
        registers: Registers,
        part: Range<usize>,
        coefficients: &Tiles<C>,
        arguments: Arguments<'_>,
    ) -> f64 {
        registers.run(Sweep { blocks: self, part, coefficients, arguments, operation: PhantomData::<O> })
    }
}

/// Chooses the code for the registers at hand.
struct Sweep<'a, O, const X: usize, const C: usize, const H: usize> {
    blocks: &'a Blocks<X, H>,
    part: Range<usize>,
    coefficients: &'a Tiles<C>,
    arguments: Arguments<'a>,
    operation: PhantomData<O>,
}

impl<O: Operation<X, C, H>, const X: usize, const C: usize, const H: usize> WithSimd
    for Sweep<'_, O, X, C, H>
{
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let Self { blocks, part, coefficients, arguments, .. } = self;
        run_shared(simd, Loop { blocks, part, coefficients, arguments, simd, kernel: Called::of::<O>() })
    }
}

/// The loop, for any operation.
struct Loop<'a, S: Simd, const X: usize, const C: usize, const H: usize> {
    blocks: &'a Blocks<X, H>,
    part: Range<usize>,
    coefficients: &'a Tiles<C>,
    arguments: Arguments<'a>,
    simd: S,
    kernel: Called<S, X, C, H>,
}

impl<S: Simd, const X: usize, const C: usize, const H: usize> WithSimd for Loop<'_, S, X, C, H> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<Same: Simd>(self, _: Same) -> f64 {
        let Self { blocks, part, coefficients, arguments, simd, kernel } = self;
        let Arguments { x, a, now, vector, matrix } = arguments;
        let Yields { direction, scalar, vector: has_vector, matrix: has_matrix } = kernel.yields();
        let lanes = Lanes::<S>::COUNT;
        let zero = Lanes::splat(simd, 0.0);
        let mut total = zero;
        let mut element = Element::<S, X, C, H>::new(simd, coefficients.splat(simd), now);
        let chosen = coefficients.chosen(kernel.coefficients);
        for block in part {
            let inputs = &blocks.inputs[block];
            let mut lane = 0;
            while lane < MOST_LANES {
                let first = block * MOST_LANES + lane;
                if first >= blocks.elements {
                    break;
                }
                let count = lanes_left(first, blocks.elements, lanes);
                blocks.gather(simd, x, inputs, lane, &mut element.x);
                if direction {
                    blocks.gather(simd, a, inputs, lane, &mut element.a);
                }
                coefficients.load(simd, (block, lane), &chosen, &mut element.c);
                kernel.run(simd, &mut element);
                let output = &mut element.output;
                if scalar {
                    total = total + if count < lanes { output.scalar.first(count) } else { output.scalar };
                }
                if has_vector {
                    blocks.scatter(&output.vector, vector, inputs, lane, count);
                }
                if has_matrix {
                    blocks.fill(&output.matrix, matrix, block, lane, count);
                }
                lane += lanes;
            }
        }
        total.total()
    }
}

impl<const X: usize, const H: usize> Blocks<X, H> {
    /// Reads what the elements in the lanes from `lane` on read.
    #[inline(always)]
    fn gather<S: Simd>(
        &self,
        simd: S,
        from: &[f64],
        inputs: &Indices<X>,
        lane: usize,
        to: &mut [Lanes<S>; X],
    ) {
        for &(first, length) in &self.sides {
            match length {
                3 => gather::<S, 3>(simd, from, &inputs[first], lane, &mut to[first..]),
                2 => gather::<S, 2>(simd, from, &inputs[first], lane, &mut to[first..]),
                _ => gather::<S, 1>(simd, from, &inputs[first], lane, &mut to[first..]),
            }
        }
    }

    /// Adds where the first `count` elements in the lanes from `lane` on read.
    #[inline(always)]
    fn scatter<S: Simd>(
        &self,
        values: &[Lanes<S>; X],
        to: &mut [f64],
        inputs: &Indices<X>,
        lane: usize,
        count: usize,
    ) {
        for &(first, length) in &self.sides {
            let at = &inputs[first];
            match length {
                3 => scatter(&[values[first], values[first + 1], values[first + 2]], to, at, lane, count),
                2 => scatter(&[values[first], values[first + 1]], to, at, lane, count),
                _ => scatter(&[values[first]], to, at, lane, count),
            }
        }
    }
}

impl<const X: usize, const H: usize> Blocks<X, H> {
    /// Adds the Hessian entries of the first `count` elements in the lanes from `lane` on.
    #[inline(always)]
    fn fill<S: Simd>(&self, values: &[Lanes<S>; H], to: &mut [f64], block: usize, lane: usize, count: usize) {
        let sides = self.columns.len();
        let places = &self.places[block * sides..][..sides];
        for (Side { entries: [i, j, k], length }, at) in self.columns.iter().zip(places) {
            match length {
                3 => scatter(&[values[*i], values[*j], values[*k]], to, at, lane, count),
                2 => scatter(&[values[*i], values[*j]], to, at, lane, count),
                _ => scatter(&[values[*i]], to, at, lane, count),
            }
        }
    }
}

/// Puts the tuples of at most eight elements side by side; lanes without an element get the last one.
fn spread(tuples: &[u32], indices: &mut [[u32; MOST_LANES]]) {
    let width = indices.len();
    let count = tuples.len() / width;
    for (k, index) in indices.iter_mut().enumerate() {
        for (lane, index) in index.iter_mut().enumerate() {
            *index = tuples[lane.min(count - 1) * width + k];
        }
    }
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

/// Puts Hessian entries together that stand side by side in all elements; a block of positions has `count` of them.
fn columns(positions: &[[u32; MOST_LANES]], count: usize) -> Vec<Side> {
    let follows = |before: usize, entry: usize| {
        positions.chunks_exact(count).all(|block| {
            block[before].iter().zip(&block[entry]).all(|(before, at)| *at == before.wrapping_add(1))
        })
    };
    let mut columns: Vec<Side> = Vec::new();
    let mut free = vec![true; count];
    // What follows another entry is taken with it, if there is room.
    let headless = |entry: &usize| (0..count).all(|before| !follows(before, *entry));
    for first in (0..count).filter(headless).chain(0..count) {
        if !std::mem::take(&mut free[first]) {
            continue;
        }
        let mut side = Side { entries: [first; 3], length: 1 };
        while side.length < 3 {
            let last = side.entries[side.length - 1];
            let Some(next) = (0..count).find(|entry| free[*entry] && follows(last, *entry)) else { break };
            free[next] = false;
            side.entries[side.length] = next;
            side.length += 1;
        }
        columns.push(side);
    }
    columns
}

/// Finds gathers whose entries stand side by side in tuples of this width: at most three, the components of a vector.
fn sides(tuples: &[u32], width: usize) -> Vec<(usize, usize)> {
    let follows = |k: usize| tuples.chunks_exact(width).all(|tuple| tuple[k] == tuple[k - 1].wrapping_add(1));
    let mut sides: Vec<(usize, usize)> = Vec::new();
    for k in 0..width {
        match sides.last_mut() {
            Some((_, length)) if *length < 3 && follows(k) => *length += 1,
            _ => sides.push((k, 1)),
        }
    }
    sides
}

/// The `N` numbers from each of the indices on, those of one index in one lane.
#[inline(always)]
fn gather<S: Simd, const N: usize>(
    simd: S,
    from: &[f64],
    at: &[u32; MOST_LANES],
    lane: usize,
    to: &mut [Lanes<S>],
) {
    let mut values = [[0.0; MOST_LANES]; N];
    for k in 0..Lanes::<S>::COUNT {
        let from = &from[at[lane + k] as usize..][..N];
        for n in 0..N {
            values[n][k] = from[n];
        }
    }
    for n in 0..N {
        to[n] = Lanes::from_array(simd, &values[n]);
    }
}

/// Adds the first `count` lanes to the `N` numbers from each of the indices on.
#[inline(always)]
fn scatter<S: Simd, const N: usize>(
    values: &[Lanes<S>; N],
    to: &mut [f64],
    at: &[u32; MOST_LANES],
    lane: usize,
    count: usize,
) {
    let mut arrays = [[0.0; MOST_LANES]; N];
    for n in 0..N {
        values[n].store(&mut arrays[n]);
    }
    let mut add = |k: usize| {
        let to = &mut to[at[lane + k] as usize..][..N];
        for n in 0..N {
            to[n] += arrays[n][k];
        }
    };
    // A loop of known length is unrolled.
    if count == Lanes::<S>::COUNT {
        (0..Lanes::<S>::COUNT).for_each(&mut add);
    } else {
        (0..count).for_each(&mut add);
    }
}
