//! Values of functions that the standard library lacks, where numbers of a declaration are known when it is compiled.

use std::f64::consts::{FRAC_2_SQRT_PI, PI};

/// The error function: 2/√π exp(−x²) Σ 2ⁿ x²ⁿ⁺¹ / (1 · 3 · … · (2n + 1)), in which nothing cancels.
pub fn erf(x: f64) -> f64 {
    if x.is_nan() || x.abs() > 6.0 {
        return x.signum();
    }
    let (mut term, mut sum, mut n) = (x, x, 1.0);
    while term.abs() > sum.abs() * 1e-18 {
        n += 2.0;
        term *= 2.0 * x * x / n;
        sum += term;
    }
    FRAC_2_SQRT_PI * gaussian(x) * sum
}

/// The complementary error function: from ½ on by its continued fraction, exp(−x²) / √π / (x + ½ / (x + 1 / (x + 3/2 / …))).
pub fn erfc(x: f64) -> f64 {
    if x.is_nan() || x < 0.5 {
        return 1.0 - erf(x);
    }
    if x > 28.0 {
        return 0.0;
    }
    // So many levels that the rest is below rounding: it falls like exp(−2 x √(2 levels)).
    let levels = 20 + (200.0 / (x * x)) as u32;
    let fraction = (1..levels).rev().fold(x, |below, k| x + 0.5 * f64::from(k) / below);
    gaussian(x) / PI.sqrt() / fraction
}

/// exp(−x²), with what the square loses.
pub(super) fn gaussian(x: f64) -> f64 {
    let square = x * x;
    let lost = x.mul_add(x, -square);
    (-square).exp() * (1.0 - lost)
}
