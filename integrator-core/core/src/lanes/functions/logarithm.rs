//! ln and ln(1 + x).

use std::f64::consts::LN_2;

use pulp::Simd;

use super::exponential::LN_2_LOW;
use super::vector::Vector;

/// (ln((1 + s) / (1 − s)) − 2s) / s³, in powers of s², for |s| ≤ 3 − 2√2.
const LOGARITHM: [f64; 7] = [
    0.666_666_666_666_673_5,
    0.399_999_999_994_128_9,
    0.285_714_287_428_244_84,
    0.222_221_985_246_415_48,
    0.181_835_670_307_129_24,
    0.153_139_769_383_059_23,
    0.147_967_285_198_385_03,
];

/// The bits of a number just below √½: mantissas lie between it and its double.
const LOWEST: u64 = 0x3fe6_a09e_0000_0000;

/// The natural logarithm.
#[inline(always)]
pub fn ln<S: Simd>(simd: S, x: S::f64s) -> S::f64s {
    let x = Vector::new(simd, x);
    let subnormal = x.lt(f64::MIN_POSITIVE);
    let scaled = subnormal.select(x * 18_014_398_509_481_984.0, x); // 2⁵⁴
    let (exponent, mantissa) = split(scaled);
    let exponent = subnormal.select(exponent - 54.0, exponent);
    let result = assemble(exponent, mantissa - 1.0, x.number(0.0));
    let finite = x.gt(0.0) & x.lt(f64::INFINITY);
    let infinite = x.eq(f64::INFINITY).select(f64::INFINITY, f64::NAN);
    finite.select(result, x.eq(0.0).select(f64::NEG_INFINITY, infinite)).value
}

/// ln(1 + x), accurate for small x.
#[inline(always)]
pub fn ln_1p<S: Simd>(simd: S, x: S::f64s) -> S::f64s {
    let x = Vector::new(simd, x);
    logarithm_of_one_plus(x, x.number(0.0)).value
}

/// ln(1 + x + low) for a small correction `low` of x.
#[inline(always)]
pub(super) fn logarithm_of_one_plus<S: Simd>(x: Vector<S>, low: Vector<S>) -> Vector<S> {
    // u + rest = 1 + x + low.
    let u = x + 1.0;
    let back = u - x;
    let rest = ((-back) + 1.0) + (x - (u - back)) + low;
    let (exponent, mantissa) = split(u);
    // Near 1 nothing is scaled, and x is the exact difference from 1.
    let near = exponent.eq(0.0);
    let fraction = near.select(x, mantissa - 1.0);
    let correction = near.select(low / u, rest / u);
    let result = assemble(exponent, fraction, correction);
    let finite = x.gt(-1.0) & x.lt(f64::INFINITY);
    let infinite = x.eq(f64::INFINITY).select(f64::INFINITY, f64::NAN);
    let result = finite.select(result, x.eq(-1.0).select(f64::NEG_INFINITY, infinite));
    // Keeps the sign of zero.
    x.abs().lt(1e-17).select(x, result)
}

/// x = 2ᵉ m with m in √½ … √2, for positive normal x.
#[inline(always)]
fn split<S: Simd>(x: Vector<S>) -> (Vector<S>, Vector<S>) {
    const ONE: u64 = 0x3ff0_0000_0000_0000;
    const MANTISSA: u64 = 0x000f_ffff_ffff_ffff;
    // The exponent field as an integer becomes the low bits of 2⁵² + that integer.
    const INTEGER: u64 = 0x4330_0000_0000_0000;
    const BIAS: f64 = 4_503_599_627_370_496.0 + 1023.0;
    let shifted = x.bits().plus(ONE - LOWEST);
    let exponent = shifted.shift_right::<52>().or(INTEGER).number() - BIAS;
    let mantissa = shifted.and(MANTISSA).plus(LOWEST).number();
    (exponent, mantissa)
}

/// e ln 2 + ln(1 + f) + correction, with f in √½ − 1 … √2 − 1.
#[inline(always)]
fn assemble<S: Simd>(exponent: Vector<S>, f: Vector<S>, correction: Vector<S>) -> Vector<S> {
    // ln(1 + f) = f − f²/2 + s (f²/2 + R(s²)) with s = f / (2 + f).
    let s = f / (f + 2.0);
    let z = s * s;
    let half_square = f * f * 0.5;
    let series = z * z.polynomial(&LOGARITHM) + half_square;
    let low = exponent.multiply_add(LN_2_LOW, correction);
    let tail = s.multiply_add(series, low) - half_square;
    exponent.multiply_add(LN_2, f + tail)
}
