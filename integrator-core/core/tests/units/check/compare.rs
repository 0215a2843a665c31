use least_action_core::internals::check::{Compared, Line, Picked, Place, worst, worst_by_differences};

fn compared(kernel: f64, dual: f64, magnitude: Option<f64>) -> Compared {
    Compared { place: Place::Entry(0, 0), kernel, dual, change: 0.0, magnitude }
}

#[test]
fn dual_numbers_refute_what_is_beyond_rounding() {
    let holds =
        |entries: &[Compared]| worst(entries, 0.0, &|_| String::new()).is_some_and(|dual| dual.agrees);
    assert!(holds(&[compared(1.0, 1.0 + 1e-13, None), compared(0.0, 1e-13, None)]));
    assert!(!holds(&[compared(1.0, 1.0, None), compared(0.0, 1e-11, None)]));
    assert!(!holds(&[compared(f64::NAN, 1.0, None), compared(0.0, 0.0, None)]));
    // Where there is no derivative, nothing is wrong.
    assert!(holds(&[compared(f64::NAN, f64::NAN, None), compared(0.0, 0.0, None)]));
    // A sum is measured by its terms.
    assert!(holds(&[compared(1.0, 1.0, None), compared(0.0, 1e-11, Some(100.0))]));
    assert!(!holds(&[compared(1.0, 1.0, None), compared(0.0, 1e-9, Some(100.0))]));
}

/// A kernel beside differences of this function.
fn refuted(kernel: f64, value: impl Fn(f64) -> f64) -> bool {
    let picked = vec![Picked { of: 0, kernel, change: 0.0, place: Place::Entry(0, 0) }];
    let line = Line { noise: [0.0].into(), step: 1.0, value: Box::new(move |s| vec![value(s)]), picked };
    !worst_by_differences(&[line], &|_| String::new()).expect("a comparison").agrees
}

#[test]
fn differences_refute_what_is_beyond_their_error() {
    assert!(!refuted(1.0, f64::sin));
    assert!(refuted(1.0 + 1e-6, f64::sin));
    assert!(refuted(f64::NAN, f64::sin));
    // Where the function is not a number, differences say nothing.
    assert!(!refuted(1.0, |s| if s == 0.0 { 0.0 } else { f64::NAN }));
}

/// A ripple that is zero at the steps 1, 1/2, 1/4, … as if it were not there; at others it shows.
#[test]
fn what_agrees_by_chance_does_not_refute() {
    let rippled = |s: f64| s + 1e-3 * (128.0 * std::f64::consts::PI * s).sin();
    let slope = 1.0 + 0.128 * std::f64::consts::PI;
    assert!(!refuted(slope, rippled));
    assert!(refuted(slope + 0.1, rippled));
}
