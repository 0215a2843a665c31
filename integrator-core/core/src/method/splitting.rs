//! Splittings: methods whose step is a list of kicks and drifts, in one engine.
//!
//! For each entry (b, a) of the list, with f(x, t) the acceleration M f = −∇V + F and c the sum of the
//! drifts before:
//!
//! v ← v + b h f(x, t₀ + c h);  x ← x + a h v.
//!
//! So an explicit time counts as a coordinate that drifts. Each entry is a part of the step for
//! derivatives: one linear map serves all lists.
//!
//! An input u of F is replaced at c by the line nearest to it in the mean of squares,
//! (4 − 6 c) m₀ + (12 c − 6) m₁ with m₀ = ∫ u dt/h and m₁ = ∫ (t − t₀)/h u dt/h over the step. Kicks
//! that integrate cubic polynomials exactly give its whole impulse then, and keep order 4 where u is
//! smooth.

use super::applied::{Instant, check_of_position, takes_inputs};
use super::check::{check_start, check_unconstrained};
use super::contract::Claims;
use super::flow::{Flow, Substep};
use super::force_error::{Attempt, check_finite};
use super::instability::Instability;
use super::linearization::Kicks;
use super::linearization::program::{LinearStep, Program};
use super::mass_solver::MassSolver;
use super::report::{Evaluations, Report};
use super::running::{Ready, Running};
use super::stability::{self, FirstStep};
use crate::carried::carried;
use crate::error::{Begun, StepError};
use crate::system::{Natural, State};

/// A method by its list of kicks and drifts.
pub(super) trait Splitting: Claims + 'static {
    /// The factors b of the kicks, in the order of the step.
    const KICKS: &'static [f64];
    /// The factors a of the drift behind each kick.
    const DRIFTS: &'static [f64];
    /// The limit of h ω on an oscillator, relative to the limit of velocity Verlet.
    const LIMIT: f64;
}

/// The implementations of a method by its list: its start, and its derivative part by part.
macro_rules! splitting {
    ($Method:ident) => {
        impl<S: $crate::system::Natural + ?Sized> $crate::method::contract::Method<S> for $Method {
            fn start<'s>(
                &self,
                system: &'s S,
                state: $crate::system::State,
                step: f64,
            ) -> $crate::error::Begun<impl $crate::method::contract::Stepper + 's + use<'s, S>> {
                $crate::method::splitting::start::<Self, S>(system, state, step, false)
            }

            fn instability(
                &self,
                system: &S,
                state: &$crate::system::State,
                step: f64,
            ) -> Option<$crate::method::instability::Instability> {
                $crate::method::splitting::instability::<Self, S>(system, state, step)
            }
        }

        impl<S: $crate::system::Natural + ?Sized> $crate::method::linearization::Differentiable<S>
            for $Method
        {
            fn parts(&self) -> &'static [f64] {
                <Self as $crate::method::splitting::Splitting>::DRIFTS
            }

            fn traced<'s>(
                &self,
                system: &'s S,
                state: $crate::system::State,
                step: f64,
            ) -> $crate::method::running::Ready<'s, impl $crate::method::flow::Flow + use<'s, S>> {
                $crate::method::splitting::start::<Self, S>(system, state, step, true)
            }

            fn linear<'s>(
                &self,
                system: &'s S,
                _parts: usize,
            ) -> $crate::error::Begun<Box<dyn $crate::method::linearization::program::LinearStep + 's>> {
                $crate::method::splitting::linear::<Self, S>(system)
            }
        }
    };
}

pub(super) use splitting;

/// Starts a method; by parts, an advance is one entry of its list.
pub(super) fn start<M: Splitting, S: Natural + ?Sized>(
    system: &S,
    state: State,
    step: f64,
    by_parts: bool,
) -> Ready<'_, SplittingFlow<'_, S>> {
    check_of_position(system, M::NAME)?;
    check_unconstrained(system, M::NAME)?;
    check_start(system, &state, step)?;
    let flow = SplittingFlow {
        system,
        method: M::NAME,
        list: [M::KICKS, M::DRIFTS],
        step,
        mass: MassSolver::new(system, system.mass())?,
        acceleration: vec![0.0; system.dimension()],
        is_fresh: false,
        takes_inputs: takes_inputs(system),
        part: 0,
        by_parts,
        counts: Evaluations::default(),
    };
    Running::new(flow, state, step).within(M::NAME, system)
}

/// The instability of a too long step.
pub(super) fn instability<M: Splitting, S: Natural + ?Sized>(
    system: &S,
    state: &State,
    step: f64,
) -> Option<Instability> {
    let first = FirstStep { method: M::NAME, system, state, step: step / M::LIMIT };
    let found = stability::explicit(&first)?;
    Some(found.of_composition(M::LIMIT))
}

/// The flow of a list.
pub(super) struct SplittingFlow<'s, S: ?Sized> {
    system: &'s S,
    method: &'static str,
    /// The kicks and the drifts.
    list: [&'static [f64]; 2],
    step: f64,
    mass: MassSolver,
    /// The acceleration of the last kick, and if the positions are still its own.
    acceleration: Vec<f64>,
    is_fresh: bool,
    takes_inputs: bool,
    /// The next entry, in runs by parts.
    part: usize,
    by_parts: bool,
    counts: Evaluations,
}

impl<S: Natural + ?Sized> SplittingFlow<'_, S> {
    fn attempt(&mut self, state: &State, h: f64, next: &mut State) -> Attempt {
        let (all, h) =
            if self.by_parts { (self.part..self.part + 1, self.step) } else { (0..self.length(), h) };
        next.q.copy_from_slice(&state.q);
        next.v.copy_from_slice(&state.v);
        // A step that fails leaves a foreign acceleration.
        let mut is_fresh = std::mem::take(&mut self.is_fresh) && !self.takes_inputs;
        let (mut t, mut done) = (state.t, 0.0);
        let [kicks, drifts] = self.list;
        for k in all {
            let (kick, drift) = (kicks[k], drifts[k]);
            if kick != 0.0 {
                if !is_fresh {
                    let at = Instant::inside(t, state.t, h, done);
                    let Self { system, mass, acceleration, counts, .. } = self;
                    mass.accelerate(*system, &next.q, at, acceleration, counts)?;
                }
                is_fresh = true;
                next.v.iter_mut().zip(&self.acceleration).for_each(|(v, f)| *v += kick * h * f);
            }
            if drift != 0.0 {
                next.q.iter_mut().zip(&next.v).for_each(|(q, v)| *q += drift * h * v);
                is_fresh = false;
                done += drift;
                t = state.t + done * h;
            }
        }
        check_finite(&next.v)?;
        check_finite(&next.q)?;
        self.is_fresh = is_fresh && !self.takes_inputs;
        self.part = if self.by_parts { (self.part + 1) % self.length() } else { 0 };
        Ok(())
    }

    fn length(&self) -> usize {
        self.list[0].len()
    }
}

impl<S: Natural + ?Sized> Flow for SplittingFlow<'_, S> {
    fn takes_kicks(&self) -> bool {
        true
    }

    fn takes_parts(&self) -> bool {
        !self.by_parts
    }

    fn advance(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        self.attempt(state, substep.size, next)
            .map_err(|error| error.in_step_of(self.method, self.system.layout(), substep, state.t))
    }

    fn report(&self) -> Report<'_> {
        Report::of(self.counts)
    }

    fn trace_length(&self) -> usize {
        1
    }

    /// The length of the last kick.
    fn trace(&self, trace: &mut [f64]) {
        let last = (self.part + self.length() - 1) % self.length();
        trace[0] = self.list[0][last] * self.step;
    }

    fn go_on_from(&mut self, _state: &State) -> bool {
        self.is_fresh = false;
        true
    }
}

carried!([S: Natural + ?Sized] SplittingFlow<'_, S> {
    acceleration, is_fresh, part, counts
} besides { system, method, list, step, mass, takes_inputs, by_parts });

/// The linear map of the entries of any list.
pub(super) fn linear<M: Splitting, S: Natural + ?Sized>(system: &S) -> Begun<Box<dyn LinearStep + '_>> {
    Ok(Box::new(Program::new(Kicks::of_entries(system, M::NAME)?)))
}
