//! The examples of the last release, compiled by this compiler: a program of a user outlives an upgrade.
//!
//! The last release is the last tag `v…` behind the commit, or the commit itself before the first tag.
//! `RELEASE=COMMIT cargo test -p least-action-outside --test outside the_last_release` takes another
//! commit.

use crate::workshop::{PROFILE, folder, printed, program, root, target};
use std::fmt::Write as _;
use std::fs;

fn git(line: &str) -> String {
    printed(&mut program("git", line, root()))
}

fn last_release() -> Option<String> {
    if let Ok(named) = std::env::var("RELEASE") {
        return Some(named);
    }
    let output = program("git", "describe --tags --abbrev=0 --match v*", root()).output().ok()?;
    let tag = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Some(if output.status.success() { tag } else { "HEAD".to_owned() })
}

/// The blocks of Rust of a page, each a module.
fn modules(page: &str, text: &str) -> String {
    let mut modules = String::new();
    for (number, block) in text.split("\n```rust\n").skip(1).enumerate() {
        let example = block.split("\n```").next().unwrap();
        let _ = writeln!(
            modules,
            "/// {page}\nmod example_{number} {{\nuse least_action::prelude::*;\n{example}\n}}"
        );
    }
    modules
}

#[test]
fn examples_of_the_last_release_compile() {
    let Some(release) = last_release().filter(|_| root().join(".git").exists()) else {
        println!("there is no git here: the examples of the last release are left out");
        return;
    };
    let crate_of_examples = folder("last-release");
    fs::create_dir_all(crate_of_examples.join("src/bin")).unwrap();
    let listed = git(&format!("ls-tree -r --name-only {release} docs integrator-core/examples"));
    let mut library = String::from("#![allow(warnings)]\n");
    let mut found = 0;
    for (number, file) in listed.lines().enumerate() {
        let text = || git(&format!("show {release}:{file}"));
        if file.starts_with("docs/language") {
            let examples = modules(file, &text());
            found += examples.matches("\nmod example_").count();
            let _ = writeln!(library, "mod page_{number} {{\n{examples}\n}}");
        } else if let Some(example) = file.strip_prefix("integrator-core/examples/") {
            fs::write(crate_of_examples.join("src/bin").join(example), text()).unwrap();
        }
    }
    assert!(found > 30, "{release} has {found} examples of the language");

    let facade = root().join("integrator-core");
    let manifest = format!(
        "{PROFILE}\n[workspace]\n[package]\nname = \"last-release\"\nedition = \"2024\"\n\
         [dependencies]\nleast-action = {{ path = {facade:?} }}\n\
         serde = {{ version = \"1\", features = [\"derive\"] }}\nserde_json = \"1\"\n"
    );
    fs::write(crate_of_examples.join("Cargo.toml"), manifest).unwrap();
    fs::write(crate_of_examples.join("src/lib.rs"), library).unwrap();
    fs::copy(root().join("Cargo.lock"), crate_of_examples.join("Cargo.lock")).unwrap();
    let mut cargo = program(env!("CARGO"), "check --all-targets --offline --quiet", &crate_of_examples);
    printed(cargo.env("CARGO_TARGET_DIR", target()));
}
