//! Evaluates one element of a family.

use super::Family;
use crate::binding::at::At;
use crate::binding::kernel::Operation;
use crate::binding::signals::Now;
use crate::binding::work::Arguments;

/// Vectors of one element up to this length are on the stack.
const FEW: usize = 64;

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
        let (operation, coefficients) =
            (self.kernel.operation(operation), self.coefficients.all().from(element));
        let arguments = &mut Arguments::at(At::new(x, now)).adding_to(found);
        let sum = self.local.run(operation, coefficients, arguments);
        for (value, at) in vector.iter_mut().zip(self.local.inputs(&self.kernel)) {
            *value = found[at];
        }
        sum
    }
}
