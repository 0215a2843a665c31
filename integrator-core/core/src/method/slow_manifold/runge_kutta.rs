//! Steps of the classical Runge–Kutta method on the slow manifold.
//!
//! # Scheme
//! With P the projection onto the slow manifold and φ(q, v) = (v, −M⁻¹ ∇V(q)),
//!
//! ```text
//! Z_i = P(z_n + h c_i φ(Z_{i−1})),   z_{n+1} = P z_n + h Σ b_i φ(Z_i),
//! c = (0, ½, ½, 1),   b = (⅙, ⅓, ⅓, ⅙).
//! ```
//!
//! φ is O(1) at projected points, so that the slow motion alone limits the step: ω enters neither h nor
//! the cost. The state z_n is unprojected, and enough to continue a run to the last bit;
//! [`Report::slow_state`] is P z_n, the point to use where energies with the stiff part matter.
//!
//! # Order and invariants
//! Order 4, down to the error of the projection: P leaves an error O(ω⁻²) in the stiff
//! force along the constraint normals, which turn from stage to stage, so that an error of size h ω⁻²
//! remains. Geometric invariants are conserved to the error of a step.

use super::{Projector, SlowFast, SlowManifold};
use crate::binding::threads::first_not_finite;
use crate::carried::carried;
use crate::error::{Begun, StartError, StepError};
use crate::method::check::{check_angles, check_start};
use crate::method::contract::{Claims, Method, Stepper, claims};
use crate::method::flow::{Flow, Substep};
use crate::method::force_error::ForceError;
use crate::method::report::Report;
use crate::method::running::Running;
use crate::system::{State, System};
use std::ops::Deref;

/// The nodes c_i.
const NODES: [f64; 4] = [0.0, 0.5, 0.5, 1.0];
/// The weights b_i.
const WEIGHTS: [f64; 4] = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0];

/// The classical Runge–Kutta method with each stage projected onto the slow manifold; see the
/// [scheme](self).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ProjectedRungeKutta {
    /// The projection.
    pub manifold: SlowManifold,
}

claims! {
    impl Claims for ProjectedRungeKutta: "projected-rk4" of order 4;
    SYMPLECTIC no, REVERSIBLE no, MOMENTUM no; derivatives by None("its steps average over micro-steps, whose derivative is not built")
}

impl<F: SlowFast> Method<F> for ProjectedRungeKutta {
    fn start<'s>(&self, system: &'s F, state: State, step: f64) -> Begun<impl Stepper + 's + use<'s, F>> {
        let stages = self.stages(system, &state, step)?;
        let run = Running::new(stages, state, step).to_tolerance(self.manifold.tolerance);
        run.within(Self::NAME, system)
    }
}

impl ProjectedRungeKutta {
    /// Starts on a system behind a reference or a box, which the run then owns.
    ///
    /// # Errors
    /// As for [`Method::start`] and [`SlowManifold::projector`]; a start that cannot be projected.
    pub fn start_on<H>(&self, system: H, state: State, step: f64) -> Begun<impl Stepper + use<H>>
    where
        H: Deref<Target: SlowFast> + Send,
    {
        check_angles(&*system, Self::NAME)?;
        let signals = system.signals().to_vec();
        let stages = self.stages(system, &state, step)?;
        let run = Running::new(stages, state, step).to_tolerance(self.manifold.tolerance);
        Ok(run.within_signals(Self::NAME, signals.into()))
    }

    /// The flow that belongs to `state`.
    pub(super) fn stages<H>(&self, system: H, state: &State, step: f64) -> Begun<ProjectedStages<H>>
    where
        H: Deref<Target: SlowFast> + Send,
    {
        check_start(&*system, state, step)?;
        let n = state.q.len();
        let mut projector = self.manifold.projector(system)?;
        let slow = projector.find(state, &mut |_, _, _| {}).map(|_| projector.found().clone());
        let slow = slow.map_err(StartError::NotSlow)?;
        Ok(ProjectedStages {
            projector,
            next_slow: slow.clone(),
            rates: vec![State { t: 0.0, q: vec![0.0; n], v: vec![0.0; n] }; WEIGHTS.len()],
            slow,
        })
    }
}

pub(super) struct ProjectedStages<H> {
    projector: Projector<H>,
    /// P z_n.
    pub(super) slow: State,
    next_slow: State,
    /// φ(Z_i).
    rates: Vec<State>,
}

impl<H: Deref<Target: SlowFast> + Send> ProjectedStages<H> {
    pub(super) fn system(&self) -> &H::Target {
        self.projector.system()
    }

    /// Leaves z_{n+1} in `next` and P z_{n+1} in `next_slow`.
    fn attempt(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        let Self { projector, slow, next_slow, rates } = self;
        let (method, h, step, time) = (ProjectedRungeKutta::NAME, substep.size, substep.number, state.t);
        let off = |source| StepError::NotSlow { method, step, time, source };
        for (stage, node) in NODES.into_iter().enumerate() {
            // Z₁ = P z_n is known.
            if stage == 0 {
                next_slow.assign(slow);
            } else {
                next.assign(state);
                next.t = state.t + node * h;
                add(next, node * h, &rates[stage - 1]);
                projector.find(next, &mut |_, _, _| {}).map_err(off)?;
                next_slow.assign(projector.found());
            }
            let rate = &mut rates[stage];
            rate.q.copy_from_slice(&next_slow.v);
            projector.accelerate(next_slow, &mut rate.v).map_err(off)?;
        }
        next.assign(slow);
        next.t = substep.end;
        for (weight, rate) in WEIGHTS.into_iter().zip(&*rates) {
            add(next, weight * h, rate);
        }
        if let Some(index) = first_not_finite(&next.q).or_else(|| first_not_finite(&next.v)) {
            let layout = projector.system().layout();
            return Err(ForceError::NotFinite { index }.in_step_of(method, layout, substep, time));
        }
        projector.find(next, &mut |_, _, _| {}).map_err(off)?;
        next_slow.assign(projector.found());
        Ok(())
    }
}

/// z ← z + h φ.
fn add(z: &mut State, h: f64, rate: &State) {
    let entries = z.q.iter_mut().chain(&mut z.v);
    for (entry, rate) in entries.zip(rate.q.iter().chain(&rate.v)) {
        *entry += h * rate;
    }
}

impl<H: Deref<Target: SlowFast> + Send> Flow for ProjectedStages<H> {
    fn advance(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        self.attempt(state, substep, next)?;
        std::mem::swap(&mut self.slow, &mut self.next_slow);
        Ok(())
    }

    fn report(&self) -> Report<'_> {
        Report { slow_state: Some(&self.slow), ..Report::of(self.projector.evaluations()) }
    }
}

carried!([H] ProjectedStages<H> { projector, slow } besides { next_slow, rates });
