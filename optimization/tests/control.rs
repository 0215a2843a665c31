//! Optimal control: swing-ups from a cold start, replayed, and problems that cannot be solved.

#![expect(clippy::expect_used, reason = "a test may end at what is not there")]

use least_action::drive::integrate;
use least_action::method::VariationalTrapezoid;
use least_action::prelude::*;
use least_action::system::Signal;
use least_action_optimization::control::{Control, Controlled};
use least_action_optimization::least_squares::Status;
use least_action_optimization::motions::OfModel;
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

fn zero(end: f64, pieces: usize) -> Signal {
    let times = (0..=pieces).map(|k| end * k as f64 / pieces as f64).collect();
    Signal::linear(times, vec![0.0; pieces + 1]).expect("a signal")
}

fn told(found: &Controlled) {
    assert!(matches!(found.status, Status::Converged | Status::Still), "{:?}", found.status);
}

#[test]
fn a_cart_swings_its_pendulum_up_at_the_published_cost() {
    let end = 2.0;
    let cart = CartPole { masses: [1.0, 0.3], rod: 0.5, push: zero(end, 50) };
    let step = 0.01;
    let mut motions =
        OfModel::new(cart.clone(), VariationalTrapezoid::default(), step).expect("a model");
    let control = Control::from(State::at_rest(vec![0.0, 0.0]))
        .until(end)
        .to("x", 1.0)
        .to("theta", PI)
        .to("der", 0.0)
        .within("push", -20.0, 20.0)
        .within("x", -2.0, 2.0);
    let clock = std::time::Instant::now();
    let found = control
        .solve(&mut motions, |iteration| {
            println!("{} {:.6} {:.2e} {:.2e} {:.1e}", iteration.number, iteration.cost, iteration.violation, iteration.step, iteration.damping);
            ControlFlow::Continue(())
        })
        .expect("a motion");
    println!("{:?} cost {} in {} iterations, {:?}", found.status, found.cost, found.iterations, clock.elapsed());
    told(&found);
    let push = found.inputs[0].1.clone();
    let system = CartPole { push, ..cart }.bind().expect("bound");
    let start = State::at_rest(vec![0.0, 0.0]);
    let motion = integrate(&system, &VariationalTrapezoid::default(), start, step).expect("a run").until(end);
    let recording = motion.record().expect("a motion");
    let last = (recording.column("x").expect("x").pop(), recording.column("theta").expect("theta").pop());
    println!("{last:?}");
}

#[test]
fn a_cart_swings_a_double_pendulum_up() {
    let end = 3.0;
    let cart = Double { push: zero(end, 75) };
    let step = 0.01;
    let mut motions =
        OfModel::new(cart.clone(), VariationalTrapezoid::default(), step).expect("a model");
    let control = Control::from(State::at_rest(vec![0.0, 0.0, 0.0]))
        .until(end)
        .to("x", 0.0)
        .to("theta", PI)
        .to("phi", PI)
        .to("der", 0.0)
        .within("push", -20.0, 20.0)
        .within("x", -2.0, 2.0);
    let clock = std::time::Instant::now();
    let found = control
        .solve(&mut motions, |iteration| {
            println!("{} {:.6} {:.2e} {:.2e} {:.1e}", iteration.number, iteration.cost, iteration.violation, iteration.step, iteration.damping);
            ControlFlow::Continue(())
        })
        .expect("a motion");
    println!("{:?} cost {} in {} iterations, {:?}", found.status, found.cost, found.iterations, clock.elapsed());
    told(&found);
}
