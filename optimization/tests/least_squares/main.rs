//! Published problems have their published solutions.
//!
//! HS: W. Hock and K. Schittkowski, Test Examples for Nonlinear Programming Codes, 1981, where f is a
//! sum of squares. The others: J. J. Moré, B. S. Garbow and K. E. Hillstrom, Testing Unconstrained
//! Optimization Software, 1981.

#![expect(clippy::expect_used, reason = "a test may end at a failure")]

mod attacks;
mod effort;
mod published;

use std::ops::ControlFlow;

use least_action_optimization::least_squares::{Error, Options, Problem, Slopes, Solution, Values, minimize};
use nalgebra_sparse::{CooMatrix, CsrMatrix};
use num_dual::Dual64;

/// A problem by its functions on dual numbers.
pub(crate) struct Dual<R, C> {
    pub(crate) bounds: Vec<[f64; 2]>,
    pub(crate) residuals: R,
    pub(crate) constraints: C,
}

pub(crate) const FREE: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

type Numbers = Vec<Dual64>;

impl<R: Fn(&[Dual64]) -> Numbers, C: Fn(&[Dual64]) -> Numbers> Problem for Dual<R, C> {
    type Error = String;

    fn unknowns(&self) -> usize {
        self.bounds.len()
    }

    fn bounds(&self) -> Vec<[f64; 2]> {
        self.bounds.clone()
    }

    fn evaluate(&mut self, x: &[f64]) -> Result<Values, String> {
        let x: Numbers = x.iter().copied().map(Dual64::from_re).collect();
        let real = |numbers: Numbers| numbers.iter().map(|number| number.re).collect::<Vec<f64>>();
        let (residuals, constraints) = (real((self.residuals)(&x)), real((self.constraints)(&x)));
        if residuals.iter().any(|r| r.is_nan()) {
            return Err("a residual is NaN".to_owned());
        }
        Ok(Values { residuals, constraints })
    }

    fn linearize(&mut self, x: &[f64]) -> Result<Slopes, String> {
        let along = |of: &dyn Fn(&[Dual64]) -> Numbers| {
            let columns: Vec<Numbers> = (0..x.len())
                .map(|own| {
                    let seed = |(k, x): (usize, &f64)| Dual64::new(*x, if k == own { 1.0 } else { 0.0 });
                    of(&x.iter().enumerate().map(seed).collect::<Numbers>())
                })
                .collect();
            let mut matrix = CooMatrix::new(columns.first().map_or(0, Vec::len), x.len());
            for (column, numbers) in columns.iter().enumerate() {
                for (row, number) in numbers.iter().enumerate().filter(|(_, number)| number.eps != 0.0) {
                    matrix.push(row, column, number.eps);
                }
            }
            CsrMatrix::from(&matrix)
        };
        Ok(Slopes { residuals: along(&self.residuals), constraints: along(&self.constraints) })
    }
}

pub(crate) fn solve<P: Problem>(problem: &mut P, start: &[f64]) -> Result<Solution, Error<P::Error>> {
    minimize(problem, start, &Options::default(), |_| ControlFlow::Continue(()))
}

pub(crate) fn squares(solution: &Solution) -> f64 {
    solution.residuals.iter().map(|r| r * r).sum()
}
