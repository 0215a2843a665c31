//! Questions to a system: one small trait for each thing that an engine needs.
//!
//! Every trait takes slices, can be made into an object, and allocates nothing.
//! Throughout, n is the number of degrees of freedom, m the number of constraint equations,
//! q and v are slices of length n in the order of the [`Layout`], and t is the time.

pub(crate) mod cell;
mod checksums;
mod configuration;
pub(crate) mod driven;
mod elements;
mod entry;
mod forced;
mod holonomic;
pub(crate) mod image;
mod lagrangian;
mod layout;
mod look;
mod natural;
mod natural_second;
mod nonholonomic;
mod periodic;
mod signal;
mod state;
pub(crate) mod symmetry;
mod through_sums;

pub use checksums::Checksums;
pub use configuration::Configuration;
pub use driven::{ConstrainedVibrated, Driven, EvenInPhase, Vibrated};
pub use elements::{Element, Elements};
pub(crate) use entry::Indices;
pub use entry::{Components, Entry};
pub(crate) use forced::first_velocity;
pub use forced::{Forced, Sampling};
pub use holonomic::{Constrained, Holonomic};
pub use lagrangian::Lagrangian;
pub use layout::{Coordinate, Kind, Layout};
pub use look::Look;
pub use natural::{Natural, Stiff, Unforced};
pub(crate) use natural_second::{NaturalSecond, finish_gradient};
pub use nonholonomic::Nonholonomic;
pub use periodic::Periodic;
pub(crate) use signal::Piece;
pub use signal::{Course, Signal, SignalError};
pub use state::{Start, State};
pub use through_sums::ThroughSums;

use crate::error::BindError;
use symmetry::ConservedQuantity;

/// A mechanical system with a known arrangement of its coordinates.
pub trait System: Send + Sync {
    /// The name of the model, as its author wrote it.
    fn name(&self) -> &str;

    /// The arrangement of the coordinates in q.
    fn layout(&self) -> &Layout;

    /// The holonomic constraints under which the system moves; none, unless the system has some.
    ///
    /// A method that does not keep constraints refuses a system that has them.
    fn holonomic(&self) -> Option<&dyn Holonomic> {
        None
    }

    /// The nonholonomic constraints under which the system moves; none, unless the system has some.
    ///
    /// A method that does not keep them refuses a system that has them.
    fn nonholonomic(&self) -> Option<&dyn Nonholonomic> {
        None
    }

    /// The forces beside those of the Lagrangian; none, unless the system has some.
    ///
    /// A method that does not include them refuses a system that has them.
    fn forced(&self) -> Option<&dyn Forced> {
        None
    }

    /// The Lagrangian of the system, of which a run watches the energy; none, unless the system gives it.
    fn mechanics(&self) -> Option<&dyn Lagrangian> {
        None
    }

    /// The system as one of points in a cell that repeats itself, of which the pressure is known; none, unless its potential has sums over near
    /// pairs in such a cell.
    fn periodic(&self) -> Option<&dyn Periodic> {
        None
    }

    /// The signals on which the motion depends, with their names: none, unless the system has some.
    ///
    /// The motion is known only where all of them reach.
    fn signals(&self) -> &[(&'static str, Signal)] {
        &[]
    }

    /// Checksums of the declaration and of the numbers that the parameters have become, by which a run
    /// that is gone on with knows its system; zeros
    /// unless the system tells them.
    fn checksums(&self) -> Checksums {
        Checksums::default()
    }

    /// The conserved quantities of the exact motion, as far as they are known: see [`crate::noether`].
    fn conserved(&self) -> &[ConservedQuantity] {
        &[]
    }

    /// The quantities that forces and constraints on velocities alone change, as far as they are known: those that the motion would conserve
    /// without them, and does not.  See [`crate::noether`].
    fn balanced(&self) -> &[ConservedQuantity] {
        &[]
    }

    /// Asked before second derivatives are: they are found and their memory is taken when they are used for the first time.
    ///
    /// # Errors
    /// They need more memory than the system may take: see [`Model::bind_within`](crate::Model::bind_within).
    fn affords_second_derivatives(&self) -> Result<(), BindError> {
        Ok(())
    }

    /// The number n of degrees of freedom, before constraints.
    fn dimension(&self) -> usize {
        self.layout().dimension()
    }
}
