//! Variational integrators of any Lagrangian L(q, v, t), also with a mass that depends on the position.
//!
//! # Scheme
//! The action of a step is approximated by the discrete Lagrangian, with u = (q₁ − q₀)/h:
//!
//! - Euler: L_d = h L(q₀, u, t₀);
//! - midpoint: L_d = h L(½ (q₀ + q₁), u, t₀ + ½ h);
//! - trapezoid: L_d = ½ h L(q₀, u, t₀) + ½ h L(q₁, u, t₁);
//!
//! and a step is  p₀ = −D₁ L_d(q₀, q₁),  p₁ = D₂ L_d(q₀, q₁),  with the momenta p = ∂L/∂v.
//! All three are L_d = h Σ w L(q₀ + θ h u, u, t₀ + θ h), with nodes θ and weights w, so that
//! p₀ = Σ w (L_v − (1 − θ) h L_q) and p₁ = Σ w (L_v + θ h L_q).
//!
//! The first equation is solved for u by Newton's method, with the exact sparse second derivatives
//! Σ w (L_vv + θ h L_vq − (1 − θ) h (L_qv + θ h L_qq)), an unsymmetric matrix unless L_vq = 0.  The state is (q, v):
//! the momentum of a step is ∂L/∂v at its start, and the new velocity solves ∂L/∂v(q₁, v₁, t₁) = p₁, so nothing but
//! (q, v, t) enters a step.
//!
//! # Requirements on the model
//! Any [`Lagrangian`] with an invertible L_vv, without constraints and without forces beside those of L.
//!
//! # Order and what is preserved
//! Order 1 for Euler, 2 for midpoint and trapezoid.  All are symplectic in (q, p) and conserve momenta that come
//! from linear symmetries, such as linear and angular momentum; midpoint and trapezoid are reversible where L is
//! even in v.  On an oscillator of frequency ω, Euler and trapezoid are stable for h ω < 2, midpoint for every step.
//!
//! # Parameters
//! `tolerance` in (0, 0.001], default 10⁻¹⁴: Newton's method is done when a correction moves no position by more than
//! this part of the largest one (no velocity, for the last equation), or when the corrections have ceased to fall and are
//! those of rounding.
//! `iterations` at least 1, default 50: the most corrections for one equation.
//!
//! # Reference
//! J. E. Marsden, M. West, Discrete mechanics and variational integrators, Acta Numerica 10 (2001) 357,
//! doi:10.1017/S096249290100006X.

use super::check::first_not_finite;
use super::force_error::{ForceError, at_start};
use super::newton::{Damped, Differentiable, Equations, Newton, Unknown, negate};
use super::one_step::{Map, OneStep};
use super::{Claims, Evaluations, Flow, Instability, Method, Running, Stepper, Symmetric, stability};
use crate::error::StartError;
use crate::sparse::{Solver, SymmetricPattern};
use crate::system::{Lagrangian, Layout, State};

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
            ) -> Result<Running<OneStep<Discrete<'s, S>>>, StartError> {
                OneStep::start(system, Self::NAME, state, step, |state| {
                    let newton = Newton { tolerance: self.tolerance, iterations: self.iterations };
                    Discrete::new(system, Self::NAME, newton.check(Self::NAME)?, $nodes, state, step)
                })
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

/// A node of the quadrature: θ and w.
#[derive(Debug, Clone, Copy)]
struct Node {
    place: f64,
    weight: f64,
}

/// The block of second derivatives of L that an entry belongs to.
#[derive(Debug, Clone, Copy)]
enum Block {
    /// L_vv.
    Velocities,
    /// L_vq.
    Mixed,
    /// L_qv.
    Transposed,
    /// L_qq.
    Positions,
}

/// The map of a discrete Lagrangian.
#[derive(Debug)]
struct Discrete<'s, S: ?Sized> {
    method: &'static str,
    parts: Parts<'s, S>,
    newton: Damped,
    u: Vec<f64>,
}

/// The memory of both equations of a step.
#[derive(Debug)]
struct Parts<'s, S: ?Sized> {
    system: &'s S,
    nodes: &'static [Node],
    /// The place among the second derivatives, the place in the matrix, and the block.
    contributions: Vec<(u32, u32, Block)>,
    matrix: Solver,
    /// The places of the entries of L_vv among the second derivatives, in the order of their own pattern.
    of_mass: Vec<u32>,
    mass: Solver,
    gradient: Vec<f64>,
    hessian: Vec<f64>,
    /// q₀ + θ h u.
    q: Vec<f64>,
    /// The momentum that is given.
    momentum: Vec<f64>,
}

const MATRIX: &str = "the derivative of the discrete momentum";
const MASS: &str = "∂²L/∂v∂v";

impl<'s, S: Lagrangian + ?Sized> Discrete<'s, S> {
    fn new(
        system: &'s S,
        method: &'static str,
        newton: Newton,
        nodes: &'static [Node],
        state: &State,
        step: f64,
    ) -> Result<Self, StartError> {
        let n = system.dimension();
        let second = system.second_pattern();
        let symmetric = !second.entries().any(|(row, column)| (n..2 * n).contains(&row) && column < n);
        let (mut entries, mut of_mass, mut mass) = (Vec::new(), Vec::new(), Vec::new());
        for (position, (row, column)) in second.entries().enumerate() {
            let mut add = |i, j, block| entries.push((position as u32, (i, j), block));
            if row < n {
                add(row, column, Block::Positions);
                if row != column && !symmetric {
                    add(column, row, Block::Positions);
                }
            } else if row < 2 * n && column < n {
                add(row - n, column, Block::Mixed);
                add(column, row - n, Block::Transposed);
            } else if row < 2 * n {
                let (row, column) = (row - n, column - n);
                add(row, column, Block::Velocities);
                if row != column && !symmetric {
                    add(column, row, Block::Velocities);
                }
                of_mass.push(position as u32);
                mass.push((row, column));
            }
        }
        let pattern = SymmetricPattern::new(n, entries.iter().map(|&(_, place, _)| place));
        let matrix = if symmetric { Some(Solver::symmetric(&pattern)) } else { Solver::pivoted(&pattern) };
        let matrix = matrix.ok_or_else(|| StartError::Singular {
            system: system.name().to_owned(),
            matrix: MATRIX,
            pivot: 0.0,
            place: system.layout().name_of(0),
        })?;
        let place = |(i, j)| matrix.position(i, j).unwrap_or_default() as u32;
        let contributions =
            entries.iter().map(|&(position, at, block)| (position, place(at), block)).collect();
        let zeros = || vec![0.0; n];
        let mut discrete = Self {
            method,
            parts: Parts {
                system,
                nodes,
                contributions,
                matrix,
                of_mass,
                mass: Solver::symmetric(&SymmetricPattern::new(n, mass)),
                gradient: vec![0.0; 2 * n + 1],
                hessian: vec![0.0; second.len()],
                q: zeros(),
                momentum: zeros(),
            },
            newton: Damped::new(n, newton),
            u: zeros(),
        };
        // A sparse factorization takes its memory when it is first done, which is to be here.
        DiscreteMomentum { parts: &mut discrete.parts, state, h: step }
            .linearize(&state.v, &mut zeros(), &mut Evaluations::default())
            .map_err(|error| at_start(system.name(), |index| system.layout().name_of(index), error))?;
        Ok(discrete)
    }
}

/// R(u) = Σ w (L_v − (1 − θ) h L_q) − p₀.
struct DiscreteMomentum<'p, 's, S: ?Sized> {
    parts: &'p mut Parts<'s, S>,
    state: &'p State,
    h: f64,
}

impl<S: Lagrangian + ?Sized> DiscreteMomentum<'_, '_, S> {
    /// Goes to a node, and returns its time.
    fn go_to(&mut self, node: Node, u: &[f64]) -> f64 {
        for (q, (start, u)) in self.parts.q.iter_mut().zip(self.state.q.iter().zip(u)) {
            *q = start + node.place * self.h * u;
        }
        self.state.t + node.place * self.h
    }

    /// Adds the part of a node to the residual.
    fn add(&self, node: Node, residual: &mut [f64]) {
        let (of_positions, of_velocities) = self.parts.gradient.split_at(residual.len());
        let known = of_positions.iter().zip(of_velocities);
        for (residual, (in_q, in_v)) in residual.iter_mut().zip(known) {
            *residual += node.weight * (in_v - (1.0 - node.place) * self.h * in_q);
        }
    }
}

impl<S: Lagrangian + ?Sized> Equations for DiscreteMomentum<'_, '_, S> {
    fn unknown(&self) -> Unknown<'_> {
        Unknown { name: "the new positions", base: &self.state.q, weight: self.h }
    }

    fn evaluate(&mut self, u: &[f64], residual: &mut [f64], counts: &mut Evaluations) {
        negate(&self.parts.momentum, residual);
        for &node in self.parts.nodes {
            let t = self.go_to(node, u);
            let Parts { system, q, gradient, .. } = &mut *self.parts;
            system.first_derivatives(q, u, t, gradient);
            counts.gradients += 1;
            self.add(node, residual);
        }
    }

    fn solve(&mut self, r: &mut [f64]) {
        self.parts.matrix.solve_or_spoil(r);
    }
}

impl<S: Lagrangian + ?Sized> Differentiable for DiscreteMomentum<'_, '_, S> {
    fn linearize(
        &mut self,
        u: &[f64],
        residual: &mut [f64],
        counts: &mut Evaluations,
    ) -> Result<(), ForceError> {
        negate(&self.parts.momentum, residual);
        self.parts.matrix.values_mut().fill(0.0);
        for &node in self.parts.nodes {
            let t = self.go_to(node, u);
            let Parts { system, q, gradient, hessian, matrix, contributions, .. } = &mut *self.parts;
            system.second_derivatives(q, u, t, gradient, hessian);
            counts.gradients += 1;
            counts.hessians += 1;
            let (ahead, behind) = (node.place * self.h, (1.0 - node.place) * self.h);
            let values = matrix.values_mut();
            for &(position, place, block) in &*contributions {
                let factor = match block {
                    Block::Velocities => 1.0,
                    Block::Mixed => ahead,
                    Block::Transposed => -behind,
                    Block::Positions => -behind * ahead,
                };
                values[place as usize] += node.weight * factor * hessian[position as usize];
            }
            self.add(node, residual);
        }
        if let Some(index) = first_not_finite(residual) {
            return Err(ForceError::NotFinite { index });
        }
        counts.factorizations += 1;
        self.parts.matrix.refactor().map_err(|error| ForceError::Singular { matrix: MATRIX, error })
    }
}

/// R(v) = ∂L/∂v(q, v, t) − p.
struct Momentum<'p, 's, S: ?Sized> {
    parts: &'p mut Parts<'s, S>,
    q: &'p [f64],
    t: f64,
}

impl<S: Lagrangian + ?Sized> Momentum<'_, '_, S> {
    fn subtract(&self, residual: &mut [f64]) {
        let found = &self.parts.gradient[residual.len()..];
        for (residual, (found, wanted)) in residual.iter_mut().zip(found.iter().zip(&self.parts.momentum)) {
            *residual = found - wanted;
        }
    }
}

impl<S: Lagrangian + ?Sized> Equations for Momentum<'_, '_, S> {
    fn unknown(&self) -> Unknown<'_> {
        Unknown { name: "the new velocities", base: &[], weight: 1.0 }
    }

    fn evaluate(&mut self, v: &[f64], residual: &mut [f64], counts: &mut Evaluations) {
        self.parts.system.first_derivatives(self.q, v, self.t, &mut self.parts.gradient);
        counts.gradients += 1;
        self.subtract(residual);
    }

    fn solve(&mut self, r: &mut [f64]) {
        self.parts.mass.solve_or_spoil(r);
    }
}

impl<S: Lagrangian + ?Sized> Differentiable for Momentum<'_, '_, S> {
    fn linearize(
        &mut self,
        v: &[f64],
        residual: &mut [f64],
        counts: &mut Evaluations,
    ) -> Result<(), ForceError> {
        let Parts { system, of_mass, mass, gradient, hessian, .. } = &mut *self.parts;
        system.second_derivatives(self.q, v, self.t, gradient, hessian);
        counts.gradients += 1;
        counts.hessians += 1;
        counts.factorizations += 1;
        mass.factor_with(|mass| {
            for (value, &position) in mass.iter_mut().zip(&*of_mass) {
                *value = hessian[position as usize];
            }
        })
        .map_err(|error| ForceError::Singular { matrix: MASS, error })?;
        self.subtract(residual);
        match first_not_finite(residual) {
            Some(index) => Err(ForceError::NotFinite { index }),
            None => Ok(()),
        }
    }
}

impl<S: Lagrangian + ?Sized> Map for Discrete<'_, S> {
    fn method(&self) -> &'static str {
        self.method
    }

    fn layout(&self) -> &Layout {
        self.parts.system.layout()
    }

    fn apply(
        &mut self,
        state: &State,
        step: f64,
        next: &mut State,
        counts: &mut Evaluations,
    ) -> Result<(), ForceError> {
        let (h, n) = (step, state.q.len());
        let Self { parts, newton, u, .. } = self;
        // p₀ = ∂L/∂v
        parts.system.first_derivatives(&state.q, &state.v, state.t, &mut parts.gradient);
        counts.gradients += 1;
        parts.momentum.copy_from_slice(&parts.gradient[n..2 * n]);
        // p₀ = −D₁ L_d
        u.copy_from_slice(&state.v);
        newton.solve(&mut DiscreteMomentum { parts, state, h }, u, counts)?;
        for (next, (q, u)) in next.q.iter_mut().zip(state.q.iter().zip(&*u)) {
            *next = q + h * u;
        }
        // p₁ = D₂ L_d
        parts.momentum.fill(0.0);
        for &node in parts.nodes {
            let t = DiscreteMomentum { parts, state, h }.go_to(node, u);
            parts.system.first_derivatives(&parts.q, u, t, &mut parts.gradient);
            counts.gradients += 1;
            let known = parts.gradient[..n].iter().zip(&parts.gradient[n..2 * n]);
            for (momentum, (in_q, in_v)) in parts.momentum.iter_mut().zip(known) {
                *momentum += node.weight * (in_v + node.place * h * in_q);
            }
        }
        next.v.copy_from_slice(u);
        newton.solve(&mut Momentum { parts, q: &next.q, t: next.t }, &mut next.v, counts)
    }
}
