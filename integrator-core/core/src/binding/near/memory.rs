//! Memory for the evaluation of sums over near pairs, group after group and element by element.

use crate::lanes::{Aligned, Registers};
use crate::scratch::Scratch;

/// Registers, and memory for computing with them.
#[derive(Debug)]
pub(super) struct Sweeps {
    pub(super) registers: Option<Registers>,
    pub(super) lanes: usize,
    pub(super) memory: Scratch<Memory>,
}

impl Default for Sweeps {
    fn default() -> Self {
        Self::new(None, 1)
    }
}

impl Sweeps {
    pub(super) fn new(registers: Option<Registers>, lanes: usize) -> Self {
        Self { registers, lanes, memory: Scratch::new(Memory::default) }
    }

    pub(super) fn registers(&self) -> Option<Registers> {
        self.registers
    }
}

/// The records of points by places, and the results for them.
#[derive(Debug, Default)]
pub(super) struct Memory {
    pub(super) records: Aligned,
    pub(super) directions: Aligned,
    pub(super) classes: Vec<[u32; 3]>,
    pub(super) results: Aligned,
    pub(super) buffers: Vec<Buffers>,
}

/// Columns of the entries that are computed at once.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    pub(super) entries: Aligned,
    pub(super) own: Aligned,
    pub(super) own_direction: Aligned,
}

/// Where an input of an element stands in the extended vector: at one place, or as the difference of
/// two.
#[derive(Debug, Clone, Copy)]
pub(super) struct Index {
    pub(super) plus: u32,
    pub(super) minus: Option<u32>,
}

/// One element by itself: its slots stand one behind the other.
#[derive(Debug, Default, Clone)]
pub(super) struct Alone {
    pub(super) starts: Vec<u32>,
    pub(super) still: Vec<u32>,
    pub(super) x: Vec<f64>,
    pub(super) vector: Vec<f64>,
    pub(super) numbers: Vec<f64>,
    pub(super) counting: Vec<u32>,
    pub(super) coefficients: Vec<f64>,
    pub(super) indices: Vec<Index>,
}

/// An element: the layer, the first and the second end, as numbers of points.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ends {
    pub(super) layer: usize,
    pub(super) first: usize,
    pub(super) second: usize,
}

/// Elements one by one: each is a function of the points at its ends and of the inputs that belong to
/// them.
#[derive(Debug)]
pub(super) struct NearElements {
    pub(super) ends: Vec<Ends>,
    pub(super) memory: Scratch<Alone>,
}
