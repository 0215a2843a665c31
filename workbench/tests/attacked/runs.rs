//! Absurd runs: steps of 10⁻³ … 10⁴, collisions, starts off the constraints under a penalty, huge and
//! tiny parameters.

use crate::energy;
use crate::inventory::{Inventory, Model};
use crate::process::{Directory, Ended, typed};
use crate::random::Random;
use serde_json::Value;

/// The largest error of the energy that may pass without a word.
const SILENT: f64 = 0.1;

/// A start near the model's own or far from it, at rest or not, some coordinates in one place.
fn start(model: &Model, random: &mut Random, directory: &Directory) {
    let far = random.power(-6.0, 2.0);
    let mut q: Vec<f64> = model.start.iter().map(|q| q + far * random.sign() * random.unit()).collect();
    if random.is(0.3) && q.len() > 3 {
        // A collision: two points in one place, or nearly.
        let (from, width) = (random.below(q.len() - 3), random.below(3) + 1);
        for k in 0..width {
            let other = (from + k + width) % q.len();
            q[other] = q[from + k] + if random.is(0.5) { 0.0 } else { 1e-9 };
        }
    }
    let fast = if random.is(0.4) { 0.0 } else { random.power(-6.0, 3.0) };
    let v: Vec<f64> = q.iter().map(|_| fast * random.sign() * random.unit()).collect();
    directory.write("start.json", &serde_json::json!({ "t": 0.0, "q": q, "v": v }).to_string());
}

/// The arguments of one run, and the arguments that `eval` shares.
fn arguments(
    model: &Model,
    random: &mut Random,
    directory: &Directory,
) -> (Vec<String>, Vec<String>, Option<f64>) {
    let (method, options) = random.of_slice(&model.methods).cloned().unwrap_or_default();
    let mut shared = vec![model.name.clone()];
    while random.is(0.35) {
        let parameter = random.of_slice(&model.parameters).cloned().unwrap_or_default();
        let value = match random.below(4) {
            0 => (random.below(5) + 1).to_string(),
            1 => random.word(&["1e300", "1e-300", "1e150", "1e-150", "0"]).to_owned(),
            _ => format!("{:e}", random.power(-8.0, 8.0)),
        };
        shared.extend(["--set".to_owned(), format!("{parameter}={value}")]);
    }
    let mut run = vec!["run".to_owned()];
    run.extend(shared.iter().cloned());
    run.extend(["--method".to_owned(), method.clone()]);
    let mut penalty = None;
    let needs = |option: &str| options.iter().any(|name| name == option);
    if needs("omega") {
        let omega = random.power(0.0, 4.0);
        // The projected method follows the constraints themselves; a body has a penalty that `eval` does
        // not know.
        penalty = (method != "projected-rk4" && model.constrained).then_some(omega);
        run.extend(["--with".to_owned(), format!("omega={omega:e}")]);
    }
    if needs("grid") {
        run.extend(["--with".to_owned(), format!("grid={:e}", random.power(-2.0, 1.0))]);
    }
    if random.is(0.3) {
        let option =
            random.word(&["beta=0.25", "beta=0", "beta=0.4", "order=4", "tolerance=1e-6", "friction=0.1"]);
        if needs(option.split('=').next().unwrap_or_default()) {
            run.extend(["--with".to_owned(), option.to_owned()]);
        }
    }
    let step = random.power(-3.0, 4.0);
    let steps = random.power(0.0, 2.5).round();
    run.extend([
        "--step".to_owned(),
        format!("{step:e}"),
        "--until".to_owned(),
        format!("{:e}", step * steps),
    ]);
    if random.is(0.4) {
        start(model, random, directory);
        run.extend(["--start".to_owned(), "start.json".to_owned()]);
    }
    (run, shared, penalty)
}

/// Tries one run.
pub(crate) fn attempt(
    inventory: &Inventory,
    random: &mut Random,
    directory: &Directory,
) -> (Ended, Option<String>) {
    let Some(model) = random.of_slice(&inventory.models) else { return (Ended::Broken, None) };
    let (mut run, shared, penalty) = arguments(model, random, directory);
    let line = typed(&run);
    run.extend(["--out", "run.json", "--format", "json"].map(str::to_owned));
    let outcome = directory.run(&run);
    // A start that is random is part of the line.
    let start = if line.contains("--start") {
        directory.read("start.json").unwrap_or_default()
    } else {
        String::new()
    };
    let object = |what: &str| Some(format!("{what}: {line} {start}\n    {}", outcome.err.trim()));
    let objection = match outcome.ended {
        Ended::Broken | Ended::LongSilent => object(&format!("{:?}", outcome.ended)),
        // A thermostat exchanges heat, and an averaged motion has another energy.
        Ended::Well if line.contains("hmm-") || line.contains("friction") => None,
        // `eval` does not know the penalty that holds a body to the rotations.
        Ended::Well if line.contains("so3-penalty") => None,
        Ended::Well => {
            let verdict: Value = serde_json::from_str(&outcome.out).unwrap_or_default();
            let tolerance = line.contains("tolerance=1e-6").then_some(1e-6);
            match energy::error(directory, &shared, penalty, tolerance, model.conservative) {
                Some(error) if error > SILENT => {
                    object(&format!("energy off by {error:.2e} (its own verdict {})", verdict["verdict"]))
                }
                _ if !outcome.out.contains("\"verdict\"") => object("no verdict"),
                _ => None,
            }
        }
        _ => None,
    };
    (outcome.ended, objection)
}
