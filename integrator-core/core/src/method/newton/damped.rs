use super::rounding::Measured;
use super::{Differentiable, Newton, NewtonEquations, Plain, SLOW, Unknown, negate, norm};
use crate::binding::threads::first_not_finite;
use crate::method::force_error::Attempt;
use crate::method::report::Evaluations;

/// The strongest shortening of a correction.
const SHORTEST: f64 = 1.0 / 1024.0;

/// Newton's method with the exact derivative, kept while each correction is ten times shorter than the
/// last, and with corrections shortened where they lead too far.
///
/// A correction is accepted if the next one with this matrix is shorter: the natural monotonicity test,
/// which does not depend on the scales of the equations. Done when a correction moves no position by
/// more than the tolerance, or is [rounding](Rounding).
///
/// # Reference
/// P. Deuflhard, Newton Methods for Nonlinear Problems (2004), sections 3.1 and 3.3,
/// doi:10.1007/978-3-642-23899-4.
#[derive(Debug)]
pub(in crate::method) struct Damped {
    plain: Plain,
    following: Vec<f64>,
    trial: Vec<f64>,
}

enum DampedProgress {
    /// The next correction is shorter by this factor.
    By(f64),
    Rounding,
    None,
}

impl Damped {
    pub(in crate::method) fn new(dimension: usize, newton: Newton) -> Self {
        let zeros = || vec![0.0; dimension];
        Self { plain: Plain::new(dimension, newton), following: zeros(), trial: zeros() }
    }

    /// Replaces the guess `x` by the solution.
    ///
    /// If shrinking corrections lead nowhere, [plain Newton](Plain) starts again from the guess.
    pub(in crate::method) fn solve(
        &mut self,
        equations: &mut impl Differentiable,
        x: &mut [f64],
        counts: &mut Evaluations,
    ) -> Attempt {
        self.plain.begin(x);
        let outcome = self.fall(equations, x, counts);
        self.plain.instead(outcome, equations, x, counts)
    }

    /// Newton's method with shrinking corrections.
    fn fall(
        &mut self,
        equations: &mut impl Differentiable,
        x: &mut [f64],
        counts: &mut Evaluations,
    ) -> Attempt {
        let Newton { tolerance, iterations: most } = self.plain.newton;
        let mut iterations = 0;
        loop {
            self.plain.aim(equations, x, counts)?;
            let (mut fresh, mut fast) = (true, true);
            while fast {
                let moved = equations.unknown().measure(x, &self.plain.correction, tolerance);
                if moved.length <= moved.accepted {
                    x.iter_mut().zip(&self.plain.correction).for_each(|(x, correction)| *x += correction);
                    return Ok(());
                }
                if iterations == most {
                    return Err(equations.unknown().not_converged(iterations, moved));
                }
                iterations += 1;
                counts.iterations += 1;
                match self.advance(equations, x, fresh, counts) {
                    DampedProgress::By(ratio) => fast = ratio <= SLOW,
                    DampedProgress::Rounding => return Ok(()),
                    DampedProgress::None if fresh => {
                        return Err(equations.unknown().not_converged(iterations, moved));
                    }
                    DampedProgress::None => fast = false,
                }
                fresh = false;
            }
        }
    }

    /// Moves x by the correction, shortened as far as needed if the matrix is `fresh`, and replaces the
    /// correction by the next one.
    fn advance(
        &mut self,
        equations: &mut impl NewtonEquations,
        x: &mut [f64],
        fresh: bool,
        counts: &mut Evaluations,
    ) -> DampedProgress {
        let size = norm(&self.plain.correction);
        let shortest = if fresh { SHORTEST } else { 1.0 };
        let mut damping = 1.0;
        while damping >= shortest {
            for ((trial, x), correction) in self.trial.iter_mut().zip(&*x).zip(&self.plain.correction) {
                *trial = x + damping * correction;
            }
            equations.evaluate(&self.trial, &mut self.plain.residual, counts);
            if first_not_finite(&self.plain.residual).is_none() {
                negate(&self.plain.residual, &mut self.following);
                equations.solve(&mut self.following);
                let length = norm(&self.following);
                if length / size <= 1.0 - 0.5 * damping {
                    x.copy_from_slice(&self.trial);
                    std::mem::swap(&mut self.plain.correction, &mut self.following);
                    return DampedProgress::By(length / size);
                }
                let mut corrected = Corrected { equations, counts };
                if damping >= 1.0 && self.plain.rounding.explains(length, &mut corrected, &self.trial) {
                    x.copy_from_slice(&self.trial);
                    return DampedProgress::Rounding;
                }
            }
            damping *= 0.5;
        }
        DampedProgress::None
    }
}

/// Equations that measure a residual by its correction.
pub(in crate::method) struct Corrected<'e, E> {
    pub(in crate::method) equations: &'e mut E,
    pub(in crate::method) counts: &'e mut Evaluations,
}

impl<E: NewtonEquations> Measured for Corrected<'_, E> {
    fn unknown(&self) -> Unknown<'_> {
        self.equations.unknown()
    }

    fn evaluate(&mut self, x: &[f64], residual: &mut [f64]) {
        self.equations.evaluate(x, residual, self.counts);
    }

    fn size(&mut self, residual: &mut [f64]) -> f64 {
        self.equations.solve(residual);
        norm(residual)
    }
}
