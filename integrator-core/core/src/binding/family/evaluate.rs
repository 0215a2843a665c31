//! Evaluates operations over the elements of a family.

use super::{Family, Placed};
use crate::binding::at::{At, Weights};
use crate::binding::kernel::{Executable, Operation};
use crate::binding::work::{Arguments, Single};

impl Family {
    /// True unless third derivatives have unknown rates.
    pub(in crate::binding) fn has_third_rates(&self) -> bool {
        let is_left_out = |operation| matches!(self.kernel.operation(operation), Executable::LeftOut);
        is_left_out(Operation::Third) || !is_left_out(Operation::ThirdRate)
    }

    /// Adds up a number over all elements.
    pub(in crate::binding) fn sum(&self, operation: Operation, at: At<'_>) -> f64 {
        self.sweep(operation, &mut Arguments::at(at), None)
    }

    /// Adds a number of each element to its row.
    pub(in crate::binding) fn add_to_rows(&self, operation: Operation, arguments: &mut Arguments<'_>) {
        arguments.apart = self.apart;
        self.sweep_rows(operation, arguments);
    }

    /// Adds a vector of all elements, weighted by their rows.
    pub(in crate::binding) fn add(
        &self,
        operation: Operation,
        at: At<'_>,
        weights: Weights<'_>,
        vector: &mut [f64],
    ) {
        match weights {
            Weights::Ones => {
                self.sweep(operation, &mut Arguments::at(at).adding_to(vector), None);
            }
            Weights::Of(weights) => {
                let apart = self.apart;
                self.sweep_rows(operation, &mut Arguments { vector, weights, apart, ..Arguments::at(at) });
            }
        }
    }

    /// Adds second derivatives at the places of the elements in a matrix,
    /// and their gradient, if they have no rows.
    pub(in crate::binding) fn add_second(
        &self,
        placed: &Placed,
        at: At<'_>,
        weights: Weights<'_>,
        gradient: &mut [f64],
        matrix: &mut [f64],
    ) {
        let Self { kernel, .. } = self;
        let of_rows = match weights {
            Weights::Ones if kernel.entries.is_empty() => {
                return self.add(Operation::Gradient, at, weights, gradient);
            }
            Weights::Ones => {
                let (matrix, positions) = (&mut *matrix, &placed.positions[..]);
                let arguments = &mut Arguments { matrix, positions, ..Arguments::at(at).adding_to(gradient) };
                self.sweep(Operation::Second, arguments, Some(placed));
                &[]
            }
            Weights::Of(_) if kernel.entries.is_empty() => return,
            Weights::Of(weights) => {
                let (matrix, positions) = (&mut *matrix, &placed.positions[..]);
                let apart = self.apart;
                let arguments = &mut Arguments { matrix, weights, apart, positions, ..Arguments::at(at) };
                self.sweep_rows(Operation::Second, arguments);
                weights
            }
        };
        self.add_doubled(placed, at, of_rows, matrix);
    }

    /// Adds the values of the rows, and their derivatives by all inputs at these places of a matrix;
    /// writes the derivatives of elements that are alone in their rows.
    pub(in crate::binding) fn add_jacobian(
        &self,
        at: At<'_>,
        (places, alone): (&[u32], bool),
        values: &mut [f64],
        jacobian: &mut [f64],
    ) {
        let (vector, apart) = (jacobian, self.apart);
        if !matches!(self.kernel.operation(Operation::ValueGradient), Executable::LeftOut) {
            let arguments = &mut Arguments { vector, values, apart, places, alone, ..Arguments::at(at) };
            return self.sweep_rows(Operation::ValueGradient, arguments);
        }
        let arguments = &mut Arguments { vector, apart, places, alone, ..Arguments::at(at) };
        self.sweep_rows(Operation::Gradient, arguments);
        if !values.is_empty() {
            self.add_to_rows(Operation::Value, &mut Arguments { values, ..Arguments::at(at) });
        }
    }

    /// Adds the derivatives of sums by all inputs at these places of a matrix with a row for each sum.
    pub(in crate::binding) fn add_rows(&self, at: At<'_>, places: &[u32], jacobian: &mut [f64]) {
        let operation = self.kernel.operation(Operation::GradientRows);
        self.each(operation, &mut Arguments { places, ..Arguments::at(at).adding_to(jacobian) });
    }

    /// Runs an operation over all elements and adds its results; returns the sum of its scalars.
    ///
    /// Operations with a matrix need `placed`, beside its positions among the arguments.
    #[inline]
    fn sweep(&self, operation: Operation, arguments: &mut Arguments<'_>, placed: Option<&Placed>) -> f64 {
        let operation = self.kernel.operation(operation);
        match &self.arranged {
            Some(sweeps) if operation.is_wide() => {
                let filling = placed.and_then(|placed| placed.filling.as_ref());
                sweeps.run(operation, arguments, filling)
            }
            _ => self.each(operation, arguments),
        }
    }

    /// Runs an operation over all elements; each adds to its row or has the weight of its row.
    #[inline]
    fn sweep_rows(&self, operation: Operation, arguments: &mut Arguments<'_>) {
        let operation = self.kernel.operation(operation);
        match &self.arranged {
            Some(sweeps) if operation.is_wide() => sweeps.run_in_rows(operation, arguments),
            _ => {
                self.each(operation, arguments);
            }
        }
    }

    /// Runs an operation over all elements one by one.
    fn each(&self, operation: &Executable, arguments: &mut Arguments<'_>) -> f64 {
        let (coefficients, entries) = (self.coefficients.all(), self.kernel.entries.len());
        let reads = &self.kernel.reads_of_sums;
        operation.run_single(&mut Single { arguments, runs: self.slots.runs(), coefficients, entries, reads })
    }
}
