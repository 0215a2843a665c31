//! Starts by entries on the command line, and the notes on starts and forces that beginners mistake.

use crate::support::{Directory, ready, run_by};
use least_action::prelude::*;
use least_action_command::Workbench;

#[test]
fn entries_of_a_start_are_those_of_a_file() {
    let directory = Directory::new();
    let state = |phi: f64| format!(r#"{{"t": 0.5, "q": [2.0, {phi:?}], "v": [0.3, 0.0]}}"#);
    let file = directory.file("start.json", &state(std::f64::consts::FRAC_PI_4));
    let other = directory.file("other.json", &state(0.0));
    let starts = [
        format!("--start {file}"),
        "--from theta=2rad,phi=45°,der=0 --from der.theta=0.3,t=0.5".to_owned(),
        // An entry of a file may be another.
        format!("--start {other} --from phi=45deg"),
    ];
    let motion = "--method variational-midpoint --step 0.01 --until 0.6 --format json";
    for (command, key) in [
        ("eval double-pendulum-angles --what energy --format json".to_owned(), "energy"),
        (format!("run double-pendulum-angles {motion}"), "q"),
        (format!("gradient double-pendulum-angles {motion} --loss end:theta=0"), "q"),
        (format!("bench double-pendulum-angles --halvings 0 {motion}"), "runs"),
    ] {
        let number = |start: &String| {
            let found = ready(&format!("{command} {start}")).json()[key].clone();
            // The times of a comparison differ.
            found.pointer("/0/error").cloned().unwrap_or(found)
        };
        let [of_file, of_line, of_both] = starts.each_ref().map(number);
        assert!(!of_file.is_null(), "{command}");
        assert_eq!([&of_line, &of_both], [&of_file, &of_file], "{command}");
    }
}

#[test]
fn a_vector_has_a_number_for_each_entry_and_constraints_are_kept() {
    let start = |from: &str| {
        ready(&format!("run double-pendulum --method rattle --step 1e-9 --until 1e-9 {from} --format json"))
    };
    let outcome = start("--from upper=(0.6,-0.8),lower=[1.6,-1.8]");
    let q: Vec<f64> = serde_json::from_value(outcome.json()["q"].clone()).unwrap();
    assert!(q.iter().zip([0.6, -0.8, 1.6, -1.8]).all(|(a, b)| (a - b).abs() < 1e-8), "{q:?}");
    // The nearest start on the constraints is told.
    let outcome = start("--from lower=(0.7,-2)");
    assert_eq!(outcome.code, 0);
    assert!(outcome.err.starts_with("note: the start is not on the constraints"), "{}", outcome.err);
    for (from, told) in [
        ("lower=(1,2,3)", "--from `lower=(1,2,3)`: `lower` has 2 entries, and 3 numbers are given"),
        ("lowr=1", "the model has no number `lowr`"),
        ("lower.x=one", "--from `lower.x=one`: write NAME=VALUE"),
        ("lower.x=1,lower.x=2", "`lower.x` is given twice"),
    ] {
        let outcome = start(&format!("--from {from}"));
        assert_eq!(outcome.code, 2);
        assert!(outcome.err.contains(told), "{}", outcome.err);
    }
}

#[test]
fn the_start_of_a_gradient_follows_a_parameter_but_for_other_entries() {
    // Both bobs hang on rods whose lengths their own start follows.
    let line = "gradient double-pendulum-angles --method variational-midpoint --step 0.01 --until 0.3 --loss end:theta=0 \
                --format json --check";
    let check = |from: &str| ready(&format!("{line} {from}")).json()["check"].clone();
    assert!(check("").is_object());
    assert!(check("--from theta=1").is_object());
}

#[test]
fn whole_numbers_of_angles_beyond_a_turn_may_be_degrees() {
    let notes = |from: &str| {
        ready(&format!(
            "run double-pendulum-angles --from {from} --method variational-midpoint --step 0.01 --until 0.1"
        ))
        .err
    };
    assert_eq!(
        notes("theta=45"),
        "note: `theta` starts at 45 rad, 7.2 turns; in degrees it is --from theta=45deg\n"
    );
    assert_eq!(notes("theta=6,phi=45.5"), "");
}

/// A mass on a spring with a force linear in its velocity.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Dragged {
    drag: f64,
}

impl Default for Dragged {
    fn default() -> Self {
        Self { drag: -0.5 }
    }
}

#[lagrangian]
impl Dragged {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * der(x).powi(2) - 0.5 * x.powi(2)
    }

    #[force(x)]
    fn drag(&self, x: Scalar) -> Scalar {
        -self.drag * der(x)
    }
}

impl Start for Dragged {
    fn start(&self) -> State {
        State::at_rest(vec![1.0])
    }
}

#[test]
fn a_drag_that_feeds_the_motion_is_told_once() {
    let workbench = Workbench::new("bench").model::<Dragged>("dragged");
    let notes = |drag: f64| {
        run_by(&workbench, &format!("run dragged --set drag={drag} --method verlet --step 0.01 --until 3"))
            .err
    };
    assert_eq!(notes(-0.5).matches("feed the motion whichever way it goes").count(), 1);
    assert_eq!(notes(0.5), "");
    assert_eq!(notes(0.0), "");
}

#[test]
fn words_of_other_programs_are_answered_by_ours() {
    for (line, told) in [
        ("list", "unknown command `list`: `models` does it; `bench --help` lists them"),
        ("chain", "unknown command `chain`: `run chain` runs the model"),
        ("rnu chain", "unknown command `rnu` (did you mean `run`?)"),
        ("run chain --gravity 9.81", "unknown flag `--gravity`: write --set gravity=9.81"),
        ("run chain --set gravity 9.81", "unexpected `9.81`: write --set gravity=9.81"),
        ("run chain --omega 20", "unknown flag `--omega`: write --with omega=20"),
        ("run chain --dt 0.1", "unknown flag `--dt`: it is --step here"),
        ("fit chain --data x.csv --free gravity --by rattle", "unknown flag `--by`: it is --method here"),
        ("run pendulm", "unknown model `pendulm` (did you mean `pendulums`?); there are: double-pendulum, "),
    ] {
        let outcome = ready(line);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{line}");
        assert!(outcome.err.starts_with(&format!("error: {told}")), "{line}: {}", outcome.err);
        assert!(outcome.err.len() < 300, "{}", outcome.err);
    }
}

#[test]
fn a_plan_leaves_the_method_the_step_and_the_end_open() {
    let directory = Directory::new();
    let plan = "model = \"kepler\"\n[grid]\n\"start.der.q.y\" = [1.2, 1.3]\n";
    let (file, out) = (directory.file("plan.toml", plan), directory.path("out"));
    let outcome = ready(&format!("ensemble {file} --out {out} --format json"));
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(
        outcome.err.starts_with("note: chosen for this model: --method verlet --step "),
        "{}",
        outcome.err
    );
    // The manifest has the choices, and the same plan goes on.
    let again = ready(&format!("ensemble {file} --out {out} --format json"));
    assert!(again.out.contains("\"members_done\":0"), "{}{}", again.out, again.err);
    // Members may have their own.
    let own = format!("{plan}step = [0.01, 0.02]\nuntil = [0.5]\n");
    let (file, out) = (directory.file("own.toml", &own), directory.path("own"));
    let outcome = ready(&format!("ensemble {file} --out {out} --format json"));
    assert_eq!((outcome.code, outcome.err.as_str()), (0, "note: chosen for this model: --method verlet\n"));
}
