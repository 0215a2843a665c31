use super::{Corrected, Differentiable, Move, Newton, Rounding, Unknown, largest, negate, norm};
use crate::method::force_error::{Attempt, ForceError};
use crate::method::reach::is_beyond;
use crate::method::report::Evaluations;

/// A move by this part of the largest position is no other solution.
const NEAR: f64 = 0.01;

/// Plain Newton: a fresh matrix for each correction, which is taken whole.
///
/// Far from the solution its corrections may grow, as for a stiff beam under a load. So it runs only
/// where an iteration with shrinking corrections leads nowhere, or not soon.
#[derive(Debug)]
pub(in crate::method) struct Plain {
    pub(in crate::method) newton: Newton,
    /// R at the iterate, and its correction.
    pub(in crate::method) residual: Vec<f64>,
    pub(in crate::method) correction: Vec<f64>,
    pub(in crate::method) rounding: Rounding,
    guess: Vec<f64>,
}

impl Plain {
    /// For `dimension` unknowns and as many equations.
    pub(in crate::method) fn new(dimension: usize, newton: Newton) -> Self {
        let zeros = || vec![0.0; dimension];
        let rounding = Rounding::new(dimension, dimension);
        Self { newton, residual: zeros(), correction: zeros(), rounding, guess: zeros() }
    }

    /// Stores the guess of another iteration.
    pub(in crate::method) fn begin(&mut self, x: &[f64]) {
        self.guess.copy_from_slice(x);
    }

    /// Ends the other iteration: if it has failed, replaces x by the solution found from the guess. A
    /// solution must be within the [reach](crate::method::reach) of the motion.
    #[inline]
    pub(in crate::method) fn instead(
        &mut self,
        outcome: Attempt,
        equations: &mut impl Differentiable,
        x: &mut [f64],
        counts: &mut Evaluations,
    ) -> Attempt {
        match outcome {
            Ok(()) => {}
            Err(ForceError::NotConverged { .. }) => {
                x.copy_from_slice(&self.guess);
                self.follow(equations, x, counts).or(outcome)?;
            }
            Err(_) => return outcome,
        }
        let moved = largest(x.iter().zip(&self.guess).map(|(x, guess)| x - guess));
        let guessed = largest(self.guess.iter().copied());
        let Unknown { base, weight, .. } = equations.unknown();
        let is_near = || weight.abs() * moved <= NEAR * largest(base.iter().copied());
        if moved <= guessed || is_near() { Ok(()) } else { self.check_reach(equations, x) }
    }

    /// Refuses a solution beyond the reach of the motion, unless it is [near](NEAR).
    #[cold]
    #[inline(never)]
    fn check_reach(&mut self, equations: &mut impl Differentiable, x: &[f64]) -> Attempt {
        let Self { residual: change, correction: moved, guess, .. } = self;
        moved.iter_mut().zip(x.iter().zip(&*guess)).for_each(|(moved, (x, guess))| *moved = x - guess);
        let Move { index, length: moved, accepted } = equations.unknown().measure(guess, moved, NEAR);
        if moved <= accepted || !equations.change_at_start(guess, change) {
            return Ok(());
        }
        let Unknown { name: unknown, weight, .. } = equations.unknown();
        let motion = weight.abs() * (largest(guess.iter().copied()) + largest(change.iter().copied()));
        if is_beyond(moved, motion) {
            return Err(ForceError::OutOfReach { unknown, index, moved, motion });
        }
        Ok(())
    }

    #[cold]
    fn follow(
        &mut self,
        equations: &mut impl Differentiable,
        x: &mut [f64],
        counts: &mut Evaluations,
    ) -> Attempt {
        let Newton { tolerance, iterations: most } = self.newton;
        let mut before = f64::INFINITY;
        for iterations in 0.. {
            self.aim(equations, x, counts)?;
            let length = norm(&self.correction);
            let moved = equations.unknown().measure(x, &self.correction, tolerance);
            let stopped = length >= 0.5 * before;
            if stopped && self.rounding.explains(length, &mut Corrected { equations, counts }, x) {
                return Ok(());
            }
            if iterations == most {
                return Err(equations.unknown().not_converged(iterations, moved));
            }
            x.iter_mut().zip(&self.correction).for_each(|(x, correction)| *x += correction);
            if moved.length <= moved.accepted {
                return Ok(());
            }
            counts.iterations += 1;
            before = length;
        }
        Ok(())
    }

    /// Computes the residual at x and the correction by the matrix there.
    pub(in crate::method) fn aim(
        &mut self,
        equations: &mut impl Differentiable,
        x: &[f64],
        counts: &mut Evaluations,
    ) -> Attempt {
        equations.linearize(x, &mut self.residual, counts)?;
        negate(&self.residual, &mut self.correction);
        equations.solve(&mut self.correction);
        Ok(())
    }
}
