use super::{Corrected, Differentiable, Newton, Rounding, negate, norm};
use crate::method::force_error::ForceError;
use crate::method::report::Evaluations;

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

    /// If the other iteration has failed, replaces x by the solution found from the guess.
    #[cold]
    pub(in crate::method) fn instead(
        &mut self,
        outcome: Result<(), ForceError>,
        equations: &mut impl Differentiable,
        x: &mut [f64],
        counts: &mut Evaluations,
    ) -> Result<(), ForceError> {
        if !matches!(outcome, Err(ForceError::NotConverged { .. })) {
            return outcome;
        }
        x.copy_from_slice(&self.guess);
        self.follow(equations, x, counts).or(outcome)
    }

    fn follow(
        &mut self,
        equations: &mut impl Differentiable,
        x: &mut [f64],
        counts: &mut Evaluations,
    ) -> Result<(), ForceError> {
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
    ) -> Result<(), ForceError> {
        equations.linearize(x, &mut self.residual, counts)?;
        negate(&self.residual, &mut self.correction);
        equations.solve(&mut self.correction);
        Ok(())
    }
}
