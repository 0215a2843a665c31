//! One quantity: single entries and sums of all entries
//! with random weights, from kernels and in dual numbers.

use super::compare::{Compared, Comparison, Place, largest_of, worst};
use super::entries::Direction;
use super::noise::noise;
use super::random::Random;
use crate::sparse::{RowPattern, SymmetricPattern};

/// The last digits of a perturbed point.
const DIGITS: f64 = 4.0 * f64::EPSILON;

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

    /// Calls `visit` with (row, column, value) for each entry, of both triangles.
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

    /// Σ a E b over the stored entries, and Σ |a E b|; for a vector, without b.
    fn sum(self, values: &[f64], a: Direction<'_>, b: Direction<'_>) -> [f64; 2] {
        let (mut sum, mut magnitude) = (0.0, 0.0);
        self.each(values, &mut |row, column, value| {
            let of_column = if let Self::Vector = self { 1.0 } else { b.at(column) };
            let term = a.at(row) * of_column * value;
            sum += term;
            magnitude += term.abs();
        });
        [sum, magnitude]
    }
}

/// All entries of a quantity at a point.
pub(super) type Kernel<'q> = &'q dyn Fn(&[f64]) -> Vec<f64>;

/// Σ a E b of a matrix E at a point, in dual numbers.
pub(super) type Dual<'q> = &'q dyn Fn(&[f64], Direction<'_>, Direction<'_>) -> f64;

/// Weights of rows and of columns.
pub(super) type Weights = (Vec<f64>, Vec<f64>);

/// A quantity by both routes.
pub(super) struct Quantity<'q> {
    pub(super) name: &'static str,
    /// The number of all entries.
    pub(super) of: usize,
    /// The entries compared one by one.
    pub(super) chosen: Vec<(usize, usize)>,
    pub(super) stored: Stored<'q>,
    /// The weights of each sum.
    pub(super) weights: Vec<Weights>,
    /// The size of entries without cancellation, where the
    /// derivative of one order less tells it; or zero.
    pub(super) natural: f64,
    /// The point, and the length in which each of its entries moves.
    pub(super) at: (&'q [f64], &'q [f64]),
    pub(super) kernel: Kernel<'q>,
    pub(super) dual: Dual<'q>,
    /// The name of an entry.
    pub(super) entry: &'q dyn Fn(usize, usize) -> String,
}

/// A quantity with its entries from the kernels, at the point and near it.
pub(super) struct Evaluated<'q> {
    quantity: Quantity<'q>,
    here: Vec<f64>,
    /// At points that differ in the last digits.
    perturbed: Vec<Vec<f64>>,
}

impl<'q> Evaluated<'q> {
    pub(super) fn new(quantity: Quantity<'q>, random: &mut Random) -> Self {
        let (x, _) = quantity.at;
        let mut near = || x.iter().map(|x| x * (1.0 + DIGITS * random.signed())).collect::<Vec<f64>>();
        Self {
            here: (quantity.kernel)(x),
            perturbed: (0..3).map(|_| (quantity.kernel)(&near())).collect(),
            quantity,
        }
    }

    /// The worst entry; `None` where the quantity has no entries.
    pub(super) fn comparison(&self) -> Option<Comparison> {
        let Quantity { name, of, natural, entry, .. } = self.quantity;
        let entries = self.compared();
        let largest = largest_of(&entries, natural);
        let (worst, measure) = worst(&entries, largest)?;
        let Compared { place, kernel, dual, .. } = *worst;
        Some(Comparison {
            quantity: name,
            entries: entries.iter().filter(|entry| entry.place != Place::Sum).count(),
            of,
            summed: self.is_summed(),
            entry: match place {
                Place::Entry(row, column) => entry(row, column),
                Place::Sum => "the sum of all with random weights".to_owned(),
            },
            kernel,
            dual,
            difference: (kernel - dual).abs(),
            allowed: worst.allowed(largest),
            agrees: measure <= 1.0,
        })
    }

    /// True if sums alone compare some entries.
    fn is_summed(&self) -> bool {
        self.quantity.chosen.len() < self.quantity.of && !self.quantity.weights.is_empty()
    }

    /// The chosen entries and the sums. Where a sum differs, halving finds the entry at fault.
    fn compared(&self) -> Vec<Compared> {
        let Quantity { chosen, weights, .. } = &self.quantity;
        let mut compared: Vec<Compared> =
            chosen.iter().map(|&(row, column)| self.compare(Place::Entry(row, column), &[], &[])).collect();
        self.forgive_rounding(&mut compared, &[], &[]);
        for (a, b) in weights.iter().filter(|_| self.is_summed()) {
            let mut sum = [self.compare(Place::Sum, a, b)];
            self.forgive_rounding(&mut sum, a, b);
            if sum[0].measure(0.0) > 1.0 {
                let (row, column) = self.find(a, b);
                compared.push(self.compare(Place::Entry(row, column), &[], &[]));
            }
            compared.extend(sum);
        }
        compared
    }

    fn compare(&self, place: Place, a: &[f64], b: &[f64]) -> Compared {
        let Quantity { dual, at: (x, _), .. } = self.quantity;
        let [rows, columns] = directions(place, a, b);
        let [kernel, magnitude] = self.of_kernel(&self.here, place, [rows, columns]);
        let changes = self.perturbed.iter().map(|values| {
            let [there, _] = self.of_kernel(values, place, [rows, columns]);
            (there - kernel).abs()
        });
        Compared {
            place,
            kernel,
            change: changes.fold(0.0, f64::max),
            dual: dual(x, rows, columns),
            magnitude: (place == Place::Sum).then_some(magnitude),
        }
    }

    /// An entry or a sum of these stored values, and the sum of magnitudes.
    fn of_kernel(&self, values: &[f64], place: Place, [a, b]: [Direction<'_>; 2]) -> [f64; 2] {
        match place {
            Place::Entry(row, column) => [self.quantity.stored.entry(values, row, column); 2],
            Place::Sum => self.quantity.stored.sum(values, a, b),
        }
    }

    /// Measures the rounding of a number by both routes before it counts as wrong.
    ///
    /// Where all terms cancel, neither the size of the result nor the last digits of the point tell the
    /// rounding of the terms.
    fn forgive_rounding(&self, compared: &mut [Compared], a: &[f64], b: &[f64]) {
        let largest = largest_of(compared, self.quantity.natural);
        loop {
            let measured = compared.iter().map(|entry| entry.measure(largest)).enumerate();
            let Some((worst, measure)) = measured.max_by(|one, other| one.1.total_cmp(&other.1)) else {
                return;
            };
            if measure <= 1.0 {
                return;
            }
            let entry = &mut compared[worst];
            entry.change += self.rounding(directions(entry.place, a, b), entry.place);
            // One wrong number is enough.
            if entry.measure(largest) > 1.0 {
                return;
            }
        }
    }

    /// The larger rounding of a number in the kernels and in dual numbers.
    fn rounding(&self, [a, b]: [Direction<'_>; 2], place: Place) -> f64 {
        let Quantity { at: (at, lengths), kernel, dual, .. } = self.quantity;
        let both = noise(&|s| {
            let x: Vec<f64> = at.iter().zip(lengths).map(|(x, length)| x + s * length).collect();
            vec![self.of_kernel(&kernel(&x), place, [a, b])[0], dual(&x, a, b)]
        });
        both[0].max(both[1])
    }

    /// The entry at which a sum differs, by halving: first the rows, then the columns.
    fn find(&self, a: &[f64], b: &[f64]) -> (usize, usize) {
        let (row, a) = halved(a, &|a| self.compare(Place::Sum, a, b).measure(0.0));
        match self.quantity.stored {
            Stored::Vector => (row, 0),
            _ => (row, halved(b, &|b| self.compare(Place::Sum, &a, b).measure(0.0)).0),
        }
    }
}

/// The directions of rows and columns whose product is an entry, or the sum with these weights.
fn directions<'d>(place: Place, a: &'d [f64], b: &'d [f64]) -> [Direction<'d>; 2] {
    match place {
        Place::Entry(row, column) => [Direction::Unit(row), Direction::Unit(column)],
        Place::Sum => [Direction::Any(a), Direction::Any(b)],
    }
}

/// The index at which a sum differs most, with its weight alone.
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
