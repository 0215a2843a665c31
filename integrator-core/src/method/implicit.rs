use super::Evaluations;
use super::check::first_not_finite;
use super::force_error::ForceError;
use super::mass_solver::MassSolver;
use crate::error::StartError;
use crate::sparse::{PatternSum, Solver};
use crate::system::Natural;

/// M a + ∇V(y + c a, t) = 0 for a: the equation of every implicit step of a natural system, by Newton's method.
///
/// The matrix is M + c Hess V, sparse.  A correction is accepted when the one that follows it with the same matrix is
/// shorter (the natural monotonicity test, which does not depend on the scales of the equations: near a stiff
/// constraint the residual may grow while the positions improve).  Where it is not, as where the matrix is
/// indefinite or nearly singular on the way, the matrix gets σ M added, with σ as large as needed: the solution
/// sought is a minimum of ½ c aᵀ M a + V(y + c a), towards which such corrections lead.  The factors are kept while
/// corrections fall by ten each. Done when a correction moves no position by more than `tolerance` times the
/// largest, or when the residual is that of rounding the positions.
///
/// # Reference
/// P. Deuflhard, Newton Methods for Nonlinear Problems (2004), sections 3.1 and 3.3, doi:10.1007/978-3-642-23899-4.
#[derive(Debug)]
pub(super) struct Implicit {
    newton: Newton,
    sum: PatternSum,
    hessian: Vec<f64>,
    solver: Solver,
    mass: MassSolver,
    /// y + c a.
    q: Vec<f64>,
    /// The residual of the iterate, and the residual of the trial.
    residual: Vec<f64>,
    trial_residual: Vec<f64>,
    correction: Vec<f64>,
    following: Vec<f64>,
    trial: Vec<f64>,
    magnitude: Vec<f64>,
}

/// The conditions under which Newton's method stops.
#[derive(Debug, Clone, Copy)]
pub(super) struct Newton {
    /// The last correction beside the largest position.
    pub(super) tolerance: f64,
    /// The most corrections in one solution.
    pub(super) iterations: u32,
}

/// A correction that gains less than this factor gets a fresh matrix.
const SLOW: f64 = 0.1;
/// σ is 0, or a power of four from 1 to this.
const LARGEST_SIGMA: f64 = (1_u64 << 40) as f64;
/// The part of the sum of its terms, in absolute values, that rounding leaves of a residual.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

impl Newton {
    /// Refuses options that no iteration can meet.
    pub(super) fn check(self, method: &'static str) -> Result<Self, StartError> {
        if !(self.tolerance > 0.0 && self.tolerance <= 1e-3) {
            let (option, value, interval) = ("tolerance", self.tolerance, "(0, 0.001]");
            return Err(StartError::OptionOutOfRange { method, option, value, interval });
        }
        if self.iterations == 0 {
            let (option, value, interval) = ("iterations", 0.0, "[1, 4294967295]");
            return Err(StartError::OptionOutOfRange { method, option, value, interval });
        }
        Ok(self)
    }
}

/// The equation of one step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Equation<'y> {
    /// y.
    pub(super) base: &'y [f64],
    /// c.
    pub(super) shift: f64,
    pub(super) t: f64,
}

impl Implicit {
    const MATRIX: &'static str = "M + c Hess V of Newton's method";
    const UNKNOWN: &'static str = "the new positions";

    /// Chooses the solver by the pattern of M + Hess V.
    pub(super) fn new<S: Natural + ?Sized>(system: &S, newton: Newton) -> Result<Self, StartError> {
        let sum = PatternSum::new(&system.mass().pattern, system.potential_pattern());
        let zeros = || vec![0.0; system.dimension()];
        Ok(Self {
            newton,
            hessian: vec![0.0; system.potential_pattern().len()],
            solver: Solver::symmetric(sum.pattern()),
            sum,
            mass: MassSolver::new(system, system.mass())?,
            q: zeros(),
            residual: zeros(),
            trial_residual: zeros(),
            correction: zeros(),
            following: zeros(),
            trial: zeros(),
            magnitude: zeros(),
        })
    }

    /// −M⁻¹ ∇V(q, t), written over `a`.
    pub(super) fn explicit<S: Natural + ?Sized>(
        &mut self,
        system: &S,
        q: &[f64],
        t: f64,
        a: &mut [f64],
        counts: &mut Evaluations,
    ) -> Result<(), ForceError> {
        system.potential_gradient(q, t, a);
        counts.gradients += 1;
        a.iter_mut().for_each(|entry| *entry = -*entry);
        self.mass.apply(a)
    }

    /// Replaces the guess `a` by the solution; where Newton's method fails from it, it is started from zero.
    pub(super) fn solve<S: Natural + ?Sized>(
        &mut self,
        system: &S,
        equation: Equation<'_>,
        a: &mut [f64],
        counts: &mut Evaluations,
    ) -> Result<(), ForceError> {
        if equation.shift == 0.0 {
            return self.explicit(system, equation.base, equation.t, a, counts);
        }
        let from_zero = a.iter().all(|entry| *entry == 0.0);
        let outcome = self.iterate(system, equation, a, counts);
        if outcome.is_ok() || from_zero {
            return outcome;
        }
        a.fill(0.0);
        self.iterate(system, equation, a, counts)
    }

    fn iterate<S: Natural + ?Sized>(
        &mut self,
        system: &S,
        equation: Equation<'_>,
        a: &mut [f64],
        counts: &mut Evaluations,
    ) -> Result<(), ForceError> {
        let mut iterations = 0;
        let mut sigma = 0.0;
        loop {
            // R and Hess V at the iterate.
            self.place(equation, a);
            system.potential_second(&self.q, equation.t, &mut self.residual, &mut self.hessian);
            counts.gradients += 1;
            counts.hessians += 1;
            system.mass().pattern.multiply_add(&system.mass().values, a, &mut self.residual);
            if let Some(index) = first_not_finite(&self.residual) {
                return Err(ForceError::NotFinite { index });
            }
            loop {
                let outcome = match self.correct(system, equation, sigma, counts) {
                    Ok(()) => self.advance(system, equation, sigma, a, (&mut iterations, counts))?,
                    Err(error) if sigma >= LARGEST_SIGMA => return Err(error),
                    Err(_) => Progress::None,
                };
                match outcome {
                    Progress::Done => return Ok(()),
                    Progress::Some => {
                        sigma = if sigma > 1.0 { 0.25 * sigma } else { 0.0 };
                        break;
                    }
                    Progress::None if sigma >= LARGEST_SIGMA => {
                        return Err(self.not_converged(equation, iterations));
                    }
                    Progress::None => sigma = f64::max(1.0, 4.0 * sigma),
                }
            }
        }
    }

    /// The correction −((1 + σ) M + c Hess V)⁻¹ R.
    fn correct<S: Natural + ?Sized>(
        &mut self,
        system: &S,
        equation: Equation<'_>,
        sigma: f64,
        counts: &mut Evaluations,
    ) -> Result<(), ForceError> {
        counts.factorizations += 1;
        // (1 + σ) (M + c/(1 + σ) Hess V)
        let weight = 1.0 / (1.0 + sigma);
        let (sum, hessian) = (&self.sum, &self.hessian);
        self.solver
            .factor_with(|matrix| {
                sum.combine(&system.mass().values, weight * equation.shift, hessian, matrix);
            })
            .map_err(|error| ForceError::Singular { matrix: Self::MATRIX, error })?;
        for (correction, residual) in self.correction.iter_mut().zip(&self.residual) {
            *correction = -weight * residual;
        }
        self.solver
            .solve(&mut self.correction)
            .map_err(|error| ForceError::Unsolved { matrix: Self::MATRIX, error })
    }

    /// Moves `a` along the correction, and along those that follow with the same matrix as long as they fall fast.
    fn advance<S: Natural + ?Sized>(
        &mut self,
        system: &S,
        equation: Equation<'_>,
        sigma: f64,
        a: &mut [f64],
        (iterations, counts): (&mut u32, &mut Evaluations),
    ) -> Result<Progress, ForceError> {
        let weight = 1.0 / (1.0 + sigma);
        let mut progress = Progress::None;
        loop {
            let (_, moved, accepted) = self.measure(equation);
            if sigma == 0.0 && moved <= accepted {
                a.iter_mut().zip(&self.correction).for_each(|(a, correction)| *a += correction);
                return Ok(Progress::Done);
            }
            if *iterations == self.newton.iterations {
                return Err(self.not_converged(equation, *iterations));
            }
            *iterations += 1;
            counts.iterations += 1;
            for ((trial, a), correction) in self.trial.iter_mut().zip(&*a).zip(&self.correction) {
                *trial = a + correction;
            }
            let trial = std::mem::take(&mut self.trial);
            self.place(equation, &trial);
            self.trial = trial;
            system.potential_gradient(&self.q, equation.t, &mut self.trial_residual);
            counts.gradients += 1;
            system.mass().pattern.multiply_add(&system.mass().values, &self.trial, &mut self.trial_residual);
            if first_not_finite(&self.trial_residual).is_some() {
                return Ok(progress);
            }
            for (following, residual) in self.following.iter_mut().zip(&self.trial_residual) {
                *following = -weight * residual;
            }
            if self.solver.solve(&mut self.following).is_err() {
                return Ok(progress);
            }
            let ratio = norm(&self.following) / norm(&self.correction);
            // Against a gradient that grows on the way down, as where the matrix is indefinite: still descending.
            let descending = || {
                let slope: f64 = self.trial_residual.iter().zip(&self.correction).map(|(r, d)| r * d).sum();
                sigma > 0.0 && slope < 0.0
            };
            if ratio <= 1.0 - 0.5 * weight || descending() {
                a.copy_from_slice(&self.trial);
                progress = Progress::Some;
                if sigma == 0.0 && ratio <= SLOW {
                    std::mem::swap(&mut self.correction, &mut self.following);
                    continue;
                }
            } else if sigma == 0.0 && self.is_rounding(system) {
                a.copy_from_slice(&self.trial);
                progress = Progress::Done;
            }
            return Ok(progress);
        }
    }

    /// q = y + c a.
    fn place(&mut self, equation: Equation<'_>, a: &[f64]) {
        for ((q, y), a) in self.q.iter_mut().zip(equation.base).zip(a) {
            *q = y + equation.shift * a;
        }
    }

    /// The index of the position that the correction moves most, the length of that move, and the length that would be accepted.
    fn measure(&self, equation: Equation<'_>) -> (usize, f64, f64) {
        let (mut index, mut moved, mut largest) = (0, 0.0_f64, 0.0_f64);
        let entries = self.correction.iter().zip(&self.q).zip(equation.base);
        for (j, ((correction, q), y)) in entries.enumerate() {
            let change = (equation.shift * correction).abs();
            if change > moved || change.is_nan() {
                (index, moved) = (j, change);
            }
            largest = largest.max(q.abs()).max(y.abs());
        }
        (index, moved, self.newton.tolerance * largest)
    }

    /// True if the residual at the trial is no larger than rounding errors of the positions make it.
    fn is_rounding<S: Natural + ?Sized>(&mut self, system: &S) -> bool {
        self.magnitude.fill(0.0);
        let terms = [
            (system.potential_pattern(), self.hessian.as_slice(), self.q.as_slice()),
            (&system.mass().pattern, system.mass().values.as_slice(), self.trial.as_slice()),
        ];
        for (pattern, values, x) in terms {
            for ((row, column), value) in pattern.entries().zip(values) {
                self.magnitude[row] += (value * x[column]).abs();
                if row != column {
                    self.magnitude[column] += (value * x[row]).abs();
                }
            }
        }
        self.trial_residual
            .iter()
            .zip(&self.magnitude)
            .all(|(residual, sum)| residual.abs() <= ROUNDING * sum)
    }

    #[cold]
    fn not_converged(&self, equation: Equation<'_>, iterations: u32) -> ForceError {
        let (index, correction, tolerance) = self.measure(equation);
        ForceError::NotConverged { unknown: Self::UNKNOWN, iterations, correction, index, tolerance }
    }
}

/// The result of the corrections with one matrix.
enum Progress {
    Done,
    Some,
    None,
}

/// |x|.
pub(super) fn norm(x: &[f64]) -> f64 {
    x.iter().map(|entry| entry * entry).sum::<f64>().sqrt()
}
