use least_action_core::expr::{erf, erfc};
use num_dual::{Dual64, third_derivative};

/// From a calculation with forty digits.
#[test]
fn values_are_the_known_ones() {
    for (x, known) in [
        (0.5_f64, 0.520_499_877_813_046_5),
        (-0.25, -0.276_326_390_168_236_98),
        (1.0, 0.842_700_792_949_714_9),
    ] {
        assert!((erf(x) - known).abs() <= 2.0 * f64::EPSILON * f64::abs(known), "erf {x}");
    }
    let tails = [
        (0.5_f64, 0.479_500_122_186_953_5),
        (5.0, 1.537_459_794_428_035e-12),
        (10.0, 2.088_487_583_762_545e-45),
        (26.5, 2.210_907_664_263_734_3e-307),
        (-3.0, 1.999_977_909_503_001_5),
    ];
    for (x, known) in tails {
        assert!((erfc(x) - known).abs() <= 2.0 * f64::EPSILON * known, "erfc {x}");
    }
    assert_eq!((erf(f64::INFINITY), erfc(f64::INFINITY), erfc(-40.0)), (1.0, 0.0, 2.0));
}

/// erf″ = −2x erf′ and erf‴ = (4x² − 2) erf′, and so on for numbers within numbers.
#[test]
fn derivatives_of_every_order_are_those_of_the_gaussian() {
    for x in [-1.7_f64, -0.2, 0.0, 0.4, 2.5] {
        let slope = std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp();
        let known = [slope, -2.0 * x * slope, (4.0 * x * x - 2.0) * slope];
        let (value, first, second, third) = third_derivative(erf, x);
        assert_eq!(value.to_bits(), erf(x).to_bits());
        let (_, minus, _, minus_third) = third_derivative(erfc, x);
        for (found, known) in [(first, known[0]), (second, known[1]), (third, known[2])] {
            assert!((found - known).abs() <= 1e-15 * known.abs().max(slope), "at {x}: {found}, not {known}");
        }
        assert_eq!((minus, minus_third), (-first, -third));
        // The third derivative of a dual number is its fourth.
        let inner = Dual64::new(x, 1.0);
        let (_, _, _, fourth) = third_derivative(erf, inner);
        let known = (12.0 * x - 8.0 * x.powi(3)) * slope;
        assert!(
            (fourth.eps - known).abs() <= 1e-14 * slope.max(known.abs()),
            "at {x}: {}, not {known}",
            fourth.eps
        );
    }
}
