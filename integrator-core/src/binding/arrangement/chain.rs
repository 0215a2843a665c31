//! A chain: each element reads two neighbouring points, and the next element the second of them and the one after.
//!
//! Everything is read and added where it stands. What two neighbouring elements add to the point between them, and to its block
//! of the matrix, is added up in registers first, so that each number in memory is touched once.

use super::{Arguments, Elements, FEW, Matrix};
use crate::binding::element::{Compute, Element, Inlined, leave_out};
use crate::binding::family::same_bits;
use crate::binding::home::{self, Stretch};
use crate::binding::link::{COMPONENTS, Link};
use crate::binding::operation::Operation;
use crate::lanes::{Lanes, Registers, add_interleaved, deinterleaved, interleaved, vectorize};
use crate::sparse::SymmetricPattern;
use pulp::{Simd, WithSimd};
use std::marker::PhantomData;
use std::ops::Range;

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
    /// Whether nothing else fills the columns of the first points of all elements, so that a sweep may write there.
    alone: bool,
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
    pub(super) fn of(elements: &Elements<X, C>, matrix: Matrix<'_>) -> Option<Self> {
        let Elements { inputs, coefficients, entries, light, .. } = elements;
        let alike = coefficients.iter().all(|other| same_bits(other, &coefficients[0]));
        // The loop is compiled for one operation and its Hessian, which pays where it has the operation inside.
        if !Self::POSSIBLE || !light || !alike {
            return None;
        }
        let mut positions = vec![[0; H]; inputs.len()];
        for (positions, at) in positions.iter_mut().zip(inputs) {
            for (position, &(row, column)) in positions.iter_mut().zip(*entries) {
                *position = super::position(matrix.pattern, at[row], at[column]);
            }
        }
        let every = Every { inputs: inputs.as_flattened(), positions: positions.as_flattened(), entries };
        let Found { range, matrix, alone } = every.longest(X, matrix)?;
        let others = (0..range.start).chain(range.end..inputs.len());
        let others: Vec<_> = others.map(|e| Other { inputs: inputs[e], positions: positions[e] }).collect();
        if range.len() < FEW || others.len() * FEW > range.len() {
            return None;
        }
        let (start, coefficients) = (inputs[range.start][0] as usize, coefficients[0]);
        Some(Self { start, count: range.len(), coefficients, matrix, alone, others })
    }

    /// Shows the positions over which a sweep writes.
    pub(super) fn visit_written(&self, visit: &mut dyn FnMut(Range<usize>)) {
        if self.alone {
            visit(self.matrix..self.matrix + self.count * Link::step(Self::WIDTH));
        }
    }

    /// Runs an operation over all elements and adds what it yields; returns the sum of its scalars.
    pub(super) fn sweep<O: Operation<X, C, H>>(
        &self,
        registers: Registers,
        mut arguments: Arguments<'_>,
    ) -> f64 {
        if const { !Self::POSSIBLE || !O::LIGHT } {
            // Never laid out so.
            return 0.0;
        }
        let again = arguments.again();
        let mut sum = registers.run(Sweep { chain: self, arguments: again, operation: PhantomData::<O> });
        // After the loop, which may write where these add.
        for Other { inputs, positions } in &self.others {
            let alone = Stretch::of_one(inputs, positions, &self.coefficients);
            sum += home::one_by_one::<O, X, C, H>()(arguments.again(), &alone);
        }
        sum
    }
}

/// All elements: what they read and what they fill, one after the other.
struct Every<'a> {
    inputs: &'a [u32],
    positions: &'a [u32],
    entries: &'a [(usize, usize)],
}

/// The links that are found.
struct Found {
    range: Range<usize>,
    /// Where the columns of the first point of the first of them begin.
    matrix: usize,
    alone: bool,
}

impl Every<'_> {
    /// The longest chain of elements that read `width` numbers, from the first or the second on.
    fn longest(&self, width: usize, matrix: Matrix<'_>) -> Option<Found> {
        // On a ring, the columns of the first point are longer.
        let chains = [0, 1].map(|start| (start, self.links_from(start, width, matrix.pattern)));
        let (start, count) = chains.into_iter().max_by_key(|&(start, count)| (count, 1 - start))?;
        let (range, step) = (start..start + count, Link::step(width / 2));
        let first = *self.inputs.get(start * width)? as usize;
        let begin = matrix.pattern.position(first, first)?;
        let columns =
            |range: &Range<usize>| begin + step * (range.start - start)..begin + step * (range.end - start);
        // What the first element has for the point after it, it adds as those elements do that are no links.
        let inner = range.start + 1..range.end.max(range.start + 1);
        let alone = self.fill_alone(columns(&inner), matrix);
        let range = if alone { inner } else { range };
        let written = columns(&range);
        (written.end <= matrix.pattern.len()).then_some(Found { range, matrix: written.start, alone })
    }

    /// How many elements from `start` on are links of a chain.
    fn links_from(&self, start: usize, width: usize, pattern: &SymmetricPattern) -> usize {
        let Some(&first) = self.inputs.get(start * width) else { return 0 };
        let Some(begin) = pattern.position(first as usize, first as usize) else { return 0 };
        let (point, number) = (width / 2, self.entries.len());
        let inputs = self.inputs.chunks_exact(width).skip(start).enumerate();
        let link = |&(e, inputs): &(usize, &[u32])| {
            let neighbours =
                (first as usize + e * point..).zip(inputs).all(|(at, input)| at == *input as usize);
            let positions = &self.positions[(start + e) * number..][..number];
            let columns = begin + e * Link::step(point);
            // Where the matrix ends its columns are shorter.
            let in_place = self.entries.iter().zip(positions).all(|(&(row, column), &position)| {
                position as usize == columns + Link::offset(row, column, point)
            });
            neighbours && in_place
        };
        inputs.take_while(link).count()
    }

    /// Whether these elements alone fill the positions of this range.
    fn fill_alone(&self, range: Range<usize>, Matrix { pattern, filled }: Matrix<'_>) -> bool {
        let Some(filled) = filled.get(range.clone()) else { return false };
        let mut others: Vec<Option<u8>> =
            filled.iter().map(|count| Some(*count).filter(|it| *it < u8::MAX)).collect();
        let diagonal = (0..pattern.dimension()).filter_map(|row| pattern.position(row, row));
        let own = self.positions.iter().map(|position| *position as usize);
        for position in own.chain(diagonal).filter(|position| range.contains(position)) {
            let others = &mut others[position - range.start];
            *others = others.and_then(|count| count.checked_sub(1));
        }
        others.iter().all(|count| *count == Some(0))
    }
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
        vectorize(simd, Loop { chain, arguments, simd, kernel: Inlined::<O>::new() })
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
        let Chain { count, coefficients, alone, .. } = *self.chain;
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
                self.release(at, carried, yields.matrix && !alone);
                carried = Carried { vector: [zero; X], matrix: [zero; H] };
            }
            element.x = self.read(self.arguments.x, first);
            if yields.direction {
                element.a = self.read(self.arguments.a, first);
            }
            self.kernel.run(simd, &mut element);
            let output = &mut element.output;
            if done > 0 {
                leave_out(done, output, yields.vector, yields.matrix && !alone);
            }
            if yields.scalar {
                total = total + output.scalar;
            }
            if yields.vector {
                let mut sums = [zero; COMPONENTS];
                for (k, sum) in sums.iter_mut().enumerate().take(width) {
                    let (here, next) = (output.vector[k], output.vector[k + width]);
                    *sum = here + next.after(simd, carried.vector[k]);
                    carried.vector[k] = next;
                }
                let begin = self.chain.start + width * first;
                add_interleaved(simd, &sums[..width], &mut self.arguments.vector[begin..][..width * lanes]);
            }
            if yields.matrix {
                let begin = self.chain.matrix + const { Link::step(X / 2) } * first;
                let to = &mut self.arguments.matrix[begin..];
                let written = alone.then_some(done);
                match const { X / 2 } {
                    1 => fill::<K, S, 2, X, C, H>(simd, &output.matrix, &mut carried.matrix, to, written),
                    2 => fill::<K, S, 7, X, C, H>(simd, &output.matrix, &mut carried.matrix, to, written),
                    _ => fill::<K, S, 15, X, C, H>(simd, &output.matrix, &mut carried.matrix, to, written),
                }
            }
            at += left;
        }
        self.release(count, carried, yields.matrix);
        total.total()
    }
}

/// What the last elements have for those after them, aligned to cache lines as the elements are.
#[derive(Clone, Copy)]
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

    /// Adds what the last of the first `done` elements has for the one after it, of which it takes a copy: what the loop carries
    /// on needs no address then, and stays in registers.
    #[inline(always)]
    fn release(&mut self, done: usize, carried: Carried<S, X, H>, matrix: bool) {
        let yields = self.kernel.yields();
        let Self { chain, arguments, .. } = self;
        if yields.vector {
            let width = Chain::<X, C, H>::WIDTH;
            let point = &mut arguments.vector[chain.start + width * done..][..width];
            point.iter_mut().zip(&carried.vector).for_each(|(to, value)| *to += value.last());
        }
        if matrix {
            let step = const { Link::step(X / 2) };
            let columns = &mut arguments.matrix[chain.matrix + step * done..];
            for (to, slot) in columns.iter_mut().zip(const { &K::LINK }.slots(step)) {
                if let Some(entry) = slot.before {
                    *to += carried.matrix[entry].last();
                }
            }
        }
    }
}

/// Adds the columns of the first points of the elements of a register: entries of an element, and those of the element before
/// it for the same point. Where these may be written, it writes all but the first `written` of them.
#[inline(always)]
fn fill<K, S, const N: usize, const X: usize, const C: usize, const H: usize>(
    simd: S,
    values: &[Lanes<S>; H],
    carried: &mut [Lanes<S>; H],
    to: &mut [f64],
    written: Option<usize>,
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
    let rows = interleaved(simd, columns);
    match written {
        None => {
            for (k, row) in rows.iter().enumerate() {
                row.add_to(to, k * lanes);
            }
        }
        Some(0) => {
            for (k, row) in rows.iter().enumerate() {
                row.write(to, k * lanes);
            }
        }
        Some(written) => {
            for (k, row) in rows.iter().enumerate() {
                let before = (N * written).saturating_sub(k * lanes).min(lanes);
                to[k * lanes..][before..lanes].copy_from_slice(&row.to_array()[before..lanes]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Chain, Elements, Matrix};
    use crate::sparse::SymmetricPattern;

    /// Every entry of the lower triangle of a pair of points in the plane.
    const ENTRIES: [(usize, usize); 10] =
        [(0, 0), (1, 0), (2, 0), (3, 0), (1, 1), (2, 1), (3, 1), (2, 2), (3, 2), (3, 3)];

    /// Bonds in the plane between these points, in a matrix to which others add once at each of the rows `also`: where the chain
    /// begins, how many of its elements are links, whether they are alone, and how many are none.
    fn bonds(pairs: impl Iterator<Item = [u32; 2]>, also: &[usize]) -> Option<(usize, usize, bool, usize)> {
        let inputs: Vec<[u32; 4]> = pairs.map(|[a, b]| [2 * a, 2 * a + 1, 2 * b, 2 * b + 1]).collect();
        let entries = |at: &[u32; 4]| ENTRIES.map(|(row, column)| (at[row] as usize, at[column] as usize));
        let filled = inputs.iter().flat_map(entries).chain(also.iter().map(|row| (*row, *row)));
        let dimension = inputs.iter().flatten().max().map_or(0, |last| *last as usize + 1);
        let (pattern, filled) = SymmetricPattern::counted(dimension, filled);
        let coefficients = vec![[1.0]; inputs.len()];
        let elements = Elements { inputs, coefficients, entries: &ENTRIES, operations: 11, light: true };
        let chain = Chain::<4, 1, 10>::of(&elements, Matrix { pattern: &pattern, filled: &filled })?;
        Some((chain.start, chain.count, chain.alone, chain.others.len()))
    }

    #[test]
    fn a_chain_is_written_where_it_is_alone() {
        let open = || (0..50).map(|i| [i, i + 1]);
        // The last bond ends where the columns of the matrix are shorter; alone, the first one is done by itself, too.
        assert_eq!(bonds(open(), &[]), Some((2, 48, true, 2)));
        assert_eq!(bonds(open(), &[0]), Some((2, 48, true, 2)));
        assert_eq!(bonds(open(), &[7]), Some((0, 49, false, 1)));
    }

    #[test]
    fn a_ring_is_a_chain_but_for_its_ends() {
        let ring = |n: u32| (0..n).map(move |i| [i, (i + 1) % n]);
        assert_eq!(bonds(ring(100), &[]), Some((4, 96, true, 4)));
        assert_eq!(bonds(ring(10), &[]), None);
    }

    #[test]
    fn what_skips_a_point_is_no_chain() {
        assert_eq!(bonds((0..50).map(|i| [i, i + 2]), &[]), None);
        assert_eq!(bonds((0..50).map(|i| [i + 1, i]), &[]), None);
    }
}
