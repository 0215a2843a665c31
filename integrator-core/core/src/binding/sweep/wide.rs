//! The loop over elements in the lanes of registers.

use crate::binding::coefficients::Column;
use crate::binding::columns::{InputColumns, Read, RowPlaces, Sums};
use crate::binding::instant::Instant;
use crate::binding::kernel::{Code, Ports, Vector};
use crate::binding::line::{BLOCK, Line};
use crate::binding::work::Wide;
use crate::lanes::{LaneMask, Lanes, Sum};
use pulp::{Simd, WithSimd};
use std::marker::PhantomData;

/// The loop over registers, as a method of its code.
pub(in crate::binding) trait WideSweep<const G: usize, const X: usize, const C: usize, const R: usize>:
    Code<G, X, C, R>
{
    /// Runs the operation; returns the sum of the scalars.
    fn sweep(work: &mut Wide<'_>) -> f64 {
        work.registers.run(RowLoop::<Self, G, X, C, R> { work, code: PhantomData })
    }
}

impl<K: Code<G, X, C, R>, const G: usize, const X: usize, const C: usize, const R: usize>
    WideSweep<G, X, C, R> for K
{
}

struct RowLoop<'w, 'a, K: ?Sized, const G: usize, const X: usize, const C: usize, const R: usize> {
    work: &'w mut Wide<'a>,
    code: PhantomData<fn() -> *const K>,
}

impl<K, const G: usize, const X: usize, const C: usize, const R: usize> WithSimd
    for RowLoop<'_, '_, K, G, X, C, R>
where
    K: Code<G, X, C, R> + ?Sized,
{
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let Wide { rows, lines, x, a, now, coefficients, sums: first_sums, apart, .. } = *self.work;
        let Wide { vector, numbers, values, weights, writes, length, blocks, .. } = &mut *self.work;
        let (weights, writes, length) = (*weights, *writes, *length);
        let has_vector = const { matches!(K::VECTOR, Vector::AtInputs) };
        // A vector is weighted by the sums; other results are added to them.
        let (weighed, adds) = (R > 0 && has_vector, R > 0 && !has_vector);
        // The numbers of a matrix begin with the first element of a row.
        let leads = has_vector && length == 0;
        let lanes = Lanes::<S>::COUNT;
        let (now, signals) = (now.instant.splat(simd), &now.readings[..]);
        let Some(own) = blocks.own::<X, C, R>() else { return 0.0 };
        let (mut to, mut to_sums, mut total) =
            (Sums::new(vector, own.vector), Sums::new(values, own.sums), Sum::ZERO);
        let (mut of_x, mut of_a) = (InputColumns::OWN, InputColumns::OWN);
        let (mut of_weights, mut of_c) = (InputColumns::OWN, InputColumns::OWN);
        let varies = coefficients.iter().any(|column| matches!(column, Column::Varying(_)));
        for (number, (row, lines)) in rows.iter().zip(lines.as_chunks::<X>().0).enumerate() {
            let of_sums = sums_of::<R>(first_sums.get(number), apart);
            let lead = if leads { row.lead as usize } else { 0 };
            let places = RowPlaces { lead, count: lead + row.count as usize };
            of_x.find(lines, places, x, own.x);
            if K::READS_DIRECTION {
                of_a.find_apart(lines, places, a, own.a);
            }
            if weighed {
                of_weights.find_apart(&of_sums, places, weights, own.weights);
            }
            if varies {
                of_c.find_coefficients(coefficients, row.coefficient, places, own.coefficients);
            }
            if has_vector {
                to.begin(lines, lead);
            } else if adds {
                to_sums.begin(&of_sums, lead);
            }
            for (block, begin) in (0..places.count).step_by(BLOCK).enumerate() {
                let (x, a) = (of_x.block(own.x, block), of_a.block(own.a, block));
                let (weights, c) =
                    (of_weights.block(own.weights, block), of_c.block(own.coefficients, block));
                // Only vectors of sums end within a block.
                if has_vector {
                    to.begin_block(lines, block, weighed);
                } else if adds {
                    to_sums.begin_block(&of_sums, block, true);
                }
                let count = (places.count - begin).min(BLOCK);
                for register in 0..count.div_ceil(lanes).min(BLOCK / lanes) {
                    let element = register * lanes;
                    let mut ports = WidePorts::<S, X, C, R> {
                        register,
                        x: &x,
                        a: &a,
                        weights: &weights,
                        c: &c,
                        now,
                        signals,
                        simd,
                        vector: [Lanes::splat(simd, 0.0); X],
                        sums: [Lanes::splat(simd, 0.0); R],
                        numbers,
                        number: row.number as usize + begin + element,
                        length,
                    };
                    let mut scalar = K::run(&mut ports);
                    let (mut of_vector, mut of_sums) = (ports.vector, ports.sums);
                    let (before, left) = (lead.saturating_sub(begin + element), count - element);
                    if before > 0 || left < lanes {
                        // Lanes before a row and beyond its end have numbers of others.
                        let kept = LaneMask::between(simd, before, left);
                        scalar = scalar.of_mask(kept);
                        of_vector.iter_mut().for_each(|value| *value = value.of_mask(kept));
                        of_sums.iter_mut().for_each(|value| *value = value.of_mask(kept));
                    }
                    if has_vector && writes {
                        of_vector.iter().enumerate().for_each(|(k, value)| to.write(k, register, *value));
                    } else if has_vector {
                        of_vector.iter().enumerate().for_each(|(k, value)| to.add(k, register, *value));
                    } else if adds {
                        of_sums.iter().enumerate().for_each(|(k, value)| to_sums.add(k, register, *value));
                    } else {
                        total.add(register, scalar);
                    }
                }
                if has_vector {
                    to.end_block(lines, block, weighed);
                } else if adds {
                    to_sums.end_block(&of_sums, block, true);
                }
            }
            if has_vector {
                to.end(lines, lead);
            } else if adds {
                to_sums.end(&of_sums, lead);
            }
        }
        total.total()
    }
}

/// The lines of the sums of a row for weights and for adding, from the line of the first ones.
#[inline(always)]
fn sums_of<const R: usize>(first: Option<&Line>, apart: usize) -> [Line; R] {
    let first = first.copied().unwrap_or_default();
    std::array::from_fn(|k| {
        let by = (k * apart) as u32;
        Line { start: first.start + by, target: first.target + by, ..first }
    })
}

/// The ports of the elements of a register.
struct WidePorts<'a, 'r, S: Simd, const X: usize, const C: usize, const R: usize> {
    register: usize,
    x: &'a Read<'r, X>,
    a: &'a Read<'r, X>,
    weights: &'a Read<'r, R>,
    c: &'a Read<'r, C>,
    now: Instant<Lanes<S>>,
    signals: &'a [f64],
    simd: S,
    vector: [Lanes<S>; X],
    sums: [Lanes<S>; R],
    numbers: &'a mut [f64],
    number: usize,
    length: usize,
}

impl<S: Simd, const X: usize, const C: usize, const R: usize> Ports<Lanes<S>>
    for WidePorts<'_, '_, S, X, C, R>
{
    #[inline(always)]
    fn x(&self, k: usize) -> Lanes<S> {
        self.x.get(self.simd, k, self.register)
    }

    #[inline(always)]
    fn a(&self, k: usize) -> Lanes<S> {
        self.a.get(self.simd, k, self.register)
    }

    #[inline(always)]
    fn c(&self, k: usize) -> Lanes<S> {
        self.c.get(self.simd, k, self.register)
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
        self.weights.get(self.simd, k, self.register)
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
        // The memory has room for all numbers. A loop exit here,
        // one for each number, would cost rustc quadratic time.
        if let Some(to) = self.numbers.get_mut(self.number + k * self.length..) {
            value.begin(to);
        }
    }
}
