//! Sources of tests: the examples of the documents, and a model of every kind.

#[path = "kinds.rs"]
mod kinds;

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

/// The documents whose examples are run.
const DOCUMENTS: [&str; 3] = ["language", "running", "viewing"];

fn main() -> Result<(), Box<dyn Error>> {
    DOCUMENTS.into_iter().try_for_each(examples)?;
    models_of_every_kind()
}

/// Writes a call of `kinds!` with the name and the declaration of every kind.
fn models_of_every_kind() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=kinds.rs");
    let mut calls = String::from("kinds! {\n");
    for (number, kind) in kinds::all().iter().enumerate() {
        writeln!(calls, "    {number} kind_{number} {:?} {{\n{}    }}", kind.name(), kind.declaration())?;
    }
    calls.push_str("}\n");
    std::fs::write(Path::new(&std::env::var("OUT_DIR")?).join("kinds.rs"), calls)?;
    Ok(())
}

/// Writes the examples of a document.
fn examples(name: &str) -> Result<(), Box<dyn Error>> {
    let document =
        Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("../docs").join(name).with_extension("md");
    println!("cargo::rerun-if-changed={}", document.display());
    let mut modules = String::new();
    let mut heading = String::new();
    let mut lines = std::fs::read_to_string(document)?
        .lines()
        .map(str::to_owned)
        .enumerate()
        .collect::<Vec<_>>()
        .into_iter();
    while let Some((number, line)) = lines.next() {
        if let Some(text) = line.strip_prefix('#') {
            text.trim_start_matches('#').trim().clone_into(&mut heading);
        }
        if line != "```rust" {
            continue;
        }
        let example: Vec<String> =
            lines.by_ref().map(|(_, line)| line).take_while(|line| line != "```").collect();
        // A name that leads back to the document, in failures and in what rustc says.
        writeln!(modules, "/// {heading}\nmod line_{} {{\n    use least_action::prelude::*;\n", number + 1)?;
        for line in &example {
            writeln!(modules, "    {line}")?;
        }
        let runs = example.iter().any(|line| line.starts_with("fn main()"));
        if runs {
            writeln!(
                modules,
                "\n    #[test]\n    fn holds() -> Result<(), Box<dyn std::error::Error>> {{\n        main()\n    }}"
            )?;
        }
        writeln!(modules, "}}\n")?;
    }
    let out = std::env::var("OUT_DIR")?;
    std::fs::write(Path::new(&out).join(name).with_extension("rs"), modules)?;
    Ok(())
}
