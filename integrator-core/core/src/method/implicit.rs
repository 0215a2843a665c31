use super::applied::{Instant, subtract_from_gradient};
use super::force_error::{Attempt, ForceError, check_finite};
use super::mass_solver::MassSolver;
use super::newton::{Damped, Differentiable, Newton, NewtonEquations, Unknown};
use super::report::Evaluations;
use crate::error::Begun;
use crate::sparse::{PatternSum, Solver};
use crate::system::Natural;

/// Newton's method for M a + ∇V(y + c a, t) − F(y + c a, t) = 0: the equation of every implicit step of
/// a natural system.
///
/// The matrix M + c Hess V is sparse and symmetric; it omits forces F without a potential, which are not
/// stiff. [Newton's method](Damped) adds σ M where the matrix is indefinite or nearly singular: these
/// corrections descend towards a minimum of ½ c aᵀ M a + V(y + c a), the solution sought.
#[derive(Debug)]
pub(super) struct Implicit {
    pub(super) mass: MassSolver,
    linear: Linear,
    newton: Damped,
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
            newton: Damped::new(system.dimension(), newton),
        })
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
            return self.mass.accelerate(system, equation.base, equation.at, a, counts);
        }
        let from_zero = a.iter().all(|entry| *entry == 0.0);
        let mut balance = StepEquations { linear: &mut self.linear, mass: &mut self.mass, system, equation };
        let outcome = self.newton.solve(&mut balance, a, counts);
        if outcome.is_ok() || from_zero {
            return outcome;
        }
        a.fill(0.0);
        self.newton.solve(&mut balance, a, counts)
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
}

impl<S: Natural + ?Sized> Differentiable for StepEquations<'_, '_, S> {
    const SHIFTS: bool = true;

    fn linearize(&mut self, a: &[f64], residual: &mut [f64], counts: &mut Evaluations) -> Attempt {
        self.differentiate(a, residual, counts)?;
        self.factor(1.0, counts)
    }

    /// R and Hess V at `a`.
    fn differentiate(&mut self, a: &[f64], residual: &mut [f64], counts: &mut Evaluations) -> Attempt {
        let Self { linear, system, equation, .. } = self;
        linear.place(*equation, a);
        system.potential_second(&linear.q, equation.at.t, residual, &mut linear.hessian);
        subtract_from_gradient(*system, &linear.q, equation.at, residual);
        counts.gradients += 1;
        counts.hessians += 1;
        system.mass().pattern.multiply_add(&system.mass().values, a, residual);
        check_finite(residual)
    }

    fn correct(&mut self, weight: f64, r: &mut [f64], counts: &mut Evaluations) -> Attempt {
        self.factor(weight, counts)?;
        let solved = self.linear.solver.solve(r);
        solved.map_err(|error| ForceError::Unsolved { matrix: Implicit::MATRIX, error })
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
