//! Parameters of ready models: sizes that make no system are refused by their names, and whole numbers
//! may be written as any other.

use crate::support::{Directory, Outcome, run as run_small};
use least_action_command::Workbench;
use serde_json::Value;

/// Runs a command line on the ready models.
fn run(line: &str) -> Outcome {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = Workbench::new("least-action").ready_models().run(line.split_whitespace(), &mut out, &mut err);
    Outcome { code, out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
}

/// The parameters that are above zero wherever a model has them, and the parameters that may be zero.
const POSITIVE: [&str; 24] = [
    "mass",
    "masses",
    "rod",
    "rods",
    "length",
    "lengths",
    "base",
    "side",
    "sides",
    "spring",
    "bond",
    "bond_stiffness",
    "radius",
    "density",
    "spacing",
    "distance",
    "sigma",
    "cutoff",
    "splitting",
    "inertia",
    "angle",
    "h",
    "stretch",
    "gamma",
];
const NOT_NEGATIVE: [&str; 6] = ["temperature", "drag", "damping", "on", "eccentricity", "repulsion"];

/// A value of the same form in which all numbers are this one, as the command line takes it.
fn filled(value: &Value, number: f64) -> String {
    match value {
        Value::Array(items) => format!("{:?}", vec![number; items.len()]).replace(' ', ""),
        _ => format!("{number:?}"),
    }
}

#[test]
fn sizes_that_make_no_system_are_refused_by_their_names() {
    let models: Value = run("models --format json").json();
    let mut refused = 0;
    for model in models["models"].as_array().unwrap() {
        let model = model["name"].as_str().unwrap();
        let described = run(&format!("describe {model} --format json")).json();
        for (name, value) in described["parameters"].as_object().unwrap() {
            let numbers: &[f64] = match name.as_str() {
                name if POSITIVE.contains(&name) => &[-1.0, 0.0],
                name if NOT_NEGATIVE.contains(&name) => &[-1.0],
                _ => continue,
            };
            for number in numbers {
                let given = filled(value, *number);
                let said = run(&format!("describe {model} --set {name}={given}"));
                let begin = format!("error: parameter `{name}` of `{model}`: {given} is refused: ");
                assert_eq!((said.code, said.err.lines().count()), (2, 1), "{model} {name}: {}", said.err);
                let reason = said.err.strip_prefix(&begin).unwrap_or_else(|| panic!("{}", said.err));
                assert!(reason.contains(" must be "), "{}", said.err);
                refused += 1;
            }
        }
    }
    assert!(refused > 80, "{refused}");
    let said = run("run water-box --set temperature=-5 --method rattle --step 0.001 --until 1");
    assert_eq!(
        said.err,
        "error: parameter `temperature` of `water-box`: -5 is refused: it must be zero or positive\n"
    );
    let said = run("describe double-pendulum --set masses[1]=-2");
    assert_eq!(
        said.err,
        "error: parameter `masses[1]` of `double-pendulum`: -2 is refused: each of them must be positive\n"
    );
}

#[test]
fn a_whole_number_may_be_written_as_any_other() {
    for links in ["4", "4.0", "0.4e1"] {
        let report = run_small(&format!("describe chain --set links={links} --format json")).json();
        assert_eq!(report["parameters"]["links"], 4, "{links}");
    }
}

#[cfg(feature = "tables")]
#[test]
fn a_whole_number_may_be_written_as_the_ranges_of_a_plan_have_it() {
    let directory = Directory::new();
    let plan = "model = \"liquid\"\nmethod = \"verlet\"\nstep = 0.004\nuntil = 0.008\n\
                [grid]\n\"set.seed\" = { from = 1, to = 3, count = 3 }\n";
    let plan = directory.file("plan.toml", plan);
    let told = run(&format!("ensemble {plan} --out {} --format json", directory.path("data"))).json();
    assert_eq!((&told["members_done"], &told["failed"]), (&Value::from(3), &Value::from(0)));
    let plan = std::fs::read_to_string(&plan).unwrap().replace("to = 3", "to = 2");
    let plan = directory.file("half.toml", &plan);
    let said = run(&format!("ensemble {plan} --out {} --format json", directory.path("half")));
    let all = format!("{}{}", said.out, said.err);
    assert!(all.contains("1.5 is refused: expected a whole number from 0 on"), "{all}");
}

/// Parameters that no configuration has are told by the start that they do not give, which another start
/// may replace.
#[test]
fn a_start_that_there_is_not_is_told_by_the_parameters() {
    for command in ["run four-bar --method variational-midpoint --step 0.01 --until 0.1", "project four-bar"]
    {
        let said = run(&format!("{command} --set base=20"));
        assert_eq!((said.code, said.err.lines().count()), (2, 1), "{command}: {}", said.err);
        let begin = "error: the parameters of `four-bar` cannot be used: the position of `b` at the start that follows from them is NaN";
        assert!(said.err.starts_with(begin), "{command}: {}", said.err);
    }
    let said = run("describe polymer --set beads=1");
    assert!(said.err.contains("`beads` of `polymer`: 1 is refused: one alone has no size"), "{}", said.err);
    // The springs of the car are perpendicular to its axis for bumps of any height.
    let said = run("run car-axis --set bump=0.2 --method variational-midpoint --step 0.001 --until 0.01");
    assert_eq!((said.code, said.err.as_str()), (0, ""));
}

/// A run that was resumed without a step to take says so.
#[test]
fn a_run_that_is_resumed_for_nothing_says_so() {
    let directory = Directory::new();
    let file = directory.path("run.ckpt");
    let first = format!("run kepler --method verlet --step 0.01 --until 0.1 --checkpoint {file}");
    assert_eq!(run(&first).code, 0);
    for more in ["", "--until 0.104"] {
        let said = run(&format!("resume {file} {more}"));
        assert_eq!((said.code, said.err.lines().count()), (0, 1), "{}", said.err);
        assert!(said.err.starts_with("note: nothing was left to compute: "), "{}", said.err);
    }
    assert_eq!(run(&format!("resume {file} --until 0.106")).err, "");
}
