//! The step of a system without constraints.

use super::integrand::{Integrand, Node};
use crate::carried::carried;
use crate::error::Begun;
use crate::method::applied::Instant;
use crate::method::border::{Border, NodePart, through_sums};
use crate::method::entries::{Contributions, NodeMatrixEntries};
use crate::method::first_order::Balance;
use crate::method::force_error::{Attempt, ForceError, MASS, at_start, check_finite, no_factors};
use crate::method::newton::{Damped, Differentiable, Newton, NewtonEquations, Unknown, negate};
use crate::method::one_step::Map;
use crate::method::parts_of_second::OfVelocities;
use crate::method::report::Evaluations;
use crate::sparse::{Solver, SymmetricPattern};
use crate::system::{Lagrangian, Layout, State};

pub(super) struct Free<'s, S: ?Sized> {
    method: &'static str,
    parts: FreeEquations<'s, S>,
    newton: Damped,
    u: Vec<f64>,
    balance: Option<Box<Balance<'s>>>,
}

/// The memory of both equations of a step.
struct FreeEquations<'s, S: ?Sized> {
    integrand: Integrand<'s, S>,
    nodes: &'static [Node],
    matrices: Matrices<'s>,
    /// q₀ + θ h u.
    q: Vec<f64>,
    /// The given momentum; p̂ = Σ w (L_v + θ h (L_q + F)) at the last evaluation of the first equation.
    momentum: Vec<f64>,
    reached: Vec<f64>,
}

/// The matrices of the two equations.
enum Matrices<'s> {
    Assembled(Box<Assembled>),
    /// With sums that L or forces read.
    Bordered(Box<[Border<'s>; 2]>),
}

/// Matrices from the second derivatives of L.
struct Assembled {
    contributions: Contributions,
    matrix: Solver,
    of_velocities: OfVelocities,
    mass: Solver,
}

impl<'s> Matrices<'s> {
    /// `None` without memory.
    fn new<S: Lagrangian + ?Sized>(system: &'s S, nodes: &[Node], states: &[usize]) -> Begun<Option<Self>> {
        if let Some(through) = through_sums(system).filter(|_| states.is_empty()) {
            let with_forces = system.forced().is_some();
            let borders = Border::new(through, nodes.len(), with_forces).zip(Border::new(through, 1, false));
            return Ok(borders.map(|(matrix, mass)| Self::Bordered(Box::new([matrix, mass]))));
        }
        system.affords_second_derivatives()?;
        let entries = NodeMatrixEntries::of(system, false);
        let pattern = SymmetricPattern::new(system.dimension(), entries.places());
        let matrix =
            if entries.symmetric { Some(Solver::symmetric(&pattern)) } else { Solver::pivoted(&pattern) };
        let mut of_velocities = OfVelocities::of(system);
        of_velocities.stand_in(states);
        Ok(matrix.map(|matrix| {
            Self::Assembled(Box::new(Assembled {
                contributions: entries.placed(|row, column| matrix.place(row, column)),
                matrix,
                mass: Solver::symmetric(&of_velocities.pattern),
                of_velocities,
            }))
        }))
    }
}

const MATRIX: &str = "the derivative of the discrete momentum";

impl<'s, S: Lagrangian + ?Sized> Free<'s, S> {
    pub(super) fn new(
        system: &'s S,
        method: &'static str,
        newton: Newton,
        nodes: &'static [Node],
        balance: Option<Box<Balance<'s>>>,
        (state, step): (&State, f64),
    ) -> Begun<Self> {
        let n = system.dimension();
        let states = balance.as_ref().map_or(&[][..], |balance| balance.states());
        let matrices =
            Matrices::new(system, nodes, states)?.ok_or_else(|| no_factors(system, MATRIX, (0.0, 0)))?;
        let zeros = || vec![0.0; n];
        let mut free = Self {
            method,
            parts: FreeEquations {
                integrand: match matrices {
                    Matrices::Assembled(_) => Integrand::new(system),
                    Matrices::Bordered(_) => Integrand::of_first_derivatives(system),
                },
                nodes,
                matrices,
                q: zeros(),
                momentum: zeros(),
                reached: zeros(),
            },
            newton: Damped::new(n, newton),
            u: zeros(),
            balance,
        };
        // A sparse matrix allocates when it is first factored: here.
        DiscreteMomentum { parts: &mut free.parts, state, h: step }
            .linearize(&state.v, &mut zeros(), &mut Evaluations::default())
            .map_err(|error| at_start(system.name(), |index| system.layout().name_of(index), error))?;
        Ok(free)
    }
}

/// R(u) = Σ w (L_v − (1 − θ) h (L_q + F)) − p₀.
struct DiscreteMomentum<'p, 's, S: ?Sized> {
    parts: &'p mut FreeEquations<'s, S>,
    state: &'p State,
    h: f64,
}

impl<S: Lagrangian + ?Sized> DiscreteMomentum<'_, '_, S> {
    /// Goes to a node, and returns its instant.
    fn go_to(&mut self, node: Node, u: &[f64]) -> Instant {
        node.go_to(self.state, self.h, u, &mut self.parts.q)
    }

    /// Sets the residual to −p₀; the nodes add their parts.
    fn begin(&mut self, residual: &mut [f64]) {
        negate(&self.parts.momentum, residual);
        self.parts.reached.fill(0.0);
    }
}

impl<S: Lagrangian + ?Sized> NewtonEquations for DiscreteMomentum<'_, '_, S> {
    fn unknown(&self) -> Unknown<'_> {
        Unknown { name: "the new positions", base: &self.state.q, weight: self.h }
    }

    fn evaluate(&mut self, u: &[f64], residual: &mut [f64], counts: &mut Evaluations) {
        self.begin(residual);
        for &node in self.parts.nodes {
            let at = self.go_to(node, u);
            let FreeEquations { integrand, q, reached, .. } = &mut *self.parts;
            integrand.evaluate(q, u, at, counts);
            integrand.add_to(node, self.h, [residual, reached]);
        }
    }

    fn solve(&mut self, r: &mut [f64]) {
        match &mut self.parts.matrices {
            Matrices::Assembled(assembled) => assembled.matrix.solve_or_spoil(r),
            Matrices::Bordered(borders) => borders[0].solve_or_spoil(r),
        }
    }
}

impl<S: Lagrangian + ?Sized> Differentiable for DiscreteMomentum<'_, '_, S> {
    fn linearize(&mut self, u: &[f64], residual: &mut [f64], counts: &mut Evaluations) -> Attempt {
        self.begin(residual);
        match &mut self.parts.matrices {
            Matrices::Assembled(assembled) => assembled.matrix.values_mut().fill(0.0),
            Matrices::Bordered(borders) => borders[0].clear(),
        }
        for (number, &node) in self.parts.nodes.iter().enumerate() {
            let at = self.go_to(node, u);
            let FreeEquations { integrand, q, reached, matrices, .. } = &mut *self.parts;
            match matrices {
                Matrices::Assembled(assembled) => {
                    let Assembled { matrix, contributions, .. } = &mut **assembled;
                    integrand.linearize(q, u, at, counts);
                    contributions.add(node.factors(self.h), integrand.derivatives(), matrix.values_mut());
                }
                Matrices::Bordered(borders) => {
                    let (ahead, behind) = (node.place * self.h, -(1.0 - node.place) * self.h);
                    let part = NodePart { number, ahead, behind, weight: node.weight };
                    borders[0].add(part, (q, u, at), &mut integrand.gradient, counts);
                }
            }
            integrand.add_to(node, self.h, [residual, reached]);
        }
        check_finite(residual)?;
        let factored = match &mut self.parts.matrices {
            Matrices::Assembled(assembled) => {
                counts.factorizations += 1;
                assembled.matrix.refactor()
            }
            Matrices::Bordered(borders) => borders[0].factor(counts),
        };
        factored.map_err(|error| ForceError::Singular { matrix: MATRIX, error })
    }

    fn change_at_start(&mut self, u: &[f64], change: &mut [f64]) -> bool {
        let State { t, q, v } = self.state;
        let counts = &mut Evaluations::default();
        let has_factors = Momentum { parts: self.parts, q, t: *t }.linearize(v, change, counts).is_ok();
        self.begin(change);
        for &node in self.parts.nodes {
            let at = self.go_to(node, u);
            let FreeEquations { integrand, reached, .. } = &mut *self.parts;
            integrand.evaluate(q, u, at, counts);
            integrand.add_to(node, self.h, [change, reached]);
        }
        Momentum { parts: self.parts, q, t: *t }.solve(change);
        has_factors
    }
}

/// R(v) = ∂L/∂v(q, v, t) − p.
struct Momentum<'p, 's, S: ?Sized> {
    parts: &'p mut FreeEquations<'s, S>,
    q: &'p [f64],
    t: f64,
}

impl<S: Lagrangian + ?Sized> Momentum<'_, '_, S> {
    fn subtract(&self, residual: &mut [f64]) {
        let known = self.parts.integrand.momentum().iter().zip(&self.parts.momentum);
        for (residual, (found, wanted)) in residual.iter_mut().zip(known) {
            *residual = found - wanted;
        }
    }
}

impl<S: Lagrangian + ?Sized> NewtonEquations for Momentum<'_, '_, S> {
    fn unknown(&self) -> Unknown<'_> {
        Unknown { name: "the new velocities", base: &[], weight: 1.0 }
    }

    fn evaluate(&mut self, v: &[f64], residual: &mut [f64], counts: &mut Evaluations) {
        self.parts.integrand.evaluate_momentum(self.q, v, self.t, counts);
        self.subtract(residual);
    }

    fn solve(&mut self, r: &mut [f64]) {
        match &mut self.parts.matrices {
            Matrices::Assembled(assembled) => assembled.mass.solve_or_spoil(r),
            Matrices::Bordered(borders) => borders[1].solve_or_spoil(r),
        }
    }
}

impl<S: Lagrangian + ?Sized> Differentiable for Momentum<'_, '_, S> {
    fn linearize(&mut self, v: &[f64], residual: &mut [f64], counts: &mut Evaluations) -> Attempt {
        let FreeEquations { integrand, matrices, .. } = &mut *self.parts;
        let factored = match matrices {
            Matrices::Assembled(assembled) => {
                let Assembled { of_velocities, mass, .. } = &mut **assembled;
                integrand.evaluate_mass(self.q, v, self.t, counts);
                counts.factorizations += 1;
                mass.factor_with(|mass| {
                    let values = of_velocities.values(&integrand.hessian);
                    mass.iter_mut().zip(values).for_each(|(mass, value)| *mass = value);
                })
            }
            Matrices::Bordered(borders) => {
                let (at, gradient) = (Instant::at(self.t), &mut integrand.gradient);
                borders[1].clear();
                borders[1].add(NodePart::MASS, (self.q, v, at), gradient, counts);
                borders[1].factor(counts)
            }
        };
        factored.map_err(|error| ForceError::Singular { matrix: MASS, error })?;
        self.subtract(residual);
        check_finite(residual)
    }
}

impl<S: Lagrangian + ?Sized> Map for Free<'_, S> {
    fn method(&self) -> &'static str {
        self.method
    }

    fn layout(&self) -> &Layout {
        self.parts.integrand.system.layout()
    }

    fn apply(&mut self, state: &State, step: f64, next: &mut State, counts: &mut Evaluations) -> Attempt {
        let h = step;
        let Self { parts, newton, u, balance, .. } = self;
        // p₀ = ∂L/∂v
        parts.integrand.evaluate_momentum(&state.q, &state.v, state.t, counts);
        parts.momentum.copy_from_slice(parts.integrand.momentum());
        // p₀ = −D₁ L_d − F_d⁻
        u.copy_from_slice(&state.v);
        newton.solve(&mut DiscreteMomentum { parts, state, h }, u, counts)?;
        for (next, (q, u)) in next.q.iter_mut().zip(state.q.iter().zip(&*u)) {
            *next = q + h * u;
        }
        // p₁ = D₂ L_d + F_d⁺
        DiscreteMomentum { parts, state, h }.evaluate(u, &mut next.v, counts);
        std::mem::swap(&mut parts.momentum, &mut parts.reached);
        // Without its rounding, which no mass makes small.
        balance.iter().flat_map(|balance| balance.states()).for_each(|index| parts.momentum[*index] = 0.0);
        next.v.copy_from_slice(u);
        newton.solve(&mut Momentum { parts, q: &next.q, t: next.t }, &mut next.v, counts)?;
        let State { t, q, v } = next;
        balance.as_mut().map_or(Ok(()), |balance| balance.solve(parts.integrand.system, q, v, *t))
    }
}

carried!([S: ?Sized] Free<'_, S> { u } besides { method, parts, newton, balance });
