//! A failed step says why, and the last good state stays.

#![expect(clippy::unwrap_used, reason = "helpers of tests, where a failure is a panic")]

use least_action::advanced::wrap::Penalized;
use least_action::drive::{Plan, RunError, Watch, drive, integrate};
use least_action::error::{ForceError, StartError, StepError};
use least_action::method::{
    Composition, Method, Newmark, NewmarkLinearA, NewmarkLinearB, PushForwardNewmark, Rattle, Stepper,
    Verlet, ZhangSkeel, ZhangSkeelSimplified,
};
use least_action::system::{Natural, State};
use test_support::linkage::Linkage;
use test_support::quartic::Quartic;

/// Runs until a step fails and checks that the state is the last finite one.
fn run_to_failure<M: for<'s> Method<Penalized<'s, Linkage>>>(method: &M, step: f64) -> StepError {
    let pendulum = Linkage::double_pendulum(1.0).0;
    let system = Penalized::new(&pendulum, 2000.0).unwrap();
    let mut stepper = method.start(&system, Linkage::double_pendulum(1.0).1, step).unwrap();
    for _ in 0..1_000_000 {
        let (before, steps) = (stepper.state().clone(), stepper.steps());
        if let Err(error) = stepper.step() {
            assert_eq!(stepper.state(), &before);
            assert_eq!(stepper.steps(), steps);
            assert!(before.q.iter().chain(&before.v).all(|entry| entry.is_finite()));
            // It fails again in the same way: nothing of the failed step was kept.
            assert_eq!(stepper.step(), Err(error.clone()));
            assert_eq!(stepper.state(), &before);
            return error;
        }
    }
    panic!("the step is far above the stability limit");
}

#[test]
fn a_motion_that_grows_beyond_all_numbers_says_so() {
    for error in [
        run_to_failure(&Verlet, 0.1),
        run_to_failure(&ZhangSkeel::default(), 0.1),
        run_to_failure(&NewmarkLinearA::default(), 0.1),
        run_to_failure(&Composition::of(Verlet, 6), 0.1),
        run_to_failure(&Composition::of(ZhangSkeel::default(), 4), 0.1),
    ] {
        let message = error.to_string();
        assert!(
            message.contains("the motion had grown from step to step: the step is too long for it"),
            "{message}"
        );
        assert!(message.contains("in step ") && message.contains("points["), "{message}");
    }
}

#[test]
fn a_start_that_makes_no_sense_is_refused() {
    let model = Quartic::default();
    let system: &dyn Natural = &model;
    let start = Quartic::start();
    let error = |state: State, step| Verlet.start(system, state, step).err().unwrap();
    assert!(matches!(error(start.clone(), 0.0), StartError::StepNotPositive { .. }));
    assert!(matches!(error(start.clone(), f64::NAN), StartError::StepNotPositive { .. }));
    assert!(matches!(
        error(State::at_rest(vec![0.0; 3]), 0.1),
        StartError::WrongLength { expected: 2, found: 3, .. }
    ));
    let state = State::new(vec![0.0, 0.0], vec![f64::NAN, 0.0]);
    assert_eq!(
        error(state, 0.1).to_string(),
        "the initial velocity of `q[0]` is NaN: every entry must be finite"
    );
    for beta in [-0.1, f64::NAN, f64::INFINITY] {
        let outcome = ZhangSkeelSimplified { beta }.start(system, start.clone(), 0.1);
        assert!(matches!(outcome, Err(StartError::OptionOutOfRange { option: "beta", .. })));
    }
    assert!(matches!(
        Penalized::new(&Linkage::double_pendulum(1.0).0, 0.0),
        Err(StartError::OptionOutOfRange { option: "omega", .. })
    ));
}

/// Two iterations are too few for the equations of these steps.
#[test]
fn a_newton_iteration_that_stops_early_says_where() {
    let error = run_to_failure(&Newmark { iterations: 2, ..Newmark::default() }, 0.1);
    let StepError::Failed(failed) = &error else { panic!("{error}") };
    let is_off = matches!(failed.cause, ForceError::NotConverged { iterations: 2, correction, tolerance, .. }
        if correction > tolerance);
    assert!(is_off, "{error}");
    let message = error.to_string();
    assert!(message.contains("newmark: Newton's method for the new positions did not converge"), "{message}");
    assert!(message.contains("points[") && message.contains("try a smaller step"), "{message}");
    let pendulum = Linkage::double_pendulum(1.0).0;
    let system = Penalized::new(&pendulum, 2000.0).unwrap();
    let start = State::new(vec![0.3, -0.9, 1.2, -1.9], vec![0.4, 0.3, -0.5, 0.6]);
    let method = PushForwardNewmark { iterations: 1, ..PushForwardNewmark::default() };
    let outcome = method.start(&system, start.clone(), 0.1).err().unwrap();
    assert!(matches!(outcome, StartError::NotConverged { iterations: 1, .. }), "{outcome}");
    for tolerance in [0.0, -1.0, 0.1, f64::NAN] {
        let outcome = Newmark { tolerance, ..Newmark::default() }.start(&system, start.clone(), 0.1);
        assert!(matches!(outcome, Err(StartError::OptionOutOfRange { option: "tolerance", .. })));
    }
    let outcome = NewmarkLinearB { beta: -1.0 }.start(&system, start.clone(), 0.1);
    assert!(matches!(outcome, Err(StartError::OptionOutOfRange { option: "beta", .. })));
}

/// RATTLE cannot reach the constraints in one large step; its composition returns to its beginning.
#[test]
fn a_composed_step_that_fails_on_the_way_keeps_the_state() {
    let (pendulum, start) = Linkage::double_pendulum(1.0);
    let method = Composition::of(Rattle::default(), 6);
    let mut stepper = method.start(&pendulum, start, 1.9).unwrap();
    for _ in 0..1000 {
        let (before, steps) = (stepper.state().clone(), stepper.steps());
        let multipliers = stepper.multipliers().unwrap().to_vec();
        if let Err(error) = stepper.step() {
            assert_eq!((stepper.state(), stepper.steps()), (&before, steps));
            assert_eq!(stepper.multipliers().unwrap(), multipliers);
            assert_eq!(stepper.step(), Err(error));
            return;
        }
    }
    panic!("the step is far too large");
}

#[test]
fn a_run_that_fails_keeps_what_was_recorded() {
    let pendulum = Linkage::double_pendulum(1.0).0;
    let system = Penalized::new(&pendulum, 2000.0).unwrap();
    let start = Linkage::double_pendulum(1.0).1;
    let interrupted =
        integrate(&system, &Verlet, start.clone(), 0.1).unwrap().until(100.0).record().unwrap_err();
    let RunError::Step { source, summary } = &interrupted.error else { panic!("{interrupted}") };
    assert!(matches!(source, StepError::BlownUp { .. }), "{source}");
    // The last good state, and the numbers computed after it.
    assert!(interrupted.recording.len() as u64 > summary.steps);
    assert_eq!(interrupted.recording.positions().next(), Some(&start.q[..]));
    assert!(interrupted.recording.rows().flatten().all(|value| value.is_finite()));
}

#[test]
fn the_driver_lands_on_the_end_and_refuses_one_that_is_not_later() {
    let model = Quartic::default();
    let run = |end| integrate(&model, &Verlet, Quartic::start(), 0.1).unwrap().until(end).every(4).record();
    let recording = run(1.0).unwrap();
    assert_eq!(recording.times().collect::<Vec<_>>(), [0.0, 4.0 * 0.1, 8.0 * 0.1, 10.0 * 0.1]);
    assert_eq!(recording.names()[1..], ["q[0]", "q[1]", "der.q[0]", "der.q[1]"]);
    assert_eq!(run(1.04).unwrap().times().last(), Some(1.0));
    assert!(matches!(run(0.0).unwrap_err().error, RunError::EndNotLater { .. }));
    assert!(matches!(run(f64::NAN).unwrap_err().error, RunError::EndNotLater { .. }));
    assert!(matches!(run(0.01).unwrap_err().error, RunError::StepTooLong { .. }));
    assert!(matches!(run(1e300).unwrap_err().error, RunError::TooManySteps { .. }));
    let mut stepper = Verlet.start(&model, Quartic::start(), 0.1).unwrap();
    let outcome = drive(&mut stepper, Plan { steps: 1, every: 0 }, &mut Watch::of(&model), &mut []);
    assert!(matches!(outcome, Err(RunError::EveryZero)));
}
