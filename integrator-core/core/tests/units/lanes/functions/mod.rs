//! Accuracy in units in the last place, special values, and agreement of all widths.

mod apply;
mod double;
mod known;
mod random;
mod reference;
mod round;

use self::apply::{ALL, Function, Width, apply, widths};
use self::double::{Double, Scaled};
use self::random::Random;

/// |computed − exact| in units in the last place of the exact value; subnormals count as normal.
fn error(computed: f64, exact: Scaled) -> f64 {
    if exact.value.high == 0.0 {
        return if computed == 0.0 { 0.0 } else { f64::INFINITY };
    }
    // Both are brought to a size near 1, where nothing overflows and nothing is lost.
    let size = exact.value.high.abs().log2().floor() as i32;
    let value = exact.value.scaled(-size);
    let exponent = exact.exponent + size;
    if computed.is_infinite() {
        // Past the largest number, rounding to infinity is right.
        return if value.high.abs().log2() + f64::from(exponent) >= 1024.0 - 1e-12 {
            0.0
        } else {
            f64::INFINITY
        };
    }
    let unit = 2.0_f64.powi(exponent.max(-1022) - exponent - 52);
    let scaled = Double::from(computed).scaled(-exponent);
    ((scaled.high - value.high) - value.low).abs() / unit
}

/// The largest error of each function over `count` arguments; every width gives the same bits.
fn measure(count: usize) -> Vec<(Function, f64, f64)> {
    let mut random = Random::new(3);
    let x: Vec<f64> = (0..count).map(|_| random.argument()).collect();
    let y: Vec<f64> = (0..count).map(|_| random.argument()).collect();
    let mut largest = Vec::new();
    for &function in ALL {
        let results = apply(Width::One, function, &x, &y);
        let worst = worst(function, &x, &y, &results);
        for width in widths() {
            let others = apply(width, function, &x, &y);
            for k in 0..count {
                let same =
                    results[k].to_bits() == others[k].to_bits() || results[k].is_nan() && others[k].is_nan();
                assert!(
                    same,
                    "{function:?}({:e}, {:e}) = {:e}, in {width:?} {:e}",
                    x[k], y[k], results[k], others[k]
                );
            }
        }
        largest.push((function, worst.0, worst.1));
    }
    largest
}

/// The largest error of these results, and where it is.
fn worst(function: Function, x: &[f64], y: &[f64], results: &[f64]) -> (f64, f64) {
    let mut worst = (0.0, 0.0);
    for ((&x, &y), &computed) in x.iter().zip(y).zip(results) {
        let error = if let Some(exact) = function.reference(x, y) {
            error(computed, exact)
        } else {
            // The standard library decides on special values, on its functions, and far from lost
            // digits.
            let standard = function.standard(x, y);
            if standard.is_finite() && standard != 0.0 {
                error(computed, Double::from(standard).into())
            } else {
                let same = standard.to_bits() == computed.to_bits() || standard.is_nan() && computed.is_nan();
                assert!(same, "{function:?}({x:e}, {y:e}) = {computed:e}, not {standard:e}");
                0.0
            }
        };
        if error > worst.0 || error.is_nan() {
            worst = (error, x);
        }
    }
    worst
}

fn report(largest: &[(Function, f64, f64)]) {
    for (function, error, x) in largest {
        println!("{function:?}: {error:.3} units in the last place, at {x:e}");
    }
    for (function, error, x) in largest {
        assert!(*error < 2.0, "{function:?}({x:e}) is wrong by {error} units in the last place");
    }
}

#[test]
fn errors_stay_below_two_units_in_the_last_place() {
    report(&measure(1 << 16));
}

/// `cargo test -p least-action --release functions -- --ignored --nocapture`
#[test]
#[ignore = "a minute; the same with fewer arguments runs always"]
fn errors_stay_below_two_units_in_the_last_place_for_a_million_arguments() {
    report(&measure(1 << 20));
}

#[test]
fn special_values_are_those_of_the_standard_library() {
    let special = [
        0.0,
        f64::MIN_POSITIVE,
        f64::from_bits(1),
        f64::from_bits(0x000f_ffff_ffff_ffff),
        1e-17,
        0.5,
        1.0,
        1.0 + f64::EPSILON,
        1.0 - f64::EPSILON / 2.0,
        2.0,
        20.0,
        709.782_712_893_384,
        709.782_712_893_385,
        745.13,
        745.14,
        1e9,
        1e10,
        1e22,
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
    ];
    let signed: Vec<f64> = special.iter().flat_map(|&x| [x, -x]).collect();
    let mut pairs: Vec<(f64, f64)> =
        signed.iter().flat_map(|&x| signed.iter().map(move |&y| (x, y))).collect();
    pairs.resize(pairs.len().next_multiple_of(8), (0.0, 0.0));
    let (x, y): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
    for &function in ALL {
        for width in widths() {
            let results = apply(width, function, &x, &y);
            for k in 0..x.len() {
                let (mut expected, computed) = (function.standard(x[k], y[k]), results[k]);
                if matches!(function, Function::Asinh | Function::Acosh)
                    && expected.is_infinite()
                    && x[k].is_finite()
                {
                    // The standard library's overflow halfway.
                    expected = (x[k].abs().ln() + std::f64::consts::LN_2).copysign(x[k]);
                }
                let what = format!(
                    "{function:?}({:e}, {:e}) = {computed:e}, not {expected:e}, in {width:?}",
                    x[k], y[k]
                );
                if expected.is_nan() {
                    assert!(computed.is_nan(), "{what}");
                    continue;
                }
                assert_eq!(expected.is_sign_negative(), computed.is_sign_negative(), "{what}");
                if !expected.is_finite() || expected == 0.0 {
                    assert!(expected.to_bits() == computed.to_bits(), "{what}");
                } else if function != Function::Acosh
                    && function != Function::Asinh
                    && function != Function::Atanh
                {
                    // The standard library's inverse hyperbolic functions lose digits themselves.
                    let distance = expected.to_bits().abs_diff(computed.to_bits());
                    assert!(distance <= 3, "{what}: {distance} numbers apart");
                }
            }
        }
    }
}

#[test]
fn a_lane_does_not_feel_its_neighbours() {
    let mut random = Random::new(4);
    let ordinary: Vec<f64> = (0..8).map(|_| random.argument().abs().min(1.0)).collect();
    for &function in ALL {
        for width in widths() {
            let alone = apply(width, function, &ordinary, &ordinary);
            for extreme in [1e300, f64::NAN, f64::INFINITY, -1e12, 0.0, f64::from_bits(7)] {
                for place in 0..8 {
                    let mut together = ordinary.clone();
                    together[place] = extreme;
                    let results = apply(width, function, &together, &together);
                    for k in (0..8).filter(|&k| k != place) {
                        assert_eq!(
                            alone[k].to_bits(),
                            results[k].to_bits(),
                            "{function:?} in {width:?} beside {extreme:e}"
                        );
                    }
                }
            }
        }
    }
}
