//! The methods of Least Action by name, each started on a system whose type is erased.
//!
//! A program that reads the name of a method from a command line starts it on `dyn` systems.
//! This package compiles these steppers once, with full optimization, beside the models.
//! A new method is one entry of `METHODS`.
//! Programs that choose a method at run time use it, as the command does.
//! Its items change between versions.

mod claimed;
mod derivative;
mod face;
mod list;
mod members;
mod multiscale;
mod options;
mod slow;
mod start;

#[doc(hidden)]
pub use claimed::Claimed;
#[doc(hidden)]
pub use derivative::{Derivative, Differentiated};
#[doc(hidden)]
pub use face::{PenalizedBody, SlowFace, VibratedFace};
#[doc(hidden)]
pub use list::METHODS;
#[doc(hidden)]
pub use options::{Given, OptionKind, Options};
#[doc(hidden)]
pub use slow::{count, manifold};
#[doc(hidden)]
pub use start::{Running, Setup, Started, THERMOSTAT};

use least_action_core::system::{Constrained, Lagrangian, Natural, Stiff};

/// A method, with the facts for a choice at run time.
#[doc(hidden)]
#[derive(Debug)]
pub struct Entry {
    /// The name.
    pub name: &'static str,
    /// The claims (of a composition, of its base), from which the tables of the documents are written.
    pub claims: Claimed,
    /// The forces that the method takes beside the forces of the Lagrangian.
    pub forces: Forces,
    /// The names of its own options; `omega`, the penalty, is added for models with constraints.
    pub options: &'static [&'static str],
    /// The face that the method needs, and its start.
    pub build: Build,
    /// The start of its derivative, if the claims have one.
    pub derivative: Option<Derivative>,
}

/// The forces beside the forces of the Lagrangian.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub enum Forces {
    /// None.
    None,
    /// Forces of the position and the time.
    OfPosition,
    /// Forces of position, velocity and time.
    Any,
}

/// The face that a method needs, with its start on that face.
#[doc(hidden)]
#[derive(Debug)]
pub enum Build {
    /// L = ½ v·M v − V(q, t) with constant M; a penalty must replace constraints.
    Natural(for<'s> fn(&'s (dyn Natural + 's), Setup<'_>) -> Started<'s>),
    /// L = ½ v·M v − V(q) with constant M.
    Autonomous(for<'s> fn(&'s (dyn Natural + 's), Setup<'_>) -> Started<'s>),
    /// A natural system without constraints, each element of V in one distance, as the method finds out.
    Distances(for<'s> fn(&'s (dyn Natural + 's), Setup<'_>) -> Started<'s>),
    /// A natural system with a stiff part: marked by the model, or the penalty of its constraints.
    Stiff(for<'s> fn(&'s (dyn Stiff + 's), Setup<'_>) -> Started<'s>),
    /// A natural system with constraints, which the method keeps.
    Constrained(for<'s> fn(&'s (dyn Constrained + 's), Setup<'_>) -> Started<'s>),
    /// Any L(q, v, t) with any forces, with constraints or a penalty in their place.
    Lagrangian(for<'s> fn(&'s (dyn Lagrangian + 's), Setup<'_>) -> Started<'s>),
    /// As `Lagrangian`, by accelerations, which take only independent constraints.
    Accelerations(for<'s> fn(&'s (dyn Lagrangian + 's), Setup<'_>) -> Started<'s>),
    /// A natural system with fast oscillations: constraints, or a stiff part with a given frequency.
    Slow(for<'s> fn(SlowFace<'s>, Setup<'_>) -> Started<'s>),
    /// A natural system with a fast phase, with its constraints.
    Vibrated(for<'s> fn(VibratedFace<'s>, Setup<'_>) -> Started<'s>),
    /// Bodies by rotation matrices, which stay rotations.
    Bodies(for<'s> fn(&'s (dyn Natural + 's), Setup<'_>) -> Started<'s>),
    /// A body by its rotation matrix, which stays a rotation.
    Body(for<'s> fn(&'s (dyn Natural + 's), Setup<'_>) -> Started<'s>),
    /// A body by its rotation matrix, which a penalty holds near the rotations.
    PenalizedBody(for<'s> fn(&'s PenalizedBody<'s>, Setup<'_>) -> Started<'s>),
}

impl Entry {
    /// The forces, the options, and the words of the face.
    pub fn facts(&self) -> (&'static str, &'static [&'static str], [&'static str; 3]) {
        (self.forces.words(), self.options, self.build.words())
    }
}

impl Forces {
    fn words(self) -> &'static str {
        match self {
            Self::None => "no",
            Self::OfPosition => "of position and time",
            Self::Any => "any",
        }
    }
}

impl Build {
    /// The Lagrangian of the face, and its constraints on positions and on velocities, in words.
    fn words(&self) -> [&'static str; 3] {
        const PENALTY: &str = "by a penalty, `omega`";
        match self {
            Self::Natural(_) => ["constant mass", PENALTY, "no"],
            Self::Autonomous(_) => ["constant mass, V(q) free of the time", PENALTY, "no"],
            Self::Distances(_) => ["constant mass, V of distances", "no", "no"],
            Self::Stiff(_) => ["constant mass, a part in `stiff(…)` or constraints", PENALTY, "no"],
            Self::Constrained(_) => ["constant mass", "yes, at least one", "no"],
            Self::Lagrangian(_) => ["any", "yes, or by a penalty, `omega`", "yes"],
            Self::Accelerations(_) => ["any", "independent ones, or by a penalty, `omega`", "yes"],
            Self::Slow(_) => ["constant mass, a part in `stiff(…)` or constraints, `omega`", PENALTY, "no"],
            Self::Vibrated(_) => ["constant mass, a `Phase`", "yes", "no"],
            Self::Bodies(_) => ["constant mass, rotation matrices `r: Mat3`", "of rotations", "no"],
            Self::Body(_) => ["one rotation matrix `r: Mat3`", "of a rotation", "no"],
            Self::PenalizedBody(_) => {
                ["one rotation matrix `r: Mat3`", "of a rotation, by a penalty, `omega`", "no"]
            }
        }
    }
}
