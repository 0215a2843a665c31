use crate::sparse::{Gram, RowPattern, SymmetricPattern};
use crate::system::Constrained;

/// The pattern of the Hessian of the penalty, ω² (Gᵀ G + Σ g_c H_c), and the terms of each entry.
#[derive(Debug)]
pub(super) struct PenaltyPattern {
    pub(super) pattern: SymmetricPattern,
    /// The terms of Gᵀ G.
    pub(super) gram: Gram,
    /// The places of the values of Σ g_c H_c.
    of_weighted: Vec<u32>,
}

impl PenaltyPattern {
    pub(super) fn new<S: Constrained + ?Sized>(system: &S) -> Self {
        let (jacobian, weighted) = (system.jacobian_pattern(), system.weighted_pattern());
        let entries = products(jacobian).chain(weighted.entries());
        let pattern = SymmetricPattern::new(system.dimension(), entries);
        Self {
            gram: Gram::new(jacobian, &pattern),
            of_weighted: weighted.entries().map(|(i, j)| pattern.place(i, j)).collect(),
            pattern,
        }
    }

    /// Adds values in the order of the weighted pattern.
    pub(super) fn add_weighted(&self, values: &[f64], hessian: &mut [f64]) {
        add_at(&self.of_weighted, values, hessian);
    }
}

/// The pattern of Hess V and the Hessian of the penalty together, and the places of both.
///
/// Pair forces between all particles fill the matrix;
/// a method that treats only the penalty as stiff does not need it.
#[derive(Debug)]
pub(super) struct TotalPattern {
    pub(super) pattern: SymmetricPattern,
    of_potential: Vec<u32>,
    /// The places of the values of the penalty; `None` if it has the whole pattern.
    pub(super) of_penalty: Option<Vec<u32>>,
}

impl TotalPattern {
    pub(super) fn new(potential: &SymmetricPattern, penalty: &SymmetricPattern) -> Self {
        let entries = penalty.entries().chain(potential.entries());
        let pattern = SymmetricPattern::new(penalty.dimension(), entries);
        let places = |part: &SymmetricPattern| part.entries().map(|(i, j)| pattern.place(i, j)).collect();
        let of_potential = places(potential);
        if pattern == *penalty {
            // One pattern for both.
            return Self { of_potential, of_penalty: None, pattern: penalty.clone() };
        }
        Self { of_potential, of_penalty: Some(places(penalty)), pattern }
    }

    /// Adds values in the order of Hess V.
    pub(super) fn add_potential(&self, values: &[f64], total: &mut [f64]) {
        add_at(&self.of_potential, values, total);
    }
}

/// Adds values at their places.
fn add_at(places: &[u32], values: &[f64], sum: &mut [f64]) {
    for (&place, &value) in places.iter().zip(values) {
        sum[place as usize] += value;
    }
}

/// The entries of Gᵀ G, with repetitions.
fn products(jacobian: &RowPattern) -> impl Iterator<Item = (usize, usize)> + '_ {
    (0..jacobian.height()).flat_map(|row| {
        let columns = &jacobian.columns()[jacobian.row(row)];
        columns
            .iter()
            .enumerate()
            .flat_map(move |(k, &i)| columns[..=k].iter().map(move |&j| (i as usize, j as usize)))
    })
}
