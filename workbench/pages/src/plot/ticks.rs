//! Where an axis has its numbers.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::coord::types::RangedCoordf64;

use super::axis::Axis;

/// A range with its numbers: those of the backend end where a range is shorter than the rounding of one.
pub(super) struct Numbered {
    range: RangedCoordf64,
    at: Vec<f64>,
}

impl Numbered {
    pub(super) fn new(range: (f64, f64), axis: &Axis) -> Self {
        let at = if axis.is_logarithmic { logarithmic_ticks(range) } else { ticks(range) };
        Self { range: (range.0..range.1).into(), at }
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
fn ticks((low, high): (f64, f64)) -> Vec<f64> {
    let least = (high - low) / (MOST - 1.0);
    let power = 10.0_f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0].into_iter().map(|digit| digit * power).find(|step| *step >= least);
    let step = step.unwrap_or(10.0 * power);
    let (first, last) = ((low / step).ceil(), (high / step).floor());
    let count = (last - first).clamp(0.0, 2.0 * MOST) as u32;
    (0..=count).map(|k| (first + f64::from(k)) * step).filter(|tick| (low..=high).contains(tick)).collect()
}

/// The logarithms of numbers in a range of logarithms: powers of ten, or, where there are less than two of them, also 2 and 5 times them, or
/// multiples as on any other axis.
fn logarithmic_ticks((low, high): (f64, f64)) -> Vec<f64> {
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

#[cfg(test)]
mod tests {
    use super::{logarithmic_ticks, ticks};

    #[test]
    fn a_few_round_numbers_stand_at_ranges_of_any_size() {
        for scale in [1e-300, 1e-24, 1e-18, 1e-9, 1.0, 1e12, 1e200] {
            for (low, high) in [(0.0, 1.0), (-0.3, 0.9), (-7.0, -2.0), (4.1, 4.17), (0.0, 1.99)] {
                let all = ticks((scale * low, scale * high));
                assert!((3..=8).contains(&all.len()), "{scale}: {low} to {high}: {all:?}");
                assert!(all.iter().all(|tick| (scale * low..=scale * high).contains(tick)));
                let step = all[1] - all[0];
                assert!(all.windows(2).all(|pair| (pair[1] - pair[0] - step).abs() < 1e-6 * step));
                let digit = step / 10.0_f64.powf(step.log10().floor());
                let is_round = [1.0, 2.0, 5.0, 10.0].iter().any(|round| (digit - round).abs() < 1e-6);
                assert!(is_round, "{step}");
            }
        }
    }

    #[test]
    fn logarithmic_axes_have_powers_of_ten_or_a_few_numbers_between() {
        assert_eq!(logarithmic_ticks((-3.2, 0.1)), [-3.0, -2.0, -1.0, 0.0]);
        let wide = logarithmic_ticks((-16.5, 2.0));
        assert_eq!(wide, [-15.0, -12.0, -9.0, -6.0, -3.0, 0.0]);
        let narrow = logarithmic_ticks((-3.1, -1.6));
        let expected = [1e-3, 2e-3, 5e-3, 1e-2, 2e-2_f64].map(f64::log10);
        assert!(narrow.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-12), "{narrow:?}");
        assert_eq!(narrow.len(), 5);
        let narrower = logarithmic_ticks((0.31, 0.42));
        assert!((3..=8).contains(&narrower.len()), "{narrower:?}");
    }
}
