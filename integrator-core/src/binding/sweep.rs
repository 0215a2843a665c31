//! The loop over the elements of a family.
//!
//! It is written three times: for one element after the other, which read and add where their coordinates stand; for elements in
//! the lanes of registers, which read and add columns that a [`Layout`](super::layout::Layout) has prepared; and for one element after the
//! other of several members of an ensemble, whose lanes are members. Around all, layouts
//! and assembly are compiled once for all models; only what stands here is compiled for each operation of each model.

use super::coefficients::Column;
use super::gather::Run;
use super::kernel::{
    Along, Arguments, Code, Instant, Line, OfMembers, Operation, Ports, Row, Single, Vector, Wide,
};
use crate::lanes::{Exact, Lanes, Real, Sum};
use pulp::{Simd, WithSimd};
use std::marker::PhantomData;
use std::ops::Range;

impl Operation {
    /// An operation for one element at a time.
    pub const fn single<K, const G: usize, const X: usize, const C: usize>() -> Self
    where
        K: Code<G, X, C>,
    {
        Self { single: <K as SingleSweep<G, X, C>>::sweep, wide: None, along: None, members: None }
    }

    /// An operation for registers, too: where its arithmetic is worth bringing the numbers into lanes.
    pub const fn wide<K, const G: usize, const X: usize, const C: usize>() -> Self
    where
        K: Code<G, X, C>,
    {
        Self {
            single: <K as SingleSweep<G, X, C>>::sweep,
            wide: Some(<K as WideSweep<G, X, C>>::sweep),
            along: None,
            members: None,
        }
    }

    /// The gradient of the elements of a collective: weighed, along a direction, and in rows.
    pub const fn along<K, const G: usize, const X: usize, const C: usize>() -> Self
    where
        K: Code<G, X, C>,
    {
        let along = Along {
            rates: <K as GradientSweep<G, X, C>>::rates,
            wide_rates: None,
            rows: <K as GradientSweep<G, X, C>>::rows,
        };
        Self { along: Some(along), ..Self::single::<K, G, X, C>() }
    }

    /// The same, weighed and along a direction for registers, too.
    pub const fn wide_along<K, const G: usize, const X: usize, const C: usize>() -> Self
    where
        K: Code<G, X, C>,
    {
        let along = Along {
            rates: <K as GradientSweep<G, X, C>>::rates,
            wide_rates: Some(<K as WideSweep<G, X, C>>::rates),
            rows: <K as GradientSweep<G, X, C>>::rows,
        };
        Self { along: Some(along), ..Self::wide::<K, G, X, C>() }
    }

    /// The same operation, also for several members side by side.
    #[must_use]
    pub const fn of_members<K, const G: usize, const X: usize, const C: usize>(self) -> Self
    where
        K: Code<G, X, C>,
    {
        Self { members: Some(<K as MembersSweep<G, X, C>>::sweep), ..self }
    }
}

/// The loop over single elements, as a method of the code that it runs: it is compiled where the code stands.
pub(super) trait SingleSweep<const G: usize, const X: usize, const C: usize>: Code<G, X, C> {
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
pub(super) trait GradientSweep<const G: usize, const X: usize, const C: usize>: Code<G, X, C> {
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

/// The loop over registers, as a method of the code that it runs.
pub(super) trait WideSweep<const G: usize, const X: usize, const C: usize>: Code<G, X, C> {
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

/// The loop over the elements of several members, as a method of the code that it runs.
pub(super) trait MembersSweep<const G: usize, const X: usize, const C: usize>: Code<G, X, C> {
    /// Runs the operation.
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
    /// Where an input stands.
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

    // Members with signals are not brought side by side.
    #[inline(always)]
    fn signal(&self, _: usize) -> Exact<S> {
        Exact::splat(self.simd, f64::NAN)
    }

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
