//! The step from a loop over elements to the kernel of one.
//!
//! Loops over elements know sizes, not kernels: they are compiled once for all operations of a family and call the kernel
//! through a pointer, once for the elements of a register. That halves the code of a model.

use super::operation::{Operation, Output};
use crate::lanes::Lanes;
use pulp::{Simd, WithSimd};
use std::marker::PhantomData;

/// What one element in each lane reads and yields.
pub(super) struct Element<S: Simd, const X: usize, const C: usize, const H: usize> {
    pub(super) x: [Lanes<S>; X],
    pub(super) a: [Lanes<S>; X],
    pub(super) c: [Lanes<S>; C],
    pub(super) t: Lanes<S>,
    pub(super) output: Output<Lanes<S>, X, H>,
}

impl<S: Simd, const X: usize, const C: usize, const H: usize> Element<S, X, C, H> {
    /// Everything zero but the coefficients and the time.
    #[inline(always)]
    pub(super) fn new(simd: S, c: [Lanes<S>; C], t: f64) -> Self {
        let zero = Lanes::splat(simd, 0.0);
        let output = Output { scalar: zero, vector: [zero; X], matrix: [zero; H] };
        Self { x: [zero; X], a: [zero; X], c, t: Lanes::splat(simd, t), output }
    }
}

/// What an operation reads and yields, and the function that computes it.
#[expect(clippy::struct_excessive_bools, reason = "the constants of `Operation`, as values")]
pub(super) struct Kernel<S: Simd, const X: usize, const C: usize, const H: usize> {
    pub(super) direction: bool,
    pub(super) scalar: bool,
    pub(super) vector: bool,
    pub(super) matrix: bool,
    pub(super) call: fn(S, &mut Element<S, X, C, H>),
}

impl<S: Simd, const X: usize, const C: usize, const H: usize> Kernel<S, X, C, H> {
    /// That of an operation.
    pub(super) fn of<O: Operation<X, C, H>>() -> Self {
        Self {
            direction: O::DIRECTION,
            scalar: O::SCALAR,
            vector: O::VECTOR,
            matrix: O::MATRIX,
            call: call::<O, S, X, C, H>,
        }
    }
}

/// One element. A function of its own, so that loops around a large kernel share its code.
#[inline]
pub(super) fn single<O: Operation<X, C, H>, const X: usize, const C: usize, const H: usize>(
    x: &[f64; X],
    a: &[f64; X],
    c: &[f64; C],
    t: f64,
) -> Output<f64, X, H> {
    O::element(x, a, c, t)
}

fn call<O, S, const X: usize, const C: usize, const H: usize>(simd: S, element: &mut Element<S, X, C, H>)
where
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
            let Element { x, a, c, t, output } = self.element;
            let found = O::element(x, a, c, *t);
            if O::SCALAR {
                output.scalar = found.scalar;
            }
            if O::VECTOR {
                output.vector = found.vector;
            }
            if O::MATRIX {
                output.matrix = found.matrix;
            }
        }
    }
    if S::IS_SCALAR {
        // The same code as that of loops without registers.
        let Element { x, a, c, t, output } = element;
        let found =
            single::<O, X, C, H>(&x.map(Lanes::total), &a.map(Lanes::total), &c.map(Lanes::total), t.total());
        if O::SCALAR {
            output.scalar = Lanes::splat(simd, found.scalar);
        }
        if O::VECTOR {
            output.vector = found.vector.map(|value| Lanes::splat(simd, value));
        }
        if O::MATRIX {
            output.matrix = found.matrix.map(|value| Lanes::splat(simd, value));
        }
    } else {
        simd.vectorize(Call { element, operation: PhantomData::<O> });
    }
}
