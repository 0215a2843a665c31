//! The time at which a quadratic function leaves an interval: the earliest root, robust against ties.
//!
//! The face just crossed is never skipped: the parabola may turn back to it.  On a face the quadratic is exactly zero, and its
//! derivatives decide: moving outwards it leaves now; moving inwards it may return, at the *other* root, which needs no
//! difference of almost equal numbers; without velocity the acceleration decides.

/// The first time t ≥ 0 at which c(t) = c0 + c1 t + c2 t² leaves [0, 1], and whether through 1.
///
/// c0 is clipped to [0, 1]; infinite where c never leaves.
#[inline(always)]
pub(super) fn exit(c0: f64, c1: f64, c2: f64) -> (f64, bool) {
    let c0 = c0.clamp(0.0, 1.0);
    // Seen from the side where the parabola opens upwards.
    let downwards = c2 < 0.0;
    let (below, above) = if downwards { (1.0 - c0, c0) } else { (c0, 1.0 - c0) };
    let (c1, c2) = if downwards { (-c1, -c2) } else { (c1, c2) };
    if c1 < 0.0 {
        let discriminant = discriminant(c1, c2, below);
        // At zero it touches the face, and that is no crossing.
        if discriminant > 0.0 {
            return (2.0 * below / (discriminant.sqrt() - c1), downwards);
        }
    }
    // Nothing stops it before the other side.
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

/// The first time t ≥ 0 at which c(t) = c0 + c1 t + c2 t² becomes negative; c0 is clipped to be at least zero.
#[inline(always)]
pub(super) fn leave(c0: f64, c1: f64, c2: f64) -> f64 {
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

/// c1² − 4 c2 c0 for c2, c0 ≥ 0, rounded as if it were computed exactly where its parts cancel (Kahan).
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

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "roots that are exact in binary")]
mod tests {
    use super::{exit, leave};

    /// Coefficients of all signs and sizes, zeros and faces included.
    fn cases() -> impl Iterator<Item = [f64; 3]> {
        let positions = [0.0, 1e-300, 1e-16, 0.25, 0.5, 0.9, 1.0 - 1e-16, 1.0];
        let rates = [0.0, 1e-9, 0.3, 1.0, 2.0, 1e7];
        let signed = move || rates.into_iter().flat_map(|rate| [rate, -rate]);
        positions
            .into_iter()
            .flat_map(move |c0| signed().flat_map(move |c1| signed().map(move |c2| [c0, c1, c2])))
    }

    #[test]
    fn leaving_an_interval_is_leaving_the_nearer_of_its_ends() {
        for [c0, c1, c2] in cases() {
            let (below, above) = (leave(c0, c1, c2), leave(1.0 - c0, -c1, -c2));
            let (time, upwards) = exit(c0, c1, c2);
            assert!(time >= 0.0, "{c0} {c1} {c2}: {time}");
            let expected = below.min(above);
            let close = (time - expected).abs() <= 1e-15 * expected || time == expected;
            assert!(close, "{c0} {c1} {c2}: {time} is not {expected}");
            if below != above {
                assert_eq!(upwards, above < below, "{c0} {c1} {c2}");
            }
        }
    }

    #[test]
    fn the_quadratic_is_on_a_face_when_it_leaves_and_inside_before() {
        for [c0, c1, c2] in cases() {
            let (time, upwards) = exit(c0, c1, c2);
            if time.is_infinite() {
                assert!(c2 == 0.0 && c1.abs() == 0.0, "{c0} {c1} {c2}");
                continue;
            }
            let at = |t: f64| c0 + c1 * t + c2 * t * t;
            let scale = f64::EPSILON * (1.0 + (c1 * time).abs() + (c2 * time * time).abs());
            assert!((at(time) - f64::from(u8::from(upwards))).abs() <= 4.0 * scale, "{c0} {c1} {c2}: {time}");
            for part in [0.1, 0.5, 0.9] {
                assert!((-scale..=1.0 + scale).contains(&at(part * time)), "{c0} {c1} {c2}: {time}");
            }
        }
    }

    #[test]
    fn on_a_face_the_derivatives_decide() {
        // Just crossed and moving inwards: it returns at the other root, or never.
        assert_eq!(leave(0.0, 0.25, -0.5), 0.5);
        assert_eq!(exit(0.0, 0.25, -0.5), (0.5, false));
        assert_eq!(leave(0.0, 0.3, 0.1), f64::INFINITY);
        // Moving outwards: now.
        assert_eq!(leave(0.0, -0.3, 5.0), 0.0);
        assert_eq!(exit(1.0, 0.3, -5.0), (0.0, true));
        // Without velocity the acceleration decides.
        assert_eq!(leave(0.0, 0.0, -1.0), 0.0);
        assert_eq!(leave(0.0, 0.0, 1.0), f64::INFINITY);
        assert_eq!(exit(1.0, 0.0, 1.0), (0.0, true));
        assert_eq!(exit(1.0, 0.0, -1.0), (1.0, false));
        assert_eq!(exit(0.0, 0.0, 0.0).0, f64::INFINITY);
        // Slightly outside by rounding is on the face.
        assert_eq!(leave(-1e-17, 1.0, -1.0), 1.0);
        // A touch is no crossing.
        assert_eq!(leave(0.25, -1.0, 1.0), f64::INFINITY);
        assert!(exit(0.25, -1.0, 1.0).1);
    }

    /// The quadratic (t − 1)² − δ crosses at 1 − √δ, although its discriminant 4 δ is all cancellation.
    #[test]
    fn a_discriminant_that_cancels_keeps_its_digits() {
        let delta = f64::EPSILON;
        let c0 = 1.0 - delta;
        let expected = 1.0 - delta.sqrt();
        assert!((leave(c0, -2.0, 1.0) - expected).abs() <= f64::EPSILON);
        assert!((exit(c0, -2.0, 1.0).0 - expected).abs() <= f64::EPSILON);
    }
}
