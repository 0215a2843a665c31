//! The loop over rows.
//!
//! Every number that an element yields has a place in the staged memory, where it either stands still or advances with the elements
//! of the row. What stands still is added up in a register and moved on at the end of the row, and so is what belongs to the
//! matrix itself.

use super::{Filling, Group, Rows, StagedRow, place};
use crate::binding::arrangement::lanes_left;
use crate::binding::columns::Columns;
use crate::binding::element::{Called, Compute, Element, Inlined, run_shared};
use crate::binding::instant::Instant;
use crate::binding::operation::Operation;
use crate::lanes::{Lanes, MOST_LANES, Registers, interleaved, vectorize};
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
            vectorize(simd, Loop { part, rows, coefficients, arguments, simd, kernel })
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
        let mut total = Lanes::splat(simd, 0.0);
        let mut element = Element::new(simd, self.coefficients.splat(simd), self.arguments.now);
        let zero = Lanes::splat(simd, 0.0);
        let mut sums = Sums { vector: [zero; X], matrix: [zero; H] };
        for row in self.part {
            self.begin(row, &mut element);
            if const { K::IN_LOOP } && row.star && (!self.kernel.yields().matrix || self.rows.of_pairs) {
                self.follow::<true>(row, &mut element, &mut sums, &mut total);
            } else {
                self.follow::<false>(row, &mut element, &mut sums, &mut total);
            }
            self.end(row, &mut sums);
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

    /// Runs over the elements of a row. In a star it is known to the compiler what moves.
    #[inline(always)]
    fn follow<const STAR: bool>(
        &mut self,
        row: &StagedRow<X, H>,
        element: &mut Element<S, X, C, H>,
        sums: &mut Sums<S, X, H>,
        total: &mut Lanes<S>,
    ) {
        let moves = |k: usize| if STAR { 2 * k >= X } else { row.moving[k] };
        let yields = self.kernel.yields();
        let (simd, lanes) = (self.simd, Lanes::<S>::COUNT);
        // A matrix is filled from the first element on.
        let lead = if yields.matrix { 0 } else { row.lead % lanes };
        let (all, mut skipped) = (row.count + lead, lead);
        let count = all.div_ceil(lanes);
        // Cut once to the length of the loop, which then needs no checks.
        let coefficients = self.coefficients.registers::<S>(row.coefficient - lead, count);
        let mut x: [&[S::f64s]; X] = [&[]; X];
        let mut a = x;
        for k in 0..X {
            if moves(k) {
                x[k] = Lanes::<S>::registers(self.arguments.x, row.first[k] as usize - lead, count);
                if yields.direction {
                    a[k] = Lanes::<S>::registers(self.arguments.a, row.first[k] as usize - lead, count);
                }
            }
        }
        // Copied, so that no store seems to change it.
        let begin = row.first.map(|first| first.wrapping_sub(lead as u32));
        for register in 0..count {
            let at = register * lanes;
            let left = lanes_left(at, all, lanes);
            for k in 0..X {
                if moves(k) {
                    element.x[k] = Lanes::of(simd, x[k][register]);
                    if yields.direction {
                        element.a[k] = Lanes::of(simd, a[k][register]);
                    }
                }
            }
            for (value, column) in element.c.iter_mut().zip(&coefficients) {
                if let Some(values) = column.get(register) {
                    *value = Lanes::of(simd, *values);
                }
            }
            self.kernel.run(simd, element);
            // Twice, so that nothing but registers that are cut needs both a number and its negative.
            if left < lanes || skipped > 0 {
                self.cut(skipped, left, element);
                skipped = 0;
                self.take::<STAR>(row, &begin, at, left, element, sums, total);
            } else {
                self.take::<STAR>(row, &begin, at, left, element, sums, total);
            }
        }
    }

    /// Adds what a register of elements yields; its moving gathers begin at `begin` in the first register.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "the parts of a loop that must stay in registers")]
    fn take<const STAR: bool>(
        &mut self,
        row: &StagedRow<X, H>,
        begin: &[u32; X],
        at: usize,
        left: usize,
        element: &Element<S, X, C, H>,
        sums: &mut Sums<S, X, H>,
        total: &mut Lanes<S>,
    ) {
        let yields = self.kernel.yields();
        if yields.scalar {
            *total = *total + element.output.scalar;
        }
        if yields.vector {
            for (k, begin) in begin.iter().enumerate() {
                let value = element.output.vector[k];
                if if STAR { 2 * k >= X } else { row.moving[k] } {
                    value.add_to(self.arguments.memory, place(*begin, at));
                } else {
                    sums.vector[k] = sums.vector[k] + value;
                }
            }
        }
        if yields.matrix {
            if STAR {
                self.add_pairs(row, at, left, element, sums);
            } else {
                self.add_matrix(row, at, left, element, sums);
            }
        }
    }

    /// Forgets what was computed before the beginning of a row and beyond its end, from numbers of others.
    #[inline(always)]
    fn cut(&self, skipped: usize, left: usize, element: &mut Element<S, X, C, H>) {
        let output = &mut element.output;
        let yields = self.kernel.yields();
        output.scalar = output.scalar.first(left).without(skipped);
        if yields.vector {
            for k in 0..X {
                output.vector[k] = output.vector[k].first(left).without(skipped);
            }
        }
        if yields.matrix {
            for k in 0..H {
                output.matrix[k] = output.matrix[k].first(left);
            }
        }
    }

    /// Adds the entries of a point with many partners: all of them stay in registers, since the compiler knows which is which.
    #[inline(always)]
    fn add_pairs(
        &mut self,
        row: &StagedRow<X, H>,
        at: usize,
        left: usize,
        element: &Element<S, X, C, H>,
        sums: &mut Sums<S, X, H>,
    ) {
        let Staged { memory, matrix, first, .. } = &mut self.arguments;
        let values = &element.output.matrix;
        for &k in const { &K::PAIR }.point.entries() {
            sums.matrix[k] = sums.matrix[k] + values[k];
        }
        for &k in const { &K::PAIR }.partner.entries() {
            values[k].add_to(memory, place(row.matrix[k].start, at));
        }
        let columns = const { K::PAIR.columns };
        for [i, j, k] in columns.into_iter().take(const { K::PAIR.components }) {
            let begin = row.place[i] as usize - *first;
            match const { K::PAIR.components } {
                3 => write_in_turns(
                    self.simd,
                    [values[i], values[j], values[k]],
                    &mut matrix[begin + 3 * at..],
                    left,
                ),
                _ => write_in_turns(self.simd, [values[i], values[j]], &mut matrix[begin + 2 * at..], left),
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
        let Staged { memory, matrix, first, .. } = &mut self.arguments;
        // What a kernel in this loop yields is copied, so that only this needs an address, and the rest stays in registers.
        let copy;
        let values = if K::IN_LOOP {
            copy = Values(element.output.matrix);
            &copy.0
        } else {
            &element.output.matrix
        };
        for &k in &self.rows.banded {
            let target = row.matrix[k];
            if target.advances {
                values[k].add_to(memory, place(target.start, at));
            } else {
                sums.matrix[k] = sums.matrix[k] + values[k];
            }
        }
        for &k in &self.rows.stretched {
            values[k].write(memory, place(row.matrix[k].start, at));
        }
        for group in &self.rows.threes {
            let begin = row.place[group.entries[0]] as usize + 3 * at - *first;
            add_in_turns(self.simd, values, group, &mut matrix[begin..], left);
        }
        for group in &self.rows.twos {
            let begin = row.place[group.entries[0]] as usize + 2 * at - *first;
            add_in_turns(self.simd, values, group, &mut matrix[begin..], left);
        }
    }

    /// Moves on what stood still, which leaves zeros, and what belongs to the matrix.
    #[inline(always)]
    fn end(&mut self, row: &StagedRow<X, H>, sums: &mut Sums<S, X, H>) {
        let layout = &self.rows.memory;
        let Staged { memory, matrix, first, .. } = &mut self.arguments;
        let yields = self.kernel.yields();
        let zero = Lanes::splat(self.simd, 0.0);
        if yields.vector {
            for k in 0..X {
                if !row.moving[k] {
                    memory[row.first[k] as usize] += sums.vector[k].total();
                    sums.vector[k] = zero;
                }
            }
        }
        if yields.matrix {
            for &k in &self.rows.banded {
                let target = row.matrix[k];
                if !target.advances {
                    memory[target.start as usize] += sums.matrix[k].total();
                    sums.matrix[k] = zero;
                }
            }
            for &k in &self.rows.stretched {
                let values = &memory[layout.entry(k)..][..row.count];
                match &self.rows.fillings[k] {
                    Filling::Regular => {
                        add_advancing(values, matrix, row.place[k] as usize - *first, row.advance[k]);
                    }
                    Filling::Listed(positions) => {
                        add_listed(values, matrix, &positions[row.start..], *first);
                    }
                    Filling::Band { .. } | Filling::Together => {}
                }
            }
        }
    }
}

/// Hessian entries, aligned as the elements are.
#[repr(align(64))]
struct Values<S: Simd, const H: usize>([Lanes<S>; H]);

/// What stands still in a row, added up; aligned to cache lines as the elements are.
#[repr(align(64))]
struct Sums<S: Simd, const X: usize, const H: usize> {
    vector: [Lanes<S>; X],
    matrix: [Lanes<S>; H],
}

/// Adds the first `count` lanes of some of the values, lane by lane, or writes them where nothing else is added.
#[inline(always)]
fn add_in_turns<S: Simd, const N: usize>(
    simd: S,
    values: &[Lanes<S>],
    group: &Group<N>,
    to: &mut [f64],
    count: usize,
) {
    let lanes = Lanes::<S>::COUNT;
    let mut columns = [Lanes::splat(simd, 0.0); N];
    for (column, &entry) in columns.iter_mut().zip(&group.entries) {
        *column = values[entry];
    }
    let rows = interleaved(simd, columns);
    if count == lanes {
        let to = &mut to[..N * lanes];
        for (k, row) in rows.iter().enumerate() {
            if group.single {
                row.write(to, k * lanes);
            } else {
                row.add_to(to, k * lanes);
            }
        }
    } else {
        let mut values = [[0.0; MOST_LANES]; N];
        values.iter_mut().zip(&rows).for_each(|(values, row)| row.store(values));
        add_first(&values, lanes, &mut to[..N * count], group.single);
    }
}

/// Adds as many of the values in registers as there are numbers, or writes them where nothing else is added.
#[inline(never)]
fn add_first(registers: &[[f64; MOST_LANES]], lanes: usize, to: &mut [f64], single: bool) {
    if single {
        // Zero stands for what is written over.
        to.fill(0.0);
    }
    for (values, to) in registers.iter().zip(to.chunks_mut(lanes)) {
        to.iter_mut().zip(values).for_each(|(to, value)| *to += value);
    }
}

/// Writes the first `count` lanes of some registers, lane by lane.
#[inline(always)]
fn write_in_turns<S: Simd, const N: usize>(simd: S, columns: [Lanes<S>; N], to: &mut [f64], count: usize) {
    let lanes = Lanes::<S>::COUNT;
    let rows = interleaved(simd, columns);
    if count == lanes {
        let to = &mut to[..N * lanes];
        for (k, row) in rows.iter().enumerate() {
            row.write(to, k * lanes);
        }
    } else {
        for (row, to) in rows.iter().zip(to[..N * count].chunks_mut(lanes)) {
            to.copy_from_slice(&row.to_array()[..to.len()]);
        }
    }
}

/// Adds values to numbers that stand `advance` apart, or all to one.
///
/// Never inlined, as the next one: numbers go one by one, and no loop gains by instructions of its own for that.
#[inline(never)]
fn add_advancing(values: &[f64], to: &mut [f64], begin: usize, advance: u32) {
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

/// Adds values to numbers at these positions, of which the first `begin` are not there.
#[inline(never)]
fn add_listed(values: &[f64], to: &mut [f64], positions: &[u32], begin: usize) {
    for (position, value) in positions.iter().zip(values) {
        to[*position as usize - begin] += value;
    }
}
