use crate::scatter::Scatter;
use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// A free net of point masses in the plane, each on springs to its eight neighbours on a square lattice.
///
/// V = Σ ½ k (r − l)² over the springs; at rest they are l long along rows and columns, √2 l diagonally.
///
/// Units: none.
///
/// # Source
/// The two-dimensional test of sparse force-stepping: elements of four coordinates, eight neighbours.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SpringNet {
    /// Masses from bottom to top.
    pub rows: usize,
    /// Masses from left to right.
    pub columns: usize,
    /// Mass of each knot.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub mass: f64,
    /// Stiffness k of each spring.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub stiffness: f64,
    /// Distance l of neighbours at rest.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub length: f64,
}

impl Default for SpringNet {
    fn default() -> Self {
        Self { rows: 5, columns: 5, mass: 1.0, stiffness: 1.0, length: 1.0 }
    }
}

#[lagrangian]
impl SpringNet {
    fn lagrangian(&self, knots: [[Vec2; self.columns]; self.rows]) -> Scalar {
        let (rows, columns) = (self.rows, self.columns);
        let kinetic =
            sum(0..rows, |i| sum(0..columns, |j| 0.5 * self.mass * der(knots[i][j]).norm_squared()));
        let spring = |a: Vec2, b: Vec2, length: f64| 0.5 * self.stiffness * ((a - b).norm() - length).powi(2);
        let along = sum(0..rows, |i| sum(1..columns, |j| spring(knots[i][j], knots[i][j - 1], self.length)));
        let across = sum(1..rows, |i| sum(0..columns, |j| spring(knots[i][j], knots[i - 1][j], self.length)));
        let diagonal = std::f64::consts::SQRT_2 * self.length;
        let rising =
            sum(1..rows, |i| sum(1..columns, |j| spring(knots[i][j], knots[i - 1][j - 1], diagonal)));
        let falling =
            sum(1..rows, |i| sum(1..columns, |j| spring(knots[i - 1][j], knots[i][j - 1], diagonal)));
        kinetic - along - across - rising - falling
    }
}

/// On the lattice, with velocities in (−0.25, 0.25) that look random and are always equal.
impl Start for SpringNet {
    fn start(&self) -> State {
        let mut numbers = Scatter::default();
        let knots = (0..self.rows).flat_map(|i| (0..self.columns).map(move |j| [j, i]));
        let q: Vec<f64> = knots.flatten().map(|k| self.length * k as f64).collect();
        let v = q.iter().map(|_| 0.5 * numbers.number()).collect();
        State::new(q, v)
    }
}
