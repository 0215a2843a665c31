//! A pendulum with drag, from the times of a camera.

use least_action::method::{Composition, Verlet};
use least_action::prelude::*;
use least_action_optimization::fit::{Data, Fit, Moving};

use crate::{FREE, solve};

#[derive(Clone)]
struct Pendulum {
    length: f64,
    drag: f64,
    air: f64,
}

#[lagrangian(sensitive(length, drag, air))]
impl Pendulum {
    fn lagrangian(&self, theta: Angle) -> Scalar {
        0.5 * (self.length * der(theta)).powi(2) + 9.81 * self.length * theta.cos()
    }

    #[force]
    fn friction(&self, theta: Angle) -> Scalar {
        -self.drag * der(theta) - self.air * der(theta).abs() * der(theta)
    }
}

/// 60 angles with a noise of 1e-3, by scipy's DOP853 at the tolerance 1e-11, seed 3.
const CAMERA: &str = include_str!("pendulum.csv");
/// The numbers that made them, and the least squares of scipy with the same DOP853 as its model.
const TRUTH: [(&str, f64, f64); 3] =
    [("length", 0.93, 0.930_097_36), ("drag", 0.07, 0.071_739_95), ("air", 0.15, 0.149_008_43)];

fn camera() -> Data {
    let rows = CAMERA.lines().skip(1).filter_map(|line| line.split_once(','));
    let number = |text: &str| text.parse::<f64>().expect("a number");
    let (times, angles) = rows.map(|(t, angle)| (number(t), number(angle))).unzip();
    Data::at(times).column("theta", angles)
}

#[test]
fn a_pendulum_as_a_camera_saw_it() {
    let guess = Pendulum { length: 1.2, drag: 0.01, air: 0.01 };
    let method = Composition::of(Verlet, 4);
    let mut fit = Fit::of(Moving::new(guess, method, 0.01).expect("a pendulum"))
        .data(camera(), State::at_rest(vec![1.0]));
    for (name, _, _) in TRUTH {
        fit = fit.free(name, [1e-6, 10.0]);
    }
    let found = solve(fit).expect("a fit");
    assert_eq!((found.between, found.quality.degrees, found.undetermined.len()), (60, 57, 0));
    for (name, truth, right) in TRUTH {
        let estimate = found.estimates.iter().find(|own| own.name == name).expect(name);
        let error = estimate.error.expect("an error");
        assert!((estimate.value - truth).abs() < 2.5 * error, "{name}: {estimate:?}");
        // The cubic between steps of 0.01 moves the result by 1e-6.
        assert!((estimate.value - right).abs() < 1e-5, "{name}: {} for {right}", estimate.value);
        assert!((1e-5..0.02).contains(&error), "{name}: {error}");
    }
    assert!((0.7e-3..1.3e-3).contains(&found.quality.sigma), "{}", found.quality.sigma);
    // Both kinds of friction slow the same swings down.
    assert!(
        found.correlated().iter().any(|(a, b, by)| *a == "drag" && *b == "air" && *by < -0.95),
        "{:?}",
        found.correlated()
    );
    let curve = &found.curves[0];
    assert_eq!((curve.column.as_str(), curve.times.len()), ("theta", 60));
    assert!(curve.rms < 1.2e-3);
}

#[test]
fn an_unknown_start_and_a_given_noise() {
    let guess = Pendulum { length: 1.0, drag: 0.05, air: 0.1 };
    let data = camera();
    // The same data with a known σ have the same solution, and errors that do not depend on the residuals.
    let fit = |data: Data| {
        let moving = Moving::new(guess.clone(), Verlet, 0.01).expect("a pendulum");
        let fit = Fit::of(moving).data(data, State { t: 0.0, q: vec![0.9], v: vec![0.1] });
        solve(
            ["length", "drag", "air", "theta", "der.theta"]
                .into_iter()
                .fold(fit, |fit, name| fit.free(name, FREE)),
        )
    };
    let (times, angles): (Vec<f64>, Vec<f64>) = {
        let free = fit(data.clone()).expect("a fit");
        let angle = free.value("theta").expect("an angle");
        assert!((angle - 1.0).abs() < 4e-3, "{angle}");
        assert!(free.value("der.theta").expect("a rate").abs() < 2e-2);
        (free.curves[0].times.clone(), free.curves[0].values.clone())
    };
    let error = |found: &least_action_optimization::fit::Fitted| found.estimates[0].error.expect("an error");
    let known =
        |sigma: f64| fit(Data::at(times.clone()).measured("theta", sigma, angles.clone())).expect("a fit");
    let (one, ten) = (known(1e-3), known(1e-2));
    assert!((error(&ten) / error(&one) - 10.0).abs() < 1e-4);
    assert!((one.estimates[0].value - ten.estimates[0].value).abs() < 1e-8);
    assert!((0.7..1.3).contains(&one.quality.sigma), "{}", one.quality.sigma);
}

/// Columns come again at other times and with another σ; a sample with a large one counts for nothing.
#[test]
fn columns_at_other_times_belong_to_one_motion() {
    let curve = |data: Data| {
        let guess = Pendulum { length: 1.0, drag: 0.05, air: 0.1 };
        let moving = Moving::new(guess, Verlet, 0.01).expect("a pendulum");
        let fit = Fit::of(moving).data(data, State::at_rest(vec![1.0])).segments(2);
        solve(fit.free("length", FREE).free("drag", FREE)).expect("a fit")
    };
    let whole = curve(camera());
    let samples: Vec<(f64, f64)> = {
        let own = &whole.curves[0];
        own.times.iter().copied().zip(own.values.iter().copied()).collect()
    };
    let part =
        |first: usize| -> (Vec<f64>, Vec<f64>) { samples.iter().skip(first).step_by(2).copied().unzip() };
    let ([t, even], [u, odd]) = (part(0).into(), part(1).into());
    let parted = |sigmas: [f64; 2]| {
        let data = Data::at(u.clone()).measured("theta", sigmas[1], odd.clone());
        data.also_at(t.clone()).measured("theta", sigmas[0], even.clone())
    };
    let near = |a: &least_action_optimization::fit::Fitted, b: &least_action_optimization::fit::Fitted| {
        ["length", "drag"].iter().all(|name| {
            let [a, b] = [a, b].map(|found| found.value(name).expect("a value"));
            (a - b).abs() < 1e-8
        })
    };
    assert!(near(&curve(parted([1e-3, 1e-3])), &whole));
    let half = curve(Data::at(t.clone()).measured("theta", 1e-3, even.clone()));
    assert!(near(&curve(parted([1e-3, 1e3])), &half) && !near(&half, &whole));
}
