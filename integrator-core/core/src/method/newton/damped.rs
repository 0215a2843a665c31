use super::rounding::{Corrected, Rounding};
use super::{Differentiable, Move, Newton, SLOW, Unknown, largest, negate, norm};
use crate::binding::threads::first_not_finite;
use crate::method::force_error::{Attempt, ForceError};
use crate::method::reach::is_beyond;
use crate::method::report::Evaluations;

/// A move by this part of the largest position is no other solution.
const NEAR: f64 = 0.01;
/// The strongest shortening of a correction.
const SHORTEST: f64 = 1.0 / 1024.0;
/// σ is 0 or a power of four between 1 and this bound.
const LARGEST_SIGMA: f64 = (1_u64 << 40) as f64;

/// Newton's method with the exact derivative, kept while each correction is ten times shorter than the
/// last.
///
/// A correction is accepted if the next one with this matrix is shorter: the natural monotonicity test,
/// which does not depend on the scales of the equations. (Near a stiff constraint the residual may grow
/// while the positions improve.) Where corrections lead too far they are shortened, or [shifted] by σ M
/// with σ as large as needed. Done when a correction moves no position by more than the tolerance, or is
/// [rounding](Rounding).
///
/// [shifted]: Differentiable::SHIFTS
///
/// # Reference
/// P. Deuflhard, Newton Methods for Nonlinear Problems (2004), sections 3.1 and 3.3,
/// doi:10.1007/978-3-642-23899-4.
#[derive(Debug)]
pub(in crate::method) struct Damped {
    newton: Newton,
    guess: Vec<f64>,
    /// R at the iterate, and its correction.
    residual: Vec<f64>,
    correction: Vec<f64>,
    /// A trial with its residual, and the correction there.
    trial: Vec<f64>,
    trial_residual: Vec<f64>,
    following: Vec<f64>,
    rounding: Rounding,
}

enum DampedProgress {
    /// The next correction is shorter by this factor, or as long as it may be.
    By(f64),
    Rounding,
    None,
}

impl Damped {
    /// For `dimension` unknowns and as many equations.
    pub(in crate::method) fn new(dimension: usize, newton: Newton) -> Self {
        let [guess, residual, correction, trial, trial_residual, following] =
            std::array::from_fn(|_| vec![0.0; dimension]);
        let rounding = Rounding::new(dimension, dimension);
        Self { newton, guess, residual, correction, trial, trial_residual, following, rounding }
    }

    /// Replaces the guess `x` by the solution.
    ///
    /// If shrinking corrections lead nowhere, or not soon, plain Newton starts again from the guess.
    pub(in crate::method) fn solve(
        &mut self,
        equations: &mut impl Differentiable,
        x: &mut [f64],
        counts: &mut Evaluations,
    ) -> Attempt {
        self.guess.copy_from_slice(x);
        let outcome = self.fall(equations, x, counts);
        self.instead(outcome, equations, x, counts)
    }

    /// Where shrinking corrections have failed, replaces x by the solution found from the guess. A
    /// solution must be within the [reach](crate::method::reach) of the motion.
    #[inline]
    fn instead(
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
                self.whole(equations, x, counts).or(outcome)?;
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

    /// Plain Newton: a fresh matrix for each correction, which is taken whole. Far from the solution its
    /// corrections may grow, as for a stiff beam under a load.
    #[cold]
    fn whole(
        &mut self,
        equations: &mut impl Differentiable,
        x: &mut [f64],
        counts: &mut Evaluations,
    ) -> Attempt {
        let Newton { tolerance, iterations: most } = self.newton;
        let mut before = f64::INFINITY;
        for iterations in 0.. {
            equations.linearize(x, &mut self.residual, counts)?;
            negate(&self.residual, &mut self.correction);
            equations.solve(&mut self.correction);
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

    /// Newton's method with shrinking corrections.
    fn fall<E: Differentiable>(
        &mut self,
        equations: &mut E,
        x: &mut [f64],
        counts: &mut Evaluations,
    ) -> Attempt {
        let (mut iterations, mut sigma) = (0, 0.0);
        loop {
            equations.differentiate(x, &mut self.residual, counts)?;
            loop {
                let Self { residual, correction, .. } = &mut *self;
                let weight = 1.0 / (1.0 + sigma);
                correction.iter_mut().zip(residual).for_each(|(to, residual)| *to = -weight * *residual);
                let moves = match equations.correct(weight, correction, counts) {
                    Ok(()) => self.advance(equations, sigma, x, (&mut iterations, counts))?,
                    Err(error) if !E::SHIFTS || sigma >= LARGEST_SIGMA => return Err(error),
                    Err(_) => Some(false),
                };
                match moves {
                    None => return Ok(()),
                    Some(true) => break,
                    Some(false) => sigma = f64::max(1.0, 4.0 * sigma),
                }
            }
            sigma = if sigma > 1.0 { 0.25 * sigma } else { 0.0 };
        }
    }

    /// Moves x by the correction, and by further corrections with this matrix while they shrink fast.
    ///
    /// `None` at the solution; else true if x moves.
    fn advance<E: Differentiable>(
        &mut self,
        equations: &mut E,
        sigma: f64,
        x: &mut [f64],
        (iterations, counts): (&mut u32, &mut Evaluations),
    ) -> Attempt<Option<bool>> {
        let Newton { tolerance, iterations: most } = self.newton;
        let mut moves = false;
        loop {
            let moved = equations.unknown().measure(x, &self.correction, tolerance);
            if sigma == 0.0 && moved.length <= moved.accepted {
                x.iter_mut().zip(&self.correction).for_each(|(x, correction)| *x += correction);
                return Ok(None);
            }
            if *iterations == most {
                return Err(equations.unknown().not_converged(*iterations, moved));
            }
            *iterations += 1;
            counts.iterations += 1;
            let shortest = if E::SHIFTS || moves { 1.0 } else { SHORTEST };
            match self.follow(equations, sigma, x, shortest, counts) {
                DampedProgress::By(ratio) if sigma == 0.0 && ratio <= SLOW => moves = true,
                DampedProgress::By(_) => return Ok(Some(true)),
                DampedProgress::Rounding => return Ok(None),
                DampedProgress::None if moves => return Ok(Some(true)),
                DampedProgress::None if E::SHIFTS && sigma < LARGEST_SIGMA => return Ok(Some(false)),
                DampedProgress::None => return Err(equations.unknown().not_converged(*iterations, moved)),
            }
        }
    }

    /// Moves x by the correction, shortened as far as needed and allowed, and replaces the correction by
    /// the next one.
    fn follow<E: Differentiable>(
        &mut self,
        equations: &mut E,
        sigma: f64,
        x: &mut [f64],
        shortest: f64,
        counts: &mut Evaluations,
    ) -> DampedProgress {
        let (size, weight) = (norm(&self.correction), 1.0 / (1.0 + sigma));
        let mut damping = 1.0;
        while damping >= shortest {
            for ((trial, x), correction) in self.trial.iter_mut().zip(&*x).zip(&self.correction) {
                *trial = x + damping * correction;
            }
            equations.evaluate(&self.trial, &mut self.trial_residual, counts);
            if first_not_finite(&self.trial_residual).is_none() {
                for (following, residual) in self.following.iter_mut().zip(&self.trial_residual) {
                    *following = -weight * residual;
                }
                equations.solve(&mut self.following);
                let length = norm(&self.following);
                if E::SHIFTS && length.is_nan() {
                    return DampedProgress::None;
                }
                if length / size <= 1.0 - 0.5 * damping * weight || sigma > 0.0 && self.descends() {
                    x.copy_from_slice(&self.trial);
                    std::mem::swap(&mut self.correction, &mut self.following);
                    return DampedProgress::By(length / size);
                }
                let mut corrected = Corrected { equations, counts };
                if sigma == 0.0
                    && damping >= 1.0
                    && self.rounding.explains(length, &mut corrected, &self.trial)
                {
                    x.copy_from_slice(&self.trial);
                    return DampedProgress::Rounding;
                }
            }
            damping *= 0.5;
        }
        DampedProgress::None
    }

    /// True if the residual is a gradient that still falls behind the correction: where the matrix is
    /// indefinite it may grow on the way down.
    fn descends(&self) -> bool {
        self.trial_residual.iter().zip(&self.correction).map(|(r, d)| r * d).sum::<f64>() < 0.0
    }
}
