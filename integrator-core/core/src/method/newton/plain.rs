use super::{Corrected, Differentiable, Newton, Rounding, negate, norm};
use crate::method::force_error::ForceError;
use crate::method::report::Evaluations;

/// Newton's method as it is: a fresh matrix, and the whole of each correction.
///
/// Far from the solution its corrections may grow, as a stiff beam under a load shows.
/// So it begins where an iteration whose corrections have to fall leads nowhere, or nowhere soon.
#[derive(Debug)]
pub(in crate::method) struct Plain {
    pub(in crate::method) newton: Newton,
    /// R at the iterate, and the correction that it asks for.
    pub(in crate::method) residual: Vec<f64>,
    pub(in crate::method) correction: Vec<f64>,
    pub(in crate::method) rounding: Rounding,
    guess: Vec<f64>,
}

impl Plain {
    /// For so many unknowns and equations.
    pub(in crate::method) fn new(dimension: usize, newton: Newton) -> Self {
        let zeros = || vec![0.0; dimension];
        let rounding = Rounding::new(dimension, dimension);
        Self { newton, residual: zeros(), correction: zeros(), rounding, guess: zeros() }
    }

    /// Keeps the guess of another iteration, at which this one begins.
    pub(in crate::method) fn begin(&mut self, x: &[f64]) {
        self.guess.copy_from_slice(x);
    }

    /// Where the other iteration has not converged, replaces x by the solution found from the guess.
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

    /// The residual at x, and the correction by the matrix there.
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
