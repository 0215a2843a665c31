//! The linear maps of implicit steps of natural systems: K δa = −Hess V δy with K = M + c Hess V.

use super::kick_drift_kick::ForceSlope;
use super::natural::{self, DRIFT_SLOPE, Extended, INVERSE_MASS, MASS, MOMENTUM, VELOCITY};
use super::program::{self, End, Line, Linear, Lines, Node, ONE, Operator, P, Q, Span, V, Vector, add, set};
use crate::error::{Begun, StartError};
use crate::method::force_error::{Attempt, ForceError};
use crate::method::linearly_implicit::{LinearizedPart, WholePotential};
use crate::sparse::{PatternSum, Solver};
use crate::system::{Natural, Parametric};
use std::marker::PhantomData;

/// Hess V and the factors of K at a place.
pub(in crate::method) struct ImplicitSlope<P = WholePotential> {
    q: Vec<f64>,
    t: f64,
    /// c f over x for c V₁‴[f, ·] of the part V₁ in K, for a force with K in its equation.
    explicit: Option<Vec<f64>>,
    beta: f64,
    c: f64,
    gradient: Vec<f64>,
    hessian: Vec<f64>,
    sum: PatternSum,
    solver: Solver,
    solution: Vec<f64>,
    third: Vec<f64>,
    part: PhantomData<fn() -> P>,
}

impl<P> ImplicitSlope<P> {
    /// With c = β h².
    pub(in crate::method) fn new<S: Natural + ?Sized>(system: &S, beta: f64) -> Begun<Self>
    where
        P: LinearizedPart<S>,
    {
        system.affords_second_derivatives()?;
        let pattern = P::pattern(system);
        let sum = PatternSum::new(&system.mass().pattern, pattern);
        let zeros = || vec![0.0; system.dimension()];
        Ok(Self {
            q: zeros(),
            t: 0.0,
            explicit: None,
            beta,
            c: 0.0,
            gradient: zeros(),
            hessian: vec![0.0; pattern.len()],
            solver: Solver::symmetric(sum.pattern()),
            sum,
            solution: zeros(),
            third: vec![0.0; system.dimension() + system.parametric().map_or(0, <dyn Parametric>::count)],
            part: PhantomData,
        })
    }

    /// Takes the position q + c f and the step; factors K.
    fn take<S: Natural + ?Sized>(
        &mut self,
        system: &S,
        q: impl Iterator<Item = f64>,
        t: f64,
        size: f64,
    ) -> Attempt
    where
        P: LinearizedPart<S>,
    {
        self.q.iter_mut().zip(q).for_each(|(own, q)| *own = q);
        (self.t, self.c) = (t, self.beta * size * size);
        let Self { q, gradient, hessian, sum, solver, c, .. } = self;
        P::second(system, q, t, gradient, hessian);
        let factored = solver.factor_with(|matrix| sum.combine(&system.mass().values, *c, hessian, matrix));
        factored.map_err(|error| ForceError::Singular { matrix: "M + c Hess V of the derivative", error })
    }

    /// x ← K⁻¹ x.
    fn solve(&mut self, x: &mut [f64]) {
        self.solver.solve_or_spoil(x);
    }

    /// Writes −(Hess V + c V₁‴[f, ·]) a over `y`; without the second term for a solved equation.
    fn stiffness<S: Natural + ?Sized>(&mut self, extended: &mut Extended<'_, S>, a: &[f64], y: &mut [f64])
    where
        P: LinearizedPart<S>,
    {
        extended.stiffness((&self.q, self.t), a, y);
        if let Some(motion) = &self.explicit {
            let third = &mut self.third[..y.len()];
            extended.third::<P>((&self.q, self.t), motion, a, third);
            y.iter_mut().zip(third).for_each(|(y, third)| *y -= *third);
        }
    }

    /// y ← y − c² V‴[f, a], for a direction of q.
    fn subtract_third<S: Natural + ?Sized>(
        &mut self,
        extended: &mut Extended<'_, S>,
        a: &[f64],
        y: &mut [f64],
    ) where
        P: LinearizedPart<S>,
    {
        let (Some(motion), third) = (&self.explicit, &mut self.third[..y.len()]) else { return };
        extended.third::<P>((&self.q, self.t), motion, a, third);
        y.iter_mut().zip(third).for_each(|(y, third)| *y -= self.c * *third);
    }

    /// y ← y − ½ c² V⁗[f, f, a].
    fn subtract_third_rate<S: Natural + ?Sized>(
        &mut self,
        extended: &mut Extended<'_, S>,
        a: &[f64],
        y: &mut [f64],
    ) {
        let (Some(motion), rate) = (&self.explicit, &mut self.third[..y.len()]) else { return };
        extended.third_rate((&self.q, self.t), motion, a, rate);
        y.iter_mut().zip(rate).for_each(|(y, rate)| *y -= 0.5 * *rate);
    }
}

/// The force M f of push-forward Newmark, M f = −∇V(x + c f), and of the Zhang–Skeel integrators: of the
/// simplified one, K(x) f = −∇V(x), and M f = M a − ½ c² V‴[a, a] with K(x) a = −∇V(x).
pub(in crate::method) struct ImplicitForce<'s, S: ?Sized, P> {
    system: &'s S,
    slope: ImplicitSlope<P>,
    /// f, or a.
    acceleration: Vec<f64>,
    /// True with the term of V‴.
    is_modified: bool,
}

impl<'s, S: Natural + ?Sized, P: LinearizedPart<S>> ImplicitForce<'s, S, P> {
    /// Push-forward Newmark.
    pub(in crate::method) fn solved(system: &'s S, beta: f64) -> Begun<Self> {
        let acceleration = vec![0.0; system.dimension()];
        Ok(Self { system, slope: ImplicitSlope::new(system, beta)?, acceleration, is_modified: false })
    }

    /// The simplified Zhang–Skeel integrator.
    pub(in crate::method) fn explicit(system: &'s S, beta: f64) -> Begun<Self> {
        let force = Self::solved(system, beta)?;
        let explicit = Some(vec![0.0; force.slope.third.len()]);
        Ok(Self { slope: ImplicitSlope { explicit, ..force.slope }, ..force })
    }

    /// The Zhang–Skeel integrator.
    pub(in crate::method) fn modified(system: &'s S, method: &'static str, beta: f64) -> Begun<Self> {
        let (reason, remedy) = match system.parametric() {
            Some(parametric) if parametric.has_third_rates() => {
                return Ok(Self { is_modified: true, ..Self::explicit(system, beta)? });
            }
            Some(_) => (
                "sums over near pairs, functions of sums, followed angles or functions of Rust, whose fourth derivatives are unknown",
                "take `newmark-pushforward` or `zhang-skeel-simplified`",
            ),
            None => (
                "fourth derivatives of the potential that are not compiled",
                "declare the model by `#[lagrangian(sensitive())]`, or take `newmark-pushforward`",
            ),
        };
        Err(StartError::NoDerivative { method, system: system.name().to_owned(), reason, remedy })
    }
}

impl<S: Natural + ?Sized, P: LinearizedPart<S>> ForceSlope<S> for ImplicitForce<'_, S, P> {
    fn stand(&mut self, step: &Span<'_>, end: End) -> Attempt {
        let (Self { system, slope, acceleration, .. }, Node { t, q, .. }) = (self, step.node(end));
        if slope.explicit.is_some() {
            slope.take(*system, q.iter().copied(), t, step.size)?;
            acceleration.iter_mut().zip(&slope.gradient).for_each(|(a, gradient)| *a = -gradient);
            slope.solve(acceleration);
            let (c, motion) = (slope.c, slope.explicit.iter_mut().flatten());
            motion.zip(acceleration).for_each(|(motion, a)| *motion = c * *a);
            return Ok(());
        }
        let square = step.size * step.size;
        acceleration.iter_mut().zip(step.accelerations(end)).for_each(|(f, own)| *f = own / square);
        let beta = slope.beta;
        let motions = step.accelerations(end).map(|square| beta * square);
        slope.take(*system, q.iter().zip(motions).map(|(q, motion)| q + motion), t, step.size)
    }

    /// M K⁻¹ (−Hess V − ∂(M f)/∂θ) + ∂(M f)/∂θ.
    fn apply(&mut self, extended: &mut Extended<'_, S>, transposed: bool, a: &[f64], y: &mut [f64]) {
        let Self { slope, acceleration, is_modified, .. } = self;
        let mut between = std::mem::take(&mut slope.solution);
        if transposed {
            extended.apply(MASS, true, a, &mut between);
            if *is_modified {
                slope.subtract_third(extended, a, &mut between);
            }
            slope.solve(&mut between);
            slope.stiffness(extended, &between, y);
            extended.moving(acceleration).add_mass_slope((true, a), 1.0, y);
            extended.add_mass_slope((true, &between), -1.0, y);
        } else {
            slope.stiffness(extended, a, &mut between);
            extended.moving(acceleration).add_mass_slope((false, a), -1.0, &mut between);
            slope.solve(&mut between);
            extended.apply(MASS, false, &between, y);
            extended.add_mass_slope((false, a), 1.0, y);
            if *is_modified {
                slope.subtract_third(extended, &between, y);
            }
        }
        if *is_modified {
            slope.subtract_third_rate(extended, a, y);
        }
        slope.solution = between;
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
const MIDPOINT: [Line; 11] = [
    set(V, INVERSE_MASS, P),
    add(V, |_| -1.0, DRIFT_SLOPE, Q),
    set(B, ONE, Q),
    add(B, |h| 0.5 * h, ONE, V),
    set(F, STIFFNESS, B),
    add(F, |_| -1.0, LATE_SLOPE, Q),
    set(A, SOLVE, F),
    add(Q, |h| h, ONE, V),
    add(Q, |h| 0.5 * h * h, ONE, A),
    add(P, |h| h, MASS, A),
    add(P, |h| h, LATE_SLOPE, Q),
];

/// (½ − β) M⁻¹ and β K⁻¹.
const EARLY: Operator = natural::OWN + 2;
const LATE: Operator = natural::OWN + 3;
/// ∂(M a)/∂θ for the accelerations at the beginning and of the equation.
const EARLY_SLOPE: Operator = natural::OWN + 4;
const LATE_SLOPE: Operator = natural::OWN + 5;

/// M a₁ = −∇V(q₁) with q₁ = q₀ + h v₀ + h² ((½ − β) a₀ + β a₁).
const NEWMARK: [Line; 15] = [
    set(V, INVERSE_MASS, P),
    add(V, |_| -1.0, DRIFT_SLOPE, Q),
    add(P, |h| 0.5 * h, ONE, F),
    add(F, |_| -1.0, EARLY_SLOPE, Q),
    set(A, EARLY, F),
    set(B, ONE, Q),
    add(B, |h| h, ONE, V),
    add(B, |h| h * h, ONE, A),
    set(F, STIFFNESS, B),
    add(F, |_| -1.0, LATE_SLOPE, Q),
    set(A, LATE, F),
    add(B, |h| h * h, ONE, A),
    set(Q, ONE, B),
    set(F, STIFFNESS, Q),
    add(P, |h| 0.5 * h, ONE, F),
];

const NEWMARK_BEGIN: [Line; 1] = [set(F, STIFFNESS, Q)];

/// The linear map of the implicit midpoint rule or of Newmark's method.
pub(in crate::method) struct ImplicitMap<'s, S: ?Sized> {
    extended: Extended<'s, S>,
    slope: ImplicitSlope,
    begin: &'static [Line],
    step: &'static [Line],
    /// The place of the equation, as a part of the step.
    place: f64,
    /// The accelerations at the beginning, if the step has them, and of the equation.
    early: Option<Vec<f64>>,
    late: Vec<f64>,
}

impl<'s, S: Natural + ?Sized> ImplicitMap<'s, S> {
    /// The implicit midpoint rule.
    pub(in crate::method) fn midpoint(system: &'s S, method: &'static str) -> Begun<Self> {
        Ok(Self {
            extended: Extended::new(system, method)?,
            slope: ImplicitSlope::new(system, 0.25)?,
            begin: &[],
            step: &MIDPOINT,
            place: 0.5,
            early: None,
            late: vec![0.0; system.dimension()],
        })
    }

    /// Newmark's method.
    pub(in crate::method) fn newmark(system: &'s S, method: &'static str, beta: f64) -> Begun<Self> {
        Ok(Self {
            slope: ImplicitSlope::new(system, beta)?,
            begin: &NEWMARK_BEGIN,
            step: &NEWMARK,
            place: 1.0,
            early: Some(vec![0.0; system.dimension()]),
            ..Self::midpoint(system, method)?
        })
    }
}

impl<S: Natural + ?Sized> Linear for ImplicitMap<'_, S> {
    fn lines(&self) -> Lines<'_> {
        Lines { begin: self.begin, step: self.step, velocity: &VELOCITY, momentum: &MOMENTUM }
    }

    fn vectors(&self) -> Vec<usize> {
        let [n, parameters] = self.extended.dimension();
        vec![n, n, n + parameters]
    }

    fn dimension(&self) -> [usize; 2] {
        self.extended.dimension()
    }

    fn has(&self, by: Operator) -> bool {
        self.extended.has(if matches!(by, EARLY_SLOPE | LATE_SLOPE) { DRIFT_SLOPE } else { by })
    }

    fn stand(&mut self, step: &Span<'_>, _transposed: bool) -> Attempt {
        let Span { from, to, size } = step;
        let Self { extended, slope, place, early, late, .. } = self;
        if extended.parametric.is_some() {
            extended.stand(step);
            // Drifts have the velocity of the beginning.
            extended.drift_with(from.v);
            match early {
                // The change of the velocity has less rounding than a stiff force.
                None => late
                    .iter_mut()
                    .zip(from.v.iter().zip(to.v))
                    .for_each(|(a, (v0, v1))| *a = (v1 - v0) / size),
                Some(early) => {
                    for (node, a) in [(from, early), (to, late)] {
                        extended.system.potential_gradient(node.q, node.t, &mut slope.gradient);
                        slope.gradient.iter_mut().for_each(|entry| *entry = -*entry);
                        extended.apply(INVERSE_MASS, false, &slope.gradient, a);
                    }
                }
            }
        }
        let q = from.q.iter().zip(to.q).map(|(q0, q1)| (1.0 - *place) * q0 + *place * q1);
        slope.take(extended.system, q, from.t + *place * (to.t - from.t), *size)
    }

    fn stand_at(&mut self, node: &Node<'_>) -> Attempt {
        self.extended.stand_at(node);
        Ok(())
    }

    fn stand_at_start(&mut self, first: &Span<'_>, _transposed: bool) -> Attempt {
        self.extended.stand_at(&first.from);
        let (system, Node { t, q, .. }) = (self.extended.system, first.from);
        self.slope.take(system, q.iter().copied(), t, first.size)
    }

    fn row_name(&self, row: usize) -> String {
        self.extended.system.layout().name_of(row)
    }

    fn apply(&mut self, by: Operator, transposed: bool, x: &[f64], y: &mut [f64]) {
        let Self { extended, slope, early, late, .. } = self;
        match by {
            STIFFNESS => slope.stiffness(extended, x, y),
            SOLVE | LATE => {
                y.copy_from_slice(x);
                slope.solve(y);
            }
            EARLY => extended.apply(INVERSE_MASS, transposed, x, y),
            EARLY_SLOPE | LATE_SLOPE => {
                y.fill(0.0);
                let a = if by == LATE_SLOPE { Some(late) } else { early.as_mut() };
                a.iter().for_each(|a| extended.moving(a).add_mass_slope((transposed, x), 1.0, y));
            }
            _ => extended.apply(by, transposed, x, y),
        }
        let factor = match by {
            EARLY => 0.5 - slope.beta,
            LATE => slope.beta,
            _ => return,
        };
        y.iter_mut().for_each(|entry| *entry *= factor);
    }
}
