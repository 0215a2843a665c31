//! The facts about a model instance, as plain data: the content of `least-action describe` and of its output for scripts.
//!
//! The compiler fills it in; a hand-written model may too. Nothing here is read by an engine.

pub(crate) mod display;

use serde::Serialize;
use std::collections::BTreeMap;

use crate::system::Coordinate;
use crate::system::symmetry::ConservedQuantity;

/// A model instance, described.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Description {
    /// The name of the model's type.
    pub model: String,
    /// The author's documentation; its first sentence is the summary.
    pub documentation: String,
    /// The author's comments on the parameters, by the names of their fields.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<&'static str, &'static str>,
    /// The number n of degrees of freedom, before constraints.
    pub dimension: usize,
    /// The number m of constraint equations, on positions and on velocities.
    pub equations: usize,
    /// The coordinates, in the order of the declaration, with their sizes and places in q.
    pub coordinates: Vec<Coordinate>,
    /// The structure of the mass and of the force, and the dependence on time.
    pub structure: Structure,
    /// The quantities that the motion conserves for all parameters, each with its symmetry.
    pub conserved: Vec<ConservedQuantity>,
    /// The quantities that forces and constraints on velocities alone change, each with the symmetry that these break.
    pub balanced: Vec<ConservedQuantity>,
    /// The term families of L, each with the part of L that it belongs to.
    pub families: Vec<TermFamily>,
    /// The sums inside of functions, one group an array of them, which has as many numbers as the group has equations.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sums: Vec<ConstraintGroup>,
    /// The holonomic constraints, one group a method.
    pub constraints: Vec<ConstraintGroup>,
    /// The constraints on velocities, one group a method.
    pub nonholonomic: Vec<ConstraintGroup>,
    /// The forces that no potential gives, one group a method.
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

/// A declaration in LaTeX, from its source: each string is a line for an `align*` environment, aligned at `&=`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Formulas {
    /// L.
    pub lagrangian: &'static str,
    /// Rayleigh's functions, and the abbreviations in them, in L and in the constraints, one definition a line.
    pub definitions: &'static [&'static str],
    /// 0 = g and 0 = c(q, v, t), one line a method.
    pub constraints: &'static [&'static str],
    /// The Euler–Lagrange equations d/dt ∂L/∂v − ∂L/∂q = Gᵀ λ + Aᵀ μ − ∂D/∂v, one line a component of each coordinate; k, l, … number the
    /// entries of an array. Sums Σ that functions read add the forces Λ ∂Σ/∂q − d/dt (Λ ∂Σ/∂v) to the right-hand sides.
    pub equations: &'static [&'static str],
    /// The sums in the equations, the forces Λ = ∂L/∂Σ − d/dt ∂L/∂Σ̇ + … on them, which L, constraints and dissipations say, and abbreviations,
    /// one definition a line.
    pub abbreviations: &'static [&'static str],
}

impl Formulas {
    /// All lines: the Lagrangian, the constraints, the equations of motion, each followed by its abbreviations.
    pub fn lines(&self) -> impl Iterator<Item = &'static str> + use<> {
        let lagrangian = (!self.lagrangian.is_empty()).then_some(self.lagrangian);
        let rest = [self.constraints, self.definitions, self.equations, self.abbreviations];
        lagrangian.into_iter().chain(rest.into_iter().flatten().copied())
    }

    /// The lines as one display, to be pasted into a document that uses amsmath; lines that are too long for a page are broken.
    pub fn align(&self) -> String {
        let lines = display::lines(self.lines());
        format!("\\begin{{align*}}\n{}\n\\end{{align*}}\n", lines.join(" \\\\\n"))
    }
}

/// The structural facts that decide which methods fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Structure {
    /// The mass matrix ∂²L/∂v∂v.
    pub mass: Mass,
    /// True if the mass matrix is diagonal.
    pub mass_diagonal: bool,
    /// The part of the force that depends on the velocity.
    pub force: Force,
    /// True if L, a constraint or a force depends explicitly on time.
    pub time_dependent: bool,
    /// True if the motion is even in the fast phase; none, if there is no fast phase.
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
    DependsOn(Vec<String>),
    /// The mass matrix could not be shown to be constant in these coordinates.
    Unproven(Vec<String>),
}

/// The velocities that the force depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "coordinates")]
pub enum Force {
    /// None: the force is −∇V(q, t).
    PositionOnly,
    /// The velocities of these coordinates.
    DependsOn(Vec<String>),
    /// The force could not be shown to be free of the velocities of these coordinates.
    Unproven(Vec<String>),
}

/// The part of L = kinetic − potential + general to which a family belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// Quadratic in the velocities, with constant coefficients.
    Kinetic,
    /// Functions of positions and velocities together: a mass that depends on position, or a gyroscopic term.
    General,
    /// Free of velocities.
    Potential,
    /// A part of the potential that the author enclosed in `stiff(…)`.
    Stiff,
    /// An element of a sum inside of a function.
    Sum,
    /// A constraint equation.
    Constraint,
    /// A force that no potential gives.
    Force,
}

/// One additive term under its sums: the same small expression, once for each element.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
    pub smoothness: Smoothness,
    /// Of a sum over near pairs: the distance at which it ends, and how much a pair changes it there; of partial sums, that they are such.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<String>,
    /// The number of scalar variables in which one element is differentiated.
    pub variables: usize,
    /// Floating-point operations of one element.
    pub operations: Operations,
}

/// The number of continuous derivatives of an expression, as far as the compiler could find out by comparing
/// the branches of its choices (`if`, `min`, `max`, `abs`, …) where they meet.
///
/// Functions that only Rust knows count as smooth, and singular points (a root of zero, a quotient by zero) do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Smoothness {
    /// Continuous derivatives of every order.
    #[default]
    Smooth,
    /// At least this number of continuous derivatives; 0 is continuous.
    Times(u32),
    /// The branches could not be shown to meet: the expression may jump.
    Unknown,
}

/// Floating-point operations of one element, for each operation of its kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Operations {
    /// The value alone.
    pub value: usize,
    /// Value and gradient.
    pub gradient: usize,
    /// Value, gradient and Hessian.
    pub hessian: usize,
    /// The contraction of the third derivative with a vector, twice.
    pub third: usize,
}

/// The equations that one `#[holonomic]` or `#[nonholonomic]` method returns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConstraintGroup {
    /// The name of the method.
    pub name: String,
    /// The number of equations.
    pub equations: usize,
    /// The components (row by row) of the matrix that the method returns which are equations of their own, where others only
    /// repeat them, as in a symmetric matrix, or vanish identically.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_components: Option<Vec<usize>>,
    /// The equations on velocities that are derivatives of positions: as `#[holonomic]` constraints they would keep those.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub derivatives_of_positions: Vec<usize>,
    /// The families of its expressions.
    pub families: Vec<TermFamily>,
}

/// The generalized force that one `#[force]` method returns, or that one `#[dissipation]` method gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ForceGroup {
    /// The name of the method.
    pub name: String,
    /// The coordinate that it acts on; none of a dissipation, which acts on all whose velocities it reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coordinate: Option<String>,
    /// The families of its expressions.
    pub families: Vec<TermFamily>,
}
