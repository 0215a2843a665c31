//! One element of a sum over near pairs: a function of d and of the inputs of its ends.

use crate::binding::at::At;
use crate::binding::coefficients::CoefficientTuples;
use crate::binding::gather::Runs;
use crate::binding::kernel::{Executable, Kernel};
use crate::binding::signals::Now;
use crate::binding::work::{Arguments, Single};

/// An element: the layer, and the numbers of the points at its first and second end.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ElementEnds {
    pub(super) layer: usize,
    pub(super) first: usize,
    pub(super) second: usize,
}

/// The index of an input in the extended vector, or the two indices of a difference.
#[derive(Debug, Clone, Copy)]
pub(super) struct Index {
    pub(super) plus: u32,
    pub(super) minus: Option<u32>,
}

/// One element; its slots are contiguous.
#[derive(Debug, Clone)]
pub(super) struct Element {
    starts: Vec<u32>,
    still: Vec<u32>,
    counting: Vec<u32>,
    pub(super) ends: ElementEnds,
    pub(super) d: [f64; 3],
    /// The index of each input in the extended vector, and its place in the short one.
    pub(super) indices: Vec<Index>,
    pub(super) places: Vec<usize>,
    pub(super) x: Vec<f64>,
    vector: Vec<f64>,
    /// The second derivatives of the last operation, in the order of the kernel.
    pub(super) entries: Vec<f64>,
    pub(super) coefficients: Vec<f64>,
}

impl Element {
    pub(super) fn new(kernel: &Kernel) -> Self {
        let (starts, length) = kernel.starts_of_slots();
        let place = |(slot, component): &(usize, usize)| starts[*slot] as usize + component;
        Self {
            places: kernel.inputs.iter().map(place).collect(),
            starts,
            still: vec![0; kernel.slots],
            counting: (0..kernel.entries.len() as u32).collect(),
            ends: ElementEnds::default(),
            d: [0.0; 3],
            indices: Vec::with_capacity(kernel.inputs.len()),
            x: vec![0.0; length],
            vector: vec![0.0; length],
            entries: vec![0.0; kernel.entries.len()],
            coefficients: vec![0.0; kernel.coefficients],
        }
    }

    /// Runs an operation; returns its scalar.
    pub(super) fn run(&mut self, operation: &Executable, now: &Now<'_>, with_matrix: bool) -> f64 {
        self.vector.fill(0.0);
        let (mut matrix, mut positions) = (&mut [][..], &[][..]);
        if with_matrix {
            self.entries.fill(0.0);
            (matrix, positions) = (&mut self.entries, &self.counting);
        }
        let vector = &mut self.vector;
        let mut arguments =
            Arguments { vector, matrix, positions, weights: &[1.0], ..Arguments::at(At::new(&self.x, now)) };
        operation.run_single(&mut Single {
            arguments: &mut arguments,
            runs: Runs::one(&self.starts, &self.still),
            coefficients: CoefficientTuples::one(&self.coefficients),
            entries: positions.len(),
            reads: &[],
        })
    }

    /// The slopes of the last operation by each input, with the index of the input.
    pub(super) fn slopes(&self) -> impl Iterator<Item = (Index, f64)> {
        self.indices.iter().zip(&self.places).map(|(index, place)| (*index, self.vector[*place]))
    }
}
