//! Derivatives of motions by the values of their inputs: against numbers of an independent
//! implementation, and against differences of whole motions.

#![expect(clippy::expect_used, reason = "a test may end at what is not there")]

use least_action::drive::gradient::{Gradient, Loss, Observed, differentiate};
use least_action::method::{
    Composition, Differentiable, Rattle, VariationalEuler, VariationalMidpoint, VariationalTrapezoid, Verlet,
    project,
};
use least_action::prelude::*;
use least_action::system::Signal;
use serde_json::Value;
use test_support::loss::Weighted;
use test_support::reference::{self, numbers};

/// A double pendulum in angles with a gyroscopic term, drag and a torque.
#[derive(Clone)]
struct Angles {
    masses: [f64; 2],
    rods: [f64; 2],
    gravity: f64,
    gyro: f64,
    drag: f64,
    torque: Signal,
}

#[lagrangian(sensitive(masses, rods, torque, gravity, gyro, drag))]
impl Angles {
    fn lagrangian(&self, theta: Angle, phi: Angle) -> Scalar {
        let upper = self.rods[0] * vec2(theta.sin(), -theta.cos());
        let lower = upper + self.rods[1] * vec2(phi.sin(), -phi.cos());
        0.5 * self.masses[0] * der(upper).norm_squared() + 0.5 * self.masses[1] * der(lower).norm_squared()
            - self.gravity * (self.masses[0] * upper.y + self.masses[1] * lower.y)
            + self.gyro * phi * der(theta)
    }

    #[force(theta)]
    fn upper(&self, theta: Angle, torque: Input) -> Angle {
        torque - self.drag * der(theta).powi(3) * (1.0 + theta.powi(2))
    }

    #[force(phi)]
    fn lower(&self, phi: Angle) -> Angle {
        -self.drag * der(phi).powi(3) * (1.0 + phi.powi(2))
    }
}

/// A cart that carries a pendulum on a rod, pushed by a force that bends with its input.
#[derive(Clone)]
struct Cart {
    masses: [f64; 2],
    rod: f64,
    push: Signal,
    turn: Signal,
    drag: f64,
}

#[lagrangian(sensitive(rod, push, masses, turn, drag))]
impl Cart {
    fn lagrangian(&self, cart: Scalar, bob: Vec2) -> Scalar {
        0.5 * self.masses[0] * der(cart).powi(2) + 0.5 * self.masses[1] * der(bob).norm_squared()
            - 9.81 * self.masses[1] * bob.y
    }

    #[holonomic]
    fn rod(&self, cart: Scalar, bob: Vec2) -> Scalar {
        (bob - vec2(cart, 0.0)).norm_squared() - self.rod.powi(2)
    }

    #[force]
    fn motor(&self, cart: Scalar, push: Input) -> Scalar {
        push + 0.1 * push.powi(2) * cart.sin() - self.drag * der(cart)
    }

    #[force]
    fn wind(&self, bob: Vec2, turn: Input) -> Vec2 {
        turn * vec2(-bob.y, bob.x) * push_of(turn)
    }
}

fn push_of<D: least_action::expr::Number>(turn: D) -> D {
    turn.sin() + 1.0
}

/// A sledge on a blade, with a motor for each direction.
#[derive(Clone)]
struct Sledge {
    inertia: f64,
    lead: f64,
    forward: Signal,
    turn: Signal,
}

#[lagrangian(sensitive(inertia, lead, forward, turn))]
impl Sledge {
    fn lagrangian(&self, x: Scalar, y: Scalar, heading: Angle) -> Scalar {
        0.5 * (der(x).powi(2) + der(y).powi(2) + self.inertia * der(heading).powi(2))
    }

    #[nonholonomic]
    fn blade(&self, x: Scalar, y: Scalar, heading: Angle) -> Scalar {
        der(x) * heading.sin() - der(y) * heading.cos() - self.lead * der(heading)
    }

    #[force(x)]
    fn along(&self, x: Scalar, heading: Angle, forward: Input) -> Scalar {
        forward * heading.cos() - 0.2 * der(x)
    }

    #[force]
    fn motor(&self, heading: Angle, turn: Input) -> Angle {
        turn - 0.1 * der(heading)
    }
}

/// A particle in a quartic well, with constant mass.
#[derive(Clone)]
struct Well {
    mass: f64,
    push: Signal,
}

#[lagrangian(sensitive(push, mass))]
impl Well {
    fn lagrangian(&self, x: Scalar, y: Scalar) -> Scalar {
        0.5 * self.mass * (der(x).powi(2) + der(y).powi(2)) - 0.25 * (x.powi(4) + y.powi(4)) - 0.3 * x * y
    }

    #[force(x)]
    fn push(&self, x: Scalar, push: Input) -> Scalar {
        push * (1.0 + 0.2 * x) - 0.1 * der(x)
    }
}

fn assert_near(what: &str, found: &[f64], wanted: &[f64], bound: f64) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    let size = wanted.iter().fold(0.0_f64, |most, entry| most.max(entry.abs()));
    for (place, (found, wanted)) in found.iter().zip(wanted).enumerate() {
        let error = (found - wanted).abs() / size;
        assert!(error <= bound, "{what}, entry {place}: {found} for {wanted}, {error:.1e} of the largest");
    }
}

/// The entries of a gradient by an array, or by a signal.
fn entries(gradient: &Gradient, name: &str) -> Vec<f64> {
    let named = |own: &String| own.split('[').next() == Some(name);
    let entries = gradient.names.iter().zip(&gradient.parameters);
    entries.filter(|(own, _)| named(own)).map(|(_, slope)| *slope).collect()
}

/// Compares with a case of the reference, for both losses.
fn assert_reference<M: Differentiable<Bound<Angles>>>(case: &str, method: &M) {
    let cases = reference::read("adjoints.json");
    let case = &cases["cases"][case];
    let number = |value: &Value| value.as_f64().expect("a number");
    let (of, step) = (&case["parameters"], number(&case["step"]));
    let pair = |name: &str| [number(&of[name][0]), number(&of[name][1])];
    let u = numbers(&of["u"]);
    let times = (0..=u.len()).map(|k| k as f64 * step).collect();
    let model = Angles {
        masses: pair("masses"),
        rods: pair("rods"),
        gravity: number(&of["gravity"]),
        gyro: number(&of["gyro"]),
        drag: number(&of["drag"]),
        torque: Signal::constant(times, u.clone()).expect("a signal"),
    };
    let system = model.bind().expect("bound");
    let end = step * u.len() as f64;
    for (name, rho) in [("final", 0.0), ("running", number(&case["rho"]))] {
        let start = State::new(numbers(&case["start"]["q"]), numbers(&case["start"]["v"]));
        let mut loss = Weighted {
            wq: numbers(&case["wq"]),
            wv: numbers(&case["wv"]),
            kappa: number(&case["kappa"]),
            rho,
        };
        let motion = differentiate(&system, method, start, step).expect("a motion").until(end);
        let gradient = motion.gradient(&mut loss).expect("a gradient");
        let wanted = &case[name]["gradient"];
        assert_near("q", &gradient.q, &numbers(&wanted["q0"]), 3e-12);
        assert_near("v", &gradient.v, &numbers(&wanted["v0"]), 3e-12);
        assert_near("u", &entries(&gradient, "torque"), &numbers(&wanted["u"]), 3e-12);
        assert_near("masses", &entries(&gradient, "masses"), &numbers(&wanted["masses"]), 3e-12);
        assert_near("rods", &entries(&gradient, "rods"), &numbers(&wanted["rods"]), 3e-12);
        for name in ["gravity", "gyro", "drag"] {
            assert_near(name, &entries(&gradient, name), &[number(&wanted[name])], 3e-12);
        }
    }
}

#[test]
fn a_control_of_each_step_has_the_derivative_of_the_reference() {
    assert_reference("double-pendulum-angles-forced-midpoint", &VariationalMidpoint::default());
    assert_reference("double-pendulum-angles-forced-trapezoid", &VariationalTrapezoid::default());
}

/// Compares the derivatives by all parameters with differences of whole motions, and tangents with the
/// gradient.
fn assert_differences<N, M>(what: &str, model: &N, method: &M, start: &State, onto: fn(&N, &mut State))
where
    N: Model + Clone,
    M: Differentiable<Bound<N>>,
{
    let n = start.q.len();
    let ascending = |k: usize| 0.3 + 0.4 * k as f64;
    let mut loss = Weighted {
        wq: (0..n).map(ascending).collect(),
        wv: (0..n).map(|k| 1.1 - ascending(k)).collect(),
        kappa: 0.7,
        rho: 0.05,
    };
    let mut run = |theta: &[f64]| {
        let mut model = model.clone();
        model.set_parameters(theta).expect("as many");
        let system = model.bind().expect("bound");
        let mut start = start.clone();
        onto(&model, &mut start);
        let motion = differentiate(&system, method, start, 0.04).expect("a motion").until(1.2);
        motion.gradient(&mut loss).expect("a gradient")
    };
    let theta = model.parameters();
    let gradient = run(&theta);
    assert_eq!(gradient.names.len(), theta.len(), "{what}");
    let mut central = |k: usize, h: f64| {
        let mut moved = theta.clone();
        moved[k] += h;
        let above = run(&moved).value;
        moved[k] -= 2.0 * h;
        (above - run(&moved).value) / (2.0 * h)
    };
    let wanted: Vec<f64> =
        (0..theta.len()).map(|k| (4.0 * central(k, 1e-3) - central(k, 2e-3)) / 3.0).collect();
    assert_near(what, &gradient.parameters, &wanted, 2e-8);
    // The tangents along each parameter, with the gradient of the loss at all states.
    let (system, mut start) = (model.bind().expect("bound"), start.clone());
    onto(model, &mut start);
    let motion = differentiate(&system, method, start.clone(), 0.04).expect("a motion").until(1.2);
    let names: Vec<&str> = gradient.names.iter().map(String::as_str).collect();
    let tangents = motion.sensitivities(&names).expect("tangents");
    let mut states = integrate_states(&system, method, &start);
    let last = states.len() - 1;
    let mut forwards = vec![0.0; names.len()];
    for (k, (q, v)) in states.drain(..).enumerate() {
        if !loss.sees(k as u64, last as u64) {
            continue;
        }
        let (mut of_q, mut of_v) = (vec![0.0; n], vec![0.0; n]);
        let at = Observed { step: k as u64, of: last as u64, t: 0.0, q: &q, v: &v };
        loss.add(&at, &mut of_q, &mut of_v);
        for (sum, (q, v)) in forwards.iter_mut().zip(tangents.q[k].iter().zip(&tangents.v[k])) {
            *sum += q.iter().zip(&of_q).chain(v.iter().zip(&of_v)).map(|(a, b)| a * b).sum::<f64>();
        }
    }
    assert_near(what, &forwards, &gradient.parameters, 1e-12);
}

fn integrate_states<S, M>(system: &S, method: &M, start: &State) -> Vec<(Vec<f64>, Vec<f64>)>
where
    S: System + ?Sized,
    M: Differentiable<S>,
{
    struct All(Vec<(Vec<f64>, Vec<f64>)>);

    impl Loss for All {
        fn sees(&self, _: u64, _: u64) -> bool {
            true
        }

        fn add(&mut self, at: &Observed<'_>, _: &mut [f64], _: &mut [f64]) -> f64 {
            self.0.push((at.q.to_vec(), at.v.to_vec()));
            0.0
        }
    }

    let mut all = All(Vec::new());
    let motion = differentiate(system, method, start.clone(), 0.04).expect("a motion").until(1.2);
    motion.gradient(&mut all).expect("a motion");
    all.0.reverse();
    all.0
}

/// A signal that jumps or bends between steps, too.
fn signal(course: fn(Vec<f64>, Vec<f64>) -> Result<Signal, least_action::system::SignalError>) -> Signal {
    let times = vec![-0.1, 0.04, 0.09, 0.1, 0.5, 0.77, 1.3];
    let values = vec![0.3, -0.8, 0.9, 0.2, -0.5, 0.7, 0.4];
    course(times.clone(), values[..6].to_vec()).or_else(|_| course(times, values)).expect("a signal")
}

#[test]
fn inputs_of_every_engine_have_the_derivatives_of_differences() {
    for course in [Signal::constant, Signal::linear] {
        let well = Well { mass: 1.3, push: signal(course) };
        let start = State::new(vec![0.4, -0.2], vec![0.1, 0.6]);
        assert_differences("verlet", &well, &Verlet, &start, |_, _| {});
        let fourth = Composition::of(VariationalTrapezoid::default(), 4);
        assert_differences("order 4", &well, &fourth, &start, |_, _| {});
        let angles = Angles {
            masses: [1.0, 0.7],
            rods: [1.0, 0.8],
            gravity: 9.81,
            gyro: 0.3,
            drag: 0.1,
            torque: signal(course),
        };
        let start = State::new(vec![0.4, -0.2], vec![0.1, 0.6]);
        assert_differences("midpoint", &angles, &VariationalMidpoint::default(), &start, |_, _| {});
        assert_differences("euler", &angles, &VariationalEuler::default(), &start, |_, _| {});
    }
}

#[test]
fn parameters_and_inputs_have_derivatives_under_constraints() {
    let cart = Cart {
        masses: [1.0, 0.3],
        rod: 0.5,
        push: signal(Signal::linear),
        turn: signal(Signal::constant),
        drag: 0.2,
    };
    let start = State::new(vec![0.1, 0.1, -0.5], vec![0.3, 0.3, 0.0]);
    let onto = |cart: &Cart, start: &mut State| {
        project(&cart.bind().expect("bound"), start).expect("near the constraints");
    };
    assert_differences("rattle", &cart, &Rattle::default(), &start, onto);
    assert_differences("trapezoid", &cart, &VariationalTrapezoid::default(), &start, onto);
    let steady = Cart { push: Signal::steady(0.4).expect("finite"), ..cart };
    assert_differences("steady", &steady, &VariationalMidpoint::default(), &start, onto);
    let sledge =
        Sledge { inertia: 0.4, lead: 0.3, forward: signal(Signal::constant), turn: signal(Signal::linear) };
    let mut start = State::new(vec![0.0, 0.0, 0.3], vec![0.8, 0.1, 0.5]);
    // The nearest velocity on the constraint a·v = 0, in the metric of the mass.
    let onto = |sledge: &Sledge, start: &mut State| {
        let (sine, cosine) = start.q[2].sin_cos();
        let row = [sine, -cosine, -sledge.lead];
        let of_mass = [sine, -cosine, -sledge.lead / sledge.inertia];
        let rate: f64 = row.iter().zip(&start.v).map(|(a, v)| a * v).sum();
        let size: f64 = row.iter().zip(&of_mass).map(|(a, b)| a * b).sum();
        start.v.iter_mut().zip(of_mass).for_each(|(v, a)| *v -= a * rate / size);
    };
    onto(&sledge, &mut start);
    assert_differences("midpoint of the sledge", &sledge, &VariationalMidpoint::default(), &start, onto);
    assert_differences("euler of the sledge", &sledge, &VariationalEuler::default(), &start, onto);
}
