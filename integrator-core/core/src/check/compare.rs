//! Numbers from kernels beside numbers from dual numbers, and the distance that rounding explains.

use serde::Serialize;

/// One quantity of the kernels beside dual numbers, at its worst entry.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    /// The name of the quantity.
    pub quantity: &'static str,
    /// The number of entries compared one by one.
    pub entries: usize,
    /// The number of all its entries.
    pub of: usize,
    /// True if a sum with random weights compares all entries at once, too.
    pub summed: bool,
    /// The entry that differs most in units of `allowed`, by coordinates and equations.
    pub entry: String,
    /// The value of this entry from the kernels.
    pub kernel: f64,
    /// The value of this entry in dual numbers.
    pub dual: f64,
    /// The distance of both values.
    pub difference: f64,
    /// The distance that rounding explains.
    pub allowed: f64,
    /// True if rounding explains all distances; also where dual
    /// numbers have no value, at points without a derivative.
    pub agrees: bool,
}

/// Relative to the largest entry, the distance of two sums of equal terms in different orders.
const ROUNDING: f64 = 1e-12;
/// The allowed distance in units of the change from perturbing the last digits.
const PERTURBED: f64 = 100.0;

/// The place of a number in a vector or a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// An entry, by row and column.
    Entry(usize, usize),
    /// The weighted sum of all entries.
    Sum,
}

/// An entry, or the weighted sum of all entries, from kernels and in dual numbers.
#[derive(Debug)]
pub struct Compared {
    /// Its place.
    pub place: Place,
    /// Its value from the kernels.
    pub kernel: f64,
    /// Its value in dual numbers.
    pub dual: f64,
    /// The largest change of the kernel's value when the last digits of the point change.
    pub change: f64,
    /// The sum of the magnitudes of the terms, for a weighted sum.
    pub magnitude: Option<f64>,
}

impl Compared {
    /// The distance that rounding explains, where the entries are at most `largest`.
    pub(super) fn allowed(&self, largest: f64) -> f64 {
        ROUNDING * self.magnitude.unwrap_or(largest) + PERTURBED * self.change
    }

    /// The distance in units of the allowed one; infinite where the kernel is not a number.
    ///
    /// Zero where dual numbers are not finite: the point has no derivative, as a distance at zero.
    pub(super) fn measure(&self, largest: f64) -> f64 {
        let difference = (self.kernel - self.dual).abs();
        match difference {
            _ if !self.dual.is_finite() => 0.0,
            0.0 => 0.0,
            _ if difference.is_nan() => f64::INFINITY,
            _ => difference / self.allowed(largest),
        }
    }
}

/// The largest magnitude of an entry in dual numbers, or `natural`, if that is larger.
pub(super) fn largest_of(entries: &[Compared], natural: f64) -> f64 {
    let single = entries.iter().filter(|entry| entry.magnitude.is_none());
    single.fold(natural, |largest: f64, entry| largest.max(entry.dual.abs()))
}

/// The entry with the largest measure, and this measure; `None` without entries.
pub fn worst(entries: &[Compared], largest: f64) -> Option<(&Compared, f64)> {
    let mut worst: Option<(&Compared, f64)> = None;
    for entry in entries {
        let measure = entry.measure(largest);
        if worst.is_none_or(|(_, known)| measure > known) {
            worst = Some((entry, measure));
        }
    }
    worst
}
