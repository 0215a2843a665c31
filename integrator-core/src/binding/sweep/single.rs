//! The loop over single elements, and what is made of their gradients in rows.

use crate::binding::gather::Run;
use crate::binding::kernel::{Arguments, Code, Instant, Ports, Row, Single, Vector};
use std::marker::PhantomData;
use std::ops::Range;

/// The loop over single elements, as a method of the code that it runs: it is compiled where the code stands.
pub(in crate::binding) trait SingleSweep<const G: usize, const X: usize, const C: usize>:
    Code<G, X, C>
{
    /// Runs the operation; returns the sum of the scalars.
    fn sweep(work: &mut Single<'_, '_>) -> f64 {
        let Single { ref run, coefficients, entries, .. } = *work;
        let Arguments { x, a, now, weights, places, positions, .. } = *work.arguments;
        let Arguments { vector, matrix, values, .. } = &mut *work.arguments;
        let (vector, matrix, values) = (&mut **vector, &mut **matrix, &mut **values);
        let (Some(first), Some(strides)) = (run.first.first_chunk::<G>(), run.strides.first_chunk::<G>())
        else {
            return 0.0;
        };
        let (mut starts, strides, step) = (*first, *strides, run.step);
        let (mut row, row_stride) = row::<G>(run);
        let (mut element, mut total) = (run.element, 0.0);
        for _ in 0..run.count {
            let Some(c) = coefficients.of::<C>(element) else { break };
            let places = if const { matches!(Self::VECTOR, Vector::InRow) } {
                places[element * X..].first_chunk::<X>().unwrap_or(&[0; X])
            } else {
                &[0; X]
            };
            let mut ports = SinglePorts::<Self, G, X, C> {
                x,
                a,
                c,
                now: now.instant,
                signals: &now.readings,
                starts,
                weight: if const { matches!(Self::ROW, Row::Weighs) } { weights[row as usize] } else { 1.0 },
                vector: &mut *vector,
                places,
                matrix: &mut *matrix,
                positions: positions.get(element * entries..).unwrap_or_default(),
                code: PhantomData,
            };
            let scalar = Self::run(&mut ports);
            if const { matches!(Self::ROW, Row::Adds) } {
                values[row as usize] += scalar;
            } else {
                total += scalar;
            }
            element += step;
            row = row.wrapping_add(row_stride);
            for (start, stride) in starts.iter_mut().zip(strides) {
                *start = start.wrapping_add(stride);
            }
        }
        total
    }
}

impl<K: Code<G, X, C>, const G: usize, const X: usize, const C: usize> SingleSweep<G, X, C> for K {}

/// The row of the first element of a run, and how far the next one is: they stand behind its slots.
#[inline(always)]
fn row<const G: usize>(run: &Run<'_>) -> (u32, u32) {
    let behind = |places: &[u32]| places.get(G).copied().unwrap_or_default();
    (behind(run.first), behind(run.strides))
}

/// How many components of each slot are read.
const fn components<const G: usize, const X: usize>(inputs: [(usize, usize); X]) -> [usize; G] {
    let mut counts = [0; G];
    let mut k = 0;
    while k < X {
        let (slot, component) = inputs[k];
        if component >= counts[slot] {
            counts[slot] = component + 1;
        }
        k += 1;
    }
    counts
}

/// The ports of one element.
struct SinglePorts<'a, K: ?Sized, const G: usize, const X: usize, const C: usize> {
    x: &'a [f64],
    a: &'a [f64],
    c: &'a [f64; C],
    now: Instant,
    signals: &'a [f64],
    starts: [u32; G],
    weight: f64,
    vector: &'a mut [f64],
    places: &'a [u32; X],
    matrix: &'a mut [f64],
    positions: &'a [u32],
    code: PhantomData<fn() -> *const K>,
}

impl<K: Code<G, X, C> + ?Sized, const G: usize, const X: usize, const C: usize> SinglePorts<'_, K, G, X, C> {
    /// Where the slot of an input stands, as a whole: one check of its bounds serves all of its components.
    #[inline(always)]
    fn slot(&self, k: usize) -> (Range<usize>, usize) {
        let (slot, component) = const { K::INPUTS }[k];
        let start = self.starts[slot] as usize;
        (start..start + const { components::<G, X>(K::INPUTS) }[slot], component)
    }

    #[inline(always)]
    fn weighted(&self, value: f64) -> f64 {
        if const { matches!(K::ROW, Row::Weighs) } { self.weight * value } else { value }
    }
}

impl<K: Code<G, X, C> + ?Sized, const G: usize, const X: usize, const C: usize> Ports<f64>
    for SinglePorts<'_, K, G, X, C>
{
    #[inline(always)]
    fn x(&self, k: usize) -> f64 {
        let (slot, component) = self.slot(k);
        self.x[slot][component]
    }

    #[inline(always)]
    fn a(&self, k: usize) -> f64 {
        let (slot, component) = self.slot(k);
        self.a[slot][component]
    }

    #[inline(always)]
    fn c(&self, k: usize) -> f64 {
        self.c[k]
    }

    #[inline(always)]
    fn now(&self) -> Instant {
        self.now
    }

    #[inline(always)]
    fn signal(&self, k: usize) -> f64 {
        self.signals[k]
    }

    #[inline(always)]
    fn vector(&mut self, k: usize, value: f64) {
        let value = self.weighted(value);
        if const { matches!(K::VECTOR, Vector::InRow) } {
            self.vector[self.places[k] as usize] += value;
        } else {
            let (slot, component) = self.slot(k);
            self.vector[slot][component] += value;
        }
    }

    #[inline(always)]
    fn number(&mut self, _: usize, _: f64) {}

    #[inline(always)]
    fn plus(&mut self, k: usize, value: f64) {
        self.matrix[self.positions[k] as usize] += self.weighted(value);
    }

    #[inline(always)]
    fn minus(&mut self, k: usize, value: f64) {
        self.matrix[self.positions[k] as usize] -= self.weighted(value);
    }
}

/// The loops over the gradients of single elements, for what is made of them in rows.
pub(in crate::binding) trait GradientSweep<const G: usize, const X: usize, const C: usize>:
    Code<G, X, C>
{
    /// Adds ∇f · a of each element to its row.
    fn rates(work: &mut Single<'_, '_>) -> f64 {
        gradients::<Self, G, X, C>(work, |arguments, (_, row), gradient, starts| {
            let mut sum = 0.0;
            for (k, (slot, component)) in Self::INPUTS.into_iter().enumerate() {
                sum += gradient[k] * arguments.a[starts[slot] as usize + component];
            }
            arguments.values[row as usize] += sum;
        })
    }

    /// Adds ∇f of each element to its places.
    fn rows(work: &mut Single<'_, '_>) -> f64 {
        gradients::<Self, G, X, C>(work, |arguments, (element, _), gradient, _| {
            let places = &arguments.places[element * X..];
            for (place, value) in places.iter().zip(gradient) {
                arguments.vector[*place as usize] += value;
            }
        })
    }
}

impl<K: Code<G, X, C>, const G: usize, const X: usize, const C: usize> GradientSweep<G, X, C> for K {}

/// Computes the gradient of each element and hands it on, with the numbers of the element and of its row and where its slots begin.
#[inline(always)]
fn gradients<K: Code<G, X, C> + ?Sized, const G: usize, const X: usize, const C: usize>(
    work: &mut Single<'_, '_>,
    mut take: impl FnMut(&mut Arguments<'_>, (usize, u32), &[f64; X], &[u32; G]),
) -> f64 {
    let Single { ref run, coefficients, .. } = *work;
    let Arguments { x, a, now, .. } = *work.arguments;
    let (Some(first), Some(strides)) = (run.first.first_chunk::<G>(), run.strides.first_chunk::<G>()) else {
        return 0.0;
    };
    let (mut starts, strides, step) = (*first, *strides, run.step);
    let (mut row, row_stride) = row::<G>(run);
    let mut element = run.element;
    for _ in 0..run.count {
        let Some(c) = coefficients.of::<C>(element) else { break };
        let mut gradient = [0.0; X];
        {
            let single = SinglePorts::<K, G, X, C> {
                x,
                a,
                c,
                now: now.instant,
                signals: &now.readings,
                starts,
                weight: 1.0,
                vector: &mut [],
                places: &[0; X],
                matrix: &mut [],
                positions: &[],
                code: PhantomData,
            };
            K::run(&mut GradientPorts { single, gradient: &mut gradient });
        }
        take(&mut *work.arguments, (element, row), &gradient, &starts);
        element += step;
        row = row.wrapping_add(row_stride);
        for (start, stride) in starts.iter_mut().zip(strides) {
            *start = start.wrapping_add(stride);
        }
    }
    0.0
}

/// The ports of one element whose gradient is kept.
struct GradientPorts<'a, 'g, K: ?Sized, const G: usize, const X: usize, const C: usize> {
    single: SinglePorts<'a, K, G, X, C>,
    gradient: &'g mut [f64; X],
}

impl<K: Code<G, X, C> + ?Sized, const G: usize, const X: usize, const C: usize> Ports<f64>
    for GradientPorts<'_, '_, K, G, X, C>
{
    #[inline(always)]
    fn x(&self, k: usize) -> f64 {
        self.single.x(k)
    }

    #[inline(always)]
    fn a(&self, k: usize) -> f64 {
        self.single.a(k)
    }

    #[inline(always)]
    fn c(&self, k: usize) -> f64 {
        self.single.c(k)
    }

    #[inline(always)]
    fn now(&self) -> Instant {
        self.single.now()
    }

    #[inline(always)]
    fn signal(&self, k: usize) -> f64 {
        self.single.signal(k)
    }

    #[inline(always)]
    fn vector(&mut self, k: usize, value: f64) {
        self.gradient[k] += value;
    }

    #[inline(always)]
    fn number(&mut self, _: usize, _: f64) {}

    #[inline(always)]
    fn plus(&mut self, _: usize, _: f64) {}

    #[inline(always)]
    fn minus(&mut self, _: usize, _: f64) {}
}
