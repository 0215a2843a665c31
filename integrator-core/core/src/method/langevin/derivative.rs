//! The derivative of a run with a bath: of one path, whose random numbers do not change.
//!
//! With y₀ = v + (1 − P) w, y = C y₀ + S ξ and v₁ = y + M⁻¹ Gᵀ b, the bath gives to p = M v:
//!
//! ```text
//! δ(M y₀) = δp + Σ x_c Hess g_c δq + Gᵀ δx,  with δx such that G (δy₀ − δw) + κ(y₀ − w) δq = 0;
//! δ(M v₁) = δ(M y) + Σ b_c Hess g_c δq + Gᵀ δb,  with δb such that G δv₁ + κ(v₁) δq = 0,
//! ```
//!
//! where Gᵀ x = M (y₀ − v), and κ(v) is the derivative of G v + ∂g/∂t by the position.

use super::Langevin;
use super::bath::Bath;
use super::noise::Noise;
use crate::carried::carried;
use crate::error::{Begun, StartError, StepError};
use crate::forward::forward;
use crate::method::contract::{Claims, Stepper};
use crate::method::flow::{Flow, Substep};
use crate::method::force_error::Attempt;
use crate::method::linearization::natural::{self, Along, OfMass};
use crate::method::linearization::program::{
    Factor, Line, Linear, LinearStep, Lines, Part, Program, add, set, with_stages,
};
use crate::method::linearization::rows::{OfRows, RowStages, Tangent, velocity_stage};
use crate::method::linearization::span::{End, Node, Span};
use crate::method::linearization::sparse::Sparse;
use crate::method::linearization::variation::Vector::{
    self, Bathed, Momentum as P, Position as Q, Velocity as V,
};
use crate::method::linearization::{Differentiable, Extended, Variation};
use crate::method::report::Report;
use crate::method::running::{Ready, Running};
use crate::system::{HeldAngles, Natural, State};

impl<S: Natural + ?Sized, M: Differentiable<S>> Differentiable<S> for Langevin<M> {
    fn traced<'s>(
        &self,
        system: &'s S,
        state: State,
        step: f64,
    ) -> Ready<'s, impl Flow + 's + use<'s, S, M>> {
        self.check()?;
        let mut base = self.method.traced(system, state.clone(), step)?;
        if base.kicked().is_none() {
            return Err(StartError::VelocitiesFixed { method: M::NAME });
        }
        let bath = self.bath(system, step, system.parametric().is_some())?;
        let before = state.v.clone();
        let trace = vec![0.0; base.flow().trace_length()];
        let flow = BathFlow { base, bath, noise: Noise::new(self.seed, state.t, step), before, trace };
        Ok(Running::new(flow, state, step))
    }

    fn linear<'s>(&self, system: &'s S, parts: usize) -> Begun<Box<dyn LinearStep + 's>> {
        let base = self.method.linear(system, parts)?;
        if !base.has_momentum() {
            return Err(StartError::NoDerivative {
                method: Self::NAME,
                system: system.name().to_owned(),
                reason: "a bath around a method that looks ahead",
                remedy: "take `rattle`, which has its positions",
            });
        }
        // A step tells its length when the map stands at it.
        let Some(bath) = self.bath(system, f64::NAN, system.parametric().is_some())? else { return Ok(base) };
        if bath.is_coupled() && system.parametric().is_some() {
            return Err(StartError::NoDerivative {
                method: Self::NAME,
                system: system.name().to_owned(),
                reason: "a mass that couples coordinates and parameters that may turn its modes",
                remedy: "leave out `sensitive(…)`, or take coordinates that the mass does not couple",
            });
        }
        let stage = BathStage::new(system, bath, base.dimension())?;
        Ok(Box::new(Behind { base, trace: stage.trace_length(), bath: Program::new(stage) }))
    }
}

/// A step of a method and the bath after it.
struct BathFlow<'s, F> {
    base: Running<'s, F>,
    /// `None` without friction.
    bath: Option<Bath>,
    noise: Noise,
    /// The velocity before the bath, and the trace of the step.
    before: Vec<f64>,
    trace: Vec<f64>,
}

impl<F: Flow> Flow for BathFlow<'_, F> {
    fn advance(&mut self, _: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        let Self { base, bath, noise, before, trace } = self;
        base.advance(substep)?;
        base.flow().trace(trace);
        before.copy_from_slice(&base.state().v);
        if let Some(bath) = bath {
            bath.read(before);
            if let Some(kicked) = base.kicked() {
                bath.act(kicked, noise.of_step(substep.number));
            }
        }
        next.assign(base.state());
        Ok(())
    }

    forward! { base:
        report() -> Report<'_>;
        hold_angles() -> Option<HeldAngles>;
    }

    fn trace_length(&self) -> usize {
        let of_bath = self.bath.iter().flat_map(Bath::trace).map(<[f64]>::len).sum::<usize>();
        self.trace.len() + self.before.len() + of_bath
    }

    /// The trace of the step, the velocity before the bath, and the numbers of the bath.
    fn trace(&self, trace: &mut [f64]) {
        let of_bath = self.bath.iter().flat_map(Bath::trace);
        let numbers = [&self.trace[..], &self.before].into_iter().chain(of_bath).flatten();
        trace.iter_mut().zip(numbers).for_each(|(trace, number)| *trace = *number);
    }
}

carried!([F: Flow] BathFlow<'_, F> { base } besides { bath, noise, before, trace });

/// The operators of a bath.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    /// Of the mass.
    Mass(OfMass),
    /// C.
    Decay,
    /// Of the constraints at the end of the step.
    Rows(OfRows),
}

with_stages!(Operator: Mass(OfMass), Rows(OfRows));

/// y = C y₀ + S ξ, from the momentum and to the momentum.
fn decay() -> Vec<Line<Operator>> {
    let mut lines = natural::velocity(Along::Begun).to_vec();
    lines.extend([
        set(Bathed, Operator::Decay, V),
        add(Bathed, Factor::ONE, OfMass::Slope(Along::Decay).into(), Q),
        set(P, OfMass::Mass.into(), Bathed),
        add(P, Factor::ONE, OfMass::Slope(Along::Bathed).into(), Q),
    ]);
    lines
}

/// The linear map of a bath at the end of a step.
struct BathStage<'s, S: ?Sized> {
    extended: Extended<'s, S>,
    /// Of the method, which may have further parameters, the inputs of forces.
    dimension: [usize; 2],
    bath: Bath,
    rows: Option<RowStages<'s>>,
    /// y₀, and v₁ − y.
    begun: Vec<f64>,
    change: Vec<f64>,
    /// u in ∂(M u)/∂θ of the decay and of w.
    slopes: [Vec<f64>; 2],
}

impl<'s, S: Natural + ?Sized> BathStage<'s, S> {
    fn new(system: &'s S, bath: Bath, dimension: [usize; 2]) -> Begun<Self> {
        let extended = Extended::of(system)?;
        let rows = system.holonomic().map(|rows| RowStages::new(&extended, rows)).transpose()?;
        let [begun, change, of_decay, of_thermal] = [(); 4].map(|()| vec![0.0; system.dimension()]);
        Ok(Self { extended, dimension, bath, rows, begun, change, slopes: [of_decay, of_thermal] })
    }

    /// The length of the trace of the bath: the velocity before it, and its numbers.
    fn trace_length(&self) -> usize {
        self.begun.len() + self.bath.trace().map(<[f64]>::len).sum::<usize>()
    }
}

impl<S: Natural + ?Sized> Linear for BathStage<'_, S> {
    type Operator = Operator;

    fn lines(&self) -> Lines<Operator> {
        let mut step = Vec::new();
        if self.bath.has_normal_part() {
            let slopes = [OfMass::InverseSlope(Along::Begun), OfMass::Slope(Along::Thermal)];
            step.extend(velocity_stage(End::First, &slopes, Tangent::Bath));
        }
        step.extend(decay());
        if self.rows.is_some() {
            step.extend(velocity_stage(End::Last, &[OfMass::InverseSlope(Along::Held)], Tangent::State));
        }
        let [momentum, begin, velocity] = [const { Vec::new() }; 3];
        Lines { momentum, begin, step, velocity }
    }

    fn lengths(&self) -> Vec<(Vector, usize)> {
        let of_rows = self.rows.iter().flat_map(RowStages::lengths);
        [(Bathed, self.begun.len())].into_iter().chain(of_rows).collect()
    }

    fn dimension(&self) -> [usize; 2] {
        self.dimension
    }

    fn has(&self, by: Operator) -> bool {
        match by {
            Operator::Mass(of_mass) => self.extended.has(of_mass),
            Operator::Decay | Operator::Rows(_) => true,
        }
    }

    fn stand(&mut self, part: Part<'_>, _transposed: bool) -> Attempt {
        let Part::Step(step) = part else { return Ok(()) };
        let Self { extended, bath, rows, begun, change, slopes: [of_decay, of_thermal], .. } = self;
        bath.resize(step.size);
        let (before, numbers) = step.to.trace.split_at(begun.len());
        let (bathed, thermal) = numbers.split_at(begun.len());
        let (whole, normal) = thermal.split_at(thermal.len() / 2);
        begun.copy_from_slice(before);
        begun.iter_mut().zip(normal).for_each(|(begun, normal)| *begun += normal);
        bath.slopes(step.size, begun, (bathed, of_decay), (whole, of_thermal));
        extended.stand_at(&step.to);
        extended.take(Along::Begun, begun.iter().copied());
        extended.take(Along::Bathed, bathed.iter().copied());
        extended.take(Along::Held, step.to.v.iter().copied());
        extended.take(Along::Decay, of_decay.iter().copied());
        extended.take(Along::Thermal, of_thermal.iter().copied());
        let Some(rows) = rows else { return Ok(()) };
        rows.stand_at(extended, &step.to)?;
        if bath.has_normal_part() {
            rows.take_tangent(begun.iter().zip(whole).map(|(begun, whole)| begun - whole));
            rows.take_impulse(End::First, normal);
        }
        let changes = step.to.v.iter().zip(bathed).map(|(held, bathed)| held - bathed);
        change.iter_mut().zip(changes).for_each(|(own, change)| *own = change);
        rows.take_impulse(End::Last, change);
        Ok(())
    }

    fn row_name(&self, row: usize) -> String {
        let of_coordinate = || self.extended.system.layout().name_of(row);
        self.rows.as_ref().map_or_else(of_coordinate, |rows| rows.row_name(row))
    }

    fn apply(&mut self, by: Operator, transposed: bool, x: &[f64], y: &mut [f64]) {
        let Self { extended, bath, rows, .. } = self;
        // The bath does not see the inputs of forces.
        let whole = extended.dimension().iter().sum::<usize>();
        let (x, (y, others)) = (&x[..x.len().min(whole)], y.split_at_mut(y.len().min(whole)));
        others.fill(0.0);
        match by {
            Operator::Mass(by) => extended.apply(by, transposed, x, y),
            Operator::Decay => {
                y.copy_from_slice(x);
                bath.decay(y);
            }
            Operator::Rows(by) => {
                rows.iter_mut().for_each(|rows| rows.apply(extended, by, (transposed, x), y));
            }
        }
    }

    fn matrix(&mut self, by: Operator) -> Option<Sparse<'_>> {
        match by {
            Operator::Mass(by) => self.extended.matrix(by),
            Operator::Decay => None,
            Operator::Rows(by) => self.rows.as_mut()?.matrix(&mut self.extended, by),
        }
    }
}

/// The linear map of a step with a bath behind it.
struct Behind<'s, S: Natural + ?Sized> {
    base: Box<dyn LinearStep + 's>,
    bath: Program<BathStage<'s, S>>,
    /// The length of the trace of the bath, which stands behind the trace of the step.
    trace: usize,
}

impl<S: Natural + ?Sized> Behind<'_, S> {
    /// The step of the method, and the bath.
    fn split<'t>(&self, Span { from, to, size }: Span<'t>) -> [Part<'t>; 2] {
        let n = from.q.len();
        let [before, (trace, of_bath)] =
            [from, to].map(|node| node.trace.split_at(node.trace.len() - self.trace));
        let from = Node { trace: before.0, ..from };
        let last = Node { v: &of_bath[..n], trace, ..to };
        let bathed = Span { from, to: Node { trace: of_bath, ..to }, size };
        [Part::Step(Span { from, to: last, size }), Part::Step(bathed)]
    }
}

impl<S: Natural + ?Sized> LinearStep for Behind<'_, S> {
    forward! { base:
        dimension() -> [usize; 2];
        has_momentum() -> bool;
        row_name(row: usize) -> String;
    }

    forward! { mut base: keep(moving: &[bool]); }

    fn zero(&self) -> Variation {
        let mut zero = self.base.zero();
        zero.give(&self.bath.lengths());
        zero
    }

    fn push(&mut self, part: Part<'_>, tangents: &mut [Variation]) -> Attempt {
        let Part::Step(step) = part else { return self.base.push(part, tangents) };
        let [step, bath] = self.split(step);
        self.base.push(step, tangents)?;
        self.bath.push(bath, tangents)
    }

    fn pull(&mut self, part: Part<'_>, covector: &mut Variation) -> Attempt {
        let Part::Step(step) = part else { return self.base.pull(part, covector) };
        let [step, bath] = self.split(step);
        self.bath.pull(bath, covector)?;
        self.base.pull(step, covector)
    }
}
