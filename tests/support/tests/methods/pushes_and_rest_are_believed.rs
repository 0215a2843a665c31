//! A run under inputs that jump, or at rest, is judged by the work of its own steps: right ones are
//! believed, wrong ones are not.

#![expect(clippy::expect_used, reason = "in a test file, helpers fail as tests do")]

use least_action::advanced::carried::carried;
use least_action::advanced::sparse::SymmetricPattern;
use least_action::drive::{Recording, Watch, integrate};
use least_action::error::StepError;
use least_action::method::{
    Bdf, Composition, Method, Rattle, Reference, Report, Shake, Stepper, VariationalEuler,
    VariationalMidpoint, VariationalTrapezoid, Verlet,
};
use least_action::prelude::*;
use least_action::system::{Forced, Lagrangian, Layout, Signal, System};

/// A sled that a force pushes along a line.
struct Sled {
    mass: f64,
    push: Signal,
}

#[lagrangian]
impl Sled {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * self.mass * der(x).powi(2)
    }

    #[force]
    fn motor(&self, push: Input) -> Scalar {
        push
    }
}

/// A cart of 1 kg with a pendulum of 0.1 kg and 0.5 m.
struct Cart {
    push: Signal,
}

#[lagrangian]
impl Cart {
    fn lagrangian(&self, x: Scalar, theta: Angle) -> Scalar {
        let bob = vec2(x, 0.0) + 0.5 * vec2(theta.sin(), -theta.cos());
        0.5 * der(x).powi(2) + 0.05 * der(bob).norm_squared() - 0.981 * bob.y
    }

    #[force(x)]
    fn motor(&self, push: Input) -> Scalar {
        push
    }
}

/// Two inertias with play between them, and drag.
struct Play {
    torque: Signal,
}

#[lagrangian]
impl Play {
    fn lagrangian(&self, motor: Angle, load: Angle) -> Scalar {
        let turn = motor - load;
        let over = (turn - 0.05).max(0.0) - (-turn - 0.05).max(0.0);
        0.01 * der(motor).powi(2) + 0.025 * der(load).powi(2) - 100.0 * over.powi(2)
    }

    #[force(motor)]
    fn drive(&self, motor: Angle, torque: Input) -> Angle {
        torque - 1e-3 * der(motor)
    }
}

/// A load on two rods, pressed by a force beside its weight; the zero of its energy is a parameter.
struct Standing {
    mass: f64,
    datum: f64,
    press: f64,
}

#[lagrangian]
impl Standing {
    fn lagrangian(&self, load: Vec2) -> Scalar {
        0.5 * self.mass * der(load).norm_squared() - self.mass * 9.81 * (load.y - self.datum)
    }

    #[holonomic]
    fn rods(&self, load: Vec2) -> Vec2 {
        vec2(load.norm_squared() - 1.0, (load - vec2(0.0, 1.0)).norm_squared() - 2.0)
    }

    #[force]
    fn press(&self, load: Vec2) -> Vec2 {
        vec2(0.3, -1.0) * self.press + 0.0 * load
    }
}

fn run<S: System>(system: &S, method: &impl Method<S>, start: State, (step, end): (f64, f64)) -> Recording {
    let run = integrate(system, method, start, step).expect("a start").until(end).record();
    run.unwrap_or_else(|interrupted| panic!("h = {step}: {interrupted}"))
}

/// Refuses a run that is not believed, and returns its last position.
fn end_of<S: System>(system: &S, method: &impl Method<S>, start: State, times: (f64, f64)) -> Vec<f64> {
    let recording = run(system, method, start, times);
    let verdict = recording.verdict();
    assert!(verdict.is_believed(), "{} {times:?}: {verdict:?}", std::any::type_name_of_val(method));
    recording.positions().last().expect("a row").to_vec()
}

/// Runs by all methods that take inputs, and holds their ends against the reference.
fn agree<S: Lagrangian>(system: &S, fixed: bool, start: &State, times: (f64, f64), within: f64) {
    let exact = end_of(system, &Reference::default(), start.clone(), times);
    let midpoint = VariationalMidpoint::default();
    let mut ends = vec![end_of(system, &Bdf::default(), start.clone(), times)];
    if fixed {
        ends.push(end_of(system, &midpoint, start.clone(), times));
        ends.push(end_of(system, &VariationalTrapezoid::default(), start.clone(), times));
        ends.push(end_of(system, &VariationalEuler::default(), start.clone(), times));
        ends.push(end_of(system, &Composition::of(midpoint, 4), start.clone(), times));
    }
    for found in ends.iter().flat_map(|end| end.iter().zip(&exact)) {
        assert!((found.0 - found.1).abs() < within, "{times:?}: {ends:?} {exact:?}");
    }
}

fn wave(times: Vec<f64>, values: Vec<f64>) -> Signal {
    Signal::constant(times, values).expect("a signal")
}

#[test]
fn a_sled_under_a_square_wave_is_believed() {
    for (duty, sign, mass) in [(0.5, 1.0, 1.0), (0.5, -1.0, 1000.0), (0.6, 1.0, 1.0), (0.6, -1.0, 0.01)] {
        let (mut times, mut values) = (Vec::new(), Vec::new());
        for period in 0..120 {
            times.extend([1e-3 * f64::from(period), 1e-3 * (f64::from(period) + duty)]);
            values.extend([sign, -sign]);
        }
        times.push(0.12);
        let system = Sled { mass, push: wave(times, values) }.bind().expect("a model");
        let start = State::at_rest(vec![0.0]);
        // x = ½ (2 d − 1) t²/m, and half a period of the wave.
        let exact = sign * ((duty - 0.5) * 0.01 + duty * (1.0 - duty) * 1e-3 * 0.1) / mass;
        for step in [1e-2, 2.5e-3, 1e-3, 5e-4] {
            agree(&system, true, &start, (step, 0.1), 2e-3 / mass);
            let found = end_of(&system, &Reference::default(), start.clone(), (step, 0.1));
            assert!((found[0] - exact).abs() < 1e-9 / mass, "{found:?} {exact}");
            end_of(&system, &Verlet, start.clone(), (step, 0.1));
        }
    }
}

#[test]
fn pulses_inside_a_step_are_believed() {
    let pulses = wave(vec![0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 3.0], vec![1.0, -1.0, 1.0, -1.0, 1.0, 0.0]);
    let sled = Sled { mass: 1.0, push: pulses }.bind().expect("a model");
    for step in [0.5, 0.1, 0.05] {
        let found = end_of(&sled, &Reference::default(), State::at_rest(vec![0.0]), (step, 2.0));
        assert!((found[0] - 0.09375).abs() < 1e-9, "{found:?}");
        agree(&sled, true, &State::at_rest(vec![0.0]), (step, 2.0), 0.03);
    }
    for (from, to, force) in [(1.02, 1.04, 5.0), (1.02, 1.04, -5.0), (1.081, 1.099, 3.0), (0.7, 0.701, 40.0)]
    {
        let cart =
            Cart { push: wave(vec![0.0, from, to, 3.0], vec![0.0, force, 0.0]) }.bind().expect("a model");
        for step in [0.1, 0.05, 0.02] {
            agree(&cart, true, &State::at_rest(vec![0.0, 0.0]), (step, 2.0), 0.02);
        }
    }
}

#[test]
fn inertias_with_play_are_believed_by_the_inner_steps_of_adaptive_methods() {
    for sign in [0.2, -0.2] {
        let times = (0..=16).map(|quarter| 0.25 * f64::from(quarter)).collect();
        let values = (0..16).map(|quarter| if quarter % 2 == 0 { sign } else { -sign }).collect();
        let system = Play { torque: wave(times, values) }.bind().expect("a model");
        for step in [0.5, 0.25, 0.1, 0.03] {
            agree(&system, false, &State::at_rest(vec![0.0, 0.0]), (step, 1.9), 0.05);
        }
    }
}

#[test]
fn a_structure_at_rest_is_believed_whatever_the_zero_of_its_energy() {
    for mass in [1.0, 10.0, 1000.0] {
        for (datum, press) in [(0.0, 0.0), (1e-6, 0.0), (1.0, 0.0), (0.0, 70.0)] {
            let system = Standing { mass, datum, press }.bind().expect("a model");
            let start = || State::at_rest(vec![1.0, 0.0]);
            for step in [1e-3, 1e-2] {
                let times = (step, 200.0 * step);
                let ends = [
                    end_of(&system, &Rattle::default(), start(), times),
                    end_of(&system, &Shake::default(), start(), times),
                    end_of(&system, &Reference::default(), start(), times),
                    end_of(&system, &Bdf::default(), start(), times),
                    end_of(&system, &VariationalMidpoint::default(), start(), times),
                    end_of(&system, &VariationalTrapezoid::default(), start(), times),
                ];
                assert!(
                    ends.iter().all(|end| (end[0] - 1.0).abs() < 1e-12 && end[1].abs() < 1e-12),
                    "{ends:?}"
                );
            }
        }
    }
}

/// A bead on a spring with drag.
struct Bead {
    rate: f64,
}

#[lagrangian]
impl Bead {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * der(x).powi(2) - 0.5 * x.powi(2)
    }

    #[force]
    fn drag(&self, x: Scalar) -> Scalar {
        -self.rate * der(x)
    }
}

/// Another stepper that adds this part to its energy in one step.
#[derive(Debug)]
struct Jumps<S> {
    inner: S,
    state: State,
    at: u64,
    part: f64,
}

carried!([S: Stepper] Jumps<S> { state } besides { inner, at, part });

impl<S: Stepper> Stepper for Jumps<S> {
    fn step(&mut self) -> Result<(), StepError> {
        self.inner.step()?;
        let factor = if self.inner.steps() >= self.at { (1.0 + self.part).sqrt() } else { 1.0 };
        self.state = self.inner.state().clone();
        self.state.q.iter_mut().chain(&mut self.state.v).for_each(|value| *value *= factor);
        Ok(())
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn steps(&self) -> u64 {
        self.inner.steps()
    }

    fn report(&self) -> Report<'_> {
        self.inner.report()
    }
}

#[test]
fn wrong_motions_are_told() {
    let told = |recording: Recording| {
        assert!(!recording.verdict().is_believed(), "{:?}", recording.verdict());
    };
    // Drag that reverses the velocity in each step.
    for rate in [50.0, 1e3] {
        let system = Bead { rate }.bind().expect("a model");
        let moving = State::new(vec![0.0], vec![1.0]);
        told(run(&system, &VariationalMidpoint::default(), moving.clone(), (1.0, 20.0)));
        end_of(&system, &VariationalMidpoint::default(), moving.clone(), (0.1 / rate, 20.0 / rate));
        end_of(&system, &Reference::default(), moving, (1.0, 20.0));
    }
    // A step twice too long, from rest, with a drag that does not save it.
    let system = Bead { rate: 1e-3 }.bind().expect("a model");
    let interrupted = integrate(&system, &Verlet, State::at_rest(vec![1.0]), 4.0).expect("a start");
    assert!(interrupted.until(400.0).record().is_err_and(|run| run.to_string().contains("blown up")));
    // An energy that doubles in one step.
    let start = State::at_rest(vec![1.0]);
    let judged = |part: f64| {
        let inner = Verlet.start(&system, start.clone(), 0.1).expect("a start");
        let mut stepper = Jumps { inner, state: start.clone(), at: 7, part };
        let mut watch = Watch::of(&system);
        for _ in 0..300 {
            watch.look(&stepper).expect("a look");
            stepper.step().expect("a step");
        }
        watch.finish(&stepper).expect("a verdict")
    };
    assert!(judged(0.0).is_believed());
    assert!(!judged(2.0).is_believed(), "{:?}", judged(2.0));
}

/// A bead whose force is twice the slope of its potential, by hand.
struct Wrong<S>(S);

impl<S: System> System for Wrong<S> {
    fn name(&self) -> &'static str {
        "Wrong"
    }

    fn layout(&self) -> &Layout {
        self.0.layout()
    }

    fn forced(&self) -> Option<&dyn Forced> {
        self.0.forced()
    }

    fn mechanics(&self) -> Option<&dyn Lagrangian> {
        self.0.mechanics()
    }
}

impl<S: Lagrangian> Lagrangian for Wrong<S> {
    fn lagrangian(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        self.0.lagrangian(q, v, t)
    }

    fn energy(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        self.0.energy(q, v, t)
    }

    fn first_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64]) {
        self.0.first_derivatives(q, v, t, gradient);
        gradient[0] *= 2.0;
    }

    fn second_pattern(&self) -> &SymmetricPattern {
        self.0.second_pattern()
    }

    fn second_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        self.0.second_derivatives(q, v, t, gradient, hessian);
        gradient[0] *= 2.0;
    }
}

#[test]
fn a_wrong_gradient_by_hand_is_told() {
    let system = Wrong(Bead { rate: 0.1 }.bind().expect("a model"));
    let start = State::at_rest(vec![1.0]);
    for verdict in [
        *run(&system, &Reference::default(), start.clone(), (1.0, 30.0)).verdict(),
        *run(&system, &Reference::default(), start.clone(), (0.1, 30.0)).verdict(),
        *run(&system, &Bdf::default(), start, (0.5, 30.0)).verdict(),
    ] {
        assert!(!verdict.is_believed(), "{verdict:?}");
    }
}
