//! Declarations that the compiler accepts, given to rustc: what it still finds wrong is what the author wrote.

use super::change::Changes;
use super::{Outcome, declaration, outcome, soup};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How many accepted declarations are tried.
const COUNT: usize = 120;

/// A crate with a program for each of them; the line of each that holds `#[lagrangian]`.
const ATTRIBUTE_LINE: usize = 5;

/// A misspelt field or an index of the wrong type is for rustc to find; it must find it at the author's tokens.  An error at
/// the attribute is one in the code that was emitted.
///
/// `cargo test -p model-macros --release rustc -- --ignored --nocapture`
#[test]
#[ignore = "runs cargo on a hundred programs"]
fn what_is_accepted_compiles_or_is_wrong_where_the_author_wrote_it() {
    let directory = std::env::temp_dir().join(format!("least-action-mutations-{}", std::process::id()));
    let programs = directory.join("src/bin");
    fs::create_dir_all(&programs).expect("a directory");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_owned();
    let manifest = format!(
        "[package]\nname = \"mutations\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n\
         integrator-core = {{ path = \"{}\" }}\n",
        root.join("integrator-core").display()
    );
    fs::write(directory.join("Cargo.toml"), manifest).expect("a manifest");
    fs::copy(root.join("Cargo.lock"), directory.join("Cargo.lock")).expect("a lock file");

    let accepted = write_programs(&programs);
    let test = std::env::current_exe().expect("this program");
    let target: PathBuf = test.ancestors().nth(3).expect("the target directory").join("mutations");
    let output = Command::new(env!("CARGO"))
        .args(["check", "--offline", "--bins", "--keep-going", "--message-format=short"])
        .current_dir(&directory)
        .env("CARGO_TARGET_DIR", target)
        .output()
        .expect("cargo runs");
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    fs::remove_dir_all(&directory).expect("the directory is ours");

    let errors: Vec<&str> = messages.lines().filter(|line| line.contains(": error")).collect();
    let mut wrong = std::collections::BTreeSet::new();
    for error in errors {
        // src/bin/round12.rs:5:1: error[E0425]: …
        let mut parts = error.splitn(3, ':');
        let (file, line) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        wrong.insert(file.to_owned());
        let inside = line.parse() == Ok(ATTRIBUTE_LINE);
        assert!(!inside, "the code that was emitted is wrong: {error}\n{}", accepted.text(file));
    }
    println!("{COUNT} accepted, {} of them refused by rustc", wrong.len());
    // Most changes bring in a name of another model.  If all were wrong, or none, nothing would have been tried.
    assert!(messages.contains("Checking mutations") && (1..COUNT).contains(&wrong.len()), "{messages}");
}

/// The accepted declarations by file.
struct Accepted(Vec<(String, String)>);

impl Accepted {
    fn text(&self, file: &str) -> &str {
        self.0.iter().find(|(name, _)| file.ends_with(name)).map_or("", |(_, text)| text)
    }
}

fn write_programs(programs: &Path) -> Accepted {
    let changes = Changes::new();
    let mut accepted = Vec::new();
    let mut round = 0;
    while accepted.len() < COUNT {
        let (item, change) = declaration(&changes, round);
        if let Ok(read) = syn::parse2::<syn::ItemImpl>(item.clone())
            && let syn::Type::Path(model) = &*read.self_ty
            && let Some(definition) =
                definition(model.path.segments.last().map(|last| last.ident.to_string()))
            && outcome(&item) == Outcome::Compiled
        {
            let mut text = String::new();
            write!(
                text,
                "#![allow(warnings)]\nuse integrator_core::prelude::*;\n{definition}\n\n#[lagrangian]\n{item}\nfn main() {{}}\n"
            )
            .expect("a string takes all text");
            let name = format!("round{round}.rs");
            fs::write(programs.join(&name), &text).expect("a program");
            accepted.push((name, format!("{change}\n{text}")));
        }
        round += 1;
    }
    Accepted(accepted)
}

/// The struct behind a declaration, in one line.
fn definition(model: Option<String>) -> Option<&'static str> {
    Some(match model?.as_str() {
        "Model" => soup::MODEL,
        "Chain" => "pub struct Chain { pub links: usize, pub mass: f64, pub gravity: f64, pub rod: f64 }",
        "DoublePendulum" => {
            "pub struct DoublePendulum { pub masses: [f64; 2], pub rods: [f64; 2], pub gravity: f64 }"
        }
        "DoublePendulumAngles" => {
            "pub struct DoublePendulumAngles { pub masses: [f64; 2], pub rods: [f64; 2], pub gravity: f64 }"
        }
        _ => return None,
    })
}
