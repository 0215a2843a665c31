//! A start that depends on a free parameter follows it.

use least_action::drive::gradient::{Following, Function, Gradient, differentiate};
use least_action::method::{Composition, Rattle, Verlet};
use least_action::prelude::*;
use least_action_optimization::Error;
use least_action_optimization::fit::{Data, Fit, Fitted, Motions, Moving};
use least_action_optimization::least_squares::{Options, Problem, Slopes, Values, minimize};
use nalgebra_sparse::{CooMatrix, CsrMatrix};
use std::convert::Infallible;
use std::ops::ControlFlow;

use crate::{FREE, noise, solve};

/// An oscillator with drag by the reading of a sensor with an offset.
#[derive(Clone)]
struct Reading {
    stiffness: f64,
    drag: f64,
    offset: f64,
}

#[lagrangian(sensitive(stiffness, drag, offset))]
impl Reading {
    fn lagrangian(&self, reading: Scalar) -> Scalar {
        0.5 * der(reading).powi(2) - 0.5 * self.stiffness * (reading - self.offset).powi(2)
    }

    #[dissipation]
    fn loss(&self, reading: Scalar) -> Scalar {
        0.5 * self.drag * der(reading).powi(2)
    }
}

impl Start for Reading {
    fn start(&self) -> State {
        State::at_rest(vec![0.8 + self.offset])
    }
}

/// The place and the reading, which a row ties.
#[derive(Clone)]
struct Two {
    stiffness: f64,
    drag: f64,
    offset: f64,
}

#[lagrangian(sensitive(stiffness, drag, offset))]
impl Two {
    fn lagrangian(&self, x: Scalar, reading: Scalar) -> Scalar {
        0.5 * (1.0 - 1e-6) * der(x).powi(2) + 0.5e-6 * der(reading).powi(2) - 0.5 * self.stiffness * x.powi(2)
    }

    #[holonomic]
    fn sensor(&self, x: Scalar, reading: Scalar) -> Scalar {
        reading - x - self.offset
    }

    #[dissipation]
    fn loss(&self, x: Scalar) -> Scalar {
        0.5 * self.drag * der(x).powi(2)
    }
}

impl Start for Two {
    fn start(&self) -> State {
        State::at_rest(vec![0.8, 0.8 + self.offset])
    }
}

const NAMES: [&str; 3] = ["stiffness", "drag", "offset"];

/// x(t) + offset of ẍ = −k x − c ẋ from x = 0.8 at rest.
fn exact([stiffness, drag, offset]: [f64; 3], t: f64) -> f64 {
    let omega = (stiffness - 0.25 * drag * drag).sqrt();
    let wave = (omega * t).cos() + 0.5 * drag / omega * (omega * t).sin();
    0.8 * (-0.5 * drag * t).exp() * wave + offset
}

/// The least squares of the exact solution.
struct Exact<'d>(&'d [(f64, f64)]);

impl Exact<'_> {
    fn at(&self, x: &[f64]) -> Vec<f64> {
        self.0.iter().map(|(t, value)| exact([x[0], x[1], x[2]], *t) - value).collect()
    }
}

impl Problem for Exact<'_> {
    type Error = Infallible;

    fn unknowns(&self) -> usize {
        NAMES.len()
    }

    fn evaluate(&mut self, x: &[f64]) -> Result<Values, Infallible> {
        Ok(Values { residuals: self.at(x), constraints: Vec::new() })
    }

    fn linearize(&mut self, x: &[f64]) -> Result<Slopes, Infallible> {
        let mut residuals = CooMatrix::new(self.0.len(), x.len());
        for column in 0..x.len() {
            let moved = |by: f64| {
                let mut x = x.to_vec();
                x[column] += by;
                self.at(&x)
            };
            for (row, (ahead, behind)) in moved(1e-5).iter().zip(moved(-1e-5)).enumerate() {
                residuals.push(row, column, (ahead - behind) / 2e-5);
            }
        }
        Ok(Slopes { residuals: CsrMatrix::from(&residuals), constraints: CsrMatrix::zeros(0, x.len()) })
    }
}

fn seen() -> Vec<(f64, f64)> {
    let times = (0..=400).map(|k| 0.02 * f64::from(k));
    times.zip(noise(14)).map(|(t, noise)| (t, exact([9.0, 0.35, 0.12], t) + 0.01 * noise)).collect()
}

fn fitted<M: Motions>(motions: M, free: &[&str]) -> Result<Fitted, Error<M::Error>> {
    let (times, values) = seen().into_iter().unzip();
    let data = Data::at(times).measured("reading", 0.01, values);
    solve(free.iter().fold(Fit::of(motions).own(data), |fit, name| fit.free(*name, FREE)))
}

#[test]
fn the_reading_of_a_sensor_starts_with_its_offset() {
    let seen = seen();
    let right =
        minimize(&mut Exact(&seen), &[7.0, 0.1, 0.0], &Options::default(), |_| ControlFlow::Continue(()));
    let right = right.expect("least squares").x;
    let method = || Composition::of(Verlet, 4);
    let reading = Moving::new(Reading { stiffness: 7.0, drag: 0.1, offset: 0.0 }, method(), 0.02);
    let reading = fitted(reading.expect("a model").from_own_start(), &NAMES).expect("a fit");
    let two = Two { stiffness: 7.0, drag: 0.1, offset: 0.0 };
    let two = Moving::new(two, Composition::of(Rattle::default(), 4), 0.02);
    let two = fitted(two.expect("a model").from_own_start(), &NAMES).expect("a fit");
    for (name, right) in NAMES.into_iter().zip(right) {
        for found in [&reading, &two] {
            let value = found.value(name).expect(name);
            assert!((value - right).abs() < 2e-5, "{name}: {value} for {right}");
        }
    }
    assert_eq!(reading.follows, ["offset"]);
    assert!((reading.quality.sigma - 1.0).abs() < 0.15 && reading.doubt.is_none(), "{reading:?}");
    // An entry that is free itself follows nothing.
    let moving = Moving::new(Reading { stiffness: 7.0, drag: 0.1, offset: 0.0 }, method(), 0.02);
    let free = ["stiffness", "drag", "offset", "reading"];
    let found = fitted(moving.expect("a model").from_own_start(), &free).expect("a fit");
    assert!((found.value("reading").expect("a start") - 0.92).abs() < 0.01, "{found:?}");
}

#[test]
fn a_start_that_stays_is_doubted_by_the_noise() {
    let (times, values) = seen().into_iter().unzip();
    let data = Data::at(times).measured("reading", 0.01, values);
    let guess = Reading { stiffness: 7.0, drag: 0.1, offset: 0.0 };
    let start = guess.start();
    let moving = Moving::new(guess, Composition::of(Verlet, 4), 0.02).expect("a model");
    let fit = NAMES.iter().fold(Fit::of(moving).data(data, start), |fit, name| fit.free(*name, FREE));
    let found = solve(fit).expect("a fit");
    let doubt = found.doubt.clone().expect("a doubt");
    assert!(doubt.contains("times the given standard deviations"), "{doubt}");
    assert!(found.estimates.iter().all(|own| own.error.is_none()) && found.follows.is_empty());
}

/// A grain of dust about the sun, with the pressure and the drag of light. Units: au, yr.
#[derive(Clone)]
struct Dust {
    beta: f64,
}

const MU: f64 = 39.478_417_604_357_43;
const LIGHT: f64 = 63_241.077;

#[lagrangian(sensitive(beta))]
impl Dust {
    fn lagrangian(&self, p: Vec2) -> Scalar {
        0.5 * der(p).norm_squared() + 39.478_417_604_357_43 * (1.0 - self.beta) / p.norm()
    }

    #[force]
    fn drag(&self, p: Vec2) -> Vec2 {
        let out = p / p.norm();
        -self.beta * 39.478_417_604_357_43 / p.norm().powi(2) / 63_241.077 * (der(p).dot(out) * out + der(p))
    }
}

impl Start for Dust {
    fn start(&self) -> State {
        State::new(vec![1.0, 0.0], vec![0.0, (MU * (1.0 - self.beta)).sqrt()])
    }
}

#[test]
fn the_axis_of_dust_changes_with_its_circular_start() {
    // The whole length takes a minute without optimization.
    let years = if cfg!(debug_assertions) { 3.0 } else { 1000.0 };
    let dust = Dust { beta: 0.01 };
    let mu = MU * (1.0 - dust.beta);
    let system = dust.bind().expect("a system");
    let motion = differentiate(&system, &Composition::of(Verlet, 8), dust.start(), 0.01);
    let mut axis = Function::end(|q, v| {
        let square = |x: &[_; 2]| x[0] * x[0] + x[1] * x[1];
        let (r, speed) = (square(&[q[0], q[1]]).sqrt(), square(&[v[0], v[1]]));
        (r.recip() * 2.0 - speed / mu).recip()
    });
    let found = motion.expect("a motion").until(years).gradient(&mut axis).expect("a gradient");
    let mut start = |values: &[f64]| Ok::<_, String>(Dust { beta: values[0] }.start());
    let start = Following::of(&mut start, &[("beta".to_owned(), dust.beta)], [0]).expect("a start");
    // v = √(μ (1 − β)) has the derivative −μ/(2 v).
    let rate = -0.5 * MU / start.state.v[1];
    assert!((start.by(0)[1][1] - rate).abs() < 1e-9 * rate.abs(), "{start:?}");
    // μ′ = μ (1 − β) stands in the axis itself: on a circle ∂a/∂μ′ = −a/μ′.
    let whole = |found: &Gradient| found.parameters[0] + MU * found.value / mu;
    let closed = -2.0 * MU * years / (LIGHT * found.value);
    let (held, moved) = (whole(&found), whole(&found.clone().following(&start)));
    // In a thousand years the circle of the closed form leaves the motion by 1e-6.
    let right = if years > 999.0 { -1.264_390 } else { closed };
    assert!((moved - right).abs() < 1e-6, "{moved} for {right} after {years} years");
    assert!((held - closed).abs() > 0.1, "{held}");
}
