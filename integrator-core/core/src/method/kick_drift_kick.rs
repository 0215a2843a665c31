//! The flow of velocity Verlet, the Zhang–Skeel integrators and push-forward Newmark: one force per
//! step, used at both of its ends.
//!
//! x₁ = x₀ + h v₀ + ½ h² f₀, v₁ = v₀ + ½ h (f₀ + f₁), where f(x, t) is the acceleration that the method
//! derives from V and from forces of the position.
//!
//! Velocity Verlet also takes forces that depend on velocities: see [`half_kick`](super::half_kick).

use super::applied::{Instant, check_of_position, takes_inputs};
use super::flow::{Flow, Substep};
use super::force::{AccelerationField, Started, first_force};
use super::force_error::{Attempt, check_finite};
use super::half_kick::HalfKick;
use super::report::{Evaluations, Report};
use super::running::{Ready, Running};
use super::scheme::Scheme;
use crate::binding::threads::each_entry;
use crate::carried::carried;
use crate::error::{Begun, StartError, StepError};
use crate::lanes::Real;
use crate::system::{State, System};

/// The flow of velocity Verlet, a Zhang–Skeel integrator or push-forward Newmark.
pub(super) struct KickDriftKick<'s, F> {
    force: F,
    /// The kicks by forces that depend on velocities, if there are any.
    half_kick: Option<Box<HalfKick<'s>>>,
    /// f₀; during a step f₁.
    acceleration: Vec<f64>,
    /// True if `acceleration` belongs to another state, another step size, or the end of the step
    /// before, where the averages of inputs differ.
    stale: bool,
    takes_inputs: bool,
    counts: Evaluations,
}

impl<'s, F: AccelerationField> KickDriftKick<'s, F> {
    /// Starts a method that takes forces of the position alone.
    pub(super) fn start(
        system: &'s (impl System + ?Sized),
        state: State,
        step: f64,
        force: impl FnOnce() -> Begun<F>,
    ) -> Ready<'s, Self> {
        check_of_position(system, F::METHOD)?;
        Self::start_with(|_| Ok(None), system, state, step, force)
    }

    /// Starts a method with kicks by forces of the velocity, made by `half_kick` after the checks.
    pub(super) fn start_with(
        half_kick: impl FnOnce(&State) -> Result<Option<Box<HalfKick<'s>>>, StartError>,
        system: &'s (impl System + ?Sized),
        state: State,
        step: f64,
        force: impl FnOnce() -> Begun<F>,
    ) -> Ready<'s, Self> {
        let Started { force, acceleration, counts } = first_force(system, &state, step, force)?;
        let half_kick = half_kick(&state)?;
        // Kicks average their inputs themselves.
        let takes_inputs = half_kick.is_none() && takes_inputs(system);
        let flow = Self { force, half_kick, acceleration, stale: false, takes_inputs, counts };
        Running::new(flow, state, step).within(F::METHOD, system)
    }

    /// A step with kicks by forces that depend on velocities.
    #[inline(never)]
    fn attempt_with_kicks(&mut self, state: &State, h: f64, next: &mut State) -> Attempt {
        let Self { force, half_kick, acceleration, counts, .. } = self;
        let (State { t: end, q, v: u }, Some(half_kick)) = (next, half_kick) else { return Ok(()) };
        // u, and q₁ = q₀ + h u
        each_entry(u, [&state.v, acceleration], &|u, [v, f]| *u = v + 0.5 * h * f);
        half_kick.implicit((&state.q, Instant::beginning(state.t, h)), 0.5 * h, u, counts)?;
        each_entry(q, [&state.q, u], &|next, [q, u]| *next = q + h * u);
        check_finite(q)?;
        let at = Instant::end(*end, h);
        force.evaluate(q, at, acceleration, counts)?;
        // v₁ from u, with f₁ known
        let applied = half_kick.explicit((q, u, at))?;
        each_entry(u, [acceleration, applied], &|v, [f, applied]| *v += 0.5 * h * (f + applied));
        check_finite(u)
    }

    #[inline(always)]
    fn attempt(&mut self, state: &State, h: f64, next: &mut State) -> Attempt {
        self.stale |= self.force.resize(h) || self.takes_inputs;
        if self.stale {
            self.renew(state, h)?;
        }
        // A step that fails leaves a foreign acceleration.
        self.stale = true;
        if self.half_kick.is_some() {
            self.attempt_with_kicks(state, h, next)?;
        } else {
            self.kick_drift_kick(state, h, next)?;
        }
        self.stale = false;
        Ok(())
    }

    #[inline(always)]
    fn kick_drift_kick(&mut self, state: &State, h: f64, next: &mut State) -> Attempt {
        // Slices of a length known to the type let loops over n entries unroll.
        let n = self.force.dimension();
        let (x, v, f) = (&state.q[..n], &state.v[..n], &mut self.acceleration[..n]);
        let (next_x, next_v) = (&mut next.q[..n], &mut next.v[..n]);
        // x₁ = x₀ + h v₀ + ½ h² f₀, and half of the kick
        let (whole, half) = (0.5 * h * h, 0.5 * h);
        each_entry(next_x, [x, v, f], &|next, [x, v, f]| *next = moved([h, whole], [x, v, f]));
        each_entry(next_v, [v, f], &|next, [v, f]| *next = kicked(half, v, f));
        check_finite(next_x)?;
        // f₁ = f(x₁), and the other half
        self.force.evaluate(next_x, Instant::end(next.t, h), f, &mut self.counts)?;
        each_entry(next_v, [f], &|next, [f]| *next = kicked(half, *next, f));
        check_finite(next_v)
    }

    /// Evaluates f₀ at another state, or for another step.
    #[cold]
    fn renew(&mut self, state: &State, h: f64) -> Attempt {
        let Self { force, acceleration, counts, .. } = self;
        force.evaluate(&state.q, Instant::beginning(state.t, h), acceleration, counts)?;
        check_finite(acceleration)
    }
}

/// x + h v + ½ h² f, with both factors.
#[inline(always)]
pub(super) fn moved<T: Real>([h, whole]: [T; 2], [x, v, f]: [T; 3]) -> T {
    x + h * v + whole * f
}

/// v + ½ h f.
#[inline(always)]
pub(super) fn kicked<T: Real>(half: T, v: T, f: T) -> T {
    v + half * f
}

/// The force depends on the position alone, so that a kick changes only the state.
impl<F: AccelerationField> Flow for KickDriftKick<'_, F> {
    fn takes_kicks(&self) -> bool {
        true
    }

    fn takes_parts(&self) -> bool {
        true
    }

    fn scheme(&self) -> Option<Scheme<'_>> {
        let plain = self.half_kick.is_none() && !self.takes_inputs;
        self.force.scheme().filter(|_| plain)
    }

    #[inline(always)]
    fn advance(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        self.attempt(state, substep.size, next)
            .map_err(|error| error.in_step_of(F::METHOD, self.force.layout(), substep, state.t))
    }

    fn report(&self) -> Report<'_> {
        Report::of(self.counts)
    }

    fn go_on_from(&mut self, _state: &State) -> bool {
        self.stale = true;
        true
    }
}

carried!([F: AccelerationField] KickDriftKick<'_, F> {
    force, acceleration, stale, counts
} besides { half_kick, takes_inputs });

/// The implementations of a symmetric method with this flow and the parameter β: its limit of the step,
/// its force, the slope of the force, and a tolerance of its own.
macro_rules! kick_drift_kick {
    (
        $Method:ident on $System:ident,
        $limit:ident,
        |$this:ident, $system:ident, $step:ident| $force:expr,
        $slope:expr
        $(, $tolerance:ident)?
    ) => {
        impl<S: $System + ?Sized> $crate::method::contract::Method<S> for $Method {
            $crate::method::composition::start_as_parts!(S);

            fn instability(
                &self,
                system: &S,
                state: &State,
                step: f64,
            ) -> Option<$crate::method::instability::Instability> {
                let first = $crate::method::stability::FirstStep { method: Self::NAME, system, state, step };
                $crate::method::stability::$limit(self.beta, &first)
            }
        }

        impl<S: $System + ?Sized> $crate::method::composition::Symmetric<S> for $Method {
            fn start_parts<'s>(
                &self,
                $system: &'s S,
                state: State,
                $step: f64,
            ) -> $crate::method::running::Ready<'s, impl $crate::method::flow::Flow + use<'s, S>> {
                let $this = self;
                $crate::method::kick_drift_kick::KickDriftKick::start($system, state, $step, || $force)
                    $(.map(|run| run.to_tolerance(self.$tolerance)))?
            }
        }

        impl<S: $System + ?Sized> $crate::method::linearization::Differentiable<S> for $Method {
            $crate::method::composition::traced_as_parts!(S);

            fn linear<'s>(
                &self,
                system: &'s S,
                parts: usize,
            ) -> $crate::error::Begun<Box<dyn $crate::method::linearization::program::LinearStep + 's>> {
                let slope = || $slope(system, self.beta);
                let map = $crate::method::linearization::Kicks::of_parts(system, Self::NAME, slope, parts)?;
                Ok(Box::new($crate::method::linearization::program::Program::new(map)))
            }
        }
    };
}

pub(super) use kick_drift_kick;
