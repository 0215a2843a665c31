//! Models of mechanics, declared by their Lagrangians.

mod bead;

pub use bead::Bead;

use least_action_command::Workbench;

/// The command with the models of this crate: a new one is a file beside `bead.rs`, and a name here.
pub fn command() -> Workbench {
    Workbench::new("{name}").model::<Bead>("bead")
}
