use least_action_core::internals::check::derivative;

#[test]
fn derivatives_are_within_their_errors() {
    let x = 0.7_f64;
    let found = derivative(&[0.0; 3], 0.25, &|s| vec![(x + s).sin(), (x + s).powi(-12), 1e6 + (x + s)]);
    let steep = -12.0 * x.powi(-13);
    // The last is lost in the rounding of a million, divided by the step halved twice.
    let exact = [(x.cos(), 1e-8), (steep, 1e-8 * steep.abs()), (1.0, 16.0 * f64::EPSILON * 1e6 / 0.0625)];
    for ((estimate, error), (exact, at_most)) in found.into_iter().zip(exact) {
        assert!((estimate - exact).abs() <= error, "{estimate} {exact} {error}");
        assert!(error <= at_most, "{error} {at_most}");
    }
}

/// Of ten thousand functions that are rough at the first steps, none is held to be smooth there.
#[test]
fn what_is_close_by_chance_is_not_taken() {
    let phases: Vec<f64> = (0..10_000).map(|k| f64::from(k) * 0.37).collect();
    let bumps = |s: f64| {
        let bump = |phase: &f64| (40.0 * s + phase).sin() + s * (31.0 * s + 1.7 * phase).cos();
        phases.iter().map(bump).collect()
    };
    // Rounding inside that lets only the first steps count.
    let found = derivative(&vec![1e-6; phases.len()], 2.0, &bumps);
    for ((estimate, error), phase) in found.into_iter().zip(&phases) {
        let exact = 40.0 * phase.cos() + (1.7 * phase).cos();
        let distance = (estimate - exact).abs();
        assert!(distance <= 10.0 * error, "{phase}: {estimate} within {error} is {exact}");
    }
}

#[test]
fn a_kink_nearby_is_stepped_under_and_one_here_is_an_error() {
    let bend = |x: f64| if x < 0.0 { 0.0 } else { x * x };
    let near = derivative(&[0.0], 0.25, &|s| vec![bend(1e-4 + s)]);
    assert!((near[0].0 - 2e-4).abs() <= near[0].1 && near[0].1 < 1e-9, "{near:?}");
    let corner = derivative(&[0.0], 0.25, &|s| vec![s.abs() + s]);
    assert!((corner[0].0 - 1.0).abs() < 1e-12 && corner[0].1 >= 1.0, "{corner:?}");
    let outside = derivative(&[0.0], 0.25, &|s| vec![(0.01 + s).ln()]);
    assert!((outside[0].0 - 100.0).abs() <= outside[0].1 && outside[0].1 < 1e-6, "{outside:?}");
}
