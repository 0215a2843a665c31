//! Models that a file declares, in the place of a name.

use crate::support::{Directory, Outcome, ready};
use serde_json::Value;

fn model(file: &str) -> String {
    format!("{}/../models/src/{file}.rs", env!("CARGO_MANIFEST_DIR"))
}

/// A result without what names the model and its times of the clock.
fn plain(outcome: &Outcome) -> Value {
    let mut json: Value = serde_json::from_str(&outcome.out).unwrap();
    let fields = json.as_object_mut().unwrap();
    fields.retain(|name, _| name != "model" && !name.contains("seconds"));
    json
}

#[test]
fn a_file_runs_as_the_model_that_rustc_compiled() {
    // Points, angles, rows, velocities in rows, forces, a phase, near pairs, and a file that names others.
    for (name, file, rest) in [
        ("double-pendulum", "double_pendulum", "--until 0.3"),
        ("pendulums", "pendulums", "--until 0.1 --set links=4"),
        ("snakeboard", "snakeboard", "--until 0.1"),
        ("damped-double-pendulum", "damped_double_pendulum", "--until 0.3"),
        ("driven-pendulum", "driven_pendulum", "--until 0.1"),
        ("lennard-jones", "lennard_jones", "--until 0.1"),
        ("spring-net", "spring_net", "--until 0.1"),
    ] {
        let line = |model: &str| format!("run {model} {rest} --format json");
        let (compiled, carried) = (ready(&line(name)), ready(&line(&model(file))));
        assert_eq!(carried.code, 0, "{name}: {}", carried.err);
        assert_eq!(plain(&carried), plain(&compiled), "{name}");
    }
}

#[test]
fn gradients_of_a_file_are_those_of_the_compiled_model() {
    let line = |model: &str| {
        format!("gradient {model} --step 0.02 --until 0.3 --loss end:der.lower.x=1 --format json")
    };
    let (compiled, carried) = (ready(&line("double-pendulum")), ready(&line(&model("double_pendulum"))));
    assert_eq!(carried.code, compiled.code, "{}", carried.err);
    assert_eq!(plain(&carried), plain(&compiled));
}

const SPRING: &str = "use least_action::prelude::*;

/// A mass on a spring.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Spring {
    /// Stiffness, N/m.
    pub stiffness: f64,
}

impl Default for Spring {
    fn default() -> Self {
        Self { stiffness: 4.0 }
    }
}

#[lagrangian]
impl Spring {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * der(x).powi(2) - 0.5 * self.stiffness * x.powi(2)
    }
}

impl Start for Spring {
    fn start(&self) -> State {
        State::at_rest(vec![0.5])
    }
}
";

#[test]
fn mistakes_of_a_file_are_shown_in_its_lines() {
    let directory = Directory::new();
    let told = |text: String| {
        let path = directory.file("spring.rs", &text);
        let refused = ready(&format!("run {path}"));
        assert_eq!((refused.code, refused.out.as_str()), (2, ""));
        refused.err.replace(&path, "spring.rs")
    };
    assert_eq!(
        told(SPRING.replace("x.powi(2)\n", "y.powi(2)\n")),
        "error: cannot find value `y` in this scope
  --> spring.rs:20:55
   |
20 |         0.5 * der(x).powi(2) - 0.5 * self.stiffness * y.powi(2)
   |                                                       ^
"
    );
}

#[test]
fn a_file_without_a_start_rests_at_zero_and_is_fitted_from_there() {
    let directory = Directory::new();
    let still = SPRING
        .split("\nimpl Start")
        .next()
        .unwrap()
        .replace("0.5 * self.stiffness * x", "0.5 * self.stiffness * (x - 1.0)");
    let still = still.replace("#[lagrangian]", "#[lagrangian(sensitive(stiffness))]");
    let path = directory.file("spring.rs", &still);
    let recording = directory.path("swing.csv");
    let run = ready(&format!("run {path} --until 3 --step 0.01 --every 10 --out {recording}"));
    assert_eq!(run.code, 0, "{}", run.err);
    let fit = ready(&format!(
        "fit {path} --data {recording} --free stiffness --set stiffness=3 --step 0.01 --format json"
    ));
    assert_eq!(fit.code, 0, "{}", fit.err);
    let found: Value = serde_json::from_str(&fit.out).unwrap();
    let stiffness = found["estimates"][0]["value"].as_f64().unwrap_or_else(|| panic!("{found}"));
    assert!((stiffness - 4.0).abs() < 1e-6, "{stiffness}");
}

#[test]
fn points_of_a_picture_that_fail_are_told() {
    let directory = Directory::new();
    let look = "
    fn look(&self) -> Look {
        Look::new().points(\"bob\", |q, _| vec![Vector3::new(q[1], 0.0, 0.0)])
    }
}
";
    let own = SPRING.strip_suffix("}\n").unwrap();
    let path = directory.file("spring.rs", &format!("{own}{look}"));
    let refused = ready(&format!("run {path} --until 1 --view {}", directory.path("motion.html")));
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(refused.err.contains("index out of bounds: the len is 1 but the index is 1"), "{}", refused.err);
}

#[test]
fn a_file_is_checked_as_the_compiled_model() {
    // Points, rows, velocities in rows, forces, a stiff part, a penalty instead of rows.
    for (name, file, rest) in [
        ("kepler", "kepler", ""),
        ("snakeboard", "snakeboard", ""),
        ("damped-double-pendulum", "damped_double_pendulum", ""),
        ("oscillator", "oscillator", ""),
        ("double-pendulum", "double_pendulum", "--penalty 100"),
    ] {
        let path = model(file);
        let (compiled, carried) =
            (ready(&format!("eval {name} --check {rest}")), ready(&format!("eval {path} --check {rest}")));
        assert_eq!((carried.code, carried.err), (0, String::new()), "{name}");
        assert_eq!(carried.out.replace(&path, name), compiled.out, "{name}");
    }
}

#[test]
fn a_check_that_takes_too_long_is_told_at_its_place() {
    let directory = Directory::new();
    // Binding takes lists of neighbours; dual numbers test each of the 3.2 · 10⁸ pairs.
    let path = directory.file(
        "gas.rs",
        "#[lagrangian]
impl Gas {
    fn lagrangian(&self, points: [Vec3; 18_000]) -> Scalar {
        let kinetic = sum(0..18_000, |i| 0.5 * der(points[i]).norm_squared());
        kinetic - sum(within(1.0, &points), |(_, _, d)| (1.0 - d.norm_squared()).powi(3))
    }
}

impl Start for Gas {
    fn start(&self) -> State {
        State::at_rest((0..54_000).map(|k| f64::from(k)).collect())
    }
}
",
    );
    let refused = ready(&format!("eval {path} --check"));
    assert_eq!((refused.code, refused.out.as_str()), (2, ""));
    assert!(refused.err.contains("this takes too many operations"), "{}", refused.err);
    assert!(refused.err.contains("gas.rs:5:"), "{}", refused.err);
}

#[test]
fn parameters_of_a_file_are_its_fields() {
    let directory = Directory::new();
    let path = directory.file("spring.rs", SPRING);
    let described = ready(&format!("describe {path}"));
    assert!(described.out.contains("A mass on a spring."), "{}", described.out);
    assert!(described.out.contains("stiffness  4.0  Stiffness, N/m."), "{}", described.out);
    let softer = plain(&ready(&format!("run {path} --set stiffness=1 --until 1 --format json")));
    assert_eq!(softer["parameters"]["stiffness"], 1.0);
    let refused = ready(&format!("run {path} --set stifness=1"));
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("`stiffness`"), "{}", refused.err);
    let missing = ready("run nowhere.rs");
    assert_eq!((missing.code, missing.err.contains("nowhere.rs")), (2, true), "{}", missing.err);
}
