//! The nearest image of a difference in a cell.

use super::cell::Cell;
use crate::error::BindError;

impl Cell {
    /// The nearest image of a difference, whose third component is zero in the plane.
    ///
    /// # Errors
    /// The cell cannot repeat: [`BindError::CellNotFinite`], [`BindError::CellNegative`],
    /// [`BindError::CellWithoutVolume`].
    pub fn nearest(&self, difference: [f64; 3]) -> Result<[f64; 3], BindError> {
        Ok(Image::new(self, 3, "the cell")?.nearest(difference))
    }
}

/// For emitted code.
#[doc(hidden)]
impl Cell {
    /// The cell, if points with `dimension` components can repeat in it.
    ///
    /// # Errors
    /// A row is not finite or has a negative length, or the cell has no volume.
    pub fn checked(self, place: &str, dimension: usize) -> Result<Self, BindError> {
        Image::new(&self, dimension, place).map(|_| self)
    }

    /// The rows hₖ; zero in open directions.
    pub fn vectors(self) -> [[f64; 3]; 3] {
        self.rows.map(Option::unwrap_or_default)
    }

    /// The rows nₖ with sₖ = nₖ · d; zero in open directions, and for a cell that cannot repeat.
    pub fn reciprocal(self) -> [[f64; 3]; 3] {
        let image = Image::new(&self, 3, "");
        image.map_or([[0.0; 3]; 3], |Image { normals, repeats, .. }| {
            std::array::from_fn(|k| if repeats[k] { normals[k] } else { [0.0; 3] })
        })
    }
}

/// Finds the nearest image of a difference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Image {
    pub(crate) shape: Shape,
    /// The edges hₖ; unit vectors in open directions.
    pub(crate) rows: [[f64; 3]; 3],
    /// sₖ = nₖ · d.
    pub(crate) normals: [[f64; 3]; 3],
    /// The directions that repeat.
    pub(crate) repeats: [bool; 3],
}

/// The work for a nearest image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// None.
    Open,
    /// Component by component.
    Orthorhombic,
    /// All components together.
    General,
}

/// A cell has no volume if its volume is a smaller part of the product of its edges.
const FLAT: f64 = 1e-12;
/// An axis can stand for an open direction if this part of it is independent of the edges.
const OWN: f64 = 0.7;
/// Adding and subtracting it rounds to an integer, ties to even, in all registers.
pub(crate) const ROUNDING: f64 = 6_755_399_441_055_744.0;

impl Image {
    /// For points with `dimension` components.
    ///
    /// # Errors
    /// A row is not finite or has a negative length, or the cell has no volume.
    pub fn new(cell: &Cell, dimension: usize, place: &str) -> Result<Self, BindError> {
        let mut given = cell.rows;
        given[dimension..].fill(None);
        let flat = || BindError::CellWithoutVolume { place: place.to_owned(), cell: Box::new(*cell) };
        if given.iter().flatten().flatten().any(|number| !number.is_finite()) {
            return Err(BindError::CellNotFinite { place: place.to_owned(), cell: Box::new(*cell) });
        }
        if given.iter().flatten().any(|row| row[dimension..].iter().any(|number| *number != 0.0)) {
            // An edge leaves the plane of the points.
            return Err(flat());
        }
        // An edge against its own axis has a negative length.
        let is_backwards =
            |k: usize, row: &[f64; 3]| row[k] < 0.0 && (0..3).all(|axis| axis == k || row[axis] == 0.0);
        if given.iter().enumerate().any(|(k, row)| row.is_some_and(|row| is_backwards(k, &row))) {
            return Err(BindError::CellNegative { place: place.to_owned(), cell: Box::new(*cell) });
        }
        // Gram–Schmidt: unit vectors stand for the open directions, axes that the edges leave out.
        let mut units: Vec<[f64; 3]> = Vec::new();
        let independent = |vector: [f64; 3], units: &[[f64; 3]]| {
            let mut rest = vector;
            for unit in units {
                let along = dot(rest, *unit);
                rest = std::array::from_fn(|k| rest[k] - along * unit[k]);
            }
            rest
        };
        for row in given.iter().flatten() {
            let rest = independent(*row, &units);
            let (length, left) = (dot(*row, *row).sqrt(), dot(rest, rest).sqrt());
            // Also for lengths that are zero or overflow.
            if !(left > FLAT * length && length.is_finite()) {
                return Err(flat());
            }
            units.push(rest.map(|number| number / left));
        }
        let mut rows = [[0.0; 3]; 3];
        for axis in 0..3 {
            rows[axis] = if let Some(row) = given[axis] {
                row
            } else {
                let candidates = [0, 1, 2].map(|turn| {
                    let mut unit = [0.0; 3];
                    unit[(axis + turn) % 3] = 1.0;
                    independent(unit, &units)
                });
                // The direction's own axis first, so that the open directions of a slab are axes.
                let length = |vector: &[f64; 3]| dot(*vector, *vector).sqrt();
                let best = candidates.into_iter().max_by(|a, b| length(a).total_cmp(&length(b)));
                let first = candidates[0];
                let chosen = if length(&first) > OWN { first } else { best.unwrap_or(first) };
                let unit = chosen.map(|number| number / length(&chosen));
                units.push(unit);
                unit
            };
        }
        let repeats = given.map(|row| row.is_some());
        let straight = (0..3).all(|k| (0..3).all(|c| k == c || rows[k][c] == 0.0));
        let shape = match (repeats.contains(&true), straight) {
            (false, _) => Shape::Open,
            (true, true) => Shape::Orthorhombic,
            (true, false) => Shape::General,
        };
        let [a, b, c] = rows;
        let volume = dot(a, cross(b, c));
        let normals = if straight {
            let mut normals = [[0.0; 3]; 3];
            (0..3).for_each(|k| normals[k][k] = 1.0 / rows[k][k]);
            normals
        } else {
            [cross(b, c), cross(c, a), cross(a, b)].map(|normal| normal.map(|number| number / volume))
        };
        if normals.iter().flatten().any(|number| !number.is_finite()) {
            return Err(flat());
        }
        Ok(Self { shape, rows, normals, repeats })
    }

    pub(crate) fn cell(&self) -> Cell {
        Cell { rows: std::array::from_fn(|k| self.repeats[k].then_some(self.rows[k])) }
    }

    /// The distance of the faces in a direction; infinite if it is open.
    pub(crate) fn width(&self, direction: usize) -> f64 {
        let normal = self.normals[direction];
        if self.repeats[direction] { 1.0 / dot(normal, normal).sqrt() } else { f64::INFINITY }
    }

    /// The smallest distance of opposite faces.
    pub fn narrowest(&self) -> f64 {
        (0..3).map(|direction| self.width(direction)).fold(f64::INFINITY, f64::min)
    }

    /// The volume of a cell that repeats in all directions of the points.
    pub(crate) fn volume(&self, dimension: usize) -> Option<f64> {
        let [a, b, c] = self.rows;
        self.repeats[..dimension].iter().all(|repeats| *repeats).then(|| dot(a, cross(b, c)).abs())
    }

    /// The nearest image of a difference, with the operations of registers.
    pub fn nearest(&self, d: [f64; 3]) -> [f64; 3] {
        let round = |number: f64| (number + ROUNDING) - ROUNDING;
        let factor = |k: usize| if self.repeats[k] { 1.0 } else { 0.0 };
        match self.shape {
            Shape::Open => d,
            Shape::Orthorhombic => std::array::from_fn(|k| {
                let (edge, inverse) = (factor(k) * self.rows[k][k], factor(k) * self.normals[k][k]);
                d[k] - edge * round(inverse * d[k])
            }),
            Shape::General => {
                let [n, h] = [self.normals, self.rows];
                let s: [f64; 3] = std::array::from_fn(|k| {
                    factor(k) * round(n[k][0] * d[0] + n[k][1] * d[1] + n[k][2] * d[2])
                });
                std::array::from_fn(|c| d[c] - (s[0] * h[0][c] + s[1] * h[1][c] + s[2] * h[2][c]))
            }
        }
    }
}

/// a · b.
pub fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
