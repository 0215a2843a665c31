//! The columns that all members of an ensemble have.

use crate::columnar::table::Columns;

/// The columns of a member: of its run, and of its path.
pub(super) struct Frame {
    pub(super) columns: Columns,
    pub(super) path: Columns,
    /// The names of coordinates and observables, which every member has to have.
    pub(super) coordinates: Vec<String>,
    pub(super) observed: Vec<String>,
    pub(super) residuals: [bool; 2],
}
