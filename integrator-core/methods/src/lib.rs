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
mod multiscale;
mod options;
mod slow;
mod start;

#[doc(hidden)]
pub use claimed::Claimed;
#[doc(hidden)]
pub use derivative::Differentiated;
#[doc(hidden)]
pub use face::{Faced, PenalizedBody, VibratedFace};
#[doc(hidden)]
pub use list::METHODS;
#[doc(hidden)]
pub use options::{Given, OptionKind, Options};
#[doc(hidden)]
pub use slow::{count, manifold};
#[doc(hidden)]
pub use start::{Running, Setup, Started, THERMOSTAT};

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
    /// The model that the method needs.
    pub needs: Needs,
    /// Its start on the face that it needs; none on a model without this face.
    pub start: for<'s> fn(&'s (dyn Faced + 's), Setup<'_>) -> Option<Started<'s>>,
    /// The start of its derivative, if the claims have one.
    pub derivative: Option<derivative::Derivative>,
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

/// The model that a method needs.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// L = ½ v·M v − V(q, t) with constant M; a penalty must replace constraints.
    Natural,
    /// L = ½ v·M v − V(q) with constant M.
    Autonomous,
    /// A natural system without constraints, each element of V in one distance, as the method finds out.
    Distances,
    /// A natural system with a stiff part: marked by the model, or the penalty of its constraints.
    Stiff,
    /// A natural system with constraints, which the method keeps.
    Constrained,
    /// Any L(q, v, t) with any forces, with constraints or a penalty in their place.
    Lagrangian,
    /// As `Lagrangian`, by accelerations, which take only independent constraints.
    Accelerations,
    /// A natural system with fast oscillations: constraints, or a stiff part with a given frequency.
    Slow,
    /// A natural system with a fast phase, with its constraints.
    Vibrated,
    /// Bodies by rotation matrices, which stay rotations.
    Bodies,
    /// A body by its rotation matrix, which stays a rotation.
    Body,
    /// A body by its rotation matrix, which a penalty holds near the rotations.
    PenalizedBody,
}

impl Entry {
    /// The forces, the options, and the words of the face.
    pub fn facts(&self) -> (&'static str, &'static [&'static str], [&'static str; 3]) {
        (self.forces.words(), self.options, self.needs.words())
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

impl Needs {
    /// The Lagrangian of the face, and its constraints on positions and on velocities, in words.
    fn words(self) -> [&'static str; 3] {
        const PENALTY: &str = "by a penalty, `omega`";
        match self {
            Self::Natural => ["constant mass", PENALTY, "no"],
            Self::Autonomous => ["constant mass, V(q) free of the time", PENALTY, "no"],
            Self::Distances => ["constant mass, V of distances", "no", "no"],
            Self::Stiff => ["constant mass, a part in `stiff(…)` or constraints", PENALTY, "no"],
            Self::Constrained => ["constant mass", "yes, at least one", "no"],
            Self::Lagrangian => ["any", "yes, or by a penalty, `omega`", "yes"],
            Self::Accelerations => ["any", "independent ones, or by a penalty, `omega`", "yes"],
            Self::Slow => ["constant mass, a part in `stiff(…)` or constraints, `omega`", PENALTY, "no"],
            Self::Vibrated => ["constant mass, a `Phase`", "yes", "no"],
            Self::Bodies => ["constant mass, rotation matrices `r: Mat3`", "of rotations", "no"],
            Self::Body => ["one rotation matrix `r: Mat3`", "of a rotation", "no"],
            Self::PenalizedBody => {
                ["one rotation matrix `r: Mat3`", "of a rotation, by a penalty, `omega`", "no"]
            }
        }
    }
}
