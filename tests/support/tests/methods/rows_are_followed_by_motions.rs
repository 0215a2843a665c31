//! A row that jumps, or that only a far solution keeps, ends a run by its name; long steps pass.

#![expect(clippy::unwrap_used, reason = "in a test file, helpers fail as tests do")]

use least_action::error::{ForceError, StepError};
use least_action::method::{
    Bdf, Claims, Method, Rattle, Reference, Shake, Stepper, VariationalEuler, VariationalMidpoint,
    VariationalTrapezoid,
};
use least_action::prelude::*;

/// A bob on an arm of 1 m; the height of a weight follows it by a row with a jump.
struct Winder {
    form: usize,
    drag: f64,
}

#[lagrangian]
impl Winder {
    fn lagrangian(&self, p: Vec2, height: Scalar) -> Scalar {
        0.5 * der(p).norm_squared() + 1.5 * der(height).powi(2)
    }

    #[dissipation]
    fn air(&self, p: Vec2) -> Scalar {
        0.5 * self.drag * der(p).norm_squared()
    }

    #[holonomic]
    fn arm(&self, p: Vec2) -> Scalar {
        p.norm_squared() - 1.0
    }

    #[holonomic]
    fn string(&self, p: Vec2, height: Scalar) -> Scalar {
        match self.form {
            0 => height - 0.1 * p.y - 0.05 * std::f64::consts::PI * (p.x.signum() - 1.0),
            1 => height - 0.1 * if p.x > 0.0 { p.y } else { p.y + 2.0 },
            // A ramp across a tenth of a step.
            3 => height - 0.3 * (p.x / 1e-3).tanh(),
            // Less than the motion of ten steps.
            _ => height - 0.1 * if p.x > 0.0 { p.y } else { p.y + 0.5 },
        }
    }
}

/// A weight under a roof y³ − y = x, which folds back at y = −1/√3.
struct Fold {
    forms: usize,
}

#[lagrangian]
impl Fold {
    fn lagrangian(&self, p: Vec2) -> Scalar {
        0.5 * der(p).norm_squared()
    }

    #[holonomic]
    fn roof(&self, p: Vec2) -> Scalar {
        let bend = if self.forms == 0 { p.y.powi(3) - p.y } else { (3.0 * p.y).sin() };
        p.x - bend
    }
}

fn run<S, M: Method<S>>(method: &M, system: &S, start: &State, h: f64, end: f64) -> Result<State, StepError> {
    let mut stepper = method.start(system, start.clone(), h).unwrap();
    while stepper.state().t < end {
        stepper.step()?;
    }
    Ok(stepper.state().clone())
}

/// The time, the row and the jump at which a run ends.
fn leap<S, M: Method<S> + Claims>(method: &M, system: &S, start: &State, h: f64) -> (f64, String, f64) {
    match run(method, system, start, h, 4.0) {
        Err(StepError::Failed(failed)) => match failed.cause {
            ForceError::Leap { jumps: true, size, .. } => (failed.time, failed.place, size),
            _ => panic!("{}: {failed}", M::NAME),
        },
        other => panic!("{}: {other:?}", M::NAME),
    }
}

#[test]
fn a_row_that_jumps_ends_a_run_by_its_name() {
    let start = State::new(vec![1.0, 0.0, 0.0], vec![0.0, 2.0, 0.2]);
    let quarter = std::f64::consts::FRAC_PI_4;
    for (form, jump) in [(0, 0.1 * std::f64::consts::PI), (1, 0.2), (2, 0.05)] {
        for drag in [0.0, 1e-3] {
            let system = Winder { form, drag }.bind().unwrap();
            for h in [0.01, 1e-3] {
                let mut found = vec![
                    leap(&Rattle::default(), &system, &start, h),
                    leap(&Shake::default(), &system, &start, h),
                    leap(&VariationalEuler::default(), &system, &start, h),
                    leap(&VariationalMidpoint::default(), &system, &start, h),
                    leap(&VariationalTrapezoid::default(), &system, &start, h),
                ];
                if h > 1e-3 {
                    found.push(leap(&Reference::default(), &system, &start, h));
                    found.push(leap(&Bdf::default(), &system, &start, h));
                }
                for (time, place, size) in found {
                    assert_eq!(place, "string");
                    assert!((time - quarter).abs() < 0.04, "{form} {drag} {h}: at {time}");
                    assert!((size - jump).abs() < 0.1 * jump, "{form} {drag} {h}: {size:e}");
                }
            }
        }
    }
}

#[test]
fn a_correction_far_beyond_the_motion_ends_a_run() {
    fn goes_far<M: Method<Bound<Winder>> + Claims>(method: &M, system: &Bound<Winder>, start: &State) {
        let error = run(method, system, start, 0.01, 1.0).unwrap_err();
        let StepError::Failed(failed) = &error else { panic!("{}: {error}", M::NAME) };
        let far = matches!(failed.cause, ForceError::Leap { jumps: false, size, .. } if size > 10.0);
        let there = failed.place == "string" && (failed.time - 0.77).abs() < 0.015;
        assert!(far && there, "{}: {error}", M::NAME);
    }
    let start = State::new(vec![1.0, 0.0, 0.3], vec![0.0, 2.0, 0.0]);
    for drag in [0.0, 1e-3] {
        let system = Winder { form: 3, drag }.bind().unwrap();
        goes_far(&Rattle::default(), &system, &start);
        goes_far(&Shake::default(), &system, &start);
        goes_far(&VariationalMidpoint::default(), &system, &start);
        goes_far(&VariationalTrapezoid::default(), &system, &start);
    }
}

#[test]
fn a_fold_and_steps_of_any_length_are_no_jumps() {
    // x has its end at the fold: the weight goes on to y > −1/√3, and x returns.
    for forms in 0..2 {
        let system = Fold { forms }.bind().unwrap();
        let y: f64 = -1.0;
        let (x, slope) = match forms {
            0 => (y.powi(3) - y, 3.0 * y * y - 1.0),
            _ => ((3.0 * y).sin(), 3.0 * (3.0 * y).cos()),
        };
        let start = State::new(vec![x, y], vec![slope, 1.0]);
        let exact = run(&Reference::default(), &system, &start, 0.01, 3.0).unwrap();
        for h in [0.01, 0.03] {
            let off = |end: State| (end.q[1] - exact.q[1]).abs() / (h * h);
            let rattle = off(run(&Rattle::default(), &system, &start, h, 3.0 - 0.5 * h).unwrap());
            let midpoint =
                off(run(&VariationalMidpoint::default(), &system, &start, h, 3.0 - 0.5 * h).unwrap());
            assert!(rattle < 40.0 && midpoint < 40.0, "{forms} {h}: {rattle:e} {midpoint:e}");
        }
    }
}
