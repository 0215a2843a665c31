//! The time at which a quadratic function leaves an interval: the earliest root, robust against ties.
//!
//! The face just crossed is never skipped: the parabola may turn back to it. On a face the quadratic is
//! exactly zero, and its derivatives decide. Moving outwards it leaves now; moving inwards it may return
//! at the *other* root, which needs no difference of almost equal numbers; at rest the acceleration
//! decides.

/// The first time t ≥ 0 at which c(t) = c0 + c1 t + c2 t² leaves [0, 1], and true if it leaves through
/// 1.
///
/// c0 is clipped to [0, 1]; infinite if c never leaves.
#[inline(always)]
pub fn exit(c0: f64, c1: f64, c2: f64) -> (f64, bool) {
    let c0 = c0.clamp(0.0, 1.0);
    // Mirror so that the parabola opens upwards.
    let downwards = c2 < 0.0;
    let (below, above) = if downwards { (1.0 - c0, c0) } else { (c0, 1.0 - c0) };
    let (c1, c2) = if downwards { (-c1, -c2) } else { (c1, c2) };
    if c1 < 0.0 {
        let discriminant = discriminant(c1, c2, below);
        // At zero it touches the face without crossing it.
        if discriminant > 0.0 {
            return (2.0 * below / (discriminant.sqrt() - c1), downwards);
        }
    }
    // It reaches the other side.
    let root = (c1 * c1 + 4.0 * c2 * above).sqrt();
    let time = if c1 < 0.0 {
        (root - c1) / (2.0 * c2)
    } else if root + c1 > 0.0 {
        2.0 * above / (c1 + root)
    } else if above == 0.0 && c2 > 0.0 {
        0.0
    } else {
        f64::INFINITY
    };
    (time, !downwards)
}

/// The first time t ≥ 0 at which c(t) = c0 + c1 t + c2 t² becomes negative; c0 is at least zero.
#[inline(always)]
pub fn leave(c0: f64, c1: f64, c2: f64) -> f64 {
    let c0 = c0.max(0.0);
    if c2 < 0.0 {
        let root = (c1 * c1 - 4.0 * c2 * c0).sqrt();
        if c1 > 0.0 {
            return (c1 + root) / (-2.0 * c2);
        }
        return if root > c1 { 2.0 * c0 / (root - c1) } else { 0.0 };
    }
    if c1 >= 0.0 {
        return f64::INFINITY;
    }
    let discriminant = discriminant(c1, c2, c0);
    if discriminant > 0.0 { 2.0 * c0 / (discriminant.sqrt() - c1) } else { f64::INFINITY }
}

/// c1² − 4 c2 c0 for c2, c0 ≥ 0, by an exact difference where the products cancel (Kahan).
#[inline(always)]
fn discriminant(c1: f64, c2: f64, c0: f64) -> f64 {
    let (square, product) = (c1 * c1, 4.0 * c2 * c0);
    let difference = square - product;
    if difference.abs() < 0.01 * square { exact_difference(c1, 4.0 * c2, c0) } else { difference }
}

/// b² − a c with the rounding errors of both products.
#[cold]
fn exact_difference(b: f64, a: f64, c: f64) -> f64 {
    let (square, product) = (b * b, a * c);
    let errors = b.mul_add(b, -square) - a.mul_add(c, -product);
    (square - product) + errors
}
