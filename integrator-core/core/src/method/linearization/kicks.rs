//! The linear maps of steps of kicks and drifts, with or without rows, by a force M f = −∇U(q, t): U is
//! V or a modified potential.

use super::natural::{Along, Extended, OfMass, momentum, velocity};
use super::program::{Factor, Line, Linear, Lines, Part, add, plus, set, with_stages};
use super::rows::{self, OfRows, RowStages, Tangent, position_stage, velocity_stage};
use super::span::{End, Node, Span};
use super::sparse::Sparse;
use super::variation::Vector::{self, Force, Momentum as P, Position as Q, Velocity as V};
use crate::error::{Begun, StartError};
use crate::forward::forward;
use crate::method::force_error::Attempt;
use crate::system::{Constrained, Natural};

/// The derivative of the force of a method at a place.
pub(in crate::method) trait ForceSlope<S: ?Sized>: Send {
    /// Takes an end of a step.
    ///
    /// # Errors
    /// The matrix of the force is singular there.
    fn stand(&mut self, step: &Span<'_>, end: End) -> Attempt;

    /// Writes ∂(M f)/∂x a over `y`, or its transpose; the latter has the length of x.
    fn apply(&mut self, extended: &mut Extended<'_, S>, transposed: bool, a: &[f64], y: &mut [f64]);

    /// ∂(M f)/∂x as a matrix; see [`Linear::matrix`].
    fn matrix<'m>(&mut self, _extended: &'m mut Extended<'_, S>) -> Option<Sparse<'m>> {
        None
    }
}

/// −Hess V, or its multiple by the length of a kick, which the trace of a step begins with.
pub(in crate::method) struct Stiffness {
    q: Vec<f64>,
    t: f64,
    of_kicks: bool,
    factor: f64,
}

impl Stiffness {
    pub(in crate::method) fn new(n: usize) -> Self {
        Self { q: vec![0.0; n], t: 0.0, of_kicks: false, factor: 1.0 }
    }
}

impl<S: Natural + ?Sized> ForceSlope<S> for Stiffness {
    fn stand(&mut self, step: &Span<'_>, end: End) -> Attempt {
        let node = step.node(end);
        self.q.copy_from_slice(node.q);
        self.t = node.t;
        if self.of_kicks {
            self.factor = step.to.trace[0];
        }
        Ok(())
    }

    fn apply(&mut self, extended: &mut Extended<'_, S>, _transposed: bool, a: &[f64], y: &mut [f64]) {
        if self.factor == 0.0 {
            return y.fill(0.0);
        }
        extended.stiffness((&self.q, self.t), self.factor, a, y);
    }

    fn matrix<'m>(&mut self, extended: &'m mut Extended<'_, S>) -> Option<Sparse<'m>> {
        extended.stiffness_matrix((&self.q, self.t), self.factor)
    }
}

/// The operators of kicks and drifts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::method) enum Operator {
    /// Of the mass.
    Mass(OfMass),
    /// ∂(M f)/∂x at an end of a step.
    Force(End),
    /// Of the rows.
    Rows(OfRows),
}

with_stages!(Operator: Mass(OfMass), Rows(OfRows));

type Stage = Vec<Line<Operator>>;

/// The kick of a force that the step has already.
fn kick(factor: Factor) -> Stage {
    vec![plus(P, factor, Force)]
}

/// The force at an end of a step.
fn force(end: End) -> Stage {
    vec![set(Force, Operator::Force(end), Q)]
}

/// The drift, whose velocity is the one between both positions, or that of the end.
fn drift(along: Along) -> Stage {
    [&velocity(along)[..], &[plus(Q, Factor::STEP, V)]].concat()
}

/// The linear map of a step.
pub(in crate::method) struct Kicks<'s, S: ?Sized, F> {
    pub(super) extended: Extended<'s, S>,
    begin: Stage,
    step: Stage,
    /// The force at the beginning of a part, and at its end, as far as the lines ask for it.
    forces: [Option<F>; 2],
    pub(super) rows: Option<RowStages<'s>>,
}

impl<'s, S: Natural + ?Sized, F: ForceSlope<S>> Kicks<'s, S, F> {
    /// The map of a force that does not depend on the step: the force at the end serves the next one.
    pub(in crate::method) fn new(system: &'s S, method: &'static str, force_slope: F) -> Begun<Self> {
        let half = || kick(Factor::HALF_STEP);
        Ok(Self {
            extended: Extended::new(system, method)?,
            begin: force(End::Last),
            step: [half(), drift(Along::Drift), force(End::Last), half()].concat(),
            forces: [None, Some(force_slope)],
            rows: None,
        })
    }

    /// The map of a kick at the beginning, and a drift.
    pub(in crate::method) fn kick_drift(system: &'s S, method: &'static str, force_slope: F) -> Begun<Self> {
        Ok(Self {
            extended: Extended::new(system, method)?,
            begin: Vec::new(),
            step: [force(End::First), kick(Factor::STEP), drift(Along::State)].concat(),
            forces: [Some(force_slope), None],
            rows: None,
        })
    }

    /// The map of a force that depends on the length of a part of a step, so that both ends of each of
    /// several parts have their own.
    pub(in crate::method) fn of_parts(
        system: &'s S,
        method: &'static str,
        force_slope: impl Fn() -> Begun<F>,
        parts: usize,
    ) -> Begun<Self> {
        let map = Self::new(system, method, force_slope()?)?;
        if parts == 1 {
            return Ok(map);
        }
        let (step, [_, last]) = ([force(End::First), map.step].concat(), map.forces);
        Ok(Self { begin: Vec::new(), step, forces: [Some(force_slope()?), last], ..map })
    }
}

impl<'s, S: Natural + ?Sized> Kicks<'s, S, Stiffness> {
    /// The map of kicks of lengths that the trace tells, each with a drift behind it.
    pub(in crate::method) fn of_entries(system: &'s S, method: &'static str) -> Begun<Self> {
        let stiffness = Stiffness { of_kicks: true, ..Stiffness::new(system.dimension()) };
        let step = [force(End::First), kick(Factor::ONE), drift(Along::State)].concat();
        Ok(Self { step, ..Self::kick_drift(system, method, stiffness)? })
    }
}

impl<'s, S: Constrained + ?Sized> Kicks<'s, S, Stiffness> {
    /// The map of RATTLE, whose rows hold the position after the drift and the velocity at the end:
    ///
    /// ```text
    /// δp½ = δp₀ + ½ h δf₀ + (Σ x_c Hess g_c(q₀) δq₀ + G₀ᵀ δx)/h,
    /// δp₁ = δp½ + ½ h δf₁ + Σ μ_c Hess g_c(q₁) δq₁ + G₁ᵀ δμ,
    /// ```
    ///
    /// with the impulses x = ½ h² λ⁺ and μ = ½ h λ⁻ as the trace of a step.
    ///
    /// # Errors
    /// The mass is singular, or there are forces; a system does not give its constraints.
    pub(in crate::method) fn rattle(system: &'s S, method: &'static str) -> Begun<Self> {
        let map = Self::new(system, method, Stiffness::new(system.dimension()))?;
        let Some(holonomic) = system.holonomic() else {
            return Err(StartError::NoDerivative {
                method,
                system: system.name().to_owned(),
                reason: "constraints that its function `holonomic` does not return",
                remedy: "return them there, as `Some(self)`",
            });
        };
        let half = || kick(Factor::HALF_STEP);
        let first_bend = vec![add(P, Factor::PER_STEP, OfRows::Bend(End::First).into(), Q)];
        let position_stage = position_stage(Q).to_vec();
        let velocity_stage = velocity_stage(End::Last, &[OfMass::InverseSlope(Along::State)], Tangent::State);
        let rows = Some(RowStages::new(&map.extended, holonomic)?);
        let first = [half(), first_bend, drift(Along::Drift), position_stage].concat();
        let step = [first, force(End::Last), half(), velocity_stage].concat();
        Ok(Self { step, rows, ..map })
    }

    /// The map with its force at the other end.
    pub(super) fn with_force_at(self, end: End) -> Self {
        let mut forces = self.forces;
        if forces[end as usize].is_none() {
            forces.swap(0, 1);
        }
        Self { forces, ..self }
    }
}

impl<S: Natural + ?Sized, F: ForceSlope<S>> Kicks<'_, S, F> {
    /// Takes a step, whose trace has the impulses of the rows.
    pub(super) fn stand_between(&mut self, step: &Span<'_>, transposed: bool) -> Attempt {
        let Self { extended, forces, rows, .. } = self;
        extended.stand(step);
        for (force, end) in forces.iter_mut().zip([End::First, End::Last]) {
            force.iter_mut().try_for_each(|force| force.stand(step, end))?;
        }
        rows.iter_mut().try_for_each(|rows| rows.stand(extended, step, transposed))
    }

    /// Takes a state for the momentum at the start.
    pub(super) fn stand_at_start(&mut self, node: &Node<'_>) -> Attempt {
        let Self { extended, rows, .. } = self;
        extended.stand_at(node);
        rows.iter_mut().try_for_each(|rows| rows.stand_at(extended, node))
    }
}

impl<S: Natural + ?Sized, F: ForceSlope<S>> Linear for Kicks<'_, S, F> {
    type Operator = Operator;

    fn lines(&self) -> Lines<Operator> {
        let momentum = if self.rows.is_some() { rows::start() } else { momentum().to_vec() };
        let (begin, step) = (self.begin.clone(), self.step.clone());
        Lines { momentum, begin, step, velocity: velocity(Along::State).to_vec() }
    }

    fn lengths(&self) -> Vec<(Vector, usize)> {
        let [n, _] = self.extended.dimension();
        let of_rows = self.rows.iter().flat_map(RowStages::lengths);
        [(Force, n)].into_iter().chain(of_rows).collect()
    }

    forward! { extended: dimension() -> [usize; 2]; }

    forward! { mut extended: keep(moving: &[bool]); }

    fn has(&self, by: Operator) -> bool {
        match by {
            Operator::Mass(of_mass) => self.extended.has(of_mass),
            Operator::Force(_) | Operator::Rows(_) => true,
        }
    }

    fn stand(&mut self, part: Part<'_>, transposed: bool) -> Attempt {
        match part {
            Part::Momentum(node) => self.stand_at_start(&node),
            Part::Begin(first) => {
                let [_, last] = &mut self.forces;
                last.iter_mut().try_for_each(|force| force.stand(&first, End::First))
            }
            Part::Step(step) => self.stand_between(&step, transposed),
            Part::Velocity(node) => {
                self.extended.stand_at(&node);
                Ok(())
            }
        }
    }

    fn row_name(&self, row: usize) -> String {
        let of_coordinate = || self.extended.system.layout().name_of(row);
        self.rows.as_ref().map_or_else(of_coordinate, |rows| rows.row_name(row))
    }

    fn apply(&mut self, by: Operator, transposed: bool, x: &[f64], y: &mut [f64]) {
        let Self { extended, forces, rows, .. } = self;
        match by {
            Operator::Mass(by) => extended.apply(by, transposed, x, y),
            Operator::Force(end) => {
                let force = &mut forces[end as usize];
                force.iter_mut().for_each(|force| force.apply(extended, transposed, x, y));
            }
            Operator::Rows(by) => {
                rows.iter_mut().for_each(|rows| rows.apply(extended, by, (transposed, x), y));
            }
        }
    }

    fn matrix(&mut self, by: Operator) -> Option<Sparse<'_>> {
        let Self { extended, forces, rows, .. } = self;
        match by {
            Operator::Mass(by) => extended.matrix(by),
            Operator::Force(end) => forces[end as usize].as_mut()?.matrix(extended),
            Operator::Rows(by) => rows.as_mut()?.matrix(extended, by),
        }
    }
}
