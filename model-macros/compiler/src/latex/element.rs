//! The elements of the equations of motion, and what each stands for in them.

use crate::graph::NodeId;
use crate::lower::form::Step;
use crate::lower::{Lowered, Scan};
use syn::Expr;

/// A term of L, of a dissipation, of a force, of a sum, or of an equation with its multiplier, under its loops.
pub(super) struct Element {
    pub(super) path: Vec<Step>,
    pub(super) node: NodeId,
    pub(super) role: Role,
}

impl Element {
    /// The items of the partial sums of which it is one.
    pub(super) fn scan<'d>(&self, lowered: &'d Lowered) -> Option<&'d Scan> {
        match &self.role {
            Role::Sum(stage) | Role::Weighed(stage, _) => lowered.stages[*stage].scan.as_ref(),
            _ => None,
        }
    }
}

pub(super) enum Role {
    Lagrangian,
    Dissipation,
    Equation(Multiplier),
    Force(Target),
    /// A term of the rows of a stage.
    Sum(usize),
    /// The same, with the force on a row.
    Weighed(usize, Weight),
}

/// A force on a sum, by its letter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    /// That of L and of the constraints, and on sums of positions that of all else.
    Force,
    /// That of dissipations and of constraints on velocities, on sums of velocities: it acts by what velocities make of them.
    Drag,
}

impl Weight {
    pub(super) fn letter(self) -> &'static str {
        match self {
            Self::Force => r"\Lambda",
            Self::Drag => r"\Xi",
        }
    }
}

/// The component of a coordinate on which a force acts.
pub(super) struct Target {
    pub(super) coordinate: usize,
    pub(super) component: usize,
    /// The entry; none where the variables of loops do not tell it, and then the name of the force.
    pub(super) entry: Result<Vec<Expr>, String>,
}

/// The multiplier of an equation.
#[derive(Clone)]
pub(super) struct Multiplier {
    pub(super) name: String,
    /// The loops whose variables number its equations.
    pub(super) numbered: usize,
    /// True if the equation binds velocities.
    pub(super) of_velocities: bool,
}
