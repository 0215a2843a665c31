//! Where an axis has its numbers.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::coord::types::RangedCoordf64;

use crate::quantities::axis::Axis;

/// A range with its numbers: the numbers of the backend end where a range is shorter than its rounding.
pub(super) struct Numbered {
    range: RangedCoordf64,
    at: Vec<f64>,
}

impl Numbered {
    pub(super) fn new(range: (f64, f64), axis: &Axis) -> Self {
        let at = if axis.is_logarithmic { logarithmic_ticks(range) } else { ticks(range) };
        Self { range: (range.0..range.1).into(), at }
    }

    pub(super) fn numbers(&self) -> &[f64] {
        &self.at
    }
}

impl Ranged for Numbered {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        self.range.map(value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() { Vec::new() } else { self.at.clone() }
    }

    fn range(&self) -> Range<f64> {
        self.range.range()
    }
}

/// The numbers of an axis at most.
const MOST: f64 = 8.0;

/// Multiples of 1, 2 or 5 times a power of ten in a range, a few, however small the range is.
pub fn ticks((low, high): (f64, f64)) -> Vec<f64> {
    let least = (high - low) / (MOST - 1.0);
    let power = 10.0_f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0].into_iter().map(|digit| digit * power).find(|step| *step >= least);
    let step = step.unwrap_or(10.0 * power);
    let (first, last) = ((low / step).ceil(), (high / step).floor());
    let count = (last - first).clamp(0.0, 2.0 * MOST) as u32;
    (0..=count).map(|k| (first + f64::from(k)) * step).filter(|tick| (low..=high).contains(tick)).collect()
}

/// The logarithms of numbers in a range of logarithms: powers of ten; where fewer than two fit, also 2
/// and 5 times them; or multiples as on any other axis.
pub fn logarithmic_ticks((low, high): (f64, f64)) -> Vec<f64> {
    let decades = high - low;
    if decades >= 2.0 {
        let stride = (decades / MOST).ceil();
        let first = (low / stride).ceil();
        let count = (decades / stride) as u32 + 1;
        let all = (0..=count).map(|k| (first + f64::from(k)) * stride);
        return all.filter(|power| *power <= high).collect();
    }
    let powers = (low.floor() as i32..=high.ceil() as i32).map(f64::from);
    let some = powers.flat_map(|power| [1.0_f64, 2.0, 5.0].map(|digit| power + digit.log10()));
    let some: Vec<f64> = some.filter(|logarithm| (low..=high).contains(logarithm)).collect();
    if some.len() >= 3 {
        return some;
    }
    ticks((10.0_f64.powf(low), 10.0_f64.powf(high))).into_iter().map(f64::log10).collect()
}
