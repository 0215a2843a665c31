//! A system as the kinds that it is.

use super::driven::{ConstrainedEven, ConstrainedVibrated};
use super::{
    Constrained, Driven, EvenInPhase, Forced, Holonomic, Lagrangian, Natural, Nonholonomic, Stiff, Vibrated,
};

/// A bound system as each kind that engines ask for; `None` as a kind that it is not.
#[derive(Clone, Copy)]
pub struct Faces<'b> {
    /// The Lagrangian, with its constraints and its forces.
    pub mechanics: &'b dyn Lagrangian,
    /// L = ½ v·M v − V(q, t), without constraints on velocities.
    pub natural: Option<&'b dyn Natural>,
    /// A natural system with a stiff part.
    pub stiff: Option<&'b dyn Stiff>,
    /// A natural system with constraints on positions.
    pub constrained: Option<&'b dyn Constrained>,
    /// The constraints on positions.
    pub holonomic: Option<&'b dyn Holonomic>,
    /// The constraints on velocities.
    pub nonholonomic: Option<&'b dyn Nonholonomic>,
    /// The forces that no potential gives.
    pub forced: Option<&'b dyn Forced>,
    /// The fast phase.
    pub driven: Option<&'b dyn Driven>,
    /// A natural system with a fast phase and no other forces.
    pub vibrated: Option<&'b dyn Vibrated>,
    /// A vibrated system whose force is even in the phase.
    pub even_in_phase: Option<&'b dyn EvenInPhase>,
    /// A vibrated system with constraints.
    pub constrained_vibrated: Option<&'b dyn ConstrainedVibrated>,
    /// A vibrated system with constraints whose force is even in the phase.
    pub constrained_even: Option<&'b dyn ConstrainedEven>,
}
