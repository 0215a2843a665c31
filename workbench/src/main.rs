//! The command `least-action`: the workbench with the ready models.

use std::process::ExitCode;

use models::{Chain, DoublePendulum, DoublePendulumAngles};
use workbench::Workbench;

fn main() -> ExitCode {
    Workbench::new("least-action")
        .model::<DoublePendulum>("double-pendulum")
        .model::<DoublePendulumAngles>("double-pendulum-angles")
        .model::<Chain>("chain")
        .main()
}
