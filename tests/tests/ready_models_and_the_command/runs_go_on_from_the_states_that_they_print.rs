//! A run of 2 N steps, and one of N steps whose printed state is the start of another N, end alike: to
//! the last bits, or to the tolerances; where a state does not tell all of a run, the command reports
//! it.

#![expect(clippy::unwrap_used, reason = "a test may end at what is not there")]

use least_action_tests::command::{Directory, json, run};
use serde_json::Value;
use test_support::reference::numbers;
use test_support::structure::distance;

/// A method with its options on a model, half the time of the run, and how far the ends may be apart.
struct Case {
    method: &'static str,
    model: &'static str,
    options: &'static str,
    half: (f64, f64),
    bound: f64,
}

const fn case(
    method: &'static str,
    model: &'static str,
    options: &'static str,
    half: (f64, f64),
    bound: f64,
) -> Case {
    Case { method, model, options, half, bound }
}

/// Half a run: the step, and the time.
const FAST: (f64, f64) = (0.000_976_562_5, 0.125);
const SWING: (f64, f64) = (0.0625, 1.25);
const ANGLES: (f64, f64) = (0.03125, 1.0);

/// Every method that goes on.  Steps are powers of two, so that times are the same.
const GO_ON: &[Case] = &[
    case("verlet", "spring-pendulum", "", FAST, 0.0),
    case("verlet", "spring-pendulum", "order=6", FAST, 0.0),
    case("blanes-moan", "spring-pendulum", "", FAST, 0.0),
    case("mclachlan", "spring-pendulum", "", FAST, 0.0),
    case("verlet", "spring-pendulum", "friction=0.3 inverse_temperature=2", FAST, 0.0),
    case("zhang-skeel", "double-pendulum", "omega=10", SWING, 0.0),
    case("zhang-skeel", "double-pendulum", "omega=10 friction=0.3", SWING, 0.0),
    case("zhang-skeel-simplified", "double-pendulum", "omega=10", SWING, 0.0),
    case("zhang-skeel-euler", "double-pendulum", "omega=10", SWING, 0.0),
    case("zhang-skeel-stiff", "double-pendulum", "omega=10", SWING, 0.0),
    case("newmark", "double-pendulum", "omega=10", SWING, 1e-11),
    case("newmark-pushforward", "double-pendulum", "omega=10", SWING, 1e-11),
    case("newmark-linear-a", "double-pendulum", "omega=10", SWING, 0.0),
    case("implicit-midpoint", "double-pendulum", "omega=10", SWING, 0.0),
    case("variational-euler", "double-pendulum-angles", "", ANGLES, 0.0),
    case("variational-midpoint", "double-pendulum-angles", "", ANGLES, 0.0),
    case("variational-trapezoid", "double-pendulum-angles", "", ANGLES, 0.0),
    case("force-stepping", "kepler", "grid=0.01 vertex=origin", ANGLES, 1e-10),
    case("force-stepping", "kepler", "grid=0.01 interpolation=relative", ANGLES, 1e-10),
    case("energy-stepping", "kepler", "height=0.01 edge=0", ANGLES, 1e-10),
    case("labudde-greenspan", "kepler", "", ANGLES, 1e-12),
    case("so3-cayley", "rigid-body", "", ANGLES, 1e-12),
    case("so3-verlet", "rigid-body", "", ANGLES, 1e-12),
    case("so3-penalty", "rigid-body", "", ANGLES, 1e-12),
    case("so3-penalty-euler", "rigid-body", "", ANGLES, 1e-12),
    case("shake", "double-pendulum", "", SWING, 1e-12),
    case("shake", "double-pendulum", "friction=0.3", SWING, 1e-12),
    case("rattle", "double-pendulum", "", SWING, 1e-12),
    case("rattle", "double-pendulum", "order=4", SWING, 1e-12),
    case("rattle", "double-pendulum", "friction=0.3", SWING, 1e-12),
    case("projected-rk4", "double-spring", "omega=1000", (0.125, 1.0), 1e-6),
    case("hmm-asynchronous", "driven-pendulum", "macro_solver=verlet", ANGLES, 1e-9),
    case("bdf", "double-pendulum-angles", "", ANGLES, 1e-4),
    case("reference", "double-pendulum-angles", "", ANGLES, 1e-9),
];

/// The methods whose states do not tell all, and the words with which that is said.
const DO_NOT: &[(Case, &str)] = &[
    (
        case("newmark-linear-b", "double-pendulum", "omega=10", SWING, 0.3),
        "the acceleration of the last step",
    ),
    (case("energy-stepping", "kepler", "", ANGLES, 0.3), "the terraces, which belong to the start"),
    (case("force-stepping", "kepler", "grid=0.01", ANGLES, 0.3), "the grid, which has a vertex at the start"),
    (case("hmm-asynchronous", "driven-pendulum", "", ANGLES, 0.3), "macro_solver=verlet"),
    (case("hmm-synchronous", "driven-pendulum", "", ANGLES, 0.3), "macro_solver=verlet"),
    (
        case("hmm-synchronous", "driven-pendulum", "macro_solver=verlet", ANGLES, 1e-3),
        "a velocity that was foretold",
    ),
];

/// The end of a whole run, and of one in two halves, with the second's output; no time is the start's.
fn ends(directory: &Directory, case: &Case) -> ([Value; 2], String) {
    let Case { method, model, options, half: (step, half), .. } = case;
    let with = options.split_whitespace().fold(String::new(), |line, option| line + " --with " + option);
    let line = |start: &str, until: f64| {
        format!(
            "run {model} --method {method}{with} --step {step} --until {until} --seed 3 --format json {start}"
        )
    };
    let begin: Value = json(&line("", *step));
    let begin = directory.file("begin.json", &begin.to_string());
    let from_begin = format!("--start {begin}");
    let result = |line: &str| -> (Value, String) {
        let outcome = run(line);
        assert_eq!(outcome.code, 0, "{line}: {}", outcome.err);
        (serde_json::from_str(&outcome.out).unwrap(), outcome.err)
    };
    let (middle, _) = result(&line(&from_begin, step + half));
    let middle = directory.file("middle.json", &middle.to_string());
    let (whole, _) = result(&line(&from_begin, step + 2.0 * half));
    let (resumed, said) = result(&line(&format!("--start {middle}"), step + 2.0 * half));
    ([whole, resumed], said)
}

fn apart([whole, resumed]: &[Value; 2]) -> f64 {
    assert_eq!(whole["t"], resumed["t"]);
    ["q", "v"]
        .map(|part| distance(&numbers(&whole[part]), &numbers(&resumed[part])))
        .into_iter()
        .fold(0.0, f64::max)
}

#[test]
fn every_method_goes_on_or_says_why_not() {
    let directory = Directory::new("goes-on");
    for case in GO_ON {
        let (ends, said) = ends(&directory, case);
        let apart = apart(&ends);
        assert!(apart <= case.bound, "{} {} {}: {apart:e}", case.method, case.model, case.options);
        assert!(!said.contains("note:"), "{} {}: {said}", case.method, case.options);
    }
    for (case, words) in DO_NOT {
        let (ends, said) = ends(&directory, case);
        let apart = apart(&ends);
        assert!(apart > 1e-12 && apart < case.bound, "{} {}: {apart:e}", case.method, case.options);
        assert!(said.contains("note:") && said.contains(words), "{} {}: {said}", case.method, case.options);
    }
}

/// The lists name every method that `describe` knows.
#[test]
fn no_method_is_left_out() {
    let known = json("describe kepler --format json");
    let fits = known["methods"].as_array().unwrap();
    assert!(fits.len() > 20);
    for fit in fits {
        let name = fit["method"].as_str().unwrap();
        assert!(
            GO_ON.iter().chain(DO_NOT.iter().map(|(case, _)| case)).any(|case| case.method == name),
            "{name}"
        );
    }
}

/// The numbers of a thermostat go on with the time: a second run draws others than the first.
#[test]
fn a_thermostat_draws_no_number_again() {
    let directory = Directory::new("thermostat");
    let start =
        |t: f64| directory.file("start.json", &format!(r#"{{"t": {t}, "q": [0.0, -1.0], "v": [0.0, 0.0]}}"#));
    let velocity = |t: f64, step: f64| {
        let line = format!(
            "run spring-pendulum --method verlet --with friction=1 --step {step} --until {} --start {} --format json",
            t + step,
            start(t)
        );
        numbers(&json(&line)["v"])
    };
    let drawn: Vec<Vec<f64>> = (0..20).map(|k| velocity(0.01 * f64::from(k), 0.01)).collect();
    for (k, one) in drawn.iter().enumerate() {
        assert!(drawn[..k].iter().all(|other| distance(one, other) > 1e-6), "{k}");
    }
}
