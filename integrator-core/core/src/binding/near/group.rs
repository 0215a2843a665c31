//! The entries of a list that are computed together.

use crate::binding::signals::Now;
use crate::lanes::Registers;

/// Entries of a group, neighbour after neighbour, each with a register for every column.
pub(super) struct GroupEntries<'a> {
    /// The registers; `None` computes one number at a time.
    pub(super) registers: Option<Registers>,
    pub(super) entries: &'a [f64],
    /// The columns of the records of the own ends, and of their directions.
    pub(super) own: &'a [f64],
    pub(super) own_direction: &'a [f64],
    /// The shared coefficients.
    pub(super) shared: &'a [f64],
    pub(super) now: &'a Now<'a>,
    /// The square of the cutoff.
    pub(super) cutoff: f64,
    /// Whether the elements of rows are exchangeable in this instance, too.
    pub(super) exchangeable: bool,
    /// The sums so far: a register for each result.
    pub(super) results: &'a mut [f64],
}
