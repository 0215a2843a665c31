//! One element of a sum over near pairs: a function of d and of the inputs of its ends.

use crate::binding::alone::{Local, LoneElement};
use crate::binding::coefficients::CoefficientTuples;
use crate::binding::kernel::{Executable, Kernel};
use crate::binding::signals::Now;

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
    pub(super) ends: ElementEnds,
    pub(super) d: [f64; 3],
    /// The index of each input in the extended vector, and its place in the short one.
    pub(super) indices: Vec<Index>,
    pub(super) places: Vec<usize>,
    /// The inputs, and the second derivatives of the last operation, in the order of the kernel.
    pub(super) lone: LoneElement,
    pub(super) coefficients: Vec<f64>,
}

impl Element {
    pub(super) fn new(kernel: &Kernel) -> Self {
        let local = Local::new(kernel);
        Self {
            places: local.inputs(kernel).collect(),
            ends: ElementEnds::default(),
            d: [0.0; 3],
            indices: Vec::with_capacity(kernel.inputs.len()),
            lone: LoneElement::new(&local, kernel.entries.len()),
            coefficients: vec![0.0; kernel.coefficients],
        }
    }

    /// Runs an operation; returns its scalar.
    pub(super) fn run(&mut self, operation: &Executable, now: &Now<'_>, with_matrix: bool) -> f64 {
        let coefficients = CoefficientTuples::one(&self.coefficients);
        self.lone.run(operation, coefficients, (&[1.0], now), with_matrix)
    }

    /// The slopes of the last operation by each input, with the index of the input.
    pub(super) fn slopes(&self) -> impl Iterator<Item = (Index, f64)> {
        self.indices.iter().zip(&self.places).map(|(index, place)| (*index, self.lone.vector[*place]))
    }
}
