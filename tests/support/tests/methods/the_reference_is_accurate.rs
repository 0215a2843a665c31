//! The reference method against the accurate solutions of an independent implementation.

use integrator_core::drive::{ConstraintResidual, Energy, Multipliers, Recording, integrate};
use integrator_core::error::StartError;
use integrator_core::method::{Bdf, Method, Reference, Stepper};
use integrator_core::system::State;
use integrator_core::wrap::Penalized;
use test_support::fall::Fall;
use test_support::linkage::Linkage;
use test_support::quartic::Quartic;
use test_support::reference::{numbers, read};
use test_support::structure::{distance, state_distance};

fn cases() -> [(&'static str, Linkage, State); 2] {
    [
        ("double_pendulum.json", Linkage::double_pendulum(1.0).0, Linkage::double_pendulum(1.0).1),
        ("chain.json", Linkage::paper_chain(10, 1.0).0, Linkage::paper_chain(10, 1.0).1),
    ]
}

#[test]
fn constrained_and_penalized_motions_agree_with_the_accurate_solutions() {
    for (file, model, start) in cases() {
        let trajectory = &read(file)["trajectory_hanging"];
        let times = numbers(&trajectory["t"]);
        let penalized = Penalized::new(&model, 20.0).unwrap();
        // The output interval divides the times of the data: 0.5.
        let constrained = integrate(&model, &Reference::default(), start.clone(), 0.5)
            .unwrap()
            .until(times[times.len() - 1])
            .measure(ConstraintResidual::of(&model))
            .record()
            .unwrap();
        let soft = integrate(&penalized, &Reference::default(), start, 0.5)
            .unwrap()
            .until(times[times.len() - 1])
            .record()
            .unwrap();
        for (recording, name) in [(&constrained, "constrained"), (&soft, "penalised")] {
            for (k, t) in times.iter().enumerate() {
                let row = recording.times().position(|time| (time - t).abs() < 1e-12).unwrap();
                let q = recording.positions().nth(row).unwrap();
                let error = distance(q, &numbers(&trajectory[name][k]["q"]));
                assert!(error < 1e-10, "{file}, {name}, t = {t}: {error:e}");
            }
        }
        let residual = constrained.column("constraint_residual").unwrap();
        assert!(residual.iter().all(|residual| *residual < 1e-12), "{residual:?}");
    }
}

#[test]
fn the_multipliers_balance_the_weight_at_the_start() {
    // Digest of the paper: (−2/3, −1/6) in M q̈ = −∇V + Gᵀ λ.
    let model = Linkage::double_pendulum(1.0).0;
    let start = Linkage::double_pendulum(1.0).1;
    let recording = integrate(&model, &Reference::default(), start, 0.1)
        .unwrap()
        .measure(Multipliers::of(&model))
        .record()
        .unwrap();
    let first = |name| recording.column(name).unwrap()[0];
    assert!((first("lambda.rods[0]") + 2.0 / 3.0).abs() < 1e-14);
    assert!((first("lambda.rods[1]") + 1.0 / 6.0).abs() < 1e-14);
}

#[test]
fn a_soft_problem_keeps_its_energy_and_does_not_depend_on_the_output_interval() {
    let model = Quartic::default();
    let run = |step| {
        integrate(&model, &Reference::default(), Quartic::start(), step)
            .unwrap()
            .until(20.0)
            .measure(Energy::of(&model))
            .record()
            .unwrap()
    };
    let (coarse, fine) = (run(10.0), run(0.01));
    let energy = fine.column("energy").unwrap();
    assert!(energy.iter().all(|e| (e - energy[0]).abs() < 1e-11));
    let last = |recording: &Recording| {
        State::new(
            recording.positions().last().unwrap().to_vec(),
            recording.velocities().last().unwrap().to_vec(),
        )
    };
    let difference = state_distance(&last(&coarse), &last(&fine));
    assert!(difference < 1e-10, "{difference:e}");
}

#[test]
fn a_start_off_the_constraints_is_refused_with_the_amount() {
    let model = Linkage::double_pendulum(1.0).0;
    let mut start = Linkage::double_pendulum(1.0).1;
    start.q[1] = -1.1;
    let error = Reference::default().start(&model, start, 0.1).err().unwrap();
    assert!(
        matches!(&error, StartError::OffConstraints { residual, equation, .. }
            if (residual - 0.21).abs() < 1e-12 && equation == "rods[0]"),
        "{error}"
    );
    let mut start = Linkage::double_pendulum(1.0).1;
    start.v[1] = 0.5;
    let error = Reference::default().start(&model, start, 0.1).err().unwrap();
    assert!(matches!(error, StartError::VelocityOffConstraints { .. }), "{error}");
    let error = Reference { tolerance: 1.0 }.start(&Quartic::default(), Quartic::start(), 0.1).err().unwrap();
    assert!(matches!(error, StartError::OptionOutOfRange { option: "tolerance", .. }), "{error}");
}

#[test]
fn a_singularity_in_the_way_is_an_error_and_not_an_endless_run() {
    let (model, start) = (Fall::default(), State::at_rest(vec![1.0]));
    let mut stepper = Reference::default().start(&model, start.clone(), 10.0).unwrap();
    let error = stepper.step().unwrap_err();
    // The fall from 1 onto the centre of 1/r takes π / (2 √2) = 1.1107.
    assert!(error.to_string().contains("t = 1.1"), "{error}");
    assert_eq!(stepper.state(), &start);
}

#[test]
fn backward_differentiation_agrees_and_its_error_follows_the_tolerance() {
    let (model, start) = Linkage::double_pendulum(1.0);
    let end = |run: &mut dyn Stepper| {
        (0..2).for_each(|_| run.step().unwrap());
        run.state().clone()
    };
    let exact = end(&mut Reference::default().start(&model, start.clone(), 1.0).unwrap());
    let errors = [1e-6, 1e-8, 1e-10].map(|tolerance| {
        let found = end(&mut Bdf { tolerance, order: 5 }.start(&model, start.clone(), 1.0).unwrap());
        state_distance(&found, &exact)
    });
    for (error, tolerance) in errors.into_iter().zip([1e-6, 1e-8, 1e-10]) {
        assert!(error < 300.0 * tolerance && error > 1e-3 * tolerance, "{tolerance:e}: {errors:?}");
    }
}

#[test]
fn the_cost_of_backward_differentiation_grows_far_less_than_the_frequency() {
    let (model, start) = Linkage::double_pendulum(1.0);
    let costs = [1e4, 1e6].map(|omega| {
        let penalized = Penalized::new(&model, omega).unwrap();
        let mut run =
            Bdf { tolerance: 1e-6, ..Bdf::default() }.start(&penalized, start.clone(), 2.0).unwrap();
        run.step().unwrap();
        let constrained = Reference::default().start(&model, start.clone(), 2.0);
        let mut constrained = constrained.unwrap();
        constrained.step().unwrap();
        let error = distance(&run.state().q, &constrained.state().q);
        assert!(error < 1e-3, "{omega:e}: {error:e}");
        run.report().evaluations.gradients
    });
    // An explicit method would need a hundred times as many; measured: seven times.
    assert!(costs[1] < 20 * costs[0], "{costs:?}");
}

#[test]
fn backward_differentiation_starts_on_stiff_springs_that_turn() {
    // The curvature is large: the rods are bent off their length by the turning at a rate of ω².
    let (model, mut start) = Linkage::double_pendulum(1.0);
    start.v = vec![0.3, -0.2, 0.1, 0.4];
    let penalized = Penalized::new(&model, 1e4).unwrap();
    let mut exact = Reference::default().start(&penalized, start.clone(), 0.01).unwrap();
    let mut run = Bdf::default().start(&penalized, start, 0.01).unwrap();
    exact.step().unwrap();
    run.step().unwrap();
    assert!(distance(&run.state().q, &exact.state().q) < 1e-6);
}

#[test]
fn a_singularity_stops_backward_differentiation_too() {
    let (model, start) = (Fall::default(), State::at_rest(vec![1.0]));
    let mut stepper = Bdf::default().start(&model, start.clone(), 10.0).unwrap();
    let error = stepper.step().unwrap_err();
    assert!(error.to_string().contains("bdf"), "{error}");
    assert_eq!(stepper.state(), &start);
}

#[test]
fn an_order_that_no_stable_formula_has_is_refused() {
    let model = Quartic::default();
    let method = Bdf { order: 6, ..Bdf::default() };
    let error = method.start(&model, Quartic::start(), 0.1).err().unwrap();
    assert!(matches!(error, StartError::OptionOutOfRange { option: "order", .. }), "{error}");
}
