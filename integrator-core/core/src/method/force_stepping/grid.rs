//! The simplicial grid: its vertices, and the cell of a coordinate.

use super::ForceStepping;
use crate::carried::carried;
use crate::error::{Begun, StartError};
use crate::method::check::check_option;
use crate::method::contract::Claims;
use crate::system::System;

/// The triangulation of the grid's cells, boxes with sides h_a.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Triangulation {
    /// Kuhn's (Freudenthal's, K1): equal cells, cut by planes z_a − z_b ∈ ℤ; z counts steps of the grid.
    ///
    /// Invariant under point reflection at a vertex and under translations by all steps at once.
    #[default]
    Kuhn,
    /// Kuhn's for the absolute values |z_a|: mirrored at z_a = 0 through the grid's fixed vertex.
    ///
    /// Invariant under a change of sign of any coordinate.
    Mirrored,
    /// The union jack (J1): mirrored at every integer; z_a ± z_b is even on its slanted planes.
    ///
    /// Invariant under a change of sign of any coordinate and under reflection at any integer.
    UnionJack,
}

/// A simplicial grid: its step in each coordinate, one of its vertices, and its triangulation.
///
/// The vertices are q_a = vertex_a + h_a z_a with integers z_a.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Grid {
    pub(super) triangulation: Triangulation,
    pub(super) steps: Vec<f64>,
    vertex: Vec<f64>,
}

/// The cell of one coordinate, z = ±(base + w) with w = cell + phase and a phase in [0, 1].
///
/// The unfolded coordinates w unify the three triangulations: a simplex is one of Kuhn's in w. Kuhn:
/// z = w. Mirrored: z = ±w with w ≥ 0. Union jack: z = ±(base + w) with an even base, and w in [0, 1].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CoordinateCell {
    pub(super) cell: i64,
    pub(super) base: i64,
    /// ±h.
    pub(super) step: f64,
    /// q at z = 0.
    pub(super) vertex: f64,
}

impl CoordinateCell {
    /// q at an integer w.
    ///
    /// A function of the integer z alone, so that a vertex is one number from all of its cells.
    #[inline(always)]
    pub(super) fn position(&self, level: i64) -> f64 {
        self.vertex + self.step * (self.base + level) as f64
    }
}

/// The largest cell: floating-point numbers represent such integers exactly, with room for a phase.
const MOST_CELLS: f64 = (1_u64 << 50) as f64;

impl Grid {
    /// A grid through `vertex` with the given steps, one for each degree of freedom of `system`.
    ///
    /// # Errors
    /// A step that is not positive and finite, a vertex that is not finite, a wrong number of either.
    pub(super) fn new<S: System + ?Sized>(
        system: &S,
        triangulation: Triangulation,
        steps: Vec<f64>,
        vertex: Vec<f64>,
    ) -> Begun<Self> {
        let expected = system.dimension();
        for (quantity, found) in [("the grid", steps.len()), ("the vertex of the grid", vertex.len())] {
            if found != expected {
                let system = system.name().to_owned();
                return Err(StartError::WrongLength { system, quantity, expected, found });
            }
        }
        for step in &steps {
            let is_positive = *step > 0.0 && step.is_finite();
            check_option(ForceStepping::NAME, is_positive, ("grid", *step, "(0, ∞)"))?;
        }
        for entry in &vertex {
            check_option(ForceStepping::NAME, entry.is_finite(), ("vertex", *entry, "(−∞, ∞)"))?;
        }
        Ok(Self { triangulation, steps, vertex })
    }

    pub(super) fn dimension(&self) -> usize {
        self.steps.len()
    }

    /// z_a = (q_a − vertex_a)/h_a.
    pub(super) fn in_steps(&self, coordinate: usize, q: f64) -> f64 {
        (q - self.vertex[coordinate]) / self.steps[coordinate]
    }

    /// True if z has its own cell: |z| < 2⁵⁰, beyond which neighbouring cells leave no room for a phase.
    pub(super) fn has_place(z: f64) -> bool {
        z.abs() < MOST_CELLS
    }

    /// The cell of z_a and its phase there; on the border of two cells, the one to which `rate` points.
    pub(super) fn place(&self, coordinate: usize, z: f64, rate: f64) -> (CoordinateCell, f64) {
        let below = |w: f64, rate: f64| if w.fract() == 0.0 && rate < 0.0 { w - 1.0 } else { w.floor() };
        let (step, vertex) = (self.steps[coordinate], self.vertex[coordinate]);
        let (cell, base, sign, phase) = match self.triangulation {
            Triangulation::Kuhn => {
                let n = below(z, rate);
                (n as i64, 0, 1.0, z - n)
            }
            Triangulation::Mirrored => {
                let sign = if z < 0.0 || (z == 0.0 && rate < 0.0) { -1.0 } else { 1.0 };
                let n = below(sign * z, sign * rate);
                (n as i64, 0, sign, sign * z - n)
            }
            Triangulation::UnionJack => {
                let n = below(z, rate);
                // Phases are distances from the even end of the cell.
                if n as i64 % 2 == 0 {
                    (0, n as i64, 1.0, z - n)
                } else {
                    (0, -(n as i64 + 1), -1.0, n + 1.0 - z)
                }
            }
        };
        (CoordinateCell { cell, base, step: sign * step, vertex }, phase)
    }
}

carried!([] CoordinateCell { cell, base, step, vertex } besides {});
