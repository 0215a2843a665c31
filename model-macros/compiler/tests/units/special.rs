//! Functions that the standard library lacks.

use least_action_compiler::internals::arithmetic::{erf, erfc};

/// From a calculation with forty digits.
#[test]
fn values_are_the_known_ones() {
    let values =
        [(0.5, 0.520_499_877_813_046_5), (-0.25, -0.276_326_390_168_236_98), (3.0, 0.999_977_909_503_001_4)];
    for (x, known) in values {
        assert!((erf(x) - known).abs() <= 1e-15 * known.abs(), "erf {x}: {}", erf(x));
    }
    let tails = [
        (0.5, 0.479_500_122_186_953_5),
        (1.0, 0.157_299_207_050_285_13),
        (3.0, 2.209_049_699_858_544e-5),
        (10.0, 2.088_487_583_762_545e-45),
        (26.5, 2.210_907_664_263_734_3e-307),
    ];
    for (x, known) in tails {
        assert!((erfc(x) - known).abs() <= 1e-15 * known, "erfc {x}: {}", erfc(x));
    }
    assert_eq!((erf(f64::NEG_INFINITY), erfc(f64::INFINITY), erfc(-9.0)), (-1.0, 0.0, 2.0));
    assert!(erf(f64::NAN).is_nan() && erfc(f64::NAN).is_nan());
}
