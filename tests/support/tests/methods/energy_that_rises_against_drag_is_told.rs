//! Drag takes energy: a run whose energy rises between two looks of the watch is wrong, and is told.

#![expect(clippy::expect_used, reason = "in a test file, helpers fail as tests do")]

use least_action::drive::{Recording, integrate};
use least_action::method::{Method, Reference, VariationalMidpoint, VariationalTrapezoid, Verlet};
use least_action::prelude::*;
use least_action::system::System;

/// A plate that a charge draws through a film towards another one at x = 1, a pole of its potential.
/// Above a voltage of 0.5443 no place is left where the spring holds it.
struct Plate {
    voltage: f64,
}

#[lagrangian]
impl Plate {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * der(x).powi(2) - 0.5 * x.powi(2) + 0.5 * self.voltage.powi(2) / (1.0 - x)
    }

    #[force]
    fn film(&self, x: Scalar) -> Scalar {
        -0.01 * der(x)
    }
}

/// A wheel that a motor drives against drag.
struct Wheel {
    torque: f64,
}

#[lagrangian]
impl Wheel {
    fn lagrangian(&self, angle: Angle) -> Scalar {
        0.5 * der(angle).powi(2) + 0.2 * angle.cos()
    }

    #[force]
    fn motor(&self, angle: Angle) -> Angle {
        self.torque - 0.05 * der(angle)
    }
}

fn run<S: System>(system: &S, method: &impl Method<S>, step: f64, end: f64) -> Option<Recording> {
    let start = State::at_rest(vec![0.0]);
    let run = integrate(system, method, start, step).expect("a start").until(end);
    run.record().ok()
}

fn believed(run: Option<Recording>) -> bool {
    run.is_some_and(|run| run.verdict().is_believed())
}

#[test]
fn a_step_across_a_pole_is_told_and_motions_beside_it_are_believed() {
    for step in [0.005, 0.02, 0.05, 0.1] {
        // Without film a plate from rest turns around below a voltage of ½: x (1 − x) = voltage².
        for voltage in [0.3, 0.45, 0.49] {
            let system = Plate { voltage }.bind().expect("a model");
            assert!(believed(run(&system, &Verlet, step, 40.0)), "{voltage} {step}");
            assert!(believed(run(&system, &VariationalMidpoint::default(), step, 40.0)), "{voltage} {step}");
        }
        for voltage in [0.543, 0.546, 0.55, 0.58, 0.6, 0.7] {
            let system = Plate { voltage }.bind().expect("a model");
            assert!(run(&system, &Reference::default(), step, 40.0).is_none());
            assert!(!believed(run(&system, &Verlet, step, 40.0)), "{voltage} {step}");
            assert!(!believed(run(&system, &VariationalMidpoint::default(), step, 40.0)), "{voltage} {step}");
            assert!(
                !believed(run(&system, &VariationalTrapezoid::default(), step, 40.0)),
                "{voltage} {step}"
            );
        }
    }
}

#[test]
fn motors_may_raise_it() {
    for torque in [0.0, 0.1, 1.0, 30.0] {
        let system = Wheel { torque }.bind().expect("a model");
        for step in [0.001, 0.01] {
            assert!(believed(run(&system, &Verlet, step, 20.0)), "{torque} {step}");
            assert!(believed(run(&system, &VariationalMidpoint::default(), step, 20.0)), "{torque} {step}");
        }
    }
}
