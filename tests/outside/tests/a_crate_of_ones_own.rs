//! The crates of the book build outside of this workspace, as the pages print them, and work.
//!
//! The versions are those of this workspace's lock file, so that nothing is fetched.

use crate::workshop::{PROFILE, folder, program, root, target};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

/// The page with the crates.
const OWN_CRATE: &str = "docs/running/own-crate.md";

/// The blocks of code of a language in a file, in their order.
fn blocks(file: &str, language: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(file)).unwrap();
    let opening = format!("```{language}\n");
    let parts = text.split(&opening).skip(1);
    parts.map(|part| part.split("```").next().unwrap().to_owned()).collect()
}

/// Writes crates, builds them, and returns where their programs are.
///
/// They stand side by side in one workspace, so that cargo builds common dependencies once, and without
/// optimization: they run for a moment.
fn build(directory: &Path, crates: &[(&str, &str, &str)]) -> PathBuf {
    for &(name, manifest, program) in crates {
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{manifest}");
        assert!(manifest.contains("../least-action"), "{manifest}");
        let manifest = manifest.replace("../least-action", &root().display().to_string());
        let made = directory.join(name);
        fs::create_dir_all(made.join("src")).unwrap();
        fs::write(made.join("Cargo.toml"), manifest).unwrap();
        fs::write(made.join("src/main.rs"), program).unwrap();
    }
    let workspace = format!("{PROFILE}\n[workspace]\nresolver = \"3\"\nmembers = [\"*\"]\n");
    fs::write(directory.join("Cargo.toml"), workspace).unwrap();
    fs::copy(root().join("Cargo.lock"), directory.join("Cargo.lock")).unwrap();

    let mut cargo = program(env!("CARGO"), "build --workspace --offline --quiet", directory);
    cargo.env("CARGO_TARGET_DIR", target());
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "without warnings");
    target().join("debug")
}

fn run(directory: &Path, built: &Path, line: &str) -> Output {
    program(built, line, directory).output().unwrap()
}

/// The output of a command line that succeeds.
fn printed(directory: &Path, program: &Path, line: &str) -> String {
    let output = run(directory, program, line);
    assert_eq!(
        (output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()),
        (Some(0), ""),
        "{line}"
    );
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_crates_that_are_documented_build_outside_this_workspace_and_run() {
    let directory = folder("readme");
    let (manifests, programs) = (blocks(OWN_CRATE, "toml"), blocks(OWN_CRATE, "rust"));
    let vibrated = blocks("docs/choosing/vibrated.md", "rust");
    let pendulum = ("pendulum", manifests[0].as_str(), programs[0].as_str());
    let beads = ("beads", manifests[1].as_str(), programs[1].as_str());
    let like_the_first = manifests[0].replace("\"pendulum\"", "\"kapitza\"");
    let kapitza = ("kapitza", like_the_first.as_str(), vibrated[0].as_str());
    let built = build(&directory, &[pendulum, beads, kapitza]);
    a_vibrated_pendulum_stands_upright(&directory, &built.join("kapitza"), &vibrated[0]);
    a_program_simulates_a_model_of_its_own(&directory, &built.join("pendulum"));
    a_crate_gets_the_command_for_its_own_models(&directory, &built.join("beads"));
}

/// One dependency: a model and a run in a program.
fn a_program_simulates_a_model_of_its_own(directory: &Path, program: &Path) {
    let text = printed(directory, program, "");
    // A unit mass and the gradient of x² + y² − rod² at the start, as nalgebra prints matrices.
    let squeezed = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(squeezed.starts_with("M = ┌ ┐ │ 1 0 │ │ 0 1 │ └ ┘ G = ┌ ┐ │ 1 0 │ └ ┘ lowest: -0."), "{text}");
    let (_, rest) = text.split_once("lowest: ").unwrap();
    let (lowest, rest) = rest.split_once('\n').unwrap();
    let lowest: f64 = lowest.parse().unwrap();
    assert!((-0.5..-0.499).contains(&lowest), "it swings through the bottom: {lowest}");
    let (names, row) = rest.trim_end().split_once('\n').unwrap();
    let names: Vec<String> = serde_json::from_str(names).unwrap();
    let row: Vec<f64> = serde_json::from_str(row).unwrap();
    assert_eq!(names, ["t", "bob.x", "bob.y", "der.bob.x", "der.bob.y", "energy", "constraint_residual"]);
    let [t, x, y, vx, vy, energy, residual] = row[..] else { panic!("{row:?}") };
    assert!((t - 10.0).abs() < 1e-12 && residual < 1e-14);
    assert!((x.hypot(y) - 0.5).abs() < 1e-14 && (x * vx + y * vy).abs() < 1e-12);
    assert!((energy - (0.5 * (vx * vx + vy * vy) + 9.81 * y)).abs() < 1e-12);
    // Second order: the energy, zero at the start, errs by less than h² times the largest that occur.
    assert!(energy.abs() < 1e-2 && energy != 0.0);
}

/// Fewer than thirty lines: a model with a phase and a multiscale method.
fn a_vibrated_pendulum_stands_upright(directory: &Path, program: &Path, source: &str) {
    assert!(source.lines().count() < 30);
    let angles: Vec<f64> = serde_json::from_str(&printed(directory, program, "")).unwrap();
    assert_eq!(angles.len(), 161);
    // It swings about the upright position, which a pendulum at rest would leave.
    assert!(angles.iter().all(|q| q.abs() < 0.51) && angles.iter().any(|q| *q < -0.4), "{angles:?}");
}

/// Three dependencies: the whole command for a model of one's own.
fn a_crate_gets_the_command_for_its_own_models(directory: &Path, program: &Path) {
    let models = printed(directory, program, "models");
    assert!(
        models.contains("bead     2     1  EICV·F·SR\n    A bead on the wire y = curvature · x².\n"),
        "{models}"
    );

    let found: Value =
        serde_json::from_str(&printed(directory, program, "describe bead --format json")).unwrap();
    assert_eq!((found["dimension"].as_u64(), found["equations"].as_u64()), (Some(2), Some(1)));
    assert_eq!(found["constraints"][0]["name"], "wire");
    assert_eq!(found["structure"]["mass"]["kind"], "constant");

    // The command of the page, and its picture.
    let line = blocks(OWN_CRATE, "sh")
        .last()
        .unwrap()
        .trim()
        .strip_prefix("cargo run --release -- ")
        .unwrap()
        .to_owned();
    printed(directory, program, &line);
    let picture = fs::read_to_string(directory.join("bead.svg")).unwrap();
    assert!(
        picture.starts_with("<svg")
            && picture.contains("curvature=2")
            && picture.contains("Change of the energy")
    );

    let run_json = |method: &str| -> Vec<f64> {
        let line = format!("run bead --method {method} --step 0.001 --until 1 --every 1000 --format json");
        let result: Value = serde_json::from_str(&printed(directory, program, &line)).unwrap();
        result["q"].as_array().unwrap().iter().map(|entry| entry.as_f64().unwrap()).collect()
    };
    let (rattle, accurate) = (run_json("rattle"), run_json("reference"));
    let error = rattle.iter().zip(&accurate).fold(0.0, |error: f64, (a, b)| error.max((a - b).abs()));
    assert!(error > 0.0 && error < 1e-5, "{rattle:?} and {accurate:?}");

    let without = run(directory, program, "expand bead");
    assert_eq!((without.status.code(), without.stdout.as_slice()), (Some(2), b"".as_slice()));
    let said = String::from_utf8(without.stderr).unwrap();
    assert_eq!(
        said,
        "error: `expand` is left out of this program: give the package `least-action-command` the feature `expand`\n"
    );

    let wrong = run(directory, program, "run bead --method ratle --step 0.01 --until 1");
    assert_eq!((wrong.status.code(), wrong.stdout.as_slice()), (Some(2), b"".as_slice()));
    assert_eq!(
        String::from_utf8(wrong.stderr).unwrap(),
        "error: unknown method `ratle` (did you mean `rattle`?); there are: rattle, so3-cayley, verlet, zhang-skeel, \
         zhang-skeel-simplified, zhang-skeel-euler, zhang-skeel-stiff, newmark-linear-a, … (21 more)\n"
    );
}
