//! Sources of tests: the examples of the book, and a model of every kind.

#[path = "kinds.rs"]
mod kinds;

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    examples()?;
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

/// Writes a module for each page of the book with examples, and in it a module for each example.
fn examples() -> Result<(), Box<dyn Error>> {
    let book = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("../docs");
    println!("cargo::rerun-if-changed={}", book.display());
    let mut pages = Vec::new();
    collect(&book, "", &mut pages)?;
    pages.sort();
    let mut modules = String::new();
    for (name, file) in pages {
        let examples = examples_of(&std::fs::read_to_string(file)?)?;
        if !examples.is_empty() {
            write!(modules, "mod {name} {{\n{examples}}}\n\n")?;
        }
    }
    std::fs::write(Path::new(&std::env::var("OUT_DIR")?).join("examples.rs"), modules)?;
    Ok(())
}

/// Pages and folders whose programs have tests of their own.
const ELSEWHERE: [&str; 3] = ["start", "tutorial", "gallery"];

/// Collects the pages of a folder, each with the name of its module.
fn collect(folder: &Path, prefix: &str, pages: &mut Vec<(String, PathBuf)>) -> Result<(), Box<dyn Error>> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().replace('-', "_");
        if prefix.is_empty() && ELSEWHERE.contains(&stem.as_str()) {
            continue;
        }
        if path.is_dir() {
            collect(&path, &format!("{prefix}{stem}_"), pages)?;
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push((format!("{prefix}{stem}"), path));
        }
    }
    Ok(())
}

/// The modules of the examples of a page.
fn examples_of(page: &str) -> Result<String, Box<dyn Error>> {
    let mut modules = String::new();
    let mut heading = "";
    let mut lines = page.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        if let Some(text) = line.strip_prefix('#') {
            heading = text.trim_start_matches('#').trim();
        }
        if line != "```rust" {
            continue;
        }
        let example: Vec<&str> =
            lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
        // The name leads from failures and from messages of rustc back to the page.
        writeln!(modules, "/// {heading}\nmod line_{} {{\n    use least_action::prelude::*;\n", number + 1)?;
        for line in &example {
            writeln!(modules, "    {line}")?;
        }
        if example.iter().any(|line| line.starts_with("fn main() -> Result")) {
            writeln!(
                modules,
                "\n    #[test]\n    fn holds() -> Result<(), Box<dyn std::error::Error>> {{\n        main()\n    }}"
            )?;
        }
        writeln!(modules, "}}\n")?;
    }
    Ok(modules)
}
