//! The faces of a model for methods.

use least_action_core::advanced::system::{EvenInPhase, Vibrated};
use least_action_core::emitted::v1::{ConstrainedEven, ConstrainedVibrated};
use least_action_core::method::rotation::PenalizedRotation;
use least_action_core::system::{Constrained, Lagrangian, Natural, Stiff};

/// A model as methods see it. A face that it does not have is `None`.
pub trait Faced {
    /// L = ½ v·M v − V(q, t) with constant M.
    fn natural(&self) -> Option<&dyn Natural>;

    /// A natural system with its stiff part.
    fn stiff(&self) -> Option<&dyn Stiff>;

    /// A natural system with holonomic constraints.
    fn constrained(&self) -> Option<&dyn Constrained>;

    /// Any L(q, v, t).
    fn lagrangian(&self) -> &dyn Lagrangian;

    /// A natural system with a fast phase.
    fn vibrated(&self) -> Option<VibratedFace<'_>>;

    /// A body by its rotation matrix, under a penalty.
    fn body(&self) -> Option<&PenalizedBody<'_>>;
}

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

    /// True if the force is known to be even in the phase.
    pub(crate) const fn is_even(self) -> bool {
        match self {
            Self::Free(_, even) => even.is_some(),
            Self::Constrained(_, even) => even.is_some(),
        }
    }

    /// The frequency of the fast phase.
    pub fn frequency(self) -> f64 {
        match self {
            Self::Free(system, _) => system.frequency(),
            Self::Constrained(system, _) => system.frequency(),
        }
    }
}

/// A body with the penalty of its rotation matrix.
pub type PenalizedBody<'m> = PenalizedRotation<'m, dyn Natural + 'm>;
