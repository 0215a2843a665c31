//! Variational integrators of any Lagrangian L(q, v, t), also with a mass that depends on the position,
//! with any forces F(q, v, t), and with holonomic and nonholonomic constraints together.
//!
//! # Scheme
//! The discrete Lagrangian approximates the action of a step, with u = (q₁ − q₀)/h:
//!
//! - Euler: L_d = h L(q₀, u, t₀);
//! - midpoint: L_d = h L(½ (q₀ + q₁), u, t₀ + ½ h);
//! - trapezoid: L_d = ½ h L(q₀, u, t₀) + ½ h L(q₁, u, t₁);
//!
//! and discrete forces of the same quadrature give the virtual work of the forces. All three have the
//! form L_d = h Σ w L(q₀ + θ h u, u, t₀ + θ h), F_d⁻ = h Σ w (1 − θ) F and F_d⁺ = h Σ w θ F, with nodes
//! θ and weights w. With the momenta p = ∂L/∂v a step is
//!
//! ```text
//! p₀ = −D₁ L_d − F_d⁻ = Σ w (L_v − (1 − θ) h (L_q + F)),
//! p₁ =  D₂ L_d + F_d⁺ = Σ w (L_v + θ h (L_q + F)).
//! ```
//!
//! Newton's method solves the first equation for u, with the exact sparse second derivatives K = Σ w
//! (L_vv + θ h L_vq − (1 − θ) h (L_qv + F_v + θ h (L_qq + F_q))), an unsymmetric matrix unless L_vq = 0
//! and F = 0. The state is (q, v): the momentum of a step is ∂L/∂v at its start, and the new velocity
//! solves ∂L/∂v(q₁, v₁, t₁) = p₁, so that a step depends only on (q, v, t). If L or F read
//! [sums](crate::system::ThroughSums) that fill K, steps without constraints also solve for the changes
//! of the sums and their multipliers, with a matrix as sparse as the elements.
//!
//! # Coordinates without mass
//! Rows may hold a coordinate without mass, in all three. Where forces damp it instead, it is one of
//! first order, and M + ½ h C is regular: midpoint keeps its balance L_q + F = 0 at the middle, Euler at
//! the beginning. Its momentum is 0, and its velocity is the one that balances the forces at each state,
//! also at the start. The trapezoid refuses it: it would be Euler's explicit method there.
//!
//! # Constraints
//! With the rows g(q, t) = 0, G = ∂g/∂q, and c(q, v, t) = A(q, t) v + b(q, t) = 0, and B = (G, A):
//!
//! ```text
//! Σ w (L_v − (1 − θ) h (L_q + F)) − ½ h B₀ᵀ λ⁺ = p₀,      g(q₁, t₁) = 0,   Σ w c(q_θ, u, t_θ) = 0,
//! L_v(q₁, v₁, t₁) − ½ h B₁ᵀ λ⁻ = Σ w (L_v + θ h (L_q + F)),   G₁ v₁ + ∂g/∂t = 0,   A₁ v₁ + b = 0.
//! ```
//!
//! The first line is solved for u and λ⁺, the second for v₁ and λ⁻. For a constant mass the trapezoid is
//! RATTLE. Under nonholonomic rows the positions agree with Cortés and Martínez; but this map is one of
//! states, symmetric, and can be composed.
//!
//! A step factors the matrix [L_vv Bᵀ; B 0] at a state once and uses it four times: for v₁; for the
//! accelerations a and the multipliers of the state; for the guess u = v + ½ h a, λ⁺ = λ of the next
//! step; and for its first iterations. If they gain less than a factor of ten, or if it is small, the
//! matrix [K −B₀ᵀ; C 0] of the iterate replaces it. Positions are accepted when a correction in the
//! units of the masses is below the tolerance of the velocities, and every g below the tolerance of its
//! natural size, as in [RATTLE](super::rattle).
//!
//! The reported multipliers belong to the state: L_vv a + L_vq v + L_vt = L_q + F + Bᵀ λ, holonomic rows
//! first. They are as accurate as the state; λ⁺ and λ⁻ are of order 1 each in any composition, and are
//! not kept.
//!
//! # Constraints that depend on each other
//! Rows may follow from each other, everywhere (Bricard's linkage, a platform on three parallel cranks)
//! or at single positions (aligned bars): in all matrices −δ replaces the zero, δ = 10⁻⁹ of the square
//! of the longest row (less with more than a thousand rows, whose smallest eigenvalues are not much
//! larger), with true residuals: the proximal method of multipliers. The motion is unchanged, and the
//! multipliers have least norm. A start with dependent rows gives a [warning](super::Stepper::warning)
//! with their names; contradictory rows are refused. Next to a singular position the multipliers of the
//! state may not exist: then [`Stepper::multipliers`] is `None`, and the step is done all the same.
//!
//! One nonholonomic row may be another times a function of the position. The trapezoid takes the mean of
//! these rows at two positions, two rows that hold the motion fast by h²: it refuses them at the start.
//! Midpoint takes them as rows that depend on each other.
//!
//! # Requirements on the model
//! Any [`Lagrangian`] with an L_vv that is invertible, at least on the motions that the constraints
//! leave free. Midpoint reads L off the constraints, between two points on them: if it is singular
//! there, take the trapezoid. Contact, and friction that is not a function of the velocity, are not such
//! forces.
//!
//! # Order and invariants
//! Order 1 for Euler, 2 for midpoint and trapezoid, in positions, velocities and multipliers. Without
//! forces beside L and without nonholonomic constraints, all are symplectic in (q, p), also on
//! constraints, and conserve momenta of linear symmetries, such as linear and angular momentum; midpoint
//! and trapezoid are reversible if L is even in v. The constraints hold to rounding. On an oscillator of
//! frequency ω, Euler and trapezoid are stable for h ω < 2, midpoint for every step; under constraints
//! all have RATTLE's limit h ω < 2 for motions by the tension of rods.
//!
//! With forces no map is symplectic. A momentum changes by exactly the discrete impulse, p₁·ξ − p₀·ξ = h
//! Σ w F·ξ for a linear symmetry ξ of L, and the energy by the discrete work h Σ w F·u to order 2 (Euler
//! 1). Midpoint and trapezoid stay symmetric: a step of −h undoes a step of h, and they can be composed.
//! A force with a kink, such as |v| v, limits the order to 2 there. Linear drag of rate c multiplies a
//! free velocity by (1 − ½ c h)/(1 + ½ c h); compositions make it grow above c h = 3.02, 2.73 and 3.30
//! at the orders 4, 6 and 8.
//!
//! The inputs of a force are averaged over the step: midpoint and Euler take the mean, the trapezoid 2
//! (m₀ − m₁)/h at its beginning and 2 m₁/h at its end, with m₀ = ∫ u dt and m₁ = ∫ θ u dt. So the motion
//! gets the whole impulse, and keeps order 2 at any jump of inputs. Compositions keep their order if all
//! jumps and kinks are at the times of steps, and have order 2 elsewhere.
//!
//! With nonholonomic constraints no flow is symplectic, and no method bounds the energy on all systems:
//! on integrable and reversible motions it swings with h², on others it drifts with h² t.
//!
//! # Parameters
//! `tolerance` in (0, 0.001], default 10⁻¹⁴: Newton's method stops when a correction moves no position
//! by more than this part of the largest (no velocity, for the last equation and under constraints), or
//! when corrections stop shrinking at the level of rounding. `iterations` at least 1, default 50: the
//! most corrections for one equation.
//!
//! # Reference
//! J. E. Marsden, M. West, Discrete mechanics and variational integrators, Acta Numerica 10 (2001) 357,
//! doi:10.1017/S096249290100006X (forces and constraints: sections 3.2 to 3.5).
//! J. M. Wendlandt, J. E. Marsden, Mechanical integrators derived from a discrete variational principle,
//! Physica D 106 (1997) 223, doi:10.1016/S0167-2789(97)00051-1 (multipliers at the ends).
//! J. Cortés, S. Martínez, Non-holonomic integrators, Nonlinearity 14 (2001) 1365,
//! doi:10.1088/0951-7715/14/5/322.
//! K. Modin, O. Verdier, What makes nonholonomic integrators work?, Numer. Math. 145 (2020) 405,
//! doi:10.1007/s00211-020-01126-y.
//! R. T. Rockafellar, Augmented Lagrangians and applications of the proximal point algorithm in convex
//! programming, Math. Oper. Res. 1 (1976) 97, doi:10.1287/moor.1.2.97.

mod free;
mod held;
mod integrand;
mod limits;
mod linear;
mod parts;
mod position;
mod saddle;
mod search;
mod velocity;

use super::check::{check_no_nonholonomic, check_start};
use super::composition::Symmetric;
use super::constraint::Rows;
use super::contract::{Claims, Derivatives, Method, Stepper};
use super::first_order::Balance;
use super::flow::{Erased, Flow};
use super::instability::Instability;
use super::linearization::Differentiable;
use super::linearization::program::{LinearStep, Program};
use super::mass_solver::no_inverse;
use super::newton::Newton;
use super::one_step::OneStep;
use super::running::Running;
use super::stability::{self, FirstStep};
use crate::error::{Begun, StartError};
use crate::sparse::FactorError;
use crate::system::{Lagrangian, State, System};
use free::Free;
use held::Held;
use integrand::{Node, spread};
pub(super) use limits::fastest_drag;
use linear::VariationalMap;

macro_rules! method {
    ($(#[$doc:meta])* $name:ident, $text:literal, $order:literal, $reversible:literal, $nodes:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct $name {
            /// The last correction of Newton's method relative to the largest position, in (0, 0.001].
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
            const IMPULSE: Option<bool> = Some(true);
            const PARTS: Option<bool> = Some(true);
            const DIFFERENTIABLE: Derivatives = Derivatives::Inputs;
        }

        impl $name {
            fn start_map<'s, S: Lagrangian + ?Sized>(
                &self,
                system: &'s S,
                state: State,
                step: f64,
            ) -> Begun<Running<'s, Erased<'s>>> {
                let newton = Newton { tolerance: self.tolerance, iterations: self.iterations };
                start(system, Self::NAME, (newton, $nodes), state, step)
            }
        }

        impl<S: Lagrangian + ?Sized> Differentiable<S> for $name {
            fn traced<'s>(
                &self,
                system: &'s S,
                state: State,
                step: f64,
            ) -> Begun<Running<'s, impl Flow + use<'s, S>>> {
                self.start_map(system, state, step)
            }

            fn linear<'s>(&self, system: &'s S, _: usize) -> Begun<Box<dyn LinearStep + 's>> {
                Ok(Box::new(Program::new(VariationalMap::new(system, $nodes)?)))
            }
        }

        impl<S: Lagrangian + ?Sized> Method<S> for $name {
            fn start<'s>(
                &self,
                system: &'s S,
                state: State,
                step: f64,
            ) -> Begun<impl Stepper + use<'s, S>> {
                self.start_map(system, state, step)
            }

            fn instability(&self, system: &S, state: &State, step: f64) -> Option<Instability> {
                let spread = spread($nodes);
                if system.holonomic().is_none() && system.nonholonomic().is_none() {
                    return stability::variational(spread, &FirstStep { method: Self::NAME, system, state, step });
                }
                // Constraints act at the ends of a step for all nodes: rods under tension are explicit.
                let omega = limits::fastest_frequency(system, state, spread > 0.0)?;
                stability::linear(Self::NAME, step, omega, stability::OF_VERLET)
            }
        }
    };
}

method!(
    /// L_d = h L(q₀, u, t₀); see the [scheme](self).
    VariationalEuler, "variational-euler", 1, false, &[Node { place: 0.0, weight: 1.0, average: [1.0, 1.0] }]
);
method!(
    /// L_d = h L(½ (q₀ + q₁), u, t₀ + ½ h); see the [scheme](self).
    VariationalMidpoint, "variational-midpoint", 2, true, &[Node { place: 0.5, weight: 1.0, average: [1.0, 1.0] }]
);
method!(
    /// L_d = ½ h L(q₀, u, t₀) + ½ h L(q₁, u, t₁); see the [scheme](self).
    VariationalTrapezoid, "variational-trapezoid", 2, true, TRAPEZOID
);

/// The nodes of the trapezoid.
const TRAPEZOID: &[Node] = &[
    Node { place: 0.0, weight: 0.5, average: [2.0, 0.0] },
    Node { place: 1.0, weight: 0.5, average: [0.0, 2.0] },
];

/// The linear map of the trapezoid, with forces and constraints: for a constant mass also the map of
/// velocity Verlet and of RATTLE, whose trace has the impulses ½ h² λ⁺ and ½ h λ⁻.
///
/// # Errors
/// The system has no Lagrangian, or not enough memory.
pub(super) fn trapezoid<'s, S: System + ?Sized>(
    system: &'s S,
    method: &'static str,
) -> Begun<Box<dyn LinearStep + 's>> {
    let map = VariationalMap::new(mechanics(system, method)?, TRAPEZOID)?;
    Ok(Box::new(Program::new(map.of_impulses())))
}

fn mechanics<'s, S: System + ?Sized>(system: &'s S, method: &'static str) -> Begun<&'s dyn Lagrangian> {
    system.mechanics().ok_or_else(|| StartError::NoDerivative {
        method,
        system: system.name().to_owned(),
        reason: "forces and no Lagrangian",
        remedy: "give the system its mechanics",
    })
}

macro_rules! symmetric {
    ($name:ident) => {
        impl<S: Lagrangian + ?Sized> Symmetric<S> for $name {
            fn start_parts<'s>(
                &self,
                system: &'s S,
                state: State,
                step: f64,
            ) -> Begun<Running<'s, impl Flow + use<'s, S>>> {
                self.start_map(system, state, step)
            }

            fn fastest_drag(&self, system: &S, state: &State) -> Option<f64> {
                limits::fastest_drag(system, state)
            }
        }
    };
}

symmetric!(VariationalMidpoint);
symmetric!(VariationalTrapezoid);

/// The run of a discrete Lagrangian, with or without constraints.
fn start<'s, S: Lagrangian + ?Sized>(
    system: &'s S,
    method: &'static str,
    (newton, nodes): (Newton, &'static [Node]),
    state: State,
    step: f64,
) -> Begun<Running<'s, Erased<'s>>> {
    check_start(system, &state, step)?;
    let newton = newton.check(method)?;
    let mut state = state;
    let balance = balance(system, nodes, &mut state)?;
    let flow = match Rows::of(system) {
        None => {
            let free = Free::new(system, method, newton, nodes, balance, (&state, step))?;
            Erased::of(OneStep::of(free))
        }
        Some(rows) => {
            system.affords_second_derivatives()?;
            Erased::of(Held::start(system, rows, method, newton, nodes, balance, &state)?)
        }
    };
    let run = Running::new(flow, state, step).to_tolerance(newton.tolerance);
    run.within(method, system)
}

/// The balance of coordinates of first order, which the trapezoid refuses.
fn balance<'s, S: Lagrangian + ?Sized>(
    system: &'s S,
    nodes: &[Node],
    state: &mut State,
) -> Result<Option<Box<Balance<'s>>>, StartError> {
    let balance = Balance::of(system, state)?;
    match balance.as_ref().and_then(|balance| balance.states().first()).filter(|_| nodes.len() > 1) {
        Some(&index) => Err(no_inverse(system, FactorError { pivot: 0.0, index })),
        None => Ok(balance.map(Box::new)),
    }
}

/// Starts the trapezoid under constraints as RATTLE, which it is for a constant mass, with its trace:
/// on a system whose mass has no useful inverse.
pub(super) fn start_by_saddle<'s, S: System + ?Sized>(
    system: &'s S,
    method: &'static str,
    (tolerance, iterations): (f64, u32),
    state: State,
    step: f64,
) -> Begun<Running<'s, Erased<'s>>> {
    let (newton, lagrangian) = (Newton { tolerance, iterations }, mechanics(system, method)?);
    check_start(system, &state, step)?;
    check_no_nonholonomic(system, method)?;
    lagrangian.affords_second_derivatives()?;
    let rows = Rows::of(lagrangian).ok_or_else(|| StartError::NoDerivative {
        method,
        system: system.name().to_owned(),
        reason: "no constraints",
        remedy: "take a method for unconstrained systems",
    })?;
    let mut state = state;
    let balance = balance(lagrangian, TRAPEZOID, &mut state)?;
    let held = Held::start(lagrangian, rows, method, newton, TRAPEZOID, balance, &state)?.of_impulses();
    Running::new(Erased::of(held), state, step).to_tolerance(tolerance).within(method, system)
}
