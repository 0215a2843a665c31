//! The loop over elements in the lanes of registers.

use crate::binding::coefficients::Column;
use crate::binding::kernel::{Code, Instant, Line, Ports, Row, Vector, Wide};
use crate::lanes::{Lanes, Real, Sum};
use pulp::{Simd, WithSimd};
use std::marker::PhantomData;

/// The loop over registers, as a method of the code that it runs.
pub(in crate::binding) trait WideSweep<const G: usize, const X: usize, const C: usize>:
    Code<G, X, C>
{
    /// Runs the operation; returns the sum of the scalars.
    fn sweep(work: &mut Wide<'_>) -> f64 {
        work.registers.run(Loop::<Self, Plain, G, X, C> { work, code: PhantomData })
    }

    /// Adds the vector of each element, along the direction, to its row.
    fn rates(work: &mut Wide<'_>) -> f64 {
        work.registers.run(Loop::<Self, Rate, G, X, C> { work, code: PhantomData })
    }
}

impl<K: Code<G, X, C>, const G: usize, const X: usize, const C: usize> WideSweep<G, X, C> for K {}

/// What is made of the results of a code.
trait Purpose<K: ?Sized, const G: usize, const X: usize, const C: usize> {
    const READS_DIRECTION: bool;
    /// Whether the vector is contracted with the direction.
    const ALONG: bool;
    /// Whether the vector is added where the inputs stand.
    const VECTOR: bool;
    /// Whether the scalar is added to the row of the element, and the vector weighed by it.
    const ADDS: bool;
    const WEIGHS: bool;
}

/// What the code says.
struct Plain;

/// Its vector, along the direction, is the rate of a row.
struct Rate;

impl<K: Code<G, X, C> + ?Sized, const G: usize, const X: usize, const C: usize> Purpose<K, G, X, C>
    for Plain
{
    const READS_DIRECTION: bool = K::READS_DIRECTION;
    const ALONG: bool = false;
    const VECTOR: bool = matches!(K::VECTOR, Vector::AtInputs);
    const ADDS: bool = matches!(K::ROW, Row::Adds);
    const WEIGHS: bool = matches!(K::ROW, Row::Weighs);
}

impl<K: Code<G, X, C> + ?Sized, const G: usize, const X: usize, const C: usize> Purpose<K, G, X, C> for Rate {
    const READS_DIRECTION: bool = true;
    const ALONG: bool = true;
    const VECTOR: bool = false;
    const ADDS: bool = true;
    const WEIGHS: bool = false;
}

struct Loop<'w, 'a, K: ?Sized, P, const G: usize, const X: usize, const C: usize> {
    work: &'w mut Wide<'a>,
    code: PhantomData<fn() -> (*const K, P)>,
}

impl<K, P, const G: usize, const X: usize, const C: usize> WithSimd for Loop<'_, '_, K, P, G, X, C>
where
    K: Code<G, X, C> + ?Sized,
    P: Purpose<K, G, X, C>,
{
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let Wide { rows, lines, x, a, now, coefficients, sums: of_rows, weights, writes, length, .. } =
            *self.work;
        let Wide { vector, numbers, values, .. } = &mut *self.work;
        let (vector, numbers, values) = (&mut **vector, &mut **numbers, &mut **values);
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
                if P::READS_DIRECTION { read::<S, X>(simd, lines, a, count) } else { (still_x, moving_x) };
            let (mut line, mut weight, mut weights_of_row) = (Line::default(), zero, &[][..]);
            if P::ADDS || P::WEIGHS {
                line = of_rows[number];
            }
            if P::WEIGHS {
                let ([still], [moving]) = read::<S, 1>(simd, &[line], weights, count);
                (weight, weights_of_row) = (Lanes::of(simd, still), moving);
            }
            let (mut sums, mut of_row) = ([Sum::zero(simd); X], Sum::zero(simd));
            for register in 0..count {
                let mut ports = WidePorts::<S, X, C> {
                    register,
                    moving_x: &moving_x,
                    moving_a: &moving_a,
                    still_x: &still_x,
                    still_a: &still_a,
                    c: &c,
                    shared: &shared,
                    now,
                    signals,
                    simd,
                    vector: [zero; X],
                    numbers: &mut *numbers,
                    number: row.number as usize + register * lanes,
                    length,
                };
                let mut scalar = K::run(&mut ports);
                let mut found = ports.vector;
                if P::ALONG {
                    for (k, value) in found.iter().enumerate() {
                        scalar = value.multiply_add(ports.a(k), scalar);
                    }
                }
                if P::WEIGHS {
                    let own = weights_of_row.get(register).map_or(weight, |weight| Lanes::of(simd, *weight));
                    found.iter_mut().for_each(|value| *value = *value * own);
                }
                let left = row.count as usize - register * lanes;
                if left < lanes {
                    // What was computed beyond the end of a row, from numbers of others, is forgotten.
                    scalar = scalar.first(left);
                    if P::VECTOR {
                        found.iter_mut().for_each(|value| *value = value.first(left));
                    }
                }
                if !P::ADDS {
                    total.add(register, scalar);
                } else if line.advances {
                    scalar.add_to(values, line.target as usize + register * lanes);
                } else {
                    of_row.add(register, scalar);
                }
                if P::VECTOR {
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
            if P::ADDS && !line.advances {
                values[line.target as usize] += of_row.total();
            }
            if P::VECTOR {
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
struct WidePorts<'a, S: Simd, const X: usize, const C: usize> {
    register: usize,
    moving_x: &'a [&'a [S::f64s]; X],
    moving_a: &'a [&'a [S::f64s]; X],
    still_x: &'a [S::f64s; X],
    still_a: &'a [S::f64s; X],
    c: &'a [&'a [S::f64s]; C],
    shared: &'a [S::f64s; C],
    now: Instant<Lanes<S>>,
    signals: &'a [f64],
    simd: S,
    vector: [Lanes<S>; X],
    numbers: &'a mut [f64],
    number: usize,
    length: usize,
}

impl<S: Simd, const X: usize, const C: usize> Ports<Lanes<S>> for WidePorts<'_, S, X, C> {
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
