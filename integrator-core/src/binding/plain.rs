//! Elements one after the other: for families too small, too cheap or too irregular for SIMD registers.

use super::arrangement::Arguments;
use super::family::Coefficients;
use super::home;
use super::index::{IndexList, Lattice, Places, Window, for_each_element};
use super::instant::Instant;
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
            self.run::<O>(arguments)
        } else {
            self.call(home::one::<O, X, C, H>(), O::MATRIX, arguments)
        }
    }

    fn run<O: Operation<X, C, H>>(&self, arguments: Arguments<'_>) -> f64 {
        if let (Some(c), Some(window)) = (self.coefficients.shared(), self.inputs.window())
            && 2 * window.stride() == X
        {
            let lattice = if O::MATRIX { self.positions.lattice() } else { None };
            if lattice.is_some() || !O::MATRIX {
                return self.run_chain::<O>(window, lattice, &c, arguments);
            }
        }
        let Self { inputs, coefficients, positions } = *self;
        let Arguments { x, a, now, vector, matrix } = arguments;
        let mut output = Output::nothing(now);
        let mut sum = 0.0;
        if O::MATRIX {
            for_each_element!(false, coefficients, at in inputs, place in positions; |e, c| {
                one::<O, X, C, H>(x, a, (&at, e), c, now, &mut output);
                sum += output.scalar;
                at.add(vector, e, &output.vector);
                place.add(matrix, e, &output.matrix);
            });
        } else {
            for_each_element!(false, coefficients, at in inputs; |e, c| {
                one::<O, X, C, H>(x, a, (&at, e), c, now, &mut output);
                sum += output.scalar;
                if O::VECTOR {
                    at.add(vector, e, &output.vector);
                }
            });
        }
        sum
    }

    /// Heavy elements: a call for each, which adds what it yields.
    fn call(&self, one: home::One<X, C, H>, matrix: bool, mut arguments: Arguments<'_>) -> f64 {
        let Self { inputs, coefficients, positions } = *self;
        let (mut indices, mut places) = ([0; X], [0; H]);
        let mut sum = 0.0;
        if matrix {
            for_each_element!(false, coefficients, at in inputs, place in positions; |e, c| {
                let (start, at) = at.located(e, &mut indices);
                let (first, place) = place.located(e, &mut places);
                sum += one(arguments.counted_from(start, first), at, place, c);
            });
        } else {
            for_each_element!(false, coefficients, at in inputs; |e, c| {
                let (start, at) = at.located(e, &mut indices);
                sum += one(arguments.counted_from(start, 0), at, &places, c);
            });
        }
        sum
    }

    /// A chain: the second half of what an element reads is the first half of what the next one reads, and what it adds there
    /// stays in registers until then.
    fn run_chain<O: Operation<X, C, H>>(
        &self,
        window: Window,
        lattice: Option<Lattice<H>>,
        c: &[f64; C],
        arguments: Arguments<'_>,
    ) -> f64 {
        let Arguments { x, a, now, vector, matrix } = arguments;
        let mut output = Output::nothing(now);
        let mut sum = 0.0;
        let mut carried = [0.0; X];
        let elements = self.coefficients.len();
        for e in 0..elements {
            one::<O, X, C, H>(x, a, (&window, e), c, now, &mut output);
            sum += output.scalar;
            if O::VECTOR {
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
        if O::VECTOR && elements > 0 {
            let to = &mut vector[window.start(elements)..][..X / 2];
            for k in 0..X / 2 {
                to[k] += carried[k];
            }
        }
        sum
    }
}

/// Computes element e, which reads x and a at these places.
#[inline(always)]
fn one<O: Operation<X, C, H>, const X: usize, const C: usize, const H: usize>(
    x: &[f64],
    a: &[f64],
    (at, e): (&impl Places<X>, usize),
    c: &[f64; C],
    now: Instant,
    output: &mut Output<f64, X, H>,
) {
    let direction = if O::DIRECTION { at.read(a, e) } else { [0.0; X] };
    O::element(&at.read(x, e), &direction, c, now, output);
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
            self.run::<O>(arguments)
        } else {
            self.call(home::one::<O, X, C, H>(), O::MATRIX, arguments)
        }
    }

    /// Heavy elements: a call for each, which adds what it yields.
    fn call(&self, one: home::One<X, C, H>, matrix: bool, mut arguments: Arguments<'_>) -> f64 {
        let Self { inputs, coefficients, positions } = *self;
        let all = coefficients.part(0);
        let mut sum = 0.0;
        for e in 0..inputs.len() {
            let positions = if matrix { &positions[e] } else { &[0; H] };
            sum += one(arguments.counted_from(0, 0), &inputs[e], positions, all.of(e));
        }
        sum
    }

    fn run<O: Operation<X, C, H>>(&self, arguments: Arguments<'_>) -> f64 {
        let Self { inputs, coefficients, positions } = *self;
        let Arguments { x, a, now, vector, matrix } = arguments;
        let all = coefficients.part(0);
        let mut output = Output::nothing(now);
        let mut sum = 0.0;
        for e in 0..inputs.len() {
            one::<O, X, C, H>(x, a, (&inputs, e), all.of(e), now, &mut output);
            sum += output.scalar;
            if O::VECTOR {
                inputs.add(vector, e, &output.vector);
            }
            if O::MATRIX {
                positions.add(matrix, e, &output.matrix);
            }
        }
        sum
    }
}
