//! (M + c Hess V(x)) a = −∇V(x) + F(x) with c = β h²: the linear system of linearly implicit methods.

use super::applied::{Instant, subtract_from_gradient};
use super::check::check_beta;
use super::contract::Claims;
use super::force::AccelerationField;
use super::force_error::{Attempt, ForceError};
use super::report::Evaluations;
use crate::carried::carried;
use crate::error::Begun;
use crate::sparse::{PatternSum, Solver, SymmetricMatrix, SymmetricPattern};
use crate::system::{Layout, Natural, Parametric, Stiff};
use std::marker::PhantomData;

/// Declares a method with one parameter, a β of c = β h².
macro_rules! method_of_beta {
    ($(#[$documentation:meta])* $Method:ident: $beta:expr) => {
        $(#[$documentation])*
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct $Method {
            #[doc = $beta]
            pub beta: f64,
        }

        impl Default for $Method {
            /// β = 0.4, the value of Tao and Owhadi.
            fn default() -> Self {
                Self { beta: 0.4 }
            }
        }
    };
}

pub(super) use method_of_beta;

/// The part of the potential whose second derivatives enter the matrix.
pub(super) trait LinearizedPart<S: ?Sized> {
    /// The name of the matrix, for messages.
    const MATRIX: &'static str;

    fn pattern(system: &S) -> &SymmetricPattern;

    /// Writes ∇V of the whole potential, and the second derivatives of the part.
    fn second(system: &S, q: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]);

    /// Writes the third derivatives of the part, contracted twice with a, over `contraction`; with
    /// parameters over x = (q, θ).
    fn third(
        system: &S,
        parametric: Option<&dyn Parametric>,
        at: (&[f64], f64),
        a: &[f64],
        contraction: &mut [f64],
    );
}

/// A part of the potential by the methods of the system for its pattern and its second and third
/// derivatives, and by the method of parameters for third derivatives over (q, θ).
macro_rules! part {
    (
        $(#[$documentation:meta])* $Part:ident of $System:ident: $matrix:literal,
        $pattern:ident, $second:ident, $third:ident, $parametric_third:ident
    ) => {
        $(#[$documentation])*
        #[derive(Debug)]
        pub(super) struct $Part;

        impl<S: $System + ?Sized> LinearizedPart<S> for $Part {
            const MATRIX: &'static str = $matrix;

            fn pattern(system: &S) -> &SymmetricPattern {
                system.$pattern()
            }

            fn second(system: &S, q: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
                system.$second(q, t, gradient, hessian);
            }

            fn third(
                system: &S,
                parametric: Option<&dyn Parametric>,
                (x, t): (&[f64], f64),
                a: &[f64],
                contraction: &mut [f64],
            ) {
                match parametric {
                    None => system.$third(x, t, a, contraction),
                    Some(parametric) => parametric.$parametric_third(x, t, a, contraction),
                }
            }
        }
    };
}

part! {
    /// V.
    WholePotential of Natural: "M + β h² Hess V", potential_pattern, potential_second, potential_third, third
}

part! {
    /// V₁.
    StiffPotential of Stiff: "M + β h² Hess V₁", stiff_pattern, stiff_second, stiff_third, third_of_stiff
}

/// c = β h².
#[derive(Debug)]
pub(super) struct Shift {
    beta: f64,
    pub(super) c: f64,
}

impl Shift {
    pub(super) fn of(method: &'static str, beta: f64, step: f64) -> Begun<Self> {
        check_beta(method, beta)?;
        Ok(Self { beta, c: beta * step * step })
    }

    /// Adapts c to steps of this size; true if it changed.
    pub(super) fn resize(&mut self, step: f64) -> bool {
        let c = self.beta * step * step;
        let changed = self.c.to_bits() != c.to_bits();
        self.c = c;
        changed
    }
}

/// The system with its matrix; the pattern of M + Hess V selects the solver.
#[derive(Debug)]
pub(super) struct LinearlyImplicit<'s, S: ?Sized, P = WholePotential> {
    pub(super) system: &'s S,
    pub(super) shift: Shift,
    sum: PatternSum,
    hessian: Vec<f64>,
    solver: Solver,
    part: PhantomData<fn() -> P>,
}

impl<'s, S: Natural + ?Sized, P: LinearizedPart<S>> LinearlyImplicit<'s, S, P> {
    pub(super) fn new(system: &'s S, method: &'static str, beta: f64, step: f64) -> Begun<Self> {
        system.affords_second_derivatives()?;
        let pattern = P::pattern(system);
        let sum = PatternSum::new(&system.mass().pattern, pattern);
        Ok(Self {
            system,
            shift: Shift::of(method, beta, step)?,
            hessian: vec![0.0; pattern.len()],
            solver: Solver::symmetric(sum.pattern()),
            sum,
            part: PhantomData,
        })
    }

    /// Writes a(x) over `a`.
    pub(super) fn solve(
        &mut self,
        q: &[f64],
        at: Instant,
        a: &mut [f64],
        counts: &mut Evaluations,
    ) -> Attempt {
        self.factor(q, at, a, counts)?;
        a.iter_mut().for_each(|entry| *entry = -*entry);
        self.apply(a)
    }

    /// Factors the matrix at x and leaves ∇V(x) − F(x) in `gradient`.
    pub(super) fn factor(
        &mut self,
        q: &[f64],
        at: Instant,
        gradient: &mut [f64],
        counts: &mut Evaluations,
    ) -> Attempt {
        let Self { system, shift, sum, hessian, solver, .. } = self;
        P::second(system, q, at.t, gradient, hessian);
        subtract_from_gradient(*system, q, at, gradient);
        counts.gradients += 1;
        counts.hessians += 1;
        counts.factorizations += 1;
        solver
            .factor_with(|matrix| sum.combine(&system.mass().values, shift.c, hessian, matrix))
            .map_err(|error| ForceError::Singular { matrix: P::MATRIX, error })
    }

    /// The last factored matrix.
    pub(super) fn matrix(&self) -> SymmetricMatrix {
        let pattern = self.sum.pattern().clone();
        let mut values = vec![0.0; pattern.len()];
        self.sum.combine(&self.system.mass().values, self.shift.c, &self.hessian, &mut values);
        SymmetricMatrix { pattern, values }
    }

    /// x ← (M + c Hess V)⁻¹ x, with the last factored matrix.
    pub(super) fn apply(&mut self, x: &mut [f64]) -> Attempt {
        self.solver.solve(x).map_err(|error| ForceError::Unsolved { matrix: P::MATRIX, error })
    }
}

/// The solution as the force of a method: f = −(M + c Hess V)⁻¹ ∇V.
pub(super) struct LinearForce<'s, S: ?Sized, P, M> {
    implicit: LinearlyImplicit<'s, S, P>,
    method: PhantomData<fn() -> M>,
}

impl<'s, S: Natural + ?Sized, P: LinearizedPart<S>, M: Claims> LinearForce<'s, S, P, M> {
    pub(super) fn new(system: &'s S, beta: f64, step: f64) -> Begun<Self> {
        Ok(Self { implicit: LinearlyImplicit::new(system, M::NAME, beta, step)?, method: PhantomData })
    }
}

impl<S: Natural + ?Sized, P: LinearizedPart<S>, M: Claims> AccelerationField for LinearForce<'_, S, P, M> {
    const METHOD: &'static str = M::NAME;

    fn layout(&self) -> &Layout {
        self.implicit.system.layout()
    }

    fn evaluate(&mut self, q: &[f64], at: Instant, f: &mut [f64], counts: &mut Evaluations) -> Attempt {
        self.implicit.solve(q, at, f, counts)
    }

    fn resize(&mut self, step: f64) -> bool {
        self.implicit.shift.resize(step)
    }
}

carried!([] Shift { c } besides { beta });
carried!([S: ?Sized, P] LinearlyImplicit<'_, S, P> { shift } besides { system, sum, hessian, solver, part });
carried!([S: ?Sized, P, M] LinearForce<'_, S, P, M> { implicit } besides { method });
