//! Projection every so often, around any method.
//!
//! # Scheme
//! The steps of the method on the stiff system, and after every k-th step the projection of its state onto the slow manifold,
//! from where the method goes on.  Oscillations that the method, or rounding, excites are taken away before they build up;
//! each projection adds an error of its own, O(ω⁻⁴) in position with the default filter, so k should not be small.
//!
//! # Requirements on the model
//! Those of the method, on a system with a known fast frequency: [`SlowFast`].
//!
//! # Order and what is preserved
//! The order of the method.  Projections do not preserve the symplectic form, and the motion is not reversed through one.
//!
//! # Parameters
//! `every` k, at least 1: steps between two projections.

use super::{AveragingKernel, PiecewiseCubic, Projector, SlowFast, SlowManifold};
use crate::carried::carried;
use crate::error::{StartError, StepError};
use crate::method::contract::{Claims, Method, Stepper};
use crate::method::report::Report;
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
        let (every, tolerance, method) = (self.every, self.manifold.tolerance, M::NAME);
        Ok(ProjectedEveryStepper { base, projector, state, every, tolerance, method, steps: 0 })
    }
}

/// A run of [`ProjectedEvery`]: it projects the state of a run of any method, and has no flow of its own.
struct ProjectedEveryStepper<'s, F, B> {
    base: B,
    projector: Projector<&'s F>,
    /// The last good state.
    state: State,
    every: u64,
    /// That of the projections.
    tolerance: f64,
    method: &'static str,
    steps: u64,
}

impl<F: SlowFast, B: Stepper> Stepper for ProjectedEveryStepper<'_, F, B> {
    fn step(&mut self) -> Result<(), StepError> {
        self.base.step()?;
        let reached = self.base.state();
        if (self.steps + 1).is_multiple_of(self.every) {
            match self.projector.find(reached, &mut |_, _, _| {}) {
                Ok(_) => self.state.assign(self.projector.found()),
                Err(source) => {
                    self.base.go_on_from(&self.state);
                    let (method, step, time) = (self.method, self.steps + 1, self.state.t);
                    return Err(StepError::NotSlow { method, step, time, source });
                }
            }
            self.base.go_on_from(&self.state);
        } else {
            self.state.assign(reached);
        }
        self.steps += 1;
        Ok(())
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    /// The evaluations are those of the method and of the projections, and the tolerance the larger of theirs.
    fn report(&self) -> Report<'_> {
        let base = self.base.report();
        let evaluations = base.evaluations.with(self.projector.evaluations());
        let tolerance = base.tolerance.map_or(self.tolerance, |tolerance| tolerance.max(self.tolerance));
        Report { evaluations, tolerance: Some(tolerance), ..base }
    }
}

impl<F, B> std::fmt::Debug for ProjectedEveryStepper<'_, F, B> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ProjectedEveryStepper")
            .field("steps", &self.steps)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

carried!([F, B: Stepper] ProjectedEveryStepper<'_, F, B> {
    base, projector, state, steps
} besides { every, tolerance, method });
