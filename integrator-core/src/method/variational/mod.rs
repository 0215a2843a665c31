//! Variational integrators of any Lagrangian L(q, v, t), also with a mass that depends on the position, and of any forces F(q, v, t)
//! beside it.
//!
//! # Scheme
//! The action of a step is approximated by the discrete Lagrangian, with u = (q₁ − q₀)/h:
//!
//! - Euler: L_d = h L(q₀, u, t₀);
//! - midpoint: L_d = h L(½ (q₀ + q₁), u, t₀ + ½ h);
//! - trapezoid: L_d = ½ h L(q₀, u, t₀) + ½ h L(q₁, u, t₁);
//!
//! and the virtual work of the forces by the discrete forces of the same quadrature.  All three are
//! L_d = h Σ w L(q₀ + θ h u, u, t₀ + θ h), with nodes θ and weights w, and so are F_d⁻ = h Σ w (1 − θ) F and F_d⁺ = h Σ w θ F,
//! so that a step is, with the momenta p = ∂L/∂v,
//!
//! ```text
//! p₀ = −D₁ L_d − F_d⁻ = Σ w (L_v − (1 − θ) h (L_q + F)),
//! p₁ =  D₂ L_d + F_d⁺ = Σ w (L_v + θ h (L_q + F)).
//! ```
//!
//! The first equation is solved for u by Newton's method, with the exact sparse second derivatives
//! Σ w (L_vv + θ h L_vq − (1 − θ) h (L_qv + F_v + θ h (L_qq + F_q))), an unsymmetric matrix unless L_vq = 0 and F = 0.  The state is
//! (q, v): the momentum of a step is ∂L/∂v at its start, and the new velocity solves ∂L/∂v(q₁, v₁, t₁) = p₁, so nothing but
//! (q, v, t) enters a step.
//!
//! # Requirements on the model
//! Any [`Lagrangian`] with an invertible L_vv, without constraints.
//!
//! # Order and what is preserved
//! Order 1 for Euler, 2 for midpoint and trapezoid.  Without forces beside those of L all are symplectic in (q, p), and they conserve
//! momenta that come from linear symmetries, such as linear and angular momentum; midpoint and trapezoid are reversible where L is
//! even in v.  On an oscillator of frequency ω, Euler and trapezoid are stable for h ω < 2, midpoint for every step.
//!
//! With forces no map is symplectic.  A momentum changes by exactly the discrete impulse, p₁·ξ − p₀·ξ = h Σ w F·ξ for a linear
//! symmetry ξ of L, and the energy by the discrete work h Σ w F·u to order 2 (Euler 1).  Midpoint and trapezoid stay symmetric, so
//! that a step of −h undoes one of h, and can be composed.  A force with a kink, such as |v| v, keeps the order 2 there and none above.
//! Linear drag of rate c multiplies a free velocity by (1 − ½ c h)/(1 + ½ c h).
//!
//! # Parameters
//! `tolerance` in (0, 0.001], default 10⁻¹⁴: Newton's method is done when a correction moves no position by more than
//! this part of the largest one (no velocity, for the last equation), or when the corrections have ceased to fall and are
//! those of rounding.
//! `iterations` at least 1, default 50: the most corrections for one equation.
//!
//! # Reference
//! J. E. Marsden, M. West, Discrete mechanics and variational integrators, Acta Numerica 10 (2001) 357,
//! doi:10.1017/S096249290100006X (forces: section 3.2).

mod dependent;
mod free;
mod held;
mod integrand;
mod position;
mod rows;
mod saddle;
mod velocity;

use super::check::check_start;
use super::newton::Newton;
use super::one_step::OneStep;
use super::{Claims, Flow, Instability, Method, Report, Running, Stepper, Substep, Symmetric, stability};
use crate::error::{StartError, StepError};
use crate::system::{Lagrangian, State};
use free::Free;
use held::Held;
use integrand::Node;
use rows::Rows;

macro_rules! method {
    ($(#[$doc:meta])* $name:ident, $text:literal, $order:literal, $reversible:literal, $nodes:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct $name {
            /// The last correction of Newton's method beside the largest position, in (0, 0.001].
            pub tolerance: f64,
            /// The most corrections of Newton's method for one equation.
            pub iterations: u32,
        }

        impl Default for $name {
            fn default() -> Self {
                Self { tolerance: 1e-14, iterations: 50 }
            }
        }

        impl Claims for $name {
            const NAME: &'static str = $text;
            const ORDER: u32 = $order;
            const SYMPLECTIC: Option<bool> = Some(true);
            const REVERSIBLE: Option<bool> = Some($reversible);
            const MOMENTUM: Option<bool> = Some(true);
        }

        impl $name {
            fn start_map<'s, S: Lagrangian + ?Sized>(
                &self,
                system: &'s S,
                state: State,
                step: f64,
            ) -> Result<Running<Variational<'s, S>>, StartError> {
                let newton = Newton { tolerance: self.tolerance, iterations: self.iterations };
                Variational::start(system, Self::NAME, (newton, $nodes), state, step)
            }
        }

        impl<S: Lagrangian + ?Sized> Method<S> for $name {
            fn start<'s>(
                &self,
                system: &'s S,
                state: State,
                step: f64,
            ) -> Result<impl Stepper + use<'s, S>, StartError> {
                self.start_map(system, state, step)
            }

            fn instability(&self, system: &S, state: &State, step: f64) -> Option<Instability> {
                let nodes: &[Node] = $nodes;
                let sum = nodes.iter().map(|node| node.weight * (1.0 - 2.0 * node.place).powi(2)).sum();
                stability::variational(self, sum, system, state, step)
            }
        }
    };
}

method!(
    /// L_d = h L(q₀, u, t₀); see the [scheme](self).
    VariationalEuler, "variational-euler", 1, false, &[Node { place: 0.0, weight: 1.0 }]
);
method!(
    /// L_d = h L(½ (q₀ + q₁), u, t₀ + ½ h); see the [scheme](self).
    VariationalMidpoint, "variational-midpoint", 2, true, &[Node { place: 0.5, weight: 1.0 }]
);
method!(
    /// L_d = ½ h L(q₀, u, t₀) + ½ h L(q₁, u, t₁); see the [scheme](self).
    VariationalTrapezoid, "variational-trapezoid", 2, true,
    &[Node { place: 0.0, weight: 0.5 }, Node { place: 1.0, weight: 0.5 }]
);

macro_rules! symmetric {
    ($name:ident) => {
        impl<S: Lagrangian + ?Sized> Symmetric<S> for $name {
            fn start_parts<'s>(
                &self,
                system: &'s S,
                state: State,
                step: f64,
            ) -> Result<Running<impl Flow + use<'s, S>>, StartError> {
                self.start_map(system, state, step)
            }
        }
    };
}

symmetric!(VariationalMidpoint);
symmetric!(VariationalTrapezoid);

/// The flow of a discrete Lagrangian, without constraints or under them.
enum Variational<'s, S: ?Sized> {
    Free(Box<OneStep<Free<'s, S>>>),
    Held(Box<Held<'s, S>>),
}

impl<'s, S: Lagrangian + ?Sized> Variational<'s, S> {
    fn start(
        system: &'s S,
        method: &'static str,
        (newton, nodes): (Newton, &'static [Node]),
        state: State,
        step: f64,
    ) -> Result<Running<Self>, StartError> {
        check_start(system, &state, step)?;
        let newton = newton.check(method)?;
        let flow = match Rows::of(system) {
            None => {
                Self::Free(Box::new(OneStep::of(Free::new(system, method, newton, nodes, &state, step)?)))
            }
            Some(rows) => Self::Held(Box::new(Held::start(system, rows, method, newton, nodes, &state)?)),
        };
        Ok(Running::new(flow, state, step))
    }
}

impl<S: Lagrangian + ?Sized> Flow for Variational<'_, S> {
    fn advance(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        match self {
            Self::Free(flow) => flow.advance(state, substep, next),
            Self::Held(flow) => flow.advance(state, substep, next),
        }
    }

    fn multipliers(&self) -> Option<&[f64]> {
        match self {
            Self::Free(_) => None,
            Self::Held(flow) => flow.multipliers(),
        }
    }

    fn report(&self) -> Report<'_> {
        match self {
            Self::Free(flow) => flow.report(),
            Self::Held(flow) => flow.report(),
        }
    }

    fn go_on_from(&mut self, state: &State) -> bool {
        match self {
            Self::Free(flow) => flow.go_on_from(state),
            Self::Held(flow) => flow.go_on_from(state),
        }
    }

    fn warning(&self) -> Option<&str> {
        match self {
            Self::Free(_) => None,
            Self::Held(flow) => flow.warning(),
        }
    }
}
