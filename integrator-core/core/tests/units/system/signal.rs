#![expect(clippy::float_cmp, reason = "numbers that are exact in binary")]

use least_action_core::system::{Course, Signal, SignalError};

/// Many uneven times in [0, 10], and values there.
fn numbers(count: usize) -> (Vec<f64>, Vec<f64>) {
    let wave = |k: usize| (k as f64 * 2.399_963).sin();
    let times: Vec<f64> =
        (0..count).map(|k| 10.0 * (k as f64 + 0.4 * wave(k)) / (count as f64 - 1.0)).collect();
    (times, (0..count).map(|k| wave(3 * k + 1) + 0.3).collect())
}

fn both() -> [Signal; 2] {
    let (times, values) = numbers(101);
    let short = values[1..].to_vec();
    [
        Signal::constant(times.clone(), short).unwrap_or_default(),
        Signal::linear(times, values).unwrap_or_default(),
    ]
}

#[test]
fn values_and_slopes_are_those_of_the_pieces() {
    for signal in both() {
        let (times, values) = (signal.times().to_vec(), signal.values().to_vec());
        for k in 0..times.len() - 1 {
            let (t, part) = (times[k] + 0.3 * (times[k + 1] - times[k]), 0.3);
            let expected = match signal.course() {
                Course::Constant => values[k],
                Course::Linear => values[k] + part * (values[k + 1] - values[k]),
            };
            // Slopes are up to 100, and t is rounded.
            assert!((signal.value(t) - expected).abs() < 1e-13, "{:?} at {t}", signal.course());
            // After a jump, not before it.
            assert_eq!(signal.value(times[k]).to_bits(), values[k].to_bits());
            let rise = signal.value(t + 1e-4) - signal.value(t);
            assert!((rise / 1e-4 - signal.slope(t)).abs() < 1e-9);
        }
        let [first, last] = signal.span();
        assert!(signal.value(first - 0.1).is_nan() && signal.value(last + 0.1).is_nan());
        assert!(signal.value(last * (1.0 + 1e-14)).is_finite());
    }
}

#[test]
fn moments_are_the_integrals_over_each_piece_added_up() {
    for signal in both() {
        let [begin, end] = signal.span();
        let place = |part: f64| begin + part * (end - begin);
        for (from, to) in [(0.0, 1.0), (0.013, 0.9), (0.5, 0.502), (0.3001, 0.3002), (0.77, 0.12), (0.4, 0.4)]
        {
            let (a, b) = (place(from), place(to));
            // Gauss's rule with two nodes is exact on each span between times.
            let mut cuts = vec![a.min(b), a.max(b)];
            cuts.extend(signal.times().iter().filter(|t| (a.min(b)..a.max(b)).contains(*t)));
            cuts.sort_by(f64::total_cmp);
            let (mut whole, mut late) = (0.0, 0.0);
            for pair in cuts.windows(2) {
                for sign in [-1.0, 1.0] {
                    let t = 0.5 * (pair[0] + pair[1]) + sign * 0.5 * (pair[1] - pair[0]) / 3_f64.sqrt();
                    let part = 0.5 * (pair[1] - pair[0]) * (b - a).signum();
                    if pair[1] > pair[0] {
                        whole += part * signal.value(t);
                        late += part * signal.value(t) * (t - a) / (b - a);
                    }
                }
            }
            let [m0, m1] = signal.moments(a, b);
            assert!((m0 - whole).abs() < 2e-14, "{from} {to}: {m0} {whole}");
            assert!((m1 - late).abs() < 2e-14, "{from} {to}: {m1} {late}");
            assert_eq!(signal.integral(a, b).to_bits(), m0.to_bits());
        }
        assert!(signal.integral(begin, end + 1.0).is_nan());
    }
}

#[test]
fn a_short_span_far_from_the_start_loses_no_digits() {
    let times: Vec<f64> = (0..=1_000_000).map(f64::from).collect();
    let signal = Signal::sampled(times, |t| 1e6 + 0.5 * t).unwrap_or_default();
    let (a, b) = (999_998.25, 999_998.75);
    let [m0, m1] = signal.moments(a, b);
    let at = |t: f64| 1e6 + 0.5 * t;
    let (exact0, exact1) = (0.5 * at(999_998.5), 0.25 * at(a) + 0.125 / 3.0);
    assert!((m0 / exact0 - 1.0).abs() < 4e-16 && (m1 / exact1 - 1.0).abs() < 4e-16);
}

#[test]
fn a_steady_signal_never_ends() {
    let signal = Signal::steady(2.5).unwrap_or_default();
    assert_eq!([signal.value(-1e9), signal.slope(3.0)], [2.5, 0.0]);
    assert_eq!(signal.moments(1.0, 3.0), [5.0, 2.5]);
    assert!(signal.next_time(0.0).is_none() && signal.reaches(1e300));
}

#[test]
fn jumps_are_met_one_after_the_other() -> Result<(), SignalError> {
    let signal = Signal::constant(vec![0.0, 0.5, 2.0], vec![1.0, 3.0])?;
    assert_eq!([signal.next_time(-1.0), signal.next_time(0.0)], [Some(0.0), Some(0.5)]);
    assert_eq!([signal.next_time(0.5), signal.next_time(2.0)], [Some(2.0), None]);
    // A span that ends at a jump has nothing of the values after it.
    assert_eq!(signal.moments(0.25, 0.5), [0.25, 0.125]);
    assert_eq!(signal.moments(0.5, 0.75), [0.75, 0.375]);
    Ok(())
}

#[test]
fn mistakes_are_told_in_one_line() {
    let inf = f64::INFINITY;
    let cases = [
        (Signal::linear(vec![], vec![]), "needs at least two times, and has 0"),
        (Signal::linear(vec![0.0, 1.0], vec![1.0]), "has 2 values, and 1 are given"),
        (Signal::constant(vec![0.0, 1.0], vec![1.0, 2.0]), "has 1 values, and 2 are given"),
        (Signal::linear(vec![0.0, 2.0, 1.0], vec![0.0; 3]), "time 3 is 1, after 2"),
        (Signal::linear(vec![0.0, 0.0], vec![0.0; 2]), "time 2 is 0, after 0"),
        (Signal::linear(vec![0.0, inf], vec![0.0; 2]), "time 2 of a signal is inf"),
        (Signal::linear(vec![0.0, 1.0], vec![0.0, f64::NAN]), "value 2 of a signal is NaN"),
        (Signal::steady(inf), "value 1 of a signal is inf"),
        (Signal::read("/nowhere/torque.csv", Course::Linear), "/nowhere/torque.csv cannot be read"),
    ];
    for (signal, expected) in cases {
        let message = signal.map_or_else(|error| error.to_string(), |signal| format!("{signal:?}"));
        assert!(message.contains(expected) && !message.contains('\n'), "{message}");
    }
}

#[test]
fn files_have_a_time_and_a_value_in_each_line() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::temp_dir().join(format!("signal-{}.csv", std::process::id()));
    let read = |text: &str, course| {
        std::fs::write(&file, text)?;
        Ok::<_, std::io::Error>(Signal::read(&file, course))
    };
    let text = "time, torque\n# of the motor\n0, 1.5\n\n0.5; 2 # turns\n1\t-3\n";
    let linear = read(text, Course::Linear)??;
    assert_eq!((linear.times(), linear.values()), (&[0.0, 0.5, 1.0][..], &[1.5, 2.0, -3.0][..]));
    let constant = read(text, Course::Constant)??;
    assert_eq!((constant.times(), constant.values()), (&[0.0, 0.5, 1.0][..], &[1.5, 2.0][..]));
    assert_eq!(read("0 1\n2\n", Course::Constant)??.values(), &[1.0]);
    for (text, expected) in [
        ("0, 1\n1, two\n", ":2: `1, two` is not a time and a value"),
        ("0, 1\n1\n", ":2: `1` is not a time and a value"),
        ("0, 1, 2\n", ":1: `0, 1, 2`"),
        ("1, 1\n0, 2\n", "time 2 is 0, after 1"),
        ("", "at least two times"),
    ] {
        let message = read(text, Course::Linear)?.map_or_else(|error| error.to_string(), |_| String::new());
        assert!(message.contains(expected) && message.contains(".csv"), "{message}");
    }
    std::fs::remove_file(&file)?;
    Ok(())
}
