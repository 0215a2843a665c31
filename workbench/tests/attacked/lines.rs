//! Random command lines: mostly words that belong together, with some that do not.

use crate::inventory::{Inventory, Model};
use crate::process::{Directory, Ended, typed};
use crate::random::Random;

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "-1",
    "0.5",
    "1e-3",
    "0.01",
    "1e-300",
    "5e-324",
    "1e308",
    "-1e308",
    "1e400",
    "-0.0",
    "nan",
    "inf",
    "-inf",
    "NaN",
    "1e",
    "1,5",
    "0x10",
    "١",
    "",
    " ",
    "1e-17",
    "18446744073709551616",
    "4294967296",
    "9007199254740993",
    "true",
    "null",
    "[1,2]",
    "[]",
    "{}",
    "\"a\"",
    "1_000",
    "+1",
    ".5",
    "100",
    "17",
];
const WORDS: &[&str] = &[
    "",
    "-",
    "--",
    "=",
    "x=",
    "=1",
    "a=b=c",
    "🦀",
    "\u{1b}[31m",
    "..",
    "/",
    "nothing.json",
    "a\nb",
    "--help",
    "--version",
    "--format",
    "json",
    "text",
    "latex",
    "yaml",
    "--plot",
    "x.svg",
    "x.png",
    "/nowhere/x.svg",
    "--out",
    "x.csv",
    "x.json",
    "x.parquet",
    "x.exe",
    ".",
    "--every",
    "--seed",
    "-1",
    "--observe",
    "all",
    "energy",
    "enrgy",
    "power,energy_balance",
    "momentum_x_balance",
    "temperature,pressure,virial",
    "mean_square_displacement,radial_distribution",
    "--boltzmann",
    "--radial",
    "--reach",
    "--bins",
    "1000000000000",
    "--observe-window",
    "--penalty",
    "--what",
    "gradient,hessian",
    "third",
    "--direction",
    "direction.json",
    "--start",
    "start.json",
    "bad.json",
    "--params",
    "params.json",
    "params.toml",
    "--with",
    "--set",
    "omega=10",
    "beta=0.25",
];

fn model<'i>(inventory: &'i Inventory, random: &mut Random) -> Option<&'i Model> {
    random.of_slice(&inventory.models)
}

/// `name=value` for one of the names, or nearly.
fn assignment(names: &[String], random: &mut Random) -> String {
    let mut name = random.of_slice(names).cloned().unwrap_or_else(|| "x".to_owned());
    if random.is(0.1) {
        name.pop();
    }
    format!("{name}={}", random.word(NUMBERS))
}

fn files(inventory: &Inventory, random: &mut Random, directory: &Directory) {
    let n = model(inventory, random).map_or(1, |model| model.dimension);
    let numbers = |random: &mut Random| {
        let numbers: Vec<String> =
            (0..n).map(|_| (random.sign() * random.power(-3.0, 3.0)).to_string()).collect();
        format!("[{}]", numbers.join(","))
    };
    directory.write("start.json", &format!(r#"{{"t":0,"q":{},"v":{}}}"#, numbers(random), numbers(random)));
    directory.write("direction.json", &numbers(random));
    directory.write(
        "bad.json",
        random.word(&[
            "",
            "{",
            "[]",
            "null",
            r#"{"q":[1e999],"v":[]}"#,
            "\u{0}",
            r#"{"q":[1],"v":[1],"w":[]}"#,
        ]),
    );
    directory.write(
        "params.json",
        random.word(&[r#"{"model":{"mass":2}}"#, r#"{"method":{"omega":3}}"#, r#"{"modle":{}}"#, "[]"]),
    );
    directory.write("params.toml", random.word(&["[model]\nmass = 2", "[method]\nbeta = 0.25", "mass", ""]));
}

fn line(inventory: &Inventory, random: &mut Random) -> Vec<String> {
    // `reproduce` takes minutes by design, and `bench` until everything is measured: only their mistakes
    // are tried.
    let command = random.word(&[
        "run",
        "run",
        "run",
        "run",
        "eval",
        "eval",
        "describe",
        "project",
        "models",
        "expand",
        "bench",
        "reproduce",
        "rnu",
    ]);
    let Some(model) = model(inventory, random) else { return Vec::new() };
    let (method, options) = random.of_slice(&model.methods).cloned().unwrap_or_default();
    let mut line = vec![command.to_owned()];
    match command {
        "models" => {}
        "reproduce" => line.push(format!("{}?", model.name)),
        _ => line.push(model.name.clone()),
    }
    let mut flag = |flag: &str, value: String| line.extend([flag.to_owned(), value]);
    match command {
        "run" => {
            flag("--method", method);
            flag("--step", if random.is(0.7) { "0.01".to_owned() } else { random.word(NUMBERS).to_owned() });
            flag("--until", if random.is(0.7) { "0.05".to_owned() } else { random.word(NUMBERS).to_owned() });
        }
        "bench" => {
            flag("--method", method);
            flag("--until", random.word(&["-1", "nan", "0", "inf", "1e-300"]).to_owned());
        }
        _ => {}
    }
    if command != "models" {
        while random.is(0.4) {
            flag("--set", assignment(&model.parameters, random));
        }
    }
    if command == "run" || command == "project" {
        while random.is(0.4) {
            flag("--with", assignment(&options, random));
        }
    }
    while random.is(0.45) {
        line.push(random.word(WORDS).to_owned());
    }
    while random.is(0.08) && !line.is_empty() {
        let place = random.below(line.len());
        match random.below(3) {
            0 => drop(line.remove(place)),
            1 => line.swap(place, 0),
            _ => line.push(line[place].clone()),
        }
    }
    line
}

/// Tries one command line.
pub(crate) fn attempt(
    inventory: &Inventory,
    random: &mut Random,
    directory: &Directory,
) -> (Ended, Option<String>) {
    files(inventory, random, directory);
    let arguments = line(inventory, random);
    let outcome = directory.run(&arguments);
    let bad = matches!(outcome.ended, Ended::Broken | Ended::LongSilent);
    let objection =
        bad.then(|| format!("{:?}: {}\n    {}", outcome.ended, typed(&arguments), outcome.err.trim()));
    (outcome.ended, objection)
}
