//! Ranges of axes, and the numbers at them.

use least_action_pages::internals::{equal_scales, power, range, range_of_most, tick};

#[test]
fn axes_have_a_length_whatever_the_values() {
    for values in
        [vec![], vec![0.0], vec![3.0, 3.0], vec![1e300, -1e300], vec![f64::NAN, f64::INFINITY], vec![1e-300]]
    {
        let (low, high) = range(values.iter().copied());
        assert!(low < high && (high - low).is_finite(), "{values:?}: {low} .. {high}");
    }
}

#[test]
fn one_outlier_does_not_ruin_a_range() {
    let values: Vec<f64> = (0..100).map(|k| (0.1 * f64::from(k)).sin()).collect();
    let with = |outlier: f64| range_of_most(values.iter().copied().chain([outlier]));
    let ((low, high), outside) = with(1e14);
    assert!(low < -0.9 && high > 0.9 && high < 2.0 && outside == 1, "{low} {high} {outside}");
    assert_eq!(with(-1e14).1, 1);
    // Growth is no outlier.
    let (growth, outside) = range_of_most((0..200).map(|k| (0.1 * f64::from(k)).exp()));
    assert!(growth.1 > 4e8 && outside == 0, "{growth:?}");
    assert_eq!(with(2.0).1, 0);
    assert_eq!(range_of_most([1.0, 1.0, 1.0, 1.0, 1.0, 5.0].into_iter()).1, 0);
}

#[test]
fn no_more_is_left_out_than_ruins_a_range() {
    // As of rigid molecules: two bins with the lengths of bonds, and a peak of a few others.
    let peak = |k: u32| 1.0 + 2.0 * (-0.5 * f64::from(k).powi(2)).exp();
    let values = (0..300).map(peak).chain([250.0, 90.0]);
    let ((_, high), outside) = range_of_most(values);
    assert!(high > 3.0 && high < 4.0 && outside == 2, "{high} {outside}");
}

#[test]
fn logarithmic_axes_have_powers_of_ten() {
    assert_eq!(power(-12.0, (-14.0, 0.0)), "10⁻¹²");
    assert_eq!(power(0.0, (-14.0, 0.0)), "10⁰");
    assert_eq!(power(0.5, (0.0, 1.0)), "3.16");
}

#[test]
fn a_unit_is_equally_long_on_both_axes() {
    let (x, y) = equal_scales((0.0, 1.0), (-1.0, 3.0), (400.0, 200.0));
    assert!(((x.1 - x.0) / 400.0 - (y.1 - y.0) / 200.0).abs() < 1e-15);
    assert!(x.0 <= 0.0 && x.1 >= 1.0 && y.0 <= -1.0 && y.1 >= 3.0);
}

#[test]
fn ticks_have_the_digits_that_tell_them_apart() {
    assert_eq!(tick(0.25, (0.0, 1.0)), "0.25");
    assert_eq!(tick(20.0, (0.0, 50.0)), "20");
    assert_eq!(tick(-1.5e-7, (-2e-7, 0.0)), "−1.5·10⁻⁷");
    assert_eq!(tick(4.12e-27, (4.1e-27, 4.17e-27)), "4.120·10⁻²⁷");
    assert_eq!(tick(1e-20, (-1.0, 1.0)), "0");
}
