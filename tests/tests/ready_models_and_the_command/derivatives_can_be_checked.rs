//! `eval --check` finds nothing in the ready models, and finds what is wrong.

use integrator_core::check::{check, nearby};
use integrator_core::prelude::*;
use least_action_tests::command::{json, run};

#[test]
fn ready_models_pass() {
    let listed = json("models --format json");
    for model in listed["models"].as_array().expect("models") {
        let name = model["name"].as_str().expect("a name");
        let report = json(&format!("eval {name} --check"));
        assert_eq!(report["agrees"], true, "{name}");
        let points = report["points"].as_array().expect("points");
        assert!(points.len() >= 2, "{name}");
        for point in points {
            for quantity in point["comparisons"].as_array().expect("comparisons") {
                assert!(quantity["agrees"] == true, "{name}: {quantity}");
                assert!(quantity["finite"]["agrees"].as_bool().unwrap_or(true), "{name}: {quantity}");
            }
        }
    }
}

/// Nodes of the cube that are about to touch the wall have a kink within the first steps of differences, and thin tetrahedra
/// fold within them.
#[test]
fn differences_step_under_a_wall() {
    for seed in 7..10 {
        let report = json(&format!("eval cube --check --set cells=1 --seed {seed}"));
        assert_eq!(report["agrees"], true, "{seed}: {}", report["disagrees"]);
    }
}

#[test]
fn what_cannot_go_together_is_refused() {
    assert_eq!(run("eval chain --check --penalty 3").code, 2);
    assert_eq!(run("eval chain --seed 3").code, 2);
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
    assert_eq!(gradient.worst.entry, "theta");
    assert!(gradient.finite.as_ref().is_some_and(|finite| finite.agrees), "kernels agree with themselves");
}
