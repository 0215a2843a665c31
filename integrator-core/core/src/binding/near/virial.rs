//! The virial of a sum over near pairs.

use super::family::NearFamily;
use super::kernel::Role;
use super::memory::Alone;
use crate::binding::at::{At, Weights};
use crate::system::cell::Cell;
use nalgebra::Matrix3;

impl NearFamily {
    /// Adds Σ f ⊗ d with f = −w ∂φ/∂d of the elements φ, and what they have of the gradient Σ w ∇φ
    /// beside their separations; with the weight w of the row of each element, where there are rows.
    pub(in crate::binding) fn add_virial(
        &self,
        At { z, now, .. }: At<'_>,
        weights: Weights<'_>,
        virial: &mut Matrix3<f64>,
        rest: &mut [f64],
    ) {
        let (dimension, inputs) = (self.near.points().dimension, self.kernel.kernel.inputs.len());
        let (mut alone, mut indices) = (Alone::of(self), Vec::new());
        self.each_near(z, &mut |ends, d| {
            let weight = match (weights, self.row_of(ends)) {
                (Weights::Of(weights), Some(row)) => weights[row as usize],
                _ => 1.0,
            };
            alone.read(self, ends, z, d);
            alone.run(&self.kernel.kernel.gradient, now, false);
            self.indices(ends, &mut indices);
            for k in 0..inputs {
                let (slope, input) = (alone.slope(self, k), self.input(k));
                // An infinite weight of what does not change makes nothing.
                let slope = if slope == 0.0 { 0.0 } else { weight * slope };
                if input.role == Role::Separation {
                    (0..dimension).for_each(|c| virial[(input.column, c)] -= slope * d[c]);
                } else {
                    rest[indices[k].plus as usize] += slope;
                }
            }
        });
    }
}

/// The cell of the points.
impl NearFamily {
    pub(in crate::binding) fn cell(&self) -> Cell {
        self.near.points().image.cell()
    }

    /// The number of components of the points.
    pub(in crate::binding) fn space(&self) -> usize {
        self.near.points().dimension
    }

    /// The volume of the cell, if it repeats in all directions.
    pub(in crate::binding) fn volume(&self) -> Option<f64> {
        self.near.points().image.volume(self.space())
    }

    pub(in crate::binding) fn cutoff(&self) -> f64 {
        self.near.points().cutoff
    }

    /// True if the points of another sum are in the same cell.
    pub(in crate::binding) fn is_in_cell_of(&self, other: &Self) -> bool {
        self.near.points().image == other.near.points().image && self.space() == other.space()
    }
}
