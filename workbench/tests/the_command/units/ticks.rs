//! Numbers at axes.

use least_action_pages::internals::{logarithmic_ticks, ticks};

#[test]
fn a_few_round_numbers_stand_at_ranges_of_any_size() {
    for scale in [1e-300, 1e-24, 1e-18, 1e-9, 1.0, 1e12, 1e200] {
        for (low, high) in [(0.0, 1.0), (-0.3, 0.9), (-7.0, -2.0), (4.1, 4.17), (0.0, 1.99)] {
            let all = ticks((scale * low, scale * high));
            assert!((3..=8).contains(&all.len()), "{scale}: {low} to {high}: {all:?}");
            assert!(all.iter().all(|tick| (scale * low..=scale * high).contains(tick)));
            let step = all[1] - all[0];
            assert!(all.windows(2).all(|pair| (pair[1] - pair[0] - step).abs() < 1e-6 * step));
            let digit = step / 10.0_f64.powf(step.log10().floor());
            let is_round = [1.0, 2.0, 5.0, 10.0].iter().any(|round| (digit - round).abs() < 1e-6);
            assert!(is_round, "{step}");
        }
    }
}

#[test]
fn logarithmic_axes_have_powers_of_ten_or_a_few_numbers_between() {
    assert_eq!(logarithmic_ticks((-3.2, 0.1)), [-3.0, -2.0, -1.0, 0.0]);
    let wide = logarithmic_ticks((-16.5, 2.0));
    assert_eq!(wide, [-15.0, -12.0, -9.0, -6.0, -3.0, 0.0]);
    let narrow = logarithmic_ticks((-3.1, -1.6));
    let expected = [1e-3, 2e-3, 5e-3, 1e-2, 2e-2_f64].map(f64::log10);
    assert!(narrow.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-12), "{narrow:?}");
    assert_eq!(narrow.len(), 5);
    let narrower = logarithmic_ticks((0.31, 0.42));
    assert!((3..=8).contains(&narrower.len()), "{narrower:?}");
}
