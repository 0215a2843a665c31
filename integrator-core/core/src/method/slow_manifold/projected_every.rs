//! Projection every so often, around any method.
//!
//! # Scheme
//! The method steps on the stiff system; after every k-th step its state is projected onto the slow
//! manifold, and the method continues from there. This removes oscillations that the method, or
//! rounding, excites before they build up; each projection adds an error O(ω⁻⁴) in position with the
//! default filter, so k should not be small.
//!
//! # Requirements on the model
//! The requirements of the method, on a system with a known fast frequency: [`SlowFast`].
//!
//! # Order and invariants
//! The order of the method. Projections break the symplectic form and reversibility.
//!
//! # Parameters
//! `every` k, at least 1: the steps between two projections.

use super::{AveragingKernel, PiecewiseCubic, Projector, SlowFast, SlowManifold};
use crate::carried::carried;
use crate::error::{StartError, StepError};
use crate::method::contract::{Claims, Method, Stepper};
use crate::method::flow::{Flow, Substep};
use crate::method::report::Report;
use crate::method::running::Running;
use crate::system::State;

/// A method, projected onto the slow manifold every so often; see the [scheme](self).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProjectedEvery<M, K = PiecewiseCubic> {
    /// The method.
    pub method: M,
    /// The projection.
    pub manifold: SlowManifold<K>,
    /// The number of steps between two projections.
    pub every: u64,
}

impl<M: Claims, K: AveragingKernel> Claims for ProjectedEvery<M, K> {
    const NAME: &'static str = M::NAME;
    const ORDER: u32 = M::ORDER;
    const SYMPLECTIC: Option<bool> = None;
    const REVERSIBLE: Option<bool> = None;
    const MOMENTUM: Option<bool> = None;
}

impl<F: SlowFast, M: Method<F>, K: AveragingKernel> Method<F> for ProjectedEvery<M, K> {
    fn start<'s>(
        &self,
        system: &'s F,
        state: State,
        step: f64,
    ) -> Result<impl Stepper + 's + use<'s, F, M, K>, StartError> {
        if self.every == 0 {
            let (method, option, interval) = (M::NAME, "every", "[1, 18446744073709551615]");
            return Err(StartError::OptionOutOfRange { method, option, value: 0.0, interval });
        }
        let projector = self.manifold.projector(system)?;
        let mut base = self.method.start(system, state.clone(), step)?;
        if !base.go_on_from(&state) {
            return Err(StartError::StateFixed { method: M::NAME });
        }
        let tolerance = base.report().tolerance.unwrap_or_default().max(self.manifold.tolerance);
        let flow = ProjectedEveryFlow { base, projector, every: self.every, method: M::NAME };
        Ok(Running::new(flow, state, step).to_tolerance(tolerance))
    }
}

/// The flow of [`ProjectedEvery`]: a run of any method, whose states it projects.
struct ProjectedEveryFlow<'s, F, B> {
    base: B,
    projector: Projector<&'s F>,
    every: u64,
    method: &'static str,
}

impl<F: SlowFast, B: Stepper> Flow for ProjectedEveryFlow<'_, F, B> {
    fn advance(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        self.base.step()?;
        let reached = self.base.state();
        if !substep.number.is_multiple_of(self.every) {
            next.assign(reached);
            return Ok(());
        }
        if let Err(source) = self.projector.find(reached, &mut |_, _, _| {}) {
            self.base.go_on_from(state);
            let (method, step, time) = (self.method, substep.number, state.t);
            return Err(StepError::NotSlow { method, step, time, source });
        }
        next.assign(self.projector.found());
        self.base.go_on_from(next);
        Ok(())
    }

    /// The evaluations of the method and of the projections.
    fn report(&self) -> Report<'_> {
        let base = self.base.report();
        Report { evaluations: base.evaluations.with(self.projector.evaluations()), ..base }
    }
}

carried!([F, B: Stepper] ProjectedEveryFlow<'_, F, B> { base, projector } besides { every, method });
