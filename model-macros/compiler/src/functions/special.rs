//! Values of functions that the standard library lacks, where numbers of a declaration are known when it is compiled.

use std::f64::consts::{FRAC_2_SQRT_PI, PI};

/// The error function: 2/√π exp(−x²) Σ 2ⁿ x²ⁿ⁺¹ / (1 · 3 · … · (2n + 1)), in which nothing cancels.
pub(super) fn erf(x: f64) -> f64 {
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
pub(super) fn erfc(x: f64) -> f64 {
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

#[cfg(test)]
mod tests {
    use super::{erf, erfc};

    /// From a calculation with forty digits.
    #[test]
    fn values_are_the_known_ones() {
        let values = [
            (0.5, 0.520_499_877_813_046_5),
            (-0.25, -0.276_326_390_168_236_98),
            (3.0, 0.999_977_909_503_001_4),
        ];
        for (x, known) in values {
            assert!((erf(x) - known).abs() <= 1e-15 * known.abs(), "erf {x}: {}", erf(x));
        }
        let tails = [
            (0.5, 0.479_500_122_186_953_5),
            (1.0, 0.157_299_207_050_285_13),
            (3.0, 2.209_049_699_858_544e-5),
            (10.0, 2.088_487_583_762_545e-45),
            (26.5, 2.210_907_664_263_734_3e-307),
        ];
        for (x, known) in tails {
            assert!((erfc(x) - known).abs() <= 1e-15 * known, "erfc {x}: {}", erfc(x));
        }
        assert_eq!((erf(f64::NEG_INFINITY), erfc(f64::INFINITY), erfc(-9.0)), (-1.0, 0.0, 2.0));
        assert!(erf(f64::NAN).is_nan() && erfc(f64::NAN).is_nan());
    }
}
