//! Units of coordinates in a saddle point system, of light parts and of parts without mass, too.

use super::proximal::{Proximal, weights};
use crate::carried::{Carried, CarryError, Memory, carried};
use crate::sparse::pattern::SymmetricPattern;
use crate::sparse::rows::RowPattern;

/// A part may be light if its mass is at most this part of another mass at one of its rows.
pub(crate) const LIGHT: f64 = 1e-6;
/// The search replaces the mass of a light part by this part of the unit.
const NONE: f64 = 1e-9;
/// Rows hold a coordinate if they leave it no softer than this, in its unit.
const HELD: f64 = 1e-4;
/// Coordinates take part in a motion from this part of the largest on.
const PART: f64 = 1e-3;

/// A symmetric matrix, or rows, with their values.
pub(crate) type Mass<'m> = (&'m SymmetricPattern, &'m [f64]);
pub(crate) type RowValues<'m> = (&'m RowPattern, &'m [f64]);

/// The coordinates with mass that take their units from rows, found once.
///
/// If more rows act on a light part than it has numbers, G M⁻¹ Gᵀ is large and of low rank: in units of
/// its mass the other rows are lost in rounding. Rows that hold a part determine it whatever its mass.
#[derive(Debug, Default)]
pub(crate) struct Units {
    light: Vec<usize>,
    found: bool,
}

/// The entries of a row, with their columns.
fn entries((rows, values): RowValues<'_>, row: usize) -> impl Iterator<Item = (usize, f64)> {
    let place = rows.row(row);
    rows.columns()[place.clone()].iter().map(|column| *column as usize).zip(values[place].iter().copied())
}

impl Units {
    /// Finds the light parts if they are not known; true if there are any.
    pub(super) fn find(&mut self, mass: Mass<'_>, rows: RowValues<'_>) -> bool {
        if !self.found {
            (self.light, self.found) = (light(mass, rows), true);
        }
        !self.light.is_empty()
    }

    /// Writes the units of the coordinates over `units`: 1 over the root of the mass, or as rows give.
    pub(super) fn measure(&mut self, (mass, masses): Mass<'_>, rows: RowValues<'_>, units: &mut [f64]) {
        self.find((mass, masses), rows);
        of_mass((mass, masses), units);
        self.light.iter().for_each(|&index| units[index] = 0.0);
        if units.contains(&0.0) {
            by_rows(rows, units);
        }
    }

    /// True if the unit of a coordinate comes from rows.
    pub(super) fn is_massless(&self, (mass, masses): Mass<'_>, column: usize) -> bool {
        masses[mass.starts()[column]] <= 0.0 || self.light.binary_search(&column).is_ok()
    }
}

fn of_mass((mass, masses): Mass<'_>, units: &mut [f64]) {
    for (unit, start) in units.iter_mut().zip(mass.starts()) {
        // The diagonal is the first entry of its column.
        let value = masses[*start];
        *unit = if value > 0.0 && value.is_finite() { 1.0 / value.sqrt() } else { 0.0 };
    }
}

/// Replaces zeros by the units in which the rows that hold a coordinate are as long as without it; by 1
/// where rows tell none.
fn by_rows(rows: RowValues<'_>, units: &mut [f64]) {
    loop {
        for row in 0..rows.0.height() {
            let own = entries(rows, row).map(|(column, value)| (units[column].max(0.0) * value).powi(2));
            let own = own.sum::<f64>().sqrt();
            for (column, value) in entries(rows, row).filter(|(_, value)| own > 0.0 && *value != 0.0) {
                // Negative until all rows have been seen.
                let (unit, known) = (-own / value.abs(), units[column]);
                if known <= 0.0 {
                    units[column] = if known == 0.0 { unit } else { known.max(unit) };
                }
            }
        }
        if !units.iter().any(|unit| *unit < 0.0) {
            break;
        }
        units.iter_mut().for_each(|unit| *unit = unit.abs());
    }
    units.iter_mut().filter(|unit| **unit == 0.0).for_each(|unit| *unit = 1.0);
}

/// The coordinates whose masses are nothing beside others at their rows, and that rows hold; in order.
pub(crate) fn light((mass, masses): Mass<'_>, rows: RowValues<'_>) -> Vec<usize> {
    let n = mass.dimension();
    let mut units = vec![0.0; n];
    of_mass((mass, masses), &mut units);
    let has_mass: Vec<bool> = units.iter().map(|unit| *unit > 0.0).collect();
    units.iter_mut().filter(|unit| **unit == 0.0).for_each(|unit| *unit = f64::INFINITY);
    let mut light = vec![false; n];
    // A part that hangs on light parts alone is found once these have units.
    loop {
        let mut next = vec![f64::INFINITY; n];
        for row in 0..rows.0.height() {
            for (column, value) in entries(rows, row).filter(|(_, value)| *value != 0.0) {
                let unit = units[column];
                let is_heavier = |k: usize| units[k].is_finite() && unit * unit * LIGHT >= units[k].powi(2);
                let heavier = entries(rows, row).filter(|(k, _)| is_heavier(*k));
                let own = heavier.map(|(k, value)| (units[k] * value).powi(2)).sum::<f64>();
                if own > 0.0 && !light[column] && (unit * value).powi(2) * LIGHT >= own {
                    next[column] = next[column].min(own.sqrt() / value.abs());
                }
            }
        }
        let found: Vec<usize> = (0..n).filter(|column| next[*column].is_finite()).collect();
        if found.is_empty() {
            break;
        }
        found.into_iter().for_each(|column| (units[column], light[column]) = (next[column], true));
    }
    let listed = |light: &[bool]| (0..n).filter(|column| light[*column] && has_mass[*column]).collect();
    let mut parts: Vec<usize> = listed(&light);
    if parts.is_empty() {
        return parts;
    }
    units.iter_mut().filter(|unit| unit.is_infinite()).for_each(|unit| *unit = 0.0);
    by_rows(rows, &mut units);
    let length = |row| entries(rows, row).map(|(k, value)| (units[k] * value).powi(2)).sum::<f64>();
    let of_rows = (0..rows.0.height()).map(length).map(|sum| if sum > 0.0 { 1.0 / sum.sqrt() } else { 1.0 });
    let scales: Vec<f64> = units.iter().copied().chain(of_rows).collect();
    let Some(mut matrix) = Proximal::new(n, mass.entries(), &[rows.0]) else { return Vec::new() };
    matrix.accept_small_pivots();
    // A direction that rows leave free moves as far as the small masses allow: its parts need theirs.
    while !parts.is_empty() {
        let of_mass = mass.entries().zip(masses).map(|((i, j), value)| {
            let soft = [i, j].iter().any(|k| light[*k] || !has_mass[*k]);
            let of_soft = if i == j { NONE / units[i].powi(2) } else { 0.0 };
            ((i, j), if soft { of_soft } else { *value })
        });
        let of_rows = rows.0.entries().zip(rows.1).map(|((row, column), value)| ((n + row, column), *value));
        let both = of_mass.chain(of_rows).flat_map(|((i, j), value)| [(i, j, value), (j, i, value)]);
        let placed: Vec<(u32, f64)> = both.map(|(i, j, value)| (matrix.place(i, j), value)).collect();
        let fill =
            |values: &mut [f64]| placed.iter().for_each(|(place, value)| values[*place as usize] = *value);
        let factored = matrix.factor(&scales, fill);
        let mut x: Vec<f64> = scales.iter().enumerate().map(|(k, s)| probe(k, n) / s).collect();
        matrix.solve(&mut x);
        let move_of = |column: usize| (x[column] / units[column]).abs();
        let largest = parts.iter().fold(0.0_f64, |most, column| most.max(move_of(*column)));
        if factored.is_err() || !largest.is_finite() {
            return Vec::new();
        }
        if largest * HELD <= 1.0 {
            break;
        }
        let free: Vec<usize> =
            parts.iter().copied().filter(|column| move_of(*column) >= PART * largest).collect();
        free.into_iter().for_each(|column| light[column] = false);
        parts = listed(&light);
    }
    parts
}

/// A vector that no motion of a mechanism is orthogonal to: a low-discrepancy sequence of velocities.
fn probe(index: usize, n: usize) -> f64 {
    if index < n { 0.5 + (0.618_033_988_749_894_9 * (index + 1) as f64).fract() } else { 0.0 }
}

impl Carried for Units {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        self.light.resize(memory.length(self.light.len())?, 0);
        self.light.iter_mut().try_for_each(|index| index.carry(memory))
    }
}

/// The units of the unknowns of a saddle point system with a mass M and rows B.
///
/// In these units the diagonal of M is 1, and the longest
/// row has the length 1 in the metric of diag M⁻¹.
///
/// The rows have one common unit, which keeps the least norm of y; unless their lengths differ by more
/// than a factor [ten](SPREAD).
/// The rows that hold a coordinate without mass, or a [light](Units) one, give its unit.
#[derive(Debug)]
pub(crate) struct Scales {
    of_unknowns: Vec<f64>,
    /// Σ_j B_cj² / M_jj, and then the [weights] of the rows.
    squares: Vec<f64>,
    units: Units,
}

impl Scales {
    pub(crate) fn new(free: usize, rows: usize) -> Self {
        Self { of_unknowns: vec![1.0; free + rows], squares: vec![0.0; rows], units: Units::default() }
    }

    /// The unit of each unknown, by which it is divided.
    pub(crate) fn of_unknowns(&self) -> &[f64] {
        &self.of_unknowns
    }

    /// Takes the units for a mass and rows, in the order of their patterns.
    pub(crate) fn measure(&mut self, mass: Mass<'_>, (rows, values): RowValues<'_>) {
        let (free, constrained) = self.of_unknowns.split_at_mut(mass.0.dimension());
        self.units.measure(mass, (rows, values), free);
        for (row, square) in self.squares.iter_mut().enumerate() {
            let place = rows.row(row);
            let entries = rows.columns()[place.clone()].iter().zip(&values[place]);
            *square = entries.map(|(column, value)| (free[*column as usize] * value).powi(2)).sum();
        }
        weights(&mut self.squares);
        for (scale, weight) in constrained.iter_mut().zip(&self.squares) {
            *scale = 1.0 / weight.sqrt();
        }
    }
}

carried!([] Scales { units } besides { of_unknowns, squares });
