//! Controls by name: their numbers, their files, and the refusals.

use std::fs;

use least_action_command::Workbench;
use least_action_models::{CartPendulum, DoublePendulum};
use serde_json::Value;

use crate::support::{Directory, Outcome};

/// Runs a command line over ready models, split at blanks.
fn run(line: &str) -> Outcome {
    let workbench = Workbench::new("bench")
        .model::<DoublePendulum>("double-pendulum")
        .model::<CartPendulum>("cart-pendulum");
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = workbench.run(line.split_whitespace(), &mut out, &mut err);
    Outcome { code, out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
}

fn refused(line: &str) -> String {
    let outcome = run(line);
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{line}: {}", outcome.err);
    // Notes and iterations may stand before.
    outcome.err.lines().last().unwrap().strip_prefix("error: ").unwrap().to_owned()
}

/// A cart that moves its hanging pendulum by 30 cm.
const BESIDE: &str = "control cart-pendulum --from theta=0 --to x=0.3,theta=0,der=0 --until 1.2 --step 0.04 \
                      --method variational-midpoint --pieces 15 --bounds push=-3:3";

#[test]
fn a_run_with_the_inputs_of_a_file_ends_where_it_was_to_end() {
    let directory = Directory::new();
    let folder = directory.path("beside");
    let outcome = run(&format!("{BESIDE} --out {folder} --format json"));
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(outcome.err.contains("iteration 0: cost 0.0"), "{}", outcome.err);
    let found: Value = serde_json::from_str(&outcome.out).unwrap();
    assert!(found["miss"].as_f64().unwrap() < 1e-12, "{found}");
    let push = found["inputs"][0]["signal"]["values"].as_array().unwrap();
    assert!(push.len() == 15 && push.iter().all(|value| value.as_f64().unwrap().abs() <= 3.0), "{found}");
    // The printed command, by its words.
    let line = found["run"].as_str().unwrap().replace('\'', "");
    let again = run(&format!("{} --format json", line.strip_prefix("least-action ").unwrap()));
    let end: Value = serde_json::from_str(&again.out).unwrap();
    let number = |part: &str, index: usize| end[part][index].as_f64().unwrap();
    for (found, wanted) in
        [(number("q", 0), 0.3), (number("q", 1), 0.0), (number("v", 0), 0.0), (number("v", 1), 0.0)]
    {
        assert!((found - wanted).abs() < 1e-9, "{end}");
    }
    let page = fs::read_to_string(format!("{folder}/report.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("der.theta, rad/s"), "a figure for each coordinate");
}

#[test]
fn a_control_goes_on_from_its_checkpoint() {
    let directory = Directory::new();
    let file = directory.path("unknowns.json");
    let line = format!("{BESIDE} --checkpoint {file}");
    let iterations = |outcome: &Outcome| outcome.err.matches("iteration ").count();
    let first = run(&line);
    let second = run(&line);
    assert_eq!((first.code, second.code), (0, 0), "{}", second.err);
    assert!(iterations(&second) < iterations(&first), "{} {}", first.err, second.err);
    let other = refused(&format!("{line} --stretches 3"));
    assert!(other.contains("it belongs to another `stretches`"), "{other}");
}

#[test]
fn an_input_has_at_most_a_piece_for_each_step() {
    let outcome =
        run(&format!("{} --format json", BESIDE.replace("--pieces 15", "--pieces 18446744073709551615")));
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(outcome.err.contains("note: --pieces 18446744073709551615 becomes 30: "), "{}", outcome.err);
    let found: Value = serde_json::from_str(&outcome.out).unwrap();
    assert_eq!(found["inputs"][0]["signal"]["values"].as_array().unwrap().len(), 30);
    for flags in ["--step 1e-9", "--step 1e-6"] {
        let told = refused(&format!(
            "{} {flags} --memory 50M",
            BESIDE.replace("--step 0.04", "").replace("15", "1000000000")
        ));
        assert!(told.contains("memory"), "{told}");
    }
}

/// The pendulum that stands amplifies rounding by 1e12 in this time.
#[test]
fn an_input_that_no_run_holds_is_not_believed() {
    let line = "control cart-pendulum --from theta=3.1,der=0 --to x=0.5,theta=3.141592653589793,der=0 --until 8 --step 0.05 \
                --method variational-midpoint --format json";
    let outcome = run(line);
    let found: Value = serde_json::from_str(&outcome.out).unwrap();
    assert_eq!((outcome.code, &found["verdict"]["believed"]), (0, &false.into()), "{found}");
    assert!(found["miss"].as_f64().unwrap() > 1e-6, "{found}");
    assert!(outcome.err.contains("warning: one run with the inputs ends"), "{}", outcome.err);
    assert!(outcome.err.contains("no open-loop input of double precision holds it"), "{}", outcome.err);
    let short = run(&line.replace("--until 8", "--until 2"));
    let found: Value = serde_json::from_str(&short.out).unwrap();
    assert!(found["verdict"]["believed"] == true && !short.err.contains("warning"), "{}", short.err);
}

/// The pendulum hangs where the first guess of a free angle would hold it upright.
#[test]
fn a_free_end_begins_at_the_motion_of_the_first_input() {
    let found = run(
        "control cart-pendulum --to x=0.1 --until 2 --method variational-trapezoid --step 0.1 --pieces 10 --format json",
    );
    let found: Value = serde_json::from_str(&found.out).unwrap();
    assert!(found["cost"].as_f64().unwrap() < 0.01, "{found}");
}

#[test]
fn a_guess_of_states_is_taken_from_a_recording() {
    let directory = Directory::new();
    let rows = (0..=12).map(|k| format!("{},{},0\n", 0.1 * f64::from(k), 0.025 * f64::from(k)));
    let file = directory.file("guess.csv", &format!("t,x,theta\n{}", rows.collect::<String>()));
    let found = run(&format!("{BESIDE} --guess {file} --format json"));
    assert_eq!(found.code, 0, "{}", found.err);
    let back = directory.file("back.csv", "t,x,theta\n0,0,0\n1,0,0\n0.5,0,0\n");
    assert!(refused(&format!("{BESIDE} --guess {back}")).contains("row 3"));
}

#[test]
fn a_problem_that_has_no_solution_or_no_meaning_is_refused() {
    for (line, message) in [
        (
            BESIDE.replace("x=0.3", "push=3"),
            "`push` is no coordinate or velocity of the problem: it has `x`, `theta`, `der.x`, `der.theta`",
        ),
        (BESIDE.replace("x=0.3", "x=1,x=2"), "--to `x=1,x=2,theta=0,der=0`: `x` is given twice"),
        (BESIDE.replace("1.2", "-1"), "--until -1: give a finite time after the start at t = 0"),
        (BESIDE.replace("0.04", "4"), "the step 4 is larger than the whole run"),
        (
            format!("{BESIDE} --cost effort:push=-1"),
            "the weight of the effort of `push` is -1: give a finite number that is not negative",
        ),
        (BESIDE.replace("theta=0 --to", "phi=0 --to"), "--from `phi=0`: the model has no number `phi`"),
        (
            BESIDE.replace("push=-3:3", "x=-0.1:0.1"),
            "the end wants `x` = 0.3, and its bounds are [-0.1, 0.1]: no motion ends there",
        ),
        (format!("{BESIDE} --input pull"), "`pull` is no input of the problem: it has `push`"),
        (format!("{BESIDE} --cost effort=1"), "--cost `effort=1`: write `effort: INPUT = WEIGHT`"),
        (BESIDE.replace("-3:3", "3:-3"), "`push` is bound to [3, -3]"),
        (BESIDE.replace("--pieces 15", "--pieces 0"), "--pieces 0: an input has at least one piece"),
        (BESIDE.replace("variational-midpoint", "energy-stepping"), "energy-stepping"),
        (
            "control double-pendulum --to lower.x=0 --until 1 --step 0.05 --method rattle".to_owned(),
            "the model has no sensitive input",
        ),
    ] {
        let told = refused(&line);
        assert!(told.contains(message), "{line}: {told}");
    }
    // Half a newton is too weak: an end that no motion reaches has the exit code of a failure.
    let weak = run(&BESIDE.replace("-3:3", "-0.5:0.5"));
    assert_eq!(weak.code, 1, "{}", weak.err);
    assert!(weak.err.contains("error: no motion reaches the end: the gap of"), "{}", weak.err);
    assert!(weak.err.contains("give a later --until, wider --bounds or more --stretches"), "{}", weak.err);
    // A folder that cannot be is told before the first iteration.
    let directory = Directory::new();
    let file = directory.path("file");
    fs::write(&file, "").unwrap();
    let nowhere = run(&format!("{BESIDE} --out {file}/beside"));
    assert_ne!(nowhere.code, 0);
    assert!(nowhere.err.starts_with("error: cannot write "), "{}", nowhere.err);
}

#[test]
fn a_step_becomes_a_whole_part_of_the_time() {
    let outcome = run(&format!("{} --format json", BESIDE.replace("0.04", "0.07")));
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(outcome.err.contains("note: --step 0.07 becomes 0.070588"), "{}", outcome.err);
    let found: Value = serde_json::from_str(&outcome.out).unwrap();
    assert!((found["end"]["t"].as_f64().unwrap() - 1.2).abs() < 1e-12, "{found}");
    assert!(found["miss"].as_f64().unwrap() < 1e-12, "{found}");
}

#[test]
fn a_state_out_of_its_bounds_between_ends_is_told() {
    let line = BESIDE.replace("push=-3:3", "theta=-0.15:0.15");
    let excess = |stretches: u64| {
        let outcome = run(&format!("{line} --stretches {stretches} --format json"));
        assert_eq!(outcome.code, 0, "{}", outcome.err);
        let found: Value = serde_json::from_str(&outcome.out).unwrap();
        assert_eq!(found["bounds"]["name"], "theta", "{found}");
        found["bounds"]["beyond"].as_f64().unwrap()
    };
    // With a stretch for each step there is no state between ends.
    assert!(excess(3) > 1e-3 && excess(30) < 1e-9);
    let text = run(&format!("{line} --stretches 3"));
    assert!(text.out.contains("its states leave their bounds by at most"), "{}", text.out);
}
