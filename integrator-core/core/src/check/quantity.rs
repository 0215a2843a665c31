//! One quantity: sums of all entries with random weights, from kernels and in dual numbers.

use super::compare::{Compared, Comparison};
use super::noise::noise;
use super::random::Random;
use crate::sparse::{RowPattern, SymmetricPattern};

/// The last digits of a perturbed point.
const DIGITS: f64 = 4.0 * f64::EPSILON;

/// The distances from a point without a derivative, in lengths, at which its limit is sought.
const NEAR: [f64; 2] = [1e-60, 1e-9];
/// The number of sides from which the point is approached.
const SIDES: usize = 6;
/// Relative to their size, the distance of values that are one.
const ONE: f64 = 1e-10;

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
    /// Σ a E b over the stored entries that have a weight, and Σ |a E b|; for a vector, without b.
    fn sum(self, values: &[f64], a: &[f64], b: &[f64]) -> [f64; 2] {
        let (mut sum, mut magnitude) = (0.0, 0.0);
        let mut add = |weight: f64, value: &f64| {
            if weight != 0.0 {
                sum += weight * value;
                magnitude += (weight * value).abs();
            }
        };
        match self {
            Self::Vector => a.iter().zip(values).for_each(|(a, value)| add(*a, value)),
            Self::Symmetric(pattern) => {
                for ((row, column), value) in pattern.entries().zip(values) {
                    add(a[row] * b[column], value);
                    if row != column {
                        add(a[column] * b[row], value);
                    }
                }
            }
            Self::Rows(pattern) => {
                for ((row, column), value) in pattern.entries().zip(values) {
                    add(a[row] * b[column], value);
                }
            }
        }
        [sum, magnitude]
    }
}

/// All entries of a quantity at a point.
pub(super) type Kernel<'q> = &'q dyn Fn(&[f64]) -> Vec<f64>;

/// Σ a E b of a matrix E at a point, in dual numbers.
pub(super) type Dual<'q> = &'q dyn Fn(&[f64], &[f64], &[f64]) -> f64;

/// Weights of rows and of columns.
pub(super) type Weights = (Vec<f64>, Vec<f64>);

/// A quantity by both routes.
pub(super) struct Quantity<'q> {
    pub(super) name: &'static str,
    /// The number of all entries.
    pub(super) entries: usize,
    pub(super) stored: Stored<'q>,
    /// The weights of each sum.
    pub(super) weights: Vec<Weights>,
    /// The point, and the length in which each of its entries moves.
    pub(super) at: (&'q [f64], &'q [f64]),
    pub(super) kernel: Kernel<'q>,
    pub(super) dual: Dual<'q>,
    /// The name of an entry.
    pub(super) entry: &'q dyn Fn(usize, usize) -> String,
}

impl Quantity<'_> {
    /// The sum that differs most, or the entry at its fault; `None` where the quantity has no entries.
    pub(super) fn comparison(&self, random: &mut Random) -> Option<Comparison> {
        if self.entries == 0 {
            return None;
        }
        let (x, _) = self.at;
        let mut near = || x.iter().map(|x| x * (1.0 + DIGITS * random.signed())).collect::<Vec<f64>>();
        // The entries at the point, and at points that differ in the last digits.
        let values: Vec<Vec<f64>> =
            std::iter::once((self.kernel)(x)).chain((0..3).map(|_| (self.kernel)(&near()))).collect();
        let sums = self.weights.iter().map(|(a, b)| {
            let mut sum = self.sum(&values, a, b);
            if sum.measure() > 1.0 {
                // Where all terms cancel, neither their sizes nor the digits tell their rounding.
                sum.change += self.rounding(a, b);
            }
            (sum, (a, b))
        });
        let (sum, (a, b)) = sums.max_by(|(one, _), (other, _)| one.measure().total_cmp(&other.measure()))?;
        // A sum that differs while its entries agree has the rounding of terms that cancel.
        let at_fault = (sum.measure() > 1.0).then(|| self.find(&values, a, b));
        let at_fault = at_fault.filter(|(entry, _)| entry.measure() > 1.0);
        let agrees = at_fault.is_none();
        let (found, entry) = at_fault.unwrap_or_else(|| (sum, "the sum of all".to_owned()));
        Some(Comparison {
            quantity: self.name,
            entries: self.entries,
            entry,
            kernel: found.kernel,
            dual: found.dual,
            difference: (found.kernel - found.dual).abs(),
            allowed: found.allowed(),
            agrees,
            not_compared: !(agrees || found.dual.is_finite()),
        })
    }

    fn sum(&self, values: &[Vec<f64>], a: &[f64], b: &[f64]) -> Compared {
        let [kernel, magnitude] = self.stored.sum(&values[0], a, b);
        let changes = values[1..].iter().map(|there| (self.stored.sum(there, a, b)[0] - kernel).abs());
        let change = changes.fold(0.0, f64::max);
        let dual = (self.dual)(self.at.0, a, b);
        if dual.is_finite() {
            return Compared { kernel, dual, change, magnitude };
        }
        let Some((dual, spread)) = self.limit(a, b) else {
            return Compared { kernel, dual, change, magnitude };
        };
        // Beside the point terms may cancel that are zero there.
        Compared { kernel, dual, change: change.max(spread) + self.rounding(a, b), magnitude }
    }

    /// The limit in dual numbers from all sides, and the distance of their values near the point;
    /// `None` if they do not come together.
    ///
    /// First entries that are zero move alone, by so little that nothing else changes.
    fn limit(&self, a: &[f64], b: &[f64]) -> Option<(f64, f64)> {
        let (at, lengths) = self.at;
        let values = |distance: f64| {
            let mut random = Random::new(0);
            let mut spread = [f64::INFINITY, f64::NEG_INFINITY];
            for _ in 0..SIDES {
                let to = random.direction(lengths);
                let x: Vec<f64> = at.iter().zip(&to).map(|(x, to)| x + distance * to).collect();
                let value = (self.dual)(&x, a, b);
                if !value.is_finite() {
                    return None;
                }
                spread = [spread[0].min(value), spread[1].max(value)];
            }
            Some(spread)
        };
        NEAR.into_iter().find_map(|distance| {
            let ([low, high], [least, most]) = (values(distance)?, values(distance / 16.0)?);
            let comes_together = most - least <= 0.5 * (high - low);
            let is_one = most - least <= ONE * least.abs().max(most.abs());
            (comes_together || is_one).then_some((0.5 * (least + most), most - least))
        })
    }

    /// The larger rounding of a sum in the kernels and in dual numbers.
    ///
    /// Its weights grow along with the point: derivatives of polynomials may be the same at all points.
    fn rounding(&self, a: &[f64], b: &[f64]) -> f64 {
        let (at, lengths) = self.at;
        let both = noise(&|s| {
            let x: Vec<f64> = at.iter().zip(lengths).map(|(x, length)| x + s * length).collect();
            let a: Vec<f64> = a.iter().map(|a| a * (1.0 + s)).collect();
            vec![self.stored.sum(&(self.kernel)(&x), &a, b)[0], (self.dual)(&x, &a, b)]
        });
        both[0].max(both[1])
    }

    /// The entry at which a sum differs, with its name, by halving: first the rows, then the columns.
    fn find(&self, values: &[Vec<f64>], a: &[f64], b: &[f64]) -> (Compared, String) {
        let row = halved(a, &|a| self.sum(values, a, b).measure());
        let of_row = unit(row, a.len());
        let column = match self.stored {
            Stored::Vector => 0,
            _ => halved(b, &|b| self.sum(values, &of_row, b).measure()),
        };
        let of_column = unit(column, b.len());
        let mut found = self.sum(values, &of_row, &of_column);
        if found.measure() > 1.0 {
            found.change += self.rounding(&of_row, &of_column);
        }
        (found, (self.entry)(row, column))
    }
}

/// The unit vector of one index.
fn unit(index: usize, length: usize) -> Vec<f64> {
    (0..length).map(|k| if k == index { 1.0 } else { 0.0 }).collect()
}

/// The index at which a sum differs most, with its weight alone.
fn halved(weights: &[f64], differs: &dyn Fn(&[f64]) -> f64) -> usize {
    let part = |from: usize, to: usize| {
        let mut part = vec![0.0; weights.len()];
        part[from..to].copy_from_slice(&weights[from..to]);
        differs(&part)
    };
    let (mut from, mut to) = (0, weights.len());
    while to - from > 1 {
        let middle = from + (to - from) / 2;
        if part(from, middle) >= part(middle, to) {
            to = middle;
        } else {
            from = middle;
        }
    }
    from
}
