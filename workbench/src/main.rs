//! The command `least-action`: the workbench with the ready models.

use std::process::ExitCode;

use least_action_command::Workbench;

fn main() -> ExitCode {
    Workbench::new("least-action").ready_models().main()
}
