//! Memory for evaluating sums over near pairs, group by group.

use crate::lanes::{Aligned, Registers};
use crate::scratch::Scratch;

/// Registers, and memory for evaluations.
#[derive(Debug)]
pub(super) struct Sweeps {
    pub(super) registers: Option<Registers>,
    pub(super) lanes: usize,
    pub(super) memory: Scratch<NearWorkspace>,
}

impl Default for Sweeps {
    fn default() -> Self {
        Self::new(None, 1)
    }
}

impl Sweeps {
    pub(super) fn new(registers: Option<Registers>, lanes: usize) -> Self {
        Self { registers, lanes, memory: Scratch::new(NearWorkspace::default) }
    }
}

/// The records of points by places, and the results for them.
#[derive(Debug, Default)]
pub(super) struct NearWorkspace {
    pub(super) records: Aligned,
    pub(super) directions: Aligned,
    pub(super) classes: Vec<[u32; 3]>,
    pub(super) results: Aligned,
    pub(super) buffers: Vec<Buffers>,
}

/// Columns of the entries that are computed together.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    pub(super) block: Aligned,
    /// The records of the own points, and of their directions.
    pub(super) own: Aligned,
    /// The results.
    pub(super) found: Aligned,
}
