//! Newton's method for the rotation of a step with a given angular momentum.

use super::matrix::solve;
use crate::error::StepError;
use crate::method::flow::Substep;
use crate::method::force_error::{ForceError, SMALLER};
use nalgebra::{Matrix3, Vector3};

/// Newton's method converges quadratically from the explicit guess, if a step resolves the motion.
pub(super) const ITERATIONS: u32 = 50;

/// A residual of the momentum below this part of its size is round-off.
const FLOOR: f64 = 16.0 * f64::EPSILON;

/// The last iterate x of μ(x) = `momentum`.
pub(super) struct Turn {
    pub(super) x: Vector3<f64>,
    residual: f64,
    /// The component of the largest residual.
    component: usize,
    tolerance: f64,
}

impl Turn {
    /// Solves from a guess; `terms` returns μ, its derivative, and the sum of the sizes of its terms.
    pub(super) fn of(
        momentum: &Vector3<f64>,
        guess: Vector3<f64>,
        terms: impl Fn(&Vector3<f64>) -> (Vector3<f64>, Matrix3<f64>, f64),
        iterations: &mut u64,
    ) -> Self {
        let mut turn = Self { x: guess, residual: f64::NAN, component: 0, tolerance: f64::NAN };
        let mut previous = f64::INFINITY;
        for _ in 0..ITERATIONS {
            let (found, derivative, size) = terms(&turn.x);
            let missing = momentum - found;
            turn.residual = 0.0;
            for (component, entry) in missing.iter().enumerate() {
                if entry.abs() > turn.residual || entry.is_nan() {
                    (turn.residual, turn.component) = (entry.abs(), component);
                }
            }
            turn.tolerance = FLOOR * (momentum.norm() + size);
            // At round-off iterate until the residual stops falling.
            if turn.residual == 0.0 || turn.is_found() && turn.residual >= 0.5 * previous {
                break;
            }
            previous = turn.residual;
            *iterations += 1;
            turn.x += solve(derivative, &missing);
        }
        turn
    }

    pub(super) fn is_found(&self) -> bool {
        self.residual <= self.tolerance
    }

    #[cold]
    pub(super) fn not_converged(
        &self,
        (method, unknown): (&'static str, &'static str),
        of_body: &str,
        substep: &Substep,
        time: f64,
    ) -> StepError {
        let (residual, accepted, index) = (self.residual, self.tolerance, self.component);
        let place = format!("component {index} of the angular momentum{of_body}");
        ForceError::RowNotKept { unknown, iterations: ITERATIONS, index, residual, accepted }
            .at(method, place, substep, time, SMALLER)
    }
}
