//! Newton's method: its options, its equations, and its errors.

mod damped;
mod rounding;

pub(super) use damped::Damped;
pub(super) use rounding::{Measured, Rounding, signs};

use super::force_error::{Attempt, ForceError};
use super::report::Evaluations;
use crate::error::Begun;
use crate::method::check::check_option;

/// The conditions under which Newton's method stops.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Newton {
    /// The last correction relative to the largest position.
    pub(super) tolerance: f64,
    /// The most corrections in one solution.
    pub(super) iterations: u32,
}

impl Newton {
    /// The conditions from the options of a method.
    ///
    /// # Errors
    /// Options that no iteration can meet.
    pub(super) fn of(method: &'static str, tolerance: f64, iterations: u32) -> Begun<Self> {
        Self { tolerance, iterations }.check(method)
    }

    /// Refuses options that no iteration can meet.
    pub(super) fn check(self, method: &'static str) -> Begun<Self> {
        let is_inside = self.tolerance > 0.0 && self.tolerance <= 1e-3;
        check_option(method, is_inside, ("tolerance", self.tolerance, "(0, 0.001]"))?;
        check_option(method, self.iterations > 0, ("iterations", 0.0, "[1, 4294967295]"))?;
        Ok(self)
    }
}

/// The unknown x of the equations of a step, which moves positions to b + w x.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unknown<'b> {
    /// The name of the unknown, for messages.
    pub(super) name: &'static str,
    /// b; empty if x is the position itself.
    pub(super) base: &'b [f64],
    /// w, nonzero.
    pub(super) weight: f64,
}

/// The effect of a correction of x.
#[derive(Debug, Clone, Copy)]
pub(super) struct Move {
    /// The index of the position that moves most.
    pub(super) index: usize,
    /// The length of its move, and the largest acceptable length.
    pub(super) length: f64,
    pub(super) accepted: f64,
}

impl Unknown<'_> {
    /// Measures a correction at x; a move is acceptable up to `tolerance` times the largest position.
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

    /// The error of an iteration whose last correction this is.
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
pub(super) trait NewtonEquations {
    /// The unknown x.
    fn unknown(&self) -> Unknown<'_>;

    /// Writes R(x) over `residual`.
    fn evaluate(&mut self, x: &[f64], residual: &mut [f64], counts: &mut Evaluations);

    /// r ← J⁻¹ r, with the last factored matrix J; NaN if this fails.
    fn solve(&mut self, r: &mut [f64]);
}

/// Equations whose matrix is the exact derivative.
pub(super) trait Differentiable: NewtonEquations {
    /// Writes R(x) over `residual` and factors the derivative at x.
    ///
    /// # Errors
    /// The residual is not finite, or the matrix has no factors.
    fn linearize(&mut self, x: &[f64], residual: &mut [f64], counts: &mut Evaluations) -> Attempt;

    /// True if corrections that lead too far are shifted, as of a gradient, and not shortened: the
    /// matrix J + σ M belongs to each.
    const SHIFTS: bool = false;

    /// [`Self::linearize`] without factors if corrections are shifted.
    ///
    /// # Errors
    /// As of [`Self::linearize`].
    fn differentiate(&mut self, x: &[f64], residual: &mut [f64], counts: &mut Evaluations) -> Attempt {
        self.linearize(x, residual, counts)
    }

    /// r ← J⁻¹ r; if corrections are shifted, with the factors of w (J + σ M), where w = 1/(1 + σ).
    ///
    /// # Errors
    /// The shifted matrix has no factors, or fails a check.
    fn correct(&mut self, _weight: f64, r: &mut [f64], _counts: &mut Evaluations) -> Attempt {
        self.solve(r);
        Ok(())
    }

    /// Writes over `change` the change of the guess x by the forces at the beginning of the step; false
    /// if it is unknown, or the solution unique.
    fn change_at_start(&mut self, x: &[f64], change: &mut [f64]) -> bool {
        let _ = (x, change);
        false
    }
}

/// Factors the derivative at a guess for the first step: a sparse matrix allocates when it is first
/// factored, which must happen before the steps.
///
/// # Errors
/// The errors of [`Differentiable::linearize`]; the first step meets them too, unless its guess differs.
pub(super) fn rehearse(equations: &mut impl Differentiable, guess: &[f64]) -> Attempt {
    equations.linearize(guess, &mut vec![0.0; guess.len()], &mut Evaluations::default())
}

/// The matrix is renewed when a correction shrinks by less than this factor.
pub(super) const SLOW: f64 = 0.1;

pub(super) fn negate(x: &[f64], y: &mut [f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y = -x);
}

pub(super) fn norm(x: &[f64]) -> f64 {
    x.iter().map(|entry| entry * entry).sum::<f64>().sqrt()
}

/// The largest magnitude.
fn largest(x: impl IntoIterator<Item = f64>) -> f64 {
    x.into_iter().fold(0.0, |largest, x| if x.abs() > largest { x.abs() } else { largest })
}
