//! Sums and products of vectors in constrained steps.

use crate::method::largest::{LANES, Largest};

/// `max |a_c b_c|`; not finite if one of them is not.
#[inline]
pub(super) fn largest_product(a: &[f64], b: &[f64]) -> f64 {
    let mut largest = Largest::default();
    let ((a, last_a), (b, last_b)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            largest.take(lane, a[lane] * b[lane]);
        }
    }
    for (lane, (a, b)) in last_a.iter().zip(last_b).enumerate() {
        largest.take(lane, a * b);
    }
    largest.found()
}

/// v ← v₀ + κ v, where v holds an acceleration, and q ← q₀ + h v: the kick and the drift.
#[inline]
pub(crate) fn kick_and_drift(
    (kick, h): (f64, f64),
    (old_q, old_v): (&[f64], &[f64]),
    q: &mut [f64],
    v: &mut [f64],
) {
    for (((v, q), old_v), old_q) in v.iter_mut().zip(q).zip(old_v).zip(old_q) {
        *v = old_v + kick * *v;
        *q = old_q + h * *v;
    }
}

/// y ← c x.
#[inline]
pub(crate) fn scale(c: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = c * x;
    }
}
