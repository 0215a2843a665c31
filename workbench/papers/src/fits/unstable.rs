//! Bock's problem: ẍ = μ² x − (μ² + p²) sin(p t) grows by e^μ in a unit of time, but for x = sin(p t).

use std::f64::consts::PI;

use least_action::method::{Composition, Verlet};
use least_action::prelude::*;
use least_action_optimization::fit::{Data, Fit, Fitted, Moving};
use least_action_pages::plot::{Axis, Panel, panels, scattered};

use super::{Claim, Columns, Experiment, Row, Verdict, solve};
use crate::error::Error;

const GROWTH: f64 = 60.0;
const STEP: f64 = 1e-3;
/// Errors grow by e^1.2 in each.
const SEGMENTS: u64 = 50;
const SIGMA: f64 = 0.05;
/// sin(π t) and its rate at t = 0.1, 0.2, …, with normal errors of 0.05.
const PLACES: [f64; 10] = [0.2752, 0.6319, 0.8354, 1.074, 0.901, 0.8838, 0.78, 0.6459, 0.2333, 0.0052];
const RATES: [f64; 10] = [2.9903, 2.5552, 1.879, 1.0116, 0.0287, -0.9628, -1.7863, -2.502, -2.9682, -3.1326];
/// The least squares of sin(p t) + a e^(−μ t) + b e^(μ (t − 1)): p, its standard error, and χ².
const LEAST: [f64; 3] = [3.129_457_03, 0.010_114_14, 19.589_210_75];

/// A hill of unit mass under a force with the frequency p.
#[derive(Clone)]
struct Hill {
    p: f64,
}

#[lagrangian(sensitive(p))]
impl Hill {
    fn lagrangian(&self, x: Scalar, t: Time) -> Scalar {
        let squared = GROWTH.powi(2);
        let push = (squared + self.p.powi(2)) * (self.p * t).sin();
        0.5 * der(x).powi(2) + 0.5 * squared * x.powi(2) - push * x
    }
}

/// The fit from p = 1 in so many segments.
fn fitted(segments: u64) -> Result<Fitted, Error> {
    let times = (1..=10).map(|k| 0.1 * f64::from(k)).collect();
    let data = Data::at(times).measured("x", SIGMA, PLACES.to_vec()).measured("der.x", SIGMA, RATES.to_vec());
    let moving = Moving::new(Hill { p: 1.0 }, Composition::of(Verlet, 4), STEP)?;
    let fit = Fit::of(moving).data(data, State::new(vec![0.0], vec![1.0])).segments(segments);
    solve(fit, &["p", "x", "der.x"])
}

pub(super) fn compute() -> Result<Experiment, Error> {
    let found = fitted(SEGMENTS)?;
    let p = found.value("p").unwrap_or(f64::NAN);
    let square = found.quality.chi_square;
    let whole = fitted(1)?.value("p").unwrap_or(f64::NAN);
    let curves = |name: &str| {
        let own = found.curves.iter().filter(|curve| curve.column == name);
        own.flat_map(|curve| {
            let points = |values: &[f64]| curve.times.iter().copied().zip(values.to_vec());
            [
                ("data".to_owned(), scattered(points(&curve.values))),
                ("motion".to_owned(), points(&curve.motion).collect()),
            ]
        })
        .collect()
    };
    let panel = |heading, name: &'static str, axis: &'static str| {
        Panel::of(heading, Axis::number("t"), Axis::number(axis), curves(name))
    };
    let picture = panels("Unstable motion", &[panel("Place", "x", "x"), panel("Rate", "der.x", "dx/dt")])?;
    Ok(Experiment {
        heading: "An unstable motion, μ = 60, from p = 1 in 50 segments".to_owned(),
        columns: Some(Columns::of("fitted", ["p", "χ²"])),
        rows: vec![
            Row::of("Verlet composed to order 4, h = 10⁻³", vec![p, square])
                .knowing([LEAST[0], LEAST[2]], 1e-6),
        ],
        claims: vec![
            Claim {
                statement: "Multiple shooting finds p = π from p = 1.",
                found: format!(
                    "p = {p:.4}, with a standard error of {:.4}; {} iterations",
                    LEAST[1], found.iterations
                ),
                verdict: Verdict::of((p - PI).abs() < 3.0 * LEAST[1]),
            },
            Claim {
                statement: "One segment does not: errors at the start grow by e⁶⁰.",
                found: format!("p = {whole:.4}"),
                verdict: Verdict::of((whole - PI).abs() > 1.0),
            },
        ],
        picture,
        motion: None,
    })
}
