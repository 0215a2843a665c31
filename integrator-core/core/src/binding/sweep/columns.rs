//! The loop over elements in columns, one register or one number of each column at a time.

use crate::binding::instant::Instant;
use crate::binding::kernel::{Code, Ports, Vector};
use crate::binding::line::COLUMN;
use crate::binding::work::InColumns;
use crate::lanes::form::{InForm, NumberForm, in_form};
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
    fn run<L: NumberForm>(self, form: L) {
        let InColumns { columns, x, a, c, now, count, ref mut results, .. } = *self.work;
        let all = form.all(columns).as_chunks().0;
        let (Some(x), Some(c)) = (x.first_chunk::<X>(), c.first_chunk::<C>()) else { return };
        let x = x.map(|column| &all[column as usize]);
        let a = a.first_chunk::<X>().map_or(x, |a| a.map(|column| &all[column as usize]));
        let c = c.map(|column| &all[column as usize]);
        let mut shared = [form.splat(0.0); S];
        shared.iter_mut().zip(c).for_each(|(shared, column)| *shared = form.number(column[0]));
        let instant = Instant { t: form.splat(now.instant.t), theta: form.splat(now.instant.theta) };
        let results = form.all_mut(results).as_chunks_mut::<COLUMN>().0;
        for place in 0..count.min(COLUMN) {
            let mut ports = ColumnPorts::<L, X, C, S> {
                form,
                place,
                x,
                a,
                c,
                shared,
                now: instant,
                signals: &now.readings,
                vector: [form.splat(0.0); X],
            };
            let scalar = K::run(&mut ports);
            if const { matches!(K::VECTOR, Vector::None) } {
                if let Some(to) = results.first_mut() {
                    to[place] = form.stored(scalar);
                }
            } else {
                let results = results.iter_mut().zip(ports.vector);
                results.for_each(|(to, value)| to[place] = form.stored(value));
            }
        }
    }
}

/// The ports of the elements at a place of the columns.
struct ColumnPorts<'b, L: NumberForm, const X: usize, const C: usize, const S: usize> {
    form: L,
    place: usize,
    x: [&'b [L::Stored; COLUMN]; X],
    a: [&'b [L::Stored; COLUMN]; X],
    c: [&'b [L::Stored; COLUMN]; C],
    shared: [L::Number; S],
    now: Instant<L::Number>,
    signals: &'b [f64],
    vector: [L::Number; X],
}

impl<L: NumberForm, const X: usize, const C: usize, const S: usize> Ports<L::Number>
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
        self.now
    }

    #[inline(always)]
    fn signal(&self, k: usize) -> L::Number {
        self.form.splat(self.signals[k])
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
