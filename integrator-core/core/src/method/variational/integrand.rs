//! The Lagrangian and the forces at one point.

use crate::carried::carried;
use crate::method::applied::Instant;
use crate::method::report::Evaluations;
use crate::system::{Forced, Lagrangian, Sampling, State};

/// A node of the quadrature: θ and w.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) place: f64,
    pub(super) weight: f64,
    /// The weights at the beginning and the end of a step that average inputs for the node: all nodes
    /// together give Σ w u = ∫ u dt / h, and the two of the trapezoid also Σ w θ u = ∫ θ u dt / h.
    pub(super) average: [f64; 2],
}

impl Node {
    /// w, θ h and (1 − θ) h, the factors of derivatives in K.
    pub(super) fn factors(self, h: f64) -> [f64; 3] {
        [self.weight, self.place * h, (1.0 - self.place) * h]
    }

    /// Writes q₀ + θ h u over `q`, and returns the instant of the node.
    pub(super) fn go_to(self, state: &State, h: f64, u: &[f64], q: &mut [f64]) -> Instant {
        for (q, (start, u)) in q.iter_mut().zip(state.q.iter().zip(u)) {
            *q = start + self.place * h * u;
        }
        self.instant(state.t, h)
    }

    /// Writes q₀ + θ (q₁ − q₀) over `q`, and returns the instant of the node.
    pub(super) fn go_between(
        self,
        (first, t): (&[f64], f64),
        last: &[f64],
        h: f64,
        q: &mut [f64],
    ) -> Instant {
        for (q, (first, last)) in q.iter_mut().zip(first.iter().zip(last)) {
            *q = (1.0 - self.place) * first + self.place * last;
        }
        self.instant(t, h)
    }

    fn instant(self, t: f64, h: f64) -> Instant {
        let sampling = Sampling { from: t, to: t + h, weights: self.average };
        Instant { t: t + self.place * h, sampling: Some(sampling) }
    }
}

/// Σ w (1 − 2 θ)²; it limits the step of an oscillator: h ω < 2 over its root.
pub(super) fn spread(nodes: &[Node]) -> f64 {
    nodes.iter().map(|node| node.weight * (1.0 - 2.0 * node.place).powi(2)).sum()
}

/// True if the potential limits the step.
pub(super) fn sees_potential(nodes: &[Node]) -> bool {
    spread(nodes) > 0.0
}

/// L and F with their derivatives at the last evaluation.
pub(super) struct Integrand<'s, S: ?Sized> {
    pub(super) system: &'s S,
    forced: Option<&'s dyn Forced>,
    /// (L_q + F, L_v, L_t), length 2n + 1.
    pub(super) gradient: Vec<f64>,
    /// The second derivatives of L, in the order of their pattern.
    pub(super) hessian: Vec<f64>,
    /// ∂F/∂(q, v), in the order of its pattern.
    of_force: Vec<f64>,
}

impl<'s, S: Lagrangian + ?Sized> Integrand<'s, S> {
    pub(super) fn new(system: &'s S) -> Self {
        let length = system.second_pattern().len();
        Self { hessian: vec![0.0; length], ..Self::of_first_derivatives(system) }
    }

    /// Without memory for second derivatives.
    pub(super) fn of_first_derivatives(system: &'s S) -> Self {
        let forced = system.forced();
        Self {
            gradient: vec![0.0; 2 * system.dimension() + 1],
            hessian: Vec::new(),
            of_force: vec![0.0; forced.map_or(0, |forced| forced.force_pattern().len())],
            system,
            forced,
        }
    }

    /// The second derivatives of L, and the derivatives of F.
    pub(super) fn derivatives(&self) -> [&[f64]; 2] {
        [&self.hessian, &self.of_force]
    }

    /// L_q + F.
    pub(super) fn force(&self) -> &[f64] {
        &self.gradient[..self.gradient.len() / 2]
    }

    /// L_v.
    pub(super) fn momentum(&self) -> &[f64] {
        let n = self.gradient.len() / 2;
        &self.gradient[n..2 * n]
    }

    /// At an evaluated node, adds its part of Σ w (L_v − (1 − θ) h (L_q + F)) to `before` and of Σ w
    /// (L_v + θ h (L_q + F)) to `after`.
    pub(super) fn add_to(&self, node: Node, h: f64, [before, after]: [&mut [f64]; 2]) {
        let [weight, ahead, behind] = node.factors(h);
        let known = self.force().iter().zip(self.momentum());
        for ((before, after), (force, own)) in before.iter_mut().zip(after).zip(known) {
            *before += weight * (own - behind * force);
            *after += weight * (own + ahead * force);
        }
    }

    /// Evaluates the first derivatives of L alone.
    pub(super) fn evaluate_momentum(&mut self, q: &[f64], v: &[f64], t: f64, counts: &mut Evaluations) {
        self.system.first_derivatives(q, v, t, &mut self.gradient);
        counts.gradients += 1;
    }

    /// Evaluates the first and second derivatives of L alone.
    pub(super) fn evaluate_mass(&mut self, q: &[f64], v: &[f64], t: f64, counts: &mut Evaluations) {
        self.system.second_derivatives(q, v, t, &mut self.gradient, &mut self.hessian);
        counts.gradients += 1;
        counts.hessians += 1;
    }

    /// Evaluates the first derivatives of L, and adds F to L_q.
    pub(super) fn evaluate(&mut self, q: &[f64], v: &[f64], at: Instant, counts: &mut Evaluations) {
        self.evaluate_momentum(q, v, at.t, counts);
        if let Some(forced) = self.forced {
            let force = &mut self.gradient[..q.len()];
            forced.add_force_sampled(q, v, at.t, at.sampling, force);
        }
    }

    /// Adds F at a state to L_q.
    pub(super) fn add_force(&mut self, q: &[f64], v: &[f64], t: f64) {
        if let Some(forced) = self.forced {
            forced.add_force(q, v, t, &mut self.gradient[..q.len()]);
        }
    }

    /// Evaluates first and second derivatives of L; adds F to L_q, and evaluates its derivatives.
    pub(super) fn linearize(&mut self, q: &[f64], v: &[f64], at: Instant, counts: &mut Evaluations) {
        self.evaluate_mass(q, v, at.t, counts);
        if let Some(forced) = self.forced {
            self.of_force.fill(0.0);
            let (force, derivatives) = (&mut self.gradient[..q.len()], &mut self.of_force);
            forced.add_force_derivatives_sampled(q, v, at.t, at.sampling, force, derivatives);
        }
    }
}

carried!([S: ?Sized] Integrand<'_, S> { gradient, hessian, of_force } besides { system, forced });
