//! What a loop over elements computes with a kernel.

use super::home::Homes;
use super::instant::Instant;
use super::kernel::{Fill, Kernel, PositionKernel};
use super::link::Link;
use super::pair::Pair;
use crate::lanes::Real;
use std::marker::PhantomData;

/// What one element reads, or one in each lane.
#[derive(Clone, Copy)]
pub(super) struct Reads<'a, T, const X: usize, const C: usize> {
    pub(super) x: &'a [T; X],
    /// A direction, for operations that read one.
    pub(super) a: &'a [T; X],
    /// The coefficients.
    pub(super) c: &'a [T; C],
    pub(super) now: Instant<T>,
}

/// What one element yields.
pub(super) struct Output<T, const X: usize, const H: usize> {
    /// Added up over the elements.
    pub(super) scalar: T,
    /// Added to the entries that the element reads.
    pub(super) vector: [T; X],
    /// Added to the Hessian entries of the element.
    pub(super) matrix: [T; H],
}

impl<T: Real, const X: usize, const H: usize> Output<T, X, H> {
    #[inline(always)]
    pub(super) fn nothing(now: Instant<T>) -> Self {
        let zero = now.number(0.0);
        Self { scalar: zero, vector: [zero; X], matrix: [zero; H] }
    }
}

/// One of the functions of a kernel, with what it yields.
pub(super) trait Operation<const X: usize, const C: usize, const H: usize>: 'static {
    /// Whose function it is.
    type Kernel: Homes;
    /// How many consecutive coordinates it reads together.
    const POINT: usize;
    /// Whether it reads a direction a.
    const DIRECTION: bool = false;
    /// Whether it yields a scalar.
    const SCALAR: bool = false;
    /// Whether it yields a vector.
    const VECTOR: bool = false;
    /// Whether it yields Hessian entries.
    const MATRIX: bool = false;
    /// The Hessian entries, where they are those of a pair of points.
    const PAIR: Pair = Pair::NONE;
    /// The same, where they are those of a link of a chain.
    const LINK: Link = Link::NONE;
    /// Whether a call costs as much as the operation itself.
    const LIGHT: bool = false;
    /// Which coefficients it reads, where that is known.
    const COEFFICIENTS: Option<&'static [usize]> = None;

    /// Computes it for one element, or for one in each lane; returns the scalar, zero if it yields none.
    fn yielded<T: Real>(reads: Reads<'_, T, X, C>, vector: &mut impl Fill<T>, matrix: &mut impl Fill<T>)
    -> T;

    /// The same, with what it yields side by side; leaves the rest.
    #[inline(always)]
    fn element<T: Real>(reads: Reads<'_, T, X, C>, output: &mut Output<T, X, H>) {
        let scalar = Self::yielded(reads, &mut output.vector, &mut output.matrix);
        if Self::SCALAR {
            output.scalar = scalar;
        }
    }
}

/// Operations of fewer arithmetic operations are light.
pub(super) const LIGHT: u32 = 80;

/// f.
pub(super) struct Value<K>(PhantomData<K>);

impl<K: Kernel<X, C, H>, const X: usize, const C: usize, const H: usize> Operation<X, C, H> for Value<K> {
    type Kernel = K;
    const POINT: usize = K::POINT;
    const SCALAR: bool = true;
    const LIGHT: bool = K::OPERATIONS[0] < LIGHT;
    const COEFFICIENTS: Option<&'static [usize]> = Some(K::COEFFICIENTS[0]);

    #[inline(always)]
    fn yielded<T: Real>(
        Reads { x, c, now, .. }: Reads<'_, T, X, C>,
        _: &mut impl Fill<T>,
        _: &mut impl Fill<T>,
    ) -> T {
        K::value(x, c, now)
    }
}

/// ∂f/∂t.
pub(super) struct Rate<K>(PhantomData<K>);

impl<K: Kernel<X, C, H>, const X: usize, const C: usize, const H: usize> Operation<X, C, H> for Rate<K> {
    type Kernel = K;
    const POINT: usize = K::POINT;
    const SCALAR: bool = true;
    const LIGHT: bool = K::OPERATIONS[0] < LIGHT;

    #[inline(always)]
    fn yielded<T: Real>(
        Reads { x, c, now, .. }: Reads<'_, T, X, C>,
        _: &mut impl Fill<T>,
        _: &mut impl Fill<T>,
    ) -> T {
        K::rate(x, c, now)
    }
}

/// ∂f/∂x.
pub(super) struct Gradient<K>(PhantomData<K>);

impl<K: Kernel<X, C, H>, const X: usize, const C: usize, const H: usize> Operation<X, C, H> for Gradient<K> {
    type Kernel = K;
    const POINT: usize = K::POINT;
    const VECTOR: bool = true;
    const LIGHT: bool = K::OPERATIONS[1] < LIGHT;
    const COEFFICIENTS: Option<&'static [usize]> = Some(K::COEFFICIENTS[1]);

    #[inline(always)]
    fn yielded<T: Real>(
        Reads { x, c, now, .. }: Reads<'_, T, X, C>,
        vector: &mut impl Fill<T>,
        _: &mut impl Fill<T>,
    ) -> T {
        vector.put_all(K::gradient(x, c, now));
        now.number(0.0)
    }
}

/// ∂f/∂x and ∂²f/∂x∂x.
pub(super) struct Second<K>(PhantomData<K>);

impl<K: Kernel<X, C, H>, const X: usize, const C: usize, const H: usize> Operation<X, C, H> for Second<K> {
    type Kernel = K;
    const POINT: usize = K::POINT;
    const VECTOR: bool = true;
    const MATRIX: bool = true;
    const PAIR: Pair = Pair::of(&K::ENTRIES, X);
    const LINK: Link = Link::of(&K::ENTRIES, X);
    const LIGHT: bool = K::OPERATIONS[2] < LIGHT;
    const COEFFICIENTS: Option<&'static [usize]> = Some(K::COEFFICIENTS[2]);

    #[inline(always)]
    fn yielded<T: Real>(
        Reads { x, c, now, .. }: Reads<'_, T, X, C>,
        vector: &mut impl Fill<T>,
        matrix: &mut impl Fill<T>,
    ) -> T {
        K::second(x, c, now, vector, matrix);
        now.number(0.0)
    }
}

/// Hess f · a.
pub(super) struct Product<K>(PhantomData<K>);

impl<K: PositionKernel<X, C, H>, const X: usize, const C: usize, const H: usize> Operation<X, C, H>
    for Product<K>
{
    type Kernel = K;
    const POINT: usize = K::POINT;
    const DIRECTION: bool = true;
    const VECTOR: bool = true;
    const LIGHT: bool = K::OPERATIONS[2] < LIGHT;

    #[inline(always)]
    fn yielded<T: Real>(
        Reads { x, a, c, now }: Reads<'_, T, X, C>,
        vector: &mut impl Fill<T>,
        _: &mut impl Fill<T>,
    ) -> T {
        vector.put_all(K::product(x, a, c, now));
        now.number(0.0)
    }
}

/// a·f‴·a.
pub(super) struct Third<K>(PhantomData<K>);

impl<K: PositionKernel<X, C, H>, const X: usize, const C: usize, const H: usize> Operation<X, C, H>
    for Third<K>
{
    type Kernel = K;
    const POINT: usize = K::POINT;
    const DIRECTION: bool = true;
    const VECTOR: bool = true;
    const LIGHT: bool = K::OPERATIONS[3] < LIGHT;
    const COEFFICIENTS: Option<&'static [usize]> = Some(K::COEFFICIENTS[3]);

    #[inline(always)]
    fn yielded<T: Real>(
        Reads { x, a, c, now }: Reads<'_, T, X, C>,
        vector: &mut impl Fill<T>,
        _: &mut impl Fill<T>,
    ) -> T {
        vector.put_all(K::third(x, a, c, now));
        now.number(0.0)
    }
}
