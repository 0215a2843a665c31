//! The linear maps of implicit steps of natural systems: K δa = −Hess V δy with K = M + c Hess V.

use super::kick_drift_kick::ForceSlope;
use super::natural::{self, Extended, INVERSE_MASS, MASS, MOMENTUM, VELOCITY};
use super::program::{self, End, Line, Linear, Node, ONE, Operator, P, Q, Span, V, Vector, add, set};
use crate::error::StartError;
use crate::method::force_error::ForceError;
use crate::sparse::{PatternSum, Solver};
use crate::system::Natural;

/// Hess V and the factors of K at a place.
pub(in crate::method) struct ImplicitSlope {
    q: Vec<f64>,
    t: f64,
    /// c f for c V‴[f, ·], for a force with K in its equation.
    explicit: Option<Vec<f64>>,
    beta: f64,
    c: f64,
    gradient: Vec<f64>,
    hessian: Vec<f64>,
    sum: PatternSum,
    solver: Solver,
    solution: Vec<f64>,
    third: Vec<f64>,
}

impl ImplicitSlope {
    /// With c = β h².
    pub(in crate::method) fn new<S: Natural + ?Sized>(system: &S, beta: f64) -> Result<Self, StartError> {
        system.affords_second_derivatives()?;
        let sum = PatternSum::new(&system.mass().pattern, system.potential_pattern());
        let zeros = || vec![0.0; system.dimension()];
        Ok(Self {
            q: zeros(),
            t: 0.0,
            explicit: None,
            beta,
            c: 0.0,
            gradient: zeros(),
            hessian: vec![0.0; system.potential_pattern().len()],
            solver: Solver::symmetric(sum.pattern()),
            sum,
            solution: zeros(),
            third: zeros(),
        })
    }

    /// Takes the position q + c f and the step; factors K.
    fn take<S: Natural + ?Sized>(
        &mut self,
        system: &S,
        q: impl Iterator<Item = f64>,
        t: f64,
        size: f64,
    ) -> Result<(), ForceError> {
        self.q.iter_mut().zip(q).for_each(|(own, q)| *own = q);
        (self.t, self.c) = (t, self.beta * size * size);
        let Self { q, gradient, hessian, sum, solver, c, .. } = self;
        system.potential_second(q, t, gradient, hessian);
        let factored = solver.factor_with(|matrix| sum.combine(&system.mass().values, *c, hessian, matrix));
        factored.map_err(|error| ForceError::Singular { matrix: "M + c Hess V of the derivative", error })
    }

    /// x ← K⁻¹ x.
    fn solve(&mut self, x: &mut [f64]) {
        self.solver.solve_or_spoil(x);
    }

    /// Writes −(Hess V + c V‴[f, ·]) a over `y`; without the second term for a solved equation.
    fn stiffness<S: Natural + ?Sized>(&mut self, extended: &mut Extended<'_, S>, a: &[f64], y: &mut [f64]) {
        extended.stiffness((&self.q, self.t), a, y);
        if let Some(motion) = &self.explicit {
            extended.third((&self.q, self.t), motion, a, &mut self.third);
            y.iter_mut().zip(&self.third).for_each(|(y, third)| *y -= third);
        }
    }
}

/// The force M f of push-forward Newmark, M f = −∇V(x + c f), and of the simplified Zhang–Skeel
/// integrator, K(x) f = −∇V(x).
pub(in crate::method) struct ImplicitForce<'s, S: ?Sized> {
    system: &'s S,
    slope: ImplicitSlope,
}

impl<'s, S: Natural + ?Sized> ImplicitForce<'s, S> {
    /// Push-forward Newmark.
    pub(in crate::method) fn solved(system: &'s S, beta: f64) -> Result<Self, StartError> {
        Ok(Self { system, slope: ImplicitSlope::new(system, beta)? })
    }

    /// The simplified Zhang–Skeel integrator.
    pub(in crate::method) fn explicit(system: &'s S, beta: f64) -> Result<Self, StartError> {
        let slope = ImplicitSlope::new(system, beta)?;
        Ok(Self { system, slope: ImplicitSlope { explicit: Some(vec![0.0; system.dimension()]), ..slope } })
    }
}

impl<S: Natural + ?Sized> ForceSlope<S> for ImplicitForce<'_, S> {
    fn stand(&mut self, step: &Span<'_>, end: End) -> Result<(), ForceError> {
        let (Self { system, slope }, Node { t, q, .. }) = (self, step.node(end));
        let beta = slope.beta;
        let motions = step.accelerations(end).map(|square| beta * square);
        if let Some(motion) = &mut slope.explicit {
            motion.iter_mut().zip(motions).for_each(|(own, motion)| *own = motion);
            return slope.take(*system, q.iter().copied(), t, step.size);
        }
        slope.take(*system, q.iter().zip(motions).map(|(q, motion)| q + motion), t, step.size)
    }

    /// M K⁻¹ times the stiffness.
    fn apply(&mut self, extended: &mut Extended<'_, S>, transposed: bool, a: &[f64], y: &mut [f64]) {
        let mut between = std::mem::take(&mut self.slope.solution);
        if transposed {
            extended.apply(MASS, a, &mut between);
            self.slope.solve(&mut between);
            self.slope.stiffness(extended, &between, y);
        } else {
            self.slope.stiffness(extended, a, &mut between);
            self.slope.solve(&mut between);
            extended.apply(MASS, &between, y);
        }
        self.slope.solution = between;
    }
}

/// The force M a that Newmark's method carries, its accelerations, and the known part of the position.
const F: Vector = program::OWN;
const A: Vector = program::OWN + 1;
const B: Vector = program::OWN + 2;
/// −Hess V and K⁻¹ at the place of the implicit equation.
const STIFFNESS: Operator = natural::OWN;
const SOLVE: Operator = natural::OWN + 1;

/// M a = −∇V(q₀ + ½ h v₀ + ¼ h² a).
const MIDPOINT: [Line; 8] = [
    set(V, INVERSE_MASS, P),
    set(B, ONE, Q),
    add(B, |h| 0.5 * h, ONE, V),
    set(F, STIFFNESS, B),
    set(A, SOLVE, F),
    add(Q, |h| h, ONE, V),
    add(Q, |h| 0.5 * h * h, ONE, A),
    add(P, |h| h, MASS, A),
];

/// (½ − β) M⁻¹ and β K⁻¹.
const EARLY: Operator = natural::OWN + 2;
const LATE: Operator = natural::OWN + 3;

/// M a₁ = −∇V(q₁) with q₁ = q₀ + h v₀ + h² ((½ − β) a₀ + β a₁).
const NEWMARK: [Line; 10] = [
    set(V, INVERSE_MASS, P),
    set(A, EARLY, F),
    add(Q, |h| h, ONE, V),
    add(Q, |h| h * h, ONE, A),
    add(P, |h| 0.5 * h, ONE, F),
    set(F, STIFFNESS, Q),
    set(A, LATE, F),
    add(Q, |h| h * h, ONE, A),
    set(F, STIFFNESS, Q),
    add(P, |h| 0.5 * h, ONE, F),
];

const NEWMARK_BEGIN: [Line; 1] = [set(F, STIFFNESS, Q)];

/// The linear map of the implicit midpoint rule or of Newmark's method.
pub(in crate::method) struct ImplicitMap<'s, S: ?Sized> {
    extended: Extended<'s, S>,
    slope: ImplicitSlope,
    is_midpoint: bool,
}

impl<'s, S: Natural + ?Sized> ImplicitMap<'s, S> {
    /// The implicit midpoint rule.
    pub(in crate::method) fn midpoint(system: &'s S, method: &'static str) -> Result<Self, StartError> {
        let slope = ImplicitSlope::new(system, 0.25)?;
        Ok(Self { extended: Extended::new(system, method)?, slope, is_midpoint: true })
    }

    /// Newmark's method.
    pub(in crate::method) fn newmark(
        system: &'s S,
        method: &'static str,
        beta: f64,
    ) -> Result<Self, StartError> {
        let slope = ImplicitSlope::new(system, beta)?;
        Ok(Self { extended: Extended::new(system, method)?, slope, is_midpoint: false })
    }
}

impl<S: Natural + ?Sized> Linear for ImplicitMap<'_, S> {
    fn begin(&self) -> &[Line] {
        if self.is_midpoint { &[] } else { &NEWMARK_BEGIN }
    }

    fn step(&self) -> &[Line] {
        if self.is_midpoint { &MIDPOINT } else { &NEWMARK }
    }

    fn velocity(&self) -> &[Line] {
        &VELOCITY
    }

    fn momentum(&self) -> &[Line] {
        &MOMENTUM
    }

    fn vectors(&self) -> Vec<usize> {
        let [n, parameters] = self.extended.dimension();
        vec![n, n, n + parameters]
    }

    fn dimension(&self) -> [usize; 2] {
        self.extended.dimension()
    }

    fn stand(&mut self, Span { from, to, size }: &Span<'_>, _transposed: bool) -> Result<(), ForceError> {
        let (system, weight) = (self.extended.system, if self.is_midpoint { 0.5 } else { 1.0 });
        let place = from.q.iter().zip(to.q).map(|(q0, q1)| (1.0 - weight) * q0 + weight * q1);
        self.slope.take(system, place, from.t + weight * (to.t - from.t), *size)
    }

    fn stand_at(&mut self, _node: &Node<'_>) -> Result<(), ForceError> {
        Ok(())
    }

    fn stand_at_start(&mut self, first: &Span<'_>) -> Result<(), ForceError> {
        let (system, Node { t, q, .. }) = (self.extended.system, first.from);
        self.slope.take(system, q.iter().copied(), t, first.size)
    }

    fn row_name(&self, row: usize) -> String {
        self.extended.system.layout().name_of(row)
    }

    fn apply(&mut self, by: Operator, _transposed: bool, x: &[f64], y: &mut [f64]) {
        let Self { extended, slope, .. } = self;
        match by {
            STIFFNESS => slope.stiffness(extended, x, y),
            SOLVE | LATE => {
                y.copy_from_slice(x);
                slope.solve(y);
            }
            EARLY => extended.apply(INVERSE_MASS, x, y),
            _ => extended.apply(by, x, y),
        }
        let factor = match by {
            EARLY => 0.5 - slope.beta,
            LATE => slope.beta,
            _ => return,
        };
        y.iter_mut().for_each(|entry| *entry *= factor);
    }
}
