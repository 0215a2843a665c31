//! asinh, acosh and atanh.

use std::f64::consts::LN_2;

use pulp::Simd;

use super::exponential::LN_2_LOW;
use super::logarithm::{ln, logarithm_of_one_plus};
use super::vector::{Mask, Vector};

/// Above this size x² + 1 rounds to x², and may overflow.
const LARGE: f64 = 1e10;

/// The inverse of the hyperbolic sine.
#[inline(always)]
pub fn asinh<S: Simd>(simd: S, x: S::f64s) -> S::f64s {
    let x = Vector::new(simd, x);
    let large = x.abs().gt(LARGE);
    let size = large.select(1.0, x.abs());
    // ln(1 + w) with w = |x| + x² / (1 + √(1 + x²)).
    let root = size.multiply_add(size, 1.0).sqrt();
    let gain = size * size / (root + 1.0);
    let (w, w_low) = size.sum(gain);
    let result = large.select(logarithm_of_double(x.abs()), logarithm_of_one_plus(w, w_low));
    keep_small(x, result)
}

/// The inverse of the hyperbolic cosine; NaN below 1.
#[inline(always)]
pub fn acosh<S: Simd>(simd: S, x: S::f64s) -> S::f64s {
    let x = Vector::new(simd, x);
    let large = x.gt(LARGE);
    let size = large.select(2.0, x);
    // ln(1 + w) with w = t + √(t (2 + t)), t = x − 1.
    let t = size - 1.0;
    let square = t * (t + 2.0);
    let root = square.sqrt();
    let (w, w_low) = root.sum(t);
    let result = large.select(logarithm_of_double(x), logarithm_of_one_plus(w, w_low));
    x.lt(1.0).select(f64::NAN, result).value
}

/// The inverse of the hyperbolic tangent; NaN beyond ±1.
#[inline(always)]
pub fn atanh<S: Simd>(simd: S, x: S::f64s) -> S::f64s {
    let x = Vector::new(simd, x);
    let size = x.abs();
    // ln(1 + w) / 2 with w = 2|x| / (1 − |x|).
    let below = -size + 1.0;
    let below_low = (-below + 1.0) - size;
    let w = (size + size) / below;
    let remainder = (-w).multiply_add(below, size + size) - w * below_low;
    let finite: Mask<S> = w.lt(f64::INFINITY);
    let w_low = finite.select(remainder / below, 0.0);
    keep_small(x, logarithm_of_one_plus(w, w_low) * 0.5)
}

/// ln(2x) for large x.
#[inline(always)]
fn logarithm_of_double<S: Simd>(x: Vector<S>) -> Vector<S> {
    Vector::new(x.simd, ln(x.simd, x.value)) + LN_2_LOW + LN_2
}

/// The result with the sign of x; x itself if the function rounds to it.
#[inline(always)]
fn keep_small<S: Simd>(x: Vector<S>, result: Vector<S>) -> S::f64s {
    x.abs().lt(1e-9).select(x.abs(), result).times_sign(x).value
}
