//! The watch of a run between its two mistakes: every method on every model with steps that resolve the
//! motion, and with steps that cannot.

use crate::inventory::{Inventory, Model};
use crate::process::{Directory, Ended, Outcome};
use serde_json::Value;

/// Steps that resolve the fastest motion of each model, and the motion of a penalty with omega = 50.
pub(crate) const STEPS: &[(&str, f64)] = &[
    ("double-pendulum", 2e-3),
    ("double-pendulum-angles", 5e-3),
    ("pendulums", 2e-3),
    ("chain", 1e-3),
    ("water", 5e-4),
    ("dna", 0.05),
    ("rigid-body", 2e-3),
    ("driven-pendulum", 1e-5),
    ("driven-pendulum-cartesian", 1e-5),
    ("driven-double-pendulum", 1e-5),
    ("oscillator", 1e-4),
    ("spring-pendulum", 1e-4),
    ("double-spring", 2e-3),
    ("kepler", 5e-3),
    ("kepler-polar", 5e-3),
    ("kepler-radial", 2e-3),
    ("argon", 1e-5),
    ("lennard-jones", 5e-3),
    ("liquid", 2e-3),
    ("copper", 2e-3),
    ("smoothed-drop", 5e-3),
    ("polymer", 1e-3),
    ("polymer-constrained", 1e-3),
    ("water-box", 2e-4),
    ("spring-chain", 0.05),
    ("spring-net", 0.05),
    ("cube", 1e-8),
    ("damped-double-pendulum", 2e-3),
    ("slider-crank", 1e-3),
    ("four-bar", 2e-3),
    ("four-bars", 2e-3),
    ("bricard", 2e-3),
    ("car-axis", 2e-4),
    ("fekete-points", 2e-3),
    ("chaplygin-sleigh", 5e-3),
    ("snakeboard", 5e-3),
    ("top", 1e-3),
    ("jointed-boxes", 1e-4),
    ("cart-double-pendulum", 1e-3),
    ("cart-pendulum", 2e-3),
];

/// Parameters of models whose defaults take long by methods that solve with their second derivatives.
const SMALLER: &[(&str, &[&str])] = &[
    ("water-box", &["molecules=8", "on=0.25", "cutoff=0.3", "waves=2"]),
    ("copper", &["atoms=32", "on=3.2", "cutoff=3.6"]),
    ("smoothed-drop", &["particles=40"]),
];

fn run(
    directory: &Directory,
    model: &Model,
    method: &str,
    options: &[String],
    step: f64,
    steps: u32,
) -> Outcome {
    let mut arguments = ["run", &model.name, "--method", method].map(str::to_owned).to_vec();
    let of_steps = [
        "--step".to_owned(),
        format!("{step:e}"),
        "--until".to_owned(),
        format!("{:e}", step * f64::from(steps)),
    ];
    arguments.extend(of_steps);
    let smaller = SMALLER.iter().find(|(name, _)| *name == model.name).map_or(&[][..], |(_, set)| set);
    arguments.extend(smaller.iter().flat_map(|set| ["--set".to_owned(), (*set).to_owned()]));
    arguments.extend(["--every", "1000", "--format", "json"].map(str::to_owned));
    // A stiff part has its own frequency, which the models with one have in common; a penalty has that
    // which is asked for. The atoms of water that is held so softly fall into each other.
    let is_stiff = (method == "projected-rk4" && !model.constrained) || model.name == "water-box";
    let omega = if is_stiff { "1000" } else { "50" };
    for (option, value) in [("omega", omega), ("grid", "0.01")] {
        if options.iter().any(|name| name == option) {
            arguments.extend(["--with".to_owned(), format!("{option}={value}")]);
        }
    }
    directory.run(&arguments)
}

/// The steps that are tried: fewer of large models, whose steps take longer.
fn steps(model: &Model) -> u32 {
    if model.dimension > 100 { 30 } else { 300 }
}

/// True for the runs that are too slow for a test: a dense algebra, and windows of a fast phase that a
/// short step does not need.
fn is_slow(model: &Model, method: &str) -> bool {
    (method == "bdf" && model.dimension > 50) || method.starts_with("hmm-")
}

#[test]
fn a_motion_that_is_resolved_is_believed() {
    let (inventory, directory) = (Inventory::read(), Directory::new());
    let (mut accused, mut believed) = (Vec::new(), 0);
    for model in &inventory.models {
        let &(_, step) = STEPS.iter().find(|(name, _)| *name == model.name).unwrap();
        for (method, options) in model.methods.iter().filter(|(method, _)| !is_slow(model, method)) {
            let outcome = run(&directory, model, method, options, step, steps(model));
            match outcome.ended {
                // A method may refuse the start of a model, or its potential, or say that it takes long;
                // then there is nothing to believe.
                Ended::Refused | Ended::Failed | Ended::LongTold => {}
                // A run may take long, and then says so; constraints that depend on each other are
                // named.
                _ if outcome
                    .err
                    .lines()
                    .all(|line| line.starts_with("note: ") || line.contains("depend on each other")) =>
                {
                    let said: Value = serde_json::from_str(&outcome.out).unwrap();
                    assert_eq!(said["verdict"]["believed"], true);
                    believed += 1;
                }
                _ => accused.push(format!("{} {method}: {}", model.name, outcome.err.trim())),
            }
        }
    }
    assert!(accused.is_empty(), "{}", accused.join("\n"));
    assert!(believed > 450, "{believed}");
}

/// A mass that adds many terms rounds momenta more coarsely than velocities: a correction beside the
/// tolerance was taken for one that does not end.
#[test]
fn steps_of_many_pendulums_end_at_rounding() {
    for more in [
        "--step 5e-3 --until 10",
        "--step 4e-3 --until 10",
        "--step 1e-2 --until 10",
        "--set links=15 --step 5e-4 --until 4",
        "--set links=100 --step 5e-4 --until 0.5",
        "--set links=15 --step 5e-4 --until 1 --with order=4",
    ] {
        let line = format!("run pendulums --method variational-midpoint {more} --every 1000");
        let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let outcome = Directory::new().run(&arguments);
        assert_eq!(outcome.ended, Ended::Well, "{line}: {}", outcome.err);
    }
}

/// Of one method the windows take long, however near the end is.
#[test]
fn a_comparison_that_takes_long_says_so() {
    let line = "bench driven-pendulum --method hmm-synchronous --until 1e-300 --halvings 12";
    let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let Outcome { ended, err, .. } = Directory::new().run(&arguments);
    assert_eq!(ended, Ended::LongTold, "{err}");
    assert!(
        err.starts_with("note: after 5 s hmm-synchronous with step ") && err.lines().count() == 1,
        "{err}"
    );
}

/// A method of fixed steps has no tolerance that would let it take fewer.
#[test]
fn a_run_that_is_seldom_observed_says_how_to_hear_of_it() {
    let run = |more: &str| {
        let line = format!("run kepler --until 1e9 --every 1000000000 {more}");
        let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let Outcome { ended, err, .. } = Directory::new().run(&arguments);
        assert_eq!((ended, err.lines().count()), (Ended::LongTold, 1), "{err}");
        err
    };
    let fixed = run("--method verlet --step 1e-3");
    assert!(fixed.contains("a smaller --every tells sooner how long they take"), "{fixed}");
    let adaptive = run("--method reference --step 1e4");
    assert!(adaptive.contains("takes fewer with a looser tolerance"), "{adaptive}");
}

#[test]
fn a_step_ten_times_too_long_is_never_silent() {
    let (inventory, directory) = (Inventory::read(), Directory::new());
    let (mut silent, mut told) = (Vec::new(), 0);
    for model in &inventory.models {
        let of = |method: &str| model.methods.iter().find(|(name, _)| name == method);
        let Some((_, options)) = of("verlet") else { continue };
        // The command knows the longest step of Verlet.
        let said = run(&directory, model, "verlet", options, 100.0, 1).err;
        let limit =
            said.split("take a step below ").nth(1).and_then(|rest| rest.split([' ', ',', ';', '\n']).next());
        let Some(limit) = limit.and_then(|limit| limit.parse::<f64>().ok()) else { continue };
        for method in
            ["verlet", "variational-euler", "variational-trapezoid", "zhang-skeel-euler", "newmark-linear-a"]
        {
            let Some((_, options)) = of(method) else { continue };
            let outcome = run(&directory, model, method, options, 10.0 * limit, steps(model));
            // A run that has said that it takes long, and was ended, has no verdict.
            if outcome.ended == Ended::LongTold {
                continue;
            }
            let verdict: Value = serde_json::from_str(&outcome.out).unwrap_or_default();
            let explicit = !matches!(method, "zhang-skeel-euler" | "newmark-linear-a");
            if outcome.ended == Ended::Failed || verdict["verdict"]["believed"] == false {
                told += 1;
            } else if explicit {
                silent.push(format!("{} {method} {:e}: {}", model.name, 10.0 * limit, verdict["verdict"]));
            }
        }
    }
    assert!(silent.is_empty(), "{}", silent.join("\n"));
    assert!(told > 40, "{told}");
}
