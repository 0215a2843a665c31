//! The parts of one quantity that are compared with dual numbers: single entries, and sums of all entries with random weights.

use super::compare::{Compared, Random, largest_of};
use super::differences::{Picked, noise};
use super::entries::Direction;
use super::place::Place;
use crate::sparse::{RowPattern, SymmetricPattern};

/// All numbers below `count`, or `room` of them.
pub(super) fn some(count: usize, room: usize, random: &mut Random) -> Vec<usize> {
    if count <= room {
        return (0..count).collect();
    }
    let mut chosen: Vec<usize> = (0..room).map(|_| random.below(count)).collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

/// All pairs (row, column) with column ≤ row below `count`, or `room` of them, half of those where `pattern` has an entry.
pub(super) fn some_pairs(
    count: usize,
    pattern: &SymmetricPattern,
    room: usize,
    random: &mut Random,
) -> Vec<(usize, usize)> {
    if count * (count + 1) / 2 <= room {
        return (0..count).flat_map(|row| (0..=row).map(move |column| (row, column))).collect();
    }
    let column_of = |place: usize| pattern.starts().partition_point(|&start| start <= place) - 1;
    let mut chosen: Vec<(usize, usize)> = (0..room)
        .map(|k| {
            if k % 2 == 0 && !pattern.is_empty() {
                let place = random.below(pattern.len());
                (pattern.rows()[place] as usize, column_of(place))
            } else {
                let (row, column) = (random.below(count), random.below(count));
                (row.max(column), row.min(column))
            }
        })
        .collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

/// The storage of the entries of a vector or a matrix.
#[derive(Debug, Clone, Copy)]
pub(super) enum Stored<'p> {
    /// One after the other: a matrix of one column.
    Vector,
    /// The lower triangle of a symmetric matrix.
    Symmetric(&'p SymmetricPattern),
    /// By rows.
    Rows(&'p RowPattern),
}

impl Stored<'_> {
    fn entry(self, values: &[f64], row: usize, column: usize) -> f64 {
        let place = match self {
            Self::Vector => Some(row),
            Self::Symmetric(pattern) => pattern.position(row, column),
            Self::Rows(pattern) => pattern.position(row, column),
        };
        place.map_or(0.0, |place| values[place])
    }

    /// Calls `visit` with (row, column, value) for both triangles of what is stored.
    fn each(self, values: &[f64], visit: &mut dyn FnMut(usize, usize, f64)) {
        match self {
            Self::Vector => values.iter().enumerate().for_each(|(row, value)| visit(row, 0, *value)),
            Self::Symmetric(pattern) => {
                for ((row, column), value) in pattern.entries().zip(values) {
                    visit(row, column, *value);
                    if row != column {
                        visit(column, row, *value);
                    }
                }
            }
            Self::Rows(pattern) => {
                for ((row, column), value) in pattern.entries().zip(values) {
                    visit(row, column, *value);
                }
            }
        }
    }
}

/// Σ a E b of a matrix E in dual numbers, at any point.
pub(super) type Dual<'p> = &'p dyn Fn(&[f64], Direction<'_>, Direction<'_>) -> f64;

/// Weights of rows and of columns.
pub(super) type Weights = (Vec<f64>, Vec<f64>);

/// One quantity of the kernels at the point and near it, beside dual numbers.
pub(super) struct Parts<'p> {
    pub(super) quantity: &'static str,
    /// The number of all entries.
    pub(super) of: usize,
    /// The entries that are compared one by one.
    pub(super) chosen: Vec<(usize, usize)>,
    pub(super) stored: Stored<'p>,
    /// The stored entries from the kernels.
    pub(super) here: Vec<f64>,
    /// Those at points that differ in the last digits.
    pub(super) perturbed: Vec<Vec<f64>>,
    /// The weights of the sums.
    pub(super) weights: Vec<Weights>,
    /// The size of entries of which nothing cancels, where it is known from the derivative of one order less.
    pub(super) natural: f64,
    /// The point.
    pub(super) at: &'p [f64],
    /// A way in which points near it lie, in the lengths of the coordinates.
    pub(super) way: Vec<f64>,
    /// The stored entries from the kernels, at any point.
    pub(super) kernel: &'p dyn Fn(&[f64]) -> Vec<f64>,
    /// Σ a E b in dual numbers, at any point.
    pub(super) dual: Dual<'p>,
    /// The name of an entry, or of a row.
    pub(super) name: &'p dyn Fn(usize, Option<usize>) -> String,
}

impl Parts<'_> {
    /// True if some entries are compared in sums alone.
    pub(super) fn summed(&self) -> bool {
        self.chosen.len() < self.of && !self.weights.is_empty()
    }

    pub(super) fn name(&self, place: Place) -> String {
        match place {
            Place::Entry(row, column) => (self.name)(row, Some(column)),
            Place::Row(row) => format!("{} along a random direction", (self.name)(row, None)),
            Place::Sum => "the sum of all with random weights".to_owned(),
        }
    }

    /// The numbers that are compared with dual numbers. Where a sum differs, the entry at fault is looked for.
    pub(super) fn compared(&self) -> Vec<Compared> {
        let mut compared: Vec<Compared> =
            self.chosen.iter().map(|&(row, column)| self.entry(row, column)).collect();
        self.forgive_rounding(&mut compared);
        if self.summed() {
            for (a, b) in &self.weights {
                let mut sum = [self.sum(a, b)];
                self.forgive_rounding(&mut sum);
                if sum[0].measure(0.0) > 1.0 {
                    let (row, column) = self.find(a, b);
                    compared.push(self.entry(row, column));
                }
                compared.extend(sum);
            }
        }
        compared
    }

    /// Where all terms of a quantity cancel, what is left of them is rounding, of which neither its size nor the last digits of
    /// the point tell anything. So before a number counts as wrong, the rounding of both derivations is measured.
    fn forgive_rounding(&self, compared: &mut [Compared]) {
        let largest = largest_of(compared, self.natural);
        loop {
            let measured = compared.iter().map(|entry| entry.measure(largest)).enumerate();
            let Some((worst, measure)) = measured.max_by(|one, other| one.1.total_cmp(&other.1)) else {
                return;
            };
            if measure <= 1.0 {
                return;
            }
            let entry = &mut compared[worst];
            entry.change += self.rounding(entry.place);
            // One that is wrong is enough.
            if entry.measure(largest) > 1.0 {
                return;
            }
        }
    }

    /// The rounding of a number, in the kernels and in dual numbers.
    fn rounding(&self, place: Place) -> f64 {
        let Some((a, b)) = (match place {
            Place::Entry(row, column) => Some((Direction::Unit(row), Direction::Unit(column))),
            Place::Sum => self.weights.first().map(|(a, b)| (Direction::Any(a), Direction::Any(b))),
            Place::Row(_) => None,
        }) else {
            return 0.0;
        };
        let both = noise(&|s| {
            let x: Vec<f64> = self.at.iter().zip(&self.way).map(|(x, way)| x + s * way).collect();
            let values = (self.kernel)(&x);
            let mut kernel = 0.0;
            match place {
                Place::Entry(row, column) => kernel = self.stored.entry(&values, row, column),
                _ => self.stored.each(&values, &mut |row, column, value| {
                    kernel += a.at(row)
                        * if let Stored::Vector = self.stored { value } else { b.at(column) * value };
                }),
            }
            vec![kernel, (self.dual)(&x, a, b)]
        });
        both[0].max(both[1])
    }

    fn entry(&self, row: usize, column: usize) -> Compared {
        let kernel = |values: &[f64]| self.stored.entry(values, row, column);
        let dual = (self.dual)(self.at, Direction::Unit(row), Direction::Unit(column));
        self.beside(Place::Entry(row, column), &kernel, dual, None)
    }

    fn sum(&self, a: &[f64], b: &[f64]) -> Compared {
        let weight = |row: usize, column: usize| match self.stored {
            Stored::Vector => a[row],
            _ => a[row] * b[column],
        };
        let kernel = |values: &[f64]| {
            let mut sum = 0.0;
            self.stored.each(values, &mut |row, column, value| sum += weight(row, column) * value);
            sum
        };
        let mut magnitude = 0.0;
        self.stored
            .each(&self.here, &mut |row, column, value| magnitude += (weight(row, column) * value).abs());
        let dual = (self.dual)(self.at, Direction::Any(a), Direction::Any(b));
        self.beside(Place::Sum, &kernel, dual, Some(magnitude))
    }

    fn beside(
        &self,
        place: Place,
        kernel: &dyn Fn(&[f64]) -> f64,
        dual: f64,
        magnitude: Option<f64>,
    ) -> Compared {
        let (kernel, change) = self.with_change(kernel);
        Compared { place, kernel, dual, change, magnitude }
    }

    /// A number of the kernels, and its largest change when the last digits of the point change.
    fn with_change(&self, kernel: &dyn Fn(&[f64]) -> f64) -> (f64, f64) {
        let here = kernel(&self.here);
        let change = |change: f64, values: &Vec<f64>| change.max((kernel(values) - here).abs());
        (here, self.perturbed.iter().fold(0.0, change))
    }

    /// The entry at which a sum differs, by halving: first the rows, then the columns.
    fn find(&self, a: &[f64], b: &[f64]) -> (usize, usize) {
        let (row, a) = halved(a, &|a| self.sum(a, b).measure(0.0));
        match self.stored {
            Stored::Vector => (row, 0),
            _ => (row, halved(b, &|b| self.sum(&a, b).measure(0.0)).0),
        }
    }

    /// An entry, beside the entry `of` of differences.
    pub(super) fn picked(&self, row: usize, column: usize, of: usize) -> Picked {
        let (kernel, change) = self.with_change(&|values| self.stored.entry(values, row, column));
        Picked { of, place: Place::Entry(row, column), kernel, change }
    }

    /// The sum of a vector, beside differences of a scalar.
    pub(super) fn picked_sum(&self, a: &[f64]) -> Picked {
        let Compared { kernel, change, .. } = self.beside(
            Place::Sum,
            &|values| a.iter().zip(values).map(|(a, value)| a * value).sum(),
            0.0,
            None,
        );
        Picked { of: 0, place: Place::Sum, kernel, change }
    }

    /// All rows whose weight is not zero, along b, beside those entries of differences.
    pub(super) fn picked_rows(&self, a: &[f64], b: &[f64]) -> Vec<Picked> {
        let along = |values: &[f64]| {
            let mut rows = vec![0.0; a.len()];
            self.stored.each(values, &mut |row, column, value| rows[row] += value * b[column]);
            rows
        };
        let here = along(&self.here);
        let mut change = vec![0.0_f64; a.len()];
        for values in &self.perturbed {
            for ((change, there), here) in change.iter_mut().zip(along(values)).zip(&here) {
                *change = change.max((there - here).abs());
            }
        }
        (0..a.len())
            .filter(|&row| a[row] != 0.0)
            .map(|of| Picked { of, place: Place::Row(of), kernel: here[of], change: change[of] })
            .collect()
    }
}

/// The index at which a sum differs most, with the weights of that one alone.
fn halved(weights: &[f64], differs: &dyn Fn(&[f64]) -> f64) -> (usize, Vec<f64>) {
    let part = |from: usize, to: usize| {
        let mut part = vec![0.0; weights.len()];
        part[from..to].copy_from_slice(&weights[from..to]);
        part
    };
    let (mut from, mut to) = (0, weights.len());
    while to - from > 1 {
        let middle = from + (to - from) / 2;
        if differs(&part(from, middle)) >= differs(&part(middle, to)) {
            to = middle;
        } else {
            from = middle;
        }
    }
    (from, part(from, to))
}
