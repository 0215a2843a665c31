//! Functions that the standard library lacks, for arguments known when a declaration is compiled.

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

/// The complementary error function; from ½ on exp(−x²) / √π / (x + ½ / (x + 1 / (x + 3/2 / …))).
pub fn erfc(x: f64) -> f64 {
    if x.is_nan() || x < 0.5 {
        return 1.0 - erf(x);
    }
    if x > 28.0 {
        return 0.0;
    }
    // The rest falls like exp(−2 x √(2 levels)): with so many levels it is below rounding.
    let levels = 20 + (200.0 / (x * x)) as u32;
    let fraction = (1..levels).rev().fold(x, |below, k| x + 0.5 * f64::from(k) / below);
    gaussian(x) / PI.sqrt() / fraction
}

/// exp(−x²), corrected for the rounding of the square.
pub(super) fn gaussian(x: f64) -> f64 {
    let square = x * x;
    let lost = x.mul_add(x, -square);
    (-square).exp() * (1.0 - lost)
}
