//! The equations of an implicit step have solutions far from the motion: a step that finds one fails.

#![expect(clippy::expect_used, reason = "in a test file, helpers fail as tests do")]

use least_action::drive::{Interrupted, Recording, RunError, integrate};
use least_action::error::{ForceError, StepError};
use least_action::method::{Composition, Method, Reference, VariationalMidpoint};
use least_action::prelude::*;
use least_action::system::System;

/// A ball that a magnet lifts, by the charge through its coil: the inductance has a pole at gap = −reach.
struct Maglev {
    reach: f64,
    voltage: f64,
}

#[lagrangian]
impl Maglev {
    fn lagrangian(&self, gap: Scalar, charge: Scalar) -> Scalar {
        let inductance = 0.4 / (1.0 + gap / self.reach);
        0.05 * der(gap).powi(2) + 0.5 * inductance * der(charge).powi(2) + 0.981 * gap
    }

    #[force(charge)]
    fn source(&self, charge: Scalar) -> Scalar {
        self.voltage - 5.0 * der(charge)
    }
}

fn run<S: System>(
    system: &S,
    method: &impl Method<S>,
    current: f64,
    step: f64,
) -> Result<Recording, Box<Interrupted>> {
    let start = State::new(vec![0.02, 0.0], vec![0.0, current]);
    integrate(system, method, start, step).expect("a start").until(0.05).record()
}

#[test]
fn a_step_to_another_solution_beyond_a_pole_fails() {
    let mut far = 0;
    for (reach, voltage, current) in [(0.01, 8.0, 1.0), (0.0115, 8.75, 1.15), (0.0119, 8.95, 1.19)] {
        let system = Maglev { reach, voltage }.bind().expect("a model");
        let last = |run: Recording| run.positions().last().expect("a row").to_vec();
        let exact = last(run(&system, &Reference::default(), current, 1e-3).expect("a run"));
        for step in [1e-3, 8e-4, 5e-4] {
            let midpoint = VariationalMidpoint::default();
            for found in [
                run(&system, &midpoint, current, step),
                run(&system, &Composition::of(midpoint, 4), current, step),
            ] {
                match found.map(last) {
                    Ok(found) => {
                        for (found, exact) in found.iter().zip(&exact) {
                            assert!((found - exact).abs() < 0.01, "{reach} {step}: {found} {exact}");
                        }
                    }
                    Err(interrupted) => {
                        let RunError::Step { source, .. } = &interrupted.error else {
                            panic!("{interrupted}")
                        };
                        let out = matches!(source, StepError::Failed(failed) if matches!(failed.cause, ForceError::OutOfReach { .. }));
                        assert!(out, "{reach} {step}: {source}");
                        let words = source.to_string();
                        assert!(
                            words.contains("led to another solution in step ") && words.contains("`charge`")
                        );
                        far += 1;
                    }
                }
            }
        }
    }
    assert_eq!(far, 3);
}
