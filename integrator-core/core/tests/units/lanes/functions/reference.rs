//! The exact values of each function, to twice the digits.

use super::apply::Function;
use super::double::{self, Double, Scaled, angle, area, sin_cos, sinh_cosh};

impl Function {
    /// To twice the digits; `None` for special results, or where the lanes do as the standard library.
    pub(super) fn reference(self, x: f64, y: f64) -> Option<Scaled> {
        let double = Double::from(x);
        let one = Double::from(1.0);
        if !x.is_finite() || x == 0.0 {
            return None;
        }
        Some(match self {
            Self::Exp if x.abs() < 800.0 => double::exp(double),
            Self::ExpM1 if x < 800.0 => double::exp_m1(double),
            Self::Ln if x > 0.0 => {
                let exponent = if x < 1e-200 { -600 } else { 0 };
                double::ln(Scaled { value: double.scaled(-exponent), exponent })
            }
            .into(),
            Self::Ln1p if x > -1.0 => double::ln_1p(x).into(),
            Self::Sin if x.abs() < 1e9 => sin_cos(double).0.into(),
            Self::Cos if x.abs() < 1e9 => sin_cos(double).1.into(),
            Self::Tan if x.abs() < 1e9 => {
                let (sine, cosine) = sin_cos(double);
                (sine / cosine).into()
            }
            Self::Asin if x.abs() < 1.0 => {
                angle(double, ((one - double) * (one + double)).sqrt(), x.asin()).into()
            }
            Self::Acos if x.abs() < 1.0 => {
                angle(((one - double) * (one + double)).sqrt(), double, x.acos()).into()
            }
            Self::Atan if x.abs() < 1e140 => angle(double, one, x.atan()).into(),
            Self::Atan2 if (1e-140..1e140).contains(&x.abs()) && (1e-140..1e140).contains(&y.abs()) => {
                angle(double, y.into(), x.atan2(y)).into()
            }
            Self::Sinh if x.abs() < 700.0 => sinh_cosh(double).0.into(),
            Self::Cosh if x.abs() < 700.0 => sinh_cosh(double).1.into(),
            Self::Tanh if x.abs() < 700.0 => {
                let (sinh, cosh) = sinh_cosh(double);
                (sinh / cosh).into()
            }
            // ln 2|x|; the standard library's overflow here.
            Self::Asinh if x.abs() > 1e100 => {
                let value = double::ln(Scaled { value: Double::from(x.abs()).scaled(-600), exponent: 601 });
                if x < 0.0 { (-value).into() } else { value.into() }
            }
            Self::Acosh if x > 1e100 => {
                double::ln(Scaled { value: double.scaled(-600), exponent: 601 }).into()
            }
            Self::Asinh => area(double, x.asinh()).into(),
            Self::Acosh if x > 1.0 => {
                let sinh = ((double - one) * (double + one)).sqrt();
                area(sinh, sinh.high.asinh()).into()
            }
            Self::Atanh if x.abs() < 1.0 => {
                if x.abs() < 1e-3 {
                    // x + x³/3 + x⁵/5 + …
                    let square = double * double;
                    let series = (1..16).rev().fold(Double::from(0.0), |sum, k| {
                        (sum + Double::from(1.0) / f64::from(2 * k + 1).into()) * square
                    });
                    (double + double * series).into()
                } else {
                    (double::ln(((one + double) / (one - double)).into()) * 0.5.into()).into()
                }
            }
            Self::Cbrt if x.abs() > 1e-200 && x.abs() < 1e200 => {
                let guess = Double::from(x.cbrt());
                let square = guess * guess;
                (guess + (double - guess * square) / (square * 3.0.into())).into()
            }
            Self::RecipSqrt if x > 0.0 => {
                let shift = if x < 1.0 { 400 } else { -400 };
                Scaled { value: one / double.scaled(shift).sqrt(), exponent: shift / 2 }
            }
            Self::Powf if (1e-200..1e200).contains(&x) && (y * x.ln()).abs() < 740.0 => {
                double::exp(double::ln(double.into()) * y.into())
            }
            Self::Erf if x.abs() < 6.0 => double::erf(x),
            Self::Erfc if (-6.0..27.5).contains(&x) => double::erfc(x),
            Self::Gaussian if x.abs() < 28.0 => double::gaussian(x),
            _ => return None,
        })
    }
}

/// The error function, which the standard library lacks.
pub(super) fn erf(x: f64) -> f64 {
    match Function::Erf.reference(x, 0.0) {
        Some(value) => value.nearest(),
        None if x.abs() < 6.0 || x.is_nan() => x,
        None => x.signum(),
    }
}

/// The complementary error function.
pub(super) fn erfc(x: f64) -> f64 {
    match Function::Erfc.reference(x, 0.0) {
        Some(value) => value.nearest(),
        None if x.is_nan() => x,
        None if x == 0.0 => 1.0,
        None if x < 0.0 => 2.0,
        None => 0.0,
    }
}

/// exp(−x²).
pub(super) fn gaussian(x: f64) -> f64 {
    match Function::Gaussian.reference(x, 0.0) {
        Some(value) => value.nearest(),
        None if x.is_nan() => x,
        None if x == 0.0 => 1.0,
        None => 0.0,
    }
}
