//! The inverse square root.

use super::vector::Vector;
#[cfg(target_arch = "x86_64")]
use crate::lanes::width::avx512;
use pulp::Simd;

/// 1 / √x.
///
/// A root and a division take as long as thirty multiplications, and every force of particles has one: it is found from the
/// exponent (Lomont, Fast inverse square root, 2003) by two steps of Householder's method of order four. AVX-512 has an
/// estimate of fourteen bits, from which one step is enough.
#[inline(always)]
pub fn recip_sqrt<S: Simd>(simd: S, x: S::f64s) -> S::f64s {
    /// Half of 3 · 1023 · 2⁵², less what makes the largest error least.
    const MAGIC: u64 = 0x5FE6_EB50_C7B5_37A9;
    let x = Vector::new(simd, x);
    #[cfg(target_arch = "x86_64")]
    if let Some(value) = from_estimate(x) {
        return value.value;
    }
    // MAGIC − bits: the complement is minus the bits less one.
    let halved = x.bits().shift_right::<1>();
    let guess = halved.complement().plus(MAGIC + 1).number();
    let series = [0.5, 0.375, 0.3125];
    let value = improved(x, improved(x, guess, &series), &series);
    let usual = x.ge(f64::MIN_POSITIVE) & x.le(f64::MAX);
    value.replaced(usual.not(), x, |x| 1.0 / x.sqrt()).value
}

/// The reciprocal root from the estimate of AVX-512, where its instructions are at hand.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn from_estimate<S: Simd>(x: Vector<S>) -> Option<Vector<S>> {
    use pulp::bytemuck::cast;
    use std::arch::x86_64::_CMP_ORD_Q;

    /// The bound of e = 1 − x y²: y is known to fourteen bits.
    const MOST: f64 = 1.0 / 8192.0;
    let avx = avx512(x.simd)?.avx512f;
    let y = Vector::new(x.simd, cast(avx._mm512_rsqrt14_pd(cast(x.value))));
    let error = (-(x * y)).multiply_add(y, 1.0);
    // In place of 35 e⁴/128 its line that is off by 35/512 MOST⁴ = 2⁻⁵⁶ at most.
    let series = error.polynomial(&[0.5, 0.375 + 35.0 / 128.0 * MOST * MOST, 0.3125]);
    // Of zero, infinity, what is negative or not a number the estimate is exact, and its error is not a number.
    let usual = avx._mm512_cmp_pd_mask::<_CMP_ORD_Q>(cast(error.value), cast(error.value));
    let (change, series, y) = (cast((y * error).value), cast(series.value), cast(y.value));
    Some(Vector::new(x.simd, cast(avx._mm512_mask3_fmadd_pd(change, series, y, usual))))
}

/// With e = 1 − x y², the root is y (1 + e/2 + 3 e²/8 + 5 e³/16 + 35 e⁴/128 + …).
#[inline(always)]
fn improved<S: Simd, const N: usize>(x: Vector<S>, y: Vector<S>, series: &[f64; N]) -> Vector<S> {
    let error = (-(x * y)).multiply_add(y, 1.0);
    let series = error.polynomial(series);
    (y * error).multiply_add(series, y)
}
