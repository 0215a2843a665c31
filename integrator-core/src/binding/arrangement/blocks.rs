//! Elements in arbitrary order, eight at a time.

use super::{Arguments, Elements, lanes_left};
use crate::binding::element::{Called, Compute, Element, run_shared};
use crate::binding::operation::Operation;
use crate::binding::tiles::Tiles;
use crate::lanes::{Lanes, MOST_LANES, Registers, gathered, paired};
use crate::sparse::SymmetricPattern;
use pulp::{Simd, WithSimd};
use std::marker::PhantomData;
use std::ops::Range;

/// The indices of all elements; the last block is filled with its last element.
#[derive(Debug, Clone)]
pub(super) struct Blocks<const X: usize, const H: usize> {
    elements: usize,
    /// Where gathers begin whose entries stand side by side in all elements, and how many there are: the components of vectors.
    sides: Vec<(usize, usize)>,
    /// Where each of these begins in a vector, block after block.
    inputs: Vec<[u32; MOST_LANES]>,
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
        let indices = spread(elements.inputs.as_flattened(), X);
        let positions = positions(&indices, X, elements.entries, pattern);
        let columns = columns(&positions, H);
        let places = positions
            .chunks_exact(H.max(1))
            .flat_map(|block| columns.iter().map(|side| block[side.entries[0]]))
            .collect();
        let sides = sides(elements.inputs.as_flattened(), X);
        let inputs =
            indices.chunks_exact(X).flat_map(|block| sides.iter().map(|(first, _)| block[*first])).collect();
        Self { elements: elements.inputs.len(), sides, inputs, columns, places }
    }

    /// The number of blocks.
    pub(super) fn len(&self) -> usize {
        self.elements.div_ceil(MOST_LANES)
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
        let yields = kernel.yields();
        let mut total = Lanes::splat(simd, 0.0);
        let mut element = Element::<S, X, C, H>::new(simd, coefficients.splat(simd), now);
        let chosen = coefficients.chosen(kernel.coefficients);
        let lanes = Lanes::<S>::COUNT;
        let first = part.start * (MOST_LANES / lanes);
        let end = (part.end * MOST_LANES).min(blocks.elements).div_ceil(lanes);
        for register in first..=end {
            let before = (register > first).then(|| At::new(register - 1, lanes));
            if let Some(at) = before {
                coefficients.load(simd, (at.block, at.lane), &chosen, &mut element.c);
                kernel.run(simd, &mut element);
            }
            // The next elements are read before the results of these are added: that need not wait for them.
            if register < end {
                let at = At::new(register, lanes);
                blocks.gather(simd, x, at, &mut element.x);
                if yields.direction {
                    blocks.gather(simd, a, at, &mut element.a);
                }
            }
            if let Some(at) = before {
                let count = lanes_left(at.block * MOST_LANES + at.lane, blocks.elements, lanes);
                let output = &element.output;
                if yields.scalar {
                    total = total + if count < lanes { output.scalar.first(count) } else { output.scalar };
                }
                if yields.vector {
                    blocks.scatter(simd, &output.vector, vector, at, count);
                }
                if yields.matrix {
                    blocks.fill(simd, &output.matrix, matrix, at, count);
                }
            }
        }
        total.total()
    }
}

/// Where the elements of a register stand: in the lanes of a block from one on.
#[derive(Clone, Copy)]
struct At {
    block: usize,
    lane: usize,
}

impl At {
    /// Those of this register, of so many lanes.
    #[inline(always)]
    fn new(register: usize, lanes: usize) -> Self {
        let registers = MOST_LANES / lanes;
        Self { block: register / registers, lane: register % registers * lanes }
    }
}

impl<const X: usize, const H: usize> Blocks<X, H> {
    /// Reads what the elements of a register read.
    #[inline(always)]
    fn gather<S: Simd>(&self, simd: S, from: &[f64], at: At, to: &mut [Lanes<S>; X]) {
        for (&(first, length), places) in self.sides.iter().zip(of_block(&self.inputs, at, self.sides.len()))
        {
            let places = &places[at.lane..];
            match length {
                3 => to[first..][..3].copy_from_slice(&gathered::<S, 3>(simd, from, places)),
                2 => to[first..][..2].copy_from_slice(&gathered::<S, 2>(simd, from, places)),
                _ => to[first..][..1].copy_from_slice(&gathered::<S, 1>(simd, from, places)),
            }
        }
    }

    /// Adds where the first `count` elements of a register read.
    #[inline(always)]
    fn scatter<S: Simd>(&self, simd: S, values: &[Lanes<S>; X], to: &mut [f64], at: At, count: usize) {
        for (&(first, length), places) in self.sides.iter().zip(of_block(&self.inputs, at, self.sides.len()))
        {
            let places = &places[at.lane..];
            match length {
                3 => {
                    scatter(simd, [values[first], values[first + 1], values[first + 2]], to, places, count);
                }
                2 => scatter(simd, [values[first], values[first + 1]], to, places, count),
                _ => scatter(simd, [values[first]], to, places, count),
            }
        }
    }

    /// Adds the Hessian entries of the first `count` elements of a register.
    #[inline(always)]
    fn fill<S: Simd>(&self, simd: S, values: &[Lanes<S>; H], to: &mut [f64], at: At, count: usize) {
        for (side, places) in self.columns.iter().zip(of_block(&self.places, at, self.columns.len())) {
            let (Side { entries: [i, j, k], length }, places) = (side, &places[at.lane..]);
            match length {
                3 => scatter(simd, [values[*i], values[*j], values[*k]], to, places, count),
                2 => scatter(simd, [values[*i], values[*j]], to, places, count),
                _ => scatter(simd, [values[*i]], to, places, count),
            }
        }
    }
}

/// The indices of the block of a register, where each block has so many.
#[inline(always)]
fn of_block(all: &[[u32; MOST_LANES]], at: At, each: usize) -> &[[u32; MOST_LANES]] {
    &all[at.block * each..][..each]
}

/// Tuples of this width by blocks of eight, each block by columns; lanes without an element get the last one.
fn spread(tuples: &[u32], width: usize) -> Vec<[u32; MOST_LANES]> {
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

/// Adds the first `count` lanes to the `N` numbers from each of the places on.
#[inline(always)]
fn scatter<S: Simd, const N: usize>(
    simd: S,
    values: [Lanes<S>; N],
    to: &mut [f64],
    places: &[u32],
    count: usize,
) {
    let lanes = Lanes::<S>::COUNT;
    let places = &places[..lanes];
    // One, two, or two and a third.
    let pairs = paired(simd, values[0], values[1 % N]);
    let odd = values[N - 1].to_array();
    let mut add = |k: usize| {
        let begin = places[k] as usize;
        let to = &mut to[begin..begin + N];
        if N > 1 {
            to[0] += pairs[k][0];
            to[1] += pairs[k][1];
        }
        if N != 2 {
            to[N - 1] += odd[k];
        }
    };
    // A loop of known length is unrolled.
    if count == lanes {
        (0..lanes).for_each(&mut add);
    } else {
        (0..count).for_each(&mut add);
    }
}
