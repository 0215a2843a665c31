//! The engine: a macro-solver, an estimator and a filter.

use super::estimate::SlowForce;
use super::estimator::Estimator;
use super::filter::{Filter, FilterFor};
use super::macro_solver::{LeapFrog, MacroFlow, NoConstraints, OnManifold};
use super::micro::{MicroShake, MicroSolver};
use super::window::Window;
use crate::error::{Begun, StartError};
use crate::method::check::{check_start, check_unconstrained, check_unforced};
use crate::method::composition::{Symmetric, start_as_parts};
use crate::method::constraint::{Checked, check_options, stand_on};
use crate::method::contract::{Claims, Derivatives, Method, Stepper};
use crate::method::flow::Flow;
use crate::method::rattle::Rattle;
use crate::method::running::{Ready, Running};
use crate::method::shake::Shake;
use crate::method::verlet::Verlet;
use crate::system::{Holonomic, State, Vibrated};

/// A heterogeneous multiscale method; see the [scheme](super).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hmm<M, E, F, I = Verlet> {
    /// The integrator of the slow motion: [`LeapFrog`] or [`Verlet`]; with constraints [`Shake`] or
    /// [`Rattle`].
    pub macro_solver: M,
    /// The rule for the initial phase and velocity of the fast motion in a window.
    pub estimator: E,
    /// The kernel that averages the force along a window.
    pub filter: F,
    /// The integrator of the fast motion in a window: [`Verlet`] as in the paper, or
    /// [`Nystrom`](super::Nystrom); with constraints SHAKE, which is Verlet on them.
    pub micro_solver: I,
    /// The number of micro-steps in a period.
    pub micro_steps: MicroSteps,
}

/// The number N of micro-steps in a period of the phase; the micro-step is h = 2π/(ω N).
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum MicroSteps {
    /// This number, at least 4; even if half a period is a window.
    PerPeriod(u32),
    /// A number for which the errors of micro- and macro-steps fall together with H, for the time T of
    /// the slow motion: as in the paper N = T/H, h = (2π/ω) (H/T), with a micro-solver of order 2;
    /// N = √(T/H) with order 4. Rounded to an even number from 8 to 10000.
    SlowTime(f64),
}

/// T = 1, as in the paper for the pendulum.
impl Default for MicroSteps {
    fn default() -> Self {
        Self::SlowTime(1.0)
    }
}

impl MicroSteps {
    /// N for the macro-step `step` and a micro-solver of this order.
    ///
    /// # Errors
    /// The slow time is not positive and finite.
    fn per_period(self, method: &'static str, step: f64, order: u32) -> Begun<u32> {
        match self {
            Self::PerPeriod(number) => Ok(number),
            Self::SlowTime(time) if time > 0.0 && time.is_finite() => {
                let number = (time / step).powf(2.0 / f64::from(order));
                Ok(2 * (0.5 * number).round().clamp(4.0, 5000.0) as u32)
            }
            Self::SlowTime(value) => {
                Err(StartError::OptionOutOfRange { method, option: "slow_time", value, interval: "(0, ∞)" })
            }
        }
    }
}

impl<M, E, F> Hmm<M, E, F> {
    /// A multiscale method of these parts, with the micro-steps of the paper.
    pub fn new(macro_solver: M, estimator: E, filter: F) -> Self {
        Self { macro_solver, estimator, filter, micro_solver: Verlet, micro_steps: MicroSteps::default() }
    }
}

impl<M, E, F, I> Hmm<M, E, F, I> {
    /// This method with another micro-solver.
    #[must_use]
    pub fn with_micro_solver<J>(self, micro_solver: J) -> Hmm<M, E, F, J> {
        let Self { macro_solver, estimator, filter, micro_steps, .. } = self;
        Hmm { macro_solver, estimator, filter, micro_solver, micro_steps }
    }

    /// This method with another number of micro-steps in a period.
    #[must_use]
    pub fn with_micro_steps(self, micro_steps: MicroSteps) -> Self {
        Self { micro_steps, ..self }
    }

    fn window<S: Vibrated + ?Sized>(&self, system: &S, step: f64) -> Begun<Window>
    where
        E: Estimator,
        F: Filter,
        I: MicroSolver,
    {
        let method = E::NAME;
        check_unforced(system, method)?;
        if system.constraints_depend_on_phase() {
            return Err(StartError::PhaseInConstraints { method, system: system.name().to_owned() });
        }
        let per_period = self.micro_steps.per_period(method, step, I::ORDER)?;
        let half = E::FORCE_OF_POSITION && system.is_even_in_phase();
        Window::new(&self.filter, method, system.name(), system.frequency(), per_period, half)
    }

    /// The run on a system without constraints.
    fn start_free<'s, S: Vibrated + ?Sized, const WHOLE_STEPS: bool>(
        &self,
        system: &'s S,
        state: State,
        step: f64,
    ) -> Ready<'s, impl Flow + 's + use<'s, S, M, E, F, I, WHOLE_STEPS>>
    where
        E: Estimator,
        F: Filter,
        I: MicroSolver,
    {
        check_unconstrained(system, E::NAME)?;
        check_start(system, &state, step)?;
        let window = self.window(system, step)?;
        let start = self.estimator.prepare(system)?;
        let micro = || self.micro_solver.prepare(system);
        let force = SlowForce::new(E::NAME, system, &micro, start, window)?;
        let flow = MacroFlow::<_, _, _, WHOLE_STEPS>::new(force, NoConstraints);
        Running::new(flow, state, step).within(E::NAME, system)
    }

    /// The run on a system with constraints.
    fn start_constrained<'s, S: Vibrated + Holonomic + ?Sized, const WHOLE_STEPS: bool>(
        &self,
        system: &'s S,
        state: State,
        step: f64,
        (tolerance, iterations): (f64, u32),
    ) -> Ready<'s, impl Flow + 's + use<'s, S, M, E, F, I, WHOLE_STEPS>>
    where
        E: Estimator,
        F: Filter,
        I: MicroSolver,
    {
        let newton = check_options(E::NAME, tolerance, iterations, step)?;
        let Checked { manifold, state, .. } = stand_on(system, state, E::NAME)?;
        let window = self.window(system, step)?;
        let start = self.estimator.prepare(system)?;
        let micro = || MicroShake::new(system).map(|micro| Box::new(micro) as _);
        let force = SlowForce::new(E::NAME, system, &micro, start, window)?;
        let constraints = OnManifold::new(manifold, newton);
        let flow = MacroFlow::<_, _, _, WHOLE_STEPS>::new(force, constraints);
        Running::new(flow, state, step).to_tolerance(tolerance).within(E::NAME, system)
    }
}

impl<M: Claims, E: Estimator, F: Filter, I: MicroSolver> Claims for Hmm<M, E, F, I> {
    const NAME: &'static str = E::NAME;
    const ORDER: u32 = 2;
    // Symplectic with one degree of freedom around a symplectic solver, with more up to 1/ω only.
    const SYMPLECTIC: Option<bool> = if E::FORCE_OF_POSITION { None } else { Some(false) };
    const REVERSIBLE: Option<bool> = if E::FORCE_OF_POSITION { M::REVERSIBLE } else { Some(false) };
    const MOMENTUM: Option<bool> = None;
    const DIFFERENTIABLE: Derivatives =
        Derivatives::None("its steps average over micro-steps, whose derivative is not built");

    fn beside_state(&self) -> Option<&'static str> {
        // A solver that is not reversible remembers a velocity between two states.
        if M::REVERSIBLE.is_none() {
            Some(
                "the velocity half a macro-step back (hmm-asynchronous with macro_solver=verlet, or rattle under constraints, \
                 needs none)",
            )
        } else if E::FORCE_OF_POSITION {
            None
        } else {
            Some(
                "the force at its end, found with a velocity that was foretold (hmm-asynchronous needs none)",
            )
        }
    }
}

impl<S: Vibrated + ?Sized, E: Estimator, F: FilterFor<E, S>, I: MicroSolver> Method<S>
    for Hmm<LeapFrog, E, F, I>
{
    fn start<'s>(
        &self,
        system: &'s S,
        state: State,
        step: f64,
    ) -> Begun<impl Stepper + 's + use<'s, S, E, F, I>> {
        self.start_free::<S, false>(system, state, step)
    }
}

impl<S: Vibrated + ?Sized, E: Estimator, F: FilterFor<E, S>, I: MicroSolver> Method<S>
    for Hmm<Verlet, E, F, I>
{
    start_as_parts!(S, E, F, I);
}

impl<S: Vibrated + ?Sized, E: Estimator, F: FilterFor<E, S>, I: MicroSolver> Symmetric<S>
    for Hmm<Verlet, E, F, I>
{
    fn start_parts<'s>(
        &self,
        system: &'s S,
        state: State,
        step: f64,
    ) -> Ready<'s, impl Flow + 's + use<'s, S, E, F, I>> {
        self.start_free::<S, true>(system, state, step)
    }
}

impl<S: Vibrated + Holonomic + ?Sized, E: Estimator, F: FilterFor<E, S>> Method<S> for Hmm<Shake, E, F> {
    fn start<'s>(
        &self,
        system: &'s S,
        state: State,
        step: f64,
    ) -> Begun<impl Stepper + 's + use<'s, S, E, F>> {
        let Shake { tolerance, iterations } = self.macro_solver;
        self.start_constrained::<S, false>(system, state, step, (tolerance, iterations))
    }
}

impl<S: Vibrated + Holonomic + ?Sized, E: Estimator, F: FilterFor<E, S>> Method<S> for Hmm<Rattle, E, F> {
    start_as_parts!(S, E, F);
}

impl<S: Vibrated + Holonomic + ?Sized, E: Estimator, F: FilterFor<E, S>> Symmetric<S> for Hmm<Rattle, E, F> {
    fn start_parts<'s>(
        &self,
        system: &'s S,
        state: State,
        step: f64,
    ) -> Ready<'s, impl Flow + 's + use<'s, S, E, F>> {
        let Rattle { tolerance, iterations } = self.macro_solver;
        self.start_constrained::<S, true>(system, state, step, (tolerance, iterations))
    }
}
