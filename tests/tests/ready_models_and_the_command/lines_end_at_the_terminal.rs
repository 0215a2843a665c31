//! No line of help, of a list or of a description is longer than the terminal.

use least_action_command::Workbench;
use least_action_tests::command::json;

/// The columns of the narrowest terminal that is usual.
const COLUMNS: usize = 80;

/// Refuses longer lines.
fn check(line: &str) {
    check_within(COLUMNS, line);
}

fn check_within(columns: usize, line: &str) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let workbench = Workbench::new("least-action").ready_models().columns(columns);
    let code = workbench.run(line.split_whitespace(), &mut out, &mut err);
    let [text, said] = [&out, &err].map(|printed| String::from_utf8_lossy(printed));
    assert_eq!((code, &*said), (0, ""), "{line}");
    assert!(!text.is_empty(), "{line}");
    for printed in text.lines() {
        assert!(printed.chars().count() <= columns, "{line}: {printed}");
    }
}

#[test]
fn help_and_lists() {
    let commands = [
        "models",
        "methods",
        "describe",
        "expand",
        "run",
        "resume",
        "view",
        "report",
        "ensemble",
        "eval",
        "project",
        "new",
        "bench",
        "reproduce",
        "completions",
        "man",
    ];
    check("--help");
    for command in commands {
        check(&format!("{command} -h"));
        check(&format!("{command} --help"));
    }
    check("models");
    check("methods");
    // Half of a terminal.
    for line in ["models", "methods", "describe chain", "run chain --method rattle --step 0.1 --until 1"] {
        check_within(40, line);
    }
}

#[test]
fn descriptions_and_results_of_every_ready_model() {
    let listed = json("models --format json");
    for model in listed["models"].as_array().expect("models") {
        let name = model["name"].as_str().expect("a name");
        check(&format!("describe {name}"));
        check(&format!("eval {name} --what energy"));
    }
    check("eval chain");
    check("eval chain --check");
    check("project chain --format text");
    check("run chain --method rattle --step 0.1 --until 1");
}
