//! Motions that amplify every error, cut into segments.

use least_action::drive::integrate;
use least_action::method::Verlet;
use least_action::prelude::*;
use least_action_optimization::fit::{Data, Fit, Moving};

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
        solve(names.into_iter().fold(fit.segments(segments), |fit, name| fit.free(name, FREE)))
    };
    let found = fit(30).expect("a fit");
    assert!((found.sigma / NOISE - 1.0).abs() < 0.1, "{} after {}", found.sigma, found.iterations);
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
    // In one piece the same fit ends far away from the data.
    assert!(fit(1).map_or(true, |found| found.sigma > 30.0 * NOISE));
}
