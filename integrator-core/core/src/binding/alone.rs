//! One element: its slots are contiguous in a short vector.

use super::at::At;
use super::coefficients::CoefficientTuples;
use super::gather::Runs;
use super::kernel::{Executable, Kernel};
use super::signals::Now;
use super::work::{Arguments, Single};

/// The places of the slots of an element in that vector.
#[derive(Debug, Clone)]
pub(super) struct Local {
    /// The first place of each slot, and the length of the vector.
    starts: Vec<u32>,
    pub(super) length: usize,
    still: Vec<u32>,
}

impl Local {
    pub(super) fn new(kernel: &Kernel) -> Self {
        let (starts, length) = kernel.starts_of_slots();
        Self { starts, length, still: vec![0; kernel.slots] }
    }

    /// The place of each input.
    pub(super) fn inputs(&self, kernel: &Kernel) -> impl Iterator<Item = usize> {
        kernel.inputs.iter().map(|&(slot, component)| self.starts[slot] as usize + component)
    }

    /// Evaluates an operation on an element with contiguous slots and sums.
    pub(super) fn run(
        &self,
        operation: &Executable,
        coefficients: CoefficientTuples<'_>,
        to: &mut Arguments<'_>,
    ) -> f64 {
        operation.run_single(&mut Single {
            entries: to.positions.len(),
            arguments: to,
            runs: Runs::one(&self.starts, &self.still),
            coefficients,
            reads: &[],
        })
    }
}

/// One element with memory: its inputs, a vector, and the entries of its matrix.
#[derive(Debug, Clone)]
pub(super) struct LoneElement {
    local: Local,
    pub(super) x: Vec<f64>,
    pub(super) vector: Vec<f64>,
    pub(super) entries: Vec<f64>,
    counting: Vec<u32>,
}

impl LoneElement {
    pub(super) fn new(local: &Local, entries: usize) -> Self {
        Self {
            local: local.clone(),
            x: vec![0.0; local.length],
            vector: vec![0.0; local.length],
            entries: vec![0.0; entries],
            counting: (0..entries as u32).collect(),
        }
    }

    /// Runs an operation, with a weight for each sum; returns its scalar.
    pub(super) fn run(
        &mut self,
        operation: &Executable,
        coefficients: CoefficientTuples<'_>,
        (weights, now): (&[f64], &Now<'_>),
        with_matrix: bool,
    ) -> f64 {
        let Self { local, x, vector, entries, counting } = self;
        vector.fill(0.0);
        let (mut matrix, mut positions) = (&mut [][..], &[][..]);
        if with_matrix {
            entries.fill(0.0);
            (matrix, positions) = (&mut entries[..], counting);
        }
        let at = Arguments::at(At::new(x, now));
        local.run(
            operation,
            coefficients,
            &mut Arguments { vector, matrix, positions, weights, apart: 1, ..at },
        )
    }
}
