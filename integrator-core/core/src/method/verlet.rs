//! Velocity Verlet: also Störmer's method, leap-frog at whole steps, and Newmark's method with β = 0.
//!
//! # Scheme
//! M f = −∇V(x, t) + F(x, t);  x₁ = x₀ + h v₀ + ½ h² f₀;  v₁ = v₀ + ½ h (f₀ + f₁).
//!
//! Forces F that depend on velocities, such as drag, are evaluated at the velocity u between the
//! positions, which solves the first equation:
//!
//! M u = M v₀ + ½ h (−∇V(x₀, t₀) + F(x₀, u, t₀));  x₁ = x₀ + h u;
//! M v₁ = M u + ½ h (−∇V(x₁, t₁) + F(x₁, u, t₁)).
//!
//! Newton's method with the sparse matrix M − ½ h ∂F/∂v solves it to round-off: one small solution for
//! each particle if a drag acts on each by itself.
//!
//! Inputs u of F are averaged: 2 (m₀ − m₁)/h replaces u in the first half of the kick and 2 m₁/h in the
//! second, with m₀ = ∫ u dt and m₁ = ∫ (t − t₀)/h u dt over the step. So the motion gets their whole
//! impulse, and order 2 survives their jumps.
//!
//! # Requirements on the model
//! [`Natural`]: a constant mass and a potential; with any other forces.
//!
//! # Order and invariants
//! Order 2; symplectic; reversible; conserves linear and angular momentum to round-off.
//! Stable for h ω < 2, where ω is the fastest frequency.
//!
//! With forces F it is symmetric (a step back undoes a step) and of order 2, not symplectic; the
//! momentum changes by the impulse of F alone. A velocity at which F balances the other forces is kept
//! exactly for every step. Without a potential a drag F(v) with (F(v) − F(w))·(v − w) ≤ 0, such as −c v
//! or −c |v| v, never increases the energy. A linear drag −c M v multiplies a free velocity by
//! (1 − c h/2)/(1 + c h/2): no limit on h, but alternating signs beyond c h = 2. In backward parts of
//! compositions a drag drives; compositions damp for c h < 3.02 (order 4), 2.73 (6) and 3.30 (8). A drag
//! with a kink at rest, such as |v| v, limits every composition to order 2 there.
//!
//! A magnetic force declared as a force gives Boris' rotation, which is not symplectic; a vector
//! potential in the Lagrangian with `VariationalMidpoint` is.
//!
//! # Parameters
//! None but the step.
//!
//! # Reference
//! L. Verlet, Phys. Rev. 159 (1967) 98, doi:10.1103/PhysRev.159.98;
//! E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration (2006), section I.1.4,
//! doi:10.1007/3-540-30666-8.

use super::applied::{Applied, Instant, subtract_from_gradient};
use super::composition::{Symmetric, start_as_parts};
use super::contract::{Claims, Method, claims};
use super::flow::Flow;
use super::force::AccelerationField;
use super::force_error::Attempt;
use super::half_kick::HalfKick;
use super::instability::Instability;
use super::kick_drift_kick::KickDriftKick;
use super::linearization::program::{LinearStep, Program};
use super::linearization::{Differentiable, Kicks, Stiffness};
use super::mass_solver::MassSolver;
use super::report::Evaluations;
use super::running::Ready;
use super::scheme::Scheme;
use super::stability::{self, FirstStep};
use super::variational::{fastest_drag, trapezoid};
use crate::binding::threads::each_entry;
use crate::carried::carried;
use crate::error::Begun;
use crate::system::{Layout, Natural, State};

/// Velocity Verlet; see the [scheme](self).
///
/// # Examples
/// ```
/// use least_action::drive::integrate;
/// use least_action::method::Verlet;
/// use least_action::prelude::*;
///
/// struct Spring;
///
/// #[lagrangian]
/// impl Spring {
///     fn lagrangian(&self, x: Scalar) -> Scalar {
///         0.5 * der(x).powi(2) - 0.5 * x.powi(2)
///     }
/// }
///
/// let run = integrate(&Spring.bind()?, &Verlet, State::at_rest(vec![1.0]), 0.01)?.until(1.0).record()?;
/// let last = run.positions().last().ok_or("the run has states")?[0];
/// assert!((last - 1.0_f64.cos()).abs() < 1e-5, "the error is within h²");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Verlet;

claims! {
    impl Claims for Verlet: "verlet" of order 2;
    SYMPLECTIC yes, REVERSIBLE yes, MOMENTUM yes, IMPULSE yes, PARTS yes; derivatives by Inputs
}

impl<S: Natural + ?Sized> Method<S> for Verlet {
    start_as_parts!(S);

    fn instability(&self, system: &S, state: &State, step: f64) -> Option<Instability> {
        stability::explicit(&FirstStep { method: Self::NAME, system, state, step })
    }
}

impl<S: Natural + ?Sized> Symmetric<S> for Verlet {
    fn start_parts<'s>(&self, system: &'s S, state: State, step: f64) -> Ready<'s, impl Flow + use<'s, S>> {
        Self::start_flow(system, state, step)
    }

    fn fastest_drag(&self, system: &S, state: &State) -> Option<f64> {
        fastest_drag(system.mechanics()?, state)
    }
}

impl<S: Natural + ?Sized> Differentiable<S> for Verlet {
    fn traced<'s>(&self, system: &'s S, state: State, step: f64) -> Ready<'s, impl Flow + use<'s, S>> {
        Self::start_flow(system, state, step)
    }

    fn linear<'s>(&self, system: &'s S, _: usize) -> Begun<Box<dyn LinearStep + 's>> {
        if system.forced().is_some() {
            return trapezoid(system, Self::NAME);
        }
        let slope = Stiffness::new(system.dimension());
        Ok(Box::new(Program::new(Kicks::new(system, Self::NAME, slope)?)))
    }
}

pub(super) type VerletFlow<'s, S> = KickDriftKick<'s, VerletForce<'s, S>>;

impl Verlet {
    pub(super) fn start_flow<S: Natural + ?Sized>(
        system: &S,
        state: State,
        step: f64,
    ) -> Ready<'_, VerletFlow<'_, S>> {
        let applied = Applied::of(system);
        let half_kick = |state: &State| match applied {
            Applied::OfVelocity(forced) => HalfKick::new(system, forced, state, step).map(Box::new).map(Some),
            Applied::OfPosition | Applied::None => Ok(None),
        };
        let with_force = matches!(applied, Applied::OfPosition);
        KickDriftKick::start_with(half_kick, system, state, step, || {
            Ok(VerletForce { system, with_force, mass: MassSolver::new(system, system.mass())? })
        })
    }
}

/// f = M⁻¹ (−∇V + F); without an F that depends on velocities.
#[derive(Debug)]
pub(super) struct VerletForce<'s, S: ?Sized> {
    system: &'s S,
    with_force: bool,
    mass: MassSolver,
}

impl<S: Natural + ?Sized> AccelerationField for VerletForce<'_, S> {
    const METHOD: &'static str = Verlet::NAME;

    fn layout(&self) -> &Layout {
        self.system.layout()
    }

    #[inline]
    fn dimension(&self) -> usize {
        self.system.dimension()
    }

    fn scheme(&self) -> Option<Scheme<'_>> {
        match &self.mass {
            MassSolver::Diagonal(reciprocals) if !self.with_force => {
                Some(Scheme { system: self.system.in_lanes()?, reciprocals, parts: &[1.0], rows: None })
            }
            _ => None,
        }
    }

    #[inline(always)]
    fn evaluate(&mut self, q: &[f64], at: Instant, f: &mut [f64], counts: &mut Evaluations) -> Attempt {
        self.system.potential_gradient(q, at.t, f);
        counts.gradients += 1;
        if self.with_force {
            subtract_from_gradient(self.system, q, at, f);
        }
        each_entry(f, [], &|entry, []| *entry = -*entry);
        self.mass.apply(f)
    }
}

carried!([S: ?Sized] VerletForce<'_, S> {} besides { system, with_force, mass });
