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
//! this part of the largest one (no velocity, for the last equation), or when the residual is that of rounding the
//! positions.
//! `iterations` at least 1, default 50: the most corrections for one equation.
//!
//! # Reference
//! J. E. Marsden, M. West, Discrete mechanics and variational integrators, Acta Numerica 10 (2001) 357,
//! doi:10.1017/S096249290100006X.

use super::check::first_not_finite;
use super::force_error::{ForceError, at_start};
use super::implicit::{Newton, norm};
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
                stability::variational(Self::NAME, sum, system, state, step)
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
    system: &'s S,
    method: &'static str,
    newton: Newton,
    nodes: &'static [Node],
    /// The place among the second derivatives, the place in the matrix, and the block.
    contributions: Vec<(u32, u32, Block)>,
    matrix: Solver,
    legendre: Legendre,
    gradient: Vec<f64>,
    hessian: Vec<f64>,
    /// q₀ + θ h u.
    q: Vec<f64>,
    u: Vec<f64>,
    trial: Vec<f64>,
    /// p₀.
    momentum: Vec<f64>,
    residual: Vec<f64>,
    correction: Vec<f64>,
    magnitude: Vec<f64>,
}

/// The velocity of a momentum: ∂L/∂v(q, v, t) = p for v.
#[derive(Debug)]
struct Legendre {
    /// The places of the entries of L_vv among the second derivatives, in the order of their own pattern.
    of_mass: Vec<u32>,
    solver: Solver,
}

const MATRIX: &str = "the derivative of the discrete momentum";
const MASS: &str = "∂²L/∂v∂v";
const POSITIONS: &str = "the new positions";
const VELOCITIES: &str = "the new velocities";
/// A correction that gains less than this factor gets a fresh matrix.
const SLOW: f64 = 0.1;
/// Corrections are not shortened beyond this.
const SHORTEST: f64 = 1.0 / 1024.0;
/// The part of the sum of its terms, in absolute values, that rounding leaves of a residual.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// The result of one correction.
enum Progress {
    /// The following correction is shorter by this factor.
    By(f64),
    Rounding,
    None,
}

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
        let legendre = Legendre { of_mass, solver: Solver::symmetric(&SymmetricPattern::new(n, mass)) };
        let zeros = || vec![0.0; n];
        let mut discrete = Self {
            system,
            method,
            newton,
            nodes,
            contributions,
            matrix,
            legendre,
            gradient: vec![0.0; 2 * n + 1],
            hessian: vec![0.0; second.len()],
            q: zeros(),
            u: state.v.clone(),
            trial: zeros(),
            momentum: zeros(),
            residual: zeros(),
            correction: zeros(),
            magnitude: zeros(),
        };
        // A sparse factorization takes its memory when it is first done, which is to be here.
        let mut counts = Evaluations::default();
        discrete
            .linearize(state, step, &mut counts)
            .map_err(|error| at_start(system.name(), |index| system.layout().name_of(index), error))?;
        Ok(discrete)
    }

    /// R(u) = Σ w (L_v − (1 − θ) h L_q) − p₀ at the trial, written over the residual.
    fn evaluate(&mut self, state: &State, h: f64, counts: &mut Evaluations) {
        let n = self.q.len();
        for (residual, momentum) in self.residual.iter_mut().zip(&self.momentum) {
            *residual = -momentum;
        }
        for node in self.nodes {
            for (q, (start, u)) in self.q.iter_mut().zip(state.q.iter().zip(&self.trial)) {
                *q = start + node.place * h * u;
            }
            let t = state.t + node.place * h;
            self.system.first_derivatives(&self.q, &self.trial, t, &mut self.gradient);
            counts.gradients += 1;
            let (of_positions, of_velocities) = self.gradient.split_at(n);
            let known = of_positions.iter().zip(of_velocities);
            for (residual, (in_q, in_v)) in self.residual.iter_mut().zip(known) {
                *residual += node.weight * (in_v - (1.0 - node.place) * h * in_q);
            }
        }
    }

    /// The derivative of R at u, factored, and R there.
    fn linearize(&mut self, state: &State, h: f64, counts: &mut Evaluations) -> Result<(), ForceError> {
        let n = self.q.len();
        for (residual, momentum) in self.residual.iter_mut().zip(&self.momentum) {
            *residual = -momentum;
        }
        self.matrix.values_mut().fill(0.0);
        for node in self.nodes {
            for (q, (start, u)) in self.q.iter_mut().zip(state.q.iter().zip(&self.u)) {
                *q = start + node.place * h * u;
            }
            let t = state.t + node.place * h;
            self.system.second_derivatives(&self.q, &self.u, t, &mut self.gradient, &mut self.hessian);
            counts.gradients += 1;
            counts.hessians += 1;
            let (of_positions, of_velocities) = self.gradient.split_at(n);
            let known = of_positions.iter().zip(of_velocities);
            for (residual, (in_q, in_v)) in self.residual.iter_mut().zip(known) {
                *residual += node.weight * (in_v - (1.0 - node.place) * h * in_q);
            }
            let (ahead, behind) = (node.place * h, (1.0 - node.place) * h);
            let values = self.matrix.values_mut();
            for &(position, place, block) in &self.contributions {
                let factor = match block {
                    Block::Velocities => 1.0,
                    Block::Mixed => ahead,
                    Block::Transposed => -behind,
                    Block::Positions => -behind * ahead,
                };
                values[place as usize] += node.weight * factor * self.hessian[position as usize];
            }
        }
        if let Some(index) = first_not_finite(&self.residual) {
            return Err(ForceError::NotFinite { index });
        }
        counts.factorizations += 1;
        self.matrix.refactor().map_err(|error| ForceError::Singular { matrix: MATRIX, error })
    }

    /// R(u) = 0, from the u that is there.
    fn solve(&mut self, state: &State, h: f64, counts: &mut Evaluations) -> Result<(), ForceError> {
        let mut iterations = 0;
        loop {
            self.linearize(state, h, counts)?;
            for (correction, residual) in self.correction.iter_mut().zip(&self.residual) {
                *correction = -residual;
            }
            self.matrix.solve_or_spoil(&mut self.correction);
            let (mut fresh, mut fast) = (true, true);
            while fast {
                let (index, moved, accepted) = self.measure(state, h);
                if moved <= accepted {
                    self.u.iter_mut().zip(&self.correction).for_each(|(u, correction)| *u += correction);
                    return Ok(());
                }
                let failed = ForceError::NotConverged {
                    unknown: POSITIONS,
                    iterations,
                    correction: moved,
                    index,
                    tolerance: accepted,
                };
                if iterations == self.newton.iterations {
                    return Err(failed);
                }
                iterations += 1;
                counts.iterations += 1;
                match self.advance(state, h, fresh, counts) {
                    Progress::By(ratio) => fast = ratio <= SLOW,
                    Progress::Rounding => return Ok(()),
                    Progress::None if fresh => return Err(failed),
                    Progress::None => fast = false,
                }
                fresh = false;
            }
        }
    }

    /// Moves u along the correction, shortened as far as needed if the matrix is `fresh`, and puts the following one
    /// in its place.
    fn advance(&mut self, state: &State, h: f64, fresh: bool, counts: &mut Evaluations) -> Progress {
        let size = norm(&self.correction);
        let shortest = if fresh { SHORTEST } else { 1.0 };
        let mut damping = 1.0;
        while damping >= shortest {
            for ((trial, u), correction) in self.trial.iter_mut().zip(&self.u).zip(&self.correction) {
                *trial = u + damping * correction;
            }
            self.evaluate(state, h, counts);
            if first_not_finite(&self.residual).is_none() {
                for residual in &mut self.residual {
                    *residual = -*residual;
                }
                self.magnitude.copy_from_slice(&self.residual);
                self.matrix.solve_or_spoil(&mut self.magnitude);
                let ratio = norm(&self.magnitude) / size;
                if ratio <= 1.0 - 0.5 * damping {
                    self.u.copy_from_slice(&self.trial);
                    std::mem::swap(&mut self.correction, &mut self.magnitude);
                    return Progress::By(ratio);
                }
                if damping >= 1.0 && self.is_rounding(state, h) {
                    self.u.copy_from_slice(&self.trial);
                    return Progress::Rounding;
                }
            }
            damping *= 0.5;
        }
        Progress::None
    }

    /// The index of the position that the correction moves most, the length of that move, and the length that would be accepted.
    fn measure(&self, state: &State, h: f64) -> (usize, f64, f64) {
        let (mut index, mut moved, mut largest) = (0, 0.0_f64, 0.0_f64);
        for (j, (correction, (q, u))) in self.correction.iter().zip(state.q.iter().zip(&self.u)).enumerate() {
            let change = (h * correction).abs();
            if change > moved || change.is_nan() {
                (index, moved) = (j, change);
            }
            largest = largest.max(q.abs()).max((h * u).abs());
        }
        (index, moved, self.newton.tolerance * largest)
    }

    /// True if the residual at the last trial is no larger than rounding errors of the positions make it.
    fn is_rounding(&mut self, state: &State, h: f64) -> bool {
        for (x, (q, u)) in self.q.iter_mut().zip(state.q.iter().zip(&self.trial)) {
            *x = q.abs() / h.abs() + u.abs();
        }
        self.magnitude.fill(0.0);
        self.matrix.absolute_multiply_add(&self.q, &mut self.magnitude);
        self.residual.iter().zip(&self.magnitude).all(|(residual, sum)| residual.abs() <= ROUNDING * sum)
    }

    /// ∂L/∂v(q, v, t) = `self.momentum` for v, from the v that is there.
    fn velocity(&mut self, next: &mut State, counts: &mut Evaluations) -> Result<(), ForceError> {
        let n = self.q.len();
        let mut fresh = true;
        let mut previous = f64::INFINITY;
        for iterations in 0.. {
            if fresh {
                let (gradient, hessian) = (&mut self.gradient, &mut self.hessian);
                self.system.second_derivatives(&next.q, &next.v, next.t, gradient, hessian);
                counts.hessians += 1;
                counts.factorizations += 1;
                let of_mass = &self.legendre.of_mass;
                self.legendre
                    .solver
                    .factor_with(|mass| {
                        for (value, &position) in mass.iter_mut().zip(of_mass) {
                            *value = hessian[position as usize];
                        }
                    })
                    .map_err(|error| ForceError::Singular { matrix: MASS, error })?;
            } else {
                self.system.first_derivatives(&next.q, &next.v, next.t, &mut self.gradient);
            }
            counts.gradients += 1;
            let (mut sizes, mut residuals) = (0.0_f64, 0.0_f64);
            let known = self.momentum.iter().zip(&self.gradient[n..2 * n]);
            for (correction, (wanted, found)) in self.correction.iter_mut().zip(known) {
                *correction = wanted - found;
                residuals = residuals.max(correction.abs());
                sizes = sizes.max(wanted.abs());
            }
            self.legendre
                .solver
                .solve(&mut self.correction)
                .map_err(|error| ForceError::Unsolved { matrix: MASS, error })?;
            let (mut index, mut moved, mut largest) = (0, 0.0_f64, 0.0_f64);
            for (j, (v, correction)) in next.v.iter_mut().zip(&self.correction).enumerate() {
                *v += correction;
                if correction.abs() > moved || correction.is_nan() {
                    (index, moved) = (j, correction.abs());
                }
                largest = largest.max(v.abs());
            }
            let accepted = self.newton.tolerance * largest;
            if moved <= accepted || (moved >= 0.5 * previous && residuals <= ROUNDING * sizes) {
                return Ok(());
            }
            if iterations >= self.newton.iterations || moved.is_nan() {
                let (unknown, tolerance) = (VELOCITIES, accepted);
                return Err(ForceError::NotConverged {
                    unknown,
                    iterations,
                    correction: moved,
                    index,
                    tolerance,
                });
            }
            fresh = moved > SLOW * previous;
            previous = moved;
        }
        Ok(())
    }
}

impl<S: Lagrangian + ?Sized> Map for Discrete<'_, S> {
    fn method(&self) -> &'static str {
        self.method
    }

    fn layout(&self) -> &Layout {
        self.system.layout()
    }

    fn apply(
        &mut self,
        state: &State,
        step: f64,
        next: &mut State,
        counts: &mut Evaluations,
    ) -> Result<(), ForceError> {
        let (h, n) = (step, state.q.len());
        // p₀ = ∂L/∂v
        self.system.first_derivatives(&state.q, &state.v, state.t, &mut self.gradient);
        counts.gradients += 1;
        self.momentum.copy_from_slice(&self.gradient[n..2 * n]);
        // p₀ = −D₁ L_d
        self.u.copy_from_slice(&state.v);
        self.solve(state, h, counts)?;
        for (next, (q, u)) in next.q.iter_mut().zip(state.q.iter().zip(&self.u)) {
            *next = q + h * u;
        }
        // p₁ = D₂ L_d
        self.momentum.fill(0.0);
        for node in self.nodes {
            for (q, (start, u)) in self.q.iter_mut().zip(state.q.iter().zip(&self.u)) {
                *q = start + node.place * h * u;
            }
            let t = state.t + node.place * h;
            self.system.first_derivatives(&self.q, &self.u, t, &mut self.gradient);
            counts.gradients += 1;
            let known = self.gradient[..n].iter().zip(&self.gradient[n..2 * n]);
            for (momentum, (in_q, in_v)) in self.momentum.iter_mut().zip(known) {
                *momentum += node.weight * (in_v + node.place * h * in_q);
            }
        }
        next.v.copy_from_slice(&self.u);
        self.velocity(next, counts)
    }
}
