//! Nonholonomic constraints: rolling, skating, affine rows, and beside holonomic ones.

use super::measure::{check_adjoint, check_errors, check_order, check_steps};
use super::problems::{Problem, problem};
use super::rolling::rolling;
use least_action::drive::{Multipliers, integrate};
use least_action::method::{
    Bdf, Composition, Method, Reference, Stepper, VariationalMidpoint, VariationalTrapezoid,
};
use least_action::system::{Lagrangian, State};
use least_action::{Model, lagrangian};
use test_support::reference::numbers;
use test_support::structure::{advance, distance};

const ROLLING: [(&str, f64); 8] = [
    ("chaplygin_sleigh", 0.05),
    ("vertical_coin", 0.05),
    ("contact_oscillator", 0.05),
    ("nonholonomic_particle", 0.05),
    ("cvt_perturbed", 0.05),
    ("snakeboard", 0.05),
    ("ball_on_turntable", 0.05),
    ("ball_on_tilted_turntable", 0.05),
];

#[test]
fn the_first_steps_are_the_known_ones() {
    for (name, _) in ROLLING {
        check_steps(name, &problem(name), 1e-10);
    }
}

#[test]
fn the_errors_are_the_known_ones() {
    for (name, _) in ROLLING {
        check_errors(name, &problem(name));
    }
}

#[test]
fn a_step_back_undoes_a_step() {
    for (name, h) in ROLLING {
        check_adjoint(name, &problem(name), h);
    }
}

#[test]
fn compositions_have_their_orders() {
    let midpoint = VariationalMidpoint::default();
    let trapezoid = VariationalTrapezoid::default();
    for (name, _) in ROLLING {
        check_order(name, &problem(name), &Composition::of(midpoint, 4), [0.1, 0.05], 0.25);
        check_order(name, &problem(name), &Composition::of(trapezoid, 4), [0.1, 0.05], 0.25);
    }
    let sleigh = problem("chaplygin_sleigh");
    check_order("sleigh", &sleigh, &Composition::of(midpoint, 6), [0.1, 0.05], 0.25);
    check_order("sleigh", &sleigh, &Composition::of(trapezoid, 8), [0.3, 0.15], 0.7);
}

/// A coin with a unit vector as its heading moves like one with an angle; all rows hold to rounding.
#[test]
fn holonomic_rows_stand_beside_them() {
    let coin = problem("vertical_coin");
    let system = rolling("vertical_coin_by_its_direction", &numbers(&coin.data["parameters"])).unwrap();
    let (heading, turn) = (coin.start.q[3], coin.start.v[3]);
    let (c, s) = (heading.cos(), heading.sin());
    let q = [&coin.start.q[..3], &[c, s]].concat();
    let v = [&coin.start.v[..3], &[-s * turn, c * turn]].concat();
    let reference = &coin.data["reference"];
    let exact = numbers(reference["q"].as_array().unwrap().last().unwrap());
    let time = *numbers(&reference["t"]).last().unwrap();
    let error = |steps: u64| {
        let method = Composition::of(VariationalMidpoint::default(), 6);
        let end = advance(&*system, &method, &State::new(q.clone(), v.clone()), time / steps as f64, steps);
        let unit = end.q[3].hypot(end.q[4]) - 1.0;
        assert!(unit.abs() < 1e-14, "{unit:e}");
        let rolls = end.v[0] - coin.data["parameters"][3].as_f64().unwrap() * end.q[3] * end.v[2];
        assert!(rolls.abs() < 1e-14, "{rolls:e}");
        distance(&end.q[..3], &exact[..3])
    };
    let (long, short) = (error((time / 0.2).round() as u64), error((time / 0.1).round() as u64));
    let order = (long / short).log2();
    assert!((order - 6.0).abs() < 0.3, "order {order} by {long:e} and {short:e}");
}

/// The adaptive methods solve these equations: positions, velocities and multipliers are accurate.
#[test]
fn the_adaptive_methods_agree_with_the_accurate_solutions() {
    for (name, _) in ROLLING {
        let problem = problem(name);
        check_adaptive(name, &problem, &Reference::default(), 1e-9);
        check_adaptive(name, &problem, &Bdf { tolerance: 1e-10, order: 5 }, 3e-6);
    }
}

/// The largest error at the end, of a step of which each is a quarter, with the rows at the end of each.
fn check_adaptive<M: Method<dyn Lagrangian>>(name: &str, problem: &Problem, method: &M, most: f64) {
    let Problem { system, start, data } = problem;
    let reference = &data["reference"];
    let last = |quantity: &str| numbers(reference[quantity].as_array().unwrap().last().unwrap());
    let time = *numbers(&reference["t"]).last().unwrap();
    let mut stepper =
        method.start(&**system, start.clone(), 0.25 * time).unwrap_or_else(|error| panic!("{name}: {error}"));
    for _ in 0..4 {
        stepper.step().unwrap_or_else(|error| panic!("{name}: {error}"));
        let State { t, q, v } = stepper.state();
        let rows = system.nonholonomic().unwrap();
        let mut values = vec![0.0; rows.nonholonomic_rows()];
        rows.nonholonomic_values(q, v, *t, &mut values);
        assert!(values.iter().all(|value| value.abs() < 1e-13), "{name}: {values:?}");
    }
    let end = stepper.state();
    let multipliers = stepper.multipliers().unwrap();
    for (quantity, found) in [("q", &end.q[..]), ("v", &end.v), ("lambda", multipliers)] {
        let error = distance(found, &last(quantity));
        assert!(error < most, "{name}: {quantity} is off by {error:e}");
    }
}

#[test]
fn a_start_that_skids_is_refused_by_name() {
    let Problem { system, mut start, .. } = problem("chaplygin_sleigh");
    start.v[1] += 1e-3;
    let error = VariationalMidpoint::default().start(&*system, start, 0.1).err().unwrap();
    assert!(error.to_string().contains("`blade`"), "{error}");
}

/// The largest change of the energy in the first steps, and in all.
fn energies<M: Method<dyn Lagrangian>>(problem: &Problem, method: &M, h: f64, steps: [u64; 2]) -> [f64; 2] {
    let energy = |state: &State| problem.system.energy(&state.q, &state.v, state.t);
    let begin = energy(&problem.start);
    let mut stepper = method.start(&*problem.system, problem.start.clone(), h).unwrap();
    let (mut largest, mut found) = (0.0_f64, [0.0; 2]);
    for step in 1..=steps[1] {
        stepper.step().unwrap_or_else(|error| panic!("{error}"));
        largest = largest.max((energy(stepper.state()) - begin).abs());
        if step == steps[0] {
            found[0] = largest;
        }
    }
    found[1] = largest;
    found
}

fn check_long_run<M: Method<dyn Lagrangian>>(name: &str, method: &M, scheme: &str, steps: u64) {
    let problem = problem(name);
    let known = &problem.data["long_run"][scheme];
    let h = known["h"].as_f64().unwrap();
    let [first, all] = energies(&problem, method, h, [1000, steps]);
    let wanted = known["max_abs_energy_change_first_1000"].as_f64().unwrap();
    let last = known
        [if steps == 100_000 { "max_abs_energy_change" } else { "max_abs_energy_change_first_10000" }]
    .as_f64()
    .unwrap();
    if wanted < 1e-9 {
        // Rounding of an angle that grows to thousands of radians.
        assert!(all < 1e-9, "{name}, {scheme}: {all:e}");
        return;
    }
    assert!((first / wanted - 1.0).abs() < 0.3, "{name}, {scheme}: {first:e} instead of {wanted:e}");
    assert!((all / last - 1.0).abs() < 0.3, "{name}, {scheme}: {all:e} instead of {last:e}");
}

const LONG: [&str; 9] = [
    "fourbar_relative_angles",
    "magnetic_sphere",
    "magnetic_sphere_symmetric",
    "parallel_platform_redundant",
    "chaplygin_sleigh",
    "vertical_coin",
    "contact_oscillator",
    "nonholonomic_particle",
    "cvt_perturbed",
];

/// The energy swings and does not drift, save in the perturbed transmission.
#[test]
#[cfg_attr(debug_assertions, ignore = "long without optimization: `cargo thorough` runs it")]
fn the_energy_of_long_runs_is_the_known_one() {
    for name in LONG {
        check_long_run(name, &VariationalMidpoint::default(), "midpoint", 10_000);
        check_long_run(name, &VariationalTrapezoid::default(), "trapezoid", 10_000);
    }
}

#[test]
#[ignore = "long: a minute"]
fn the_energy_of_very_long_runs_is_the_known_one() {
    for name in LONG {
        check_long_run(name, &VariationalMidpoint::default(), "midpoint", 100_000);
        check_long_run(name, &VariationalTrapezoid::default(), "trapezoid", 100_000);
    }
}

#[test]
fn multipliers_of_both_kinds_are_recorded_by_name() {
    let coin = problem("vertical_coin");
    let system = rolling("vertical_coin_by_its_direction", &numbers(&coin.data["parameters"])).unwrap();
    let (q, v) = (&coin.start.q, &coin.start.v);
    let (sin, cos) = q[3].sin_cos();
    let (heading, turning) = ([cos, sin], [-sin * v[3], cos * v[3]]);
    let start = State::new([&q[..3], &heading].concat(), [&v[..3], &turning].concat());
    let recording = integrate(&*system, &VariationalMidpoint::default(), start.clone(), 0.05)
        .unwrap()
        .until(0.5)
        .measure(Multipliers::of(&*system))
        .record()
        .unwrap();
    let mut stepper = VariationalMidpoint::default().start(&*system, start, 0.05).unwrap();
    for row in 0..=10 {
        let found =
            ["lambda.unit", "mu.rolls[0]", "mu.rolls[1]"].map(|name| recording.column(name).unwrap()[row]);
        assert!(distance(&found, stepper.multipliers().unwrap()) < 1e-15, "{row}: {found:?}");
        stepper.step().unwrap();
    }
}

/// A skate on a slope whose edge is stated twice, with a factor that depends on the place.
struct Skate {
    factor: f64,
}

#[lagrangian]
impl Skate {
    fn lagrangian(&self, p: Vec2, heading: Angle) -> Scalar {
        0.5 * der(p).norm_squared() + 0.5 * der(heading).powi(2) - 0.5 * p.x
    }

    #[nonholonomic]
    fn edge(&self, p: Vec2, heading: Angle) -> Scalar {
        der(p).dot(vec2(-heading.sin(), heading.cos()))
    }

    #[nonholonomic]
    fn again(&self, p: Vec2, heading: Angle) -> Scalar {
        (2.0 + self.factor * p.x.cos()) * der(p).dot(vec2(-heading.sin(), heading.cos()))
    }
}

/// The means of such rows over a step would hold the skate in place; at a middle the rows are dependent.
#[test]
fn rows_that_depend_on_each_other_by_changing_factors_are_kept_at_the_middle_alone() {
    let start = |v: [f64; 3]| State::new(vec![0.0, 0.0, 0.3], v.to_vec());
    let moving = [0.3_f64.cos(), 0.3_f64.sin(), 1.0];
    let system = Skate { factor: 0.5 }.bind().unwrap();
    for v in [moving, [0.0; 3]] {
        let error = VariationalTrapezoid::default().start(&system, start(v), 0.01).err().unwrap();
        let said =
            "`edge` and `again` of `Skate` depend on each other by factors that change with the position";
        assert!(error.to_string().starts_with(said), "{error}");
    }
    let end = |factor: f64, method: &dyn Fn(&dyn Lagrangian, State) -> State| {
        method(&Skate { factor }.bind().unwrap(), start(moving))
    };
    let by_midpoint =
        |system: &dyn Lagrangian, start| advance(system, &VariationalMidpoint::default(), &start, 0.01, 200);
    let by_trapezoid =
        |system: &dyn Lagrangian, start| advance(system, &VariationalTrapezoid::default(), &start, 0.01, 200);
    let [equal, unequal] = [0.0, 0.5].map(|factor| end(factor, &by_midpoint));
    assert!(distance(&equal.q, &unequal.q) < 1e-12);
    assert!(distance(&equal.q, &end(0.0, &by_trapezoid).q) < 1e-4);
}
