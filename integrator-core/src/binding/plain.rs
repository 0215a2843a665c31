//! Elements one after the other: for families too small, too cheap or too irregular for SIMD registers.

use super::arrangement::Arguments;
use super::element::{CalledSingly, Inlined, Single};
use super::family::Coefficients;
use super::index::{IndexList, Lattice, Places as _, Window, for_each_element};
use super::operation::{Operation, Output};

/// Elements in the order of their declaration.
pub(super) struct Plain<'a, const X: usize, const C: usize, const H: usize> {
    pub(super) inputs: &'a IndexList<X>,
    pub(super) coefficients: &'a Coefficients<C>,
    pub(super) positions: &'a IndexList<H>,
}

impl<const X: usize, const C: usize, const H: usize> Plain<'_, X, C, H> {
    /// Runs an operation over all elements and adds what it yields; returns the sum of its scalars.
    pub(super) fn sweep<O: Operation<X, C, H>>(&self, arguments: Arguments<'_>) -> f64 {
        if const { O::LIGHT } {
            self.run(&Inlined::<O>::new(), arguments)
        } else {
            self.run(&CalledSingly::of::<O>(), arguments)
        }
    }

    fn run(&self, kernel: &impl Single<X, C, H>, arguments: Arguments<'_>) -> f64 {
        let yields = kernel.yields();
        if let (Some(c), Some(window)) = (self.coefficients.shared(), self.inputs.window())
            && 2 * window.stride() == X
        {
            let lattice = if yields.matrix { self.positions.lattice() } else { None };
            if lattice.is_some() || !yields.matrix {
                return self.run_chain(kernel, window, lattice, &c, arguments);
            }
        }
        let Self { inputs, coefficients, positions } = *self;
        let Arguments { x, a, now, vector, matrix } = arguments;
        let mut output = Output::nothing(now);
        let mut sum = 0.0;
        if yields.matrix {
            for_each_element!(false, coefficients, at in inputs, place in positions; |e, c| {
                kernel.one(x, a, (&at, e), c, now, &mut output);
                sum += output.scalar;
                at.add(vector, e, &output.vector);
                place.add(matrix, e, &output.matrix);
            });
        } else {
            for_each_element!(false, coefficients, at in inputs; |e, c| {
                kernel.one(x, a, (&at, e), c, now, &mut output);
                sum += output.scalar;
                if yields.vector {
                    at.add(vector, e, &output.vector);
                }
            });
        }
        sum
    }

    /// A chain: the second half of what an element reads is the first half of what the next one reads, and what it adds there
    /// stays in registers until then.
    fn run_chain(
        &self,
        kernel: &impl Single<X, C, H>,
        window: Window,
        lattice: Option<Lattice<H>>,
        c: &[f64; C],
        arguments: Arguments<'_>,
    ) -> f64 {
        let Arguments { x, a, now, vector, matrix } = arguments;
        let yields = kernel.yields();
        let mut output = Output::nothing(now);
        let mut sum = 0.0;
        let mut carried = [0.0; X];
        let elements = self.coefficients.len();
        for e in 0..elements {
            kernel.one(x, a, (&window, e), c, now, &mut output);
            sum += output.scalar;
            if yields.vector {
                let to = &mut vector[window.start(e)..][..X / 2];
                for k in 0..X / 2 {
                    to[k] += carried[k] + output.vector[k];
                    carried[k] = output.vector[X / 2 + k];
                }
            }
            if let Some(lattice) = &lattice {
                lattice.add(matrix, e, &output.matrix);
            }
        }
        if yields.vector && elements > 0 {
            let to = &mut vector[window.start(elements)..][..X / 2];
            for k in 0..X / 2 {
                to[k] += carried[k];
            }
        }
        sum
    }
}

/// A handful of elements, as few as the declaration says: one short loop.
pub(super) struct Listed<'a, const X: usize, const C: usize, const H: usize> {
    pub(super) inputs: &'a [[u32; X]],
    pub(super) coefficients: &'a Coefficients<C>,
    pub(super) positions: &'a [[u32; H]],
}

impl<const X: usize, const C: usize, const H: usize> Listed<'_, X, C, H> {
    /// Runs an operation over all elements and adds what it yields; returns the sum of its scalars.
    pub(super) fn sweep<O: Operation<X, C, H>>(&self, arguments: Arguments<'_>) -> f64 {
        if const { O::LIGHT } {
            self.run(&Inlined::<O>::new(), arguments)
        } else {
            self.run(&CalledSingly::of::<O>(), arguments)
        }
    }

    fn run(&self, kernel: &impl Single<X, C, H>, arguments: Arguments<'_>) -> f64 {
        let Self { inputs, coefficients, positions } = *self;
        let Arguments { x, a, now, vector, matrix } = arguments;
        let yields = kernel.yields();
        let all = coefficients.part(0);
        let mut output = Output::nothing(now);
        let mut sum = 0.0;
        for e in 0..inputs.len() {
            kernel.one(x, a, (&inputs, e), all.of(e), now, &mut output);
            sum += output.scalar;
            if yields.vector {
                inputs.add(vector, e, &output.vector);
            }
            if yields.matrix {
                positions.add(matrix, e, &output.matrix);
            }
        }
        sum
    }
}
