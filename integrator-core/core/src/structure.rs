//! The kind of a model in types, so that rustc can refuse an engine that does not fit, and say why.
//!
//! `#[lagrangian]` computes the kind and declares it for the model; engines state their needs as bounds.
//! The requirement traits have the model as a parameter only for the message.

use std::marker::PhantomData;

/// The mass matrix is constant.
#[derive(Debug, Clone, Copy)]
pub struct Constant;

/// The force does not depend on the velocity.
#[derive(Debug, Clone, Copy)]
pub struct PositionOnly;

/// The model declares some.
#[derive(Debug, Clone, Copy)]
pub struct Something;

/// The model has a fast phase θ, and the motion is [`Even`] or [`NotEven`] in it.
#[derive(Debug, Clone, Copy)]
pub struct FastPhase<Evenness>(PhantomData<Evenness>);

/// The motion is equal for θ and −θ.
#[derive(Debug, Clone, Copy)]
pub struct Even;

/// The motion is not provably equal for θ and −θ.
#[derive(Debug, Clone, Copy)]
pub struct NotEven;

/// The model declares none.
#[derive(Debug, Clone, Copy)]
pub struct Nothing;

/// The quantity depends on these coordinates.
#[derive(Debug, Clone, Copy)]
pub struct DependsOn<Coordinates>(PhantomData<Coordinates>);

/// The quantity mentions these coordinates, but no two points gave different values.
#[derive(Debug, Clone, Copy)]
pub struct Unproven<Coordinates>(PhantomData<Coordinates>);

/// A mass matrix for an engine that needs a constant one.
#[diagnostic::on_unimplemented(
    message = "this method needs a constant mass matrix, but the mass matrix of `{S}` is `{Self}`",
    label = "`{S}` cannot be used with this method",
    note = "use a method for general Lagrangians: `VariationalMidpoint`, `VariationalTrapezoid`, `VariationalEuler`, `Bdf` or `Reference`",
    note = "or declare the model in Cartesian coordinates with #[holonomic] constraints: its mass is then constant"
)]
pub trait ConstantFor<S> {}
impl<S> ConstantFor<S> for Constant {}

/// A force for an engine of natural systems.
#[diagnostic::on_unimplemented(
    message = "this method needs a force that does not depend on velocity, but the force of `{S}` is `{Self}`",
    label = "`{S}` cannot be used with this method",
    note = "use a method for general Lagrangians: `VariationalMidpoint`, `VariationalTrapezoid`, `VariationalEuler`, `Bdf` or `Reference`"
)]
pub trait PositionOnlyFor<S> {}
impl<S> PositionOnlyFor<S> for PositionOnly {}

/// Constraints for a constrained engine.
#[diagnostic::on_unimplemented(
    message = "this method needs holonomic constraints, and `{S}` declares none",
    label = "`{S}` has no constraints",
    note = "declare them in a method marked #[holonomic] that returns what must be zero",
    note = "or use a method for unconstrained systems, such as `Verlet`, `PushForwardNewmark` or `Reference`"
)]
pub trait ConstraintsFor<S> {}
impl<S> ConstraintsFor<S> for Something {}

/// Velocities for an engine of natural systems: constrained through positions alone.
#[diagnostic::on_unimplemented(
    message = "this method does not keep constraints on velocities, but `{S}` declares some with #[nonholonomic]",
    label = "`{S}` cannot be used with this method, which would ignore them",
    note = "use a method that keeps them: `VariationalMidpoint` or `VariationalTrapezoid`"
)]
pub trait HolonomicOnlyFor<S> {}
impl<S> HolonomicOnlyFor<S> for Nothing {}

/// Constraints on velocities.
#[diagnostic::on_unimplemented(
    message = "`{S}` declares no constraints on velocities",
    label = "no constraints on velocities in `{S}`",
    note = "declare them in a method marked #[nonholonomic] that returns what must be zero"
)]
pub trait NonholonomicFor<S> {}
impl<S> NonholonomicFor<S> for Something {}

/// A stiff part for an implicit engine.
#[diagnostic::on_unimplemented(
    message = "this method needs a stiff part of the potential, and `{S}` marks none",
    label = "no stiff part in `{S}`",
    note = "enclose a term of the potential in `stiff(…)`"
)]
pub trait StiffFor<S> {}
impl<S> StiffFor<S> for Something {}

/// Forces for an engine that knows the Lagrangian alone.
#[diagnostic::on_unimplemented(
    message = "this method knows only the forces that the Lagrangian gives, but `{S}` declares others with #[force] or #[dissipation]",
    label = "`{S}` cannot be used with this method, which would ignore them",
    note = "use a method that includes such forces: `VariationalMidpoint`, `VariationalTrapezoid`, `VariationalEuler`, `Bdf` or `Reference`, with a constant mass `Verlet`, under constraints `Rattle` or `Shake`"
)]
pub trait UnforcedFor<S> {}
impl<S> UnforcedFor<S> for Nothing {}

/// Forces beside the Lagrangian.
#[diagnostic::on_unimplemented(
    message = "`{S}` declares no forces beside those of its Lagrangian",
    label = "no forces in `{S}`",
    note = "declare them in a method marked #[force] or #[dissipation]"
)]
pub trait ForcesFor<S> {}
impl<S> ForcesFor<S> for Something {}

/// A fast phase for a multiscale engine.
#[diagnostic::on_unimplemented(
    message = "this method needs a fast phase, and `{S}` has none",
    label = "no phase in `{S}`",
    note = "give `lagrangian` an argument of type `Phase`, and the model a method marked #[frequency]"
)]
pub trait PhaseFor<S> {}
impl<Evenness, S> PhaseFor<S> for FastPhase<Evenness> {}

/// A fast phase in which the motion is even, so that half a period suffices.
#[diagnostic::on_unimplemented(
    message = "this needs a force that is the same for the phases θ and −θ, which `{S}` does not promise",
    label = "the force of `{S}` is not known to be even in its phase",
    note = "use the filter `Exponential` or `Cubic`, which average any periodic force",
    note = "or shift the phase, if there is a θ₀ about which the force is even: write `(theta + θ₀)` for `theta`"
)]
pub trait EvenPhaseFor<S> {}
impl<S> EvenPhaseFor<S> for FastPhase<Even> {}
