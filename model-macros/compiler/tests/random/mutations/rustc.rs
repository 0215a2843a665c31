//! Declarations that the compiler accepts, given to rustc: each error must be in the text of the
//! author.

use super::change::Changes;
use super::{Outcome, declaration, outcome, soup};
use crate::random::now;
use crate::rustc::Rustc;
use std::fs;
use std::path::Path;

/// The line of a program that holds `#[lagrangian]`.
const ATTRIBUTE_LINE: usize = 5;

#[test]
fn what_is_accepted_compiles_or_is_wrong_where_the_author_wrote_it() {
    check(0, 12);
}

/// Other declarations each time, and many:
/// `cargo test -p least-action-compiler --test random mutations::rustc -- --ignored --nocapture`
#[test]
#[ignore = "some minutes; the same on more declarations"]
fn and_so_are_a_hundred_others() {
    check(now(), 120);
}

/// Tries so many accepted declarations, from this round on.
///
/// Rustc finds a misspelt field or an index of the wrong type, and must find it at the tokens of the
/// author. An error at the attribute is an error in emitted code.
fn check(first: u64, count: usize) {
    let programs = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mutations-{count}"));
    fs::create_dir_all(&programs).expect("a directory");
    let (rustc, changes) = (Rustc::with_the_library_of_this_test(), Changes::new());
    let (mut tried, mut wrong) = (0, 0);
    for round in first.. {
        if tried == count {
            break;
        }
        let Some((change, text)) = accepted(&changes, round) else { continue };
        tried += 1;
        let program = programs.join(format!("round{round}.rs"));
        fs::write(&program, &text).expect("a program");
        let Ok(messages) = rustc.refuses(&program) else { continue };
        let errors = messages.split("\n\n").filter(|message| message.starts_with("error"));
        let places: Vec<&str> = errors
            .filter_map(|error| error.lines().find_map(|line| line.trim().strip_prefix("--> ")))
            .collect();
        assert!(!places.is_empty(), "round {round}: {messages}");
        wrong += 1;
        for place in places {
            // …/round12.rs:5:1
            let line = place.rsplit(':').nth(1).and_then(|line| line.parse::<usize>().ok());
            assert!(
                line != Some(ATTRIBUTE_LINE),
                "round {round}: the code that was emitted is wrong\n{change}\n{text}\n{messages}"
            );
        }
    }
    println!("{count} accepted, {wrong} of them refused by rustc");
    // Most changes bring in a name of another model: some of the declarations are wrong, some are not.
    assert!((1..count).contains(&wrong), "{wrong} of {count} are refused");
}

/// The declaration of a round as a program, and how it came about, if the compiler accepts it.
fn accepted(changes: &Changes, round: u64) -> Option<(String, String)> {
    let (item, change) = declaration(changes, round);
    let read = syn::parse2::<syn::ItemImpl>(item.clone()).ok()?;
    let syn::Type::Path(model) = &*read.self_ty else { return None };
    let definition = definition(model.path.segments.last().map(|last| last.ident.to_string()))?;
    let text = format!(
        "#![allow(warnings)]\nuse least_action::prelude::*;\n{definition}\n\n#[lagrangian]\n{item}\nfn main() {{}}\n"
    );
    (outcome(&item) == Outcome::Compiled).then_some((change, text))
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
