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
use crate::method::linearization::program::{
    self, Line, Linear, Lines, Node, Operator, P, Q, Span, V, Vector, add, set,
};
use crate::method::linearization::sparse::Sparse;
use crate::method::linearization::{Differentiable, Extended, RattleMap, natural, rattle};
use crate::method::report::Report;
use crate::method::running::{Ready, Running};
use crate::system::{HeldAngles, Holonomic, Natural, State};

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

    fn linear<'s>(&self, system: &'s S, parts: usize) -> Begun<Box<dyn Linear + 's>> {
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
        Ok(Box::new(BathMap::new(system, base, bath)?))
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

/// The operators of the bath stand behind the operators of any method.
const BATH: Operator = 1 << 16;
/// M and M⁻¹.
const MASS: Operator = BATH;
const INVERSE_MASS: Operator = BATH + 1;
/// C, and ∂(C y₀ + S ξ)/∂θ at fixed y₀.
const DECAY: Operator = BATH + 2;
const DECAY_SLOPE: Operator = BATH + 3;
/// ∂w/∂θ.
const THERMAL_SLOPE: Operator = BATH + 4;
/// M⁻¹ ∂(M y₀)/∂θ, ∂(M y)/∂θ and M⁻¹ ∂(M v₁)/∂θ.
const BEGUN_SLOPE: Operator = BATH + 5;
const END_SLOPE: Operator = BATH + 6;
const AFTER_SLOPE: Operator = BATH + 7;
/// κ(y₀ − w).
const NORMAL_HIDDEN: Operator = BATH + 8;
/// The operators of the constraints stand behind all.
const FOOT: Operator = BATH + 9;

/// The linear map of a step with a bath.
struct BathMap<'s, S: ?Sized> {
    base: Box<dyn Linear + 's>,
    extended: Extended<'s, S>,
    bath: Bath,
    /// The constraints at the end of the step.
    foot: Option<RattleMap<'s, S, dyn Holonomic + 's>>,
    step: Vec<Line>,
    /// y₀, y and v₁.
    begun: Vec<f64>,
    end: Vec<f64>,
    after: Vec<f64>,
    /// y₀ − w, and v₁ − y.
    tangent: Vec<f64>,
    change: Vec<f64>,
    /// u in ∂(M u)/∂θ of the decay and of w.
    of_decay: Vec<f64>,
    of_thermal: Vec<f64>,
}

impl<'s, S: Natural + ?Sized> BathMap<'s, S> {
    fn new(system: &'s S, base: Box<dyn Linear + 's>, bath: Bath) -> Begun<Self> {
        let n = system.dimension();
        let foot = match system.holonomic() {
            None => None,
            Some(holonomic) => Some(RattleMap::new(Extended::of(system)?, holonomic)?),
        };
        let y: Vector = program::OWN + base.vectors().len();
        // The residual of the rows and the multipliers.
        let (r, l) = (y + 1, y + 2);
        let projected = |bend, slopes: &[Line], hidden| {
            let begin = [add(P, |_| 1.0, FOOT + bend, Q), set(V, INVERSE_MASS, P)];
            let end = [
                set(r, FOOT + rattle::ROWS, V),
                add(r, |_| 1.0, hidden, Q),
                set(l, FOOT + rattle::VELOCITY_STAGE, r),
                add(P, |_| 1.0, FOOT + rattle::MOTION, l),
            ];
            [&begin[..], slopes, &end].concat()
        };
        let mut step = base.lines().step.to_vec();
        if bath.has_normal_part() {
            let slopes = [add(V, |_| -1.0, BEGUN_SLOPE, Q), add(V, |_| -1.0, THERMAL_SLOPE, Q)];
            step.extend(projected(rattle::BEND, &slopes, NORMAL_HIDDEN));
        }
        step.extend([
            set(V, INVERSE_MASS, P),
            add(V, |_| -1.0, BEGUN_SLOPE, Q),
            set(y, DECAY, V),
            add(y, |_| 1.0, DECAY_SLOPE, Q),
            set(P, MASS, y),
            add(P, |_| 1.0, END_SLOPE, Q),
        ]);
        if foot.is_some() {
            step.extend(projected(
                rattle::LAST_BEND,
                &[add(V, |_| -1.0, AFTER_SLOPE, Q)],
                FOOT + rattle::HIDDEN,
            ));
        }
        let extended = Extended::of(system)?;
        let [begun, end, after, tangent, change, of_decay, of_thermal] = [(); 7].map(|()| vec![0.0; n]);
        Ok(Self {
            base,
            extended,
            bath,
            foot,
            step,
            begun,
            end,
            after,
            tangent,
            change,
            of_decay,
            of_thermal,
        })
    }
}

impl<S: Natural + ?Sized> Linear for BathMap<'_, S> {
    fn lines(&self) -> Lines<'_> {
        Lines { step: &self.step, ..self.base.lines() }
    }

    fn vectors(&self) -> Vec<usize> {
        let mut vectors = self.base.vectors();
        vectors.push(self.begun.len());
        let rows = self.foot.as_ref().map_or(0, RattleMap::rows);
        vectors.extend([rows; 2]);
        vectors
    }

    forward! { base:
        dimension() -> [usize; 2];
        row_name(row: usize) -> String;
    }

    fn has(&self, by: Operator) -> bool {
        match by {
            DECAY_SLOPE..=AFTER_SLOPE => self.extended.parametric.is_some(),
            BATH.. => true,
            _ => self.base.has(by),
        }
    }

    fn stand(&mut self, step: &Span<'_>, transposed: bool) -> Attempt {
        let Self {
            base, extended, bath, foot, begun, end, after, tangent, change, of_decay, of_thermal, ..
        } = self;
        let (n, own) = (begun.len(), bath.trace().map(<[f64]>::len).sum::<usize>());
        bath.resize(step.size);
        let (trace, numbers) = step.to.trace.split_at(step.to.trace.len() - own - n);
        let (before, numbers) = numbers.split_at(n);
        let (last, thermal) = numbers.split_at(n);
        let (whole, normal) = thermal.split_at(thermal.len() / 2);
        let from = Node { trace: &step.from.trace[..trace.len()], ..step.from };
        base.stand(&Span { from, to: Node { v: before, trace, ..step.to }, ..*step }, transposed)?;
        extended.stand_at(&step.to);
        end.copy_from_slice(last);
        after.copy_from_slice(step.to.v);
        begun.copy_from_slice(before);
        begun.iter_mut().zip(normal).for_each(|(begun, normal)| *begun += normal);
        tangent.copy_from_slice(begun);
        tangent.iter_mut().zip(whole).for_each(|(tangent, whole)| *tangent -= whole);
        bath.slopes(step.size, begun, (end, of_decay), (whole, of_thermal));
        let Some(foot) = foot else { return Ok(()) };
        foot.stand_at_start(&Span { from: step.to, ..*step }, transposed)?;
        if bath.has_normal_part() {
            foot.take_impulse(0, normal);
        }
        change
            .iter_mut()
            .zip(after.iter().zip(end))
            .for_each(|(change, (after, end))| *change = *after - *end);
        foot.take_impulse(1, change);
        Ok(())
    }

    forward! { mut base:
        stand_at(node: &Node<'_>) -> Attempt;
        stand_at_start(first: &Span<'_>, transposed: bool) -> Attempt;
    }

    fn apply(&mut self, by: Operator, transposed: bool, x: &[f64], y: &mut [f64]) {
        let Self { base, extended, bath, foot, begun, end, after, tangent, of_decay, of_thermal, .. } = self;
        if by < BATH {
            return base.apply(by, transposed, x, y);
        }
        // The method may have further parameters, the inputs of forces, which the bath does not see.
        let whole = extended.dimension().iter().sum::<usize>();
        let (x, (y, others)) = (&x[..x.len().min(whole)], y.split_at_mut(y.len().min(whole)));
        others.fill(0.0);
        let along = (transposed, x);
        match (by, foot) {
            (MASS, _) => extended.apply(natural::MASS, transposed, x, y),
            (INVERSE_MASS, _) => extended.apply(natural::INVERSE_MASS, transposed, x, y),
            (DECAY, _) => {
                y.copy_from_slice(x);
                bath.decay(y);
            }
            (DECAY_SLOPE, _) => extended.moving(of_decay).mass_slope(along, y),
            (THERMAL_SLOPE, _) => extended.moving(of_thermal).mass_slope(along, y),
            (END_SLOPE, _) => extended.moving(end).mass_slope(along, y),
            (BEGUN_SLOPE, _) => extended.moving(begun).velocity_slope(along, y),
            (AFTER_SLOPE, _) => extended.moving(after).velocity_slope(along, y),
            (NORMAL_HIDDEN, Some(foot)) => foot.hidden_at(tangent, along, y),
            (_, Some(foot)) => foot.apply(by - FOOT, transposed, x, y),
            _ => {}
        }
    }
    fn matrix(&mut self, by: Operator) -> Option<Sparse<'_>> {
        match (by, &mut self.foot) {
            (..BATH, _) => self.base.matrix(by),
            (FOOT.., Some(foot)) => foot.matrix(by - FOOT),
            _ => None,
        }
    }
}
