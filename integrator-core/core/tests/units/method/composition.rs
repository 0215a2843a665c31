//! The coefficients satisfy the order conditions.
//!
//! A symmetric method of order 2 is the flow of h X₁ + h³ X₃ + h⁵ X₅ + h⁷ X₇ + …, with unknown vector
//! fields X. So a composition has order p exactly if ∏ exp(γ X₁ + γ³ X₃ + …) = exp(X₁) up to degree p,
//! for non-commuting X_k of degree k. The products are formed in the algebra of words, truncated at
//! degree p, with numbers of twice the precision of `f64` and all printed digits of the coefficients.

use least_action_core::internals::method::coefficients;
use std::collections::BTreeMap;

/// high + low, without rounding: about 32 digits.
#[derive(Debug, Clone, Copy)]
struct Double {
    high: f64,
    low: f64,
}

impl Double {
    fn new(value: f64) -> Self {
        Self { high: value, low: 0.0 }
    }

    fn sum_of(a: f64, b: f64) -> Self {
        let high = a + b;
        let part = high - a;
        Self { high, low: (a - (high - part)) + (b - part) }
    }

    fn plus(self, other: Self) -> Self {
        let sum = Self::sum_of(self.high, other.high);
        Self::sum_of(sum.high, sum.low + self.low + other.low)
    }

    fn times(self, other: Self) -> Self {
        let high = self.high * other.high;
        let low = self.high.mul_add(other.high, -high) + self.high * other.low + self.low * other.high;
        Self::sum_of(high, low)
    }

    fn over(self, divisor: f64) -> Self {
        let quotient = self.high / divisor;
        let rest = self.plus(Self::new(divisor).times(Self::new(-quotient)));
        Self::sum_of(quotient, rest.high / divisor)
    }

    /// The number with these decimal digits.
    fn read(text: &str) -> Self {
        let (sign, digits) = text.strip_prefix('-').map_or((1.0, text), |rest| (-1.0, rest));
        let mut value = Self::new(0.0);
        for digit in digits.strip_prefix("0.").unwrap().chars().rev() {
            value = value.plus(Self::new(f64::from(digit.to_digit(10).unwrap()))).over(10.0);
        }
        value.times(Self::new(sign))
    }
}

/// Sums of words over the letters 1, 3, 5, 7, which have that degree.
type Series = BTreeMap<Vec<u32>, Double>;

fn product(left: &Series, right: &Series, order: u32) -> Series {
    let mut product = Series::new();
    for (first, a) in left {
        for (second, b) in right {
            let word = [first.as_slice(), second].concat();
            if word.iter().sum::<u32>() <= order {
                let entry = product.entry(word).or_insert(Double::new(0.0));
                *entry = entry.plus(a.times(*b));
            }
        }
    }
    product
}

/// exp(Σ γᵏ X_k) up to degree `order`, over the odd k up to `highest`.
fn exponential(coefficient: Double, highest: u32, order: u32) -> Series {
    let power = |k| (0..k).fold(Double::new(1.0), |power, _| power.times(coefficient));
    let generator: Series = (1..=highest).step_by(2).map(|k| (vec![k], power(k))).collect();
    let mut term = Series::from([(Vec::new(), Double::new(1.0))]);
    let mut sum = term.clone();
    for n in 1..=order {
        term = product(&term, &generator, order);
        for (word, value) in &mut term {
            *value = value.over(f64::from(n));
            let entry = sum.entry(word.clone()).or_insert(Double::new(0.0));
            *entry = entry.plus(*value);
        }
    }
    sum
}

/// The largest coefficient of a word of degree at most `order` in the composition's error.
fn defect(coefficients: &[Double], order: u32) -> f64 {
    let mut composed = Series::from([(Vec::new(), Double::new(1.0))]);
    for coefficient in coefficients {
        composed = product(&composed, &exponential(*coefficient, order, order), order);
    }
    for (word, value) in exponential(Double::new(1.0), 1, order) {
        let entry = composed.entry(word).or_insert(Double::new(0.0));
        *entry = entry.plus(value.times(Double::new(-1.0)));
    }
    composed.values().fold(0.0, |worst: f64, value| worst.max(value.high.abs()))
}

/// The coefficients as they are printed in the literature; the first is 1/(4 − 4^{1/3}) to 40 digits.
const PRINTED: [(u32, &[&str]); 3] = [
    (
        4,
        &[
            "0.4144907717943757371423540628607614957118",
            "0.4144907717943757371423540628607614957118",
            "-0.6579630871775029485694162514430459828471",
        ],
    ),
    (
        6,
        &[
            "0.39216144400731413927925056",
            "0.33259913678935943859974864",
            "-0.70624617255763935980996482",
            "0.08221359629355080023149045",
            "0.79854399093482996339895035",
        ],
    ),
    (
        8,
        &[
            "0.13020248308889008087881763",
            "0.56116298177510838456196441",
            "-0.38947496264484728640807860",
            "0.15884190655515560089621075",
            "-0.39590389413323757733623154",
            "0.18453964097831570709183254",
            "0.25837438768632204729397911",
            "0.29501172360931029887096624",
            "-0.60550853383003451169892108",
        ],
    ),
];

#[test]
fn the_printed_coefficients_satisfy_all_order_conditions_and_are_those_used() {
    for (order, half) in PRINTED {
        let half: Vec<Double> = half.iter().map(|text| Double::read(text)).collect();
        let all: Vec<Double> = half.iter().chain(half.iter().rev().skip(1)).copied().collect();
        let found = defect(&all, order);
        assert!(found < 1e-24, "order {order}: {found:e}");
        // A symmetric composition has even order: the next degree's conditions hold, the others do not.
        assert!(defect(&all, order + 2) > 1e-6, "order {order}");
        let used = coefficients(order).unwrap();
        assert_eq!(used.len(), all.len());
        for (used, printed) in used.iter().zip(&all) {
            assert_eq!(used.to_bits(), printed.high.to_bits());
        }
    }
}

#[test]
fn the_base_is_of_order_two_and_there_are_no_others() {
    assert!(defect(&[Double::new(1.0)], 2) < 1e-30);
    assert!(defect(&[Double::new(1.0)], 3) > 0.1);
    for order in [0, 1, 3, 5, 7, 9, 10] {
        assert!(coefficients(order).is_none());
    }
}

#[test]
fn the_arithmetic_has_thirty_digits() {
    let third = Double::new(1.0).over(3.0);
    let one = third.times(Double::new(3.0));
    assert!((one.high - 1.0).abs() + one.low.abs() < 1e-31);
    let read = Double::read("0.33333333333333333333333333333333333333");
    assert_eq!((read.high.to_bits(), (read.low - third.low).abs() < 1e-32), (third.high.to_bits(), true));
}
