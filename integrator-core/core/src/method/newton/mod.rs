//! Newton's method: its options, the equations that it solves, and the errors that it ends with.

mod damped;
mod plain;
mod rounding;

pub(super) use damped::{Corrected, Damped};
pub(super) use plain::Plain;
pub(super) use rounding::{Measured, Rounding, signs};

use super::force_error::ForceError;
use super::report::Evaluations;
use crate::error::StartError;

/// The conditions under which Newton's method stops.
#[derive(Debug, Clone, Copy)]
pub(super) struct Newton {
    /// The last correction beside the largest position.
    pub(super) tolerance: f64,
    /// The most corrections in one solution.
    pub(super) iterations: u32,
}

impl Newton {
    /// The conditions that the options of a method state.
    ///
    /// # Errors
    /// Options that no iteration can meet.
    pub(super) fn of(method: &'static str, tolerance: f64, iterations: u32) -> Result<Self, StartError> {
        Self { tolerance, iterations }.check(method)
    }

    /// Refuses options that no iteration can meet.
    pub(super) fn check(self, method: &'static str) -> Result<Self, StartError> {
        if !(self.tolerance > 0.0 && self.tolerance <= 1e-3) {
            let (option, value, interval) = ("tolerance", self.tolerance, "(0, 0.001]");
            return Err(StartError::OptionOutOfRange { method, option, value, interval });
        }
        if self.iterations == 0 {
            let (option, value, interval) = ("iterations", 0.0, "[1, 4294967295]");
            return Err(StartError::OptionOutOfRange { method, option, value, interval });
        }
        Ok(self)
    }
}

/// The unknown x of the equations of a step, which moves positions to b + w x.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unknown<'b> {
    /// The name of what is sought, for messages.
    pub(super) name: &'static str,
    /// b, or nothing where x stands for itself.
    pub(super) base: &'b [f64],
    /// w, which is not zero.
    pub(super) weight: f64,
}

/// The effect of a correction of x.
#[derive(Debug, Clone, Copy)]
pub(super) struct Move {
    /// The index of the position that it moves most.
    pub(super) index: usize,
    /// The length of that move, and the length that would be accepted.
    pub(super) length: f64,
    pub(super) accepted: f64,
}

impl Unknown<'_> {
    /// The effect of a correction at x, where moves of the part `tolerance` of the largest position are
    /// accepted.
    #[inline]
    pub(super) fn measure(&self, x: &[f64], correction: &[f64], tolerance: f64) -> Move {
        let larger = |a: f64, b: f64| if b > a { b } else { a };
        let (mut index, mut length, mut largest) = (0, 0.0_f64, 0.0_f64);
        for (j, (correction, x)) in correction.iter().zip(x).enumerate() {
            let change = (self.weight * correction).abs();
            if change > length || change.is_nan() {
                (index, length) = (j, change);
            }
            largest = larger(largest, (self.weight * x).abs());
        }
        largest = self.base.iter().fold(largest, |largest, base| larger(largest, base.abs()));
        Move { index, length, accepted: tolerance * largest }
    }

    /// The error of an iteration that ends with this correction.
    #[cold]
    pub(super) fn not_converged(
        &self,
        iterations: u32,
        Move { index, length, accepted }: Move,
    ) -> ForceError {
        let (unknown, correction, tolerance) = (self.name, length, accepted);
        ForceError::NotConverged { unknown, iterations, correction, index, tolerance }
    }
}

/// Equations R(x) = 0 with a matrix of derivatives.
pub(super) trait Equations {
    /// The unknown x.
    fn unknown(&self) -> Unknown<'_>;

    /// R(x), written over `residual`.
    fn evaluate(&mut self, x: &[f64], residual: &mut [f64], counts: &mut Evaluations);

    /// r ← J⁻¹ r, with the matrix J that was factored last; not a number where that fails.
    fn solve(&mut self, r: &mut [f64]);
}

/// Equations whose matrix is the exact derivative, factored as it is.
pub(super) trait Differentiable: Equations {
    /// R(x), written over `residual`, and the factors of its derivative at x.
    ///
    /// # Errors
    /// The residual is not finite, or the matrix has no factors.
    fn linearize(
        &mut self,
        x: &[f64],
        residual: &mut [f64],
        counts: &mut Evaluations,
    ) -> Result<(), ForceError>;
}

/// Factors the derivative of the equations of a first step at a guess: a sparse factorization takes its
/// memory when it is first done, which is to be before.
///
/// # Errors
/// Those of [`Differentiable::linearize`], which the first step meets too, unless it begins elsewhere.
pub(super) fn rehearse(equations: &mut impl Differentiable, guess: &[f64]) -> Result<(), ForceError> {
    equations.linearize(guess, &mut vec![0.0; guess.len()], &mut Evaluations::default())
}

/// A correction that gains less than this factor gets a fresh matrix.
pub(super) const SLOW: f64 = 0.1;

/// y ← −x.
pub(super) fn negate(x: &[f64], y: &mut [f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y = -x);
}

/// |x|.
pub(super) fn norm(x: &[f64]) -> f64 {
    x.iter().map(|entry| entry * entry).sum::<f64>().sqrt()
}
