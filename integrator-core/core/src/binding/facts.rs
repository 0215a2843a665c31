//! The facts about a model, as the compiler found them for all parameters.

use crate::describe::{Force, Formulas, Mass};
use crate::system::Text;
use crate::system::symmetry::ConservedQuantity;
use std::borrow::Cow;

/// The facts about a model that its declaration tells without the parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// The name of the model.
    pub name: Text,
    /// The author's comments above the struct and above the declaration.
    pub documentation: Text,
    /// The author's comments on the parameters, after the names of the fields.
    pub fields: Cow<'static, [(Text, Text)]>,
    /// The author's comments on the coordinates, after their names.
    pub comments: Cow<'static, [(Text, Text)]>,
    /// A checksum of the declaration without its documentation.
    pub checksum: u64,
    /// The structure of the mass and of the force.
    pub classification: Classification,
    /// The conserved quantities.
    pub conserved: Cow<'static, [ConservedQuantity]>,
    /// The quantities that only forces and constraints on velocities change.
    pub balanced: Cow<'static, [ConservedQuantity]>,
    /// The declaration and its equations of motion as LaTeX.
    pub formulas: Formulas,
    /// The fields of `#[lagrangian(sensitive(…))]`; `None` without.
    pub sensitive: Option<Cow<'static, [Text]>>,
}

impl Facts {
    /// A natural system that conserves nothing, and of which nothing else is known.
    pub const fn of(name: &'static str) -> Self {
        const NO_TEXT: Text = Cow::Borrowed("");
        const NO_TEXTS: Cow<'static, [Text]> = Cow::Borrowed(&[]);
        Self {
            name: Cow::Borrowed(name),
            documentation: NO_TEXT,
            fields: Cow::Borrowed(&[]),
            comments: Cow::Borrowed(&[]),
            checksum: 0,
            classification: Classification {
                mass: Mass::Constant,
                force: Force::PositionOnly,
                time: false,
                stiff: false,
                constrained: false,
                nonholonomic: false,
                moments: false,
                forced: false,
                even_in_phase: None,
                phase_in_constraints: false,
            },
            conserved: Cow::Borrowed(&[]),
            balanced: Cow::Borrowed(&[]),
            formulas: Formulas {
                lagrangian: NO_TEXT,
                definitions: NO_TEXTS,
                constraints: NO_TEXTS,
                equations: NO_TEXTS,
                abbreviations: NO_TEXTS,
            },
            sensitive: None,
        }
    }
}

/// The kind of a model, as the compiler found it.
#[expect(clippy::struct_excessive_bools, reason = "facts that do not depend on one another")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Classification {
    /// The coordinates on which the mass matrix depends.
    pub mass: Mass,
    /// The coordinates on which a velocity-dependent force acts.
    pub force: Force,
    /// Whether time enters explicitly.
    pub time: bool,
    /// Whether a part of the potential is marked as stiff.
    pub stiff: bool,
    /// Whether there are holonomic constraints.
    pub constrained: bool,
    /// Whether there are constraints on velocities.
    pub nonholonomic: bool,
    /// Whether there are events or gaps.
    pub moments: bool,
    /// Whether there are forces that no potential gives, dissipations among them.
    pub forced: bool,
    /// Whether the motion is even in the fast phase; `None` where there is none.
    pub even_in_phase: Option<bool>,
    /// Whether the constraints depend on the fast phase.
    pub phase_in_constraints: bool,
}
