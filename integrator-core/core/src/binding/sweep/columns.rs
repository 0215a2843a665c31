//! The loop over elements in columns, one register or one number of each column at a time.

use crate::binding::instant::Instant;
use crate::binding::kernel::{Code, Ports, Vector};
use crate::binding::line::COLUMN;
use crate::binding::work::InColumns;
use crate::lanes::Real;
use crate::lanes::form::{ColumnForm, InForm, in_form};
use std::marker::PhantomData;

/// The loop over columns, as a function of a code whose first S coefficients all elements share.
pub(super) fn sweep<K, const G: usize, const X: usize, const C: usize, const R: usize, const S: usize>(
    work: &mut InColumns<'_>,
) where
    K: Code<G, X, C, R>,
{
    in_form(work.registers, ColumnLoop::<K, G, X, C, R, S> { work, code: PhantomData });
}

struct ColumnLoop<'w, 'a, K, const G: usize, const X: usize, const C: usize, const R: usize, const S: usize> {
    work: &'w mut InColumns<'a>,
    code: PhantomData<fn() -> K>,
}

impl<K, const G: usize, const X: usize, const C: usize, const R: usize, const S: usize> InForm
    for ColumnLoop<'_, '_, K, G, X, C, R, S>
where
    K: Code<G, X, C, R>,
{
    #[inline(always)]
    fn run<L: ColumnForm>(self, form: L) {
        let InColumns { columns, x, a, c, now, count, gate, below, weight, ref mut results, .. } = *self.work;
        let all = form.all(columns).as_chunks().0;
        let (Some(x), Some(c), Some(none)) = (x.first_chunk(), c.first_chunk(), all.first()) else { return };
        let x = find::<L, X>(all, x, none);
        let a = a.first_chunk().map_or(x, |a| find::<L, X>(all, a, none));
        let c = find::<L, C>(all, c, none);
        let (zero, results) = (form.splat(0.0), form.all_mut(results));
        let (mut shared, mut sums) = ([zero; S], [zero; X]);
        let is_scalar = const { matches!(K::VECTOR, Vector::None) };
        // Loops, not closures, which would be compiled without the registers of the processor.
        for k in 0..S {
            shared[k] = form.number(c[k][0]);
        }
        for (sum, result) in sums.iter_mut().zip(&*results) {
            *sum = form.number(*result);
        }
        let mut total = form.number(results[0]);
        let now = (
            Instant { t: form.splat(now.instant.t), theta: form.splat(now.instant.theta) },
            &now.readings[..],
        );
        let (gate, adds, below) = (&all[gate as usize], weight.is_some(), form.splat(below));
        let weight = &all[weight.unwrap_or_default() as usize];
        for place in 0..count.min(COLUMN) {
            let near = form.number(gate[place]).lt(below);
            if form.holds_nowhere(near) {
                continue;
            }
            let mut ports =
                ColumnPorts::<L, X, C, S> { form, place, x, a, c, shared, now, vector: [zero; X] };
            let scalar = K::run(&mut ports);
            let weight = form.number(weight[place]);
            if adds && is_scalar {
                total = Real::select(near, weight.multiply_add(scalar, total), total);
            } else if adds {
                for (sum, value) in sums.iter_mut().zip(ports.vector) {
                    *sum = Real::select(near, weight.multiply_add(value, *sum), *sum);
                }
            } else if is_scalar {
                results[place] = form.stored(scalar);
            } else {
                for (to, value) in results.as_chunks_mut::<COLUMN>().0.iter_mut().zip(ports.vector) {
                    to[place] = form.stored(value);
                }
            }
        }
        if adds && is_scalar {
            results[0] = form.stored(total);
        } else if adds {
            for (result, sum) in results.iter_mut().zip(sums) {
                *result = form.stored(sum);
            }
        }
    }
}

/// The columns with these numbers.
#[inline(always)]
fn find<'b, L: ColumnForm, const N: usize>(
    all: &'b [[L::Stored; COLUMN]],
    numbers: &[u32; N],
    none: &'b [L::Stored; COLUMN],
) -> [&'b [L::Stored; COLUMN]; N] {
    let mut found = [none; N];
    for (found, number) in found.iter_mut().zip(numbers) {
        *found = &all[*number as usize];
    }
    found
}

/// The ports of the elements at a place of the columns.
struct ColumnPorts<'b, L: ColumnForm, const X: usize, const C: usize, const S: usize> {
    form: L,
    place: usize,
    x: [&'b [L::Stored; COLUMN]; X],
    a: [&'b [L::Stored; COLUMN]; X],
    c: [&'b [L::Stored; COLUMN]; C],
    shared: [L::Number; S],
    now: (Instant<L::Number>, &'b [f64]),
    vector: [L::Number; X],
}

impl<L: ColumnForm, const X: usize, const C: usize, const S: usize> Ports<L::Number>
    for ColumnPorts<'_, L, X, C, S>
{
    #[inline(always)]
    fn x(&self, k: usize) -> L::Number {
        self.form.number(self.x[k][self.place])
    }

    #[inline(always)]
    fn a(&self, k: usize) -> L::Number {
        self.form.number(self.a[k][self.place])
    }

    #[inline(always)]
    fn c(&self, k: usize) -> L::Number {
        if k < S { self.shared[k] } else { self.form.number(self.c[k][self.place]) }
    }

    #[inline(always)]
    fn now(&self) -> Instant<L::Number> {
        self.now.0
    }

    #[inline(always)]
    fn signal(&self, k: usize) -> L::Number {
        self.form.splat(self.now.1[k])
    }

    // The weights of rows are applied to the results, and sums are scalars.
    #[inline(always)]
    fn weight(&self, _: usize) -> L::Number {
        self.form.splat(f64::NAN)
    }

    #[inline(always)]
    fn vector(&mut self, k: usize, value: L::Number) {
        self.vector[k] = value;
    }
}
