use least_action_core::internals::method::{Filter, kernel};

fn moment(filter: &Filter, samples: usize, power: i32) -> f64 {
    let weights = filter.weights().iter().enumerate();
    weights
        .map(|(k, weight)| {
            let x = k as f64 / samples as f64;
            if k == 0 { if power == 0 { *weight } else { 0.0 } } else { 2.0 * weight * x.powi(power) }
        })
        .sum()
}

#[test]
fn the_weights_have_the_moments_of_the_kernel() {
    // Odd numbers and small ones too: there the weights are corrected.
    for samples in [200, 36, 30, 25, 7, 5, 4] {
        let filter = Filter::sample(samples);
        assert!((moment(&filter, samples, 0) - 1.0).abs() < 1e-14, "{samples}");
        assert!(moment(&filter, samples, 2).abs() < 1e-15, "{samples}");
        assert!(moment(&filter, samples, 4).abs() > 1e-4, "{samples}");
    }
}

/// The transform at a large argument, by a fine trapezoidal rule.
fn transform(s: f64) -> f64 {
    let n = 100_000;
    let value = |k: usize| {
        let x = k as f64 / n as f64;
        let weight = if k == 0 || k == n { 0.5 } else { 1.0 };
        2.0 * weight * kernel(x) * (s * x).cos() / n as f64
    };
    (0..=n).map(value).sum()
}

/// The largest |transform| near s, times s², neither grows nor falls.
#[test]
fn the_transform_decays_with_the_square() {
    let largest = |s: f64| (0..40).map(|k| transform(s + f64::from(k) * 0.4).abs()).fold(0.0, f64::max);
    let power = (largest(100.0) / largest(200.0)).log2();
    assert!((power - 2.0).abs() < 0.5, "{power}");
}

#[test]
fn the_kernel_of_the_paper_is_the_printed_polynomial() {
    for k in 0..=100 {
        let x = f64::from(k) / 100.0;
        let printed = if x <= 0.5 {
            2.0 - 2.0 * x - 8.0 * x.powi(2) + 8.0 * x.powi(3)
        } else {
            2.0 - 22.0 / 3.0 * x + 8.0 * x.powi(2) - 8.0 / 3.0 * x.powi(3)
        };
        assert!((kernel(x) - printed).abs() < 1e-14);
    }
    // The end points have no weight.
    assert_eq!(Filter::sample(18).weights().len(), 18);
}
