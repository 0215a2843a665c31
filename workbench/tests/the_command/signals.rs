//! Models with signals: how they are given on the command line, and every mistake in them.

use crate::support::{Directory, Outcome};
use least_action::prelude::*;
use least_action_command::Workbench;

/// x″ = −x − x³ + u(t) on a base that moves.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Shaker {
    torque: Signal,
    base: Signal,
}

#[lagrangian]
impl Shaker {
    fn lagrangian(&self, x: Scalar, t: Time) -> Scalar {
        0.5 * der(x + table(t, &self.base)).powi(2) - 0.5 * x.powi(2) - 0.25 * x.powi(4)
    }

    #[force]
    fn motor(&self, torque: Input) -> Scalar {
        torque
    }
}

impl Start for Shaker {
    fn start(&self) -> State {
        State::new(vec![1.0], vec![0.5])
    }
}

fn run(arguments: &[&str]) -> Outcome {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let workbench = Workbench::new("bench").model::<Shaker>("shaker");
    let code = workbench.run(arguments.iter().copied(), &mut out, &mut err);
    Outcome { code, out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
}

const STEPS: [&str; 7] =
    ["run", "shaker", "--method", "variational-trapezoid", "--step", "0.10638297872340426", "--until"];
const TORQUE: &str = r#"torque={"times": [0, 0.37, 1.13, 1.71, 2.9, 3.33, 4.21, 5],
    "values": [1, -2, 0.5, 2, -1, 0, 1.5], "kind": "constant"}"#;

/// Runs with this parameter until this time.
fn run_with(parameter: &str, until: &str) -> Outcome {
    run(&[&STEPS[..], &[until, "--set", parameter]].concat())
}

/// The output of a run with this parameter at t = 5.
fn json(parameter: &str) -> serde_json::Value {
    run(&[&STEPS[..], &["5", "--format", "json", "--set", parameter]].concat()).json()
}

/// The message that refuses a parameter.
fn refused(parameter: &str) -> String {
    let outcome = run_with(parameter, "5");
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{parameter}: {}", outcome.err);
    assert_eq!(outcome.err.matches('\n').count(), 1, "{}", outcome.err);
    outcome.err
}

#[test]
fn a_signal_is_given_as_numbers_or_as_a_file() {
    // The state after 47 steps, computed by hand with the moments of the signal.
    let by_numbers = json(TORQUE);
    let state = |value: &serde_json::Value| {
        let entry = |name: &str| value[name][0].as_f64().unwrap();
        [entry("q"), entry("v")]
    };
    let [x, v] = state(&by_numbers);
    assert!((x + 1.398_214_194_252_926_7).abs() < 1e-12 && (v + 0.808_957_789_803_310_6).abs() < 1e-12);

    let directory = Directory::new();
    let text = "time torque\n0 1\n0.37 -2\n1.13 0.5 # back\n1.71 2\n2.9 -1\n3.33 0\n4.21 1.5\n5\n";
    let file = directory.file("torque.csv", text);
    let by_file = json(&format!(r#"torque={{"file": "{file}", "kind": "constant"}}"#));
    assert_eq!(state(&by_file).map(f64::to_bits), [x, v].map(f64::to_bits));
    assert_eq!(run_with("torque=0.5", "5").code, 0);
}

#[test]
fn mistakes_in_signals_are_one_line() {
    let cases = [
        (
            r#"torque={"times": [0, 2, 1], "values": [0, 0, 0]}"#,
            "the times of a signal must ascend, and time 3 is 1, after 2",
        ),
        (
            r#"torque={"times": [0, 1], "values": [0]}"#,
            "a signal with 2 times and a linear course has 2 values, and 1 are given",
        ),
        (r#"torque={"times": [], "values": []}"#, "needs at least two times, and has 0"),
        (r#"torque={"times": [0, 1]}"#, "a signal is one number, or `times` with `values`, or a `file`"),
        (r#"torque={"times": [0, 1], "values": [0, 1], "kind": "cubic"}"#, "unknown word `cubic`"),
        (r#"torque={"file": "/nowhere/torque.csv"}"#, "the signal file /nowhere/torque.csv cannot be read"),
        #[cfg(unix)]
        (
            r#"torque={"file": "/dev/zero"}"#,
            "/dev/zero cannot be read: it is no regular file; write its content",
        ),
        ("torque=torque.csv", r#"expected a signal: a number, or {"times""#),
        (
            r#"base={"times": [0, 1, 9], "values": [0, 1], "kind": "constant"}"#,
            "`self.base` jumps from value to value, and the model needs its slope",
        ),
    ];
    for (parameter, expected) in cases {
        let said = refused(parameter);
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn a_run_beyond_its_signals_is_refused_before_it_begins() {
    let outcome = run_with(TORQUE, "6");
    let end = outcome.err.trim_end();
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{end}");
    assert!(
        end.contains("the signal `torque` ends at t = 5: give it values until then, or end the run there"),
        "{end}"
    );
}

#[test]
fn kernels_with_signals_pass_the_check() {
    let outcome = run(&["eval", "shaker", "--check", "--set", TORQUE]);
    assert_eq!(outcome.code, 0, "{} {}", outcome.out, outcome.err);
    let described = run(&["describe", "shaker"]);
    assert!(described.out.contains("torque"), "{}", described.out);
}
