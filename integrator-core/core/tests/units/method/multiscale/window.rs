use least_action_core::internals::method::Window;
use least_action_core::method::multiscale::{BoxFilter, Cubic, Exponential};

#[test]
fn weights_add_up_to_one_without_renormalization() {
    let sum = |window: &Window| window.centre + window.side.iter().sum::<f64>();
    for per_period in [10, 20, 80] {
        let exponential =
            Window::new(&Exponential::default(), "hmm", "system", 1e4, per_period, true).unwrap();
        assert!((sum(&exponential) - 1.0).abs() < 1e-14, "{}", sum(&exponential));
        let cubic = Window::new(&Cubic::default(), "hmm", "system", 1e4, per_period, true).unwrap();
        assert!((sum(&cubic) - 1.0).abs() < 1e-14);
        let plain = Window::new(&BoxFilter::default(), "hmm", "system", 1e4, per_period, true).unwrap();
        assert!((sum(&plain) - 1.0).abs() < 1e-14);
        assert_eq!(plain.steps(), u64::from(per_period) / 2);
    }
}

#[test]
fn the_cubic_kernel_removes_the_harmonics_of_the_phase() {
    for periods in [4.0, 8.0, 12.0] {
        let window = Window::new(&Cubic { periods }, "hmm", "system", 1e4, 32, true).unwrap();
        for harmonic in [1.0, 2.0, 3.0, 5.0] {
            let value = |k: usize| (harmonic * window.turn(k, 1.0)).cos();
            let left: f64 = window.side.iter().enumerate().map(|(k, weight)| weight * value(k + 1)).sum();
            assert!((window.centre + left).abs() < 1e-14, "{periods} {harmonic}");
        }
    }
    // Pieces that hold no whole periods leave something.
    let window = Window::new(&Cubic { periods: 7.0 }, "hmm", "system", 1e4, 32, true).unwrap();
    let side = window.side.iter().enumerate();
    let left: f64 = side.map(|(k, weight)| weight * window.turn(k + 1, 1.0).cos()).sum();
    assert!((window.centre + left).abs() > 1e-3);
}

#[test]
fn the_moments_of_the_cubic_kernel_vanish() {
    let window = Window::new(&Cubic { periods: 100.0 }, "hmm", "system", 1.0, 100, true).unwrap();
    let count = window.side.len() as f64;
    let moment = |power: i32| {
        let side = window.side.iter().enumerate();
        side.map(|(k, weight)| weight * ((k + 1) as f64 / count).powi(power)).sum::<f64>()
    };
    assert!(moment(2).abs() < 1e-7);
    assert!((moment(4) + 11.0 / 480.0).abs() < 1e-6);
}
