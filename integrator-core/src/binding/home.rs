//! Where the code of a kernel is compiled.
//!
//! The compiler of Rust optimizes modules side by side, and puts a provided method of a trait into the module of the type that has
//! it. So the code of a kernel belongs to types that stand in modules of their own, one for each family and width; otherwise all
//! of a crate's kernels would be one piece of work, and one processor would do it.

use super::element::Element;
use super::family::gathered;
use super::instant::Instant;
use super::operation::{Operation, Output};
use crate::lanes::vectorize;
use pulp::{Simd, WithSimd};
use std::marker::PhantomData;

/// The types to which the code of a kernel belongs.
pub trait Homes: 'static {
    /// That of one element at a time.
    type One: 'static;
    /// That of registers of four lanes, and fewer.
    type Four: 'static;
    /// That of registers of eight lanes.
    type Eight: 'static;
}

/// The function of an operation for one element, which reads the vectors at these indices itself: numbers that another function
/// puts together one by one are waited for where they are read in pairs.
pub(super) type One<const X: usize, const C: usize, const H: usize> =
    fn(&[f64], &[f64], &[u32; X], &[f64; C], Instant, &mut Output<f64, X, H>);

/// The function of an operation for the elements of a register.
pub(super) type Several<S, const X: usize, const C: usize, const H: usize> = fn(S, &mut Element<S, X, C, H>);

/// The operation for one element.
pub(super) fn one<O: Operation<X, C, H>, const X: usize, const C: usize, const H: usize>() -> One<X, C, H> {
    <O::Kernel as Homes>::One::one::<O, X, C, H>
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
    fn one<O: Operation<X, C, H>, const X: usize, const C: usize, const H: usize>(
        x: &[f64],
        a: &[f64],
        at: &[u32; X],
        c: &[f64; C],
        now: Instant,
        output: &mut Output<f64, X, H>,
    ) {
        let x = gathered(x, at);
        let a = if O::DIRECTION { gathered(a, at) } else { x };
        O::element(&x, &a, c, now, output);
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
                O::element(x, a, c, *now, output);
            }
        }
        vectorize(simd, Call { element, operation: PhantomData::<O> });
    }
}

impl<T: 'static> Home for T {}
