use least_action_core::internals::check::Compared;

#[test]
fn dual_numbers_refute_what_is_beyond_rounding() {
    let holds = |kernel: f64, dual: f64, magnitude: f64| {
        Compared { kernel, dual, change: 0.0, magnitude }.measure() <= 1.0
    };
    assert!(holds(1.0, 1.0 + 1e-13, 1.0) && holds(0.0, 1e-13, 1.0));
    assert!(!holds(0.0, 1e-11, 1.0));
    assert!(!holds(f64::NAN, 1.0, 1.0));
    // Without a number there is no agreement.
    assert!(
        !holds(f64::NAN, f64::NAN, 1.0)
            && !holds(1.0, f64::NAN, 1.0)
            && !holds(f64::INFINITY, f64::INFINITY, 1.0)
    );
    // The terms of a sum measure it.
    assert!(holds(0.0, 1e-11, 100.0) && !holds(0.0, 1e-9, 100.0));
}
