//! Gradients of motions by name: their numbers, their check, and the refusals.

use least_action::prelude::*;
use least_action::system::Start;
use least_action_command::Workbench;
use least_action_models::{DoublePendulum, DoublePendulumAngles, SpringPendulum};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::support::{Directory, Outcome};

/// Runs a command line over ready models, split at blanks.
fn run(line: &str) -> Outcome {
    let workbench = Workbench::new("bench")
        .model::<DoublePendulum>("double-pendulum")
        .model::<DoublePendulumAngles>("double-pendulum-angles")
        .model::<SpringPendulum>("spring-pendulum");
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = workbench.run(line.split_whitespace(), &mut out, &mut err);
    Outcome { code, out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
}

/// A ball on a hard floor and one on a soft floor.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Floors {
    stiffness: f64,
}

#[lagrangian(sensitive(stiffness))]
impl Floors {
    fn lagrangian(&self, ball: [Scalar; 2]) -> Scalar {
        let hard = self.stiffness * ball[0].abs();
        let soft = if ball[1] < 0.0 { 0.5 * self.stiffness * ball[1].powi(2) } else { 0.0 };
        0.5 * (der(ball[0]).powi(2) + der(ball[1]).powi(2)) - hard - soft
    }
}

impl Start for Floors {
    fn start(&self) -> State {
        State::at_rest(vec![1.0, 1.0])
    }
}

/// A motion of the double pendulum by RATTLE.
const RATTLE: &str = "gradient double-pendulum --method rattle --step 0.05";

fn refused(line: &str) -> String {
    let outcome = run(line);
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{line}: {}", outcome.err);
    assert_eq!(outcome.err.matches('\n').count(), 1, "{line}: {}", outcome.err);
    outcome.err.trim_end().strip_prefix("error: ").unwrap().to_owned()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

/// By complex steps through the whole motion, in 50 digits: J = w·(q, v) + κ/2 |(q, v)|² after 60 steps,
/// and its derivative by the start, which is orthogonal to the rods, and by the parameters.
#[test]
fn a_gradient_has_the_digits_of_complex_steps() {
    const KAPPA: f64 = 0.7;
    const WEIGHTS: [f64; 8] = [0.189, -0.523, -0.413, -2.441, 1.8, 1.144, -0.325, 0.774];
    const VALUE: f64 = 8.302_620_442_985_315;
    const Q: [f64; 4] = [1.288_926_419_391_183_6, 0.0, 0.623_078_303_320_031_1, -0.665_848_116_071_152_6];
    const V: [f64; 4] =
        [-0.098_438_078_869_888_48, 0.0, -0.347_339_647_460_681_36, -0.248_901_568_590_792_88];
    const THETA: [f64; 5] = [
        -0.246_719_465_898_208_37,
        0.246_719_465_898_208_37,
        3.062_318_680_615_196_5,
        3.322_324_127_242_705_8,
        1.205_805_803_019_706_3,
    ];
    let directory = Directory::new();
    let start = directory.file("start.json", r#"{"q": [0.0, -1.0, 1.0, -2.0], "v": [0.3, 0.0, 0.1, -0.2]}"#);
    // κ/2 (x + w/κ)² = κ/2 x² + w x + w²/2κ.
    let entries = ["upper.x", "upper.y", "lower.x", "lower.y"];
    let names = entries.into_iter().map(str::to_owned).chain(entries.map(|name| format!("der.{name}")));
    let losses: Vec<String> =
        names.zip(WEIGHTS).map(|(name, w)| format!("--loss end:{name}={:?}", -w / KAPPA)).collect();
    let line = format!("{RATTLE} --until 3 --start {start} {} --check", losses.join(" "));
    let found = run(&format!("{line} --format json")).json();
    let shift: f64 = WEIGHTS.iter().map(|w| w * w / (2.0 * KAPPA)).sum();
    let value = KAPPA * found["value"].as_f64().unwrap() - shift;
    assert!((value - VALUE).abs() < 1e-12 * shift, "{value}");
    let by: Vec<f64> =
        found["by"].as_array().unwrap().iter().map(|row| row["derivative"].as_f64().unwrap()).collect();
    for (found, expected) in [(&numbers(&found["q"]), &Q[..]), (&numbers(&found["v"]), &V), (&by, &THETA)] {
        let largest = expected.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((KAPPA * found - expected).abs() < 3e-12 * largest, "{found}, {expected}");
        }
    }
    let gravity = &found["by"][4];
    assert_eq!((&gravity["name"], &gravity["value"]), (&"gravity".into(), &1.0.into()));
    let relative = gravity["derivative"].as_f64().unwrap() / found["value"].as_f64().unwrap();
    assert!((gravity["relative"].as_f64().unwrap() - relative).abs() < 1e-13);
    assert_eq!((&found["steps"], &found["digits"]), (&60.into(), &15.into()));
    // Little memory takes further runs and changes no bit.
    let again = run(&format!("{line} --memory 3K --format json")).json();
    assert_eq!((&again["q"], &again["v"], &again["by"]), (&found["q"], &found["v"], &found["by"]));
    assert!(again["plan"].as_str().unwrap().ends_with("two further runs"), "{}", again["plan"]);

    let text = run(&line);
    assert_eq!((text.code, text.err.as_str()), (0, ""));
    for part in ["gravity    1 ", "|dJ/dq0| = ", "; all states in memory\n", " allowed: ok\n"] {
        assert!(text.out.contains(part), "{part}: {}", text.out);
    }
}

/// The best of five differences is right to a few parts in a million at least.
#[test]
fn differences_agree_with_the_gradient_of_every_method() {
    let angles = "gradient double-pendulum-angles --step 0.05 --until 3 --loss end:phi=0.5";
    let spring = "gradient spring-pendulum --set omega=20 --step 0.02 --until 2 --loss mean:bob.x=0.5";
    let rods = "gradient double-pendulum --step 0.02 --until 2 --loss end:der.lower.x=1";
    let cases = [
        (angles, &["variational-euler", "variational-midpoint", "variational-trapezoid --with order=4"][..]),
        (
            spring,
            &[
                "verlet",
                "zhang-skeel-simplified",
                "newmark",
                "newmark-pushforward",
                "implicit-midpoint --with order=4",
            ],
        ),
        (
            rods,
            &[
                "rattle",
                "rattle --with order=4",
                "rattle --with friction=0.3 --with inverse_temperature=9",
                "shake",
                "variational-midpoint",
                "verlet --with omega=20",
                "verlet --with omega=20 --with friction=0.3",
                "zhang-skeel --with omega=20 --with order=4",
                "zhang-skeel-euler --with omega=20",
                "zhang-skeel-stiff --with omega=20",
            ],
        ),
    ];
    for (line, methods) in cases {
        for method in methods {
            for seed in [1, 2] {
                let found =
                    run(&format!("{line} --method {method} --check --seed {seed} --format json")).json();
                let check = &found["check"];
                let (gradient, difference) = (&check["gradient"], &check["difference"]);
                assert_eq!(check["agrees"], true, "{method}: {check}");
                let slope = gradient.as_f64().unwrap().abs();
                assert!(slope > 1e-4, "{method}: {check}");
                assert!(difference.as_f64().unwrap() < 1e-5 * slope, "{method}: {check}");
            }
        }
    }
}

/// The derivative by the misfit of a recording is zero at the parameters of its run.
#[test]
fn a_recording_is_a_loss_that_its_own_run_fits() {
    let directory = Directory::new();
    let rows = directory.path("rows.csv");
    let recorded =
        run(&format!("run double-pendulum --method rattle --step 0.05 --every 4 --until 2 --out {rows}"));
    assert_eq!(recorded.code, 0, "{}", recorded.err);
    let line = format!("{RATTLE} --until 2 --loss data:{rows} --by gravity --format json");
    let fitted = run(&line).json();
    assert_eq!((&fitted["value"], &fitted["by"][0]["derivative"]), (&0.0.into(), &0.0.into()));
    // No part of a J that is zero.
    assert_eq!(fitted["by"][0].get("relative"), None);
    let heavy = run(&format!("{line} --set gravity=1.1 --check")).json();
    assert!(heavy["by"][0]["derivative"].as_f64().unwrap() > 0.1, "{heavy}");
    assert_eq!(heavy["check"]["agrees"], true, "{heavy}");
    let line = format!("{RATTLE} --until 1 --loss data:{rows}");
    assert!(refused(&line).contains("the motion goes from 0 to 1"), "{}", refused(&line));
    let line = line.replace("0.05", "0.03");
    assert!(
        refused(&line).starts_with("the data have a row at t = 0.2, which is no step"),
        "{}",
        refused(&line)
    );
}

#[test]
fn names_choose_the_rows() {
    let line = format!("{RATTLE} --until 1 --loss end:lower.x=1 --by rods,der.lower,upper.y --format json");
    let found = run(&line).json();
    let names: Vec<&str> =
        found["by"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["rods[0]", "rods[1]", "upper.y", "der.lower.x", "der.lower.y"]);
    assert_eq!(found["by"][3]["derivative"], found["v"][2]);
    // The rods are where the bobs start.
    assert_eq!(found["follows"], serde_json::json!(["rods[0]", "rods[1]"]));
    let text = run(&format!("{RATTLE} --until 1 --loss end:lower.x=1 --check"));
    assert!(
        text.code == 0 && text.out.contains("note: the model's own start follows `rods[0]`"),
        "{} {}",
        text.out,
        text.err
    );
}

#[test]
fn a_chaotic_motion_warns_of_its_gradient() {
    let line = "gradient double-pendulum-angles --set gravity=9.81 --method variational-midpoint --step 0.01 --loss end:phi=0.5";
    let directory = Directory::new();
    let start = directory.file("start.json", r#"{"q": [2.5, 3.0], "v": [0.0, 0.0]}"#);
    let long = run(&format!("{line} --start {start} --until 40 --check"));
    assert_eq!(long.code, 0, "{}", long.err);
    assert!(long.out.contains("differences tell nothing about this motion"), "{}", long.out);
    assert!(long.out.contains(", to t = 40; "), "{}", long.out);
    assert!(long.err.starts_with("warning: the motion amplifies a change of its start by "), "{}", long.err);
    let short = run(&format!("{line} --start {start} --until 0.5"));
    assert_eq!((short.code, short.err.as_str()), (0, ""));
}

#[test]
fn mistakes_are_one_line() {
    let with = |rest: &str| refused(&format!("{RATTLE} --until 1 {rest}"));
    assert_eq!(
        with("--loss end:lowr.x=0.5"),
        "--loss `end:lowr.x=0.5`: the model has no number `lowr.x` (did you mean `lower.x`?); it has upper.x, upper.y, \
         lower.x, lower.y, der.upper.x, der.upper.y, der.lower.x, der.lower.y"
    );
    let forms = "write `end: NAME = TARGET`, `mean: NAME = TARGET` or `data: FILE`";
    assert_eq!(
        with("--loss ende:lower.x=0.5"),
        format!("--loss `ende:lower.x=0.5`: unknown loss `ende` (did you mean `end`?); {forms}")
    );
    assert_eq!(with("--loss lower.x"), format!("--loss `lower.x`: a colon is missing; {forms}"));
    assert_eq!(with("--loss end:lower.x"), format!("--loss `end:lower.x`: the target is missing; {forms}"));
    assert_eq!(
        with("--loss mean:lower.x=inf"),
        format!("--loss `mean:lower.x=inf`: `inf` is no finite number; {forms}")
    );
    assert_eq!(
        with("--loss end:lower.x=0 --by gravty"),
        "--by `gravty`: the model has no number `gravty` (did you mean `gravity`?); it has masses[0], masses[1], rods[0], \
         rods[1], gravity, upper.x, upper.y, lower.x, … (5 more)"
    );
    assert_eq!(
        refused(
            "gradient double-pendulum --method shake --with friction=1 --step 0.1 --until 1 --loss end:lower.x=0"
        ),
        "langevin: no derivative of a motion of `DoublePendulum` with a bath around a method that looks ahead: take `rattle`, \
         which has its positions"
    );
    assert_eq!(
        refused("gradient spring-pendulum --method zhang-skeel --step 0.1 --until 1 --loss end:bob.x=0"),
        "zhang-skeel: no derivative of a motion of `SpringPendulum` with fourth derivatives of the potential that are not \
         compiled: declare the model by `#[lagrangian(sensitive())]`, or take `newmark-pushforward`"
    );
    assert_eq!(
        refused("gradient double-pendulum --method bdf --step 0.1 --until 1 --loss end:lower.x=0"),
        "`bdf` has no gradient: the lengths of its steps depend on the state; on `double-pendulum` these methods have: verlet, \
         blanes-moan, mclachlan, zhang-skeel, zhang-skeel-simplified, zhang-skeel-euler, zhang-skeel-stiff, newmark, \
         newmark-pushforward, implicit-midpoint, variational-euler, variational-midpoint, variational-trapezoid, shake, rattle"
    );
    assert_eq!(
        refused("gradient double-pendulum --method verlet --step 0.1 --until 1 --loss end:lower.x=0"),
        "`verlet` knows no constraints, and `double-pendulum` has 2: add --with omega=… to replace them by the penalty ½ omega² \
         |g|², or use a constrained method: shake, rattle"
    );
    let step = "gradient double-pendulum --method rattle --step -1 --until 1 --loss mean:lower.x=0";
    assert_eq!(refused(step), "--step -1: the step must be positive and finite");
    assert_eq!(
        refused(&step.replace("-1", "0.1").replace("--until 1", "--until 0")),
        "the run should go until t = 0, which is not later than its start at t = 0"
    );
    // A motion that fails has no gradient.
    let failed = run("gradient double-pendulum --method rattle --step 8 --until 800 --loss end:lower.x=0");
    assert_eq!((failed.code, failed.out.as_str()), (1, ""), "{}", failed.err);
    assert!(failed.err.starts_with("error: no gradient, since the motion has no end: "), "{}", failed.err);
}

#[test]
fn terms_with_kinks_are_told() {
    let workbench = Workbench::new("bench").model::<Floors>("floors");
    let line = "gradient floors --method verlet --step 0.1 --until 1 --loss end:ball[0]=1";
    let (mut out, mut err) = (Vec::new(), Vec::new());
    assert_eq!(workbench.run(line.split_whitespace(), &mut out, &mut err), 0);
    let err = String::from_utf8(err).unwrap();
    assert!(err.contains("warning: the force of `potential[0]` may jump"), "{err}");
    assert!(err.contains("note: the slope of the force of `potential[1]` may jump"), "{err}");
}
