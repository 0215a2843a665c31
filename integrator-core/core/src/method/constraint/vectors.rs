//! Sums and products of vectors in constrained steps.

use crate::lanes::Real;
use crate::method::force_error::{Attempt, check_finite};
use crate::method::largest::{LANES, largest_of};

/// `max |a_c b_c|`; not finite if one of them is not.
#[inline]
pub(super) fn largest_product(a: &[f64], b: &[f64]) -> f64 {
    if a.len() >= LANES {
        return largest_of(a, b, |a, b| a * b);
    }
    let (largest, sum) = largest_and_sum(0.0, a, b);
    if sum.is_finite() { largest } else { sum }
}

/// `max |a_c b_c|` and `Σ |a_c b_c|`, which shows a number that is not finite.
#[inline(always)]
pub(crate) fn largest_and_sum<T: Real>(zero: T, a: &[T], b: &[T]) -> (T, T) {
    let (mut largest, mut sum) = (zero, zero);
    for (a, b) in a.iter().zip(b) {
        let size = (*a * *b).abs();
        largest = T::select(largest.lt(size), size, largest);
        sum = sum + size;
    }
    (largest, sum)
}

/// v ← v₀ + κ a and q ← q₀ + h v: the kick and the drift.
#[inline(always)]
pub(crate) fn kick_and_drift<T: Real>(
    (kick, h): (T, T),
    (old_q, old_v): (&[T], &[T]),
    a: &[T],
    (q, v): (&mut [T], &mut [T]),
) {
    for (((v, q), a), (old_v, old_q)) in v.iter_mut().zip(q).zip(a).zip(old_v.iter().zip(old_q)) {
        *v = *old_v + kick * *a;
        *q = *old_q + h * *v;
    }
}

/// v ← v + κ a.
#[inline(always)]
pub(crate) fn add_kick<T: Real>(kick: T, a: &[T], v: &mut [T]) {
    for (v, a) in v.iter_mut().zip(a) {
        *v = *v + kick * *a;
    }
}

/// Refuses a vector with an entry that is not finite. No early exit, so that the loop vectorizes.
#[inline(always)]
pub(crate) fn check_all(x: &[f64]) -> Attempt {
    let mut all = true;
    for entry in x {
        all &= entry.is_finite();
    }
    if all { Ok(()) } else { check_finite(x) }
}

/// y ← c x.
#[inline(always)]
pub(crate) fn scale<T: Real>(c: T, x: &[T], y: &mut [T]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = c * *x;
    }
}
