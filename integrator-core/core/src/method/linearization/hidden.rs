//! κ = v · Hess g + ∂ₜ∇g, the derivative of the hidden constraint G v + ∂g/∂t = 0 by the position.

use crate::sparse::RowPattern;
use crate::system::{Holonomic, Parametric};

/// Memory for κ.
pub(in crate::method) struct Hidden {
    /// v ± a over x.
    faster: Vec<f64>,
    slower: Vec<f64>,
    rates: Vec<f64>,
    /// The entries of κ, as of G, in sets of columns that share no row: a product has them all at once.
    /// Constraints without time need none, since κ = v · Hess g then.
    probes: Option<Vec<Vec<(usize, usize)>>>,
    probe: Vec<f64>,
    answer: Vec<f64>,
}

impl Hidden {
    pub(in crate::method) fn new(
        n: usize,
        (holonomic, parametric): (Option<&dyn Holonomic>, Option<&Parametric>),
    ) -> Self {
        let rows = holonomic.map_or(0, Holonomic::constraints);
        let moving = holonomic.filter(|rows| rows.constraints_depend_on_time());
        let pattern =
            |own| parametric.map_or_else(|| Holonomic::jacobian_pattern(own), Parametric::constraint_pattern);
        let whole = n + parametric.map_or(0, Parametric::count);
        Self {
            faster: vec![0.0; whole],
            slower: vec![0.0; whole],
            rates: vec![0.0; rows],
            probes: moving.map(|own| apart(pattern(own))),
            probe: vec![0.0; whole],
            answer: vec![0.0; rows],
        }
    }

    /// Writes κ a over `y`: a quarter of the difference of d²g/dt² at the velocities v ± a, exactly.
    pub(in crate::method) fn rates(
        &mut self,
        (holonomic, parametric): (Option<&dyn Holonomic>, Option<&Parametric>),
        (q, v, t): (&[f64], &[f64], f64),
        a: &[f64],
        y: &mut [f64],
    ) {
        let Some(holonomic) = holonomic else { return };
        // Velocities of one size keep the digits.
        let largest = |x: &[f64]| x.iter().fold(0.0, |most: f64, entry| most.max(entry.abs()));
        let (size, other) = (largest(v), largest(a));
        let scale = if size > 0.0 && other > 0.0 { size / other } else { 1.0 };
        // Parameters are at rest.
        let v = v.iter().chain(std::iter::repeat(&0.0));
        for (((faster, slower), v), a) in self.faster.iter_mut().zip(&mut self.slower).zip(v).zip(a) {
            (*faster, *slower) = (v + scale * a, v - scale * a);
        }
        for (velocity, rates) in [(&self.faster, &mut *y), (&self.slower, &mut self.rates)] {
            match parametric {
                None => holonomic.constraint_curvature(q, velocity, t, rates),
                Some(parametric) => parametric.constraint_curvature(q, velocity, t, rates),
            }
        }
        let factor = 0.25 / scale;
        y.iter_mut().zip(&self.rates).for_each(|(y, rate)| *y = factor * (*y - rate));
    }

    /// Adds κᵀ w to `y`.
    pub(in crate::method) fn add_transposed(
        &mut self,
        (holonomic, parametric): (Option<&dyn Holonomic>, Option<&Parametric>),
        (q, v, t): (&[f64], &[f64], f64),
        weights: &[f64],
        y: &mut [f64],
    ) {
        let Some(holonomic) = holonomic else { return };
        if let Some(probes) = self.probes.take() {
            for probe in &probes {
                self.probe.fill(0.0);
                probe.iter().for_each(|(_, column)| self.probe[*column] = 1.0);
                let (along, mut rates) = (std::mem::take(&mut self.probe), std::mem::take(&mut self.answer));
                self.rates((Some(holonomic), parametric), (q, v, t), &along, &mut rates);
                probe.iter().for_each(|(row, column)| y[*column] += weights[*row] * rates[*row]);
                (self.probe, self.answer) = (along, rates);
            }
            self.probes = Some(probes);
            return;
        }
        match parametric {
            None => holonomic.add_weighted_product(q, t, weights, v, y),
            Some(parametric) => {
                self.probe.fill(0.0);
                self.probe[..v.len()].copy_from_slice(v);
                parametric.add_constraint_product(q, t, weights, &self.probe, y);
            }
        }
    }
}

/// The entries of a matrix in sets of columns that share no row.
fn apart(pattern: &RowPattern) -> Vec<Vec<(usize, usize)>> {
    let mut columns = vec![Vec::new(); pattern.width()];
    pattern.entries().for_each(|(row, column)| columns[column].push(row));
    let mut sets: Vec<(Vec<bool>, Vec<(usize, usize)>)> = Vec::new();
    for (column, rows) in columns.iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
        let place = sets.iter().position(|(taken, _)| rows.iter().all(|row| !taken[*row]));
        let place = place.unwrap_or_else(|| {
            sets.push((vec![false; pattern.height()], Vec::new()));
            sets.len() - 1
        });
        let (taken, entries) = &mut sets[place];
        for &row in rows {
            taken[row] = true;
            entries.push((row, column));
        }
    }
    sets.into_iter().map(|(_, entries)| entries).collect()
}
