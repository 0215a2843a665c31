//! Runs that are stopped and gone on with, beside runs that are not: the same bytes.

use crate::inventory::{Inventory, Model};
use crate::ordinary::STEPS;
use crate::process::{Directory, Ended, Outcome};
use crate::random::Random;
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The common part of two runs: all but their times.
fn told(outcome: &Outcome) -> Value {
    let mut told: Value = serde_json::from_str(&outcome.out).unwrap_or(Value::Null);
    if let Value::Object(fields) = &mut told {
        fields.retain(|name, _| !name.ends_with("seconds"));
    }
    told
}

/// A command line of a run of so many steps, in words.
fn line(model: &Model, (method, options): (&str, &[String]), step: f64, steps: u32) -> Vec<String> {
    let (name, until) = (&model.name, step * f64::from(steps));
    let mut line =
        format!("run {name} --method {method} --step {step:e} --until {until:e} --every 7 --format json");
    let is_stiff = method == "projected-rk4" && !model.constrained || model.name == "water-box";
    for (option, value) in [("omega", if is_stiff { "1000" } else { "50" }), ("grid", "0.01")] {
        if options.iter().any(|name| name == option) {
            line.push_str(&format!(" --with {option}={value}"));
        }
    }
    words(&line)
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// The steps of a run that is stopped, and of one that is not.
const STOPPED: u32 = 23;
const WHOLE: u32 = 40;

/// Compares a run that is stopped and gone on with to one that is not; none where the method refuses the
/// model, or fails on it.
fn compare(directory: &Directory, model: &Model, method: (&str, &[String]), further: &str) -> Option<bool> {
    let &(_, step) = STEPS.iter().find(|(name, _)| *name == model.name)?;
    // A window of a fast phase is many of its periods.
    let step = if method.0.starts_with("hmm-") { 2000.0 * step } else { step };
    let with = |steps, more: &str| {
        let mut line = line(model, method, step, steps);
        line.extend(words(further));
        line.extend(words(more));
        line
    };
    let whole = directory.run(&with(WHOLE, "--out whole.csv"));
    let saved = "--out gone-on.csv --checkpoint saved --checkpoint-every 9";
    directory.remove("saved");
    let stopped = directory.run(&with(STOPPED, saved));
    if [&whole, &stopped].iter().any(|run| !matches!(run.ended, Ended::Well | Ended::Warned)) {
        return None;
    }
    let until = step * f64::from(WHOLE);
    let gone_on = directory.run(&words(&format!("resume saved --until {until:e} --format json")));
    let same = told(&whole) == told(&gone_on) && directory.read("whole.csv") == directory.read("gone-on.csv");
    Some(same)
}

/// Of each method one model at least: the smallest that it runs on.
#[test]
fn every_method_goes_on_as_if_it_had_not_been_stopped() {
    let (inventory, directory) = (Inventory::read(), Directory::new());
    let mut models: Vec<&Model> = inventory.models.iter().collect();
    models.sort_by_key(|model| model.dimension);
    let mut open: BTreeSet<&str> =
        inventory.models.iter().flat_map(|model| model.methods.iter().map(|(name, _)| &**name)).collect();
    let mut compared = 0;
    for model in models {
        for (method, options) in &model.methods {
            if open.contains(&**method)
                && let Some(same) = compare(&directory, model, (method, options), "")
            {
                assert!(same, "{} {method}", model.name);
                open.remove(&**method);
                compared += 1;
            }
        }
    }
    assert!(open.is_empty() && compared > 25, "{open:?} never went on; {compared} did");
}

#[test]
#[ignore = "long: minutes: every method on every model, with a thermostat and of higher order"]
fn every_method_goes_on_with_every_model() {
    let (inventory, directory) = (Inventory::read(), Directory::new());
    let (mut others, mut compared) = (Vec::new(), 0);
    for model in &inventory.models {
        for (method, options) in &model.methods {
            let mut variants = vec![""];
            if options.iter().any(|name| name == "friction") {
                variants.push("--with friction=0.1 --seed 3");
            }
            if options.iter().any(|name| name == "order") {
                variants.push("--with order=4");
            }
            for further in variants {
                match compare(&directory, model, (method, options), further) {
                    Some(true) => compared += 1,
                    Some(false) => others.push(format!("{} {method} {further}", model.name)),
                    None => {}
                }
            }
        }
    }
    println!("{compared} runs went on as if they had not been stopped");
    assert!(others.is_empty() && compared > 250, "{compared}, and not {others:?}");
}

/// Observers go on, too: integrals, averages, displacements, and counts of pairs.
#[test]
fn observers_and_pictures_go_on() {
    let directory = Directory::new();
    for (run, output) in [
        (
            "liquid --method verlet --step 2e-3 --observe temperature,pressure,mean_square_displacement",
            "--radial",
        ),
        (
            "damped-double-pendulum --method variational-midpoint --step 2e-3 --observe all,energy_balance",
            "--plot",
        ),
        ("chain --method verlet --with omega=20 --step 2e-3 --observe-window 0.02", "--plot"),
    ] {
        let ending = "svg";
        let run = |until: &str, name: &str, more: &str| {
            let line = format!(
                "run {run} --until {until} --every 3 --format json --out {name}.csv {output} {name}.{ending} {more}"
            );
            directory.run(&words(&line))
        };
        let whole = run("0.2", "whole", "");
        directory.remove("saved");
        assert_eq!(run("0.1", "gone-on", "--checkpoint saved --checkpoint-every 7").ended, whole.ended);
        let gone_on = directory.run(&words("resume saved --until 0.2 --format json"));
        assert_eq!(told(&whole), told(&gone_on), "{}", gone_on.err);
        for ending in ["csv", ending] {
            let read = |name: &str| directory.read(&format!("{name}.{ending}")).unwrap();
            // The title of a picture has the command line.
            assert_eq!(read("whole").replace("whole", "gone-on"), read("gone-on"));
        }
    }
}

/// Kills a run at random moments, goes on with it until it ends, and compares its file with the file of
/// a run that was not killed.
fn killed(directory: &Directory, random: &mut Random, ending: &str) {
    let run = |name: &str| {
        words(&format!(
            "run chain --set links=6 --method rattle --step 1e-3 --until 20 --every 2 --out {name}.{ending}"
        ))
    };
    let read = |name: &str| directory.bytes(&format!("{name}.{ending}"));
    if read("whole").is_none() {
        assert_eq!(directory.run(&run("whole")).ended, Ended::Well);
    }
    directory.remove(&format!("killed.{ending}"));
    directory.remove("saved");
    let mut line = run("killed");
    line.extend(words(&format!("--checkpoint saved --checkpoint-every {}", [50, 500][random.below(2)])));
    // Killed this often, it may end.
    for last in [false, false, false, true] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_least-action"))
            .args(&line)
            .current_dir(directory.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        if last {
            assert!(child.wait().unwrap().success(), "{ending}");
            break;
        }
        std::thread::sleep(Duration::from_micros(random.below(100_000) as u64));
        let _ = child.kill();
        if child.wait().unwrap().success() {
            break;
        }
        // A run that was killed before it was saved begins anew.
        if directory.bytes("saved").is_some() {
            line = words("resume saved");
            if let (Some(left), "parquet") = (read("killed"), ending) {
                assert_eq!(&left[left.len() - 4..], b"PAR1", "a file of a run that was killed");
            }
        }
    }
    assert!(read("killed") == read("whole"), "{ending}");
    let names = std::fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = names.filter(|name| name.to_string_lossy().contains(".partial")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn runs_that_are_killed_end_with_the_same_files() {
    let (directory, mut random) = (Directory::new(), Random::of(1, 1));
    for ending in ["csv", "json", "parquet"] {
        (0..3).for_each(|_| killed(&directory, &mut random, ending));
    }
}

#[test]
#[ignore = "long: a minute: 100 moments for each format"]
fn runs_that_are_killed_at_100_moments_end_with_the_same_files() {
    let (directory, mut random) = (Directory::new(), Random::of(crate::new_seed(), 1));
    for ending in ["csv", "json", "parquet"] {
        (0..100).for_each(|_| killed(&directory, &mut random, ending));
    }
}

#[test]
fn what_cannot_be_gone_on_with_is_refused_in_one_line() {
    let directory = Directory::new();
    let run = "run chain --method rattle --step 1e-2 --until 1 --out path.csv --checkpoint saved --checkpoint-every 10";
    assert_eq!(directory.run(&words(run)).ended, Ended::Well);
    let (whole, path) = (directory.bytes("saved").unwrap(), directory.bytes("path.csv").unwrap());
    let refused = |words_of_error: &str, line: &str| {
        let outcome = directory.run(&words(line));
        assert_eq!(outcome.ended, Ended::Refused, "{}", outcome.err);
        assert!(outcome.err.contains(words_of_error), "{}", outcome.err);
        assert!(directory.bytes("path.csv").is_none_or(|left| left == path), "the file was touched");
        assert!(directory.bytes("path.csv.partial").is_none());
    };
    let begun = "run chain --method rattle --step 1e-2 --until 1";
    refused("--out names the same file", &format!("{begun} --out path.csv --checkpoint path.csv"));
    refused("nowhere", &format!("{begun} --checkpoint nowhere/saved"));
    refused("no regular file", &format!("{begun} --checkpoint ."));
    refused("cannot be read", "resume none");
    refused("is no checkpoint of a run", "resume path.csv");
    refused("are done already", "resume saved --until 0.5");
    for length in [30, whole.len() / 2, whole.len() - 1] {
        directory.write_bytes("saved", &whole[..length]);
        refused("damaged", "resume saved");
    }
    let mut flipped = whole.clone();
    flipped[whole.len() / 3] ^= 16;
    directory.write_bytes("saved", &flipped);
    refused("the one before it is saved.previous", "resume saved");
    directory.write_bytes("saved", &whole);
    directory.remove("path.csv");
    refused("needs its earlier rows", "resume saved --until 2");
    directory.write_bytes("path.csv", &path[..path.len() / 2]);
    let outcome = directory.run(&words("resume saved --until 2"));
    assert_eq!(outcome.ended, Ended::Refused, "{}", outcome.err);
    assert!(outcome.err.contains("its rows are no rows of the saved run"), "{}", outcome.err);
    assert_eq!(
        directory.run(&words("run chain --method rattle --step 1e-2 --until 1 --checkpoint-every 5x")).ended,
        Ended::Refused
    );
}

/// A run that is asked to end finishes its step, keeps its rows, and says how to go on.
#[cfg(unix)]
#[test]
fn a_run_that_is_asked_to_end_says_how_to_go_on() {
    let directory = Directory::new();
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        directory.remove("saved");
        let line = "run chain --method rattle --step 1e-4 --until 1e5 --every 100000 --out path.csv --checkpoint saved";
        let child = Command::new(env!("CARGO_BIN_EXE_least-action"))
            .args(words(line))
            .current_dir(directory.path())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(700));
        let number = child.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &number]).status().unwrap().success());
        let ended = child.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(code), "{err}");
        let said = format!("error: stopped by SIG{signal} at t = ");
        assert!(
            err.starts_with(&said) && err.trim_end().ends_with("`resume saved` goes on with it"),
            "{err}"
        );
        assert!(directory.bytes("path.csv").is_some() && directory.bytes("saved").is_some());
    }
}
