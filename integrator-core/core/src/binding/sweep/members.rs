//! The loop over the elements of several members of an ensemble, whose lanes are members.

use crate::binding::instant::Instant;
use crate::binding::kernel::{Code, OfMembers, Ports, Row, Vector};
use crate::lanes::Exact;
use pulp::{Simd, WithSimd};
use std::marker::PhantomData;

/// The loop over the elements of several members, as a method of its code.
pub(in crate::binding) trait MembersSweep<const G: usize, const X: usize, const C: usize>:
    Code<G, X, C>
{
    fn sweep(work: &mut OfMembers<'_>) {
        work.registers.run(MembersLoop { work, code: PhantomData::<fn() -> *const Self> });
    }
}

impl<K: Code<G, X, C>, const G: usize, const X: usize, const C: usize> MembersSweep<G, X, C> for K {}

struct MembersLoop<'w, 'a, K: ?Sized, const G: usize, const X: usize, const C: usize> {
    work: &'w mut OfMembers<'a>,
    code: PhantomData<fn() -> *const K>,
}

impl<K: Code<G, X, C> + ?Sized, const G: usize, const X: usize, const C: usize> WithSimd
    for MembersLoop<'_, '_, K, G, X, C>
{
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let OfMembers { count, slots, coefficients, now, x, a, places, rows, .. } = *self.work;
        let OfMembers { vector, values, .. } = self.work;
        let registers = |numbers| S::as_simd_f64s(numbers).0;
        let (x, a, coefficients) = (registers(x), registers(a), registers(coefficients));
        let vector = S::as_mut_simd_f64s(vector).0;
        let values = S::as_mut_simd_f64s(values).0;
        let [t, theta] = *registers(now) else { return };
        let now = Instant { t: Exact::of(simd, t), theta: Exact::of(simd, theta) };
        for element in 0..count {
            let (Some(starts), Some(c)) = (
                slots.get(element * G..).and_then(|slots| slots.first_chunk::<G>()),
                coefficients.get(element * C..).and_then(|values| values.first_chunk::<C>()),
            ) else {
                return;
            };
            let places = places.get(element * X..).and_then(|places| places.first_chunk::<X>());
            let mut ports = MembersPorts::<S, K, G, X, C> {
                simd,
                x,
                a,
                c,
                now,
                starts,
                vector: &mut *vector,
                places: places.unwrap_or(&[0; X]),
                code: PhantomData,
            };
            let scalar = K::run(&mut ports);
            if const { matches!(K::ROW, Row::Adds) } {
                let value = &mut values[rows[element] as usize];
                *value = (Exact::of(simd, *value) + scalar).values();
            }
        }
    }
}

/// The ports of one element of all members.
struct MembersPorts<'a, S: Simd, K: ?Sized, const G: usize, const X: usize, const C: usize> {
    simd: S,
    x: &'a [S::f64s],
    a: &'a [S::f64s],
    c: &'a [S::f64s; C],
    now: Instant<Exact<S>>,
    starts: &'a [u32; G],
    vector: &'a mut [S::f64s],
    places: &'a [u32; X],
    code: PhantomData<fn() -> *const K>,
}

impl<S: Simd, K: Code<G, X, C> + ?Sized, const G: usize, const X: usize, const C: usize>
    MembersPorts<'_, S, K, G, X, C>
{
    /// The place of an input.
    #[inline(always)]
    fn place(&self, k: usize) -> usize {
        let (slot, component) = const { K::INPUTS }[k];
        self.starts[slot] as usize + component
    }
}

impl<S: Simd, K: Code<G, X, C> + ?Sized, const G: usize, const X: usize, const C: usize> Ports<Exact<S>>
    for MembersPorts<'_, S, K, G, X, C>
{
    #[inline(always)]
    fn x(&self, k: usize) -> Exact<S> {
        Exact::of(self.simd, self.x[self.place(k)])
    }

    #[inline(always)]
    fn a(&self, k: usize) -> Exact<S> {
        Exact::of(self.simd, self.a[self.place(k)])
    }

    #[inline(always)]
    fn c(&self, k: usize) -> Exact<S> {
        Exact::of(self.simd, self.c[k])
    }

    #[inline(always)]
    fn now(&self) -> Instant<Exact<S>> {
        self.now
    }

    // `Members` refuses systems with signals.
    #[inline(always)]
    fn signal(&self, _: usize) -> Exact<S> {
        Exact::splat(self.simd, f64::NAN)
    }

    // It also refuses sums in functions.
    #[inline(always)]
    fn weight(&self, _: usize) -> Exact<S> {
        Exact::splat(self.simd, f64::NAN)
    }

    #[inline(always)]
    fn sum(&mut self, _: usize, _: Exact<S>) {}

    #[inline(always)]
    fn vector(&mut self, k: usize, value: Exact<S>) {
        let in_row = const { matches!(K::VECTOR, Vector::InRow) };
        let place = if in_row { self.places[k] as usize } else { self.place(k) };
        let entry = &mut self.vector[place];
        *entry = (Exact::of(self.simd, *entry) + value).values();
    }

    #[inline(always)]
    fn number(&mut self, _: usize, _: Exact<S>) {}

    #[inline(always)]
    fn plus(&mut self, _: usize, _: Exact<S>) {}

    #[inline(always)]
    fn minus(&mut self, _: usize, _: Exact<S>) {}
}
