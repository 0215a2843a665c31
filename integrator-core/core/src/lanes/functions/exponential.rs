//! exp and exp(x) − 1.

use std::f64::consts::{LN_2, LOG2_E};

use pulp::Simd;

use super::vector::Vector;

/// ln 2 − `LN_2`.
pub(super) const LN_2_LOW: f64 = 2.319_046_813_846_299_6e-17;

/// Added to a number below 2⁵¹ in size, it leaves the nearest integer in the low bits of the sum.
pub(super) const TO_INTEGER: f64 = 6_755_399_441_055_744.0;

/// (exp r − 1 − r) / r² for |r| ≤ ln 2 / 2.
pub(super) const EXP: [f64; 10] = [
    0.500_000_000_000_001_1,
    0.166_666_666_666_664_1,
    0.041_666_666_666_529_73,
    0.008_333_333_333_494_98,
    0.001_388_888_894_375_989,
    0.000_198_412_695_057_660_49,
    2.480_149_294_966_584_3e-5,
    2.755_758_681_127_857e-6,
    2.763_030_624_763_437_4e-7,
    2.500_001_637_861_927_8e-8,
];

/// eˣ.
#[inline(always)]
pub fn exp<S: Simd>(simd: S, x: S::f64s) -> S::f64s {
    exponential(Vector::new(simd, x)).value
}

/// eˣ − 1, accurate for small x.
#[inline(always)]
pub fn exp_m1<S: Simd>(simd: S, x: S::f64s) -> S::f64s {
    let (high, low) = exponential_minus_one(Vector::new(simd, x));
    (high + low).value
}

/// x = n ln 2 + r with r in ±ln 2 / 2; the remainder is an unevaluated sum.
///
/// x − n `LN_2` is exact: for n ≠ 0 it is a multiple of 2⁻⁵⁴ below ½ in size.
#[inline(always)]
pub(super) fn reduce<S: Simd>(x: Vector<S>) -> (Vector<S>, Vector<S>, Vector<S>) {
    let n = x.multiply_add(LOG2_E, TO_INTEGER) - TO_INTEGER;
    let first = (-n).multiply_add(LN_2, x);
    let high = (-n).multiply_add(LN_2_LOW, first);
    let low = (-n).multiply_add(LN_2_LOW, first - high);
    (n, high, low)
}

/// 2ⁿ for integers n in −1022 … 1023.
#[inline(always)]
pub(super) fn power_of_two<S: Simd>(n: Vector<S>) -> Vector<S> {
    const BIAS: f64 = TO_INTEGER + 1023.0;
    (n + BIAS).bits().shift_left::<52>().number()
}

#[inline(always)]
pub(super) fn exponential<S: Simd>(x: Vector<S>) -> Vector<S> {
    // Beyond these bounds the result is 0 or infinite; within, two powers of two hold 2ⁿ.
    let x = x.gt(710.0).select(710.0, x);
    let x = x.lt(-746.0).select(-746.0, x);
    let (n, r, _) = reduce(x);
    let series = (r * r).multiply_add(r.polynomial(&EXP), r) + 1.0;
    let half = n.multiply_add(0.5, TO_INTEGER) - TO_INTEGER;
    // Only the second product can round, so that subnormal results are rounded once.
    series * power_of_two(half) * power_of_two(n - half)
}

/// eˣ − 1 as an unevaluated sum.
#[inline(always)]
pub(super) fn exponential_minus_one<S: Simd>(argument: Vector<S>) -> (Vector<S>, Vector<S>) {
    let x = argument.gt(710.0).select(710.0, argument);
    let x = x.lt(-40.0).select(-40.0, x);
    let (n, r, r_low) = reduce(x);
    let tail = (r * r).multiply_add(r.polynomial(&EXP), r_low);
    let series = r + tail;
    let series_low = tail - (series - r);
    // Half of 2ⁿ (1 + series) − 1: the half keeps 2ⁿ finite as long as the result is.
    let scale = power_of_two(n - 1.0);
    let base = scale - 0.5;
    let product = series * scale;
    let high = base + product;
    let low = series_low.multiply_add(scale, product - (high - base));
    // Halving would lose bits of subnormals and the sign of −0; infinity minus infinity would be NaN.
    let small = argument.abs().lt(1e-17);
    let infinite = argument.gt(709.9);
    let high = small.select(argument, infinite.select(f64::INFINITY, high + high));
    let low = (small | infinite).select(0.0, low + low);
    (high, (small).select(argument.sign(), low))
}
