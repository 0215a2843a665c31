//! The command over the hand-written models of the tests.

#[path = "../tests/support/mod.rs"]
mod support;

fn main() -> std::process::ExitCode {
    support::workbench().main()
}
