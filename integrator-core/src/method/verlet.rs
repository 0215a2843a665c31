//! Velocity Verlet, which is also Störmer's method, leap-frog at whole steps, and Newmark's method with β = 0.
//!
//! # Scheme
//! M f = −∇V(x, t);  x₁ = x₀ + h v₀ + ½ h² f₀;  v₁ = v₀ + ½ h (f₀ + f₁).
//!
//! # Requirements on the model
//! [`Natural`]: a constant mass and a force that depends on the position (and time) alone.
//!
//! # Order and what is preserved
//! Order 2; symplectic; reversible; conserves linear and angular momentum to round-off.
//! Stable for h ω < 2, where ω is the fastest frequency.
//!
//! # Parameters
//! None but the step.
//!
//! # Reference
//! L. Verlet, Phys. Rev. 159 (1967) 98, doi:10.1103/PhysRev.159.98;
//! E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration (2006), section I.1.4, doi:10.1007/3-540-30666-8.

use super::force_error::ForceError;
use super::kick_drift_kick::{Force, KickDriftKick};
use super::mass_solver::MassSolver;
use super::{Claims, Evaluations, Flow, Instability, Method, Running, Stepper, Symmetric, stability};
use crate::error::StartError;
use crate::system::{Layout, Natural, State};

/// Velocity Verlet; see the [scheme](self).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Verlet;

impl Claims for Verlet {
    const NAME: &'static str = "verlet";
    const ORDER: u32 = 2;
    const SYMPLECTIC: Option<bool> = Some(true);
    const REVERSIBLE: Option<bool> = Some(true);
    const MOMENTUM: Option<bool> = Some(true);
}

impl<S: Natural + ?Sized> Method<S> for Verlet {
    fn start<'s>(
        &self,
        system: &'s S,
        state: State,
        step: f64,
    ) -> Result<impl Stepper + use<'s, S>, StartError> {
        self.start_parts(system, state, step)
    }

    fn instability(&self, system: &S, state: &State, step: f64) -> Option<Instability> {
        stability::explicit(Self::NAME, system, state, step)
    }
}

impl<S: Natural + ?Sized> Symmetric<S> for Verlet {
    fn start_parts<'s>(
        &self,
        system: &'s S,
        state: State,
        step: f64,
    ) -> Result<Running<impl Flow + use<'s, S>>, StartError> {
        KickDriftKick::start(system, state, step, || {
            Ok(VerletForce { system, mass: MassSolver::new(system, system.mass())? })
        })
    }
}

/// f = −M⁻¹ ∇V.
#[derive(Debug)]
struct VerletForce<'s, S: ?Sized> {
    system: &'s S,
    mass: MassSolver,
}

impl<S: Natural + ?Sized> Force for VerletForce<'_, S> {
    const METHOD: &'static str = Verlet::NAME;

    fn layout(&self) -> &Layout {
        self.system.layout()
    }

    fn evaluate(
        &mut self,
        q: &[f64],
        t: f64,
        f: &mut [f64],
        counts: &mut Evaluations,
    ) -> Result<(), ForceError> {
        self.system.potential_gradient(q, t, f);
        counts.gradients += 1;
        for entry in f.iter_mut() {
            *entry = -*entry;
        }
        self.mass.apply(f)
    }
}
