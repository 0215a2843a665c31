//! The velocity stage: v₁ and λ⁻ from p̂, and the constraints on velocities at the end of the step.

use super::parts::{HeldEquations, MATRIX, singular};
use super::saddle::{length, length_of_given};
use super::search::PositionStage;
use crate::method::constraint::{Rows, RowsAtState};
use crate::method::force_error::{Attempt, ForceError, check_finite};
use crate::system::{Lagrangian, State};

/// Velocities are accepted when the equations are off by this part of the motion, each in its unit.
const FLOOR: f64 = 64.0 * f64::EPSILON;
/// Equations that are off by more than this part of the velocities are not solved.
const UNSOLVED: f64 = 1e-6;

/// The equations of the velocity stage in v and y = −½ h λ⁻,
///
/// ```text
/// L_v(q₁, v, t₁) + B₁ᵀ y = p̂,    B₁ v + (∂g/∂t, b) = 0,
/// ```
///
/// linear for an L that is quadratic in v, and solved by Newton's method otherwise.
pub(super) struct Velocity {
    y: Vec<f64>,
    change: Vec<f64>,
}

impl Velocity {
    pub(super) fn new(rows: &Rows<'_>, n: usize) -> Self {
        Self { y: vec![0.0; rows.height()], change: vec![0.0; n + rows.height()] }
    }

    /// y = −½ h λ⁻ of the last step.
    pub(super) fn multipliers(&self) -> &[f64] {
        &self.y
    }

    /// Writes the velocities of `next` at its positions; moves integrand, rows and saddle there.
    pub(super) fn solve<S: Lagrangian + ?Sized>(
        &mut self,
        parts: &mut HeldEquations<'_, S>,
        PositionStage { u, momentum }: PositionStage<'_>,
        at: &mut RowsAtState,
        next: &mut State,
    ) -> Attempt {
        let Self { y, change } = self;
        let HeldEquations { integrand, rows, saddle, counts, newton, .. } = parts;
        let State { t, q, v } = next;
        let n = q.len();
        v.copy_from_slice(u);
        y.fill(0.0);
        let mut before = f64::INFINITY;
        for iteration in 0..=newton.iterations {
            integrand.evaluate_mass(q, v, *t, counts);
            rows.evaluate(q, v, *t, at, counts);
            if saddle.factor(integrand, rows, at).map_err(singular)? {
                counts.factorizations += 1;
            }
            let given = saddle.given();
            let (free, constrained) = given.split_at_mut(n);
            rows.rates(q, v, *t, at, constrained);
            for (residual, (wanted, own)) in free.iter_mut().zip(momentum.iter().zip(integrand.momentum())) {
                *residual = own - wanted;
            }
            let impulses = &mut change[..n];
            impulses.fill(0.0);
            rows.pattern().transpose_multiply_add(&at.matrix, y, impulses);
            free.iter_mut().zip(&*impulses).for_each(|(residual, impulse)| *residual += impulse);
            given.iter_mut().for_each(|residual| *residual = -*residual);
            check_finite(given)?;
            let (off, index) = saddle.worst_given();
            // Close to rest the impulses of forces and constraints cancel, and leave their rounding.
            let motion = length(v, saddle.scales()) + length_of_given(&change[..n], saddle.scales());
            if off <= FLOOR * motion || (off <= UNSOLVED * motion && off >= 0.5 * before) {
                return Ok(());
            }
            if iteration == newton.iterations {
                let error = crate::sparse::SolveError { residual: off / motion, index };
                return Err(ForceError::Unsolved { matrix: MATRIX, error });
            }
            before = off;
            counts.iterations += 1;
            saddle.refine(rows, change);
            for (x, change) in v.iter_mut().chain(&mut *y).zip(&*change) {
                *x += change;
            }
        }
        Ok(())
    }
}
