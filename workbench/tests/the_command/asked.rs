//! Runs of few flags: the command chooses the others, and says as much as the user asks for.

use crate::support::{Directory, run, run_by};
use least_action::prelude::*;
use least_action_command::Workbench;

/// A mass on a spring, whose other end a damper holds: it has no mass.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Maxwell {}

#[lagrangian]
impl Maxwell {
    fn lagrangian(&self, x: Scalar, node: Scalar) -> Scalar {
        0.5 * der(x).powi(2) - 2.0 * (x - node).powi(2)
    }

    #[force(node)]
    fn damper(&self, node: Scalar) -> Scalar {
        -0.5 * der(node)
    }
}

impl Start for Maxwell {
    fn start(&self) -> State {
        State::at_rest(vec![1.0, 0.0])
    }
}

/// A load on as many bars as it has places to go: nothing moves.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Arch {}

#[lagrangian]
impl Arch {
    fn lagrangian(&self, p: [Vec2; 2]) -> Scalar {
        sum(p.iter(), |p| 1.5 * der(*p).norm_squared() - 29.43 * p.y)
    }

    #[holonomic]
    fn bars(&self, p: [Vec2; 2]) -> [Scalar; 4] {
        let right = vec2(3.0, 0.0);
        [
            p[0].norm_squared() - 2.0,
            p[0].distance_squared(p[1]) - 1.0,
            p[1].distance_squared(right) - 2.0,
            p[0].distance_squared(right) - 5.0,
        ]
    }
}

impl Start for Arch {
    fn start(&self) -> State {
        State::at_rest(vec![1.0, 1.0, 2.0, 1.0])
    }
}

#[test]
fn coordinates_without_mass_and_structures_at_rest_have_steps() {
    let workbench = Workbench::new("bench").model::<Maxwell>("maxwell").model::<Arch>("arch");
    for (model, method, steps) in
        [("maxwell", "variational-midpoint", 0.001..0.02), ("arch", "rattle", 0.005..0.1)]
    {
        let alone = run_by(&workbench, &format!("run {model} --format json"));
        assert_eq!(alone.code, 0, "{model}: {}", alone.err);
        let flags = chosen(alone.err.lines().last().unwrap());
        let words: Vec<&str> = flags.split(' ').collect();
        assert_eq!(words[1], method, "{flags}");
        assert!(steps.contains(&words[3].parse::<f64>().unwrap()), "{flags}");
        assert!(alone.out.contains("\"believed\":true"), "{}", alone.out);
    }
}

/// The flags that a note says were chosen.
fn chosen(note: &str) -> String {
    let flags = note.strip_prefix("note: chosen for this model: ").unwrap_or_else(|| panic!("{note}"));
    flags.trim_end().to_owned()
}

#[test]
fn a_model_alone_is_run_by_its_own_method_and_times() {
    for model in ["spring-pendulum", "chain", "bead", "cart"] {
        let alone = run(&format!("run {model} --format json"));
        assert_eq!(alone.code, 0, "{model}: {}", alone.err);
        let flags = chosen(alone.err.lines().next().unwrap());
        // The note is a command line for the same run.
        let same = run(&format!("run {model} {flags} --format json"));
        let state = |text: &str| {
            let value: serde_json::Value = serde_json::from_str(text).unwrap();
            (value["q"].clone(), value["steps"].clone(), value["method"].clone())
        };
        assert_eq!((same.code, state(&same.out)), (0, state(&alone.out)), "{model}");
        let (_, steps, method) = state(&alone.out);
        assert!(steps.as_u64().unwrap() >= 1_900, "{model}: {steps}");
        // The method is one that a description says to take.
        let described = run(&format!("describe {model} --format json")).json();
        let advised = described["take"].to_string();
        assert!(advised.contains(method.as_str().unwrap()), "{model}: {method}, {advised}");
    }
}

#[test]
fn a_parameter_file_has_the_settings_of_a_run_and_the_line_wins() {
    let directory = Directory::new();
    let file = directory.file(
        "run.toml",
        "[model]\nlinks = 2\n[run]\nmethod = \"shake\"\nstep = 0.01\nuntil = 0.2\nevery = 5\n",
    );
    let outcome = run(&format!("run chain --params {file} --format json")).json();
    assert_eq!((&outcome["method"], &outcome["steps"]), (&"shake".into(), &20.into()));
    let partly = directory.file("partly.toml", "[run]\nmethod = \"shake\"\nstep = 0.01\n");
    let outcome = run(&format!("run chain --params {partly} --format json"));
    assert!(chosen(&outcome.err).starts_with("--until "), "{}", outcome.err);
    let outcome = run(&format!("run chain --params {file} --step 0.02 --format json")).json();
    assert_eq!((&outcome["method"], &outcome["steps"]), (&"shake".into(), &10.into()));
    let out = directory.path("rows.csv");
    run(&format!("run chain --params {file} --out {out} --format json")).json();
    assert_eq!(std::fs::read_to_string(&out).unwrap().lines().count(), 6);

    let wrong = |text: &str| {
        let file = directory.file("wrong.toml", text);
        let outcome = run(&format!("run chain --params {file}"));
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""));
        outcome.err.replace(&file, "FILE")
    };
    assert_eq!(
        wrong("[run]\nstepp = 0.1\n"),
        "error: FILE: unknown setting `run.stepp` (did you mean `step`?); there are: method, step, until, every\n"
    );
    assert_eq!(
        wrong("[run]\nstep = \"small\"\n"),
        "error: FILE: `run.step`: expected a number, not \"small\"\n"
    );
}

#[test]
fn a_quiet_run_says_nothing_and_a_verbose_one_its_size() {
    let quiet = run("-q run chain");
    assert_eq!((quiet.code, quiet.out.as_str(), quiet.err.as_str()), (0, "", ""));
    // Whatever is asked for is printed, and so are mistakes.
    assert_eq!(run("run chain --quiet --format json").json()["model"], "chain");
    assert!(run("-q run chian").err.starts_with("error: "));
    let verbose = run("run -v chain --method rattle --step 0.1 --until 1");
    let note = "note: 6 degrees of freedom, 3 constraint equations, 10 steps of rattle; set up in ";
    assert!(verbose.err.starts_with(note), "{}", verbose.err);
}

#[test]
fn shells_and_manuals_know_the_command() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let completions = run(&format!("completions {shell}"));
        assert_eq!((completions.code, completions.err.as_str()), (0, ""));
        assert!(completions.out.contains("checkpoint-every"), "{shell}: {}", completions.out);
    }
    let manual = run("man run");
    assert_eq!((manual.code, manual.err.as_str()), (0, ""));
    assert!(manual.out.contains(".TH") && manual.out.contains("\\-\\-checkpoint"), "{}", manual.out);
    assert!(run("man").out.contains("describe"));
    assert!(run("man rnu").err.contains("did you mean `run`?"), "{}", run("man rnu").err);
    assert!(run("help run").out.contains("--until <T>"));
}
