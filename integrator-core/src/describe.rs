//! What is known about a model instance, as plain data: what `least-action describe` prints and scripts read.
//!
//! The compiler fills it in; a hand-written model may too. Nothing here is read by an engine.

use serde::Serialize;

use crate::system::Coordinate;

/// A model instance, described.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Description {
    /// The name of the model's type.
    pub model: String,
    /// The author's documentation; its first line is the summary.
    pub documentation: String,
    /// The number n of degrees of freedom, before constraints.
    pub dimension: usize,
    /// The number m of constraint equations.
    pub equations: usize,
    /// The coordinates, in the order of the declaration, with their sizes and places in q.
    pub coordinates: Vec<Coordinate>,
    /// What the mass, the force and the dependence on time are.
    pub structure: Structure,
    /// The term families of L, each with the part of L that it belongs to.
    pub families: Vec<Family>,
    /// The holonomic constraints, one group a method.
    pub constraints: Vec<ConstraintGroup>,
}

impl Description {
    /// The first line of the documentation.
    pub fn summary(&self) -> &str {
        self.documentation.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("")
    }
}

/// The structural facts that decide which methods fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Structure {
    /// The mass matrix ∂²L/∂v∂v.
    pub mass: Mass,
    /// Whether the mass matrix is diagonal.
    pub mass_diagonal: bool,
    /// The part of the force that depends on the velocity.
    pub force: Force,
    /// Whether L or a constraint depends explicitly on time.
    pub time_dependent: bool,
}

/// What the mass matrix depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "coordinates")]
pub enum Mass {
    /// The same for all positions and times.
    Constant,
    /// It varies with these coordinates.
    DependsOn(Vec<String>),
    /// It could not be shown to be constant in these coordinates.
    Unproven(Vec<String>),
}

/// Which velocities the force depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "coordinates")]
pub enum Force {
    /// None: the force is −∇V(q, t).
    PositionOnly,
    /// Those of these coordinates.
    DependsOn(Vec<String>),
    /// It could not be shown to be free of the velocities of these coordinates.
    Unproven(Vec<String>),
}

/// The part of L = kinetic − potential + general to which a family belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// Quadratic in the velocities, with constant coefficients.
    Kinetic,
    /// Of positions and velocities together: a mass that depends on position, or a gyroscopic term.
    General,
    /// Free of velocities.
    Potential,
    /// A part of the potential that the author enclosed in `stiff(…)`.
    Stiff,
    /// A constraint equation.
    Constraint,
}

/// One additive term under its sums: the same small expression, once for each element.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Family {
    /// The name in messages, such as `potential[1]`.
    pub name: String,
    /// The part of L, or a constraint.
    pub part: Part,
    /// The expression as the compiler prints it.
    pub expression: String,
    /// The number of elements.
    pub elements: usize,
    /// What one element reads: `bobs[i]`, `bobs[i - 1]`.
    pub gathers: Vec<String>,
    /// The number of scalar variables in which one element is differentiated.
    pub variables: usize,
    /// Floating-point operations of one element.
    pub operations: Operations,
}

/// Floating-point operations of one element, by what is evaluated.
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

/// The equations that one `#[holonomic]` method returns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConstraintGroup {
    /// The name of the method.
    pub name: String,
    /// The number of equations.
    pub equations: usize,
    /// The families of its expressions.
    pub families: Vec<Family>,
}
