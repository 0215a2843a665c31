//! Deep, wide, doubling and multiplied declarations are compiled or refused, soon and in little memory.
//!
//! The limits are the limits of a build by a user, rustc with the code of the model optimized: 20 s of
//! processor and 2 GB. All refusals come by size, so that every machine refuses the same declarations.

mod cost;
mod shapes;

use crate::random::{Random, now};
use crate::rustc::Rustc;
use cost::Cost;
use least_action_compiler::compile;
use proc_macro2::TokenStream;

use shapes::{COUNT, MODEL, declaration, of_size};
use std::fs;
use std::path::Path;
use std::thread;

/// The most seconds of processor.
const SECONDS: f64 = 20.0;

/// The most memory, in bytes.
const MEMORY: u64 = 2_000_000_000;

/// True if the compiler takes the declaration of a round.
fn is_compiled(round: u64) -> bool {
    let (name, text) = declaration(round);
    takes(&format!("round {round} ({name})"), text)
}

/// True if the compiler takes a declaration, with the part of the stack of rustc that optimized
/// code needs.
fn takes(name: &str, text: String) -> bool {
    let called = name.to_owned();
    let work = thread::Builder::new().stack_size(2 << 20).spawn(move || {
        let item = text.parse().expect("tokens");
        let code = compile(TokenStream::new(), item).to_string();
        let refused = code.contains("compile_error");
        assert!(!refused || code.contains("help:"), "{called} is refused without a word about what to do");
        !refused
    });
    work.expect("a thread").join().unwrap_or_else(|_| panic!("{name}"))
}

/// Each shape in two sizes: none overflows the stack, and the test ends.
#[test]
fn whatever_the_shape_the_compiler_answers() {
    let compiled = (0..2 * COUNT).filter(|round| is_compiled(*round)).count() as u64;
    println!("{compiled} of {} are compiled", 2 * COUNT);
    // If all were harmless, or none, nothing would have been tried.
    assert!((COUNT / 2..2 * COUNT - COUNT / 4).contains(&compiled), "{compiled} are compiled");
}

/// Shapes that overflowed the stack, or took minutes or all memory; the compiler accepts each that
/// rustc compiles soon.
#[test]
fn sizes_that_did_not_end_are_answered() {
    let mut random = Random::of_round(0);
    let mut answers = Vec::new();
    for (name, size, is_compiled) in [
        ("added terms", 1700, true),
        ("nested sums", 300, false),
        ("nested parentheses", 1000, false),
        ("chained sines", 1000, false),
        ("chained sines", 40, true),
        ("chained sines with a term each", 40, true),
        ("squaring lets", 150, true),
        ("product lets", 25, true),
        ("doubling helpers", 16, true),
        ("doubling closures", 40, true),
        ("products of choices", 9, true),
        // A function that rustc compiles once counts once.
        ("many sums", 172, true),
        ("elastic solids", 8, true),
        ("elastic solids", 12, false),
        ("products of choices", 40, false),
    ] {
        let text = of_size(name, size, &mut random);
        let called = format!("{name}, {size}");
        if takes(&called, text) != is_compiled {
            answers.push(called);
        }
    }
    assert!(answers.is_empty(), "not as expected: {answers:?}");
}

/// A refusal is repeated, whatever was compiled before.
#[test]
fn refusals_do_not_depend_on_the_moment() {
    for round in [22, 22 + COUNT, 22 + 2 * COUNT] {
        assert_eq!(is_compiled(round), is_compiled(round), "round {round}");
    }
}

/// By rustc, other sizes each time; `ROUNDS=…..…` takes failed rounds:
/// `cargo test -p least-action-compiler --test random pathological -- --ignored --nocapture`
#[test]
#[ignore = "some minutes"]
fn three_hundred_take_rustc_no_more_than_they_may() {
    let now = now();
    let rounds = std::env::var("ROUNDS").unwrap_or_else(|_| format!("{now}..{}", now + 300));
    let (first, end) = rounds.split_once("..").expect("ROUNDS=first..end");
    let [first, end] = [first, end].map(|text| text.parse::<u64>().expect("a number"));
    println!("ROUNDS={first}..{end}");
    let programs = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pathological");
    fs::create_dir_all(&programs).expect("a directory");
    let rustc = Rustc::with_the_library_of_this_test();
    let (mut compiled, mut worst, mut above) = (0, (0.0_f64, 0), Vec::new());
    for round in first..end {
        let (name, text) = declaration(round);
        let program = programs.join(format!("round{round}.rs"));
        let code = format!(
            "#![allow(warnings)]\nuse least_action::prelude::*;\n{MODEL}\n\n#[lagrangian]\n{text}\nfn main() {{\n    \
             let on = vec![true; 400];\n    let table = vec![1.0; 4000];\n    \
             let bound = Shape {{ n: 400, a: 1.0, b: 2.0, on, table }}.bind().is_ok();\n    println!(\"{{bound}}\");\n}}\n"
        );
        fs::write(&program, code).expect("a program");
        let Cost { succeeds, seconds, memory, messages } =
            Cost::of(&mut rustc.command(&program), 2.0 * SECONDS, 2 * MEMORY);
        let megabytes = memory / 1_000_000;
        println!(
            "{round} {name}: {} {seconds:.1} s, {megabytes} MB",
            match succeeds {
                Some(true) => "compiled",
                Some(false) => "refused",
                None => "no end",
            }
        );
        compiled += u64::from(succeeds == Some(true));
        worst = (worst.0.max(seconds), worst.1.max(megabytes));
        // All else that rustc may find wrong would be in the code that was emitted.
        let answered = succeeds == Some(is_compiled(round));
        if !answered || seconds > SECONDS || memory > MEMORY {
            let words = if answered { "" } else { &messages };
            above.push(format!("{round} {name}: {seconds:.1} s, {megabytes} MB {words}"));
        }
    }
    println!("{compiled} of {} compiled; at most {:.1} s and {} MB", end - first, worst.0, worst.1);
    assert!(above.is_empty(), "{}", above.join("\n"));
}
