//! An explicit solver for constrained systems, in which no algebraic equation is solved.
//!
//! # Scheme
//! The constraints are replaced by a penalty ½ ω² g·g, and the penalized system is integrated on its slow manifold by
//! [`ProjectedRungeKutta`].  Since the work does not depend on ω, it can be so large that the penalty is as good as the
//! constraints: g = O(ω⁻²), and so is the distance to the constrained motion.  There are no matrices but M, no Newton
//! iterations, and nothing of the constraints is used but Gᵀ g and G v.
//!
//! # Requirements on the model
//! A natural system with holonomic constraints, whose gradients may depend on each other as long as they are compatible.
//!
//! # Multipliers
//! λ = −ω² g at the projected state, with an error O(ω⁻²).  For more digits, see [`SlowManifold::consistent_start`].

use super::{Kernel, PiecewiseCubic, ProjectedRungeKutta, ProjectedRungeKuttaStepper, SlowManifold};
use crate::error::{StartError, StepError};
use crate::method::{Claims, Evaluations, Method, Stepper};
use crate::system::{Constrained, State};
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

impl<const STAGES: usize, const ORDER: u32, K> Claims for ExplicitConstrained<STAGES, ORDER, K> {
    const NAME: &'static str = ProjectedRungeKutta::<STAGES, ORDER, K>::NAME;
    const ORDER: u32 = ORDER;
    const SYMPLECTIC: Option<bool> = Some(false);
    const REVERSIBLE: Option<bool> = Some(false);
    const MOMENTUM: Option<bool> = Some(false);
}

impl<S, const STAGES: usize, const ORDER: u32, K> Method<S> for ExplicitConstrained<STAGES, ORDER, K>
where
    S: Constrained + ?Sized,
    K: Kernel,
{
    type Stepper<'s>
        = ExplicitConstrainedStepper<'s, S, STAGES, ORDER>
    where
        S: 's;

    fn start<'s>(&self, system: &'s S, state: State, step: f64) -> Result<Self::Stepper<'s>, StartError> {
        let penalized = Box::new(Penalized::new(system, self.omega)?);
        let mut multipliers = vec![0.0; system.constraints()];
        let run = self.method.start_on(penalized, state, step)?;
        set_multipliers(&run, &mut multipliers);
        Ok(ExplicitConstrainedStepper { run, multipliers })
    }
}

/// A run of [`ExplicitConstrained`].
#[derive(Debug)]
pub struct ExplicitConstrainedStepper<'s, S: ?Sized, const STAGES: usize, const ORDER: u32> {
    run: Run<'s, S, STAGES, ORDER>,
    multipliers: Vec<f64>,
}

type Run<'s, S, const STAGES: usize, const ORDER: u32> =
    ProjectedRungeKuttaStepper<Box<Penalized<'s, S>>, STAGES, ORDER>;

fn set_multipliers<S: Constrained + ?Sized, const STAGES: usize, const ORDER: u32>(
    run: &Run<'_, S, STAGES, ORDER>,
    multipliers: &mut [f64],
) {
    let State { t, q, .. } = run.slow_state();
    run.system().multipliers(q, *t, multipliers);
}

impl<S: Constrained + ?Sized, const STAGES: usize, const ORDER: u32>
    ExplicitConstrainedStepper<'_, S, STAGES, ORDER>
{
    /// The last good state, projected.
    pub fn slow_state(&self) -> &State {
        self.run.slow_state()
    }
}

impl<S: Constrained + ?Sized, const STAGES: usize, const ORDER: u32> Stepper
    for ExplicitConstrainedStepper<'_, S, STAGES, ORDER>
{
    fn step(&mut self) -> Result<(), StepError> {
        self.run.step()?;
        set_multipliers(&self.run, &mut self.multipliers);
        Ok(())
    }

    fn state(&self) -> &State {
        self.run.state()
    }

    fn steps(&self) -> u64 {
        self.run.steps()
    }

    fn multipliers(&self) -> Option<&[f64]> {
        Some(&self.multipliers)
    }

    fn evaluations(&self) -> Evaluations {
        self.run.evaluations()
    }
}
