//! The linear maps of implicit steps of natural systems: K δa = −Hess V δy with K = M + c Hess V.

use super::kicks::ForceSlope;
use super::natural::{Along, Extended, OfMass, momentum, velocity};
use super::program::{Factor, Line, Linear, Lines, Part, add, copy, plus, set, with_stages};
use super::span::{End, Node, Span};
use super::variation::Vector::{
    self, Acceleration, Force, Momentum as P, Place, Position as Q, Velocity as V,
};
use crate::error::{Begun, StartError};
use crate::forward::forward;
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
        extended.stiffness((&self.q, self.t), 1.0, a, y);
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
            extended.apply(OfMass::Mass, true, a, &mut between);
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
            extended.apply(OfMass::Mass, false, &between, y);
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

/// The operators of an implicit step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::method) enum Operator {
    /// Of the mass.
    Mass(OfMass),
    /// −Hess V at the place of the implicit equation.
    Stiffness,
    /// K⁻¹ there.
    Solve,
}

with_stages!(Operator: Mass(OfMass));

/// M f ← M f − ∂(M a)/∂θ δθ.
const fn minus_slope(along: Along) -> Line<Operator> {
    add(Force, Factor::MINUS, Operator::Mass(OfMass::Slope(along)), Q)
}

/// M a = −∇V(q₀ + ½ h v₀ + ¼ h² a).
fn midpoint() -> Vec<Line<Operator>> {
    let mut lines = velocity(Along::Drift).to_vec();
    lines.extend([
        copy(Place, Q),
        plus(Place, Factor::HALF_STEP, V),
        set(Force, Operator::Stiffness, Place),
        minus_slope(Along::Late),
        set(Acceleration, Operator::Solve, Force),
        plus(Q, Factor::STEP, V),
        plus(Q, Factor(0.5, 2), Acceleration),
        add(P, Factor::STEP, OfMass::Mass.into(), Acceleration),
        add(P, Factor::STEP, OfMass::Slope(Along::Late).into(), Q),
    ]);
    lines
}

/// M a₁ = −∇V(q₁) with q₁ = q₀ + h v₀ + h² ((½ − β) a₀ + β a₁).
fn newmark(beta: f64) -> Vec<Line<Operator>> {
    let mut lines = velocity(Along::Drift).to_vec();
    lines.extend([
        plus(P, Factor::HALF_STEP, Force),
        minus_slope(Along::Early),
        set(Acceleration, OfMass::Inverse.into(), Force),
        copy(Place, Q),
        plus(Place, Factor::STEP, V),
        plus(Place, Factor(0.5 - beta, 2), Acceleration),
        set(Force, Operator::Stiffness, Place),
        minus_slope(Along::Late),
        set(Acceleration, Operator::Solve, Force),
        plus(Place, Factor(beta, 2), Acceleration),
        copy(Q, Place),
        set(Force, Operator::Stiffness, Q),
        plus(P, Factor::HALF_STEP, Force),
    ]);
    lines
}

/// The linear map of the implicit midpoint rule or of Newmark's method.
pub(in crate::method) struct ImplicitMap<'s, S: ?Sized> {
    extended: Extended<'s, S>,
    slope: ImplicitSlope,
    /// True for Newmark's method, whose equation stands at the end of the step.
    is_newmark: bool,
    acceleration: Vec<f64>,
}

impl<'s, S: Natural + ?Sized> ImplicitMap<'s, S> {
    /// The implicit midpoint rule.
    pub(in crate::method) fn midpoint(system: &'s S, method: &'static str) -> Begun<Self> {
        Ok(Self {
            extended: Extended::new(system, method)?,
            slope: ImplicitSlope::new(system, 0.25)?,
            is_newmark: false,
            acceleration: vec![0.0; system.dimension()],
        })
    }

    /// Newmark's method.
    pub(in crate::method) fn newmark(system: &'s S, method: &'static str, beta: f64) -> Begun<Self> {
        let slope = ImplicitSlope::new(system, beta)?;
        Ok(Self { slope, is_newmark: true, ..Self::midpoint(system, method)? })
    }

    /// Takes the velocity of the drift, which is that of the beginning, and the accelerations.
    fn take_accelerations(&mut self, Span { from, to, size }: &Span<'_>) {
        let Self { extended, slope, is_newmark, acceleration } = self;
        extended.stand_at(to);
        extended.take(Along::Drift, from.v.iter().copied());
        if !*is_newmark {
            // The change of the velocity has less rounding than a stiff force.
            extended.take(Along::Late, from.v.iter().zip(to.v).map(|(v0, v1)| (v1 - v0) / size));
            return;
        }
        for (node, along) in [(from, Along::Early), (to, Along::Late)] {
            extended.system.potential_gradient(node.q, node.t, &mut slope.gradient);
            slope.gradient.iter_mut().for_each(|entry| *entry = -*entry);
            extended.apply(OfMass::Inverse, false, &slope.gradient, acceleration);
            extended.take(along, acceleration.iter().copied());
        }
    }
}

impl<S: Natural + ?Sized> Linear for ImplicitMap<'_, S> {
    type Operator = Operator;

    fn lines(&self) -> Lines<Operator> {
        let (momentum, velocity) = (momentum().to_vec(), velocity(Along::State).to_vec());
        if self.is_newmark {
            let begin = vec![set(Force, Operator::Stiffness, Q)];
            return Lines { momentum, begin, step: newmark(self.slope.beta), velocity };
        }
        Lines { momentum, begin: Vec::new(), step: midpoint(), velocity }
    }

    fn lengths(&self) -> Vec<(Vector, usize)> {
        let [n, parameters] = self.dimension();
        vec![(Force, n), (Acceleration, n), (Place, n + parameters)]
    }

    forward! { extended: dimension() -> [usize; 2]; }

    forward! { mut extended: keep(moving: &[bool]); }

    fn has(&self, by: Operator) -> bool {
        match by {
            Operator::Mass(of_mass) => self.extended.has(of_mass),
            Operator::Stiffness | Operator::Solve => true,
        }
    }

    fn stand(&mut self, part: Part<'_>, _transposed: bool) -> Attempt {
        match part {
            Part::Momentum(node) | Part::Velocity(node) => {
                self.extended.stand_at(&node);
                Ok(())
            }
            Part::Begin(Span { from: Node { t, q, .. }, size, .. }) => {
                self.slope.take(self.extended.system, q.iter().copied(), t, size)
            }
            Part::Step(step) => {
                if self.extended.parametric.is_some() {
                    self.take_accelerations(&step);
                }
                let Span { from, to, size } = step;
                let place = if self.is_newmark { 1.0 } else { 0.5 };
                let q = from.q.iter().zip(to.q).map(|(q0, q1)| (1.0 - place) * q0 + place * q1);
                self.slope.take(self.extended.system, q, from.t + place * (to.t - from.t), size)
            }
        }
    }

    fn row_name(&self, row: usize) -> String {
        self.extended.system.layout().name_of(row)
    }

    fn apply(&mut self, by: Operator, transposed: bool, x: &[f64], y: &mut [f64]) {
        let Self { extended, slope, .. } = self;
        match by {
            Operator::Mass(by) => extended.apply(by, transposed, x, y),
            Operator::Stiffness => slope.stiffness(extended, x, y),
            Operator::Solve => {
                y.copy_from_slice(x);
                slope.solve(y);
            }
        }
    }
}
