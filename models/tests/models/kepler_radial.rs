//! The swept angle of Kepler's radial problem.

use least_action_models::KeplerRadial;

/// ∫ dt/(a + b t + c t²)² from 0 to `time`: the angle of a circle.
fn inverse_square(parabola: [f64; 3], time: f64) -> f64 {
    KeplerRadial { eccentricity: 0.0 }.angle(parabola, time)
}

/// All ways agree with the integral in many short pieces.
#[test]
fn the_angle_is_the_integral_along_any_parabola() {
    let cases = [
        ([1.0, 0.1, 0.05], 0.5),
        ([0.15, 3.0, 1.0], 0.8),
        ([2.0, -3.0, 1.5], 1.7),
        ([1.0, 0.0, -0.2], 2.0),
        ([0.3, 2.0, -1.0], 2.0),
        ([1.0, 2.0, 1.0], 5.0),
        ([1.0, 2.0, 1.000_1], 5.0),
        ([0.15, 4.0, 0.0], 2.0),
        ([0.15, 4.0, 1e-12], 2.0),
    ];
    for (parabola, time) in cases {
        let [a, b, c] = parabola;
        let pieces = 4096;
        let length = time / f64::from(pieces);
        let piece = |k: i32| {
            let t = length * f64::from(k);
            inverse_square([a + t * (b + t * c), b + 2.0 * c * t, c], length)
        };
        let (found, sum) = (inverse_square(parabola, time), (0..pieces).map(piece).sum::<f64>());
        assert!((found - sum).abs() < 1e-12 * sum, "{parabola:?} {time}: {found} {sum}");
    }
    // r = 1 + 2 t: ½ (1 − 1/(1 + 2 T)).
    assert!((inverse_square([1.0, 2.0, 0.0], 3.0) - 3.0 / 7.0).abs() < 1e-15);
}
