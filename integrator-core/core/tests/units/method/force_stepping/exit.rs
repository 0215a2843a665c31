#![expect(clippy::float_cmp, reason = "roots that are exact in binary")]

use least_action_core::internals::method::{exit, leave};

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
