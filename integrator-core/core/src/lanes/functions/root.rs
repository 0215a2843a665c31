//! The inverse square root.

use super::vector::Vector;
use pulp::Simd;

/// 1 / √x.
///
/// A root and a division take as long as thirty multiplications, and every particle force has one: here
/// it comes from the exponent (Lomont, Fast inverse square root, 2003) and two steps of Householder's
/// method of order four. The estimates of processors would save a step, but differ between makers, and
/// so would the bits of a run.
#[inline(always)]
pub fn recip_sqrt<S: Simd>(simd: S, x: S::f64s) -> S::f64s {
    /// Half of 3 · 1023 · 2⁵², less a number that minimizes the largest error.
    const MAGIC: u64 = 0x5FE6_EB50_C7B5_37A9;
    let x = Vector::new(simd, x);
    // MAGIC − bits: the complement is −bits − 1.
    let halved = x.bits().shift_right::<1>();
    let guess = halved.complement().plus(MAGIC + 1).number();
    let series = [0.5, 0.375, 0.3125];
    let value = improved(x, improved(x, guess, &series), &series);
    let usual = x.ge(f64::MIN_POSITIVE) & x.le(f64::MAX);
    value.replaced(usual.not(), x, |x| 1.0 / x.sqrt()).value
}

/// With e = 1 − x y², the root is y (1 + e/2 + 3 e²/8 + 5 e³/16 + 35 e⁴/128 + …).
#[inline(always)]
fn improved<S: Simd, const N: usize>(x: Vector<S>, y: Vector<S>, series: &[f64; N]) -> Vector<S> {
    let error = (-(x * y)).multiply_add(y, 1.0);
    let series = error.polynomial(series);
    (y * error).multiply_add(series, y)
}
