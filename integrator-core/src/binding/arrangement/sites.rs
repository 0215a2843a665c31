//! Sites: each element reads a point of its own, and the next element the point after it, as potentials on a site do.
//!
//! Everything is read and added where it stands; nothing is staged.

use super::{Arguments, Elements, FEW, Matrix};
use crate::binding::columns::Columns;
use crate::binding::element::{Called, Compute, Element, Inlined, leave_out, run_shared};
use crate::binding::operation::Operation;
use crate::lanes::{Lanes, Registers, add_interleaved, deinterleaved, interleaved, vectorize};
use pulp::{Simd, WithSimd};
use std::marker::PhantomData;
use std::ops::Range;

/// The most components of a point.
const COMPONENTS: usize = 3;

/// A family of elements with a point each.
#[derive(Debug, Clone)]
pub(super) struct Sites<const X: usize, const C: usize, const H: usize> {
    /// Where the first point begins.
    start: usize,
    count: usize,
    coefficients: Columns<C>,
    /// Where the Hessian entries of the first element stand, and how far they advance.
    places: [usize; H],
    step: usize,
    /// How these places lie.
    filling: Filling,
}

/// How Hessian entries lie in the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Filling {
    /// Side by side, where nothing else is added: a sweep may write.
    Alone,
    /// Side by side.
    Together,
    /// With others between them.
    Apart,
}

impl<const X: usize, const C: usize, const H: usize> Sites<X, C, H> {
    /// Whether elements that read `X` numbers can be such.
    const POSSIBLE: bool = 0 < X && X <= COMPONENTS;

    /// The sites that these elements are.
    pub(super) fn of(elements: &Elements<X, C>, matrix: Matrix<'_>) -> Option<Self> {
        let Elements { inputs, coefficients, entries, .. } = elements;
        let count = inputs.len();
        let start = inputs.first().filter(|_| Self::POSSIBLE && count >= FEW)?[0];
        let end = start.checked_add((X * count) as u32)?;
        if !inputs.as_flattened().iter().copied().eq(start..end) {
            return None;
        }
        let place = |element: usize, entry: usize| {
            let (row, column) = entries[entry];
            super::position(matrix.pattern, inputs[element][row], inputs[element][column]) as usize
        };
        let mut places = [0; H];
        places.iter_mut().enumerate().for_each(|(entry, to)| *to = place(0, entry));
        let step = if H == 0 { 0 } else { place(1, 0).checked_sub(places[0])? };
        let advance =
            |element: usize| (0..H).all(|entry| place(element, entry) == places[entry] + element * step);
        if !(1..count).all(advance) {
            return None;
        }
        let together = step == H && (0..H).all(|entry| places[entry] == places[0] + entry);
        let alone = || {
            // The diagonal counts once more.
            let own = |entry: usize| 1 + u8::from(entries[entry].0 == entries[entry].1);
            // A linear function fills nothing.
            let begin = places.first().copied().unwrap_or_default();
            let filled = matrix.filled.get(begin..begin + H * count);
            filled.is_some_and(|filled| filled.iter().enumerate().all(|(at, found)| *found == own(at % H)))
        };
        let filling = match together {
            true if alone() => Filling::Alone,
            true => Filling::Together,
            false => Filling::Apart,
        };
        let coefficients = Columns::new(coefficients, &[(0..count, 0)]);
        Some(Self { start: start as usize, count, coefficients, places, step, filling })
    }

    /// Shows the positions over which a sweep writes.
    pub(super) fn visit_written(&self, visit: &mut dyn FnMut(Range<usize>)) {
        if let (Some(&begin), Filling::Alone) = (self.places.first(), self.filling) {
            visit(begin..begin + H * self.count);
        }
    }

    /// Runs an operation over all elements and adds what it yields; returns the sum of its scalars.
    pub(super) fn sweep<O: Operation<X, C, H>>(&self, registers: Registers, arguments: Arguments<'_>) -> f64 {
        if const { !Self::POSSIBLE } {
            // Never laid out so.
            return 0.0;
        }
        registers.run(Sweep { sites: self, arguments, operation: PhantomData::<O> })
    }
}

/// Chooses the code for the registers at hand.
struct Sweep<'a, O, const X: usize, const C: usize, const H: usize> {
    sites: &'a Sites<X, C, H>,
    arguments: Arguments<'a>,
    operation: PhantomData<O>,
}

impl<O: Operation<X, C, H>, const X: usize, const C: usize, const H: usize> WithSimd
    for Sweep<'_, O, X, C, H>
{
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let Self { sites, arguments, .. } = self;
        if const { O::LIGHT } {
            vectorize(simd, Loop { sites, arguments, simd, kernel: Inlined::<O>::new() })
        } else {
            run_shared(simd, Loop { sites, arguments, simd, kernel: Called::of::<O>() })
        }
    }
}

/// The loop.
struct Loop<'a, S: Simd, K, const X: usize, const C: usize, const H: usize> {
    sites: &'a Sites<X, C, H>,
    arguments: Arguments<'a>,
    simd: S,
    kernel: K,
}

impl<S: Simd, K: Compute<S, X, C, H>, const X: usize, const C: usize, const H: usize> WithSimd
    for Loop<'_, S, K, X, C, H>
{
    type Output = f64;

    #[inline(always)]
    fn with_simd<Same: Simd>(self, _: Same) -> f64 {
        let Self { sites, arguments, simd, kernel } = self;
        let Arguments { x, a, now, vector, matrix } = arguments;
        let &Sites { start, count, filling, .. } = sites;
        let lanes = Lanes::<S>::COUNT;
        let yields = kernel.yields();
        let mut element = Element::new(simd, sites.coefficients.splat(simd), now);
        let mut total = Lanes::splat(simd, 0.0);
        let mut at = 0;
        while at < count {
            let left = (count - at).min(lanes);
            // The last register overlaps the one before it, of which it leaves out what is done.
            let (first, done) = (at + left - lanes, lanes - left);
            let points = start + X * first..start + X * (first + lanes);
            deinterleaved(simd, &x[points.clone()], &mut element.x);
            if yields.direction {
                deinterleaved(simd, &a[points.clone()], &mut element.a);
            }
            sites.coefficients.load(simd, first, &mut element.c);
            kernel.run(simd, &mut element);
            let output = &mut element.output;
            if done > 0 {
                // What is written again is the same.
                leave_out(done, output, yields.vector, yields.matrix && filling != Filling::Alone);
            }
            if yields.scalar {
                total = total + output.scalar;
            }
            if yields.vector {
                add_interleaved(simd, &output.vector, &mut vector[points]);
            }
            if yields.matrix {
                sites.fill(simd, first, &output.matrix, matrix);
            }
            at += left;
        }
        total.total()
    }
}

impl<const X: usize, const C: usize, const H: usize> Sites<X, C, H> {
    /// Adds or writes the Hessian entries of a register of elements.
    #[inline(always)]
    fn fill<S: Simd>(&self, simd: S, first: usize, values: &[Lanes<S>; H], matrix: &mut [f64]) {
        let lanes = Lanes::<S>::COUNT;
        if self.filling == Filling::Apart {
            for (value, place) in values.iter().zip(&self.places) {
                let numbers = value.to_array();
                let to = matrix[place + self.step * first..].iter_mut().step_by(self.step.max(1));
                for (to, number) in to.zip(&numbers[..lanes]) {
                    *to += *number;
                }
            }
        } else if let Some(place) = self.places.first() {
            let to = &mut matrix[place + H * first..][..H * lanes];
            for (k, row) in interleaved(simd, *values).iter().enumerate() {
                if self.filling == Filling::Alone {
                    row.write(to, k * lanes);
                } else {
                    row.add_to(to, k * lanes);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Elements, Filling, Matrix, Sites};
    use crate::sparse::SymmetricPattern;

    /// How the Hessian entries of points in the plane lie, if these are sites, in a matrix to which others add at these places.
    fn points(first: impl Iterator<Item = u32>, also: &[(usize, usize)]) -> Option<Filling> {
        let entries: &'static [(usize, usize)] = &[(0, 0), (1, 0), (1, 1)];
        let inputs: Vec<[u32; 2]> = first.map(|at| [at, at + 1]).collect();
        let own = |at: &[u32; 2]| {
            entries.iter().map(|&(row, column)| (at[row] as usize, at[column] as usize)).collect()
        };
        let filled: Vec<(usize, usize)> =
            inputs.iter().flat_map::<Vec<_>, _>(own).chain(also.iter().copied()).collect();
        let (pattern, filled) = SymmetricPattern::counted(300, filled);
        let coefficients = vec![[]; inputs.len()];
        let elements = Elements { inputs, coefficients, entries, operations: 20, light: true };
        Sites::<2, 0, 3>::of(&elements, Matrix { pattern: &pattern, filled: &filled })
            .map(|sites| sites.filling)
    }

    #[test]
    fn a_linear_function_fills_nothing() {
        let pattern = SymmetricPattern::new(40, []);
        let inputs: Vec<[u32; 1]> = (3..35).map(|at| [at]).collect();
        let coefficients = vec![[]; inputs.len()];
        let elements = Elements { inputs, coefficients, entries: &[], operations: 1, light: true };
        for filled in [&[][..], &[1; 40]] {
            let sites = Sites::<1, 0, 0>::of(&elements, Matrix { pattern: &pattern, filled });
            sites.unwrap().visit_written(&mut |range| panic!("{range:?}"));
        }
    }

    #[test]
    fn sites_are_side_by_side() {
        let sites = || (0..60).map(|i| 10 + 2 * i);
        assert_eq!(points(sites(), &[]), Some(Filling::Alone));
        assert_eq!(points(sites(), &[(30, 30)]), Some(Filling::Together));
        let couplings: Vec<_> = (10..130).map(|k| (k + 2, k)).collect();
        assert_eq!(points(sites(), &couplings), Some(Filling::Apart));
        // One coupling more in the middle, and every other point.
        assert_eq!(points(sites(), &[(40, 30)]), None);
        assert_eq!(points(sites().map(|at| 2 * at), &[]), None);
        assert_eq!(points(sites().rev(), &[]), None);
    }
}
