//! Methods: a method is a small value, what it needs of a system is a trait bound, and it yields a stepper.

mod check;
pub mod composition;
pub mod constraint;
pub mod energy_stepping;
mod force_error;
pub mod force_stepping;
mod implicit;
pub mod implicit_midpoint;
mod kick_drift;
mod kick_drift_kick;
pub mod labudde_greenspan;
pub mod langevin;
mod linearly_implicit;
pub mod linearly_implicit_newmark;
mod links;
mod mass_solver;
pub mod multiscale;
pub mod newmark;
mod one_step;
mod predict_correct;
pub mod push_forward_newmark;
mod rattle;
pub mod reference;
pub mod rotation;
mod shake;
pub mod slow_manifold;
pub mod stability;
pub mod variational;
pub mod verlet;
pub mod zhang_skeel;
pub mod zhang_skeel_euler;
pub mod zhang_skeel_simplified;
pub mod zhang_skeel_stiff;

pub use composition::{Composed, Composition, Part, Parts, Symmetric};
pub use constraint::{project, project_positions, project_velocities};
pub use energy_stepping::{Edge, EnergyStepping, EnergySteppingRun};
pub use force_error::ForceError;
pub use force_stepping::{ForceStepping, ForceSteppingRun};
pub use implicit_midpoint::{ImplicitMidpoint, MidpointMap};
pub use kick_drift::KickDrift;
pub use kick_drift_kick::{Force, KickDriftKick};
pub use labudde_greenspan::{EnergyMomentumMap, LaBuddeGreenspan};
pub use langevin::{Langevin, LangevinStepper};
pub use linearly_implicit_newmark::{FromOldPositions, FromPredictor, NewmarkLinearA, NewmarkLinearB};
pub use newmark::{Newmark, NewmarkCorrector};
pub use one_step::{Map, OneStep};
pub use predict_correct::{Corrector, Known, PredictCorrect};
pub use push_forward_newmark::{PushForwardNewmark, PushForwardNewmarkForce};
pub use rattle::{Rattle, RattleStepper};
pub use reference::{AdaptiveRun, Bdf, Reference};
pub use rotation::{RotationCayley, RotationPenalty, RotationPenaltyEuler};
pub use shake::{Shake, ShakeStepper};
pub use slow_manifold::{ExplicitConstrained, ProjectedEvery, ProjectedRungeKutta, SlowManifold};
pub use stability::Instability;
pub use variational::{Discrete, VariationalEuler, VariationalMidpoint, VariationalTrapezoid};
pub use verlet::{Verlet, VerletForce};
pub use zhang_skeel::{ZhangSkeel, ZhangSkeelForce};
pub use zhang_skeel_euler::{ZhangSkeelEuler, ZhangSkeelEulerForce};
pub use zhang_skeel_simplified::{ZhangSkeelSimplified, ZhangSkeelSimplifiedForce};
pub use zhang_skeel_stiff::{ZhangSkeelStiff, ZhangSkeelStiffForce};

use crate::error::{StartError, StepError};
use crate::system::State;

/// What a method claims of itself; the tests read these constants and measure them.
///
/// `None` means that nothing is claimed either way.
pub trait Claims {
    /// The name in the command line and in messages.
    const NAME: &'static str;
    /// The order of convergence in the step.
    const ORDER: u32;
    /// Whether one step in (q, M v) is a symplectic map (on the constraint manifold, for a constrained method).
    const SYMPLECTIC: Option<bool>;
    /// Whether reversing the velocity runs the trajectory backwards.
    const REVERSIBLE: Option<bool>;
    /// Whether linear and angular momentum are conserved when the system conserves them.
    const MOMENTUM: Option<bool>;
}

/// A method that can be started on a system of type `S`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a method that can integrate `{S}`",
    label = "not a method for `{S}`"
)]
pub trait Method<S: ?Sized>: Claims {
    /// The run in progress: it owns all memory that its steps need.
    type Stepper<'s>: Stepper + 's
    where
        S: 's;

    /// Prepares to step from `state` with step `step`; everything that can be analysed or factored once is, here.
    ///
    /// # Errors
    /// Options out of range, a state that does not fit the system or is not finite, a start off the constraints.
    fn start<'s>(&self, system: &'s S, state: State, step: f64) -> Result<Self::Stepper<'s>, StartError>;

    /// Why a run from `state` with steps of this size probably blows up, and which steps do not, where the method knows a
    /// [limit](stability).  Estimated at `state` alone, at the cost of some dozens of products with Hess V.
    fn instability(&self, _system: &S, _state: &State, _step: f64) -> Option<Instability> {
        None
    }
}

/// A run in progress.
pub trait Stepper {
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

    /// What the last window of a multiscale method told, where the method is one.
    fn averages(&self) -> Option<&multiscale::Averages> {
        None
    }

    /// The faces of a grid crossed since the start, where the method has one.
    fn crossings(&self) -> Option<u64> {
        None
    }

    /// The times between those crossings, where each is a step of the whole system.
    fn step_lengths(&self) -> Option<&force_stepping::StepLengths> {
        None
    }

    /// How often the system was evaluated since the start.
    fn evaluations(&self) -> Evaluations;

    /// Replaces the last good state by another one of the same time, from which the next step starts; `false`, and nothing is
    /// changed, where the method keeps more of the trajectory than a state.
    fn go_on_from(&mut self, _state: &State) -> bool {
        false
    }

    /// The way to replace the velocities between two steps, where the method has one.
    fn kicked(&mut self) -> Option<&mut dyn Kicked> {
        None
    }
}

/// A stepper whose velocities may be replaced between two steps, by a thermostat or a collision.
///
/// v has the length n of the system; nothing here allocates.
pub trait Kicked {
    /// Removes from `v` what leaves the constraint manifold at the last good state: v ← v + M⁻¹ Gᵀ μ with G v = 0.
    /// Without constraints nothing is removed.
    fn make_tangent(&mut self, v: &mut [f64]);

    /// Replaces the velocities of the last good state by `v`; where there are constraints, by the nearest velocity in the
    /// metric of the mass with G v + ∂g/∂t = 0.  The next step starts from there.
    fn kick(&mut self, v: &[f64]);
}

/// Evaluations of a system, counted by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Evaluations {
    /// Gradients of the potential (or of the Lagrangian).
    pub gradients: u64,
    /// Hessians.
    pub hessians: u64,
    /// Third-derivative contractions.
    pub thirds: u64,
    /// Constraint values, alone or with their Jacobian.
    pub constraints: u64,
    /// Factorizations of a matrix.
    pub factorizations: u64,
    /// Iterations of Newton's method.
    pub iterations: u64,
    /// Values of the potential, or of one of its elements, where a method asks for values alone.
    #[serde(skip_serializing_if = "is_zero")]
    pub values: u64,
    /// Micro-steps of a multiscale method.
    #[serde(skip_serializing_if = "is_zero")]
    pub micro_steps: u64,
}

impl Evaluations {
    /// These and others together.
    fn with(self, other: Self) -> Self {
        Self {
            gradients: self.gradients + other.gradients,
            hessians: self.hessians + other.hessians,
            thirds: self.thirds + other.thirds,
            constraints: self.constraints + other.constraints,
            factorizations: self.factorizations + other.factorizations,
            iterations: self.iterations + other.iterations,
            values: self.values + other.values,
            micro_steps: self.micro_steps + other.micro_steps,
        }
    }
}

/// Most methods leave the number out.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
