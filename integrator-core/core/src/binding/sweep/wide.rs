//! The loop over elements in the lanes of registers.

use crate::binding::block::{self, Adding, BLOCK, Block, Blocks, NOTHING, Part};
use crate::binding::coefficients::Column;
use crate::binding::instant::Instant;
use crate::binding::kernel::{Code, Ports, Vector, Wide};
use crate::binding::line::Line;
use crate::lanes::{Lanes, Sum};
use pulp::{Simd, WithSimd};
use std::marker::PhantomData;

/// The loop over registers, as a method of the code that it runs.
pub(in crate::binding) trait WideSweep<const G: usize, const X: usize, const C: usize, const R: usize>:
    Code<G, X, C, R>
{
    /// Runs the operation; returns the sum of the scalars.
    fn sweep(work: &mut Wide<'_>) -> f64 {
        work.registers.run(Loop::<Self, G, X, C, R> { work, code: PhantomData })
    }
}

impl<K: Code<G, X, C, R>, const G: usize, const X: usize, const C: usize, const R: usize>
    WideSweep<G, X, C, R> for K
{
}

struct Loop<'w, 'a, K: ?Sized, const G: usize, const X: usize, const C: usize, const R: usize> {
    work: &'w mut Wide<'a>,
    code: PhantomData<fn() -> *const K>,
}

impl<K, const G: usize, const X: usize, const C: usize, const R: usize> WithSimd
    for Loop<'_, '_, K, G, X, C, R>
where
    K: Code<G, X, C, R> + ?Sized,
{
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let Wide { registers, rows, lines, x, a, now, coefficients, sums: first_sums, apart, .. } =
            *self.work;
        let Wide { vector, numbers, values, weights, writes, length, blocks, .. } = &mut *self.work;
        let (weights, writes, length) = (*weights, *writes, *length);
        let has_vector = const { matches!(K::VECTOR, Vector::AtInputs) };
        // What adds a vector is weighed by the sums, all else is added to them.
        let (weighed, adds) = (R > 0 && has_vector, R > 0 && !has_vector);
        let lanes = Lanes::<S>::COUNT;
        let (now, signals) = (now.instant.splat(simd), &now.readings[..]);
        let Blocks {
            x: own_x,
            a: own_a,
            weights: own_weights,
            coefficients: own_c,
            vector: found,
            sums: added,
        } = &mut **blocks;
        let (Some(own_x), Some(own_a), Some(own_weights), Some(own_c), Some(found), Some(added)) = (
            own_x.first_chunk_mut::<X>(),
            own_a.first_chunk_mut::<X>(),
            own_weights.first_chunk_mut::<R>(),
            own_c.first_chunk_mut::<C>(),
            found.first_chunk_mut::<X>(),
            added.first_chunk_mut::<R>(),
        ) else {
            return 0.0;
        };
        let varies = coefficients.iter().any(|column| matches!(column, Column::Varying(_)));
        let mut c = block::coefficients(coefficients, 0, own_c);
        let (mut sums, mut totals, mut total) = ([Sum::ZERO; X], [Sum::ZERO; R], Sum::ZERO);
        for (number, (row, lines)) in rows.iter().zip(lines.as_chunks::<X>().0).enumerate() {
            let of_sums = sums_of::<R>(first_sums.get(number), apart);
            let sums_advance = of_sums.first().is_some_and(|line| line.advances);
            let elements = row.count as usize;
            for begin in (0..elements).step_by(BLOCK) {
                let part = Part { begin, count: (elements - begin).min(BLOCK) };
                let read_x = block::read(simd, lines, part, x, own_x);
                let read_a =
                    if K::READS_DIRECTION { block::read_apart(lines, part, a, own_a) } else { read_x };
                let read_weights = if weighed {
                    block::read_apart(&of_sums, part, weights, own_weights)
                } else {
                    [&NOTHING; R]
                };
                if varies {
                    c = block::coefficients(coefficients, row.coefficient as usize + begin, own_c);
                }
                for register in 0..part.count.div_ceil(lanes).min(BLOCK / lanes) {
                    let mut ports = WidePorts::<S, X, C, R> {
                        register,
                        x: &read_x,
                        a: &read_a,
                        weights: &read_weights,
                        c: &c,
                        now,
                        signals,
                        simd,
                        vector: [Lanes::splat(simd, 0.0); X],
                        sums: [Lanes::splat(simd, 0.0); R],
                        numbers,
                        number: row.number as usize + begin + register * lanes,
                        length,
                    };
                    let mut scalar = K::run(&mut ports);
                    let (mut of_vector, mut of_sums) = (ports.vector, ports.sums);
                    let left = part.count - register * lanes;
                    if left < lanes {
                        // What was computed beyond the end of a row, from numbers of others, is forgotten.
                        scalar = scalar.first(left);
                        of_vector.iter_mut().for_each(|value| *value = value.first(left));
                        of_sums.iter_mut().for_each(|value| *value = value.first(left));
                    }
                    if has_vector {
                        block::put(found, register, of_vector);
                    } else if !adds {
                        total.add(register, scalar);
                    } else if sums_advance {
                        block::put(added, register, of_sums);
                    } else {
                        totals.iter_mut().zip(of_sums).for_each(|(total, value)| total.add(register, value));
                    }
                }
                if has_vector {
                    let to = &mut **vector;
                    Adding { lines, part, found, writes, to, sums: &mut sums }.run(registers);
                } else if adds && sums_advance {
                    let (lines, to) = (&of_sums, &mut **values);
                    Adding { lines, part, found: added, writes: false, to, sums: &mut totals }.run(registers);
                }
            }
            if has_vector {
                block::end(lines, &mut sums, writes, vector);
            } else if adds {
                block::end(&of_sums, &mut totals, false, values);
            }
        }
        total.total()
    }
}

/// Where the elements of a row find the weights of their sums and add to them, from the line of the first ones.
#[inline(always)]
fn sums_of<const R: usize>(first: Option<&Line>, apart: usize) -> [Line; R] {
    let first = first.copied().unwrap_or_default();
    std::array::from_fn(|k| {
        let by = (k * apart) as u32;
        Line { start: first.start + by, target: first.target + by, ..first }
    })
}

/// The ports of the elements of a register.
struct WidePorts<'a, S: Simd, const X: usize, const C: usize, const R: usize> {
    register: usize,
    x: &'a [&'a [f64; BLOCK]; X],
    a: &'a [&'a [f64; BLOCK]; X],
    weights: &'a [&'a [f64; BLOCK]; R],
    c: &'a [&'a [f64; BLOCK]; C],
    now: Instant<Lanes<S>>,
    signals: &'a [f64],
    simd: S,
    vector: [Lanes<S>; X],
    sums: [Lanes<S>; R],
    numbers: &'a mut [f64],
    number: usize,
    length: usize,
}

impl<S: Simd, const X: usize, const C: usize, const R: usize> WidePorts<'_, S, X, C, R> {
    /// The register of a column.
    #[inline(always)]
    fn of(&self, column: &[f64; BLOCK]) -> Lanes<S> {
        Lanes::of(self.simd, Block::registers::<S>(column)[self.register])
    }
}

impl<S: Simd, const X: usize, const C: usize, const R: usize> Ports<Lanes<S>> for WidePorts<'_, S, X, C, R> {
    #[inline(always)]
    fn x(&self, k: usize) -> Lanes<S> {
        self.of(self.x[k])
    }

    #[inline(always)]
    fn a(&self, k: usize) -> Lanes<S> {
        self.of(self.a[k])
    }

    #[inline(always)]
    fn c(&self, k: usize) -> Lanes<S> {
        self.of(self.c[k])
    }

    #[inline(always)]
    fn now(&self) -> Instant<Lanes<S>> {
        self.now
    }

    #[inline(always)]
    fn signal(&self, k: usize) -> Lanes<S> {
        Lanes::splat(self.simd, self.signals[k])
    }

    #[inline(always)]
    fn weight(&self, k: usize) -> Lanes<S> {
        self.of(self.weights[k])
    }

    #[inline(always)]
    fn sum(&mut self, k: usize, value: Lanes<S>) {
        self.sums[k] = value;
    }

    #[inline(always)]
    fn vector(&mut self, k: usize, value: Lanes<S>) {
        self.vector[k] = value;
    }

    #[inline(always)]
    fn number(&mut self, k: usize, value: Lanes<S>) {
        // There is room for all numbers of all rows. An end of the loop here, one for each number, would take rustc the square of
        // their count to analyse.
        if let Some(to) = self.numbers.get_mut(self.number + k * self.length..) {
            value.begin(to);
        }
    }

    #[inline(always)]
    fn plus(&mut self, _: usize, _: Lanes<S>) {}

    #[inline(always)]
    fn minus(&mut self, _: usize, _: Lanes<S>) {}
}
