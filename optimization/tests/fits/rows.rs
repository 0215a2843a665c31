//! Priors, sensors and losses are rows and columns of one least-squares problem.

use std::f64::consts::TAU;

use least_action::method::{Composition, Verlet};
use least_action::prelude::*;
use least_action_optimization::fit::{Data, Fit, Fitted, Loss, Moving};
use nalgebra::{DMatrix, DVector};

use crate::{FREE, noise, solve};

/// ẍ = −k x − c ẋ from x = 0.8 + lift at rest.
#[derive(Clone)]
struct Spring {
    stiffness: f64,
    drag: f64,
    lift: f64,
}

#[lagrangian(sensitive(stiffness, drag, lift))]
impl Spring {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * der(x).powi(2) - 0.5 * self.stiffness * x.powi(2) + 0.0 * self.lift
    }

    #[dissipation]
    fn loss(&self, x: Scalar) -> Scalar {
        0.5 * self.drag * der(x).powi(2)
    }
}

impl Start for Spring {
    fn start(&self) -> State {
        State::at_rest(vec![0.8 + self.lift])
    }
}

type Springs = Moving<Spring, Composition<Verlet>>;

fn springs(stiffness: f64) -> Fit<Springs> {
    let model = Spring { stiffness, drag: 0.2, lift: 0.0 };
    let moving = Moving::new(model, Composition::of(Verlet, 4), 0.02).expect("a model");
    Fit::of(moving.from_own_start())
}

const NAMES: [&str; 4] = ["stiffness", "drag", "offset(x)", "scale(x)"];
const TRUTH: [f64; 4] = [9.0, 0.35, 0.12, 1.3];
const SIGMA: f64 = 0.02;

/// scale · x(t) + offset by the exact solution.
fn exact(x: &[f64], t: f64) -> f64 {
    let omega = (x[0] - 0.25 * x[1] * x[1]).sqrt();
    let wave = (omega * t).cos() + 0.5 * x[1] / omega * (omega * t).sin();
    x[3] * 0.8 * (-0.5 * x[1] * t).exp() * wave + x[2]
}

fn times() -> Vec<f64> {
    (0..=150).map(|k| 0.04 * f64::from(k)).collect()
}

/// Samples with normal errors, of which every 12th is a multiple.
fn seen(seed: u64, outliers: f64) -> Vec<f64> {
    let error = |(k, (t, noise)): (usize, (f64, f64))| {
        let size = if k % 12 == 7 { outliers } else { 1.0 };
        exact(&TRUTH, t) + SIGMA * size * noise
    };
    times().into_iter().zip(noise(seed)).enumerate().map(error).collect()
}

fn fit(seed: u64, outliers: f64) -> Fit<Springs> {
    let data = Data::at(times()).measured("x", SIGMA, seen(seed, outliers));
    NAMES.into_iter().fold(springs(7.0).own(data), |fit, name| fit.free(name, FREE))
}

fn values(found: &Fitted) -> Vec<f64> {
    found.estimates.iter().map(|estimate| estimate.value).collect()
}

/// ∂(reading)/∂x by central differences, a row for each time.
fn slopes(x: &[f64]) -> DMatrix<f64> {
    let moved = |column: usize, by: f64, t: f64| {
        let mut x = x.to_vec();
        x[column] += by;
        exact(&x, t)
    };
    let times = times();
    DMatrix::from_fn(times.len(), x.len(), |row, column| {
        (moved(column, 1e-5, times[row]) - moved(column, -1e-5, times[row])) / 2e-5
    })
}

/// Gauss–Newton on the exact solution with one more row, drag = 0.3 ± 0.01.
#[test]
fn a_prior_and_a_sensor_as_by_hand() {
    let (seen, mut x) = (seen(5, 1.0), TRUTH.to_vec());
    let mut squares = DMatrix::zeros(4, 4);
    for _ in 0..20 {
        let slopes = slopes(&x) / SIGMA;
        let misses =
            times().iter().zip(&seen).map(|(t, seen)| (exact(&x, *t) - seen) / SIGMA).collect::<Vec<_>>();
        squares = slopes.transpose() * &slopes;
        let mut right = slopes.transpose() * DVector::from_vec(misses);
        squares[(1, 1)] += 1e4;
        right[1] += 1e4 * (x[1] - 0.3);
        let step = squares.clone().lu().solve(&right).expect("a step");
        x.iter_mut().zip(step.iter()).for_each(|(x, step)| *x -= step);
    }
    let covariance = squares.try_inverse().expect("an inverse");
    let found = solve(fit(5, 1.0).prior("drag", 0.3, 0.01)).expect("a fit");
    for (k, estimate) in found.estimates.iter().enumerate() {
        let error = estimate.error.expect("an error");
        assert!((estimate.value - x[k]).abs() < 1e-3 * error, "{estimate:?} for {}", x[k]);
        assert!((error / covariance[(k, k)].sqrt() - 1.0).abs() < 1e-5, "{estimate:?}");
        for other in 0..4 {
            let size = (covariance[(k, k)] * covariance[(other, other)]).sqrt();
            let own = found.covariance[k][other].expect("a covariance");
            assert!((own - covariance[(k, other)]).abs() < 1e-5 * size);
        }
    }
    // χ² and its relatives, with the prior as the last of 152 samples.
    let misses = times().into_iter().zip(seen).map(|(t, seen)| ((exact(&x, t) - seen) / SIGMA).powi(2));
    let square = misses.sum::<f64>() + ((x[1] - 0.3) / 0.01).powi(2);
    let quality = found.quality;
    assert!((quality.chi_square / square - 1.0).abs() < 1e-6 && quality.degrees == 148, "{quality:?}");
    let likelihood = square + 151.0 * (TAU * SIGMA * SIGMA).ln() + (TAU * 1e-4).ln();
    assert!((quality.aic.expect("AIC") - likelihood - 8.0).abs() < 1e-4, "{quality:?} {likelihood}");
    assert!((quality.bic.expect("BIC") - likelihood - 4.0 * 152.0_f64.ln()).abs() < 1e-4);
    // Wilson and Hilferty's normal form of χ².
    let normal =
        ((quality.sigma.powi(2)).cbrt() - 1.0 + 2.0 / (9.0 * 148.0)) / (2.0_f64 / (9.0 * 148.0)).sqrt();
    let above = 0.5 * erfc(normal / 2.0_f64.sqrt());
    assert!((quality.probability.expect("a probability") - above).abs() < 1e-3, "{quality:?} {above}");
}

/// A rational form with an error below 1.2e-7 (W. H. Press and others, Numerical Recipes, 1992, 6.2).
fn erfc(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.5 * x.abs());
    let terms = [
        -1.265_512_23,
        1.000_023_68,
        0.374_091_96,
        0.096_784_18,
        -0.186_288_06,
        0.278_868_07,
        -1.135_203_98,
        1.488_515_87,
        -0.822_152_23,
        0.170_872_77,
    ];
    let sum = terms.iter().rev().fold(0.0, |sum, term| sum * t + term);
    let above = t * (sum - x * x).exp();
    if x >= 0.0 { above } else { 2.0 - above }
}

/// Derivatives of all rows beside differences of the residuals, two recordings, an own start that
/// follows a parameter, and samples between steps.
#[test]
fn residuals_have_exact_derivatives() {
    for loss in [Loss::Squares, Loss::Huber(1.345), Loss::SoftL1(1.0), Loss::Cauchy(2.385)] {
        let late = Data::at(vec![0.33, 0.5, 1.27]).measured("der.x", 0.1, vec![-0.5, 0.2, 1.0]).named("late");
        let names = ["lift", "scale(der.x)", "offset(der.x)", "der.x"];
        let all = names.into_iter().fold(fit(3, 10.0).own(late), |fit, name| fit.free(name, FREE));
        let mut problem = all.prior("drag", 0.3, 0.01).loss(loss).problem().expect("a problem");
        assert_eq!(problem.names().last(), Some("der.x of late"));
        let x: Vec<f64> = problem.first().iter().zip(noise(1)).map(|(x, noise)| x + 0.03 * noise).collect();
        let residuals = problem.residuals(&x).expect("residuals");
        let slopes = DMatrix::from(&problem.jacobian(&x).expect("slopes"));
        assert_eq!((slopes.shape(), residuals.len()), ((155, 9), 155));
        for column in 0..x.len() {
            let mut moved = |by: f64| {
                let mut x = x.clone();
                x[column] += by;
                problem.residuals(&x).expect("residuals")
            };
            let pairs = moved(1e-5).into_iter().zip(moved(-1e-5));
            for (row, (ahead, behind)) in pairs.enumerate() {
                let (own, by_differences) = (slopes[(row, column)], (ahead - behind) / 2e-5);
                assert!((own - by_differences).abs() < 1e-5 * (1.0 + own.abs()), "{loss:?} {row} {column}");
            }
        }
        assert!(problem.residuals(&x[1..]).is_err());
    }
}

/// Σ ψ(r) ∂r/∂x = 0 with the ψ of the books, and outliers that pull little.
#[test]
fn a_robust_loss_ends_where_the_pulls_cancel() {
    type Pull = fn(f64) -> f64;
    let losses: [(Loss, Pull); 3] = [
        (Loss::Huber(1.345), |r| r.clamp(-1.345, 1.345)),
        (Loss::SoftL1(1.0), |r| r / (1.0 + r * r).sqrt()),
        (Loss::Cauchy(2.385), |r| r / (1.0 + (r / 2.385).powi(2))),
    ];
    let squares = values(&solve(fit(9, 40.0)).expect("a fit"));
    for (loss, pull) in losses {
        let found = solve(fit(9, 40.0).loss(loss)).expect("a fit");
        let x = values(&found);
        let pulls =
            times().into_iter().zip(seen(9, 40.0)).map(|(t, seen)| pull((exact(&x, t) - seen) / SIGMA));
        let pulls = DVector::from_iterator(151, pulls);
        let slopes = slopes(&x);
        for column in 0..4 {
            let cosine = slopes.column(column).dot(&pulls) / (slopes.column(column).norm() * pulls.norm());
            assert!(cosine.abs() < 1e-5, "{loss:?}: {cosine}");
        }
        // The squares of all distances from the truth, in standard errors.
        let sum = |x: &[f64]| {
            let errors = found.estimates.iter().map(|estimate| estimate.error.expect("an error"));
            x.iter()
                .zip(TRUTH)
                .zip(errors)
                .map(|((x, truth), error)| ((x - truth) / error).powi(2))
                .sum::<f64>()
        };
        assert!(sum(&x) < 20.0 && sum(&x) < 0.1 * sum(&squares), "{loss:?} {x:?} {}", sum(&squares));
        // The motion is the one of the model, without a weight.
        let curve = &found.curves[0];
        let miss = curve.residuals.iter().fold(0.0, |most: f64, miss| most.max(miss.abs()));
        assert!(miss > 20.0, "{miss}");
        assert!(found.quality.aic.is_none() && found.quality.probability.is_none());
    }
}

/// The part of true values within one standard error.
fn coverage(fits: u64, of: impl Fn(u64) -> Fit<Springs>) -> f64 {
    let (mut inside, mut all) = (0_u32, 0_u32);
    for seed in 0..fits {
        let found = solve(of(1000 + seed)).expect("a fit");
        for (estimate, truth) in found.estimates.iter().zip(TRUTH) {
            inside += u32::from((estimate.value - truth).abs() < estimate.error.expect("an error"));
            all += 1;
        }
    }
    f64::from(inside) / f64::from(all)
}

#[test]
#[ignore = "800 fits, which take minutes without optimization"]
fn errors_cover_68_percent_of_200_fits() {
    let given = coverage(200, |seed| fit(seed, 1.0));
    assert!((given - 0.683).abs() < 0.05, "{given}");
    let estimated = coverage(200, |seed| {
        let data = Data::at(times()).column("x", seen(seed, 1.0));
        NAMES.into_iter().fold(springs(7.0).own(data), |fit, name| fit.free(name, FREE))
    });
    assert!((estimated - 0.683).abs() < 0.05, "{estimated}");
    // A prior as right as its error says.
    let with_prior = coverage(200, |seed| {
        let mean = TRUTH[1] + 0.01 * noise(seed + 5000).next().expect("a number");
        fit(seed, 1.0).prior("drag", mean, 0.01)
    });
    assert!((with_prior - 0.683).abs() < 0.05, "{with_prior}");
    let robust = coverage(200, |seed| fit(seed, 10.0).loss(Loss::Huber(1.345)));
    assert!((robust - 0.683).abs() < 0.05, "{robust}");
}

#[test]
fn a_second_start_finds_a_lower_minimum() {
    let truth = [9.0, 0.2, 0.0, 1.0];
    let samples = times().into_iter().zip(noise(2)).map(|(t, noise)| exact(&truth, t) + SIGMA * noise);
    let data = Data::at(times()).measured("x", SIGMA, samples.collect());
    let from = |stiffness| springs(stiffness).own(data.clone()).free("stiffness", [0.1, 100.0]);
    for far in [4.0, 30.0] {
        let once = solve(from(far)).expect("a fit");
        assert!((once.value("stiffness").expect("a number") - 9.0).abs() > 1.0, "{:?}", once.estimates);
        let twice = solve(from(far).begin_again()).expect("a fit");
        let other = twice.other.as_ref().expect("another minimum");
        assert!(other.of_guess && other.chi_square > twice.quality.chi_square, "{twice:?}");
    }
    // From near by the second start comes back.
    let near = solve(from(8.0).begin_again()).expect("a fit");
    assert!(near.other.is_none(), "{:?}", near.other);
    assert_eq!(near.iterations, solve(from(8.0)).expect("a fit").iterations);
}

#[test]
fn a_smooth_curve_passes_the_motion_at_the_samples() {
    let data = Data::at(vec![0.1, 0.73, 2.0]).column("x", vec![0.7, 0.1, 0.2]);
    let found = solve(springs(9.0).own(data).free("stiffness", FREE)).expect("a fit");
    let [times, values] = &found.curves[0].smooth;
    assert!(times.len() > 300 && times[0] == 0.0 && times.windows(2).all(|pair| pair[0] < pair[1]));
    for (t, motion) in found.curves[0].times.iter().zip(&found.curves[0].motion) {
        let after = times.partition_point(|time| time < t).max(1);
        let part = (t - times[after - 1]) / (times[after] - times[after - 1]);
        let between = values[after - 1] + part * (values[after] - values[after - 1]);
        assert!((between - motion).abs() < 1e-4, "{t}: {between} for {motion}");
    }
}

#[test]
fn mistakes_of_priors_and_losses_are_named() {
    let bare = || springs(9.0).own(Data::at(vec![0.1, 0.7]).column("x", vec![0.7, 0.1])).free("drag", FREE);
    let refusals = [
        (bare().prior("drag", 1.0, 0.1), "give each column its standard deviation"),
        (bare().loss(Loss::Huber(1.0)), "give each column its standard deviation"),
        (fit(1, 1.0).prior("lift", 1.0, 0.1), "a prior of `lift`, which is not free: free are `stiffness`"),
        (fit(1, 1.0).prior("drag", 1.0, 0.0), "the prior of `drag` is 1 ± 0"),
        (fit(1, 1.0).loss(Loss::Cauchy(-1.0)), "the scale of the loss is -1"),
        (fit(1, 1.0).free("scale(y)", FREE), "no number `scale(y)` to fit"),
    ];
    for (fit, words) in refusals {
        let text = solve(fit).expect_err(words).to_string();
        assert!(text.contains(words), "`{words}` is not in: {text}");
    }
}
