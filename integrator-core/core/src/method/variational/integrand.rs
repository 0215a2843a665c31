//! The Lagrangian with the forces beside it, at one point, and the matrix K that its derivatives make.

use crate::carried::carried;
use crate::method::applied::Instant;
use crate::method::report::Evaluations;
use crate::sparse::SymmetricPattern;
use crate::system::{Forced, Lagrangian, Sampling, State};

/// A node of the quadrature: θ and w.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) place: f64,
    pub(super) weight: f64,
    /// The weights at the beginning and the end of a step with which inputs are averaged for the node: so that all nodes together have
    /// Σ w u = ∫ u dt / h, and the two of the trapezoid Σ w θ u = ∫ θ u dt / h as well.
    pub(super) average: [f64; 2],
}

impl Node {
    /// Writes q₀ + θ h u over `q`, and returns the instant there.
    pub(super) fn go_to(self, state: &State, h: f64, u: &[f64], q: &mut [f64]) -> Instant {
        for (q, (start, u)) in q.iter_mut().zip(state.q.iter().zip(u)) {
            *q = start + self.place * h * u;
        }
        let sampling = Sampling { from: state.t, to: state.t + h, weights: self.average };
        Instant { t: state.t + self.place * h, sampling: Some(sampling) }
    }
}

/// Σ w (1 − 2 θ)², by which the step of an oscillator is limited: h ω < 2 over its root.
pub(super) fn spread(nodes: &[Node]) -> f64 {
    nodes.iter().map(|node| node.weight * (1.0 - 2.0 * node.place).powi(2)).sum()
}

/// True if the potential limits the step.
pub(super) fn sees_potential(nodes: &[Node]) -> bool {
    spread(nodes) > 0.0
}

/// L and F with their derivatives where they were evaluated last.
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

    /// L_q + F.
    pub(super) fn force(&self) -> &[f64] {
        &self.gradient[..self.gradient.len() / 2]
    }

    /// L_v.
    pub(super) fn momentum(&self) -> &[f64] {
        let n = self.gradient.len() / 2;
        &self.gradient[n..2 * n]
    }

    /// The first derivatives of L alone.
    pub(super) fn evaluate_momentum(&mut self, q: &[f64], v: &[f64], t: f64, counts: &mut Evaluations) {
        self.system.first_derivatives(q, v, t, &mut self.gradient);
        counts.gradients += 1;
    }

    /// The second derivatives of L alone, with the first ones.
    pub(super) fn evaluate_mass(&mut self, q: &[f64], v: &[f64], t: f64, counts: &mut Evaluations) {
        self.system.second_derivatives(q, v, t, &mut self.gradient, &mut self.hessian);
        counts.gradients += 1;
        counts.hessians += 1;
    }

    /// The first derivatives of L, with F beside L_q.
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

    /// The first and second derivatives, with those of F beside those of L_q.
    pub(super) fn linearize(&mut self, q: &[f64], v: &[f64], at: Instant, counts: &mut Evaluations) {
        self.evaluate_mass(q, v, at.t, counts);
        if let Some(forced) = self.forced {
            self.of_force.fill(0.0);
            let (force, derivatives) = (&mut self.gradient[..q.len()], &mut self.of_force);
            forced.add_force_derivatives_sampled(q, v, at.t, at.sampling, force, derivatives);
        }
    }
}

/// The pattern of L_vv.
pub(super) fn mass_pattern<S: Lagrangian + ?Sized>(system: &S) -> SymmetricPattern {
    let n = system.dimension();
    let of_velocities = |&(row, column): &(usize, usize)| (n..2 * n).contains(&row) && column >= n;
    let entries = system.second_pattern().entries().filter(of_velocities);
    SymmetricPattern::new(n, entries.map(|(row, column)| (row - n, column - n)))
}

/// The places of the entries of L_vv among the second derivatives; where the model lacks a velocity, its diagonal entry stands in the
/// pattern alone, as zero, and its place is beyond all.
pub(super) fn mass_places<S: Lagrangian + ?Sized>(system: &S, mass: &SymmetricPattern) -> Vec<u32> {
    let (n, second) = (system.dimension(), system.second_pattern());
    let place = |(i, j)| second.position(n + i, n + j).map_or(u32::MAX, |place| place as u32);
    mass.entries().map(place).collect()
}

/// The block of derivatives that an entry belongs to.
#[derive(Debug, Clone, Copy)]
enum Block {
    /// L_vv.
    Velocities,
    /// L_vq.
    Mixed,
    /// L_qv, and F_v beside it.
    Transposed,
    /// L_qq, and F_q beside it.
    Positions,
}

/// An entry of the derivatives of L, or of F, and an entry of K that it contributes to.
#[derive(Debug, Clone, Copy)]
struct Contribution {
    source: u32,
    place: u32,
    block: Block,
}

/// The entries of K = Σ w (L_vv + θ h L_vq − (1 − θ) h (L_qv + F_v) − θ (1 − θ) h² (L_qq + F_q)) by their sources.
pub(super) struct Entries {
    of_lagrangian: Vec<(u32, (usize, usize), Block)>,
    of_force: Vec<(u32, (usize, usize), Block)>,
    /// True if K is symmetric: then the entries are those of one triangle.
    pub(super) symmetric: bool,
}

impl Entries {
    /// `whole` asks for both triangles in any case.
    pub(super) fn of<S: Lagrangian + ?Sized>(system: &S, whole: bool) -> Self {
        let n = system.dimension();
        let (second, forced) = (system.second_pattern(), system.forced());
        let symmetric = !whole
            && forced.is_none()
            && !second.entries().any(|(row, column)| (n..2 * n).contains(&row) && column < n);
        let mut of_lagrangian = Vec::new();
        for (source, (row, column)) in second.entries().enumerate() {
            let mut add = |i, j, block| of_lagrangian.push((source as u32, (i, j), block));
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
            }
        }
        let of_force = forced
            .into_iter()
            .flat_map(|forced| forced.force_pattern().entries())
            .zip(0_u32..)
            .map(|((row, column), source)| {
                if column < n {
                    (source, (row, column), Block::Positions)
                } else {
                    (source, (row, column - n), Block::Transposed)
                }
            })
            .collect();
        Self { of_lagrangian, of_force, symmetric }
    }

    /// The entries (row, column) of K, with repetitions.
    pub(super) fn places(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.of_lagrangian.iter().chain(&self.of_force).map(|&(_, place, _)| place)
    }

    /// The same entries by where they stand among the values of a matrix.
    pub(super) fn placed(&self, position: impl Fn(usize, usize) -> Option<usize>) -> Contributions {
        let placed = |entries: &[(u32, (usize, usize), Block)]| {
            let place = |(row, column)| position(row, column).unwrap_or_default() as u32;
            let contribution = |&(source, at, block)| Contribution { source, place: place(at), block };
            entries.iter().map(contribution).collect()
        };
        Contributions { of_lagrangian: placed(&self.of_lagrangian), of_force: placed(&self.of_force) }
    }
}

/// The entries of K among the values of a matrix.
pub(super) struct Contributions {
    of_lagrangian: Vec<Contribution>,
    of_force: Vec<Contribution>,
}

impl Contributions {
    /// Adds the part of a node to the values.
    pub(super) fn add<S: ?Sized>(
        &self,
        node: Node,
        h: f64,
        integrand: &Integrand<'_, S>,
        values: &mut [f64],
    ) {
        let (ahead, behind) = (node.place * h, (1.0 - node.place) * h);
        let mut add = |contributions: &[Contribution], derivatives: &[f64]| {
            for &Contribution { source, place, block } in contributions {
                let factor = match block {
                    Block::Velocities => 1.0,
                    Block::Mixed => ahead,
                    Block::Transposed => -behind,
                    Block::Positions => -behind * ahead,
                };
                values[place as usize] += node.weight * factor * derivatives[source as usize];
            }
        };
        add(&self.of_lagrangian, &integrand.hessian);
        add(&self.of_force, &integrand.of_force);
    }
}

carried!([S: ?Sized] Integrand<'_, S> { gradient, hessian, of_force } besides { system, forced });
