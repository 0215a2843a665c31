//! The loop over the entries of a group, compiled for each operation of an element.

use super::places::{coefficients, columns, places};
use super::{NearCode, Role, Sort, Source};
use crate::binding::instant::Instant;
use crate::binding::kernel::Ports;
use crate::binding::near::columns::InputPlace;
use crate::binding::near::group::GroupEntries;
use crate::lanes::form::{NumberForm, One, Several};
use crate::lanes::{Lanes, Real};
use pulp::{Simd, WithSimd};
use std::marker::PhantomData;

/// A use of the results of a code.
pub(super) trait ResultForm: 'static {
    /// Adds up the scalar.
    const SCALAR: bool;
    /// Adds up the vector times the direction.
    const ALONG: bool;
}

pub(super) struct Scalars;
pub(super) struct Vectors;
pub(super) struct Contractions;

impl ResultForm for Scalars {
    const SCALAR: bool = true;
    const ALONG: bool = false;
}

impl ResultForm for Vectors {
    const SCALAR: bool = false;
    const ALONG: bool = false;
}

impl ResultForm for Contractions {
    const SCALAR: bool = false;
    const ALONG: bool = true;
}

/// Runs an operation on a block.
pub(super) fn run<K, F, const G: usize, const X: usize, const C: usize>(block: &mut GroupEntries<'_>)
where
    K: NearCode<G, X, C>,
    F: ResultForm,
{
    if let Some(registers) = block.registers {
        return registers.run(EntryLoop::<K, F, G, X, C> { block, code: PhantomData });
    }
    let GroupEntries { entries, own, own_direction, shared, now, cutoff, exchangeable, .. } = *block;
    let views = Views { entries, own, own_direction, results: &mut *block.results };
    let mut all = [0.0; C];
    all.iter_mut().zip(shared).for_each(|(coefficient, number)| *coefficient = *number);
    let (now, signals) = (now.instant, &now.readings[..]);
    let numbers = SharedNumbers { now, signals, shared: all, cutoff, exchangeable };
    each_entry::<One, K, F, G, X, C>(One, views, &numbers);
}

type MaskOf<L> = <<L as NumberForm>::Number as Real>::Mask;

struct EntryLoop<'w, 'a, K, F, const G: usize, const X: usize, const C: usize> {
    block: &'w mut GroupEntries<'a>,
    code: PhantomData<fn() -> (*const K, F)>,
}

impl<K, F, const G: usize, const X: usize, const C: usize> WithSimd for EntryLoop<'_, '_, K, F, G, X, C>
where
    K: NearCode<G, X, C>,
    F: ResultForm,
{
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let GroupEntries { entries, own, own_direction, shared, now, cutoff, exchangeable, .. } = *self.block;
        let views = Views {
            entries: S::as_simd_f64s(entries).0,
            own: S::as_simd_f64s(own).0,
            own_direction: S::as_simd_f64s(own_direction).0,
            results: S::as_mut_simd_f64s(self.block.results).0,
        };
        let number = |number: f64| Lanes::splat(simd, number);
        let mut all = [number(0.0); C];
        for (coefficient, shared) in all.iter_mut().zip(shared) {
            *coefficient = number(*shared);
        }
        let instant = Instant { t: number(now.instant.t), theta: number(now.instant.theta) };
        let (signals, cutoff) = (&now.readings[..], number(cutoff));
        let numbers = SharedNumbers { now: instant, signals, shared: all, cutoff, exchangeable };
        each_entry::<Several<S>, K, F, G, X, C>(Several(simd), views, &numbers);
    }
}

/// The memory of a block, as registers.
struct Views<'a, R> {
    entries: &'a [R],
    own: &'a [R],
    own_direction: &'a [R],
    results: &'a mut [R],
}

/// Numbers that all entries share.
struct SharedNumbers<'a, T, const C: usize> {
    now: Instant<T>,
    signals: &'a [f64],
    shared: [T; C],
    cutoff: T,
    exchangeable: bool,
}

/// The ports of the element of an entry; all columns are constants of the compiled code.
struct NearPorts<'e, 'a, L: NumberForm, K, const G: usize, const X: usize, const C: usize> {
    entry: &'e NearEntry<'a, L, C>,
    first: First<MaskOf<L>>,
    vector: [L::Number; X],
    code: PhantomData<fn() -> K>,
}

impl<L, K, const G: usize, const X: usize, const C: usize> NearPorts<'_, '_, L, K, G, X, C>
where
    L: NumberForm,
    K: NearCode<G, X, C>,
{
    /// A number of the first or of the second end, from the own and the other end's.
    #[inline(always)]
    fn of_end(
        &self,
        role: Role,
        own: impl FnOnce() -> L::Number,
        other: impl FnOnce() -> L::Number,
    ) -> L::Number {
        match (role, self.first) {
            (Role::First, First::Own) => own(),
            (Role::Separation | Role::Second, First::Own) => other(),
            (Role::First, first) => first.of(own(), other()),
            (Role::Second, first) => first.of(other(), own()),
            (Role::Separation, first) => {
                let other = other();
                first.of(other, -other)
            }
        }
    }

    /// The direction of input k.
    #[inline(always)]
    fn direction(&self, k: usize) -> L::Number {
        let InputPlace { role, direction, .. } = const { places::<K, G, X, C>() }[k];
        let undirected = const { columns::<K, G, X, C>().undirected() };
        let entry = self.entry;
        self.of_end(role, || entry.own_direction(direction), || entry.other(undirected + direction))
    }
}

impl<L, K, const G: usize, const X: usize, const C: usize> Ports<L::Number>
    for NearPorts<'_, '_, L, K, G, X, C>
where
    L: NumberForm,
    K: NearCode<G, X, C>,
{
    #[inline(always)]
    fn x(&self, k: usize) -> L::Number {
        let InputPlace { role, column, .. } = const { places::<K, G, X, C>() }[k];
        self.of_end(role, || self.entry.own(column), || self.entry.other(column))
    }

    #[inline(always)]
    fn a(&self, k: usize) -> L::Number {
        self.direction(k)
    }

    #[inline(always)]
    fn c(&self, k: usize) -> L::Number {
        let (source, column) = const { coefficients::<K, G, X, C>() }[k];
        let (begin, count) = const { columns::<K, G, X, C>().pairs() };
        let entry = self.entry;
        match source {
            Source::Shared => entry.numbers.shared[column],
            Source::First => self.of_end(Role::First, || entry.own(column), || entry.other(column)),
            Source::Second => self.of_end(Role::Second, || entry.own(column), || entry.other(column)),
            // In a pair the first end has the lower number; rows have coefficients for both orders.
            Source::Pair if matches!(self.first, First::Other) => entry.other(begin + count + column),
            Source::Pair => entry.other(begin + column),
        }
    }

    #[inline(always)]
    fn now(&self) -> Instant<L::Number> {
        self.entry.numbers.now
    }

    #[inline(always)]
    fn signal(&self, k: usize) -> L::Number {
        let SharedNumbers { now, signals, .. } = self.entry.numbers;
        now.t.number(signals[k])
    }

    // `with_weights` applies the weights of rows, and sums are scalars.
    #[inline(always)]
    fn weight(&self, _: usize) -> L::Number {
        self.entry.numbers.now.t.number(f64::NAN)
    }

    #[inline(always)]
    fn sum(&mut self, _: usize, _: L::Number) {}

    #[inline(always)]
    fn vector(&mut self, k: usize, value: L::Number) {
        self.vector[k] = value;
    }

    #[inline(always)]
    fn number(&mut self, _: usize, _: L::Number) {}

    #[inline(always)]
    fn plus(&mut self, _: usize, _: L::Number) {}

    #[inline(always)]
    fn minus(&mut self, _: usize, _: L::Number) {}
}

/// The first end of an entry.
#[derive(Clone, Copy)]
enum First<M> {
    /// The own end, in all lanes.
    Own,
    /// The other end, in all lanes.
    Other,
    /// The own end in these lanes.
    OwnWhere(M),
}

impl<M: Copy> First<M> {
    /// The number of the first end, from the own and the other end's.
    #[inline(always)]
    fn of<T: Real<Mask = M>>(self, own: T, other: T) -> T {
        match self {
            Self::Own => own,
            Self::Other => other,
            Self::OwnWhere(mask) => T::select(mask, own, other),
        }
    }
}

/// An entry, with the own end of its group.
struct NearEntry<'a, L: NumberForm, const C: usize> {
    lift: L,
    columns: &'a [L::Stored],
    own: &'a [L::Stored],
    own_direction: &'a [L::Stored],
    numbers: &'a SharedNumbers<'a, L::Number, C>,
}

impl<L: NumberForm, const C: usize> NearEntry<'_, L, C> {
    #[inline(always)]
    fn other(&self, column: usize) -> L::Number {
        self.lift.number(self.columns[column])
    }

    #[inline(always)]
    fn own(&self, column: usize) -> L::Number {
        self.lift.number(self.own[column])
    }

    #[inline(always)]
    fn own_direction(&self, column: usize) -> L::Number {
        self.lift.number(self.own_direction[column])
    }

    /// Evaluates the element with this first end: its scalar, and its ports with its vector.
    #[inline(always)]
    fn element<K, const G: usize, const X: usize>(
        &self,
        first: First<MaskOf<L>>,
    ) -> (L::Number, NearPorts<'_, '_, L, K, G, X, C>)
    where
        K: NearCode<G, X, C>,
    {
        let vector = [self.numbers.now.t.number(0.0); X];
        let mut ports = NearPorts { entry: self, first, vector, code: PhantomData };
        let scalar = K::run(&mut ports);
        (scalar, ports)
    }
}

/// Adds up the results of the entries for their own ends.
#[inline(always)]
fn each_entry<L, K, F, const G: usize, const X: usize, const C: usize>(
    lift: L,
    views: Views<'_, L::Stored>,
    numbers: &SharedNumbers<'_, L::Number, C>,
) where
    L: NumberForm,
    K: NearCode<G, X, C>,
    F: ResultForm,
{
    let Views { entries, own, own_direction, results } = views;
    let count = if const { F::SCALAR || F::ALONG } { 1 } else { X };
    let results = &mut results[..count];
    let Some(first) = results.first() else { return };
    let mut total = lift.number(*first);
    let mut sums = [total; X];
    for (sum, result) in sums.iter_mut().zip(&*results) {
        *sum = lift.number(*result);
    }
    let width = const { columns::<K, G, X, C>().entry(K::READS_DIRECTION || F::ALONG) };
    for columns in entries.chunks_exact(width) {
        let entry = NearEntry { lift, columns, own, own_direction, numbers };
        if const { F::SCALAR || F::ALONG } {
            total = with_scalar::<L, K, F, G, X, C>(&entry, total);
        } else if const { matches!(K::ENDS.sort, Sort::Pairs) } {
            sums = with_pair::<L, K, G, X, C>(&entry, sums);
        } else {
            sums = with_weights::<L, K, G, X, C>(&entry, sums);
        }
    }
    if const { F::SCALAR || F::ALONG } {
        results[0] = lift.stored(total);
    } else {
        for (sum, result) in sums.iter().zip(results) {
            *result = lift.stored(*sum);
        }
    }
}

/// True where the ends are near.
#[inline(always)]
fn near<L, K, const G: usize, const X: usize, const C: usize>(
    entry: &NearEntry<'_, L, C>,
) -> <L::Number as Real>::Mask
where
    L: NumberForm,
    K: NearCode<G, X, C>,
{
    let mut squared = entry.other(0) * entry.other(0);
    for component in 1..const { K::ENDS.dimension } {
        squared = squared + entry.other(component) * entry.other(component);
    }
    squared.lt(entry.numbers.cutoff)
}

/// The first end of a pair.
#[inline(always)]
fn first_of_pair<L, K, const G: usize, const X: usize, const C: usize>(
    entry: &NearEntry<'_, L, C>,
) -> First<<L::Number as Real>::Mask>
where
    L: NumberForm,
    K: NearCode<G, X, C>,
{
    if const { K::ENDS.exchangeable } {
        return First::Own;
    }
    let number = const { columns::<K, G, X, C>().second() };
    First::OwnWhere(entry.own(number).lt(entry.other(number)))
}

/// Adds the scalar of an entry, or its vector times the direction.
#[inline(always)]
fn with_scalar<L, K, F, const G: usize, const X: usize, const C: usize>(
    entry: &NearEntry<'_, L, C>,
    total: L::Number,
) -> L::Number
where
    L: NumberForm,
    K: NearCode<G, X, C>,
    F: ResultForm,
{
    let near = near::<L, K, G, X, C>(entry);
    let first = if const { matches!(K::ENDS.sort, Sort::Rows) } {
        First::Own
    } else {
        first_of_pair::<L, K, G, X, C>(entry)
    };
    let (scalar, ports) = entry.element::<K, G, X>(first);
    if !const { F::ALONG } {
        return add(total, near, scalar);
    }
    let mut term = entry.numbers.now.t.number(0.0);
    for k in 0..X {
        term = ports.vector[k].multiply_add(ports.direction(k), term);
    }
    add(total, near, term)
}

/// Adds the vector of a pair.
#[inline(always)]
fn with_pair<L, K, const G: usize, const X: usize, const C: usize>(
    entry: &NearEntry<'_, L, C>,
    mut sums: [L::Number; X],
) -> [L::Number; X]
where
    L: NumberForm,
    K: NearCode<G, X, C>,
{
    let near = near::<L, K, G, X, C>(entry);
    let first = first_of_pair::<L, K, G, X, C>(entry);
    let (_, NearPorts { vector, .. }) = entry.element::<K, G, X>(first);
    for k in 0..X {
        let InputPlace { role, .. } = const { places::<K, G, X, C>() }[k];
        let (mask, found) = match (first, role) {
            (First::OwnWhere(own), Role::Separation) => (near, L::Number::select(own, vector[k], -vector[k])),
            (First::OwnWhere(own), Role::First) => (L::Number::both(near, own), vector[k]),
            (First::OwnWhere(own), Role::Second) => (L::Number::both(near, L::Number::not(own)), vector[k]),
            (_, Role::Separation | Role::First) => (near, vector[k]),
            (_, Role::Second) => continue,
        };
        sums[k] = add(sums[k], mask, found);
    }
    sums
}

/// Adds the vectors of the element from the own end and of the element to it, each weighted by its row.
#[inline(always)]
fn with_weights<L, K, const G: usize, const X: usize, const C: usize>(
    entry: &NearEntry<'_, L, C>,
    mut sums: [L::Number; X],
) -> [L::Number; X]
where
    L: NumberForm,
    K: NearCode<G, X, C>,
{
    let near = near::<L, K, G, X, C>(entry);
    let weight = const { columns::<K, G, X, C>().second() };
    let (of_own, of_other) = (entry.own(weight), entry.other(weight));
    let both = const { K::ENDS.exchangeable } && entry.numbers.exchangeable;
    let weight = if both { of_own + of_other } else { of_own };
    let (_, NearPorts { vector: found, .. }) = entry.element::<K, G, X>(First::Own);
    let mask = L::Number::both(near, is_not_zero(weight));
    for k in 0..X {
        let InputPlace { role, .. } = const { places::<K, G, X, C>() }[k];
        if !matches!(role, Role::Second) {
            sums[k] = L::Number::select(mask, weight.multiply_add(found[k], sums[k]), sums[k]);
        }
    }
    if both {
        return sums;
    }
    let (_, NearPorts { vector: found, .. }) = entry.element::<K, G, X>(First::Other);
    let mask = L::Number::both(near, is_not_zero(of_other));
    for k in 0..X {
        let found = match const { places::<K, G, X, C>() }[k].role {
            Role::Separation => -found[k],
            Role::First => continue,
            Role::Second => found[k],
        };
        sums[k] = L::Number::select(mask, of_other.multiply_add(found, sums[k]), sums[k]);
    }
    sums
}

/// Adds a term where the mask holds.
#[inline(always)]
fn add<T: Real>(sum: T, mask: T::Mask, term: T) -> T {
    T::select(mask, sum + term, sum)
}

/// True where a weight is nonzero or NaN.
#[inline(always)]
fn is_not_zero<T: Real>(weight: T) -> T::Mask {
    let zero = weight.number(0.0);
    T::not(T::both(weight.le(zero), zero.le(weight)))
}
