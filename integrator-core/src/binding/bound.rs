//! A model bound to its parameters: what its type says of it, around what it is.

use super::Model;
use super::assembly::{Assembly, Facts};
use super::binder::Binder;
use crate::error::BindError;
use crate::lanes::Width;
use crate::noether::ConservedQuantity;
use crate::sparse::{RowPattern, SymmetricMatrix, SymmetricPattern};
use crate::structure::{
    ConstantFor, ConstraintsFor, EvenPhaseFor, ForcesFor, PhaseFor, PositionOnlyFor, StiffFor, UnforcedFor,
};
use crate::system::{
    Driven, Elements, EvenInPhase, Forced, Holonomic, Lagrangian, Layout, Natural, Stiff, System, Vibrated,
};
use std::marker::PhantomData;

/// A model bound to its parameters: L = ½ vᵀ M v − V(q, t) + R(q, v, t) with g(q, t) = 0.
///
/// R is what is neither constant mass nor potential; a model without it is natural.
pub struct Bound<M> {
    pub(super) assembly: Assembly,
    model: PhantomData<fn() -> M>,
}

/// Whether something depends on coordinates, as far as the compiler could find out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dependence {
    /// It does not.
    None,
    /// On these.
    Proven(&'static [&'static str]),
    /// It mentions these, but no two points were found where it differs.
    Unproven(&'static [&'static str]),
}

/// What the compiler found a model to be.
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
    /// Whether there are forces that no potential gives.
    pub forced: bool,
    /// Whether the motion is even in the fast phase; `None` where there is none.
    pub even_in_phase: Option<bool>,
    /// Whether the constraints depend on the fast phase.
    pub phase_in_constraints: bool,
}

impl<M: Model> Bound<M> {
    pub(super) fn new(binder: Binder) -> Result<Self, BindError> {
        let facts = Facts {
            name: M::NAME,
            documentation: M::DOCUMENTATION,
            classification: M::CLASSIFICATION,
            conserved: M::CONSERVED,
            formulas: M::FORMULAS,
        };
        Ok(Self { assembly: Assembly::new(facts, binder)?, model: PhantomData })
    }

    /// The same system, computing with this many numbers at once; as bound, with as many as the processor can.
    #[must_use]
    pub fn with_width(mut self, width: Width) -> Self {
        self.assembly.set_width(width);
        self
    }
}

impl<M: Model> System for Bound<M> {
    fn name(&self) -> &str {
        self.assembly.name()
    }

    fn layout(&self) -> &Layout {
        self.assembly.layout()
    }

    fn holonomic(&self) -> Option<&dyn Holonomic> {
        M::holonomic(self)
    }

    fn forced(&self) -> Option<&dyn Forced> {
        M::forced(self)
    }

    fn conserved(&self) -> &[ConservedQuantity] {
        self.assembly.conserved()
    }
}

impl<M: Model> Lagrangian for Bound<M> {
    fn lagrangian(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        self.assembly.lagrangian(q, v, t)
    }

    fn energy(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        self.assembly.energy(q, v, t)
    }

    fn first_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64]) {
        self.assembly.first_derivatives(q, v, t, gradient);
    }

    fn second_pattern(&self) -> &SymmetricPattern {
        self.assembly.second_pattern()
    }

    fn second_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        self.assembly.second_derivatives(q, v, t, gradient, hessian);
    }
}

impl<M: Model> Natural for Bound<M>
where
    M::Mass: ConstantFor<M>,
    M::Force: PositionOnlyFor<M>,
    M::Forcing: UnforcedFor<M>,
{
    fn mass(&self) -> &SymmetricMatrix {
        self.assembly.mass()
    }

    fn potential(&self, q: &[f64], t: f64) -> f64 {
        self.assembly.potential(q, t)
    }

    fn potential_rate(&self, q: &[f64], t: f64) -> f64 {
        self.assembly.potential_rate(q, t)
    }

    fn potential_gradient(&self, q: &[f64], t: f64, gradient: &mut [f64]) {
        self.assembly.potential_gradient(q, t, gradient);
    }

    fn potential_pattern(&self) -> &SymmetricPattern {
        self.assembly.potential_pattern()
    }

    fn potential_second(&self, q: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        self.assembly.potential_second(q, t, gradient, hessian);
    }

    fn potential_product(&self, q: &[f64], t: f64, a: &[f64], product: &mut [f64]) {
        self.assembly.potential_product(q, t, a, product);
    }

    fn potential_third(&self, q: &[f64], t: f64, a: &[f64], contraction: &mut [f64]) {
        self.assembly.potential_third(q, t, a, contraction);
    }

    fn elements(&self) -> Option<&dyn Elements> {
        Some(&self.assembly)
    }
}

impl<M: Model> Stiff for Bound<M>
where
    M::Mass: ConstantFor<M>,
    M::Force: PositionOnlyFor<M>,
    M::Forcing: UnforcedFor<M>,
    M::Stiffness: StiffFor<M>,
{
    fn stiff_pattern(&self) -> &SymmetricPattern {
        self.assembly.stiff_pattern()
    }

    fn stiff_hessian(&self, q: &[f64], t: f64, hessian: &mut [f64]) {
        self.assembly.stiff_hessian(q, t, hessian);
    }
}

impl<M: Model> Holonomic for Bound<M>
where
    M::Holonomy: ConstraintsFor<M>,
{
    fn constraints(&self) -> usize {
        self.assembly.constraints()
    }

    fn constraint_name(&self, row: usize) -> String {
        self.assembly.constraint_name(row)
    }

    fn constraint_values(&self, q: &[f64], t: f64, values: &mut [f64]) {
        self.assembly.constraint_values(q, t, values);
    }

    fn jacobian_pattern(&self) -> &RowPattern {
        self.assembly.jacobian_pattern()
    }

    fn jacobian(&self, q: &[f64], t: f64, values: &mut [f64], jacobian: &mut [f64]) {
        self.assembly.jacobian(q, t, values, jacobian);
    }

    fn constraint_rate(&self, q: &[f64], t: f64, rate: &mut [f64]) {
        self.assembly.constraint_rate(q, t, rate);
    }

    fn constraint_curvature(&self, q: &[f64], v: &[f64], t: f64, curvature: &mut [f64]) {
        self.assembly.constraint_curvature(q, v, t, curvature);
    }

    fn constraint_quadratic(&self, q: &[f64], t: f64, a: &[f64], quadratic: &mut [f64]) {
        self.assembly.constraint_quadratic(q, t, a, quadratic);
    }

    fn weighted_pattern(&self) -> &SymmetricPattern {
        self.assembly.weighted_pattern()
    }

    fn weighted_hessian(&self, q: &[f64], t: f64, weights: &[f64], hessian: &mut [f64]) {
        self.assembly.weighted_hessian(q, t, weights, hessian);
    }

    fn add_weighted_product(&self, q: &[f64], t: f64, weights: &[f64], a: &[f64], product: &mut [f64]) {
        self.assembly.add_weighted_product(q, t, weights, a, product);
    }

    fn add_weighted_third(&self, q: &[f64], t: f64, weights: &[f64], a: &[f64], contraction: &mut [f64]) {
        self.assembly.add_weighted_third(q, t, weights, a, contraction);
    }
}

impl<M: Model> Forced for Bound<M>
where
    M::Forcing: ForcesFor<M>,
{
    fn add_force(&self, q: &[f64], v: &[f64], t: f64, force: &mut [f64]) {
        self.assembly.add_force(q, v, t, force);
    }

    fn force_pattern(&self) -> &RowPattern {
        self.assembly.force_pattern()
    }

    fn add_force_derivatives(
        &self,
        q: &[f64],
        v: &[f64],
        t: f64,
        force: &mut [f64],
        derivatives: &mut [f64],
    ) {
        self.assembly.add_force_derivatives(q, v, t, force, derivatives);
    }
}

impl<M: Model> Driven for Bound<M>
where
    M::Drive: PhaseFor<M>,
{
    fn frequency(&self) -> f64 {
        self.assembly.frequency()
    }

    fn initial_phase(&self) -> f64 {
        self.assembly.initial_phase()
    }

    fn is_even_in_phase(&self) -> bool {
        self.assembly.is_even_in_phase()
    }

    fn constraints_depend_on_phase(&self) -> bool {
        self.assembly.constraints_depend_on_phase()
    }
}

impl<M: Model> Vibrated for Bound<M>
where
    M::Mass: ConstantFor<M>,
    M::Force: PositionOnlyFor<M>,
    M::Forcing: UnforcedFor<M>,
    M::Drive: PhaseFor<M>,
{
    fn gradient_at_phase(&self, q: &[f64], t: f64, theta: f64, gradient: &mut [f64]) {
        self.assembly.gradient_at_phase(q, t, theta, gradient);
    }
}

impl<M: Model> EvenInPhase for Bound<M>
where
    M::Mass: ConstantFor<M>,
    M::Force: PositionOnlyFor<M>,
    M::Forcing: UnforcedFor<M>,
    M::Drive: PhaseFor<M> + EvenPhaseFor<M>,
{
}
