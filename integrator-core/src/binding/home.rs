//! Where the code of a kernel is compiled.
//!
//! The compiler of Rust optimizes modules side by side, and puts a provided method of a trait into the module of the type that has
//! it. So the code of a kernel belongs to types that stand in modules of their own, one for each family and width; otherwise all
//! of a crate's kernels would be one piece of work, and one processor would do it.

use super::arrangement::Arguments;
use super::element::Element;
use super::family::Part;
use super::index::Steps;
use super::kernel::Fill;
use super::operation::{Operation, Reads};
use crate::lanes::vectorize;
use pulp::{Simd, WithSimd};
use std::marker::PhantomData;
use std::ops::Range;

/// The types to which the code of a kernel belongs.
pub trait Homes: 'static {
    /// That of one element at a time.
    type One: 'static;
    /// That of registers of four lanes, and fewer.
    type Four: 'static;
    /// That of registers of eight lanes.
    type Eight: 'static;
}

/// Consecutive elements, to be computed one after the other.
pub(super) struct Stretch<'a, const X: usize, const C: usize, const H: usize> {
    pub(super) count: usize,
    /// What each reads, and where it adds.
    pub(super) at: Steps<'a, X>,
    /// What each adds to in the matrix.
    pub(super) positions: Steps<'a, H>,
    pub(super) coefficients: Part<'a, C>,
}

impl<'a, const X: usize, const C: usize, const H: usize> Stretch<'a, X, C, H> {
    /// A single element.
    pub(super) fn of_one(at: &'a [u32; X], positions: &'a [u32; H], coefficients: &'a [f64; C]) -> Self {
        let (at, positions) = (Steps::still(at), Steps::still(positions));
        Self { count: 1, at, positions, coefficients: Part::shared(coefficients) }
    }
}

/// The function of an operation for elements one after the other; returns the sum of their scalars.
///
/// It reads and adds itself: numbers that another function puts together one by one are waited for where they are read in pairs, and
/// what waits for the end to be added is written twice. And it has the loop inside: a call for each element would be a tenth of
/// what an angle costs.
pub(super) type OneByOne<const X: usize, const C: usize, const H: usize> =
    fn(Arguments<'_>, &Stretch<'_, X, C, H>) -> f64;

/// The function of an operation for the elements of a register.
pub(super) type Several<S, const X: usize, const C: usize, const H: usize> = fn(S, &mut Element<S, X, C, H>);

/// The operation for elements one after the other.
pub(super) fn one_by_one<O: Operation<X, C, H>, const X: usize, const C: usize, const H: usize>()
-> OneByOne<X, C, H> {
    <O::Kernel as Homes>::One::one_by_one::<O, X, C, H>
}

/// The operation for the elements of a register.
pub(super) fn several<O, S, const X: usize, const C: usize, const H: usize>() -> Several<S, X, C, H>
where
    O: Operation<X, C, H>,
    S: Simd,
{
    if const { S::F64_LANES > 4 } {
        <O::Kernel as Homes>::Eight::several::<O, S, X, C, H>
    } else {
        <O::Kernel as Homes>::Four::several::<O, S, X, C, H>
    }
}

/// What stands beside a type. Never inlined: all loops around a large kernel share its code.
trait Home: 'static {
    #[inline(never)]
    fn one_by_one<O: Operation<X, C, H>, const X: usize, const C: usize, const H: usize>(
        Arguments { x, a, now, vector, matrix }: Arguments<'_>,
        &Stretch { count, at, positions, coefficients }: &Stretch<'_, X, C, H>,
    ) -> f64 {
        let mut sum = 0.0;
        for e in 0..count {
            let (start, indices) = at.of(e);
            let at = Points { start, indices, components: const { O::POINT } };
            let x = at.read(x);
            let a = if O::DIRECTION { at.read(a) } else { x };
            let reads = Reads { x: &x, a: &a, c: coefficients.of(e), now };
            let mut vector = Added { to: &mut *vector, at };
            let (start, positions) = if O::MATRIX { positions.of(e) } else { (0, &[0; H]) };
            let mut matrix = Entries { to: &mut *matrix, start, positions };
            sum += O::yielded(reads, &mut vector, &mut matrix);
        }
        sum
    }

    /// In a function with the instructions of that register.
    #[inline(never)]
    fn several<O, S, const X: usize, const C: usize, const H: usize>(
        simd: S,
        element: &mut Element<S, X, C, H>,
    ) where
        O: Operation<X, C, H>,
        S: Simd,
    {
        struct Call<'a, O, S: Simd, const X: usize, const C: usize, const H: usize> {
            element: &'a mut Element<S, X, C, H>,
            operation: PhantomData<O>,
        }
        impl<O: Operation<X, C, H>, S: Simd, const X: usize, const C: usize, const H: usize> WithSimd
            for Call<'_, O, S, X, C, H>
        {
            type Output = ();

            #[inline(always)]
            fn with_simd<Same: Simd>(self, _: Same) {
                let Element { x, a, c, now, output } = self.element;
                O::element(Reads { x, a, c, now: *now }, output);
            }
        }
        vectorize(simd, Call { element, operation: PhantomData::<O> });
    }
}

impl<T: 'static> Home for T {}

/// Where an element stands in a vector: points of so many neighbouring components each.
#[derive(Clone, Copy)]
struct Points<'a, const X: usize> {
    /// What the indices are counted from.
    start: usize,
    indices: &'a [u32; X],
    components: usize,
}

impl<'a, const X: usize> Points<'a, X> {
    /// The components of each.
    #[inline(always)]
    fn ranges(self) -> impl Iterator<Item = Range<usize>> + use<'a, X> {
        let start = move |point: &[u32]| self.start + point[0] as usize;
        self.indices.chunks_exact(self.components).map(start).map(move |start| start..start + self.components)
    }

    #[inline(always)]
    fn read(self, from: &[f64]) -> [f64; X] {
        let mut values = [0.0; X];
        for (point, range) in values.chunks_exact_mut(self.components).zip(self.ranges()) {
            point.copy_from_slice(&from[range]);
        }
        values
    }
}

/// A vector to which an element adds.
struct Added<'a, const X: usize> {
    to: &'a mut [f64],
    at: Points<'a, X>,
}

impl<const X: usize> Fill<f64> for Added<'_, X> {
    #[inline(always)]
    fn put(&mut self, entry: usize, value: f64) {
        self.to[self.at.start + self.at.indices[entry] as usize] += value;
    }

    #[inline(always)]
    fn put_all<const N: usize>(&mut self, values: [f64; N]) {
        for (point, range) in values.chunks_exact(self.at.components).zip(self.at.ranges()) {
            self.to[range].iter_mut().zip(point).for_each(|(to, value)| *to += value);
        }
    }
}

/// The values of a matrix to which an element adds.
struct Entries<'a, const H: usize> {
    to: &'a mut [f64],
    /// What the positions are counted from.
    start: usize,
    positions: &'a [u32; H],
}

impl<const H: usize> Fill<f64> for Entries<'_, H> {
    #[inline(always)]
    fn put(&mut self, entry: usize, value: f64) {
        self.to[self.start + self.positions[entry] as usize] += value;
    }
}
