//! Optimal control: swing-ups from a cold start, replayed, and problems that cannot be solved.

#![expect(clippy::expect_used, clippy::panic, reason = "a test may end at what is not there")]

mod shooting;

use least_action::drive::gradient::differentiate;
use least_action::method::{Differentiable, Rattle, VariationalMidpoint, VariationalTrapezoid};
use least_action::prelude::*;
use least_action::system::{Course, Signal};
use least_action_optimization::Error as Failure;
use least_action_optimization::control::{Control, Controlled};
use least_action_optimization::fit::Moving;
use least_action_optimization::least_squares::{Error, Status};
use std::f64::consts::PI;
use std::ops::ControlFlow;

/// A cart that carries a pendulum.
#[derive(Clone)]
struct CartPole {
    masses: [f64; 2],
    rod: f64,
    push: Signal,
}

#[lagrangian(sensitive(push))]
impl CartPole {
    fn lagrangian(&self, x: Scalar, theta: Angle) -> Scalar {
        let bob = vec2(x, 0.0) + self.rod * vec2(theta.sin(), -theta.cos());
        0.5 * self.masses[0] * der(x).powi(2) + 0.5 * self.masses[1] * der(bob).norm_squared()
            - 9.81 * self.masses[1] * bob.y
    }

    #[force(x)]
    fn motor(&self, push: Input) -> Scalar {
        push
    }
}

/// A cart that carries a double pendulum.
#[derive(Clone)]
struct Double {
    push: Signal,
}

#[lagrangian(sensitive(push))]
impl Double {
    fn lagrangian(&self, x: Scalar, theta: Angle, phi: Angle) -> Scalar {
        let upper = vec2(x, 0.0) + 0.5 * vec2(theta.sin(), -theta.cos());
        let lower = upper + 0.5 * vec2(phi.sin(), -phi.cos());
        0.5 * der(x).powi(2) + 0.05 * (der(upper).norm_squared() + der(lower).norm_squared())
            - 0.981 * (upper.y + lower.y)
    }

    #[force(x)]
    fn motor(&self, push: Input) -> Scalar {
        push
    }
}

/// A mass on a rail, in Cartesian coordinates with a rod to a bob: RATTLE holds the rod.
#[derive(Clone)]
struct Held {
    push: Signal,
}

#[lagrangian(sensitive(push))]
impl Held {
    fn lagrangian(&self, x: Scalar, bob: Vec2) -> Scalar {
        0.5 * der(x).powi(2) + 0.15 * der(bob).norm_squared() - 0.3 * 9.81 * bob.y
    }

    #[holonomic]
    fn rod(&self, x: Scalar, bob: Vec2) -> Scalar {
        (bob - vec2(x, 0.0)).norm_squared() - 0.25
    }

    #[force]
    fn motor(&self, x: Scalar, push: Input) -> Scalar {
        push - 0.1 * der(x)
    }
}

/// A mass on a rail.
#[derive(Clone)]
struct Mass {
    push: Signal,
}

#[lagrangian(sensitive(push))]
impl Mass {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * der(x).powi(2)
    }

    #[force]
    fn motor(&self, push: Input) -> Scalar {
        push
    }
}

/// A mass without a motor.
#[derive(Clone)]
struct Free;

#[lagrangian]
impl Free {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * der(x).powi(2)
    }
}

/// Zero at so many pieces.
fn zero(end: f64, pieces: usize, course: Course) -> Signal {
    let times: Vec<f64> = (0..=pieces).map(|k| end * k as f64 / pieces as f64).collect();
    match course {
        Course::Constant => Signal::constant(times, vec![0.0; pieces]),
        Course::Linear => Signal::linear(times, vec![0.0; pieces + 1]),
    }
    .expect("a signal")
}

fn solve<M, D>(control: &Control, model: &M, method: D, step: f64) -> Controlled
where
    M: Model + Clone,
    D: Differentiable<Bound<M>>,
{
    let motions = Moving::new(model.clone(), method, step).expect("a model");
    let found = control.solve(&motions, |_, _| ControlFlow::Continue(())).expect("a motion");
    assert!(matches!(found.status, Status::Converged | Status::Still), "{:?}", found.status);
    found
}

/// The last state of one run from the start.
fn replayed<M, D>(model: &M, method: &D, start: State, (step, end): (f64, f64)) -> Vec<f64>
where
    M: Model,
    D: Differentiable<Bound<M>>,
{
    let system = model.bind().expect("bound");
    let motion = differentiate(&system, method, start, step).expect("a motion").until(end);
    let mut last = Vec::new();
    motion.follow(&[], &|_| true, &mut |at, _| last = [at.q, at.v].concat()).expect("a motion");
    last
}

fn assert_near(found: &[f64], wanted: &[f64], bound: f64) {
    let error = found.iter().zip(wanted).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
    assert!(found.len() == wanted.len() && error <= bound, "{found:?} for {wanted:?}");
}

/// A. E. Bryson, W. F. Denham and S. E. Dreyfus, Optimal programming problems with inequality
/// constraints I, AIAA J. 1 (1963) 2544: the least ½ ∫ u² dt for x ≤ l is 4/(9 l).
#[test]
fn a_bound_of_a_state_costs_the_published_value() {
    let mass = Mass { push: zero(1.0, 60, Course::Linear) };
    let control = Control::from(State::new(vec![0.0], vec![1.0]))
        .until(1.0)
        .to("x", 0.0)
        .to("der.x", -1.0)
        .within("x", -1.0, 1.0 / 9.0)
        .stretches(60);
    let found = solve(&control, &mass, VariationalMidpoint::default(), 1.0 / 60.0);
    assert!((found.cost - 4.0).abs() < 6e-3, "{}", found.cost);
    let highest = found.states.iter().fold(0.0, |most: f64, state| most.max(state.q[0]));
    assert!((highest - 1.0 / 9.0).abs() < 1e-9, "{highest}");
}

/// M. Kelly, An introduction to trajectory optimization, SIAM Rev. 59 (2017) 849–904, section 6; the
/// least ∫ u² dt of the documentation of Dymos is 58.884.
#[test]
fn a_cart_swings_its_pendulum_up_at_the_published_cost() {
    let (step, end) = (0.02, 2.0);
    let cart = CartPole { masses: [1.0, 0.3], rod: 0.5, push: zero(end, 50, Course::Linear) };
    let start = State::at_rest(vec![0.0, 0.0]);
    let control = Control::from(start.clone())
        .until(end)
        .to("x", 1.0)
        .to("theta", PI)
        .to("der", 0.0)
        .within("push", -20.0, 20.0)
        .within("x", -2.0, 2.0);
    let found = solve(&control, &cart, VariationalTrapezoid::default(), step);
    assert!((2.0 * found.cost / 58.884 - 1.0).abs() < 4e-3, "{}", 2.0 * found.cost);
    let [(name, push)] = &found.inputs[..] else { panic!("one input") };
    assert_eq!(name, "push");
    assert!(push.values().iter().all(|value| value.abs() <= 20.0));
    let moved = CartPole { push: push.clone(), ..cart.clone() };
    let last = replayed(&moved, &VariationalTrapezoid::default(), start, (step, end));
    assert_near(&last, &[1.0, PI, 0.0, 0.0], 1e-9);
    // From its own solution it ends at once.
    let motions = Moving::new(cart, VariationalTrapezoid::default(), step).expect("a model");
    let again =
        control.guess(found.unknowns).solve(&motions, |_, _| ControlFlow::Continue(())).expect("a motion");
    assert!(again.iterations <= 6, "{}", again.iterations);
}

#[test]
fn a_cart_swings_a_double_pendulum_up() {
    let (step, end) = (0.03, 3.0);
    let cart = Double { push: zero(end, 50, Course::Constant) };
    let start = State::at_rest(vec![0.0; 3]);
    let control = Control::from(start.clone())
        .until(end)
        .to("x", 0.0)
        .to("theta", PI)
        .to("phi", PI)
        .to("der", 0.0)
        .within("push", -20.0, 20.0)
        .within("x", -2.0, 2.0)
        .stretches(50);
    let found = solve(&control, &cart, VariationalMidpoint::default(), step);
    let moved = Double { push: found.inputs[0].1.clone() };
    let last = replayed(&moved, &VariationalMidpoint::default(), start, (step, end));
    assert_near(&last, &[0.0, PI, PI, 0.0, 0.0, 0.0], 1e-8);
}

#[test]
fn a_rod_that_rattle_holds_is_brought_to_rest_beside() {
    let (step, end) = (0.02, 1.2);
    let held = Held { push: zero(end, 30, Course::Constant) };
    let start = State::at_rest(vec![0.0, 0.0, -0.5]);
    let control = Control::from(start.clone())
        .until(end)
        .to("x", 0.4)
        .to("bob.x", 0.4)
        .to("der.x", 0.0)
        .to("der.bob.x", 0.0)
        .effort("push", 1.0)
        .change("push", 1e-3);
    let found = solve(&control, &held, Rattle::default(), step);
    let moved = Held { push: found.inputs[0].1.clone() };
    let last = replayed(&moved, &Rattle::default(), start, (step, end));
    assert_near(&last, &[0.4, 0.4, -0.5, 0.0, 0.0, 0.0], 1e-6);
}

/// A push of zero leaves x = 1 + t, whose ½ ∫ (x − 3)² dt over [0, 1] is 7/6; the trapezoid rule over
/// stretches of 1/4 adds 1/192.
#[test]
fn a_distance_is_the_trapezoid_rule_over_the_nodes() {
    let mass = Mass { push: zero(1.0, 8, Course::Constant) };
    let control = Control::from(State::new(vec![1.0], vec![1.0]))
        .until(1.0)
        .within("push", 0.0, 0.0)
        .distance("x", 3.0, 1.0)
        .stretches(4);
    let found = solve(&control, &mass, VariationalMidpoint::default(), 0.125);
    assert!((found.cost - 7.0 / 6.0 - 1.0 / 192.0).abs() < 1e-9, "{}", found.cost);
}

#[test]
fn a_problem_without_a_solution_says_why() {
    let motions = |end| {
        let mass = Mass { push: zero(end, 10, Course::Constant) };
        Moving::new(mass, VariationalMidpoint::default(), 0.1).expect("a model")
    };
    let told = |control: Control, motions: &Moving<Mass, VariationalMidpoint>| {
        control.solve(motions, |_, _| ControlFlow::Continue(())).expect_err("a refusal").to_string()
    };
    let control = || Control::from(State::at_rest(vec![0.0])).until(1.0).to("x", 1.0);
    assert_eq!(
        told(control().to("push", 1.0), &motions(1.0)),
        "`push` is no coordinate or velocity of the problem: it has `x`, `der.x`"
    );
    assert_eq!(
        told(control().effort("pull", 1.0), &motions(1.0)),
        "`pull` is no input of the problem: it has `push`"
    );
    assert_eq!(
        told(control().within("y", 0.0, 1.0), &motions(1.0)),
        "`y` is no input, coordinate or velocity of the problem: it has `push`, `x`, `der.x`"
    );
    assert_eq!(
        told(control().effort("push", -1.0), &motions(1.0)),
        "the weight of the effort of `push` is -1: give a finite number that is not negative"
    );
    assert_eq!(
        told(control().within("push", 1.0, -1.0), &motions(1.0)),
        "`push` is bound to [1, -1]: give a lower bound that is not above the upper one"
    );
    assert_eq!(
        told(control().until(0.01), &motions(1.0)),
        "the motion ends at t = 0.01, which is less than a step after its start at t = 0"
    );
    assert_eq!(
        told(control().guess(vec![0.0]), &motions(1.0)),
        "the guess has 1 numbers, and the problem has 16 unknowns"
    );
    // The signal ends before the motion, and the push is too weak.
    assert_eq!(
        told(control().until(2.0), &motions(1.0)),
        "`push` has values up to t = 1, and the last step ends at t = 2: give it more values, or a step that \
         divides the time"
    );
    let weak = told(control().to("der.x", 0.0).within("push", -1.0, 1.0), &motions(1.0));
    assert!(weak.contains("no point near the first one fulfils the constraints: the gap of"), "{weak}");
    let free = Moving::new(Free, VariationalMidpoint::default(), 0.1).expect("a model");
    let none = control().solve(&free, |_, _| ControlFlow::Continue(())).expect_err("a refusal").to_string();
    assert!(none.starts_with("the model has no sensitive input"), "{none}");
}

/// A program whose solver makes no more progress is no solution: its step would leave the constraints.
#[test]
fn forces_that_are_too_weak_are_told_soon() {
    for (push, pieces) in [(0.5, 15), (0.5, 30), (1.0, 15), (1.0, 30)] {
        let cart = CartPole { masses: [1.0, 0.1], rod: 0.5, push: zero(1.2, pieces, Course::Constant) };
        let control = Control::from(State::at_rest(vec![0.0, 0.0]))
            .until(1.2)
            .to("x", 0.3)
            .to("theta", 0.0)
            .to("der", 0.0)
            .within("push", -push, push);
        let motions = Moving::new(cart, VariationalMidpoint::default(), 0.04).expect("a cart");
        let told = control.solve(&motions, |_, _| ControlFlow::Continue(())).expect_err("a refusal");
        let Failure::Solver(Error::Infeasible { iterations, .. }) = told else { panic!("{told}") };
        assert!(iterations <= 4, "{iterations} iterations with {push} in {pieces} pieces");
    }
}

/// A bob on a rod, pushed along x.
#[derive(Clone)]
struct Bob {
    push: Signal,
}

#[lagrangian(sensitive(push))]
impl Bob {
    fn lagrangian(&self, bob: Vec2) -> Scalar {
        0.5 * der(bob).norm_squared() - 9.81 * bob.y
    }

    #[holonomic]
    fn rod(&self, bob: Vec2) -> Scalar {
        bob.norm_squared() - 0.25
    }

    #[force(bob)]
    fn motor(&self, push: Input) -> Vec2 {
        vec2(push, 0.0)
    }
}

/// The straight line of first states passes the pivot.
#[test]
fn a_bob_on_a_rod_swings_up() {
    let times = (0..=20).map(|k| 0.05 * f64::from(k)).collect();
    let bob = Bob { push: Signal::constant(times, vec![0.0; 20]).expect("a signal") };
    let control = Control::from(State::at_rest(vec![0.0, -0.5])).until(1.0);
    let up = control.to("bob.x", 0.0).to("bob.y", 0.5).to("der", 0.0);
    let found = solve(&up, &bob, Rattle::default(), 0.05);
    let end = &found.states[found.states.len() - 1];
    assert!((end.q[1] - 0.5).abs() < 1e-9 && found.violation < 1e-6 && found.cost > 1.0, "{found:?}");
}
