//! The kind of a model, as the compiler found it for all parameters.

/// Whether something depends on coordinates, as far as the compiler could find out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dependence {
    /// No.
    None,
    /// On these coordinates.
    Proven(&'static [&'static str]),
    /// It mentions these coordinates, but no two points gave different values.
    Unproven(&'static [&'static str]),
}

/// The kind of a model, as the compiler found it.
#[expect(clippy::struct_excessive_bools, reason = "facts that do not depend on one another")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Classification {
    /// The coordinates on which the mass matrix depends.
    pub mass: Dependence,
    /// The coordinates on which a velocity-dependent force acts.
    pub force: Dependence,
    /// Whether time enters explicitly.
    pub time: bool,
    /// Whether a part of the potential is marked as stiff.
    pub stiff: bool,
    /// Whether there are holonomic constraints.
    pub constrained: bool,
    /// Whether there are constraints on velocities.
    pub nonholonomic: bool,
    /// Whether there are forces that no potential gives, dissipations among them.
    pub forced: bool,
    /// Whether the motion is even in the fast phase; `None` where there is none.
    pub even_in_phase: Option<bool>,
    /// Whether the constraints depend on the fast phase.
    pub phase_in_constraints: bool,
}
