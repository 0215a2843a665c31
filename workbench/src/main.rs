//! The command `least-action`: the workbench with the ready models.

use std::process::ExitCode;

use workbench::Workbench;

fn main() -> ExitCode {
    Workbench::new("least-action").ready_models().main()
}
