//! The contract of every method: its claims, its start, and its run.

use super::event::{Event, Passed};
use super::flow::Flow;
use super::instability::Instability;
use super::report::Report;
use super::substep::Substep;
use crate::carried::Carried;
use crate::error::{Begun, StartError, StepError};
use crate::system::{HeldAngles, State};

/// The claims of a method about itself; tests measure them on every kind of system that it takes.
///
/// `None` claims nothing.
pub trait Claims: std::fmt::Debug {
    /// The name in the command line and in messages.
    const NAME: &'static str;
    /// The order of convergence in the step, on every system that the method takes: also with forces,
    /// inputs and rows of any kind.
    const ORDER: u32;
    /// True if one step in (q, ∂L/∂v) is a symplectic map (on the constraint manifold, for a constrained
    /// method). The claim excludes forces beside the Lagrangian and constraints on velocities: with them
    /// the motion itself is not symplectic.
    const SYMPLECTIC: Option<bool>;
    /// True if a step of size −h undoes a step of size h, on every system that the method takes. Where
    /// the motion itself is reversible (without drag, magnetic terms and explicit time), a reversed
    /// velocity then runs the trajectory backwards.
    const REVERSIBLE: Option<bool>;
    /// True if linear and angular momentum are conserved when the system conserves them.
    const MOMENTUM: Option<bool>;
    /// True if forces without a potential change a momentum by their impulse alone, sampled by the rule
    /// of the method: a constant torque adds exactly torque times step, an input its exact integral.
    /// `None` for a method that takes no such forces.
    const IMPULSE: Option<bool> = None;
    /// True if a run [takes parts](Stepper::parts) of steps: parts of any lengths in a row have the
    /// order of the method, as has the rest of a step that was cut.
    const PARTS: Option<bool> = None;
    /// The numbers by which motions of the method have exact derivatives, on systems with all functions
    /// that these take: see [`Differentiable`](super::Differentiable).
    const DIFFERENTIABLE: Derivatives = Derivatives::None("the derivative of its step is not built");

    /// The order of this value, if it depends on a number, as in a composition.
    fn order(&self) -> u32 {
        Self::ORDER
    }

    /// Names the memory of a run beside its states, if there is any: a run that starts from a state of
    /// another then continues differently. Without it the new run repeats the old one to rounding.
    fn beside_state(&self) -> Option<&'static str> {
        None
    }
}

/// Implements [`Claims`] by a table: a claim is `yes` or `no`, and `open` claims nothing; last come the
/// numbers by which motions have derivatives, if there are any, and the memory beside the state.
macro_rules! claims {
    (
        $(#[$documentation:meta])*
        impl Claims for $Method:ty: $name:literal of order $order:literal;
        $($claim:ident $answer:ident),+
        $(; derivatives by $derivatives:ident $(($reason:literal))?)?
        $(; beside the state $beside:expr)?
    ) => {
        $(#[$documentation])*
        impl $crate::method::contract::Claims for $Method {
            const NAME: &'static str = $name;
            const ORDER: u32 = $order;
            $(const $claim: Option<bool> = $crate::method::contract::claims!($answer);)+
            $(const DIFFERENTIABLE: $crate::method::contract::Derivatives =
                $crate::method::contract::Derivatives::$derivatives $(($reason))?;)?
            $(fn beside_state(&self) -> Option<&'static str> {
                let beside: fn(&Self) -> Option<&'static str> = $beside;
                beside(self)
            })?
        }
    };
    (yes) => { Some(true) };
    (no) => { Some(false) };
    (open) => { None };
}

pub(crate) use claims;

/// The numbers by which motions of a method have exact derivatives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Derivatives {
    /// None, for this reason.
    None(&'static str),
    /// The start and the sensitive parameters of the model.
    Parameters,
    /// The start, the sensitive parameters, and the values of sensitive inputs.
    Inputs,
}

/// A method that can be started on a system of type `S`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a method that can integrate `{S}`",
    label = "not a method for `{S}`"
)]
pub trait Method<S: ?Sized>: Claims {
    /// Prepares to step from `state` with step `step`: analyses and factors here all that never changes.
    /// The run owns all memory that its steps need.
    ///
    /// # Errors
    /// An option out of range; a state that does not fit, is not finite, or is off the constraints.
    fn start<'s>(
        &self,
        system: &'s S,
        state: State,
        step: f64,
    ) -> Begun<impl Stepper + 's + use<'s, Self, S>>;

    /// The reason why a run from `state` with this step probably blows up, and the longest step that
    /// does not. `None` if no [limit](super::stability) is exceeded or known. Estimated at `state`
    /// alone, by some dozens of products with Hess V.
    fn instability(&self, _system: &S, _state: &State, _step: f64) -> Option<Instability> {
        None
    }
}

/// A run in progress of a method; for most methods a [`Running`](super::running::Running).
pub trait Stepper: Carried + Send + std::fmt::Debug {
    /// Advances by one step, allocating nothing.
    ///
    /// # Errors
    /// When the step fails; the last good state stays readable.
    fn step(&mut self) -> Result<(), StepError>;

    /// The last good state.
    fn state(&self) -> &State;

    /// The number of steps done.
    fn steps(&self) -> u64;

    /// The Lagrange multipliers λ at the last good state, in M q̈ = −∇V + Gᵀ λ, if they are computed.
    fn multipliers(&self) -> Option<&[f64]> {
        None
    }

    /// The energy that the method conserves exactly, if it is not the energy of the system and the run
    /// knows it: ½ v·M v + V_h(q) in force-stepping with relative vectors, ½ v·M v + V_ε(q) in
    /// energy-stepping.
    fn kept_energy(&self) -> Option<f64> {
        None
    }

    /// The counts of the run, with the averages, crossings and other quantities of some methods.
    fn report(&self) -> Report<'_>;

    /// Describes a property of the system at the start that its author may not have meant and that does
    /// not disturb the run: constraints that depend on each other, by their names.
    fn warning(&self) -> Option<&str> {
        None
    }

    /// While the result lives, the system has the angles of this run at its last good state: those of
    /// points, which a run follows over many turns. `None` for a system without such angles.
    fn hold_angles(&self) -> Option<HeldAngles> {
        None
    }

    /// Replaces the last good state by another of equal time, from which the next step starts. `false`,
    /// without any change, if the method keeps more of the trajectory than a state.
    fn go_on_from(&mut self, _state: &State) -> bool {
        false
    }

    /// Looks for an event from now on.
    ///
    /// # Errors
    /// The model declares no event of this name, or the method looks for none.
    fn look_for(&mut self, event: Event) -> Result<(), StartError> {
        Err(StartError::EventsNotSought { event: event.name })
    }

    /// The names of the moments that the run looks for: gaps, declared events, and others.
    fn moment_names(&self) -> &[String] {
        &[]
    }

    /// The moments of the last step, in the order of time.
    fn passed(&self) -> &[Passed] {
        &[]
    }

    /// True if the last step has reached the event that ends the run: it ends there.
    fn has_ended(&self) -> bool {
        false
    }

    /// The parts of this run for [steps of several runs in lanes](super::Abreast).
    #[doc(hidden)]
    fn beside(&mut self) -> Option<Beside<'_>> {
        None
    }

    /// The run with replaceable velocities, if the method allows it.
    fn kicked(&mut self) -> Option<&mut dyn Kicked> {
        None
    }

    /// The run that takes parts of steps, if the method allows it.
    fn parts(&mut self) -> Option<&mut dyn TakesParts> {
        None
    }
}

/// The parts of a run.
#[doc(hidden)]
pub struct Beside<'r> {
    pub(super) flow: &'r mut dyn Flow,
    pub(super) state: &'r mut State,
    pub(super) steps: &'r mut u64,
    pub(super) start_time: f64,
    pub(super) step: f64,
}

/// A stepper that takes parts of steps, which [`Stepper::steps`] does not count.
pub trait TakesParts: Stepper {
    /// Advances by a part of a step; allocates nothing.
    ///
    /// # Errors
    /// When the part fails; the state stays the last good one.
    fn advance(&mut self, part: &Substep) -> Result<(), StepError>;
}

/// A stepper whose velocities a thermostat or a collision may replace between two steps.
///
/// v has the length n of the system; nothing here allocates.
pub trait Kicked {
    /// Removes the part of `v` that leaves the constraint manifold at the last good state: v ← v + M⁻¹
    /// Gᵀ μ with G v = 0. Does nothing without constraints.
    fn make_tangent(&mut self, v: &mut [f64]);

    /// Replaces the velocities of the last good state by `v`; with constraints, by the nearest velocity
    /// in the metric of the mass with G v + ∂g/∂t = 0. The next step starts from there.
    fn kick(&mut self, v: &[f64]);
}
