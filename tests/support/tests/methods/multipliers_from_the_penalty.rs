//! The two-scale average of the penalty beside the multipliers of RATTLE.

#![expect(clippy::unwrap_used, reason = "in a test file, helpers fail as tests do")]

use least_action::advanced::wrap::Penalized;
use least_action::drive::{Moment, Multipliers, Quantity, Recording, integrate};
use least_action::error::StartError;
use least_action::method::{Rattle, Report, Shake, ZhangSkeel};
use least_action::system::State;
use test_support::linkage::Linkage;

const END: f64 = 20.0;

fn column(recording: &Recording, name: &str) -> Vec<f64> {
    recording.column(name).unwrap_or_else(|| panic!("no column {name}"))
}

/// The multipliers on the constraints at the times k/100.
fn exact() -> [Vec<f64>; 2] {
    let (pendulum, start) = Linkage::double_pendulum(1.0);
    let run = integrate(&pendulum, &Rattle::default(), start, 5e-4).unwrap();
    let run = run.until(END).every(20).measure(Multipliers::of(&pendulum)).record().unwrap();
    [column(&run, "lambda.rods[0]"), column(&run, "lambda.rods[1]")]
}

/// The root mean square of (the measured value for t) − (the exact multiplier at t).
fn deviation(times: &[f64], values: &[f64], exact: &[f64]) -> f64 {
    let known: Vec<(f64, f64)> =
        times.iter().copied().zip(values.iter().copied()).filter(|(t, _)| t.is_finite()).collect();
    assert!(known.len() > 1900, "a mean for nearly every step");
    let square = |&(t, value): &(f64, f64)| {
        let place = (100.0 * t).round();
        assert!((100.0 * t - place).abs() < 1e-6);
        (value - exact[place as usize]).powi(2)
    };
    (known.iter().map(square).sum::<f64>() / known.len() as f64).sqrt()
}

#[test]
fn averages_converge_where_the_penalty_itself_does_not() {
    let (pendulum, start) = Linkage::double_pendulum(1.0);
    let exact = exact();
    assert!((exact[0][0] + 2.0 / 3.0).abs() < 1e-12 && (exact[1][0] + 1.0 / 6.0).abs() < 1e-12);
    let range =
        |values: &[f64]| values.iter().fold([f64::MAX, f64::MIN], |r, v| [r[0].min(*v), r[1].max(*v)]);
    for (values, [low, high]) in exact.iter().zip([[-1.65, -0.67], [-0.76, -0.17]]) {
        let [least, most] = range(values);
        assert!((least - low).abs() < 0.006 && (most - high).abs() < 0.006, "[{least}, {most}]");
    }

    let system = Penalized::new(&pendulum, 20.0).unwrap();
    let run = integrate(&system, &ZhangSkeel::default(), start, 0.01).unwrap().until(END);
    let run = run.measure(Multipliers::of_penalty(&system, 0.2).unwrap()).record().unwrap();
    let now = column(&run, "t");
    let [forward, centred] = ["forward", "centred"].map(|time| column(&run, &format!("lambda_mean.{time}")));
    for (rod, [raw, ahead, around]) in [[0.42, 0.078, 0.038], [0.16, 0.042, 0.021]].into_iter().enumerate() {
        let value = column(&run, &format!("lambda.rods[{rod}]"));
        let mean = column(&run, &format!("lambda_mean.rods[{rod}]"));
        let found = [(&now, &value), (&forward, &mean), (&centred, &mean)]
            .map(|(times, values)| deviation(times, values, &exact[rod]));
        println!("rod {rod}: {found:?}, stated [{raw}, {ahead}, {around}]");
        for (found, stated) in found.into_iter().zip([raw, ahead, around]) {
            // Stated with two digits.
            assert!((found - stated).abs() < 0.05 * stated, "{found} instead of {stated}");
        }
    }
}

#[test]
fn shake_has_the_same_multipliers_to_second_order() {
    let (pendulum, start) = Linkage::double_pendulum(1.0);
    let run = integrate(&pendulum, &Shake::default(), start, 0.01).unwrap().until(END);
    let run = run.measure(Multipliers::of(&pendulum)).record().unwrap();
    for (rod, exact) in exact().iter().enumerate() {
        let found = column(&run, &format!("lambda.rods[{rod}]"));
        let largest = found.iter().zip(exact).fold(0.0, |worst: f64, (a, b)| worst.max((a - b).abs()));
        assert!(largest < 2e-3, "{largest:e}");
    }
}

/// A penalty seen at chosen times, to check the window and the rule themselves.
fn means(window: f64, times: &[f64], height: impl Fn(f64) -> f64) -> Vec<Vec<f64>> {
    let pendulum = Linkage::chain(&[1.0], &[1.0], 1.0);
    let system = Penalized::new(&pendulum, 2.0).unwrap();
    let mut quantity = Multipliers::of_penalty(&system, window).unwrap();
    let mut values = vec![0.0; quantity.names().len()];
    times
        .iter()
        .map(|&t| {
            // −ω² (y² − 1) = height
            let state = State { t, q: vec![0.0, (1.0 - height(t) / 4.0).sqrt()], v: vec![0.0; 2] };
            quantity.measure(
                &Moment { step: 0, of: 1, state: &state, multipliers: None, report: Report::default() },
                &mut values,
            );
            values.clone()
        })
        .collect()
}

#[test]
fn the_mean_is_that_of_the_moments_in_the_shortest_window_that_is_long_enough() {
    // The mean of a straight line is its middle; a window of 0.3 is 4 moments, one of 0.31 is 5.
    let times: Vec<f64> = (0..12).map(|k| f64::from(k) * 0.1).collect();
    let line = |t: f64| 1.0 + 0.5 * t;
    for (window, span) in [(0.3, 3), (0.31, 4), (0.39, 4), (0.05, 1)] {
        for (k, row) in means(window, &times, line).iter().enumerate() {
            assert!((row[0] - line(times[k])).abs() < 1e-14);
            if k < span {
                assert!(row[1..].iter().all(|value| value.is_nan()), "{window}, {k}: {row:?}");
            } else {
                let centre = 0.5 * (times[k - span] + times[k]);
                assert_eq!((row[2], row[3]), (times[k - span], centre));
                assert!((row[1] - line(centre)).abs() < 1e-14, "{row:?}");
            }
        }
    }
    // Thousands of windows later nothing has been lost to rounding.
    let times: Vec<f64> = (0..100_000).map(|k| f64::from(k) * 0.01).collect();
    let rows = means(0.2, &times, |t| if t < 500.0 { -1e6 } else { line(t - 999.0) });
    assert!((rows[99_999][1] - line(0.89)).abs() < 1e-12, "{:?}", rows[99_999]);
}

#[test]
fn a_window_out_of_range_is_refused() {
    let pendulum = Linkage::double_pendulum(1.0).0;
    let system = Penalized::new(&pendulum, 20.0).unwrap();
    for window in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = Multipliers::of_penalty(&system, window).err().unwrap();
        assert!(matches!(refused, StartError::OptionOutOfRange { option: "window", .. }));
    }
}
