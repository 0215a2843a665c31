//! `eval --check` finds nothing in the ready models, and finds what is wrong.

use least_action::advanced::check::{check, nearby};
use least_action::prelude::*;
use least_action_tests::command::{json, run};

#[test]
#[cfg_attr(debug_assertions, ignore = "long without optimization: `cargo thorough` runs it")]
fn ready_models_pass() {
    let listed = json("models --format json");
    for model in listed["models"].as_array().expect("models") {
        let name = model["name"].as_str().expect("a name");
        // Of many molecules each point takes seconds.
        let smaller = match name {
            "water-box" => "--set molecules=8 --set on=0.25 --set cutoff=0.3 --set waves=2",
            _ => "",
        };
        let report = json(&format!("eval {name} --check {smaller} --format json"));
        assert_eq!(report["agrees"], true, "{name}");
        let points = report["points"].as_array().expect("points");
        assert!(points.len() >= 2, "{name}");
        for point in points {
            for quantity in point["comparisons"].as_array().expect("comparisons") {
                assert!(quantity["agrees"] == true, "{name}: {quantity}");
            }
        }
    }
}

/// With a penalty the derivatives are those of the system that the methods see.
#[test]
#[cfg_attr(debug_assertions, ignore = "long without optimization: `cargo thorough` runs it")]
fn penalized_models_pass() {
    for model in ["chain", "double-pendulum", "water", "rigid-body"] {
        let report = json(&format!("eval {model} --check --penalty 30 --format json"));
        assert_eq!((&report["agrees"], &report["penalty"]), (&true.into(), &30.0.into()), "{model}");
        let comparisons = report["points"][0]["comparisons"].as_array().expect("comparisons");
        let names: Vec<&str> =
            comparisons.iter().map(|one| one["quantity"].as_str().expect("a name")).collect();
        assert!(names.contains(&"Hessian of the stiff part") && !names.contains(&"constraints"), "{names:?}");
        // The penalty alone makes the potential of these near their constraints so stiff.
        let plain = json(&format!("eval {model} --check --format json"));
        assert_ne!(plain["points"][1]["comparisons"], report["points"][1]["comparisons"]);
    }
}

/// A sum compares all entries of a large model: the time follows its elements.
#[test]
#[cfg_attr(debug_assertions, ignore = "long without optimization: `cargo thorough` runs it")]
fn large_models_are_checked_as_a_whole() {
    for model in [
        "chain --set links=2000",
        "spring-net --set rows=40 --set columns=40",
        "lennard-jones --set atoms=130",
    ] {
        let report = json(&format!("eval {model} --check --format json"));
        assert_eq!(report["agrees"], true, "{model}: {}", report["disagrees"]);
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "long without optimization: `cargo thorough` runs it")]
fn second_derivatives_that_are_not_afforded_are_left_out_and_told() {
    let report = json("eval copper --set atoms=1218 --check --format json");
    assert_eq!(report["agrees"], true, "{}", report["disagrees"]);
    assert!(
        report["left_out"].as_str().is_some_and(|reason| reason.contains("4000000")),
        "{}",
        report["left_out"]
    );
    let comparisons = report["points"][0]["comparisons"].as_array().expect("comparisons");
    let has = |quantity: &str| comparisons.iter().any(|one| one["quantity"] == quantity);
    assert!(has("Hess V · a") && !has("Hessian of V"));
}

/// The parameters of ready models that are numbers of bodies.
const COUNTS: [&str; 11] = [
    "links",
    "molecules",
    "pairs",
    "atoms",
    "beads",
    "rows",
    "cells",
    "windows",
    "points",
    "boxes",
    "particles",
];

/// Every ready model that has a size, at ten times as many coordinates or more; without optimization in a
/// longer time.
#[test]
#[ignore = "long: some minutes"]
fn ten_times_larger_models_are_checked_in_twenty_seconds() {
    let listed = json("models --format json");
    for model in listed["models"].as_array().expect("models") {
        let name = model["name"].as_str().expect("a name");
        // The refusal of a parameter that no model has names those that this one has.
        let refusal = run(&format!("describe {name} --set no-such-parameter=1")).err;
        let parameters = refusal.split("its parameters are: ").nth(1).unwrap_or_default();
        let Some(count) = parameters.trim().split(", ").find(|parameter| COUNTS.contains(parameter)) else {
            continue;
        };
        // What has no room for its cutoff is refused.
        let dimension = |size: usize| {
            let evaluated = run(&format!("eval {name} --set {count}={size} --what gradient --format json"));
            let evaluated: serde_json::Value = serde_json::from_str(&evaluated.out).ok()?;
            evaluated["gradient"].as_array().map(|gradient| gradient.len() as u64)
        };
        let wanted = 10 * model["dimension"].as_u64().expect("a dimension");
        let sizes = (4..80).map(|k| 2_f64.powf(0.25 * f64::from(k)).ceil() as usize);
        let size = sizes.into_iter().find(|size| dimension(*size) >= Some(wanted)).expect("a size");
        let clock = std::time::Instant::now();
        let report = json(&format!("eval {name} --set {count}={size} --check --format json"));
        let seconds = clock.elapsed().as_secs_f64();
        println!("{name} {count}={size}: {seconds:.2} s");
        assert_eq!(report["agrees"], true, "{name}: {}", report["disagrees"]);
        assert!(cfg!(debug_assertions) || seconds < 20.0, "{name}: {seconds} s");
    }
}

#[test]
fn what_cannot_go_together_is_refused() {
    assert_eq!(run("eval kepler --check --penalty 3 --format json").code, 2);
    assert_eq!(run("eval chain --check --penalty -3 --format json").code, 2);
    assert_eq!(run("eval chain --check --what energy --format json").code, 2);
    assert_eq!(run("eval chain --seed 3 --format json").code, 2);
}

/// A pendulum whose length the kernels see once, at binding, and dual numbers at every call.
struct Fickle {
    calls: std::sync::atomic::AtomicU32,
}

impl Fickle {
    fn rod(&self) -> f64 {
        let calls = self.calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        if calls < 4 { 1.0 } else { 1.001 }
    }
}

#[lagrangian]
impl Fickle {
    fn lagrangian(&self, theta: Angle) -> Scalar {
        0.5 * der(theta).powi(2) + self.rod() * theta.cos()
    }
}

#[test]
fn a_wrong_kernel_is_found_and_named() {
    let model = Fickle { calls: std::sync::atomic::AtomicU32::new(0) };
    let system = model.bind().expect("a system");
    model.calls.store(4, std::sync::atomic::Ordering::Relaxed);
    let state = nearby(system.layout(), &State { t: 0.0, q: vec![0.5], v: vec![0.1] }, 3);
    let report = check(&model, &system, &state, 1);
    let wrong: Vec<&str> = report.iter().filter(|one| !one.agrees).map(|one| one.quantity).collect();
    assert!(wrong.contains(&"gradient of V") && wrong.contains(&"a · V‴ · a"), "{wrong:?}");
    assert!(!wrong.contains(&"mass"), "{wrong:?}");
    let gradient = report.iter().find(|one| one.quantity == "gradient of V").expect("a gradient");
    assert_eq!(gradient.entry, "theta");
}
