//! The loop over single elements, over their rates as x moves, and over their gradients in rows.

use crate::binding::gather::Run;
use crate::binding::instant::Instant;
use crate::binding::kernel::{Code, Ports, Row, Vector};
use crate::binding::work::{Arguments, Single};
use crate::lanes::form::{ElementForm, One};
use std::marker::PhantomData;
use std::ops::Range;

/// The loop over single elements, as a method of its code: it is compiled with the code.
pub(in crate::binding) trait SingleSweep<const G: usize, const X: usize, const C: usize, const R: usize>:
    Code<G, X, C, R>
{
    /// Runs the operation; returns the sum of the scalars.
    ///
    /// In numbers with a rate: the rates of the results along the direction `rate` of x.
    fn sweep<L: ElementForm<Entry = f64> + Default>(work: &mut Single<'_, '_>) -> f64 {
        let Single { ref runs, coefficients, entries, .. } = *work;
        let Arguments { x, a, rate, now, weights, apart, places, alone, positions, .. } = *work.arguments;
        let Arguments { vector, matrix, values, .. } = &mut *work.arguments;
        let (vector, matrix, values) = (&mut **vector, &mut **matrix, &mut **values);
        let (form, mut total) = (L::default(), 0.0);
        let shared = coefficients.shared::<C>();
        for run in runs.clone() {
            let Some((mut starts, strides)) = slots::<G>(&run) else { break };
            let (mut row, row_stride) = row::<G>(&run);
            let mut element = run.element;
            for _ in 0..run.count {
                let Some(c) = shared.or_else(|| coefficients.of::<C>(element)) else { break };
                let mut ports = SinglePorts::<L, Self, G, X, C, R, false> {
                    form,
                    x,
                    a,
                    rate,
                    c,
                    now: now.instant,
                    signals: &now.readings,
                    starts,
                    row: row as usize,
                    apart,
                    weights,
                    values: &mut *values,
                    vector: &mut *vector,
                    gradient: [0.0; X],
                    matrix: &mut *matrix,
                    positions: positions.get(element * entries..).unwrap_or_default(),
                    code: PhantomData,
                };
                let scalar = form.result(Self::run(&mut ports));
                if const { matches!(Self::VECTOR, Vector::InRow) }
                    && let Some(places) = places[element * X..].first_chunk::<X>()
                {
                    ports.put_row(places, alone);
                }
                if const { matches!(Self::ROW, Row::Adds) } {
                    values[row as usize] += scalar;
                } else {
                    total += scalar;
                }
                element += run.step;
                row = row.wrapping_add(row_stride);
                advance(&mut starts, &strides);
            }
        }
        total
    }
}

impl<K: Code<G, X, C, R>, const G: usize, const X: usize, const C: usize, const R: usize>
    SingleSweep<G, X, C, R> for K
{
}

/// One element, whose slots begin at places that the declaration fixes.
pub(in crate::binding) struct Straight<'a, L: ElementForm, const G: usize, const X: usize, const C: usize> {
    pub(in crate::binding) form: L,
    pub(in crate::binding) x: &'a [L::Entry],
    pub(in crate::binding) a: &'a [L::Entry],
    pub(in crate::binding) c: &'a [L::Entry; C],
    pub(in crate::binding) now: Instant,
    pub(in crate::binding) starts: [u32; G],
    pub(in crate::binding) row: usize,
    pub(in crate::binding) weights: &'a [L::Entry],
    pub(in crate::binding) vector: &'a mut [L::Entry],
    pub(in crate::binding) places: &'a [u32; X],
    pub(in crate::binding) matrix: &'a mut [L::Entry],
    pub(in crate::binding) positions: &'a [u32],
}

impl<L: ElementForm, const G: usize, const X: usize, const C: usize> Straight<'_, L, G, X, C> {
    /// Runs an operation and adds its vector and matrix; returns its scalar.
    #[inline(always)]
    pub(in crate::binding) fn run<K: Code<G, X, C>>(&mut self) -> L::Entry {
        let Self { form, x, a, c, now, starts, row, weights, places, positions, .. } = *self;
        let mut ports = SinglePorts::<L, K, G, X, C, 0, false> {
            form,
            x,
            a,
            rate: &[],
            c,
            now,
            signals: &[],
            starts,
            row,
            apart: 0,
            weights,
            values: &mut [],
            vector: &mut *self.vector,
            gradient: [form.result(form.splat(0.0)); X],
            matrix: &mut *self.matrix,
            positions,
            code: PhantomData,
        };
        let scalar = form.result(K::run(&mut ports));
        if const { matches!(K::VECTOR, Vector::InRow) } {
            ports.put_row(places, false);
        }
        scalar
    }
}

/// The first places of the slots of the first element of a run, and their strides.
#[inline(always)]
fn slots<const G: usize>(run: &Run<'_>) -> Option<([u32; G], [u32; G])> {
    Some((*run.first.first_chunk()?, *run.strides.first_chunk()?))
}

/// The slots of the next element.
#[inline(always)]
fn advance<const G: usize>(starts: &mut [u32; G], strides: &[u32; G]) {
    for (start, stride) in starts.iter_mut().zip(strides) {
        *start = start.wrapping_add(*stride);
    }
}

/// The row of the first element of a run, after its slots, and its stride.
#[inline(always)]
fn row<const G: usize>(run: &Run<'_>) -> (u32, u32) {
    let behind = |places: &[u32]| places.get(G).copied().unwrap_or_default();
    (behind(run.first), behind(run.strides))
}

/// The number of components of each slot.
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

/// The ports of one element; with KEEPS, its vector is kept.
struct SinglePorts<
    'a,
    L: ElementForm,
    K: ?Sized,
    const G: usize,
    const X: usize,
    const C: usize,
    const R: usize,
    const KEEPS: bool,
> {
    form: L,
    x: &'a [L::Entry],
    a: &'a [L::Entry],
    /// The rates of x, for numbers with a rate.
    rate: &'a [f64],
    c: &'a [L::Entry; C],
    now: Instant,
    signals: &'a [f64],
    starts: [u32; G],
    /// The row of the element, or of its first sum.
    row: usize,
    apart: usize,
    weights: &'a [L::Entry],
    values: &'a mut [L::Entry],
    vector: &'a mut [L::Entry],
    /// The gradient, before it goes into a row.
    gradient: [L::Entry; X],
    matrix: &'a mut [L::Entry],
    positions: &'a [u32],
    code: PhantomData<fn() -> *const K>,
}

impl<L, K, const G: usize, const X: usize, const C: usize, const R: usize, const KEEPS: bool>
    SinglePorts<'_, L, K, G, X, C, R, KEEPS>
where
    L: ElementForm,
    K: Code<G, X, C, R> + ?Sized,
{
    /// The whole slot of an input, so that one check of bounds serves all components.
    #[inline(always)]
    fn slot(&self, k: usize) -> (Range<usize>, usize) {
        let (slot, component) = const { K::INPUTS }[k];
        let start = self.starts[slot] as usize;
        (start..start + const { components::<G, X>(K::INPUTS) }[slot], component)
    }

    /// Writes a vector to its places in a row.
    #[inline(always)]
    fn put_row(&mut self, places: &[u32; X], alone: bool) {
        if !alone {
            for (place, entry) in places.iter().zip(self.gradient) {
                let own = &mut self.vector[*place as usize];
                *own = *own + entry;
            }
            return;
        }
        // The places are these, from the first on.
        let first = places.first().map_or(0, |place| *place as usize);
        self.vector[first..first + X].copy_from_slice(&self.gradient);
    }

    #[inline(always)]
    fn weighted(&self, value: L::Number) -> L::Entry {
        let value = self.form.result(value);
        if const { matches!(K::ROW, Row::Weighs) } { self.weights[self.row] * value } else { value }
    }
}

impl<L, K, const G: usize, const X: usize, const C: usize, const R: usize, const KEEPS: bool> Ports<L::Number>
    for SinglePorts<'_, L, K, G, X, C, R, KEEPS>
where
    L: ElementForm,
    K: Code<G, X, C, R> + ?Sized,
{
    #[inline(always)]
    fn x(&self, k: usize) -> L::Number {
        let (slot, component) = self.slot(k);
        self.form.input(self.x[slot.clone()][component], || self.rate[slot][component])
    }

    #[inline(always)]
    fn a(&self, k: usize) -> L::Number {
        let (slot, component) = self.slot(k);
        self.form.known(self.a[slot][component])
    }

    #[inline(always)]
    fn c(&self, k: usize) -> L::Number {
        self.form.known(self.c[k])
    }

    #[inline(always)]
    fn now(&self) -> Instant<L::Number> {
        let Instant { t, theta } = self.now;
        Instant { t: self.form.splat(t), theta: self.form.splat(theta) }
    }

    #[inline(always)]
    fn signal(&self, k: usize) -> L::Number {
        self.form.splat(self.signals[k])
    }

    #[inline(always)]
    fn weight(&self, k: usize) -> L::Number {
        self.form.known(self.weights[self.row + k * self.apart])
    }

    #[inline(always)]
    fn sum(&mut self, k: usize, value: L::Number) {
        let own = &mut self.values[self.row + k * self.apart];
        *own = *own + self.form.result(value);
    }

    #[inline(always)]
    fn vector(&mut self, k: usize, value: L::Number) {
        let value = self.weighted(value);
        let own = if const { KEEPS || matches!(K::VECTOR, Vector::InRow) } {
            &mut self.gradient[k]
        } else {
            let (slot, component) = self.slot(k);
            &mut self.vector[slot][component]
        };
        *own = *own + value;
    }

    #[inline(always)]
    fn plus(&mut self, k: usize, value: L::Number) {
        let value = self.weighted(value);
        let own = &mut self.matrix[self.positions[k] as usize];
        *own = *own + value;
    }

    #[inline(always)]
    fn minus(&mut self, k: usize, value: L::Number) {
        let value = self.weighted(value);
        let own = &mut self.matrix[self.positions[k] as usize];
        *own = *own - value;
    }
}

/// Adds ∇f of each sum to its row of a matrix:
/// the code of Σ w ∇f with one weight of one, the others zero.
pub(super) fn rows<K: Code<G, X, C, R>, const G: usize, const X: usize, const C: usize, const R: usize>(
    work: &mut Single<'_, '_>,
) -> f64 {
    let Single { ref runs, coefficients, reads, .. } = *work;
    let Arguments { x, a, now, places, .. } = *work.arguments;
    let matrix = &mut *work.arguments.vector;
    for run in runs.clone() {
        let Some((mut starts, strides)) = slots::<G>(&run) else { break };
        let mut element = run.element;
        for _ in 0..run.count {
            let Some(c) = coefficients.of::<C>(element) else { break };
            let mut gradients = [[0.0; X]; R];
            for (sum, gradient) in gradients.iter_mut().enumerate() {
                let mut weights = [0.0; R];
                weights[sum] = 1.0;
                let mut ports = SinglePorts::<One, K, G, X, C, R, true> {
                    form: One,
                    x,
                    a,
                    rate: &[],
                    c,
                    now: now.instant,
                    signals: &now.readings,
                    starts,
                    row: 0,
                    apart: 1,
                    weights: &weights,
                    values: &mut [],
                    vector: &mut [],
                    gradient: [0.0; X],
                    matrix: &mut [],
                    positions: &[],
                    code: PhantomData,
                };
                K::run(&mut ports);
                *gradient = ports.gradient;
            }
            for (&(sum, input), place) in reads.iter().zip(&places[element * reads.len()..]) {
                matrix[*place as usize] += gradients[sum][input];
            }
            element += run.step;
            advance(&mut starts, &strides);
        }
    }
    0.0
}
