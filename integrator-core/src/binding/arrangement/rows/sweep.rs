//! The loop over rows.
//!
//! Every number that an element yields has a place in the staged memory, where it either stands still or advances with the elements
//! of the row: so the loop over elements adds register by register, without asking what the number is. What stood still, and
//! what belongs to the matrix itself, is moved on at the end of the row.

use super::{Filling, Rows, StagedRow};
use crate::binding::arrangement::lanes_left;
use crate::binding::columns::Columns;
use crate::binding::element::{Called, Compute, Element, Inlined, run_shared};
use crate::binding::instant::Instant;
use crate::binding::operation::Operation;
use crate::lanes::{Lanes, MOST_LANES, Registers};
use pulp::{Simd, WithSimd};
use std::cmp::Ordering;
use std::marker::PhantomData;

/// What a sweep reads and where it adds.
pub(in super::super) struct Staged<'a> {
    pub(in super::super) x: &'a [f64],
    pub(in super::super) a: &'a [f64],
    pub(in super::super) now: Instant,
    /// As laid out by [`super::Memory`].
    pub(in super::super) memory: &'a mut [f64],
    /// The values of the matrix from position `first` on.
    pub(in super::super) matrix: &'a mut [f64],
    pub(in super::super) first: usize,
}

/// Runs an operation over `part` of the rows.
pub(super) fn sweep<O: Operation<X, C, H>, const X: usize, const C: usize, const H: usize>(
    registers: Registers,
    part: &[StagedRow<X, H>],
    rows: &Rows<X, H>,
    coefficients: &Columns<C>,
    arguments: Staged<'_>,
) -> f64 {
    registers.run(Sweep { part, rows, coefficients, arguments, operation: PhantomData::<O> })
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
        if const { O::LIGHT } {
            let kernel = Inlined::<O>::new();
            simd.vectorize(Loop { part, rows, coefficients, arguments, simd, kernel })
        } else {
            run_shared(simd, Loop { part, rows, coefficients, arguments, simd, kernel: Called::of::<O>() })
        }
    }
}

/// The loop.
struct Loop<'a, S: Simd, K, const X: usize, const C: usize, const H: usize> {
    part: &'a [StagedRow<X, H>],
    rows: &'a Rows<X, H>,
    coefficients: &'a Columns<C>,
    arguments: Staged<'a>,
    simd: S,
    kernel: K,
}

impl<S: Simd, K: Compute<S, X, C, H>, const X: usize, const C: usize, const H: usize> WithSimd
    for Loop<'_, S, K, X, C, H>
{
    type Output = f64;

    #[inline(always)]
    fn with_simd<Same: Simd>(mut self, _: Same) -> f64 {
        let simd = self.simd;
        let yields = self.kernel.yields();
        let lanes = Lanes::<S>::COUNT;
        let mut total = Lanes::splat(simd, 0.0);
        let mut element = Element::new(simd, self.coefficients.splat(simd), self.arguments.now);
        for row in self.part {
            self.begin(row, &mut element);
            let mut at = 0;
            while at < row.count {
                let left = lanes_left(at, row.count, lanes);
                self.read(row, at, &mut element);
                self.kernel.run(simd, &mut element);
                if left < lanes {
                    self.cut(left, &mut element);
                }
                if yields.scalar {
                    total = total + element.output.scalar;
                }
                if yields.vector {
                    let memory = &mut *self.arguments.memory;
                    for (value, target) in element.output.vector.iter().zip(&row.vector) {
                        value.add_to(memory, target.of(at));
                    }
                }
                if yields.matrix {
                    self.add_matrix(row, at, left, &element);
                }
                at += lanes;
            }
            self.end(row);
        }
        total.total()
    }
}

impl<S: Simd, K: Compute<S, X, C, H>, const X: usize, const C: usize, const H: usize>
    Loop<'_, S, K, X, C, H>
{
    /// Reads what stands still.
    #[inline(always)]
    fn begin(&self, row: &StagedRow<X, H>, element: &mut Element<S, X, C, H>) {
        let Staged { x, a, .. } = self.arguments;
        for k in 0..X {
            let first = row.first[k] as usize;
            element.x[k] = Lanes::splat(self.simd, x[first]);
            if self.kernel.yields().direction {
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
                if self.kernel.yields().direction {
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
        let yields = self.kernel.yields();
        output.scalar = output.scalar.first(left);
        if yields.vector {
            for k in 0..X {
                output.vector[k] = output.vector[k].first(left);
            }
        }
        if yields.matrix {
            for k in 0..H {
                output.matrix[k] = output.matrix[k].first(left);
            }
        }
    }

    #[inline(always)]
    fn add_matrix(&mut self, row: &StagedRow<X, H>, at: usize, left: usize, element: &Element<S, X, C, H>) {
        let Staged { memory, matrix, first, .. } = &mut self.arguments;
        let values = &element.output.matrix;
        for &k in &self.rows.banded {
            values[k].add_to(memory, row.matrix[k].of(at));
        }
        for &k in &self.rows.stretched {
            values[k].write(memory, row.matrix[k].of(at));
        }
        for entries in &self.rows.threes {
            let begin = row.place[entries[0]] as usize + 3 * at - *first;
            interleaved(self.simd, values, entries, &mut matrix[begin..], left);
        }
        for entries in &self.rows.twos {
            let begin = row.place[entries[0]] as usize + 2 * at - *first;
            interleaved(self.simd, values, entries, &mut matrix[begin..], left);
        }
    }

    /// Moves on what stood still, which leaves zeros, and what belongs to the matrix.
    #[inline(always)]
    fn end(&mut self, row: &StagedRow<X, H>) {
        let layout = &self.rows.memory;
        let Staged { memory, matrix, first, .. } = &mut self.arguments;
        let yields = self.kernel.yields();
        let simd = self.simd;
        let zero = Lanes::splat(simd, 0.0);
        let take = |memory: &mut [f64], at: usize| {
            let sum = Lanes::load(simd, memory, at).total();
            zero.write(memory, at);
            sum
        };
        if yields.vector {
            for k in 0..X {
                if !row.moving[k] {
                    let sum = take(memory, layout.sum(k));
                    memory[row.first[k] as usize] += sum;
                }
            }
        }
        if yields.matrix {
            for &k in &self.rows.banded {
                if let Filling::Band { band, column } = self.rows.fillings[k]
                    && !row.moving[column]
                {
                    let sum = take(memory, layout.sum(X + k));
                    memory[layout.band(band) + row.first[column] as usize] += sum;
                }
            }
            for &k in &self.rows.stretched {
                let values = &memory[layout.entry(k)..][..row.count];
                match &self.rows.fillings[k] {
                    Filling::Regular => {
                        advancing(values, matrix, row.place[k] as usize - *first, row.advance[k]);
                    }
                    Filling::Listed(positions) => {
                        for (position, value) in positions[row.start..].iter().zip(values) {
                            matrix[*position as usize - *first] += value;
                        }
                    }
                    Filling::Band { .. } | Filling::Together => {}
                }
            }
        }
    }
}

/// Adds the first `count` lanes of some of the values, lane by lane.
#[inline(always)]
#[expect(
    clippy::needless_range_loop,
    reason = "indices of two arrays at once, which the optimizer can follow"
)]
fn interleaved<S: Simd, const N: usize>(
    simd: S,
    values: &[Lanes<S>],
    entries: &[usize; N],
    to: &mut [f64],
    count: usize,
) {
    let lanes = Lanes::<S>::COUNT;
    // No `map`: it would copy the arrays through memory.
    let mut arrays = [[0.0; MOST_LANES]; N];
    for (array, &entry) in arrays.iter_mut().zip(entries) {
        values[entry].store(array);
    }
    if count == lanes {
        // Of known length: this becomes shuffles of registers.
        let mut turns = [[0.0; MOST_LANES]; N];
        for lane in 0..lanes {
            for k in 0..N {
                let at = N * lane + k;
                turns[at / lanes][at % lanes] = arrays[k][lane];
            }
        }
        for (k, turn) in turns.iter().enumerate() {
            Lanes::from_array(simd, turn).add_to(to, k * lanes);
        }
    } else {
        for (lane, to) in to.chunks_exact_mut(N).take(count).enumerate() {
            for k in 0..N {
                to[k] += arrays[k][lane];
            }
        }
    }
}

/// Adds values to numbers that stand `advance` apart, or all to one.
#[inline(always)]
fn advancing(values: &[f64], to: &mut [f64], begin: usize, advance: u32) {
    let forward = advance as i32;
    match forward.cmp(&0) {
        Ordering::Equal => to[begin] += values.iter().sum::<f64>(),
        Ordering::Greater => {
            let places = to[begin..].iter_mut().step_by(forward as usize);
            places.zip(values).for_each(|(place, value)| *place += value);
        }
        Ordering::Less => {
            let places = to[..=begin].iter_mut().rev().step_by(forward.unsigned_abs() as usize);
            places.zip(values).for_each(|(place, value)| *place += value);
        }
    }
}
