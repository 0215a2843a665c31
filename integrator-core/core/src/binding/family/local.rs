//! Evaluates one element: its slots are contiguous in a short vector.

use super::Family;
use crate::binding::at::At;
use crate::binding::gather::Runs;
use crate::binding::kernel::{Kernel, Operation};
use crate::binding::signals::Now;
use crate::binding::work::{Arguments, Single};

/// Vectors of one element up to this length are on the stack.
const FEW: usize = 64;

/// The places of the slots of an element in that vector.
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
}

impl Family {
    /// Evaluates an operation on one element with these inputs;
    /// returns its scalar and writes its vector, which has a number for each input, or is empty.
    pub(in crate::binding) fn alone(
        &self,
        element: usize,
        operation: Operation,
        inputs: &[f64],
        now: &Now<'_>,
        vector: &mut [f64],
    ) -> f64 {
        let length = self.local.length;
        let (mut few, mut many) = ([0.0; 2 * FEW], Vec::new());
        let memory = if length <= FEW {
            &mut few[..2 * length]
        } else {
            many.resize(2 * length, 0.0);
            &mut many[..]
        };
        let (x, found) = memory.split_at_mut(length);
        for (value, at) in inputs.iter().zip(self.local.inputs(&self.kernel)) {
            x[at] = *value;
        }
        let sum = self.local(element, operation, &mut Arguments::at(At::new(x, now)).adding_to(found));
        for (value, at) in vector.iter_mut().zip(self.local.inputs(&self.kernel)) {
            *value = found[at];
        }
        sum
    }

    /// Evaluates an operation on one element with contiguous slots and sums.
    pub(super) fn local(&self, element: usize, operation: Operation, arguments: &mut Arguments<'_>) -> f64 {
        self.kernel.operation(operation).run_single(&mut Single {
            entries: arguments.positions.len(),
            arguments,
            runs: Runs::one(&self.local.starts, &self.local.still),
            coefficients: self.coefficients.all().from(element),
            reads: &[],
        })
    }
}
