//! sinh, cosh and tanh.

use pulp::Simd;

use super::exponential::{exponential, exponential_minus_one};
use super::vector::Vector;

/// Above this size, e^|x| / 2 is near the largest number or overflows.
const LARGE: f64 = 709.0;

/// The hyperbolic sine.
#[inline(always)]
pub fn sinh<S: Simd>(simd: S, x: S::f64s) -> S::f64s {
    let x = Vector::new(simd, x);
    let (high, low) = exponential_minus_one(x.abs());
    // (t + t / (1 + t)) / 2 with t = e^|x| − 1.
    let (whole, whole_low) = high.sum(high.number(1.0));
    let (ratio, ratio_low) = quotient((high, low), (whole, whole_low + low));
    let (total, total_low) = high.sum(ratio);
    let result = (total + (total_low + low + ratio_low)) * 0.5;
    let result = x.abs().lt(1e-9).select(x.abs(), result).times_sign(x);
    result.replaced(x.abs().gt(LARGE), x, f64::sinh).value
}

/// The hyperbolic cosine.
#[inline(always)]
pub fn cosh<S: Simd>(simd: S, x: S::f64s) -> S::f64s {
    let x = Vector::new(simd, x);
    let growing = exponential(x.abs());
    let result = growing * 0.5 + growing.number(0.5) / growing;
    result.replaced(x.abs().gt(LARGE), x, f64::cosh).value
}

/// The hyperbolic tangent.
#[inline(always)]
pub fn tanh<S: Simd>(simd: S, x: S::f64s) -> S::f64s {
    let x = Vector::new(simd, x);
    // t / (t + 2) with t = e^{2|x|} − 1; from 20 on it rounds to 1.
    let size = x.abs().gt(20.0).select(20.0, x.abs());
    let (high, low) = exponential_minus_one(size + size);
    let (whole, whole_low) = high.sum(high.number(2.0));
    let (ratio, ratio_low) = quotient((high, low), (whole, whole_low + low));
    let result = ratio + ratio_low;
    x.abs().lt(1e-9).select(x.abs(), result).times_sign(x).value
}

/// a / b of unevaluated sums as an unevaluated sum: the quotient, and a Newton step for its error.
#[inline(always)]
fn quotient<S: Simd>(a: (Vector<S>, Vector<S>), b: (Vector<S>, Vector<S>)) -> (Vector<S>, Vector<S>) {
    let ratio = a.0 / b.0;
    let remainder = (-ratio).multiply_add(b.0, a.0) + (-ratio).multiply_add(b.1, a.1);
    (ratio, remainder / b.0)
}
