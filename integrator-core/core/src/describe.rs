//! A model instance as plain data: the content of `least-action describe` and of its output for scripts.

pub(crate) mod display;

pub use least_action_kernel::Smoothness;
use serde::Serialize;
use std::collections::BTreeMap;

use crate::system::symmetry::ConservedQuantity;
use crate::system::{Coordinate, Text};
use std::borrow::Cow;

/// The description of a model instance.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Description {
    /// The name of the model's type.
    pub model: String,
    /// The author's documentation; its first sentence is the summary.
    pub documentation: String,
    /// The author's comments on the parameters, by field.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<Text, Text>,
    /// The author's comments on the coordinates, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub comments: BTreeMap<Text, Text>,
    /// The number n of degrees of freedom, before constraints.
    pub dimension: usize,
    /// The number m of constraint equations, on positions and on velocities.
    pub equations: usize,
    /// The coordinates, in the order of the declaration, with their sizes and places in q.
    pub coordinates: Vec<Coordinate>,
    /// The structure of the mass and of the force, and the dependence on time.
    pub structure: Structure,
    /// The quantities that the motion conserves for all parameters, with their symmetries.
    pub conserved: Vec<ConservedQuantity>,
    /// The quantities that only forces and constraints on velocities change, with the broken symmetries.
    pub balanced: Vec<ConservedQuantity>,
    /// The term families of L, each with its part of L.
    pub families: Vec<TermFamily>,
    /// The sums inside of functions, a group for each array of sums;
    /// the group has an equation for each sum.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sums: Vec<ConstraintGroup>,
    /// The holonomic constraints, a group for each method.
    pub constraints: Vec<ConstraintGroup>,
    /// The constraints on velocities, a group for each method.
    pub nonholonomic: Vec<ConstraintGroup>,
    /// The events, whose rows pass zero at moments.
    pub events: Vec<ConstraintGroup>,
    /// The gaps, whose rows never fall below zero.
    pub gaps: Vec<ConstraintGroup>,
    /// The forces that no potential gives, a group for each method.
    pub forces: Vec<ForceGroup>,
    /// The Lagrangian, the constraints and the equations of motion as LaTeX.
    pub formulas: Formulas,
}

impl Description {
    /// The first sentence of the documentation.
    pub fn summary(&self) -> String {
        let first = self.documentation.trim().split("\n\n").next().unwrap_or_default().replace('\n', " ");
        first.find(". ").map_or(first.clone(), |end| first[..=end].to_owned())
    }
}

/// A declaration in LaTeX; each string is a line of an `align*` environment, aligned at `&=`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Formulas {
    /// L.
    pub lagrangian: Text,
    /// Rayleigh's functions, and the abbreviations in them,
    /// in L and in the constraints; a line for each.
    pub definitions: Cow<'static, [Text]>,
    /// 0 = g and 0 = c(q, v, t), a line for each method.
    pub constraints: Cow<'static, [Text]>,
    /// The Euler–Lagrange equations d/dt ∂L/∂v − ∂L/∂q = Gᵀ λ + Aᵀ μ − ∂D/∂v, a line for each component
    /// of each coordinate; k, l, … number the entries of an array. Sums Σ inside of functions add the
    /// forces Λ ∂Σ/∂q − d/dt (Λ ∂Σ/∂v) to the right-hand sides.
    pub equations: Cow<'static, [Text]>,
    /// The sums in the equations, the forces Λ = ∂L/∂Σ − d/dt ∂L/∂Σ̇ + … on them from L, constraints and
    /// dissipations, and abbreviations; a line for each.
    pub abbreviations: Cow<'static, [Text]>,
}

impl Formulas {
    /// All lines: Lagrangian, constraints, equations of motion, each followed by its abbreviations.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        let lagrangian = (!self.lagrangian.is_empty()).then_some(&self.lagrangian);
        let rest = [&self.constraints, &self.definitions, &self.equations, &self.abbreviations];
        let rest = rest.into_iter().flat_map(|lines| lines.iter());
        lagrangian.into_iter().chain(rest).map(AsRef::as_ref)
    }

    /// The lines as one display for a document with amsmath; lines that exceed a page are broken.
    pub fn align(&self) -> String {
        let lines = display::lines(self.lines());
        format!("\\begin{{align*}}\n{}\n\\end{{align*}}\n", lines.join(" \\\\\n"))
    }
}

/// The structural facts that decide which methods fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Structure {
    /// The mass matrix ∂²L/∂v∂v.
    pub mass: Mass,
    /// True if the mass matrix is diagonal.
    pub mass_diagonal: bool,
    /// The part of the force that depends on the velocity.
    pub force: Force,
    /// True if L, a constraint or a force depends explicitly on time.
    pub time_dependent: bool,
    /// True if the motion is even in the fast phase; `None` without a fast phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub even_in_phase: Option<bool>,
}

/// The coordinates that the mass matrix depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "coordinates")]
pub enum Mass {
    /// One mass matrix for all positions and times.
    Constant,
    /// The mass matrix varies with these coordinates.
    DependsOn(Cow<'static, [Text]>),
    /// The mass matrix could not be shown to be constant in these coordinates.
    Unproven(Cow<'static, [Text]>),
}

/// The velocities that the force depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "coordinates")]
pub enum Force {
    /// None: the force is −∇V(q, t).
    PositionOnly,
    /// The velocities of these coordinates.
    DependsOn(Cow<'static, [Text]>),
    /// The force could not be shown to be free of the velocities of these coordinates.
    Unproven(Cow<'static, [Text]>),
}

/// The part of L = kinetic − potential + general of a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// Quadratic in the velocities, with constant coefficients.
    Kinetic,
    /// Functions of positions and velocities: a mass that depends on position, or a gyroscopic term.
    General,
    /// Free of velocities.
    Potential,
    /// A part of the potential inside of the author's `stiff(…)`.
    Stiff,
    /// An element of a sum inside of a function.
    Sum,
    /// A constraint equation.
    Constraint,
    /// A force that no potential gives.
    Force,
}

/// One additive term under its sums: one expression, evaluated for each element.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TermFamily {
    /// The name in messages, such as `potential[1]`.
    pub name: String,
    /// The part of L, or a constraint.
    pub part: Part,
    /// The expression as the compiler prints it.
    pub expression: String,
    /// The number of elements.
    pub elements: usize,
    /// The entries that one element reads: `bobs[i]`, `bobs[i - 1]`.
    pub gathers: Vec<String>,
    /// The smoothness of the expression.
    #[serde(with = "SmoothnessForScripts")]
    pub smoothness: Smoothness,
    /// The range of a sum over near pairs, and the change when a pair enters it; a note on partial sums.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<String>,
    /// The number of scalar variables in which one element is differentiated.
    pub variables: usize,
    /// Floating-point operations of one element.
    pub operations: Operations,
}

/// [`Smoothness`], as scripts read it.
#[derive(Serialize)]
#[serde(remote = "Smoothness", rename_all = "kebab-case")]
enum SmoothnessForScripts {
    Unknown,
    Times(u32),
    Smooth,
}

/// Floating-point operations of one element, for each operation of its kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Operations {
    /// The value alone.
    pub value: usize,
    /// Value and gradient.
    pub gradient: usize,
    /// Value, gradient and Hessian.
    pub hessian: usize,
    /// The third derivative, contracted twice with a vector.
    pub third: usize,
}

/// The equations of one `#[holonomic]` or `#[nonholonomic]` method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ConstraintGroup {
    /// The name of the method.
    pub name: String,
    /// The number of equations.
    pub equations: usize,
    /// The components (row by row) of the method's matrix that are equations of their own,
    /// if others repeat them, as in a symmetric matrix, or are identically zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_components: Option<Vec<usize>>,
    /// The equations on velocities that are derivatives of positions:
    /// `#[holonomic]` would keep the positions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub derivatives_of_positions: Vec<usize>,
    /// The families of its expressions.
    pub families: Vec<TermFamily>,
}

/// The generalized force of one `#[force]` or `#[dissipation]` method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ForceGroup {
    /// The name of the method.
    pub name: String,
    /// The coordinate of a force; `None` for a dissipation, which acts on all velocities that it reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coordinate: Option<String>,
    /// The families of its expressions.
    pub families: Vec<TermFamily>,
}
