//! The step from a loop over elements to the kernel of one.
//!
//! Loops over elements know sizes, not kernels: they are compiled once for all operations of a family and call the kernel
//! through a pointer, once for the elements of a register. That halves the code of a model. Only the loops of light operations
//! have the kernel inside.

use super::home;
use super::instant::Instant;
use super::link::Link;
use super::operation::{Operation, Output, Reads};
use super::pair::Pair;
use crate::lanes::{Lanes, vectorize};
use pulp::{Simd, WithSimd};
use std::marker::PhantomData;

/// What one element in each lane reads and yields.
///
/// Aligned to cache lines: a register that straddles two is moved at half the speed.
#[repr(align(64))]
pub(super) struct Element<S: Simd, const X: usize, const C: usize, const H: usize> {
    pub(super) x: [Lanes<S>; X],
    pub(super) a: [Lanes<S>; X],
    pub(super) c: [Lanes<S>; C],
    pub(super) now: Instant<Lanes<S>>,
    pub(super) output: Output<Lanes<S>, X, H>,
}

impl<S: Simd, const X: usize, const C: usize, const H: usize> Element<S, X, C, H> {
    /// Everything zero but the coefficients and the instant.
    #[inline(always)]
    pub(super) fn new(simd: S, c: [Lanes<S>; C], now: Instant) -> Self {
        let zero = Lanes::splat(simd, 0.0);
        let output = Output { scalar: zero, vector: [zero; X], matrix: [zero; H] };
        Self { x: [zero; X], a: [zero; X], c, now: now.splat(simd), output }
    }
}

/// What computes the elements of a register, with what it reads and yields.
pub(super) trait Compute<S: Simd, const X: usize, const C: usize, const H: usize> {
    /// Whether it is compiled into the loop around it.
    const IN_LOOP: bool;
    /// The Hessian entries, where the loop is compiled for those of a pair of points.
    const PAIR: Pair = Pair::NONE;
    /// The same, where it is compiled for those of a link of a chain.
    const LINK: Link = Link::NONE;
    /// The constants of the operation.
    fn yields(&self) -> Yields;
    /// Computes them.
    fn run(&self, simd: S, element: &mut Element<S, X, C, H>);
}

/// The constants of an [`Operation`], as values.
#[derive(Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "four independent answers")]
pub(super) struct Yields {
    pub(super) direction: bool,
    pub(super) scalar: bool,
    pub(super) vector: bool,
    pub(super) matrix: bool,
}

impl Yields {
    pub(super) const fn of<O: Operation<X, C, H>, const X: usize, const C: usize, const H: usize>() -> Self {
        Self { direction: O::DIRECTION, scalar: O::SCALAR, vector: O::VECTOR, matrix: O::MATRIX }
    }
}

/// Calls the function of an operation: the loop around it is compiled once for all operations.
pub(super) struct Called<S: Simd, const X: usize, const C: usize, const H: usize> {
    yields: Yields,
    /// Which coefficients are read, where that is known.
    pub(super) coefficients: Option<&'static [usize]>,
    call: home::Several<S, X, C, H>,
}

impl<S: Simd, const X: usize, const C: usize, const H: usize> Called<S, X, C, H> {
    /// That of an operation.
    pub(super) fn of<O: Operation<X, C, H>>() -> Self {
        Self {
            yields: Yields::of::<O, X, C, H>(),
            coefficients: O::COEFFICIENTS,
            call: home::several::<O, S, X, C, H>(),
        }
    }
}

impl<S: Simd, const X: usize, const C: usize, const H: usize> Compute<S, X, C, H> for Called<S, X, C, H> {
    const IN_LOOP: bool = false;

    #[inline(always)]
    fn yields(&self) -> Yields {
        self.yields
    }

    #[inline(always)]
    fn run(&self, simd: S, element: &mut Element<S, X, C, H>) {
        (self.call)(simd, element);
    }
}

/// Computes in the loop itself: for operations so light that a call would cost as much.
pub(super) struct Inlined<O>(PhantomData<O>);

impl<O> Inlined<O> {
    /// That of an operation.
    pub(super) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<O: Operation<X, C, H>, S: Simd, const X: usize, const C: usize, const H: usize> Compute<S, X, C, H>
    for Inlined<O>
{
    const IN_LOOP: bool = true;
    const PAIR: Pair = O::PAIR;
    const LINK: Link = O::LINK;

    #[inline(always)]
    fn yields(&self) -> Yields {
        const { Yields::of::<O, X, C, H>() }
    }

    #[inline(always)]
    fn run(&self, _: S, element: &mut Element<S, X, C, H>) {
        let Element { x, a, c, now, output } = element;
        O::element(Reads { x, a, c, now: *now }, output);
    }
}

/// Forgets the first lanes.
#[inline(always)]
pub(super) fn leave_out<S: Simd, const X: usize, const H: usize>(
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

/// Runs a loop in a function with the instructions of its register. Never inlined: the operations of a family share it.
#[inline(never)]
pub(super) fn run_shared<S: Simd, L: WithSimd>(simd: S, work: L) -> L::Output {
    vectorize(simd, work)
}
