//! Digests of a quantity along a run.

use least_action_command::internals::Digest;

#[test]
fn a_straight_line_has_its_slope_for_a_drift() {
    let mut digest = Digest::default();
    for k in 0..1000 {
        let t = 1e6 + 0.1 * f64::from(k);
        digest.take(t, 3.0 - 2.0 * (t - 1e6));
        digest.take(t, f64::NAN);
    }
    let [last, first, mean, least, largest, drift] = digest.numbers().map(Option::unwrap);
    assert_eq!((first, largest, least), (3.0, 3.0, last));
    assert!((mean - 0.5 * (first + last)).abs() < 1e-8, "{mean}");
    assert!((drift + 2.0).abs() < 1e-9, "{drift}");
}

#[test]
fn nothing_is_known_of_no_values_and_no_drift_of_one() {
    assert_eq!(Digest::default().numbers(), [None; 6]);
    let mut digest = Digest::default();
    digest.take(1.0, 2.0);
    assert_eq!(digest.numbers(), [Some(2.0), Some(2.0), Some(2.0), Some(2.0), Some(2.0), None]);
}
