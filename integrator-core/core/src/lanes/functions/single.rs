//! Functions computed lane by lane: rare in kernels, and accurate in the standard library.

use pulp::Simd;

use super::vector::{Vector, lanes, lanes_mut};

/// The tangent of an angle in radians.
#[inline(always)]
pub fn tan<S: Simd>(simd: S, x: S::f64s) -> S::f64s {
    let mut result = Vector::new(simd, x);
    for lane in lanes_mut(&mut result) {
        *lane = lane.tan();
    }
    result.value
}

/// The cube root.
#[inline(always)]
pub fn cbrt<S: Simd>(simd: S, x: S::f64s) -> S::f64s {
    let mut result = Vector::new(simd, x);
    for lane in lanes_mut(&mut result) {
        *lane = lane.cbrt();
    }
    result.value
}

/// x^y.
#[inline(always)]
pub fn powf<S: Simd>(simd: S, x: S::f64s, y: S::f64s) -> S::f64s {
    let mut result = Vector::new(simd, x);
    let exponents = Vector::new(simd, y);
    for (lane, &exponent) in lanes_mut(&mut result).iter_mut().zip(lanes(&exponents)) {
        *lane = lane.powf(exponent);
    }
    result.value
}
