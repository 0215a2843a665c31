//! The one loop that runs any stepper, with observers.
//!
//! A run in five lines:
//!
//! ```no_run
//! # use least_action::{drive::integrate, method::Verlet, nalgebra::Vector2, system::{Natural, State}};
//! # fn example(system: &dyn Natural, start: State) -> Result<(), Box<dyn std::error::Error>> {
//! let recording = integrate(system, &Verlet, start, 0.01)?
//!     .until(10.0)
//!     .every(5)
//!     .observe("height", |state| state.q[1])
//!     .record()?;
//! println!("{:?}", recording.column("height"));
//! let bob: Vec<Vector2<f64>> = recording.path("bob", [])?;
//! # Ok(())
//! # }
//! ```
//!
//! Below it, [`drive`] runs a stepper through a [`Plan`] and shows every k-th [`Moment`] to
//! [`Observer`]s, such as a progress bar or a file. A [`Watch`] judges every run: its [`Verdict`] says
//! if the result can be believed. [`Recording`] is an observer that keeps states, together with any
//! [`Quantity`].

mod averaged;
mod balance;
mod checkpoint;
mod conserved;
mod displacement;
mod error;
pub mod gradient;
mod identity;
pub(crate) mod integral;
mod keeper;
mod observer;
mod plan;
mod pressure;
mod quantity;
mod radial;
mod recording;
mod simulation;
mod temperature;
mod two_scale;
mod watch;
mod work;

pub use averaged::Averaged;
pub use balance::Balance;
pub use checkpoint::{CheckpointError, previous};
// The command saves its runs with its own parameters; a program saves by `Simulation::checkpoint`.
#[doc(hidden)]
pub use checkpoint::{Checkpoint, CheckpointFile, SavedRun};
pub use conserved::Conserved;
pub use displacement::MeanSquareDisplacement;
pub use error::{Interrupted, RunError};
#[doc(hidden)]
pub use identity::SystemIdentity;
pub use keeper::Interval;
#[doc(hidden)]
pub use keeper::Keeper;
#[doc(hidden)]
pub use observer::{Guide, Stopped, drive_kept};
pub use observer::{Moment, Observer, Summary, drive};
pub use plan::Plan;
pub use pressure::Pressure;
pub use quantity::{ConstraintResidual, Energy, Multipliers, Quantity};
pub use radial::{RadialBin, RadialDistribution};
pub use recording::Recording;
pub use simulation::{Simulation, integrate, resume};
pub use temperature::Temperature;
pub use watch::{Finding, Verdict, Watch};
