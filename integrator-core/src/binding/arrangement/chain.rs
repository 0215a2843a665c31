//! A chain: each element reads two neighbouring points, and the next element the second of them and the one after.
//!
//! Everything is read and added where it stands. What two neighbouring elements add to the point between them, and to its block
//! of the matrix, is added up in registers first, so that each number in memory is touched once.

use super::{Arguments, Elements, FEW};
use crate::binding::element::{Compute, Element, Inlined};
use crate::binding::family::gathered;
use crate::binding::home;
use crate::binding::link::{COMPONENTS, Link};
use crate::binding::operation::{Operation, Output};
use crate::lanes::{Lanes, Registers, add_interleaved, deinterleaved, interleaved};
use crate::sparse::SymmetricPattern;
use pulp::{Simd, WithSimd};
use std::marker::PhantomData;

/// A family of elements along a chain.
#[derive(Debug, Clone)]
pub(super) struct Chain<const X: usize, const C: usize, const H: usize> {
    /// Where the first element begins.
    start: usize,
    /// How many elements there are in the chain, and the coefficients of all.
    count: usize,
    coefficients: [f64; C],
    /// Where the columns of the first point begin in the matrix.
    matrix: usize,
    /// The elements at the ends for which something is different.
    others: Vec<Other<X, H>>,
}

/// One element by itself.
#[derive(Debug, Clone)]
struct Other<const X: usize, const H: usize> {
    inputs: [u32; X],
    positions: [u32; H],
}

impl<const X: usize, const C: usize, const H: usize> Chain<X, C, H> {
    /// Whether elements that read `X` numbers can be links of a chain.
    const POSSIBLE: bool = Link::possible(X);
    /// The components of a point.
    const WIDTH: usize = X / 2;

    /// The chain that these elements are, but for a few at its ends.
    pub(super) fn of(elements: &Elements<X, C>, pattern: &SymmetricPattern) -> Option<Self> {
        let Elements { inputs, coefficients, entries, .. } = elements;
        let alike = coefficients.iter().all(|other| same_bits(other, &coefficients[0]));
        // The loop is compiled for one operation and its Hessian, which pays where it has the operation inside.
        if !Self::POSSIBLE || !elements.light || !alike {
            return None;
        }
        let start = inputs.iter().position(|at| neighbours(at))?;
        let links = inputs[start..].iter().enumerate();
        let advanced = |(e, at): &(usize, &[u32; X])| {
            neighbours(*at) && at[0] as usize == inputs[start][0] as usize + e * Self::WIDTH
        };
        let mut range = start..start + links.take_while(advanced).count();
        let positions = inputs.iter().map(|at| {
            let mut positions = [0; H];
            for (position, &(row, column)) in positions.iter_mut().zip(*entries) {
                *position = super::position(pattern, at[row], at[column]);
            }
            positions
        });
        let positions: Vec<[u32; H]> = positions.collect();
        let step = Link::step(Self::WIDTH);
        let matrix = pattern.position(inputs[start][0] as usize, inputs[start][0] as usize).unwrap_or(0);
        let in_place = |e: &usize| {
            entries.iter().zip(&positions[*e]).all(|(&(row, column), &position)| {
                position as usize == matrix + (e - start) * step + Link::offset(row, column, Self::WIDTH)
            })
        };
        // Where the matrix ends its columns are shorter.
        range.end = range.start + range.clone().take_while(in_place).count();
        let others = (0..range.start).chain(range.end..inputs.len());
        let others: Vec<_> = others.map(|e| Other { inputs: inputs[e], positions: positions[e] }).collect();
        if range.len() < FEW
            || others.len() * FEW > range.len()
            || matrix + range.len() * step > pattern.len()
        {
            return None;
        }
        let (start, coefficients) = (inputs[start][0] as usize, coefficients[0]);
        Some(Self { start, count: range.len(), coefficients, matrix, others })
    }

    /// Runs an operation over all elements and adds what it yields; returns the sum of its scalars.
    pub(super) fn sweep<O: Operation<X, C, H>>(&self, registers: Registers, arguments: Arguments<'_>) -> f64 {
        if const { !Self::POSSIBLE || !O::LIGHT } {
            // Never laid out so.
            return 0.0;
        }
        let Arguments { x, a, now, vector, matrix } = arguments;
        let mut sum = 0.0;
        for Other { inputs, positions } in &self.others {
            let mut output = Output::nothing(now);
            let at = gathered(x, inputs);
            let direction = if O::DIRECTION { gathered(a, inputs) } else { at };
            home::one::<O, X, C, H>()(&at, &direction, &self.coefficients, now, &mut output);
            sum += output.scalar;
            if O::VECTOR {
                inputs.iter().zip(output.vector).for_each(|(at, value)| vector[*at as usize] += value);
            }
            if O::MATRIX {
                positions.iter().zip(output.matrix).for_each(|(at, value)| matrix[*at as usize] += value);
            }
        }
        let arguments = Arguments { x, a, now, vector, matrix };
        sum + registers.run(Sweep { chain: self, arguments, operation: PhantomData::<O> })
    }
}

/// Whether these indices follow each other.
fn neighbours(inputs: &[u32]) -> bool {
    inputs.iter().zip(inputs[0]..).all(|(at, expected)| *at == expected)
}

fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

/// Chooses the code for the registers at hand.
struct Sweep<'a, O, const X: usize, const C: usize, const H: usize> {
    chain: &'a Chain<X, C, H>,
    arguments: Arguments<'a>,
    operation: PhantomData<O>,
}

impl<O: Operation<X, C, H>, const X: usize, const C: usize, const H: usize> WithSimd
    for Sweep<'_, O, X, C, H>
{
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let Self { chain, arguments, .. } = self;
        simd.vectorize(Loop { chain, arguments, simd, kernel: Inlined::<O>::new() })
    }
}

/// The loop.
struct Loop<'a, S: Simd, K, const X: usize, const C: usize, const H: usize> {
    chain: &'a Chain<X, C, H>,
    arguments: Arguments<'a>,
    simd: S,
    kernel: K,
}

impl<S: Simd, K: Compute<S, X, C, H>, const X: usize, const C: usize, const H: usize> WithSimd
    for Loop<'_, S, K, X, C, H>
{
    type Output = f64;

    #[inline(always)]
    fn with_simd<Same: Simd>(mut self, _: Same) -> f64 {
        let simd = self.simd;
        let Chain { count, coefficients, .. } = *self.chain;
        let (width, lanes) = (Chain::<X, C, H>::WIDTH, Lanes::<S>::COUNT);
        let yields = self.kernel.yields();
        let zero = Lanes::splat(simd, 0.0);
        let mut c = [zero; C];
        c.iter_mut().zip(coefficients).for_each(|(lanes, value)| *lanes = Lanes::splat(simd, value));
        let mut element = Element::new(simd, c, self.arguments.now);
        let mut total = zero;
        let mut carried = Carried { vector: [zero; X], matrix: [zero; H] };
        let mut at = 0;
        while at < count {
            let left = (count - at).min(lanes);
            // The last register overlaps the one before it, of which it leaves out what is done.
            let (first, done) = (at + left - lanes, lanes - left);
            if done > 0 {
                self.release(at, &mut carried);
            }
            element.x = self.read(self.arguments.x, first);
            if yields.direction {
                element.a = self.read(self.arguments.a, first);
            }
            self.kernel.run(simd, &mut element);
            let output = &mut element.output;
            if done > 0 {
                leave_out(done, output, yields.vector, yields.matrix);
            }
            if yields.scalar {
                total = total + output.scalar;
            }
            if yields.vector {
                let mut sums = [zero; COMPONENTS];
                for k in 0..width {
                    let (here, next) = (output.vector[k], output.vector[k + width]);
                    sums[k] = here + next.after(simd, carried.vector[k]);
                    carried.vector[k] = next;
                }
                let begin = self.chain.start + width * first;
                add_interleaved(simd, &sums[..width], &mut self.arguments.vector[begin..][..width * lanes]);
            }
            if yields.matrix {
                let begin = self.chain.matrix + const { Link::step(X / 2) } * first;
                let to = &mut self.arguments.matrix[begin..];
                match const { X / 2 } {
                    1 => add_columns::<K, S, 2, X, C, H>(simd, &output.matrix, &mut carried.matrix, to),
                    2 => add_columns::<K, S, 7, X, C, H>(simd, &output.matrix, &mut carried.matrix, to),
                    _ => add_columns::<K, S, 15, X, C, H>(simd, &output.matrix, &mut carried.matrix, to),
                }
            }
            at += left;
        }
        self.release(count, &mut carried);
        total.total()
    }
}

/// What the last elements have for those after them, aligned to cache lines as the elements are.
#[repr(align(64))]
struct Carried<S: Simd, const X: usize, const H: usize> {
    vector: [Lanes<S>; X],
    matrix: [Lanes<S>; H],
}

impl<S: Simd, K: Compute<S, X, C, H>, const X: usize, const C: usize, const H: usize>
    Loop<'_, S, K, X, C, H>
{
    /// What the elements from `first` on read of a vector.
    #[inline(always)]
    fn read(&self, from: &[f64], first: usize) -> [Lanes<S>; X] {
        let (width, lanes) = (Chain::<X, C, H>::WIDTH, Lanes::<S>::COUNT);
        let from = &from[self.chain.start + width * first..][..width * (lanes + 1)];
        let zero = Lanes::splat(self.simd, 0.0);
        let (mut here, mut next) = ([zero; COMPONENTS], [zero; COMPONENTS]);
        deinterleaved(self.simd, &from[..width * lanes], &mut here[..width]);
        deinterleaved(self.simd, &from[width..], &mut next[..width]);
        let mut values = [zero; X];
        for k in 0..width {
            (values[k], values[k + width]) = (here[k], next[k]);
        }
        values
    }

    /// Adds what the last of the first `done` elements has for the one after it, and forgets it.
    #[inline(always)]
    fn release(&mut self, done: usize, carried: &mut Carried<S, X, H>) {
        let yields = self.kernel.yields();
        let zero = Lanes::splat(self.simd, 0.0);
        let Self { chain, arguments: Arguments { vector, matrix, .. }, .. } = self;
        if yields.vector {
            let width = Chain::<X, C, H>::WIDTH;
            let point = &mut vector[chain.start + width * done..][..width];
            point.iter_mut().zip(&carried.vector).for_each(|(to, value)| *to += value.last());
            carried.vector = [zero; X];
        }
        if yields.matrix {
            let step = const { Link::step(X / 2) };
            let columns = &mut matrix[chain.matrix + step * done..];
            for (to, slot) in columns.iter_mut().zip(const { &K::LINK }.slots(step)) {
                if let Some(entry) = slot.before {
                    *to += carried.matrix[entry].last();
                }
            }
            carried.matrix = [zero; H];
        }
    }
}

/// Forgets the first lanes.
#[inline(always)]
fn leave_out<S: Simd, const X: usize, const H: usize>(
    done: usize,
    output: &mut Output<Lanes<S>, X, H>,
    vector: bool,
    matrix: bool,
) {
    output.scalar = output.scalar.without(done);
    if vector {
        for value in &mut output.vector {
            *value = value.without(done);
        }
    }
    if matrix {
        for value in &mut output.matrix {
            *value = value.without(done);
        }
    }
}

/// Adds the columns of the first points of the elements of a register: entries of an element, and those of the element before
/// it for the same point.
#[inline(always)]
fn add_columns<K, S, const N: usize, const X: usize, const C: usize, const H: usize>(
    simd: S,
    values: &[Lanes<S>; H],
    carried: &mut [Lanes<S>; H],
    to: &mut [f64],
) where
    K: Compute<S, X, C, H>,
    S: Simd,
{
    let mut columns = [Lanes::splat(simd, 0.0); N];
    for (column, slot) in columns.iter_mut().zip(const { &K::LINK }.slots(N)) {
        if let Some(entry) = slot.here {
            *column = values[entry];
        }
        if let Some(entry) = slot.before {
            *column = *column + values[entry].after(simd, carried[entry]);
            carried[entry] = values[entry];
        }
    }
    let lanes = Lanes::<S>::COUNT;
    let to = &mut to[..N * lanes];
    for (k, row) in interleaved(simd, columns).into_iter().enumerate() {
        row.add_to(to, k * lanes);
    }
}
