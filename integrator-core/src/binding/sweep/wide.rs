//! The loop over elements in the lanes of registers.

use crate::binding::coefficients::Column;
use crate::binding::kernel::{Code, Instant, Line, Ports, Vector, Wide};
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
        let Wide { rows, lines, x, a, now, coefficients, sums: first_sums, apart, .. } = *self.work;
        let Wide { vector, numbers, values, weights, writes, length, .. } = &mut *self.work;
        let (vector, numbers, values) = (&mut **vector, &mut **numbers, &mut **values);
        let (weights, writes, length) = (*weights, *writes, *length);
        let has_vector = const { matches!(K::VECTOR, Vector::AtInputs) };
        // What adds a vector is weighed by the sums, all else is added to them.
        let (weighed, adds) = (R > 0 && has_vector, R > 0 && !has_vector);
        let lanes = Lanes::<S>::COUNT;
        let zero = Lanes::splat(simd, 0.0);
        let (now, signals) = (now.instant.splat(simd), &now.readings[..]);
        let mut total = Sum::zero(simd);
        let shared = shared::<S, C>(simd, coefficients);
        for (number, (row, lines)) in rows.iter().zip(lines.as_chunks::<X>().0).enumerate() {
            let count = (row.count as usize).div_ceil(lanes);
            let c = varying::<S, C>(coefficients, row.coefficient as usize, count);
            let (still_x, moving_x) = read::<S, X>(simd, lines, x, count);
            let (still_a, moving_a) =
                if K::READS_DIRECTION { read::<S, X>(simd, lines, a, count) } else { (still_x, moving_x) };
            let of_sums = sums::<R>(first_sums.get(number), apart);
            let (still_weights, moving_weights) = if weighed {
                read::<S, R>(simd, &of_sums, weights, count)
            } else {
                ([simd.splat_f64s(0.0); R], [&[][..]; R])
            };
            let (mut sums, mut totals) = ([Sum::zero(simd); X], [Sum::zero(simd); R]);
            for register in 0..count {
                let mut ports = WidePorts::<S, X, C, R> {
                    register,
                    moving_x: &moving_x,
                    moving_a: &moving_a,
                    still_x: &still_x,
                    still_a: &still_a,
                    moving_weights: &moving_weights,
                    still_weights: &still_weights,
                    c: &c,
                    shared: &shared,
                    now,
                    signals,
                    simd,
                    vector: [zero; X],
                    sums: [zero; R],
                    numbers: &mut *numbers,
                    number: row.number as usize + register * lanes,
                    length,
                };
                let mut scalar = K::run(&mut ports);
                let (mut found, mut added) = (ports.vector, ports.sums);
                let left = row.count as usize - register * lanes;
                if left < lanes {
                    // What was computed beyond the end of a row, from numbers of others, is forgotten.
                    scalar = scalar.first(left);
                    added.iter_mut().for_each(|value| *value = value.first(left));
                    if has_vector {
                        found.iter_mut().for_each(|value| *value = value.first(left));
                    }
                }
                total.add(register, scalar);
                if adds {
                    for k in 0..R {
                        let Line { advances, target, .. } = of_sums[k];
                        if advances {
                            added[k].add_to(values, target as usize + register * lanes);
                        } else {
                            totals[k].add(register, added[k]);
                        }
                    }
                }
                if has_vector {
                    for k in 0..X {
                        let Line { advances, target, .. } = lines[k];
                        if !advances {
                            sums[k].add(register, found[k]);
                            continue;
                        }
                        let target = target as usize + register * lanes;
                        if writes {
                            found[k].write(vector, target);
                        } else {
                            found[k].add_to(vector, target);
                        }
                    }
                }
            }
            if adds {
                for (line, total) in of_sums.iter().zip(&totals) {
                    if !line.advances {
                        values[line.target as usize] += total.total();
                    }
                }
            }
            if has_vector {
                for k in 0..X {
                    if !lines[k].advances {
                        let target = &mut vector[lines[k].target as usize];
                        *target = if writes { 0.0 } else { *target } + sums[k].total();
                    }
                }
            }
        }
        total.total()
    }
}

/// Where the elements of a row find the weights of their sums and add to them, from the line of the first ones.
#[inline(always)]
fn sums<const R: usize>(first: Option<&Line>, apart: usize) -> [Line; R] {
    let first = first.copied().unwrap_or_default();
    std::array::from_fn(|k| {
        let by = (k * apart) as u32;
        Line { start: first.start + by, target: first.target + by, ..first }
    })
}

/// The coefficients that all elements share.
#[inline(always)]
fn shared<S: Simd, const C: usize>(simd: S, columns: &[Column]) -> [S::f64s; C] {
    let mut shared = [simd.splat_f64s(0.0); C];
    for (value, column) in shared.iter_mut().zip(columns) {
        if let Column::Shared(number) = column {
            *value = simd.splat_f64s(*number);
        }
    }
    shared
}

/// The registers of the other ones that begin at `at`: cut once to the length of the loop.
#[inline(always)]
fn varying<S: Simd, const C: usize>(columns: &[Column], at: usize, count: usize) -> [&[S::f64s]; C] {
    let mut varying: [&[S::f64s]; C] = [&[]; C];
    for (values, column) in varying.iter_mut().zip(columns) {
        if let Column::Varying(all) = column {
            *values = Lanes::<S>::registers(all, at, count);
        }
    }
    varying
}

/// The numbers that the inputs of a row read: one number for an input that stands still, registers for one that advances.
#[inline(always)]
fn read<'a, S: Simd, const X: usize>(
    simd: S,
    lines: &[Line; X],
    from: &'a [f64],
    count: usize,
) -> ([S::f64s; X], [&'a [S::f64s]; X]) {
    let (mut still, mut moving): (_, [&[S::f64s]; X]) = ([simd.splat_f64s(0.0); X], [&[]; X]);
    for k in 0..X {
        let start = lines[k].start as usize;
        if lines[k].advances {
            moving[k] = Lanes::<S>::registers(from, start, count);
            if moving[k].len() < count {
                // The last register is not whole: the vector ends.
                still[k] = Lanes::<S>::rest(simd, from, start + moving[k].len() * Lanes::<S>::COUNT).values();
            }
        } else {
            still[k] = simd.splat_f64s(from[start]);
        }
    }
    (still, moving)
}

/// The ports of the elements of a register.
struct WidePorts<'a, S: Simd, const X: usize, const C: usize, const R: usize> {
    register: usize,
    moving_x: &'a [&'a [S::f64s]; X],
    moving_a: &'a [&'a [S::f64s]; X],
    still_x: &'a [S::f64s; X],
    still_a: &'a [S::f64s; X],
    moving_weights: &'a [&'a [S::f64s]; R],
    still_weights: &'a [S::f64s; R],
    c: &'a [&'a [S::f64s]; C],
    shared: &'a [S::f64s; C],
    now: Instant<Lanes<S>>,
    signals: &'a [f64],
    simd: S,
    vector: [Lanes<S>; X],
    sums: [Lanes<S>; R],
    numbers: &'a mut [f64],
    number: usize,
    length: usize,
}

impl<S: Simd, const X: usize, const C: usize, const R: usize> Ports<Lanes<S>> for WidePorts<'_, S, X, C, R> {
    #[inline(always)]
    fn x(&self, k: usize) -> Lanes<S> {
        let values = match self.moving_x[k].get(self.register) {
            Some(values) => *values,
            None => self.still_x[k],
        };
        Lanes::of(self.simd, values)
    }

    #[inline(always)]
    fn a(&self, k: usize) -> Lanes<S> {
        let values = match self.moving_a[k].get(self.register) {
            Some(values) => *values,
            None => self.still_a[k],
        };
        Lanes::of(self.simd, values)
    }

    #[inline(always)]
    fn c(&self, k: usize) -> Lanes<S> {
        let values = match self.c[k].get(self.register) {
            Some(values) => *values,
            None => self.shared[k],
        };
        Lanes::of(self.simd, values)
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
        let values = match self.moving_weights[k].get(self.register) {
            Some(values) => *values,
            None => self.still_weights[k],
        };
        Lanes::of(self.simd, values)
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
