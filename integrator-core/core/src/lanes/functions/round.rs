//! The nearest integer.

use super::vector::Vector;
use pulp::Simd;

/// From here on all numbers are integers.
const INTEGERS: f64 = 4_503_599_627_370_496.0;

/// The nearest integer, ties to even: adding 2⁵² rounds the fraction away.
#[inline(always)]
pub fn round_ties_even<S: Simd>(simd: S, x: S::f64s) -> S::f64s {
    let x = Vector::new(simd, x);
    let size = x.abs();
    let rounded = (size + INTEGERS) - INTEGERS;
    size.lt(INTEGERS).select(rounded, size).times_sign(x).value
}
