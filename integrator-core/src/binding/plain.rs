//! Elements one after the other: for families too small, too cheap or too irregular for SIMD registers.

use super::arrangement::Arguments;
use super::family::Coefficients;
use super::home::{self, Stretch};
use super::index::{IndexList, Lattice, Places, Steps, Window, for_each_element};
use super::instant::Instant;
use super::operation::{Operation, Output, Reads};
use std::iter::zip;

/// Of heavy elements whose indices move apart, so many are called at once: their indices are written down before.
const APART: usize = 4;

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
            self.call(home::one_by_one::<O, X, C, H>(), O::MATRIX, arguments)
        }
    }

    fn run<O: Operation<X, C, H>>(&self, arguments: Arguments<'_>) -> f64 {
        if let (Some(c), Some(window)) = (self.coefficients.shared(), self.inputs.window()) {
            if 2 * window.stride() == X {
                let lattice = if O::MATRIX { self.positions.lattice() } else { None };
                if lattice.is_some() || !O::MATRIX {
                    return self.run_chain::<O>(window, lattice, &c, arguments);
                }
            }
            if window.stride() == X {
                let entries = if O::MATRIX { self.positions.window() } else { None };
                if !O::MATRIX || entries.is_some_and(|entries| entries.stride() == H) {
                    return self.run_sites::<O>(window, entries, &c, arguments);
                }
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

    /// Heavy elements: a call for as many as stand alike.
    fn call(&self, one_by_one: home::OneByOne<X, C, H>, matrix: bool, mut arguments: Arguments<'_>) -> f64 {
        let (mut at, mut positions) = (self.inputs.blocks(), self.positions.blocks());
        let (mut start, mut sum) = (0, 0.0);
        while start < self.coefficients.len() {
            let mut count = if matrix { at.count().min(positions.count()) } else { at.count() };
            if count == 0 {
                break;
            }
            let coefficients = self.coefficients.part(start);
            let (block, entries) = (at.block(), positions.block());
            let steps = if matrix { entries.steps() } else { Some(Steps::still(&[0; H])) };
            if let (Some(at), Some(positions)) = (block.steps(), steps) {
                sum += one_by_one(arguments.again(), &Stretch { count, at, positions, coefficients });
            } else {
                count = count.min(APART);
                let at = block.written_down::<APART>(count);
                let positions = if matrix { entries.written_down(count) } else { [[0; H]; APART] };
                let (at, positions) = (Steps::listed(&at), Steps::listed(&positions));
                sum += one_by_one(arguments.again(), &Stretch { count, at, positions, coefficients });
            }
            at.advance(count);
            if matrix {
                positions.advance(count);
            }
            start += count;
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

    /// Sites: elements that have a point each, one behind the other, as their entries in the matrix are. The compiler sees that
    /// they have nothing in common, and may compute neighbours in one register.
    fn run_sites<O: Operation<X, C, H>>(
        &self,
        points: Window,
        entries: Option<Window>,
        c: &[f64; C],
        arguments: Arguments<'_>,
    ) -> f64 {
        let elements = self.coefficients.len();
        let Arguments { x, a, now, vector, matrix } = arguments;
        let all = points.start(0)..points.start(elements);
        let at = x[all.clone()].chunks_exact(X.max(1)).map(copied::<X>);
        let element = |x: &[f64; X], a: &[f64; X]| {
            let mut output = Output::nothing(now);
            O::element(Reads { x, a, c, now }, &mut output);
            output
        };
        let add = |to: &mut [f64], values: &[f64]| zip(to, values).for_each(|(to, value)| *to += value);
        if O::MATRIX
            && let Some(entries) = entries
        {
            let vector = vector[all].chunks_exact_mut(X.max(1));
            let matrix = matrix[entries.start(0)..entries.start(elements)].chunks_exact_mut(H.max(1));
            for ((x, vector), matrix) in at.zip(vector).zip(matrix) {
                let output = element(&x, &x);
                add(vector, &output.vector);
                add(matrix, &output.matrix);
            }
        } else if O::DIRECTION {
            let along = a[all.clone()].chunks_exact(X.max(1)).map(copied::<X>);
            let vector = vector[all].chunks_exact_mut(X.max(1));
            at.zip(along).zip(vector).for_each(|((x, a), to)| add(to, &element(&x, &a).vector));
        } else if O::VECTOR {
            let vector = vector[all].chunks_exact_mut(X.max(1));
            at.zip(vector).for_each(|(x, to)| add(to, &element(&x, &x).vector));
        } else {
            return at.fold(0.0, |sum, x| sum + element(&x, &x).scalar);
        }
        0.0
    }
}

/// These numbers, of which there are as many.
#[inline(always)]
fn copied<const N: usize>(from: &[f64]) -> [f64; N] {
    let mut values = [0.0; N];
    values.copy_from_slice(from);
    values
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
    O::element(Reads { x: &at.read(x, e), a: &direction, c, now }, output);
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
            let Self { inputs, coefficients, positions } = *self;
            let stretch = Stretch {
                count: inputs.len(),
                at: Steps::listed(inputs),
                positions: if O::MATRIX { Steps::listed(positions) } else { Steps::still(&[0; H]) },
                coefficients: coefficients.part(0),
            };
            home::one_by_one::<O, X, C, H>()(arguments, &stretch)
        }
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
