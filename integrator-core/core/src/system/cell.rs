//! Periodic cells.

use serde::{Deserialize, Serialize};

/// A cell that repeats in some directions of space, or in none.
///
/// A point x has the images x + Σₖ mₖ hₖ with whole numbers mₖ, where hₖ are the *rows* of the cell. The
/// *nearest image* of a difference d is d − Σₖ round(sₖ) hₖ with d = Σₖ sₖ hₖ, ties to even: with a
/// cutoff of at most half of the smallest distance between opposite faces, only this image can be near,
/// in any cell.
///
/// Coordinates are never wrapped: a point may be any number of cells away. A direction without
/// a row is open. Points of the plane have the first two rows. Binding a model checks the rows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cell {
    pub(super) rows: [Option<[f64; 3]>; 3],
}

impl Cell {
    /// The cell without repeats.
    pub const OPEN: Self = Self { rows: [None; 3] };

    /// A cube with edges of this length; in the plane, a square.
    pub fn cubic(length: f64) -> Self {
        Self::orthorhombic([length; 3])
    }

    /// A box with edges along the axes: a length for each direction, or `None` for an open one.
    pub fn orthorhombic(lengths: [impl Into<Option<f64>>; 3]) -> Self {
        let mut rows = [None; 3];
        for ((axis, row), length) in rows.iter_mut().enumerate().zip(lengths) {
            *row = length.into().map(|length| {
                let mut along = [0.0; 3];
                along[axis] = length;
                along
            });
        }
        Self { rows }
    }

    /// A cell with these edges, or `None` for an open direction, which is normal to the edges.
    pub fn triclinic(rows: [impl Into<Option<[f64; 3]>>; 3]) -> Self {
        Self { rows: rows.map(Into::into) }
    }

    /// The rows; `None` for an open direction.
    pub fn rows(&self) -> [Option<[f64; 3]>; 3] {
        self.rows
    }
}

impl std::fmt::Display for Cell {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (k, row) in self.rows.iter().enumerate() {
            let comma = if k == 0 { "" } else { ", " };
            match row {
                Some(row) => write!(formatter, "{comma}{row:?}")?,
                None => write!(formatter, "{comma}open")?,
            }
        }
        Ok(())
    }
}
