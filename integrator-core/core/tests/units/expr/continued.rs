use least_action_core::emitted::v1::Real;
use least_action_core::expr::{Scalar, erf, erfc};
use num_dual::{Dual64, HyperHyperDual64 as Jet, third_derivative};
use std::f64::consts::{LN_2, LN_10, PI};

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

/// A function of the language at x + ε beside its value and its first derivatives in closed form,
/// at every level of dual numbers: rates, three directions, and the rate of those.
#[track_caller]
fn compare(name: &str, x: f64, rated: Scalar<f64>, jet: Scalar<Jet>, known: &[f64]) {
    let (value, rate) = (jet.value(), jet.rate());
    let found = [value.re, value.eps1, value.eps1eps2, value.eps1eps2eps3];
    let of_rates = [rated.value(), rated.rate()];
    let of_both = [value.re, rate.re, rate.eps2, rate.eps2eps3];
    for found in [&found[..], &of_rates, &of_both] {
        for (order, (found, known)) in found.iter().zip(known).enumerate() {
            assert!(
                (found - known).abs() <= 1e-13 * known.abs().max(1e-287),
                "derivative {order} of {name} at {x:e}: {found:e}, not {known:e}"
            );
        }
    }
    if known.len() > 3 {
        assert!(rate.eps1eps2eps3.is_finite(), "derivative 4 of {name} at {x:e}");
    }
}

/// Functions of one number: name, points, form, derivatives.
macro_rules! table {
    ($($name:literal at [$($point:expr),+]: |$x:ident| $form:expr => $known:expr;)+) => {$(
        for x in [$($point),+] {
            let rated = |$x: Scalar<f64>| $form;
            let jet = |$x: Scalar<Jet>| $form;
            let known = |$x: f64| {
                let _ = $x;
                $known
            };
            let one = Jet::from_re(1.0);
            let at = Scalar::new(Jet::new(x, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0), one);
            compare($name, x, rated(Scalar::new(x, 1.0)), jet(at), &known(x));
        }
    )+};
}

/// Formulas of M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions, chapters 3, 4 and 7.
#[test]
fn functions_of_the_language_are_finite_and_right_wherever_they_are_smooth() {
    let logarithm =
        |x: f64, base: f64| [x.ln() / base, 1.0 / x / base, -1.0 / (x * x) / base, 2.0 / x.powi(3) / base];
    let power = |x: f64, p: f64, orders: usize| -> Vec<f64> {
        let falling = |n: usize| (0..n).map(|k| p - k as f64).product::<f64>();
        (0..orders).map(|n| if falling(n) == 0.0 { 0.0 } else { falling(n) * x.powf(p - n as f64) }).collect()
    };
    table! {
        "sin" at [0.0, 1.3, -4.0]: |x| x.sin() => [x.sin(), x.cos(), -x.sin(), -x.cos()];
        "cos" at [0.0, 1.3, -4.0]: |x| x.cos() => [x.cos(), -x.sin(), -x.cos(), x.sin()];
        "tan" at [0.0, 1.3, -4.0]: |x| x.tan() => {
            let (t, s) = (x.tan(), 1.0 / x.cos().powi(2));
            [t, s, 2.0 * t * s, s * (4.0 * t * t + 2.0 * s)]
        };
        "asin" at [0.0, 0.7, -0.999]: |x| x.asin() => {
            let w = (1.0 - x) * (1.0 + x);
            [x.asin(), w.powf(-0.5), x * w.powf(-1.5), (1.0 + 2.0 * x * x) * w.powf(-2.5)]
        };
        "acos" at [0.0, 0.7, -0.999]: |x| x.acos() => {
            let w = (1.0 - x) * (1.0 + x);
            [x.acos(), -w.powf(-0.5), -x * w.powf(-1.5), -(1.0 + 2.0 * x * x) * w.powf(-2.5)]
        };
        "atan" at [0.0, 1.5, -3.0, 1e60, -1e160]: |x| x.atan() => {
            let g = 1.0 / (1.0 + x * x);
            [x.atan(), g, -2.0 * (x * g) * g, (6.0 * x * (x * g) - 2.0 * g) * g * g]
        };
        "sinh" at [0.0, 1.5, -700.0]: |x| x.sinh() => [x.sinh(), x.cosh(), x.sinh(), x.cosh()];
        "cosh" at [0.0, 1.5, -700.0]: |x| x.cosh() => [x.cosh(), x.sinh(), x.cosh(), x.sinh()];
        "tanh" at [0.0, 0.4, -1.5, 800.0, -1e6]: |x| x.tanh() => {
            let (t, s) = (x.tanh(), 1.0 / x.cosh().powi(2));
            [t, s, -2.0 * t * s, s * (4.0 * t * t - 2.0 * s)]
        };
        "asinh" at [0.0, 1.5, -3.0, 1e60, -1e160]: |x| x.asinh() => {
            let g = 1.0 / x.hypot(1.0);
            [x.asinh(), g, -(x * g) * g * g, (2.0 * (x * g).powi(2) - g * g) * g * g * g]
        };
        "acosh" at [1.25, 1e60, 1e160]: |x| x.acosh() => {
            let g = 1.0 / (x * ((1.0 - 1.0 / x) * (1.0 + 1.0 / x)).sqrt());
            [x.acosh(), g, -(x * g) * g * g, (2.0 * (x * g).powi(2) + g * g) * g * g * g]
        };
        "atanh" at [0.0, 0.7, -0.999]: |x| x.atanh() => {
            let w = (1.0 - x) * (1.0 + x);
            [x.atanh(), 1.0 / w, 2.0 * x / w.powi(2), (6.0 * x * x + 2.0) / w.powi(3)]
        };
        "exp" at [0.0, 2.0, -800.0]: |x| x.exp() => [x.exp(); 4];
        "exp2" at [0.0, 2.0, -1e4]: |x| x.exp2() =>
            [x.exp2(), LN_2 * x.exp2(), LN_2.powi(2) * x.exp2(), LN_2.powi(3) * x.exp2()];
        "exp_m1" at [0.0, 1e-9, -800.0]: |x| x.exp_m1() => [x.exp_m1(), x.exp(), x.exp(), x.exp()];
        "ln" at [1.0, 1e-40, 1e40]: |x| x.ln() => logarithm(x, 1.0);
        "log2" at [1.0, 1e-40, 1e40]: |x| x.log2() => logarithm(x, LN_2);
        "log10" at [1.0, 1e-40, 1e40]: |x| x.log10() => logarithm(x, LN_10);
        "log" at [1.0, 1e-40, 1e40]: |x| x.log(3.0) => logarithm(x, 3.0_f64.ln());
        "ln_1p" at [0.0, 1e-9, -0.999]: |x| x.ln_1p() => {
            let y = 1.0 + x;
            [x.ln_1p(), 1.0 / y, -1.0 / (y * y), 2.0 / y.powi(3)]
        };
        "sqrt" at [4.0, 1e-40, 1e40]: |x| x.sqrt() => power(x, 0.5, 4);
        "cbrt" at [8.0, -27.0, 1e-40]: |x| x.cbrt() => {
            let c = x.cbrt();
            [c, c / x / 3.0, -2.0 * c / x / x / 9.0, 10.0 * c / x / x / x / 27.0]
        };
        "recip" at [2.0, -0.1, 1e-40]: |x| x.recip() => power(x, -1.0, 4);
        "powi" at [0.0, -2.0, 1e30]: |x| x.powi(5) => power(x, 5.0, 4);
        "powi with a negative exponent" at [-2.0, 1e-30]: |x| x.powi(-3) => power(x, -3.0, 4);
        "powi with a huge exponent" at [0.0, 1.0, -1.0]: |x| x.powi(2000) => power(x, 2000.0, 4);
        "powf" at [0.0, 4.0]: |x| x.powf(4.5) => power(x, 4.5, 4);
        "powf with a low exponent" at [0.0, 4.0]: |x| x.powf(1.5) => power(x, 1.5, 2);
        "powf of a negative number" at [-2.0, 0.0]: |x| x.powf(3.0) => power(x, 3.0, 4);
        "powf with the exponent 0" at [-2.0, 0.0]: |x| x.powf(0.0) => power(x, 0.0, 4);
        "powf with an exponent that varies" at [2.0]: |x| x.powf(x) => {
            let (f, l) = (x.powf(x), 1.0 + x.ln());
            [f, f * l, f * (l * l + 1.0 / x), f * (l.powi(3) + 3.0 * l / x - 1.0 / (x * x))]
        };
        "hypot" at [0.0, 3.0]: |x| x.hypot(4.0) => {
            let r = x.hypot(4.0);
            [r, x / r, 16.0 / r.powi(3), -48.0 * x / r.powi(5)]
        };
        "mul_add" at [0.0, 3.0]: |x| x.mul_add(x, 1.0) => [x * x + 1.0, 2.0 * x, 2.0, 0.0];
        "to_radians" at [-90.0]: |x| x.to_radians() => [-PI / 2.0, PI / 180.0, 0.0, 0.0];
        "to_degrees" at [PI]: |x| x.to_degrees() => [180.0, 180.0 / PI, 0.0, 0.0];
        "abs" at [-2.0, 3.0]: |x| x.abs() => [x.abs(), x.signum(), 0.0, 0.0];
        "clamp" at [-2.0, 0.5]: |x| x.clamp(-1.0, 1.0) => [x.clamp(-1.0, 1.0), if x > -1.0 { 1.0 } else { 0.0 }, 0.0, 0.0];
    }
    // The angle of (b, a + ε), on all axes, far out and near the origin.
    for (a, b) in [
        (1.0, 0.0),
        (-1.0, 0.0),
        (0.0, 2.0),
        (0.0, -2.0),
        (3.0, 4.0),
        (2e-60, 0.0),
        (1e-60, 1e-60),
        (1e60, 0.0),
    ] {
        let r = f64::hypot(a, b);
        let (u, w) = (a / r, b / r);
        let known = [a.atan2(b), w / r, -2.0 * u * w / r / r, 2.0 * w * (3.0 * u * u - w * w) / r / r / r];
        let at = Scalar::new(Jet::new(a, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0), Jet::from_re(1.0));
        compare("atan2", a, Scalar::new(a, 1.0).atan2(b), at.atan2(b), &known);
    }
}

/// The numbers of kernels with rates, where `num_dual` has none.
#[test]
fn numbers_of_kernels_have_finite_rates_wherever_they_are_smooth() {
    let (moving, still) = (Dual64::new(1000.0, 3.0), Dual64::from_re(0.0));
    assert_eq!((Real::tanh(moving).re, Real::tanh(moving).eps), (1.0, 0.0));
    let up = Real::atan2(Dual64::new(2.0, 5.0), Dual64::new(0.0, -3.0));
    assert_eq!((up.re, up.eps), (PI / 2.0, 1.5));
    for at_rest in [Real::sqrt(still), Real::cbrt(still), Real::powf(still, Dual64::from_re(0.75))] {
        assert_eq!((at_rest.re, at_rest.eps), (0.0, 0.0));
    }
}
