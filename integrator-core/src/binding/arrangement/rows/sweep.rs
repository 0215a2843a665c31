//! The loop over rows.

use super::{Filling, Rows, StagedRow};
use crate::binding::arrangement::lanes_left;
use crate::binding::columns::Columns;
use crate::binding::element::{Element, Kernel};
use crate::binding::operation::Operation;
use crate::lanes::{Lanes, Width};
use pulp::{Simd, WithSimd};
use std::marker::PhantomData;

/// What a sweep reads and where it adds: staged, but for the matrix.
pub(in super::super) struct Staged<'a> {
    pub(in super::super) x: &'a [f64],
    pub(in super::super) a: &'a [f64],
    pub(in super::super) t: f64,
    pub(in super::super) vector: &'a mut [f64],
    pub(in super::super) bands: &'a mut [f64],
    /// The values of the matrix from position `first` on.
    pub(in super::super) matrix: &'a mut [f64],
    pub(in super::super) first: usize,
}

/// Runs an operation over `part` of the rows.
pub(super) fn sweep<O: Operation<X, C, H>, const X: usize, const C: usize, const H: usize>(
    width: Width,
    part: &[StagedRow<X, H>],
    rows: &Rows<X, H>,
    coefficients: &Columns<C>,
    arguments: Staged<'_>,
) -> f64 {
    width.run(Sweep { part, rows, coefficients, arguments, operation: PhantomData::<O> })
}

/// Chooses the code for the registers at hand.
struct Sweep<'a, O, const X: usize, const C: usize, const H: usize> {
    part: &'a [StagedRow<X, H>],
    rows: &'a Rows<X, H>,
    coefficients: &'a Columns<C>,
    arguments: Staged<'a>,
    operation: PhantomData<O>,
}

impl<O: Operation<X, C, H>, const X: usize, const C: usize, const H: usize> WithSimd
    for Sweep<'_, O, X, C, H>
{
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let Self { part, rows, coefficients, arguments, .. } = self;
        simd.vectorize(Loop { part, rows, coefficients, arguments, simd, kernel: Kernel::of::<O>() })
    }
}

/// The loop, for any operation.
struct Loop<'a, S: Simd, const X: usize, const C: usize, const H: usize> {
    part: &'a [StagedRow<X, H>],
    rows: &'a Rows<X, H>,
    coefficients: &'a Columns<C>,
    arguments: Staged<'a>,
    simd: S,
    kernel: Kernel<S, X, C, H>,
}

/// What a row adds up where its gathers stand still.
struct Sums<S: Simd, const X: usize, const H: usize> {
    vector: [Lanes<S>; X],
    matrix: [Lanes<S>; H],
}

impl<S: Simd, const X: usize, const C: usize, const H: usize> WithSimd for Loop<'_, S, X, C, H> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<Same: Simd>(mut self, _: Same) -> f64 {
        let simd = self.simd;
        let zero = Lanes::splat(simd, 0.0);
        let lanes = Lanes::<S>::COUNT;
        let mut total = zero;
        let mut element = Element::new(simd, self.coefficients.splat(simd), self.arguments.t);
        for row in self.part {
            let mut sums = Sums { vector: [zero; X], matrix: [zero; H] };
            self.begin(row, &mut element);
            let mut at = 0;
            while at < row.count {
                let left = lanes_left(at, row.count, lanes);
                self.read(row, at, &mut element);
                (self.kernel.call)(simd, &mut element);
                if left < lanes {
                    self.cut(left, &mut element);
                }
                if self.kernel.scalar {
                    total = total + element.output.scalar;
                }
                if self.kernel.vector {
                    self.add_vector(row, at, &element, &mut sums);
                }
                if self.kernel.matrix {
                    self.add_matrix(row, at, left, &element, &mut sums);
                }
                at += lanes;
            }
            self.end(row, &sums);
        }
        total.total()
    }
}

impl<S: Simd, const X: usize, const C: usize, const H: usize> Loop<'_, S, X, C, H> {
    /// Reads what stands still.
    #[inline(always)]
    fn begin(&self, row: &StagedRow<X, H>, element: &mut Element<S, X, C, H>) {
        let Staged { x, a, .. } = self.arguments;
        for k in 0..X {
            let first = row.first[k] as usize;
            element.x[k] = Lanes::splat(self.simd, x[first]);
            if self.kernel.direction {
                element.a[k] = Lanes::splat(self.simd, a[first]);
            }
        }
    }

    /// Reads what moves.
    #[inline(always)]
    fn read(&self, row: &StagedRow<X, H>, at: usize, element: &mut Element<S, X, C, H>) {
        let Staged { x, a, .. } = self.arguments;
        for k in 0..X {
            if row.moving[k] {
                let first = row.first[k] as usize + at;
                element.x[k] = Lanes::load(self.simd, x, first);
                if self.kernel.direction {
                    element.a[k] = Lanes::load(self.simd, a, first);
                }
            }
        }
        self.coefficients.load(self.simd, row.start + at, &mut element.c);
    }

    /// Forgets what was computed beyond the end of a row, from numbers of others.
    #[inline(always)]
    fn cut(&self, left: usize, element: &mut Element<S, X, C, H>) {
        let output = &mut element.output;
        output.scalar = output.scalar.first(left);
        if self.kernel.vector {
            for k in 0..X {
                output.vector[k] = output.vector[k].first(left);
            }
        }
        if self.kernel.matrix {
            for k in 0..H {
                output.matrix[k] = output.matrix[k].first(left);
            }
        }
    }

    #[inline(always)]
    fn add_vector(
        &mut self,
        row: &StagedRow<X, H>,
        at: usize,
        element: &Element<S, X, C, H>,
        sums: &mut Sums<S, X, H>,
    ) {
        for k in 0..X {
            let value = element.output.vector[k];
            if row.moving[k] {
                value.add_to(self.arguments.vector, row.first[k] as usize + at);
            } else {
                sums.vector[k] = sums.vector[k] + value;
            }
        }
    }

    #[inline(always)]
    fn add_matrix(
        &mut self,
        row: &StagedRow<X, H>,
        at: usize,
        left: usize,
        element: &Element<S, X, C, H>,
        sums: &mut Sums<S, X, H>,
    ) {
        let length = self.rows.staged_length();
        let Staged { bands, matrix, first, .. } = &mut self.arguments;
        for k in 0..H {
            let value = element.output.matrix[k];
            match &self.rows.fillings[k] {
                Filling::Band { band, column } if row.moving[*column] => {
                    value.add_to(bands, band * length + row.first[*column] as usize + at);
                }
                Filling::Band { .. } => sums.matrix[k] = sums.matrix[k] + value,
                Filling::Regular if row.advance[k] == 0 => sums.matrix[k] = sums.matrix[k] + value,
                Filling::Regular => {
                    let begin = row.place[k].wrapping_add(row.advance[k].wrapping_mul(at as u32));
                    advancing(value, matrix, begin as usize - *first, row.advance[k], left);
                }
                Filling::Listed(positions) => {
                    let places = &positions[row.start + at..row.start + at + left];
                    for (position, value) in places.iter().zip(value.to_array()) {
                        matrix[*position as usize - *first] += value;
                    }
                }
            }
        }
    }

    /// Adds what stood still.
    #[inline(always)]
    fn end(&mut self, row: &StagedRow<X, H>, sums: &Sums<S, X, H>) {
        let length = self.rows.staged_length();
        let Staged { vector, bands, matrix, first, .. } = &mut self.arguments;
        if self.kernel.vector {
            for k in 0..X {
                if !row.moving[k] {
                    vector[row.first[k] as usize] += sums.vector[k].total();
                }
            }
        }
        if self.kernel.matrix {
            for k in 0..H {
                match &self.rows.fillings[k] {
                    Filling::Band { band, column } if !row.moving[*column] => {
                        bands[band * length + row.first[*column] as usize] += sums.matrix[k].total();
                    }
                    Filling::Regular if row.advance[k] == 0 => {
                        matrix[row.place[k] as usize - *first] += sums.matrix[k].total();
                    }
                    Filling::Band { .. } | Filling::Regular | Filling::Listed(_) => {}
                }
            }
        }
    }
}

/// Adds the first `count` lanes to numbers that stand `advance` apart.
#[inline(always)]
fn advancing<S: Simd>(values: Lanes<S>, to: &mut [f64], begin: usize, advance: u32, count: usize) {
    let values = values.to_array();
    let forward = advance as i32;
    if forward > 0 {
        let places = to[begin..].iter_mut().step_by(forward as usize);
        for (place, value) in places.zip(&values[..count]) {
            *place += value;
        }
    } else {
        let places = to[..=begin].iter_mut().rev().step_by(forward.unsigned_abs() as usize);
        for (place, value) in places.zip(&values[..count]) {
            *place += value;
        }
    }
}
