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
use super::{AveragingKernel, PiecewiseCubic, ProjectedRungeKutta, SlowManifold};
use crate::carried::carried;
use crate::error::{StartError, StepError};
use crate::method::contract::{Claims, Method, Stepper};
use crate::method::flow::{Flow, Substep};
use crate::method::report::Report;
use crate::method::running::Running;
use crate::system::{Constrained, State, Unforced};
use crate::wrap::Penalized;

/// A projected Runge–Kutta method on a constrained system; see the [scheme](self).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExplicitConstrained<const STAGES: usize = 4, const ORDER: u32 = 4, K = PiecewiseCubic> {
    /// The method on the slow manifold, by default with the `force_tolerance` 10⁻⁴.
    pub method: ProjectedRungeKutta<STAGES, ORDER, K>,
    /// The ω of the penalty, default 10⁴.
    pub omega: f64,
}

impl Default for ExplicitConstrained {
    fn default() -> Self {
        let manifold = SlowManifold { force_tolerance: 1e-4, ..SlowManifold::default() };
        Self { method: ProjectedRungeKutta { manifold, ..ProjectedRungeKutta::default() }, omega: 1e4 }
    }
}

impl<const N: usize, const ORDER: u32, K: AveragingKernel> Claims for ExplicitConstrained<N, ORDER, K> {
    const NAME: &'static str = ProjectedRungeKutta::<N, ORDER, K>::NAME;
    const ORDER: u32 = ORDER;
    const SYMPLECTIC: Option<bool> = Some(false);
    const REVERSIBLE: Option<bool> = Some(false);
    const MOMENTUM: Option<bool> = Some(false);
}

impl<S, const STAGES: usize, const ORDER: u32, K> Method<S> for ExplicitConstrained<STAGES, ORDER, K>
where
    S: Constrained + Unforced + ?Sized,
    K: AveragingKernel,
{
    fn start<'s>(
        &self,
        system: &'s S,
        state: State,
        step: f64,
    ) -> Result<impl Stepper + 's + use<'s, S, STAGES, ORDER, K>, StartError> {
        let penalized = Box::new(Penalized::new(system, self.omega)?);
        let stages = self.method.stages(penalized, &state, step)?;
        let mut flow = PenalizedStages { stages, multipliers: vec![0.0; system.constraints()] };
        flow.set_multipliers();
        let run = Running::new(flow, state, step).to_tolerance(self.method.manifold.tolerance);
        Ok(run.within(Self::NAME, system.signals()))
    }
}

struct PenalizedStages<'s, S: ?Sized, const STAGES: usize, const ORDER: u32> {
    stages: ProjectedStages<Box<Penalized<'s, S>>, STAGES, ORDER>,
    multipliers: Vec<f64>,
}

impl<S: Constrained + Unforced + ?Sized, const STAGES: usize, const ORDER: u32>
    PenalizedStages<'_, S, STAGES, ORDER>
{
    fn set_multipliers(&mut self) {
        let State { t, q, .. } = self.stages.slow_state();
        self.stages.system().multipliers(q, *t, &mut self.multipliers);
    }
}

impl<S: Constrained + Unforced + ?Sized, const STAGES: usize, const ORDER: u32> Flow
    for PenalizedStages<'_, S, STAGES, ORDER>
{
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

carried!([S: ?Sized, const STAGES: usize, const ORDER: u32] PenalizedStages<'_, S, STAGES, ORDER> {
    stages, multipliers
} besides {});
