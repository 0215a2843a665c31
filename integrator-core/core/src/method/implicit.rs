use super::applied::{Instant, subtract_from_gradient};
use super::force_error::{Attempt, ForceError, check_finite};
use super::mass_solver::MassSolver;
use super::newton::{Corrected, Differentiable, Move, Newton, NewtonEquations, Plain, SLOW, Unknown, norm};
use super::report::Evaluations;
use crate::binding::threads::first_not_finite;
use crate::error::Begun;
use crate::sparse::{PatternSum, Solver};
use crate::system::Natural;

/// Newton's method for M a + ∇V(y + c a, t) − F(y + c a, t) = 0: the equation of every implicit step of
/// a natural system.
///
/// The matrix M + c Hess V is sparse and symmetric; it omits forces F without a potential, which are not
/// stiff. A correction is accepted if the next one with this matrix is shorter: the natural monotonicity
/// test, which does not depend on the scales of the equations. (Near a stiff constraint the residual may
/// grow while the positions improve.) Otherwise, as near an indefinite or nearly singular matrix, σ M is
/// added, with σ as large as needed: these corrections descend towards a minimum of ½ c aᵀ M a + V(y + c
/// a), the solution sought. The factors are kept while each correction is ten times shorter than the
/// last. Done when no position moves by more than `tolerance` times the largest, or when corrections
/// stop shrinking within [rounding](super::newton::Rounding). After too many corrections
/// [plain Newton](Plain) starts again from the guess.
///
/// # Reference
/// P. Deuflhard, Newton Methods for Nonlinear Problems (2004), sections 3.1 and 3.3,
/// doi:10.1007/978-3-642-23899-4.
#[derive(Debug)]
pub(super) struct Implicit {
    mass: MassSolver,
    linear: Linear,
    search: Attempts,
}

#[derive(Debug)]
struct Attempts {
    plain: Plain,
    trial_residual: Vec<f64>,
    following: Vec<f64>,
    trial: Vec<f64>,
}

/// The equation of a step and its matrix.
#[derive(Debug)]
struct Linear {
    /// y + c a.
    q: Vec<f64>,
    hessian: Vec<f64>,
    sum: PatternSum,
    solver: Solver,
}

/// σ is 0 or a power of four between 1 and this bound.
const LARGEST_SIGMA: f64 = (1_u64 << 40) as f64;
/// The equation of one step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Equation<'y> {
    /// q at the beginning of the step.
    pub(super) start: &'y [f64],
    /// y.
    pub(super) base: &'y [f64],
    /// c.
    pub(super) shift: f64,
    pub(super) at: Instant,
}

impl Implicit {
    const MATRIX: &'static str = "M + c Hess V of Newton's method";
    const UNKNOWN: &'static str = "the new positions";

    /// Chooses the solver by the pattern of M + Hess V; the options belong to the method.
    pub(super) fn new<S: Natural + ?Sized>(
        system: &S,
        method: &'static str,
        (tolerance, iterations): (f64, u32),
    ) -> Begun<Self> {
        let newton = Newton::of(method, tolerance, iterations)?;
        system.affords_second_derivatives()?;
        let sum = PatternSum::new(&system.mass().pattern, system.potential_pattern());
        let zeros = || vec![0.0; system.dimension()];
        Ok(Self {
            linear: Linear {
                q: zeros(),
                hessian: vec![0.0; system.potential_pattern().len()],
                solver: Solver::symmetric(sum.pattern()),
                sum,
            },
            mass: MassSolver::new(system, system.mass())?,
            search: Attempts {
                plain: Plain::new(system.dimension(), newton),
                trial_residual: zeros(),
                following: zeros(),
                trial: zeros(),
            },
        })
    }

    /// M⁻¹ (−∇V + F)(q, t), written over `a`.
    pub(super) fn explicit<S: Natural + ?Sized>(
        &mut self,
        system: &S,
        q: &[f64],
        at: Instant,
        a: &mut [f64],
        counts: &mut Evaluations,
    ) -> Attempt {
        self.mass.accelerate(system, q, at, a, counts)
    }

    /// Replaces the guess `a` by the solution; if Newton's method fails, it starts again from zero.
    pub(super) fn solve<S: Natural + ?Sized>(
        &mut self,
        system: &S,
        equation: Equation<'_>,
        a: &mut [f64],
        counts: &mut Evaluations,
    ) -> Attempt {
        if equation.shift == 0.0 {
            return self.explicit(system, equation.base, equation.at, a, counts);
        }
        let from_zero = a.iter().all(|entry| *entry == 0.0);
        let mut balance = StepEquations { linear: &mut self.linear, mass: &mut self.mass, system, equation };
        let outcome = self.search.from(&mut balance, a, counts);
        if outcome.is_ok() || from_zero {
            return outcome;
        }
        a.fill(0.0);
        self.search.from(&mut balance, a, counts)
    }
}

impl Attempts {
    /// Replaces the guess `a` by the solution.
    fn from<S: Natural + ?Sized>(
        &mut self,
        balance: &mut StepEquations<'_, '_, S>,
        a: &mut [f64],
        counts: &mut Evaluations,
    ) -> Attempt {
        self.plain.begin(a);
        let outcome = self.iterate(balance, a, counts);
        self.plain.instead(outcome, balance, a, counts)
    }

    fn iterate<S: Natural + ?Sized>(
        &mut self,
        balance: &mut StepEquations<'_, '_, S>,
        a: &mut [f64],
        counts: &mut Evaluations,
    ) -> Attempt {
        let mut iterations = 0;
        let mut sigma = 0.0;
        loop {
            balance.second(a, &mut self.plain.residual, counts)?;
            loop {
                let outcome = match self.correct(balance, sigma, counts) {
                    Ok(()) => self.advance(balance, sigma, a, (&mut iterations, counts))?,
                    Err(error) if sigma >= LARGEST_SIGMA => return Err(error),
                    Err(_) => CorrectionOutcome::None,
                };
                match outcome {
                    CorrectionOutcome::Done => return Ok(()),
                    CorrectionOutcome::Some => {
                        sigma = if sigma > 1.0 { 0.25 * sigma } else { 0.0 };
                        break;
                    }
                    CorrectionOutcome::None if sigma >= LARGEST_SIGMA => {
                        return Err(balance.unknown().not_converged(iterations, self.measure(balance, a)));
                    }
                    CorrectionOutcome::None => sigma = f64::max(1.0, 4.0 * sigma),
                }
            }
        }
    }

    /// The correction −((1 + σ) M + c Hess V)⁻¹ R.
    fn correct<S: Natural + ?Sized>(
        &mut self,
        balance: &mut StepEquations<'_, '_, S>,
        sigma: f64,
        counts: &mut Evaluations,
    ) -> Attempt {
        // (1 + σ) (M + c/(1 + σ) Hess V)
        let weight = 1.0 / (1.0 + sigma);
        let Plain { residual, correction, .. } = &mut self.plain;
        balance.factor(weight, counts)?;
        for (correction, residual) in correction.iter_mut().zip(residual) {
            *correction = -weight * *residual;
        }
        let solved = balance.linear.solver.solve(correction);
        solved.map_err(|error| ForceError::Unsolved { matrix: Implicit::MATRIX, error })
    }

    /// Moves `a` by the correction, and by further corrections with this matrix while they shrink fast.
    fn advance<S: Natural + ?Sized>(
        &mut self,
        balance: &mut StepEquations<'_, '_, S>,
        sigma: f64,
        a: &mut [f64],
        (iterations, counts): (&mut u32, &mut Evaluations),
    ) -> Attempt<CorrectionOutcome> {
        let weight = 1.0 / (1.0 + sigma);
        let mut progress = CorrectionOutcome::None;
        loop {
            let moved = self.measure(balance, a);
            if sigma == 0.0 && moved.length <= moved.accepted {
                a.iter_mut().zip(&self.plain.correction).for_each(|(a, correction)| *a += correction);
                return Ok(CorrectionOutcome::Done);
            }
            if *iterations == self.plain.newton.iterations {
                return Err(balance.unknown().not_converged(*iterations, moved));
            }
            *iterations += 1;
            counts.iterations += 1;
            for ((trial, a), correction) in self.trial.iter_mut().zip(&*a).zip(&self.plain.correction) {
                *trial = a + correction;
            }
            balance.evaluate(&self.trial, &mut self.trial_residual, counts);
            if first_not_finite(&self.trial_residual).is_some() {
                return Ok(progress);
            }
            for (following, residual) in self.following.iter_mut().zip(&self.trial_residual) {
                *following = -weight * residual;
            }
            if balance.linear.solver.solve(&mut self.following).is_err() {
                return Ok(progress);
            }
            let length = norm(&self.following);
            let ratio = length / norm(&self.plain.correction);
            // Where the matrix is indefinite the gradient may grow on the way down: accept a descent.
            let descending = || {
                let slope: f64 =
                    self.trial_residual.iter().zip(&self.plain.correction).map(|(r, d)| r * d).sum();
                sigma > 0.0 && slope < 0.0
            };
            if ratio <= 1.0 - 0.5 * weight || descending() {
                a.copy_from_slice(&self.trial);
                progress = CorrectionOutcome::Some;
                if sigma == 0.0 && ratio <= SLOW {
                    std::mem::swap(&mut self.plain.correction, &mut self.following);
                    continue;
                }
            } else if sigma == 0.0 {
                let mut corrected = Corrected { equations: &mut *balance, counts };
                if self.plain.rounding.explains(length, &mut corrected, &self.trial) {
                    a.copy_from_slice(&self.trial);
                    progress = CorrectionOutcome::Done;
                }
            }
            return Ok(progress);
        }
    }

    fn measure(&self, equations: &impl NewtonEquations, a: &[f64]) -> Move {
        equations.unknown().measure(a, &self.plain.correction, self.plain.newton.tolerance)
    }
}

impl Linear {
    /// q = y + c a.
    fn place(&mut self, equation: Equation<'_>, a: &[f64]) {
        for ((q, y), a) in self.q.iter_mut().zip(equation.base).zip(a) {
            *q = y + equation.shift * a;
        }
    }
}

/// The equation of a step on its system.
struct StepEquations<'l, 'y, S: ?Sized> {
    linear: &'l mut Linear,
    mass: &'l mut MassSolver,
    system: &'l S,
    equation: Equation<'y>,
}

impl<S: Natural + ?Sized> StepEquations<'_, '_, S> {
    /// Factors M + w c Hess V.
    fn factor(&mut self, weight: f64, counts: &mut Evaluations) -> Attempt {
        let (Linear { hessian, sum, solver, .. }, mass) = (&mut *self.linear, self.system.mass());
        let shift = weight * self.equation.shift;
        counts.factorizations += 1;
        let factored = solver.factor_with(|matrix| sum.combine(&mass.values, shift, hessian, matrix));
        factored.map_err(|error| ForceError::Singular { matrix: Implicit::MATRIX, error })
    }

    /// R and Hess V at `a`.
    fn second(&mut self, a: &[f64], residual: &mut [f64], counts: &mut Evaluations) -> Attempt {
        let Self { linear, system, equation, .. } = self;
        linear.place(*equation, a);
        system.potential_second(&linear.q, equation.at.t, residual, &mut linear.hessian);
        subtract_from_gradient(*system, &linear.q, equation.at, residual);
        counts.gradients += 1;
        counts.hessians += 1;
        system.mass().pattern.multiply_add(&system.mass().values, a, residual);
        check_finite(residual)
    }
}

impl<S: Natural + ?Sized> Differentiable for StepEquations<'_, '_, S> {
    fn linearize(&mut self, a: &[f64], residual: &mut [f64], counts: &mut Evaluations) -> Attempt {
        self.second(a, residual, counts)?;
        self.factor(1.0, counts)
    }

    fn change_at_start(&mut self, _a: &[f64], change: &mut [f64]) -> bool {
        let Self { mass, system, equation, .. } = self;
        let Equation { base, start, shift, at } = *equation;
        let accelerated = mass.accelerate(*system, start, at, change, &mut Evaluations::default());
        // The motion without the unknown, in its unit.
        for (change, (base, start)) in change.iter_mut().zip(base.iter().zip(start)) {
            *change = change.abs() + ((base - start) / shift).abs();
        }
        accelerated.is_ok()
    }
}

impl<S: Natural + ?Sized> NewtonEquations for StepEquations<'_, '_, S> {
    fn unknown(&self) -> Unknown<'_> {
        let Equation { base, shift, .. } = self.equation;
        Unknown { name: Implicit::UNKNOWN, base, weight: shift }
    }

    fn evaluate(&mut self, a: &[f64], residual: &mut [f64], counts: &mut Evaluations) {
        self.linear.place(self.equation, a);
        self.system.potential_gradient(&self.linear.q, self.equation.at.t, residual);
        subtract_from_gradient(self.system, &self.linear.q, self.equation.at, residual);
        counts.gradients += 1;
        let mass = self.system.mass();
        mass.pattern.multiply_add(&mass.values, a, residual);
    }

    fn solve(&mut self, r: &mut [f64]) {
        self.linear.solver.solve_or_spoil(r);
    }
}

/// The outcome of the corrections with one matrix.
enum CorrectionOutcome {
    Done,
    Some,
    None,
}
