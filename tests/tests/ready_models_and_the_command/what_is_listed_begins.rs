//! The methods that `describe` lists and advises for a model, and that a refusal names, begin a run.
//!
//! `tests/registers` runs it again with optimization, and with the models that take long without it.

#![expect(clippy::expect_used, reason = "in a test file, helpers fail as tests do")]

use least_action_tests::command::{json, run};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Models of many points, and parameters of fewer.
const SMALLER: &[(&str, &str)] = &[
    ("liquid", " --set atoms=32 --set on=1.2 --set cutoff=1.6"),
    ("copper", " --set atoms=32 --set on=3.2 --set cutoff=3.6"),
    ("smoothed-drop", " --set particles=20"),
    ("water-box", " --set molecules=8 --set on=0.25 --set cutoff=0.3 --set waves=2"),
    ("cube", " --set cells=1"),
    ("polymer", ""),
    ("polymer-constrained", ""),
    ("water", " --set molecules=3"),
    ("dna", " --set pairs=20"),
    ("fekete-points", ""),
    ("jointed-boxes", ""),
];

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

/// A run of one step by a method that fits under a condition, with the options of that condition.
fn begins(model: &str, smaller: &str, method: &str, condition: &str) -> Result<(), String> {
    let step = match method {
        // A macro-step is longer than its window, and a coarse projection works no more than a step.
        "hmm-synchronous" | "hmm-asynchronous" => 0.0125,
        "projected-rk4" => 1e-4,
        _ => 1e-9,
    };
    let mut line =
        format!("run {model}{smaller} --method {method} --step {step} --until {step} --format json");
    // A grid whose vertices are off the start, where a motion from rest would slide along its faces.
    for (option, given) in [("omega", "omega=100"), ("grid", "grid=0.001 --with vertex=random")] {
        if condition.contains(&format!("--with {option}=")) {
            line += &format!(" --with {given}");
        }
    }
    if method == "projected-rk4" {
        line += " --with tolerance=1e-3";
    }
    let outcome = run(&line);
    if outcome.code == 0 { Ok(()) } else { Err(format!("{line}: {}", outcome.err)) }
}

/// The mistakes in the statements about a model.
fn objections(model: &str) -> Vec<String> {
    let smaller = SMALLER.iter().find(|(name, _)| *name == model).map_or("", |(_, smaller)| smaller);
    let report = json(&format!("describe {model}{smaller} --format json"));
    let (mut wrong, mut fitting) = (Vec::new(), BTreeSet::new());
    let mut refusing = None;
    for fit in report["methods"].as_array().expect("methods") {
        let method = text(fit, "method");
        if fit["fits"] == true {
            fitting.insert(method);
            wrong.extend(begins(model, smaller, method, text(fit, "note")).err());
        } else {
            refusing = Some(method);
        }
    }
    let advice = report["take"].as_array().expect("advice");
    if advice.is_empty() {
        wrong.push(format!("no advice on {model}"));
    }
    for one in advice {
        let method = text(one, "take").split('`').nth(1).expect("a method in backticks");
        if !fitting.contains(method) {
            wrong.push(format!("{method} is advised for {model}, which it does not fit"));
        }
    }
    // A refusal names the methods of the description.
    let line =
        format!("run {model}{smaller} --method {} --step 1 --until 1", refusing.expect("one does not fit"));
    let said = run(&line).err;
    if let Some((_, named)) = said.trim_end().rsplit_once("; methods that fit: ") {
        let named: BTreeSet<&str> = named.split(", ").collect();
        if named != fitting {
            wrong.push(format!("{line}: {named:?} instead of {fitting:?}"));
        }
    }
    wrong
}

#[test]
fn methods_that_are_listed_or_advised_begin() {
    let models = json("models --format json");
    let all: Vec<&str> =
        models["models"].as_array().expect("models").iter().map(|model| text(model, "name")).collect();
    let small = |name: &&str| !SMALLER.iter().any(|(large, _)| large == name);
    let models: Vec<&str> = all.into_iter().filter(|name| !cfg!(debug_assertions) || small(name)).collect();
    assert!(models.len() > 25, "{models:?}");
    let next = AtomicUsize::new(0);
    let work = || {
        let taken = std::iter::from_fn(|| models.get(next.fetch_add(1, Ordering::Relaxed)));
        taken.flat_map(|model| objections(model)).collect::<Vec<_>>()
    };
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no panic")).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// One row of Bricard's loop follows from the others: no reference can begin, and nobody names one.
#[test]
fn references_are_not_named_for_dependent_constraints() {
    let said = run("run bricard --method verlet --step 0.01 --until 1").err;
    assert!(
        said.ends_with("methods that fit: variational-euler, variational-midpoint, variational-trapezoid\n"),
        "{said}"
    );
    let report = json("describe bricard --format json");
    let why = report["methods"].as_array().expect("methods").iter().find(|fit| text(fit, "method") == "bdf");
    let why = text(why.expect("bdf"), "note");
    assert!(
        why.starts_with("it needs constraints that do not depend on each other, and at the start `"),
        "{why}"
    );
    // A four-bar has a way to lie in which none follows from the others.
    let report = json("describe four-bar --format json");
    let fits = report["methods"].as_array().expect("methods").iter().find(|fit| text(fit, "method") == "bdf");
    assert_eq!((&fits.expect("bdf")["fits"], fits.expect("bdf").get("note")), (&Value::Bool(true), None));
}

/// Joints are constraints, and nothing else is advised for bodies with joints.
#[test]
fn bodies_with_joints_are_for_rattle_alone() {
    let report = json("describe jointed-boxes --format json");
    let takes: Vec<&str> =
        report["take"].as_array().expect("advice").iter().map(|one| text(one, "take")).collect();
    assert_eq!(takes, ["`rattle`"]);
}

/// Of twenty-two methods that do not fit for one reason, the reason is said once.
#[test]
fn a_reason_is_said_once() {
    let said = run("describe snakeboard").out;
    let reason =
        ": it keeps no constraints on velocities, and this model declares `rolling` with #[nonholonomic]";
    assert_eq!(said.matches(reason).count(), 1, "{said}");
}

/// A linkage on its dead top has a frequency by rounding alone, and a chain of boxes at rest has none that
/// tells how it whips.
#[test]
fn models_whose_frequencies_tell_no_step_run_without_one() {
    let outcome = run("run four-bars");
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(!outcome.err.contains("warning"), "{}", outcome.err);
    let outcome = run("run jointed-boxes --until 0.2");
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(outcome.err.contains("--step 0.002"), "{}", outcome.err);
}
