//! L_vv, L_vq, L_vt and −L_qq among the second derivatives of a Lagrangian.

use crate::sparse::{SymmetricMatrix, SymmetricPattern};
use crate::system::Lagrangian;

/// The place of a mass of 1.
const UNIT: u32 = u32::MAX - 1;

/// The places of the derivatives of ∂L/∂v, in ∂²L/∂v∂v a + L_vq v + L_vt.
pub(super) struct OfVelocities {
    /// The pattern of L_vv.
    pub(super) pattern: SymmetricPattern,
    /// The places of its entries. A velocity that is missing in the model has a zero on the diagonal,
    /// whose place is beyond all.
    places: Vec<u32>,
    /// The entries (i, j) of L_vq and L_vt: their places, i, and j < n, or j = n for the time.
    mixed: Vec<(u32, u32, u32)>,
}

impl OfVelocities {
    pub(super) fn of<S: Lagrangian + ?Sized>(system: &S) -> Self {
        let (n, second) = (system.dimension(), system.second_pattern());
        let of_velocities = |&(row, column): &(usize, usize)| (n..2 * n).contains(&row) && column >= n;
        let entries = second.entries().filter(of_velocities);
        let pattern = SymmetricPattern::new(n, entries.map(|(row, column)| (row - n, column - n)));
        let place = |(i, j)| second.position(n + i, n + j).map_or(u32::MAX, |place| place as u32);
        // The lower triangle holds (v, q) and (t, v).
        let mixed = second.entries().zip(0_u32..).filter_map(|((row, column), source)| {
            if (n..2 * n).contains(&row) && column < n {
                Some((source, (row - n) as u32, column as u32))
            } else if row == 2 * n && (n..2 * n).contains(&column) {
                Some((source, (column - n) as u32, n as u32))
            } else {
                None
            }
        });
        Self { places: pattern.entries().map(place).collect(), mixed: mixed.collect(), pattern }
    }

    /// Gives coordinates [of first order](super::first_order) a mass of 1, which makes L_vv regular:
    /// no equation of another coordinate reads it.
    pub(super) fn stand_in(&mut self, states: &[usize]) {
        for index in states {
            self.places[self.pattern.starts()[*index]] = UNIT;
        }
    }

    /// The values of L_vv in the order of its pattern.
    pub(super) fn values(&self, second: &[f64]) -> impl Iterator<Item = f64> {
        let missing = |place| if place == UNIT { 1.0 } else { 0.0 };
        self.places.iter().map(move |&place| second.get(place as usize).copied().unwrap_or(missing(place)))
    }

    /// L_vv.
    pub(super) fn matrix(self, second: &[f64]) -> SymmetricMatrix {
        SymmetricMatrix { values: self.values(second).collect(), pattern: self.pattern }
    }

    /// Adds `factor` (L_vq v + L_vt) to `out`.
    pub(super) fn add_mixed(&self, second: &[f64], factor: f64, v: &[f64], out: &mut [f64]) {
        for &(source, row, column) in &self.mixed {
            let rate = v.get(column as usize).copied().unwrap_or(1.0);
            out[row as usize] += factor * second[source as usize] * rate;
        }
    }
}

/// −L_qq: its entries on the diagonal and below.
pub(super) struct Stiffness(Vec<(usize, usize, f64)>);

impl Stiffness {
    pub(super) fn of<S: Lagrangian + ?Sized>(system: &S, second: &[f64]) -> Self {
        let entries = system.second_pattern().entries().zip(second);
        let of_positions = entries.filter(|((row, _), _)| *row < system.dimension());
        Self(of_positions.map(|((row, column), value)| (row, column, -value)).collect())
    }

    /// Adds −L_qq x to `product`.
    pub(super) fn add_product(&self, x: &[f64], product: &mut [f64]) {
        for &(row, column, value) in &self.0 {
            product[row] += value * x[column];
            if row != column {
                product[column] += value * x[row];
            }
        }
    }
}
