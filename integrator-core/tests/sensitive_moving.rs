//! Derivatives of a motion under a constraint that moves, by its start and its parameters, against
//! differences.

#![expect(clippy::expect_used, reason = "a test may end at what is not there")]

use least_action::drive::gradient::{Loss, Observed, differentiate};
use least_action::drive::integrate;
use least_action::method::{Rattle, project};
use least_action::prelude::*;

/// Two bobs on rods below a shaken pivot.
#[derive(Debug, Clone)]
struct Shaken {
    masses: [f64; 2],
    rods: Vec<f64>,
    amplitude: f64,
    rate: f64,
}

#[lagrangian(sensitive(masses, rods, amplitude, rate))]
impl Shaken {
    fn lagrangian(&self, bobs: [Vec2; 2]) -> Scalar {
        sum(0..2, |i| self.masses[i] * (0.5 * der(bobs[i]).norm_squared() - bobs[i].y))
    }

    #[holonomic]
    fn rods(&self, bobs: [Vec2; 2], t: Time) -> [Scalar; 2] {
        each(0..2, |i| {
            let swing = self.amplitude * (self.rate * t).sin();
            let pivot = if i == 0 { vec2(0.0, swing) } else { bobs[i - 1] };
            (bobs[i] - pivot).norm_squared() - self.rods[i].powi(2)
        })
    }
}

const STEP: f64 = 0.05;
const END: f64 = 1.3;
const BEGIN: f64 = 0.3;

fn shaken() -> Shaken {
    Shaken { masses: [1.1, 0.8], rods: vec![1.0, 1.3], amplitude: 0.2, rate: 2.5 }
}

/// A loss of positions and velocities at the end.
struct Weighted;

const OF_Q: [f64; 4] = [0.4, -1.1, 0.7, 0.2];
const OF_V: [f64; 4] = [1.3, 0.5, -0.8, 0.6];

fn value(q: &[f64], v: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    dot(q, &OF_Q) + dot(v, &OF_V)
}

impl Loss for Weighted {
    fn sees(&self, step: u64, of: u64) -> bool {
        step == of
    }

    fn add(&mut self, at: &Observed<'_>, of_q: &mut [f64], of_v: &mut [f64]) -> f64 {
        of_q.copy_from_slice(&OF_Q);
        of_v.copy_from_slice(&OF_V);
        value(at.q, at.v)
    }
}

/// A start on the constraints of the given parameters.
fn start() -> State {
    let mut state = State { t: BEGIN, q: vec![0.3, -0.8, 1.3, -1.6], v: vec![0.4, 0.3, -0.2, 0.1] };
    project(&shaken().bind().expect("bound"), &mut state).expect("near");
    state
}

/// The loss of a start after its projection.
fn loss(model: &Shaken, mut state: State) -> f64 {
    let system = model.bind().expect("bound");
    project(&system, &mut state).expect("near");
    let run = integrate(&system, &Rattle::default(), state, STEP).expect("started").until(END);
    let (stepper, _) = run.run().expect("run");
    value(&stepper.state().q, &stepper.state().v)
}

fn assert_slope(name: &str, found: f64, f: &dyn Fn(f64) -> f64) {
    let central = |h: f64| (f(h) - f(-h)) / (2.0 * h);
    let expected = (4.0 * central(5e-4) - central(1e-3)) / 3.0;
    let error = (found - expected).abs();
    assert!(error < 1e-7 * expected.abs().max(1.0), "{name}: {found} for {expected}");
}

#[test]
fn a_chain_below_a_shaken_pivot() {
    let (model, start) = (shaken(), start());
    let system = model.bind().expect("bound");
    let motion = differentiate(&system, &Rattle::default(), start.clone(), STEP).expect("started");
    let gradient = motion.until(END).gradient(&mut Weighted).expect("a gradient");
    for (k, name) in gradient.names.iter().enumerate() {
        assert_slope(name, gradient.parameters[k], &|h| {
            let (mut model, mut theta) = (model.clone(), model.parameters());
            theta[k] += h;
            model.set_parameters(&theta).expect("as many");
            loss(&model, start.clone())
        });
    }
    for k in 0..4 {
        assert_slope("q", gradient.q[k], &|h| {
            let mut state = start.clone();
            state.q[k] += h;
            loss(&model, state)
        });
        assert_slope("v", gradient.v[k], &|h| {
            let mut state = start.clone();
            state.v[k] += h;
            loss(&model, state)
        });
    }
}
