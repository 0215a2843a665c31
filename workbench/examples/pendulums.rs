//! The command over the hand-written models of the tests.

#![allow(clippy::unwrap_used, reason = "the models are those of the tests")]

#[path = "../tests/support/mod.rs"]
mod support;

fn main() -> std::process::ExitCode {
    support::workbench().main()
}
