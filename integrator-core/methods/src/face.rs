//! The faces of a system for methods that one trait does not serve.

use least_action_core::advanced::system::{EvenInPhase, Vibrated};
use least_action_core::emitted::v1::{ConstrainedEven, ConstrainedVibrated};
use least_action_core::method::rotation::PenalizedRotation;
use least_action_core::system::{Constrained, Natural};

/// A vibrated model with or without constraints, and its face of an even force if it has one.
#[derive(Clone, Copy)]
pub enum VibratedFace<'s> {
    /// Without constraints.
    Free(&'s (dyn Vibrated + 's), Option<&'s (dyn EvenInPhase + 's)>),
    /// With constraints.
    Constrained(&'s (dyn ConstrainedVibrated + 's), Option<&'s (dyn ConstrainedEven + 's)>),
}

impl VibratedFace<'_> {
    pub(crate) fn name(self) -> String {
        match self {
            Self::Free(system, _) => system.name().to_owned(),
            Self::Constrained(system, _) => system.name().to_owned(),
        }
    }
}

/// The face of a system for a method on a slow manifold.
#[derive(Clone, Copy)]
pub enum SlowFace<'s> {
    /// Constraints, in place of which a penalty acts.
    Constrained(&'s (dyn Constrained + 's)),
    /// A stiff part.
    Stiff(&'s (dyn Natural + 's)),
}

/// A body with the penalty of its rotation matrix.
pub type PenalizedBody<'m> = PenalizedRotation<'m, dyn Natural + 'm>;
