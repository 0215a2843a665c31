//! An explicit solver for constrained systems: it solves no algebraic equation.
//!
//! # Scheme
//! A penalty ½ ω² g·g replaces the constraints, and [`ProjectedRungeKutta`] integrates the penalized
//! system on its slow manifold. Since the work does not depend on ω, it can be so large that the penalty
//! is as good as the constraints: g = O(ω⁻²), and so is the distance to the constrained motion. M is the
//! only matrix, there are no Newton iterations, and the constraints contribute only Gᵀ g and G v.
//!
//! # Requirements on the model
//! A natural system with holonomic constraints, whose gradients may depend on each other if they are
//! compatible.
//!
//! # Multipliers
//! λ = −ω² g at the projected state, with an error O(ω⁻²); more precisely
//! [`SlowManifold::consistent_start`].

use super::runge_kutta::ProjectedStages;
use super::{ProjectedRungeKutta, SlowManifold};
use crate::carried::carried;
use crate::error::{Begun, StepError};
use crate::method::contract::{Claims, Derivatives, Method, Stepper};
use crate::method::flow::{Flow, Substep};
use crate::method::report::Report;
use crate::method::running::Running;
use crate::system::{Constrained, State, Unforced};
use crate::wrap::Penalized;

/// A projected Runge–Kutta method on a constrained system; see the [scheme](self).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExplicitConstrained {
    /// The method on the slow manifold, by default with the `force_tolerance` 10⁻⁴.
    pub method: ProjectedRungeKutta,
    /// The ω of the penalty, default 10⁴.
    pub omega: f64,
}

impl Default for ExplicitConstrained {
    fn default() -> Self {
        let manifold = SlowManifold { force_tolerance: 1e-4, ..SlowManifold::default() };
        Self { method: ProjectedRungeKutta { manifold }, omega: 1e4 }
    }
}

impl Claims for ExplicitConstrained {
    const NAME: &'static str = ProjectedRungeKutta::NAME;
    const ORDER: u32 = ProjectedRungeKutta::ORDER;
    const SYMPLECTIC: Option<bool> = Some(false);
    const REVERSIBLE: Option<bool> = Some(false);
    const MOMENTUM: Option<bool> = Some(false);
    const DIFFERENTIABLE: Derivatives =
        Derivatives::None("its steps average over micro-steps, whose derivative is not built");
}

impl<S: Constrained + Unforced + ?Sized> Method<S> for ExplicitConstrained {
    fn start<'s>(&self, system: &'s S, state: State, step: f64) -> Begun<impl Stepper + 's + use<'s, S>> {
        let penalized = Box::new(Penalized::new(system, self.omega)?);
        let stages = self.method.stages(penalized, &state, step)?;
        let mut flow = PenalizedStages { stages, multipliers: vec![0.0; system.constraints()] };
        flow.set_multipliers();
        let run = Running::new(flow, state, step).to_tolerance(self.method.manifold.tolerance);
        run.within(Self::NAME, system)
    }
}

struct PenalizedStages<'s, S: ?Sized> {
    stages: ProjectedStages<Box<Penalized<'s, S>>>,
    multipliers: Vec<f64>,
}

impl<S: Constrained + Unforced + ?Sized> PenalizedStages<'_, S> {
    fn set_multipliers(&mut self) {
        let State { t, q, .. } = &self.stages.slow;
        self.stages.system().multipliers(q, *t, &mut self.multipliers);
    }
}

impl<S: Constrained + Unforced + ?Sized> Flow for PenalizedStages<'_, S> {
    fn advance(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        self.stages.advance(state, substep, next)?;
        self.set_multipliers();
        Ok(())
    }

    fn multipliers(&self) -> Option<&[f64]> {
        Some(&self.multipliers)
    }

    fn report(&self) -> Report<'_> {
        self.stages.report()
    }
}

carried!([S: ?Sized] PenalizedStages<'_, S> { stages, multipliers } besides {});
