//! Whether the elements of a family may stand side by side in SIMD registers.
//!
//! The compiler decides it by the operations of an element. Were it decided here, the loops over registers would be compiled for
//! every family, and most of them are too light to use any.

use super::arrangement::{Arguments, Arrangement, Elements, Loops, Matrix};
use super::operation::Operation;
use crate::lanes::Registers;

/// How the elements of a family are computed: [`SideBySide`], [`OneByOne`], or one by one because there are [`Few`].
#[expect(private_bounds, reason = "what stands behind the names is the binding's own")]
pub trait Side: Arranging {}

/// What the binding asks of a side.
pub(super) trait Arranging: Send + Sync + 'static {
    /// Whether no instance has more than a handful of elements.
    const FEW: bool = false;

    /// A layout for these registers, or for one number at a time, if there is one that pays.
    fn arrange<const X: usize, const C: usize, const H: usize>(
        _: Option<Registers>,
        _: impl FnOnce() -> Elements<X, C>,
        _: usize,
        _: Matrix<'_>,
    ) -> Option<Arrangement<X, C, H>> {
        None
    }

    /// Runs an operation over all elements of a layout.
    fn sweep<O: Operation<X, C, H>, const X: usize, const C: usize, const H: usize>(
        _: &Arrangement<X, C, H>,
        _: Arguments<'_>,
    ) -> f64 {
        // Without layouts there is nothing to run over.
        0.0
    }
}

/// A few at once, where the instance is large and regular enough.
#[derive(Debug, Clone, Copy)]
pub struct SideBySide;

/// One after the other.
#[derive(Debug, Clone, Copy)]
pub struct OneByOne;

/// One after the other; the declaration says how many at most, and it is a handful.
#[derive(Debug, Clone, Copy)]
pub struct Few;

impl Side for SideBySide {}
impl Side for OneByOne {}
impl Side for Few {}

impl Arranging for SideBySide {
    fn arrange<const X: usize, const C: usize, const H: usize>(
        registers: Option<Registers>,
        elements: impl FnOnce() -> Elements<X, C>,
        length: usize,
        matrix: Matrix<'_>,
    ) -> Option<Arrangement<X, C, H>> {
        Arrangement::of(registers, elements(), length, matrix)
    }

    fn sweep<O: Operation<X, C, H>, const X: usize, const C: usize, const H: usize>(
        arrangement: &Arrangement<X, C, H>,
        arguments: Arguments<'_>,
    ) -> f64 {
        arrangement.sweep(&Loops::of::<O>(), arguments)
    }
}

impl Arranging for OneByOne {}

impl Arranging for Few {
    const FEW: bool = true;
}
