//! A reference with twice the digits: unevaluated sums of two `f64`, and the few basic functions.
//!
//! Dekker's arithmetic, Taylor series after a reduction: nothing here is shared with the tested code.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// high + low, with low below half a unit in the last place of high.
#[derive(Clone, Copy, Debug)]
pub(super) struct Double {
    pub(super) high: f64,
    pub(super) low: f64,
}

/// value · 2^exponent: exponentials neither overflow nor lose digits where `f64` has no more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scaled {
    pub(super) value: Double,
    pub(super) exponent: i32,
}

impl From<f64> for Double {
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

impl From<Double> for Scaled {
    fn from(value: Double) -> Self {
        Self { value, exponent: 0 }
    }
}

impl Scaled {
    /// The nearest `f64`.
    pub(super) fn nearest(self) -> f64 {
        self.value.scaled(self.exponent).high
    }
}

fn two_sum(a: f64, b: f64) -> Double {
    let high = a + b;
    let back = high - a;
    Double { high, low: (a - (high - back)) + (b - back) }
}

fn two_product(a: f64, b: f64) -> Double {
    let high = a * b;
    Double { high, low: a.mul_add(b, -high) }
}

impl Add for Double {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let highs = two_sum(self.high, other.high);
        let lows = two_sum(self.low, other.low);
        let sum = two_sum(highs.high, highs.low + lows.high);
        two_sum(sum.high, sum.low + lows.low)
    }
}

impl Neg for Double {
    type Output = Self;

    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Sub for Double {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Double {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let product = two_product(self.high, other.high);
        two_sum(product.high, product.low + (self.high * other.low + self.low * other.high))
    }
}

impl Div for Double {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        let rest = self - other * first.into();
        let second = rest.high / other.high;
        let rest = rest - other * second.into();
        Self::from(first) + second.into() + (rest.high / other.high).into()
    }
}

impl Double {
    pub(super) fn sqrt(self) -> Self {
        if self.high == 0.0 {
            return self;
        }
        let root = Self::from(self.high.sqrt());
        root + (self - root * root) / (root + root)
    }

    /// 2^by times the number, without rounding.
    pub(super) fn scaled(self, by: i32) -> Self {
        // In four steps, since none of the powers may overflow or vanish.
        let step = 2.0_f64.powi(by / 4);
        let rest = 2.0_f64.powi(by - 3 * (by / 4));
        let by = |number: f64| number * step * step * step * rest;
        Self { high: by(self.high), low: by(self.low) }
    }

    /// Σ xᵏ / k! over k = first, first + step, … with alternating signs where `sign` is −1.
    fn series(self, first: u32, step: u32, sign: f64) -> Self {
        let mut term = Self::from(1.0);
        let mut k = 0;
        while k < first {
            k += 1;
            term = term * self / f64::from(k).into();
        }
        let mut sum = term;
        while term.high.abs() > sum.high.abs() * 1e-34 {
            for _ in 0..step {
                k += 1;
                term = term * self / f64::from(k).into();
            }
            term = term * sign.into();
            sum = sum + term;
        }
        sum
    }
}

/// ln 2 in three parts.
const LN_2: [f64; 3] = [std::f64::consts::LN_2, 2.319_046_813_846_299_6e-17, 5.707_708_438_416_212e-34];
/// π / 2 in four parts.
const HALF_PI: [f64; 4] = [
    std::f64::consts::FRAC_PI_2,
    6.123_233_995_736_766e-17,
    -1.497_384_904_859_169_8e-33,
    5.562_271_104_316_826e-50,
];

/// x − n · (the sum of the parts).
fn reduced(x: Double, n: f64, parts: &[f64]) -> Double {
    parts.iter().fold(x, |rest, &part| rest - two_product(n, part))
}

pub(super) fn exp(x: Double) -> Scaled {
    let n = (x.high / LN_2[0]).round();
    Scaled { value: reduced(x, n, &LN_2).series(0, 1, 1.0), exponent: n as i32 }
}

pub(super) fn exp_m1(x: Double) -> Scaled {
    if x.high.abs() < 0.4 {
        return x.series(1, 1, 1.0).into();
    }
    if x.high < -100.0 {
        return Double::from(-1.0).into();
    }
    let Scaled { value, exponent } = exp(x);
    if exponent > 200 {
        return Scaled { value, exponent };
    }
    (value.scaled(exponent) - 1.0.into()).into()
}

/// For |x| up to 1e9.
pub(super) fn sin_cos(x: Double) -> (Double, Double) {
    let n = (x.high / HALF_PI[0]).round();
    let rest = reduced(x, n, &HALF_PI);
    let (sine, cosine) = (rest.series(1, 2, -1.0), rest.series(0, 2, -1.0));
    match (n as i64).rem_euclid(4) {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    }
}

/// For |x| up to 700.
pub(super) fn sinh_cosh(x: Double) -> (Double, Double) {
    let Scaled { value, exponent } = exp(x);
    let growing = value.scaled(exponent);
    let shrinking = Double::from(1.0) / growing;
    let half = Double::from(0.5);
    let sinh = if x.high.abs() < 0.4 { x.series(1, 2, 1.0) } else { (growing - shrinking) * half };
    (sinh, (growing + shrinking) * half)
}

/// The logarithm of m · 2^exponent, by Newton's method on the exponential.
pub(super) fn ln(Scaled { value, exponent }: Scaled) -> Double {
    let guess = Double::from(value.high.ln());
    let Scaled { value: back, exponent: n } = exp(-guess);
    // value · e^{−guess} = 1 + δ with ln(1 + δ) = δ − δ²/2 …
    let error = value * back.scaled(n) - 1.0.into();
    let e = f64::from(exponent);
    let whole = LN_2.iter().fold(Double::from(0.0), |sum, &part| sum + two_product(e, part));
    whole + (guess + (error - error * error * 0.5.into()))
}

/// By Newton's method on eˣ − 1.
pub(super) fn ln_1p(x: f64) -> Double {
    if x > -0.4 && x < 0.4 {
        let guess = Double::from(x.ln_1p());
        let back = exp_m1(guess).value;
        let error = (Double::from(x) - back) / (back + 1.0.into());
        return guess + (error - error * error * 0.5.into());
    }
    if x > 1e300 {
        return ln(Double::from(x).into());
    }
    ln((Double::from(x) + 1.0.into()).into())
}

/// The angle of (x, y) to the digits of `f64`: the guess errs by δ with sin δ = (y cos − x sin) / r.
pub(super) fn angle(y: Double, x: Double, guess: f64) -> Double {
    let (sine, cosine) = sin_cos(guess.into());
    let radius = (x * x + y * y).sqrt();
    Double::from(guess) + (y * cosine - x * sine) / radius
}

/// arsinh of s, given to the digits of `f64`.
pub(super) fn area(s: Double, guess: f64) -> Double {
    let (sinh, cosh) = sinh_cosh(guess.into());
    let error = (s - sinh) / cosh;
    Double::from(guess) + (error - error * error * (sinh / cosh) * 0.5.into())
}

/// 2/√π in two parts.
const SLOPE: Double = Double { high: std::f64::consts::FRAC_2_SQRT_PI, low: 1.533_545_961_316_588e-17 };

/// The error function, |x| ≤ 6: 2/√π exp(−x²) Σ 2ⁿ x²ⁿ⁺¹ / (1 · 3 · … · (2n + 1)), without cancellation.
pub(super) fn erf(x: f64) -> Scaled {
    if x.abs() < 1e-100 {
        return Scaled { value: Double::from(x).scaled(600) * SLOPE, exponent: -600 };
    }
    let square = two_product(x, x);
    let (mut term, mut sum, mut n) = (Double::from(x), Double::from(x), 1.0);
    while term.high.abs() > sum.high.abs() * 1e-34 {
        n += 2.0;
        term = term * square * 2.0.into() / n.into();
        sum = sum + term;
    }
    let Scaled { value, exponent } = gaussian(x);
    (SLOPE * value.scaled(exponent) * sum).into()
}

/// The complementary error function, for x above −6: from 3 on by its continued fraction,
/// exp(−x²) / √π / (x + ½ / (x + 1 / (x + 3/2 / …))).
pub(super) fn erfc(x: f64) -> Scaled {
    if x < 3.0 {
        let Scaled { value, exponent } = erf(x);
        return (Double::from(1.0) - value.scaled(exponent)).into();
    }
    let mut below = Double::from(x);
    for k in (1..=120).rev() {
        below = Double::from(x) + Double::from(0.5 * f64::from(k)) / below;
    }
    let Scaled { value, exponent } = gaussian(x);
    Scaled { value: value * SLOPE * 0.5.into() / below, exponent }
}

/// exp(−x²).
pub(super) fn gaussian(x: f64) -> Scaled {
    exp(-two_product(x, x))
}
