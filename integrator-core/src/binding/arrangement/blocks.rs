//! Elements in arbitrary order, eight at a time.

use super::{Arguments, Elements, lanes_left};
use crate::binding::columns::Columns;
use crate::binding::element::{Element, Kernel};
use crate::binding::operation::Operation;
use crate::lanes::{Lanes, MOST_LANES, Width};
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
    places: Vec<Indices<H>>,
    elements: usize,
}

impl<const X: usize, const H: usize> Blocks<X, H> {
    pub(super) fn new<const C: usize>(elements: &Elements<X, C>, pattern: &SymmetricPattern) -> Self {
        let mut inputs = Vec::new();
        let mut places = Vec::new();
        for block in elements.inputs.chunks(MOST_LANES) {
            let mut indices = [[0; MOST_LANES]; X];
            let mut positions = [[0; MOST_LANES]; H];
            for lane in 0..MOST_LANES {
                let tuple = &block[lane.min(block.len() - 1)];
                for (index, of) in indices.iter_mut().zip(tuple) {
                    index[lane] = *of;
                }
                for (position, &(row, column)) in positions.iter_mut().zip(elements.entries) {
                    // The pattern is made of these very entries.
                    let place = pattern.position(tuple[row] as usize, tuple[column] as usize);
                    position[lane] = place.unwrap_or_default() as u32;
                }
            }
            inputs.push(indices);
            places.push(positions);
        }
        Self { inputs, places, elements: elements.inputs.len() }
    }

    /// The number of blocks.
    pub(super) fn len(&self) -> usize {
        self.inputs.len()
    }

    pub(super) fn sweep<O: Operation<X, C, H>, const C: usize>(
        &self,
        width: Width,
        part: Range<usize>,
        coefficients: &Columns<C>,
        arguments: Arguments<'_>,
    ) -> f64 {
        width.run(Sweep { blocks: self, part, coefficients, arguments, operation: PhantomData::<O> })
    }
}

/// Chooses the code for the registers at hand.
struct Sweep<'a, O, const X: usize, const C: usize, const H: usize> {
    blocks: &'a Blocks<X, H>,
    part: Range<usize>,
    coefficients: &'a Columns<C>,
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
        simd.vectorize(Loop { blocks, part, coefficients, arguments, simd, kernel: Kernel::of::<O>() })
    }
}

/// The loop, for any operation.
struct Loop<'a, S: Simd, const X: usize, const C: usize, const H: usize> {
    blocks: &'a Blocks<X, H>,
    part: Range<usize>,
    coefficients: &'a Columns<C>,
    arguments: Arguments<'a>,
    simd: S,
    kernel: Kernel<S, X, C, H>,
}

impl<S: Simd, const X: usize, const C: usize, const H: usize> WithSimd for Loop<'_, S, X, C, H> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<Same: Simd>(self, _: Same) -> f64 {
        let Self { blocks, part, coefficients, arguments, simd, kernel } = self;
        let Arguments { x, a, t, vector, matrix } = arguments;
        let lanes = Lanes::<S>::COUNT;
        let zero = Lanes::splat(simd, 0.0);
        let mut total = zero;
        let mut element = Element::<S, X, C, H>::new(simd, coefficients.splat(simd), t);
        for block in part {
            let inputs = &blocks.inputs[block];
            let mut lane = 0;
            while lane < MOST_LANES {
                let first = block * MOST_LANES + lane;
                if first >= blocks.elements {
                    break;
                }
                let count = lanes_left(first, blocks.elements, lanes);
                for (value, at) in element.x.iter_mut().zip(inputs) {
                    *value = gathered(simd, x, at, lane);
                }
                if kernel.direction {
                    for (value, at) in element.a.iter_mut().zip(inputs) {
                        *value = gathered(simd, a, at, lane);
                    }
                }
                coefficients.load(simd, first, &mut element.c);
                (kernel.call)(simd, &mut element);
                let output = &mut element.output;
                if kernel.scalar {
                    total = total + if count < lanes { output.scalar.first(count) } else { output.scalar };
                }
                if kernel.vector {
                    for (value, at) in output.vector.iter().zip(inputs) {
                        scatter(*value, vector, at, lane, count);
                    }
                }
                if kernel.matrix {
                    for (value, at) in output.matrix.iter().zip(&blocks.places[block]) {
                        scatter(*value, matrix, at, lane, count);
                    }
                }
                lane += lanes;
            }
        }
        total.total()
    }
}

/// The numbers at the indices from `lane` on, one in each lane.
#[inline(always)]
fn gathered<S: Simd>(simd: S, from: &[f64], at: &[u32; MOST_LANES], lane: usize) -> Lanes<S> {
    let mut values = [0.0; MOST_LANES];
    for k in 0..Lanes::<S>::COUNT {
        values[k] = from[at[lane + k] as usize];
    }
    Lanes::from_array(simd, &values)
}

/// Adds the first `count` lanes to the numbers at the indices from `lane` on.
#[inline(always)]
fn scatter<S: Simd>(values: Lanes<S>, to: &mut [f64], at: &[u32; MOST_LANES], lane: usize, count: usize) {
    let values = values.to_array();
    for k in 0..count {
        to[at[lane + k] as usize] += values[k];
    }
}
