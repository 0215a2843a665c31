//! Numbers that are drawn for members.

use least_action_command::internals::{Distribution, Draws, between_0_and_1, seed};
use serde_json::json;

fn draws(sobol: bool, count: usize) -> Draws {
    Draws::new(vec![Distribution::Uniform([0.0, 1.0]); count], 3, sobol).unwrap()
}

#[test]
fn distributions_are_read_and_bad_ones_refused() {
    assert_eq!(Distribution::read(&json!({"normal": [1, 0.5]})), Ok(Distribution::Normal([1.0, 0.5])));
    for (value, reason) in [
        (json!({"normal": [0, -1]}), "deviation"),
        (json!({"uniform": [2, 1]}), "width"),
        (json!({"log_uniform": [0, 1]}), "positive"),
        (json!({"uniform": [0]}), "is no distribution"),
        (json!({"unifrom": [0, 1]}), "is no distribution"),
        (json!(3), "is no distribution"),
    ] {
        assert!(Distribution::read(&value).unwrap_err().contains(reason), "{value}");
    }
}

/// Quantiles of the normal distribution to 15 digits: M. Abramowitz, I. Stegun, Handbook of Mathematical
/// Functions (1964), table 26.5.
#[test]
fn quantiles_are_those_of_the_tables() {
    let normal = Distribution::Normal([0.0, 1.0]);
    for (u, x) in [(0.5, 0.0), (0.975, 1.959_963_984_540_054), (0.001, -3.090_232_306_167_813_5)] {
        assert!((normal.quantile(u) - x).abs() < 1e-14, "{u}: {}", normal.quantile(u));
    }
    assert!((Distribution::Uniform([2.0, 4.0]).quantile(0.25) - 2.5).abs() < 1e-15);
    assert!((Distribution::LogUniform([1.0, 100.0]).quantile(0.5) - 10.0).abs() < 1e-13);
    assert!(between_0_and_1(0) > 0.0 && between_0_and_1(u64::MAX) < 1.0);
}

#[test]
fn a_draw_depends_on_its_index_alone() {
    for sobol in [false, true] {
        let all = draws(sobol, 3);
        let one = draws(sobol, 3).of(17);
        assert_eq!(all.of(17), one);
        assert_ne!(all.of(16), one);
    }
    assert_ne!(seed(1, 0), seed(1, 1));
    assert_ne!(seed(1, 0), seed(2, 0));
}

/// Of the first 2ᵏ points of a Sobol sequence each dyadic interval of length 2⁻ᵏ has one in each
/// dimension, also when they are shifted by bits.
#[test]
fn sobol_points_fill_every_dimension_evenly() {
    let draws = draws(true, 50);
    for dimension in 0..50 {
        let mut filled = [false; 256];
        (0..256).for_each(|index| filled[(draws.of(index)[dimension] * 256.0) as usize] = true);
        assert!(filled.iter().all(|filled| *filled), "dimension {dimension}");
    }
}

/// The mean of x y over the square is found much better than by independent draws.
#[test]
fn sobol_points_integrate_better_than_independent_ones() {
    let error = |sobol| {
        let draws = draws(sobol, 2);
        let sum: f64 = (0..4096).map(|index| draws.of(index).iter().product::<f64>()).sum();
        (sum / 4096.0 - 0.25).abs()
    };
    assert!(error(true) < 2e-4, "{}", error(true));
    assert!(error(false) < 2e-2, "{}", error(false));
    assert!(error(true) < 0.5 * error(false));
}

#[test]
fn independent_draws_have_the_moments_of_their_distribution() {
    let draws = Draws::new(vec![Distribution::Normal([2.0, 3.0])], 11, false).unwrap();
    let n = 20_000;
    let numbers: Vec<f64> = (0..n).map(|index| draws.of(index)[0]).collect();
    let mean = numbers.iter().sum::<f64>() / n as f64;
    let variance = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64;
    assert!((mean - 2.0).abs() < 0.08 && (variance / 9.0 - 1.0).abs() < 0.04, "{mean} {variance}");
}
