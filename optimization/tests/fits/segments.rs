//! Motions that amplify every error, cut into segments.

use std::f64::consts::PI;
use std::ops::ControlFlow;

use least_action::drive::integrate;
use least_action::method::{Composition, Verlet};
use least_action::prelude::*;
use least_action_optimization::fit::{Data, Fit, Moving};
use least_action_optimization::least_squares::Options;

use crate::{FREE, honest, noise, solve};

/// A particle in the potential of Hénon and Heiles with a free coupling, chaotic at this energy.
#[derive(Clone)]
struct HenonHeiles {
    coupling: f64,
    stiffness: f64,
}

#[lagrangian(sensitive(coupling, stiffness))]
impl HenonHeiles {
    fn lagrangian(&self, x: Scalar, y: Scalar) -> Scalar {
        let bowl = 0.5 * self.stiffness * (x.powi(2) + y.powi(2));
        0.5 * (der(x).powi(2) + der(y).powi(2)) - bowl - self.coupling * (x.powi(2) * y - y.powi(3) / 3.0)
    }
}

const NOISE: f64 = 1e-3;

#[test]
fn a_chaotic_motion_is_fitted_in_segments() {
    let truth = HenonHeiles { coupling: 1.0, stiffness: 1.0 };
    let start = State { t: 0.0, q: vec![0.0, -0.15], v: vec![0.54, 0.0] };
    let system = truth.bind().expect("bound");
    let run = integrate(&system, &Verlet, start.clone(), 0.05).expect("begun");
    let run = run.until(150.0).every(5).record().expect("run");
    let mut errors = noise(7);
    let mut column = |name: &str| -> Vec<f64> {
        run.column(name)
            .expect(name)
            .into_iter()
            .zip(&mut errors)
            .map(|(x, error)| x + NOISE * error)
            .collect()
    };
    let (x, y) = (column("x"), column("y"));
    let data = Data::at(run.column("t").expect("t")).column("x", x).column("y", y);
    let fit = |segments| {
        let guess = HenonHeiles { coupling: 0.8, stiffness: 1.2 };
        let fit =
            Fit::of(Moving::new(guess, Verlet, 0.05).expect("a bowl")).data(data.clone(), start.clone());
        let names = ["coupling", "stiffness", "x", "y", "der.x", "der.y"];
        names.into_iter().fold(fit.segments(segments), |fit, name| fit.free(name, FREE))
    };
    let found = solve(fit(30)).expect("a fit");
    assert!(
        (found.quality.sigma / NOISE - 1.0).abs() < 0.1,
        "{} after {}",
        found.quality.sigma,
        found.iterations
    );
    honest(
        &found,
        |name| match name {
            "coupling" | "stiffness" => 1.0,
            "y" => -0.15,
            "der.x" => 0.54,
            _ => 0.0,
        },
        4.0,
    );
    // In one piece the same fit is far away from the data after as many iterations.
    let few = Options { iterations: found.iterations, ..Options::default() };
    let one = fit(1).solve(&few, |_, _| ControlFlow::Continue(()));
    assert!(one.map_or(true, |one| one.quality.sigma > 30.0 * NOISE));
}

/// ẍ = μ² x − (μ² + p²) sin(p t): errors at the start grow by e^μ, but a bounded motion shows p.
#[derive(Clone)]
struct Hill {
    p: f64,
}

const GROWTH: f64 = 60.0;

#[lagrangian(sensitive(p))]
impl Hill {
    fn lagrangian(&self, x: Scalar, t: Time) -> Scalar {
        let push = (GROWTH.powi(2) + self.p.powi(2)) * (self.p * t).sin();
        0.5 * der(x).powi(2) + 0.5 * (GROWTH * x).powi(2) - push * x
    }
}

/// H. G. Bock, Recent advances in parameter identification techniques for ODEs, 1983.
#[test]
fn the_error_of_a_frequency_does_not_grow_with_the_motion() {
    let times: Vec<f64> = (1..=10).map(|k| 0.1 * f64::from(k)).collect();
    let of = |wave: fn(f64) -> f64| times.iter().map(|t| wave(PI * t)).collect();
    let (places, rates) = (of(f64::sin), of(|turn| PI * turn.cos()));
    let data = Data::at(times.clone()).measured("x", 0.05, places).measured("der.x", 0.05, rates);
    let moving = Moving::new(Hill { p: 1.0 }, Composition::of(Verlet, 4), 1e-3).expect("a hill");
    let fit = Fit::of(moving).data(data, State::new(vec![0.0], vec![1.0])).segments(50);
    let found = solve(["p", "x", "der.x"].into_iter().fold(fit, |fit, name| fit.free(name, FREE)));
    let found = found.expect("a fit");
    assert!(found.undetermined.is_empty(), "{:?}", found.undetermined);
    // All motions near sin(p t) are sin(p t) + a e^(−μ t) + b e^(μ (t − 1)), with these derivatives.
    let rows = times.iter().flat_map(|t| {
        let (fall, rise) = ((-GROWTH * t).exp(), (GROWTH * (t - 1.0)).exp());
        let (sine, cosine) = (PI * t).sin_cos();
        [[t * cosine, fall, rise], [cosine - PI * t * sine, -GROWTH * fall, GROWTH * rise]]
    });
    let rows: Vec<Vector3<f64>> = rows.map(|row| Vector3::from(row) / 0.05).collect();
    let squares: Matrix3<f64> = rows.iter().map(|row| row * row.transpose()).sum();
    let covariance = squares.try_inverse().expect("an inverse");
    // x = a + b e^(−μ), ẋ = p + μ (b e^(−μ) − a) at the start.
    let [of_p, of_x] = [covariance[(0, 0)].sqrt(), covariance[(1, 1)].sqrt()];
    let of_v = (covariance[(0, 0)] - 2.0 * GROWTH * covariance[(0, 1)] + (GROWTH * of_x).powi(2)).sqrt();
    for (estimate, right) in found.estimates.iter().zip([of_p, of_x, of_v]) {
        let error = estimate.error.expect("an error");
        assert!((error / right - 1.0).abs() < 1e-4, "{}: {error} for {right}", estimate.name);
    }
}
