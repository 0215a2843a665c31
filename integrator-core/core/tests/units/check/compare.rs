use least_action_core::internals::check::{Compared, Place, worst};

fn compared(kernel: f64, dual: f64, magnitude: Option<f64>) -> Compared {
    Compared { place: Place::Entry(0, 0), kernel, dual, change: 0.0, magnitude }
}

#[test]
fn dual_numbers_refute_what_is_beyond_rounding() {
    let holds = |entries: &[Compared]| worst(entries, 1.0).is_some_and(|(_, measure)| measure <= 1.0);
    assert!(holds(&[compared(1.0, 1.0 + 1e-13, None), compared(0.0, 1e-13, None)]));
    assert!(!holds(&[compared(1.0, 1.0, None), compared(0.0, 1e-11, None)]));
    assert!(!holds(&[compared(f64::NAN, 1.0, None), compared(0.0, 0.0, None)]));
    // A point without a derivative accuses no kernel.
    assert!(holds(&[compared(f64::NAN, f64::NAN, None), compared(0.0, 0.0, None)]));
    // The terms of a sum measure it.
    assert!(holds(&[compared(1.0, 1.0, None), compared(0.0, 1e-11, Some(100.0))]));
    assert!(!holds(&[compared(1.0, 1.0, None), compared(0.0, 1e-9, Some(100.0))]));
}
