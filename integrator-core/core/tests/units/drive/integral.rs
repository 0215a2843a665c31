use least_action_core::internals::drive::Integral;

/// The integral of `rate` over [0, 2] at moments that `times` gives.
fn over(times: impl IntoIterator<Item = f64>, rate: impl Fn(f64) -> f64) -> f64 {
    let mut integral = Integral::default();
    times.into_iter().for_each(|t| integral.extend(t, rate(t)));
    integral.value()
}

fn equally(count: u32) -> impl Iterator<Item = f64> {
    (0..=count).map(move |k| 2.0 * f64::from(k) / f64::from(count))
}

#[test]
fn a_cubic_is_integrated_exactly_at_any_moments() {
    let cubic = |t: f64| 1.0 - 3.0 * t + 0.5 * t * t - 2.0 * t.powi(3);
    let exact = 2.0 - 6.0 + 4.0 / 3.0 - 8.0;
    for times in [vec![0.0, 1.0, 2.0], vec![0.0, 0.1, 0.7, 2.0], vec![0.0, 0.3, 0.4, 1.1, 1.15, 1.9, 2.0]] {
        assert!((over(times.clone(), cubic) - exact).abs() < 1e-13, "{times:?}");
    }
}

#[test]
fn the_error_is_of_order_four_from_the_second_span_on() {
    let exact = 1.0 - 2.0_f64.cos();
    let error = |count: u32| (over(equally(count), f64::sin) - exact).abs();
    let slope = (error(40) / error(80)).log2();
    assert!((3.8..4.3).contains(&slope), "{slope}");
    // Over short runs: the local error of Simpson's rule is of order 5.
    let short = |h: f64| (over([0.0, h, 2.0 * h], f64::exp) - ((2.0 * h).exp() - 1.0)).abs();
    let slope = (short(0.1) / short(0.05)).log2();
    assert!((4.8..5.2).contains(&slope), "{slope}");
}

#[test]
fn breaks_keep_the_order_where_the_rate_jumps() {
    let error = |count: u32| {
        let mut integral = Integral::default();
        for t in equally(count) {
            if t < 1.0 {
                integral.extend(t, t.exp());
            } else if t > 1.0 {
                integral.extend(t, -t.sin());
            } else {
                integral.extend(t, t.exp());
                integral.break_at(t, -t.sin());
            }
        }
        let exact = 1.0_f64.exp() - 1.0 + 2.0_f64.cos() - 1.0_f64.cos();
        (integral.value() - exact).abs()
    };
    let slope = (error(40) / error(80)).log2();
    assert!((3.7..4.5).contains(&slope), "{slope}");
}
