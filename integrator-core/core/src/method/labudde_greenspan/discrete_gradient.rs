//! F̄(q₀, q₁) of a potential of distances, and its derivative with respect to q₁.

use super::distances::Distances;
use crate::error::{Begun, StartError};
use crate::method::force_error::no_factors;
use crate::method::links::Link;
use crate::sparse::{Factored, Solver, SymmetricMatrix, SymmetricPattern};
use crate::system::{Natural, State};

/// F̄ with the pull of each link at the last evaluation, and the solver of M + c ∂F̄/∂q₁.
pub(super) struct DiscreteGradient<'s> {
    distances: Distances<'s>,
    /// The contribution of each link.
    pulls: Vec<Pull>,
    matrix: Solver,
    /// The places of each mass entry and of its transpose in the matrix.
    of_mass: Vec<[u32; 2]>,
    /// The places of the blocks of each link, (components)² each: its point's block; with two points
    /// also the block of the other point and the two between them.
    of_links: Vec<u32>,
}

/// The contribution of a link to the discrete force: F̄ = Q (d₀ + d₁).
#[derive(Debug, Clone, Copy, Default)]
struct Pull {
    /// Q.
    quotient: f64,
    /// 2 ∂Q/∂s₁.
    stiffness: f64,
    /// d₀ + d₁.
    sum: [f64; 3],
    /// d₁.
    end: [f64; 3],
}

/// Squared distances closer than this part of the smaller are near: the quotient is an integral of U′.
const NEAR: f64 = 3e-3;
/// Closer than this part, U′ at this distance on both sides gives the derivative of the quotient.
const NEAREST: f64 = 1e-6;
/// Nodes and weights of Gauss's formula on [0, 1].
const GAUSS: [[f64; 2]; 4] = [
    [0.069_431_844_202_973_71, 0.173_927_422_568_726_93],
    [0.330_009_478_207_571_87, 0.326_072_577_431_273_07],
    [0.669_990_521_792_428_1, 0.326_072_577_431_273_07],
    [0.930_568_155_797_026_3, 0.173_927_422_568_726_93],
];

impl<'s> DiscreteGradient<'s> {
    pub(super) fn new<S: Natural + ?Sized>(
        method: &'static str,
        system: &'s S,
        state: &State,
    ) -> Begun<Self> {
        let distances = Distances::new(system, &state.q, state.t).map_err(|reason| {
            StartError::NotOfDistances { method, system: system.name().to_owned(), reason }
        })?;
        let mass = &system.mass().pattern;
        let of_link = |link: &Link| {
            let Link { from, to, components } = *link;
            let blocks = std::iter::once((from, from))
                .chain(to.into_iter().flat_map(move |to| [(to, to), (from, to), (to, from)]));
            blocks.flat_map(move |(row, column)| {
                (0..components * components).map(move |k| (row + k / components, column + k % components))
            })
        };
        let entries = mass
            .entries()
            .flat_map(|(row, column)| [(row, column), (column, row)])
            .chain(distances.links().iter().flat_map(of_link));
        let pattern = SymmetricPattern::new(system.dimension(), entries);
        let matrix = Solver::pivoted(&pattern).ok_or_else(|| no_factors(system, super::MATRIX, (0.0, 0)))?;
        let place = |(row, column)| matrix.place(row, column);
        let of_mass = mass.entries().map(|(row, column)| [place((row, column)), place((column, row))]);
        let of_links = distances.links().iter().flat_map(of_link).map(place);
        Ok(Self {
            pulls: vec![Pull::default(); distances.links().len()],
            of_mass: of_mass.collect(),
            of_links: of_links.collect(),
            distances,
            matrix,
        })
    }

    /// Writes F̄ over `force`.
    pub(super) fn evaluate(&mut self, old: &[f64], new: &[f64], t: f64, force: &mut [f64]) {
        force.fill(0.0);
        for (k, (pull, link)) in self.pulls.iter_mut().zip(self.distances.links()).enumerate() {
            let (start, end) = (link.vector(old), link.vector(new));
            let sum = std::array::from_fn(|c| start[c] + end[c]);
            let (quotient, stiffness) =
                divided_difference(&self.distances, k, [square(start), square(end)], t);
            *pull = Pull { quotient, stiffness, sum, end };
            for (c, sum) in sum.into_iter().enumerate().take(link.components) {
                force[link.from + c] += quotient * sum;
                if let Some(to) = link.to {
                    force[to + c] -= quotient * sum;
                }
            }
        }
    }

    /// Factors M + c ∂F̄/∂q₁ at the last evaluation.
    pub(super) fn factor(&mut self, mass: &SymmetricMatrix, factor: f64) -> Factored {
        let values = self.matrix.values_mut();
        values.fill(0.0);
        for (&[place, transpose], value) in self.of_mass.iter().zip(&mass.values) {
            values[place as usize] += value;
            if transpose != place {
                values[transpose as usize] += value;
            }
        }
        let mut places = self.of_links.iter();
        for (pull, link) in self.pulls.iter().zip(self.distances.links()) {
            let signs: &[f64] = if link.to.is_some() { &[1.0, 1.0, -1.0, -1.0] } else { &[1.0] };
            for sign in signs {
                for row in 0..link.components {
                    for column in 0..link.components {
                        let unit = if row == column { pull.quotient } else { 0.0 };
                        let entry = unit + pull.stiffness * pull.sum[row] * pull.end[column];
                        if let Some(&place) = places.next() {
                            values[place as usize] += sign * factor * entry;
                        }
                    }
                }
            }
        }
        self.matrix.refactor()
    }

    /// x ← (M + c ∂F̄/∂q₁)⁻¹ x.
    pub(super) fn solve(&mut self, x: &mut [f64]) {
        self.matrix.solve_or_spoil(x);
    }
}

/// Q = (U₁ − U₀)/(s₁ − s₀) and 2 ∂Q/∂s₁.
fn divided_difference(distances: &Distances<'_>, k: usize, [old, new]: [f64; 2], t: f64) -> (f64, f64) {
    let slope = |square: f64| distances.along(k, square, t)[1];
    let change = new - old;
    let smaller = old.min(new);
    let [of_new, slope_of_new] = distances.along(k, new, t);
    let quotient = if change.abs() < NEAR * smaller {
        GAUSS.iter().map(|[node, weight]| weight * slope(old + node * change)).sum()
    } else {
        let [of_old, _] = distances.along(k, old, t);
        (of_new - of_old) / change
    };
    let stiffness = if change.abs() < NEAREST * smaller {
        // 2 ∂Q/∂s₁ → U″
        let aside = NEAREST * new;
        0.5 * (slope(new + aside) - slope(new - aside)) / aside
    } else {
        2.0 * (slope_of_new - quotient) / change
    };
    (quotient, stiffness)
}

fn square(vector: [f64; 3]) -> f64 {
    vector.iter().map(|c| c * c).sum()
}

crate::shown::shown!([] DiscreteGradient<'_>, |own| "DiscreteGradient" { links: own.pulls.len() });
