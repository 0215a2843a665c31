//! Systems: a small trait for each need of an engine.
//!
//! Every trait takes slices, can be made into an object, and allocates nothing. Throughout, n is the
//! number of degrees of freedom, m the number of constraint equations, q and v are slices of length n in
//! the order of the [`Layout`], and t is the time.

pub(crate) mod cell;
mod checksums;
mod configuration;
pub(crate) mod driven;
pub(crate) mod elements;
mod entry;
mod faces;
mod forced;
mod holonomic;
pub(crate) mod image;
mod in_lanes;
mod lagrangian;
mod layout;
mod look;
mod moments;
mod natural;
mod natural_second;
mod nonholonomic;
mod parametric;
mod periodic;
mod signal;
mod state;
pub(crate) mod symmetry;
mod through_sums;
pub(crate) mod turns;

pub(crate) use checksums::checksums_with;
pub use configuration::Configuration;
pub use driven::Driven;
pub(crate) use driven::{EvenInPhase, Vibrated};
pub(crate) use elements::{Element, Elements};
pub(crate) use entry::Components;
pub use entry::Entry;
pub(crate) use entry::Indices;
pub use faces::Faces;
pub use forced::Forced;
#[doc(hidden)]
pub use forced::Sampling;
pub(crate) use forced::first_velocity;
pub use holonomic::{Constrained, Holonomic};
#[doc(hidden)]
pub use in_lanes::InLanes;
pub(crate) use in_lanes::{Evaluation, LaneCode, Wanted};
pub use lagrangian::Lagrangian;
pub use layout::{Coordinate, Kind, Layout, Text};
pub use look::Look;
pub use moments::{MomentMethod, Moments, RowsOf};
pub use natural::{Natural, Stiff, Unforced};
pub(crate) use natural_second::{NaturalSecond, finish_gradient};
pub use nonholonomic::Nonholonomic;
pub use parametric::Parametric;
#[doc(hidden)]
pub use periodic::Periodic;
pub(crate) use signal::SignalPiece;
pub use signal::{Course, Signal, SignalError};
pub use state::{Start, State};
#[doc(hidden)]
pub use through_sums::ThroughSums;
#[doc(hidden)]
pub use turns::{Followed, HeldAngles};

use crate::error::BindError;
use symmetry::ConservedQuantity;

/// A mechanical system with named coordinates.
pub trait System: Send + Sync {
    /// The name of the model.
    fn name(&self) -> &str;

    /// The arrangement of the coordinates in q.
    fn layout(&self) -> &Layout;

    /// The holonomic constraints of the system, if it has any.
    ///
    /// A method that does not keep constraints refuses the system.
    fn holonomic(&self) -> Option<&dyn Holonomic> {
        None
    }

    /// The nonholonomic constraints of the system, if it has any.
    ///
    /// A method that does not keep them refuses the system.
    fn nonholonomic(&self) -> Option<&dyn Nonholonomic> {
        None
    }

    /// The events and the gaps of the system, if it has any.
    ///
    /// Runs look for them; a method whose steps cannot be cut refuses those that change the motion.
    fn moments(&self) -> Option<&dyn Moments> {
        None
    }

    /// The forces of the system beside its Lagrangian, if it has any.
    ///
    /// A method that does not include them refuses the system.
    fn forced(&self) -> Option<&dyn Forced> {
        None
    }

    /// The Lagrangian of the system, if it has one; runs watch its energy.
    fn mechanics(&self) -> Option<&dyn Lagrangian> {
        None
    }

    /// The system as points in a periodic cell, with a pressure,
    /// if its potential has sums over near pairs in one.
    #[doc(hidden)]
    fn periodic(&self) -> Option<&dyn Periodic> {
        None
    }

    /// The derivatives by the sensitive parameters, if the system declares some.
    fn parametric(&self) -> Option<&dyn Parametric> {
        None
    }

    /// The system with its angles of points, if runs follow some over many turns.
    #[doc(hidden)]
    fn followed(&self) -> Option<&dyn Followed> {
        None
    }

    /// The system as code for members of an ensemble in lanes, if it has some.
    #[doc(hidden)]
    fn in_lanes(&self) -> Option<InLanes<'_>> {
        None
    }

    /// The signals of the motion with their names.
    ///
    /// The motion is defined only where all of them are.
    fn signals(&self) -> &[(Text, Signal)] {
        &[]
    }

    /// Two checksums, of the declaration and of the numbers that result from the parameters,
    /// by which a continued run identifies its system; zeros if unknown.
    fn checksums(&self) -> [u64; 2] {
        [0; 2]
    }

    /// The known conserved quantities of the exact motion: see [`noether`](crate::advanced::noether).
    fn conserved(&self) -> &[ConservedQuantity] {
        &[]
    }

    /// The known quantities that only forces and constraints on velocities change,
    /// which the motion would conserve without them: see [`noether`](crate::advanced::noether).
    fn balanced(&self) -> &[ConservedQuantity] {
        &[]
    }

    /// A term without a finite force at a state, and the entry of (q, v) at which that shows.
    #[doc(hidden)]
    fn undefined(&self, _state: &State) -> Option<(String, usize)> {
        None
    }

    /// Must be asked before second derivatives are used,
    /// which are placed, with their memory, on first use.
    ///
    /// # Errors
    /// They need more memory than allowed: see [`Model::bind_within`](crate::Model::bind_within).
    fn affords_second_derivatives(&self) -> Result<(), BindError> {
        Ok(())
    }

    /// The number n of degrees of freedom, before constraints.
    fn dimension(&self) -> usize {
        self.layout().dimension()
    }
}
