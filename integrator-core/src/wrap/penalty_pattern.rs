use crate::sparse::{RowPattern, SymmetricPattern};
use crate::system::Constrained;

/// Where the Hessian of the penalty and that of the penalized potential can be nonzero, and where each contribution goes.
#[derive(Debug)]
pub(super) struct PenaltyPattern {
    /// The pattern of Hess V + ω² (Gᵀ G + Σ g_c H_c).
    pub(super) total: SymmetricPattern,
    /// Where the values of Hess V go in `total`.
    of_potential: Vec<u32>,
    /// For each row of G, the products of its entries: the pairs (k, l) with l ≤ k, in the order of k, then l.
    of_products: Vec<u32>,
    /// Where the values of Σ g_c H_c go.
    of_weighted: Vec<u32>,
    /// The pattern of the penalty alone and its places in `total`; `None` where that is all of `total`.
    stiff: Option<(SymmetricPattern, Vec<u32>)>,
}

impl PenaltyPattern {
    pub(super) fn new<S: Constrained + ?Sized>(system: &S) -> Self {
        let (jacobian, weighted) = (system.jacobian_pattern(), system.weighted_pattern());
        let potential = system.potential_pattern();
        let dimension = system.dimension();
        let stiff = SymmetricPattern::new(dimension, products(jacobian).chain(weighted.entries()));
        let total = SymmetricPattern::new(dimension, stiff.entries().chain(potential.entries()));
        let place = |(i, j)| total.position(i, j).map(|k| k as u32);
        Self {
            of_potential: potential.entries().filter_map(place).collect(),
            of_products: products(jacobian).filter_map(place).collect(),
            of_weighted: weighted.entries().filter_map(place).collect(),
            stiff: if stiff == total {
                None
            } else {
                let places = stiff.entries().filter_map(place).collect();
                Some((stiff, places))
            },
            total,
        }
    }

    pub(super) fn stiff(&self) -> &SymmetricPattern {
        self.stiff.as_ref().map_or(&self.total, |(pattern, _)| pattern)
    }

    /// From values in the order of `total` those of the penalty's own pattern.
    pub(super) fn pick_stiff(&self, total: &[f64], stiff: &mut [f64]) {
        match &self.stiff {
            None => stiff.copy_from_slice(total),
            Some((_, places)) => {
                for (value, &place) in stiff.iter_mut().zip(places) {
                    *value = total[place as usize];
                }
            }
        }
    }

    pub(super) fn has_own_stiff_pattern(&self) -> bool {
        self.stiff.is_some()
    }

    pub(super) fn add_potential(&self, values: &[f64], total: &mut [f64]) {
        for (&place, &value) in self.of_potential.iter().zip(values) {
            total[place as usize] += value;
        }
    }

    /// Adds `factor` Gᵀ G.
    pub(super) fn add_products(&self, jacobian: &RowPattern, values: &[f64], factor: f64, total: &mut [f64]) {
        let mut places = self.of_products.iter();
        for row in 0..jacobian.height() {
            let entries = &values[jacobian.row(row)];
            for (k, &left) in entries.iter().enumerate() {
                let left = factor * left;
                for (&right, &place) in entries[..=k].iter().zip(places.by_ref()) {
                    total[place as usize] += left * right;
                }
            }
        }
    }

    /// Adds values in the order of the weighted pattern.
    pub(super) fn add_weighted(&self, values: &[f64], total: &mut [f64]) {
        for (&place, &value) in self.of_weighted.iter().zip(values) {
            total[place as usize] += value;
        }
    }
}

/// The pairs of columns of each row, in the order of [`PenaltyPattern::add_products`].
fn products(jacobian: &RowPattern) -> impl Iterator<Item = (usize, usize)> + '_ {
    (0..jacobian.height()).flat_map(|row| {
        let columns = &jacobian.columns()[jacobian.row(row)];
        columns
            .iter()
            .enumerate()
            .flat_map(move |(k, &i)| columns[..=k].iter().map(move |&j| (i as usize, j as usize)))
    })
}
