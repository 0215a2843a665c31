use least_action_core::error::StartError;
use least_action_core::internals::method::Filter;
use least_action_core::method::slow_manifold::{AveragingKernel, PiecewiseCubic, Smooth};

fn moment(filter: &Filter, samples: usize, power: i32) -> f64 {
    let weights = filter.weights().iter().enumerate();
    weights
        .map(|(k, weight)| {
            let x = k as f64 / samples as f64;
            if k == 0 { if power == 0 { *weight } else { 0.0 } } else { 2.0 * weight * x.powi(power) }
        })
        .sum()
}

fn has_its_moments<K: AveragingKernel>(kernel: &K) {
    // An odd number and a small one too: there the weights are corrected.
    for samples in [200, 36, 30, 25] {
        let filter = Filter::sample(kernel, samples).unwrap_or_else(|error| panic!("{error}"));
        assert!((moment(&filter, samples, 0) - 1.0).abs() < 1e-14, "{}", K::NAME);
        assert!(moment(&filter, samples, 2).abs() < 1e-15, "{}", K::NAME);
        let fourth = moment(&filter, samples, 4).abs();
        assert_eq!(fourth < 1e-4, K::MOMENTS >= 4, "{}: {fourth}", K::NAME);
    }
}

#[test]
fn the_weights_have_the_moments_that_the_kernel_claims() {
    has_its_moments(&PiecewiseCubic);
    has_its_moments(&Smooth::<3>);
    has_its_moments(&Smooth::<5>);
}

/// The transform at a large argument, by a fine trapezoidal rule.
fn transform<K: AveragingKernel>(kernel: &K, s: f64) -> f64 {
    let n = 100_000;
    let value = |k: usize| {
        let x = k as f64 / n as f64;
        let weight = if k == 0 || k == n { 0.5 } else { 1.0 };
        2.0 * weight * kernel.value(x) * (s * x).cos() / n as f64
    };
    (0..=n).map(value).sum()
}

/// The largest |transform| near s, times s^ν, neither grows nor falls.
fn decays<K: AveragingKernel>(kernel: &K) {
    let largest =
        |s: f64| (0..40).map(|k| transform(kernel, s + f64::from(k) * 0.4).abs()).fold(0.0, f64::max);
    let power = (largest(100.0) / largest(200.0)).log2();
    assert!((power - f64::from(K::DECAY)).abs() < 0.5, "{}: {power}", K::NAME);
}

#[test]
fn the_transform_decays_as_the_kernel_claims() {
    decays(&PiecewiseCubic);
    decays(&Smooth::<3>);
    decays(&Smooth::<5>);
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
        assert!((PiecewiseCubic.value(x) - printed).abs() < 1e-14);
    }
    let filter = Filter::sample(&PiecewiseCubic, 18).unwrap_or_else(|error| panic!("{error}"));
    // The end points have no weight.
    assert_eq!(filter.weights().len(), 18);
}

#[test]
fn a_kernel_without_unit_mass_or_with_another_moment_is_refused() {
    #[derive(Debug)]
    struct Half;
    impl AveragingKernel for Half {
        const NAME: &'static str = "half";
        const MOMENTS: u32 = 1;
        const DECAY: u32 = 1;
        fn value(&self, _: f64) -> f64 {
            0.25
        }
    }
    #[derive(Debug)]
    struct Boxed;
    impl AveragingKernel for Boxed {
        const NAME: &'static str = "box";
        const MOMENTS: u32 = 3;
        const DECAY: u32 = 1;
        fn value(&self, _: f64) -> f64 {
            0.5
        }
    }
    let mass = Filter::sample(&Half, 18).err();
    assert!(matches!(mass, Some(StartError::KernelMoment { moment: 0, kernel: "half", .. })));
    let moment = Filter::sample(&Boxed, 18).err();
    assert!(matches!(moment, Some(StartError::KernelMoment { moment: 2, kernel: "box", .. })));
}
