//! The contract of every method: its claims, its start, and the run that it yields.

use super::instability::Instability;
use super::report::Report;
use crate::carried::Carried;
use crate::error::{StartError, StepError};
use crate::system::State;

/// The claims of a method about itself; the tests read these constants and measure them on every kind of system that the method takes.
///
/// `None` means that nothing is claimed either way.
pub trait Claims: std::fmt::Debug {
    /// The name in the command line and in messages.
    const NAME: &'static str;
    /// The order of convergence in the step, on every system that the method takes: with other forces, inputs, and rows of any kind.
    const ORDER: u32;
    /// True if one step in (q, ∂L/∂v) is a symplectic map (on the constraint manifold, for a constrained method), where all forces are those
    /// of the Lagrangian and no constraint binds velocities alone. With other forces and such rows the motion itself is not symplectic.
    const SYMPLECTIC: Option<bool>;
    /// True if the step of size −h undoes that of size h, on every system that the method takes. Where the motion itself is reversible, which drag,
    /// magnetic terms and the time break, reversing the velocity then runs the trajectory backwards.
    const REVERSIBLE: Option<bool>;
    /// True if linear and angular momentum are conserved when the system conserves them.
    const MOMENTUM: Option<bool>;
    /// True if forces that no potential gives change a momentum by their impulse alone: in each step by the rule with which it samples them, so
    /// that a constant torque gives exactly torque times step, and an input its exact integral. `None` where a method takes no such forces.
    const IMPULSE: Option<bool> = None;

    /// The part of a run that its states do not tell, in words, where there is one: a run from a state of another goes another way then
    /// than that would have.  Where there is none it goes on the same way, to rounding.
    fn beside_state(&self) -> Option<&'static str> {
        None
    }
}

/// A method that can be started on a system of type `S`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a method that can integrate `{S}`",
    label = "not a method for `{S}`"
)]
pub trait Method<S: ?Sized>: Claims {
    /// Prepares to step from `state` with step `step`; everything that can be analysed or factored once is, here.
    /// The run owns all memory that its steps need.
    ///
    /// # Errors
    /// Options out of range, a state that does not fit the system or is not finite, a start off the constraints.
    fn start<'s>(
        &self,
        system: &'s S,
        state: State,
        step: f64,
    ) -> Result<impl Stepper + 's + use<'s, Self, S>, StartError>;

    /// The reason for which a run from `state` with steps of this size probably blows up, and the longest step that does not.
    /// None where no [limit](super::stability) is exceeded or known.
    /// Estimated at `state` alone, at the cost of some dozens of products with Hess V, or by trials of some
    /// hundred steps.
    fn instability(&self, system: &S, state: &State, step: f64) -> Option<Instability> {
        self.instability_within(system, state, step, u64::MAX)
    }

    /// The verdict on a run of so many steps: trials take a tenth of them at most.
    fn instability_within(
        &self,
        _system: &S,
        _state: &State,
        _step: f64,
        _steps: u64,
    ) -> Option<Instability> {
        None
    }
}

/// A run in progress of a method.  Most methods have a [`Running`](super::Running).
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

    /// The Lagrange multipliers at the last good state, in M q̈ = −∇V + Gᵀ λ, where the method computes them.
    fn multipliers(&self) -> Option<&[f64]> {
        None
    }

    /// The energy that the motion keeps exactly, where that is not the energy of the system and the run knows it: ½ v·M v + V_h(q) of
    /// force-stepping in relative vectors, ½ v·M v + V_ε(q) of energy-stepping.
    fn kept_energy(&self) -> Option<f64> {
        None
    }

    /// The counts of the run, and the averages, crossings and other quantities that only some methods have.
    fn report(&self) -> Report<'_>;

    /// A property of the system at the start that does not disturb the run, but that its author may not have meant, in words: constraints that
    /// depend on each other, by their names.
    fn warning(&self) -> Option<&str> {
        None
    }

    /// Replaces the last good state by another one of the same time, from which the next step starts; `false`, and nothing is
    /// changed, where the method keeps more of the trajectory than a state.
    fn go_on_from(&mut self, _state: &State) -> bool {
        false
    }

    /// The run as one whose velocities may be replaced between two steps, where the method allows that.
    fn kicked(&mut self) -> Option<&mut dyn Kicked> {
        None
    }
}

/// A stepper whose velocities may be replaced between two steps, by a thermostat or a collision.
///
/// v has the length n of the system; nothing here allocates.
pub trait Kicked {
    /// Removes from `v` the part that leaves the constraint manifold at the last good state: v ← v + M⁻¹ Gᵀ μ with G v = 0.
    /// Without constraints nothing is removed.
    fn make_tangent(&mut self, v: &mut [f64]);

    /// Replaces the velocities of the last good state by `v`; where there are constraints, by the nearest velocity in the
    /// metric of the mass with G v + ∂g/∂t = 0.  The next step starts from there.
    fn kick(&mut self, v: &[f64]);
}
