//! Verlet, the Zhang–Skeel integrators and the Newmark family against an independent implementation.

#![expect(clippy::unwrap_used, reason = "helpers of tests, where a failure is a panic")]

use least_action::advanced::wrap::Penalized;
use least_action::drive::Plan;
use least_action::method::{
    Method, Newmark, NewmarkLinearA, NewmarkLinearB, PushForwardNewmark, Reference, Stepper, Verlet,
    ZhangSkeel, ZhangSkeelSimplified, ZhangSkeelStiff,
};
use least_action::system::{Natural, State};
use serde_json::Value;
use test_support::linkage::Linkage;
use test_support::reference::{numbers, read};
use test_support::structure::{advance, distance};

type PenalizedChain<'s> = Penalized<'s, Linkage>;

fn check<'s, M: Method<PenalizedChain<'s>>>(
    system: &PenalizedChain<'s>,
    method: &M,
    (start, step): (&State, f64),
    expected: &Value,
) {
    let entries = expected.as_object().unwrap();
    assert!(!entries.is_empty());
    for (name, state) in entries {
        let steps: u64 = name.strip_prefix("after_").unwrap().parse().unwrap();
        let found = advance(system, method, start, step, steps);
        let (q, v) = (numbers(&state["x"]), numbers(&state["v"]));
        let scale = q.iter().chain(&v).fold(1.0, |scale: f64, entry| scale.max(entry.abs()));
        // At this step Verlet is unstable, and so is Z&S from the generic state: where the state has
        // grown ten times or more, ten steps have multiplied rounding errors by 1e4.
        let tolerance = if steps == 10 && scale > 10.0 { 1e-10 * scale } else { 1e-12 * scale };
        assert!(distance(&found.q, &q) < tolerance, "{}, {name}: {:?} instead of {q:?}", M::NAME, found.q);
        assert!(distance(&found.v, &v) < tolerance, "{}, {name}: {:?} instead of {v:?}", M::NAME, found.v);
    }
}

#[test]
fn one_two_and_ten_steps_of_the_double_pendulum() {
    let data = read("double_pendulum.json");
    let h = data["parameters"]["h"].as_f64().unwrap();
    let generic = &data["generic_state"];
    let generic = State::new(numbers(&generic["q"]), numbers(&generic["v"]));
    for (sign, gravity) in [("hanging", 1.0), ("inverted", -1.0)] {
        let pendulum = Linkage::double_pendulum(gravity).0;
        let system = Penalized::new(&pendulum, 20.0).unwrap();
        for (place, start) in
            [("paper_start", &Linkage::double_pendulum(1.0).1), ("from_generic_state", &generic)]
        {
            let expected = &data[place][sign];
            check(&system, &Verlet, (start, h), &expected["verlet"]);
            check(&system, &ZhangSkeel { beta: 0.4 }, (start, h), &expected["zs"]);
            check(&system, &ZhangSkeelSimplified { beta: 0.4 }, (start, h), &expected["zs_simplified"]);
            // The field is uniform, so the whole Hessian belongs to the penalty.
            check(&system, &ZhangSkeelStiff { beta: 0.4 }, (start, h), &expected["zs_simplified"]);
            check(&system, &Newmark { beta: 0.4, ..Newmark::default() }, (start, h), &expected["newmark"]);
            check(&system, &PushForwardNewmark::default(), (start, h), &expected["pushforward_newmark"]);
            check(&system, &NewmarkLinearA::default(), (start, h), &expected["newmark_lin_A"]);
            check(&system, &NewmarkLinearB::default(), (start, h), &expected["newmark_lin_B"]);
        }
    }
}

#[test]
fn the_accelerations_of_the_chain() {
    let data = read("chain.json");
    let h = data["parameters"]["h"].as_f64().unwrap();
    let start = Linkage::paper_chain(10, 1.0).1;
    for (sign, gravity) in [("hanging", 1.0), ("inverted", -1.0)] {
        let chain = Linkage::paper_chain(10, gravity).0;
        let system = Penalized::new(&chain, 20.0).unwrap();
        let expected = &data["accelerations"][sign];
        let mut gradient = vec![0.0; 20];
        system.potential_gradient(&start.q, 0.0, &mut gradient);
        assert!(distance(&gradient, &numbers(&expected["grad"])) < 1e-11);
        // From rest, x₁ − x₀ = ½ h² f.
        let first = |after: State| -> Vec<f64> {
            after.q.iter().zip(&start.q).map(|(x, x0)| (x - x0) / (0.5 * h * h)).collect()
        };
        let f = first(advance(&system, &ZhangSkeel { beta: 0.4 }, &start, h, 1));
        assert!(distance(&f, &numbers(&expected["f_zs"])) < 1e-11);
        let a = first(advance(&system, &ZhangSkeelSimplified { beta: 0.4 }, &start, h, 1));
        assert!(distance(&a, &numbers(&expected["a_zs"])) < 1e-11);
        let a = first(advance(&system, &PushForwardNewmark::default(), &start, h, 1));
        assert!(distance(&a, &numbers(&expected["a_pushforward"])) < 1e-11);
    }
}

/// True if a step of the run fails, or the positions grow beyond all reason.
fn blows_up<'s, M: Method<PenalizedChain<'s>>>(
    system: &PenalizedChain<'s>,
    method: &M,
    start: &State,
    step: f64,
    steps: u64,
) -> bool {
    let mut stepper = method.start(system, start.clone(), step).unwrap();
    (0..steps).any(|_| stepper.step().is_err() || stepper.state().q.iter().any(|q| q.abs() > 1e3))
}

/// The errors against the accurate solutions equal the independent implementation's to 1 %.
fn check_errors<'s, M: Method<PenalizedChain<'s>>>(
    system: &PenalizedChain<'s>,
    method: &M,
    start: &State,
    trajectory: &Value,
    name: &str,
) {
    let expected = &trajectory["errors"][name];
    let step = expected["h"].as_f64().unwrap();
    for (solution, errors) in [("penalised", "err_vs_penalised"), ("constrained", "err_vs_constrained")] {
        for (k, t) in numbers(&trajectory["t"]).into_iter().enumerate() {
            let steps = Plan::until(0.0, t, step).unwrap().steps;
            if expected[errors][k].is_null() {
                assert!(blows_up(system, method, start, step, steps), "{name} reaches t = {t}");
                continue;
            }
            let found = advance(system, method, start, step, steps);
            let exact = numbers(&trajectory[solution][k]["q"]);
            let (error, stated) = (distance(&found.q, &exact), expected[errors][k].as_f64().unwrap());
            assert!((error / stated - 1.0).abs() < 0.01, "{name} at t = {t}: {error:e}, stated {stated:e}");
        }
    }
}

#[test]
fn the_errors_of_the_trajectories_are_those_stated() {
    for (file, model, start) in [
        ("double_pendulum.json", Linkage::double_pendulum(1.0).0, Linkage::double_pendulum(1.0).1),
        ("chain.json", Linkage::paper_chain(10, 1.0).0, Linkage::paper_chain(10, 1.0).1),
    ] {
        let data = read(file);
        let trajectory = &data["trajectory_hanging"];
        let system = Penalized::new(&model, 20.0).unwrap();
        check_errors(&system, &Verlet, &start, trajectory, "verlet");
        check_errors(&system, &ZhangSkeel { beta: 0.4 }, &start, trajectory, "zs");
        check_errors(&system, &ZhangSkeelSimplified { beta: 0.4 }, &start, trajectory, "zs_simplified");
        check_errors(&system, &Newmark { beta: 0.4, ..Newmark::default() }, &start, trajectory, "newmark");
        check_errors(&system, &PushForwardNewmark::default(), &start, trajectory, "pushforward_newmark");
        check_errors(&system, &NewmarkLinearA::default(), &start, trajectory, "newmark_lin_A");
        check_errors(&system, &NewmarkLinearB::default(), &start, trajectory, "newmark_lin_B");
    }
}

/// Where β h² ω is 8, fifty times the limit of Z&S, methods that solve their equations to round-off stay
/// accurate: the error against the constrained motion at ω = 2000, h = 0.1 is as at ω = 20.
#[test]
fn converged_newton_iterations_stay_accurate_at_any_stiffness() {
    let (pendulum, start) = Linkage::double_pendulum(1.0);
    let system = Penalized::new(&pendulum, 2000.0).unwrap();
    let errors = |method: &dyn Fn(u64) -> State| {
        [(5.0, 50), (50.0, 500)].map(|(t, steps)| {
            let exact = advance(&pendulum, &Reference::default(), &start, t, 1);
            distance(&method(steps).q, &exact.q)
        })
    };
    let push_forward = errors(&|steps| advance(&system, &PushForwardNewmark::default(), &start, 0.1, steps));
    assert!((push_forward[0] - 0.015).abs() < 0.0005 && push_forward[1] < 0.12, "{push_forward:?}");
    let newmark =
        errors(&|steps| advance(&system, &Newmark { beta: 0.4, ..Newmark::default() }, &start, 0.1, steps));
    assert!((newmark[0] - 0.017).abs() < 0.0005 && newmark[1] < 0.12, "{newmark:?}");
    assert!(blows_up(&system, &ZhangSkeel::default(), &start, 0.1, 500));
}
