//! The code of a sum over near pairs, and the loop over the entries of a group that it is compiled into.
//!
//! An element f(d, x_i, x_j, c) is visited from both of its ends, and each visit keeps what belongs to its own end: nothing is
//! scattered, and each lane adds up the terms of one point in the order of its neighbours' numbers. So every result is a function of the
//! positions alone, whatever list, registers or threads there are.

use super::super::kernel::{Code, Instant, Kernel, Ports};
use super::super::signals::Now;
use crate::lanes::{Lanes, Real, Registers};
use pulp::{Simd, WithSimd};
use std::marker::PhantomData;

/// Where a slot of an element reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It is the separation d of the two points.
    Separation,
    /// It belongs to the first end.
    First,
    /// It belongs to the second end.
    Second,
}

/// To what a coefficient belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// All elements have the same.
    Shared,
    /// The first end.
    First,
    /// The second end.
    Second,
    /// The pair: a number for each pair of classes of ends.
    Pair,
}

/// The pairs over which a sum goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// Each pair once; its first end has the lower number.
    Pairs,
    /// All neighbours of some points: the first end is the point, and the sum belongs to its row.
    Rows,
}

/// The ends of an element with G slots and C coefficients.
#[derive(Debug, Clone, Copy)]
pub struct Ends<const G: usize, const C: usize> {
    /// The role of each slot.
    pub roles: [Role; G],
    /// The source of each coefficient.
    pub sources: [Source; C],
    /// The number of components of the points.
    pub dimension: usize,
    /// The pairs over which the sum goes.
    pub sort: Sort,
    /// Whether an element stays as it is when its ends are exchanged, with the sign of d.
    pub exchangeable: bool,
}

/// The code of one operation on an element of finite range.
pub trait NearCode<const G: usize, const X: usize, const C: usize>: Code<G, X, C> {
    /// The roles of its slots and coefficients.
    const ENDS: Ends<G, C>;
}

/// An element of finite range, as the compiler knows it.
#[derive(Debug)]
pub struct NearKernel {
    /// The element as a function of its slots, for single elements.
    pub kernel: &'static Kernel,
    /// The role of each slot.
    pub roles: &'static [Role],
    /// The source of each coefficient.
    pub sources: &'static [Source],
    /// The number of components of the points.
    pub dimension: usize,
    /// The pairs over which the sum goes.
    pub sort: Sort,
    /// Whether an element stays as it is when its ends are exchanged, with the sign of d.
    pub exchangeable: bool,
    /// The expressions that tell the first ends apart, and those that tell the second ends apart, as they are written.
    pub keys: [&'static [&'static str]; 2],
    /// f.
    pub value: NearOperation,
    /// ∂f/∂t.
    pub rate: NearOperation,
    /// ∂f/∂x.
    pub gradient: NearOperation,
    /// Hess f · a; of sums that depend on velocities, nobody asks for it.
    pub product: Option<NearOperation>,
    /// a·f‴·a; none where it vanishes identically, or nobody asks for it.
    pub third: Option<NearOperation>,
    /// Of sums of a stage: their derivatives along a direction.
    pub along: Option<Along>,
}

/// Derivatives along a direction a.
#[derive(Debug, Clone, Copy)]
pub struct Along {
    /// ∇f · a.
    pub gradient: NearOperation,
    /// aᵀ Hess f a, where somebody asks for it.
    pub quadratic: Option<NearOperation>,
    /// d²f/dt² of a motion with velocity a and without acceleration, where somebody asks for it.
    pub curvature: Option<NearOperation>,
}

/// An operation on the entries of a group.
#[derive(Clone, Copy)]
pub struct NearOperation {
    pub(super) run: fn(&mut Block<'_>),
    /// Whether it reads a direction.
    pub(super) directed: bool,
    /// The number of results of each end.
    pub(super) results: usize,
}

impl std::fmt::Debug for NearOperation {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("NearOperation").field("directed", &self.directed).finish_non_exhaustive()
    }
}

/// Entries of one group: neighbour after neighbour, each with a register for every column.
pub(super) struct Block<'a> {
    /// The registers; none for one number after the other.
    pub(super) registers: Option<Registers>,
    pub(super) entries: &'a [f64],
    /// The columns of the record of the own ends, and those of their record of the direction.
    pub(super) own: &'a [f64],
    pub(super) own_direction: &'a [f64],
    /// The shared coefficients, one after the other.
    pub(super) shared: &'a [f64],
    pub(super) now: &'a Now<'a>,
    /// r²
    pub(super) cutoff: f64,
    /// Whether the elements of rows are exchangeable in this instance, too.
    pub(super) exchangeable: bool,
    /// What the entries before have added up to: a register for each result.
    pub(super) results: &'a mut [f64],
}

/// Where the numbers of one end stand in its record, and those of an entry.
///
/// A record begins with the point; then come the numbers that its end supplies as a second one, its number or its weight, and
/// the numbers that it supplies as a first one. An entry has the columns of the other end, with d in place of the point, then
/// the coefficients of the pair, and then the columns of the direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Columns {
    dimension: usize,
    second_inputs: usize,
    second_coefficients: usize,
    first_inputs: usize,
    first_coefficients: usize,
    pairs: usize,
    rows: bool,
    both_ways: bool,
}

impl Columns {
    pub(super) const fn new(
        inputs: &[(usize, usize)],
        roles: &[Role],
        sources: &[Source],
        dimension: usize,
        sort: Sort,
        exchangeable: bool,
    ) -> Self {
        let rows = matches!(sort, Sort::Rows);
        Self {
            dimension,
            second_inputs: inputs_of(inputs, roles, inputs.len(), false),
            second_coefficients: coefficients_of(sources, sources.len(), Source::Second),
            first_inputs: inputs_of(inputs, roles, inputs.len(), true),
            first_coefficients: coefficients_of(sources, sources.len(), Source::First),
            pairs: coefficients_of(sources, sources.len(), Source::Pair),
            rows,
            both_ways: rows || !exchangeable,
        }
    }

    const fn second(&self) -> usize {
        self.dimension + self.second_inputs + self.second_coefficients
    }

    /// The column of the number of an end, or of the weight of its row, if there is one.
    pub(super) const fn extra(&self) -> Option<usize> {
        if self.both_ways { Some(self.second()) } else { None }
    }

    const fn first(&self) -> usize {
        self.second() + self.both_ways as usize
    }

    /// The numbers of a record.
    pub(super) const fn record(&self) -> usize {
        self.first() + self.first_inputs + self.first_coefficients
    }

    /// Those of them that entries have.
    pub(super) const fn gathered(&self) -> usize {
        if self.both_ways { self.record() } else { self.second() }
    }

    /// The numbers of a record of the direction.
    pub(super) const fn direction(&self) -> usize {
        self.dimension + self.second_inputs + self.first_inputs
    }

    /// Those of them that entries have.
    pub(super) const fn gathered_direction(&self) -> usize {
        if self.both_ways { self.direction() } else { self.dimension + self.second_inputs }
    }

    /// Where the coefficients of the pair stand in an entry, and how many there are: for rows, a second time with the ends exchanged.
    pub(super) const fn pairs(&self) -> (usize, usize) {
        (self.gathered(), self.pairs)
    }

    /// How many orders of the ends an entry has coefficients for.
    pub(super) const fn orders(&self) -> usize {
        if self.rows { 2 } else { 1 }
    }

    /// The columns of an entry without the direction.
    const fn undirected(&self) -> usize {
        self.gathered() + self.orders() * self.pairs
    }

    /// The columns of an entry.
    pub(super) const fn entry(&self, directed: bool) -> usize {
        self.undirected() + if directed { self.gathered_direction() } else { 0 }
    }
}

/// How many of the first `before` inputs belong to an end.
const fn inputs_of(inputs: &[(usize, usize)], roles: &[Role], before: usize, first: bool) -> usize {
    let (mut count, mut k) = (0, 0);
    while k < before {
        let belongs = match roles[inputs[k].0] {
            Role::Separation => false,
            Role::First => first,
            Role::Second => !first,
        };
        count += belongs as usize;
        k += 1;
    }
    count
}

/// How many of the first `before` coefficients come from this source.
const fn coefficients_of(sources: &[Source], before: usize, source: Source) -> usize {
    let (mut count, mut k) = (0, 0);
    while k < before {
        count += (sources[k] as usize == source as usize) as usize;
        k += 1;
    }
    count
}

/// Where an input stands: a component of d, or columns of the record and of the record of the direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) role: Role,
    /// The column in a record; of d, its component.
    pub(super) column: usize,
    /// The column in a record of the direction.
    pub(super) direction: usize,
}

impl Columns {
    /// Where input k stands.
    pub(super) const fn input(&self, inputs: &[(usize, usize)], roles: &[Role], k: usize) -> Place {
        let (slot, component) = inputs[k];
        let role = roles[slot];
        match role {
            Role::Separation => Place { role, column: component, direction: component },
            Role::Second => {
                let column = self.dimension + inputs_of(inputs, roles, k, false);
                Place { role, column, direction: column }
            }
            Role::First => {
                let rank = inputs_of(inputs, roles, k, true);
                let direction = self.dimension + self.second_inputs + rank;
                Place { role, column: self.first() + rank, direction }
            }
        }
    }

    /// Where coefficient k stands: among the shared ones, in a record, or among those of the pair.
    pub(super) const fn coefficient(&self, sources: &[Source], k: usize) -> usize {
        let rank = coefficients_of(sources, k, sources[k]);
        match sources[k] {
            Source::Shared | Source::Pair => rank,
            Source::Second => self.dimension + self.second_inputs + rank,
            Source::First => self.first() + self.first_inputs + rank,
        }
    }
}

/// A use of what a code yields.
trait Form: 'static {
    /// Its scalar is added up.
    const SCALAR: bool;
    /// Its vector is contracted with the direction and added up.
    const ALONG: bool;
}

struct Scalars;
struct Vectors;
struct Contractions;

impl Form for Scalars {
    const SCALAR: bool = true;
    const ALONG: bool = false;
}

impl Form for Vectors {
    const SCALAR: bool = false;
    const ALONG: bool = false;
}

impl Form for Contractions {
    const SCALAR: bool = false;
    const ALONG: bool = true;
}

impl NearOperation {
    /// Adds up the scalars of a code, for each end.
    pub const fn scalars<K, const G: usize, const X: usize, const C: usize>() -> Self
    where
        K: NearCode<G, X, C>,
    {
        Self { run: run::<K, Scalars, G, X, C>, directed: K::READS_DIRECTION, results: 1 }
    }

    /// Adds up the vectors of a code, for each end.
    pub const fn vectors<K, const G: usize, const X: usize, const C: usize>() -> Self
    where
        K: NearCode<G, X, C>,
    {
        Self { run: run::<K, Vectors, G, X, C>, directed: K::READS_DIRECTION, results: X }
    }

    /// Adds up the vectors of a code, contracted with the direction, for each first end.
    pub const fn along<K, const G: usize, const X: usize, const C: usize>() -> Self
    where
        K: NearCode<G, X, C>,
    {
        Self { run: run::<K, Contractions, G, X, C>, directed: true, results: 1 }
    }
}

fn run<K, F, const G: usize, const X: usize, const C: usize>(block: &mut Block<'_>)
where
    K: NearCode<G, X, C>,
    F: Form,
{
    if let Some(registers) = block.registers {
        return registers.run(Loop::<K, F, G, X, C> { block, code: PhantomData });
    }
    let Block { entries, own, own_direction, shared, now, cutoff, exchangeable, .. } = *block;
    let views = Views { entries, own, own_direction, results: &mut *block.results };
    let mut all = [0.0; C];
    all.iter_mut().zip(shared).for_each(|(coefficient, number)| *coefficient = *number);
    let (now, signals) = (now.instant, &now.readings[..]);
    let numbers = Numbers { now, signals, shared: all, cutoff, exchangeable };
    each_entry::<One, K, F, G, X, C>(One, views, &numbers);
}

/// Numbers as they stand in memory, and as kernels compute with them.
trait Lift: Copy {
    type Stored: Copy;
    type Number: Real;

    fn lift(self, stored: Self::Stored) -> Self::Number;
    fn lower(self, number: Self::Number) -> Self::Stored;
}

/// One number after the other.
#[derive(Clone, Copy)]
struct One;

impl Lift for One {
    type Stored = f64;
    type Number = f64;

    #[inline(always)]
    fn lift(self, stored: f64) -> f64 {
        stored
    }

    #[inline(always)]
    fn lower(self, number: f64) -> f64 {
        number
    }
}

/// Registers.
#[derive(Clone, Copy)]
struct Several<S>(S);

impl<S: Simd> Lift for Several<S> {
    type Stored = S::f64s;
    type Number = Lanes<S>;

    #[inline(always)]
    fn lift(self, stored: S::f64s) -> Lanes<S> {
        Lanes::of(self.0, stored)
    }

    #[inline(always)]
    fn lower(self, number: Lanes<S>) -> S::f64s {
        number.values()
    }
}

struct Loop<'w, 'a, K, F, const G: usize, const X: usize, const C: usize> {
    block: &'w mut Block<'a>,
    code: PhantomData<fn() -> (*const K, F)>,
}

impl<K, F, const G: usize, const X: usize, const C: usize> WithSimd for Loop<'_, '_, K, F, G, X, C>
where
    K: NearCode<G, X, C>,
    F: Form,
{
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Block { entries, own, own_direction, shared, now, cutoff, exchangeable, .. } = *self.block;
        let views = Views {
            entries: S::as_simd_f64s(entries).0,
            own: S::as_simd_f64s(own).0,
            own_direction: S::as_simd_f64s(own_direction).0,
            results: S::as_mut_simd_f64s(self.block.results).0,
        };
        let mut all = [Lanes::splat(simd, 0.0); C];
        for (coefficient, number) in all.iter_mut().zip(shared) {
            *coefficient = Lanes::splat(simd, *number);
        }
        let (instant, signals) = (now.instant.splat(simd), &now.readings[..]);
        let cutoff = Lanes::splat(simd, cutoff);
        let numbers = Numbers { now: instant, signals, shared: all, cutoff, exchangeable };
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

/// What all entries share.
struct Numbers<'a, T, const C: usize> {
    now: Instant<T>,
    signals: &'a [f64],
    shared: [T; C],
    cutoff: T,
    exchangeable: bool,
}

/// The ports of the elements of an entry.
struct NearPorts<'a, T, const X: usize, const C: usize> {
    x: [T; X],
    a: [T; X],
    c: [T; C],
    now: Instant<T>,
    signals: &'a [f64],
    vector: [T; X],
}

impl<T: Real, const X: usize, const C: usize> Ports<T> for NearPorts<'_, T, X, C> {
    #[inline(always)]
    fn x(&self, k: usize) -> T {
        self.x[k]
    }

    #[inline(always)]
    fn a(&self, k: usize) -> T {
        self.a[k]
    }

    #[inline(always)]
    fn c(&self, k: usize) -> T {
        self.c[k]
    }

    #[inline(always)]
    fn now(&self) -> Instant<T> {
        self.now
    }

    #[inline(always)]
    fn signal(&self, k: usize) -> T {
        self.now.t.number(self.signals[k])
    }

    #[inline(always)]
    fn vector(&mut self, k: usize, value: T) {
        self.vector[k] = value;
    }

    #[inline(always)]
    fn number(&mut self, _: usize, _: T) {}

    #[inline(always)]
    fn plus(&mut self, _: usize, _: T) {}

    #[inline(always)]
    fn minus(&mut self, _: usize, _: T) {}
}

/// The end of an entry that is the first one.
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
    /// The number of the first end, of those of the own and of the other.
    #[inline(always)]
    fn of<T: Real<Mask = M>>(self, own: T, other: T) -> T {
        match self {
            Self::Own => own,
            Self::Other => other,
            Self::OwnWhere(mask) => T::select(mask, own, other),
        }
    }
}

/// An entry, with the own ends of its group.
struct Entry<'a, L: Lift, const C: usize> {
    lift: L,
    columns: &'a [L::Stored],
    own: &'a [L::Stored],
    own_direction: &'a [L::Stored],
    numbers: &'a Numbers<'a, L::Number, C>,
}

impl<L: Lift, const C: usize> Entry<'_, L, C> {
    #[inline(always)]
    fn other(&self, column: usize) -> L::Number {
        self.lift.lift(self.columns[column])
    }

    #[inline(always)]
    fn own(&self, column: usize) -> L::Number {
        self.lift.lift(self.own[column])
    }

    #[inline(always)]
    fn own_direction(&self, column: usize) -> L::Number {
        self.lift.lift(self.own_direction[column])
    }

    /// The element with one of the ends as the first one: its scalar, its vector and its direction.
    #[inline(always)]
    fn element<K, const DIRECTED: bool, const G: usize, const X: usize>(
        &self,
        first: First<<L::Number as Real>::Mask>,
    ) -> (L::Number, [L::Number; X], [L::Number; X])
    where
        K: NearCode<G, X, C>,
    {
        let (undirected, (begin, count)) = const {
            let columns = columns::<K, G, X, C>();
            (columns.undirected(), columns.pairs())
        };
        let (now, signals) = (self.numbers.now, self.numbers.signals);
        let none = [now.t.number(0.0); X];
        let mut ports = NearPorts { x: none, a: none, c: self.numbers.shared, now, signals, vector: none };
        for k in 0..X {
            let Place { role, column, direction } = const { places::<K, G, X, C>() }[k];
            ports.x[k] = match role {
                Role::Separation => first.of(self.other(column), -self.other(column)),
                Role::First if matches!(first, First::Own) => self.own(column),
                Role::First => first.of(self.own(column), self.other(column)),
                Role::Second if matches!(first, First::Own) => self.other(column),
                Role::Second => first.of(self.other(column), self.own(column)),
            };
            if DIRECTED {
                let of_other = undirected + direction;
                ports.a[k] = match role {
                    Role::Separation => first.of(self.other(of_other), -self.other(of_other)),
                    Role::First if matches!(first, First::Own) => self.own_direction(direction),
                    Role::First => first.of(self.own_direction(direction), self.other(of_other)),
                    Role::Second if matches!(first, First::Own) => self.other(of_other),
                    Role::Second => first.of(self.other(of_other), self.own_direction(direction)),
                };
            }
        }
        for k in 0..C {
            let (source, column) = const { coefficients::<K, G, X, C>() }[k];
            ports.c[k] = match source {
                Source::Shared => self.numbers.shared[column],
                Source::First if matches!(first, First::Own) => self.own(column),
                Source::First => first.of(self.own(column), self.other(column)),
                Source::Second if matches!(first, First::Own) => self.other(column),
                Source::Second => first.of(self.other(column), self.own(column)),
                // Of pairs, the first end is that with the lower number; rows have both orders.
                Source::Pair if matches!(first, First::Other) => self.other(begin + count + column),
                Source::Pair => self.other(begin + column),
            };
        }
        let scalar = K::run(&mut ports);
        (scalar, ports.vector, ports.a)
    }
}

/// Adds up what the entries yield for their own ends.
#[inline(always)]
fn each_entry<L, K, F, const G: usize, const X: usize, const C: usize>(
    lift: L,
    views: Views<'_, L::Stored>,
    numbers: &Numbers<'_, L::Number, C>,
) where
    L: Lift,
    K: NearCode<G, X, C>,
    F: Form,
{
    let Views { entries, own, own_direction, results } = views;
    let count = if const { F::SCALAR || F::ALONG } { 1 } else { X };
    let results = &mut results[..count];
    let mut sums = [numbers.now.t.number(0.0); X];
    let mut total = sums[0];
    if const { F::SCALAR || F::ALONG } {
        total = lift.lift(results[0]);
    } else {
        for (sum, result) in sums.iter_mut().zip(&*results) {
            *sum = lift.lift(*result);
        }
    }
    for columns in
        entries.chunks_exact(const { columns::<K, G, X, C>().entry(K::READS_DIRECTION || F::ALONG) })
    {
        let entry = Entry { lift, columns, own, own_direction, numbers };
        if const { F::SCALAR || F::ALONG } {
            total = with_scalar::<L, K, F, G, X, C>(&entry, total);
        } else if const { matches!(K::ENDS.sort, Sort::Pairs) } {
            sums = with_pair::<L, K, G, X, C>(&entry, sums);
        } else {
            sums = with_weights::<L, K, G, X, C>(&entry, sums);
        }
    }
    if const { F::SCALAR || F::ALONG } {
        results[0] = lift.lower(total);
    } else {
        for (sum, result) in sums.iter().zip(results) {
            *result = lift.lower(*sum);
        }
    }
}

/// Where the ends are near.
#[inline(always)]
fn near<L, K, const G: usize, const X: usize, const C: usize>(
    entry: &Entry<'_, L, C>,
) -> <L::Number as Real>::Mask
where
    L: Lift,
    K: NearCode<G, X, C>,
{
    let mut squared = entry.other(0) * entry.other(0);
    for component in 1..const { K::ENDS.dimension } {
        squared = squared + entry.other(component) * entry.other(component);
    }
    squared.lt(entry.numbers.cutoff)
}

/// The end of the elements of pairs that is the first one.
#[inline(always)]
fn first_of_pair<L, K, const G: usize, const X: usize, const C: usize>(
    entry: &Entry<'_, L, C>,
) -> First<<L::Number as Real>::Mask>
where
    L: Lift,
    K: NearCode<G, X, C>,
{
    if const { K::ENDS.exchangeable } {
        return First::Own;
    }
    let number = const { columns::<K, G, X, C>().second() };
    First::OwnWhere(entry.own(number).lt(entry.other(number)))
}

/// Adds the scalar of an entry, or its vector along the direction.
#[inline(always)]
fn with_scalar<L, K, F, const G: usize, const X: usize, const C: usize>(
    entry: &Entry<'_, L, C>,
    total: L::Number,
) -> L::Number
where
    L: Lift,
    K: NearCode<G, X, C>,
    F: Form,
{
    let near = near::<L, K, G, X, C>(entry);
    let first = if const { matches!(K::ENDS.sort, Sort::Rows) } {
        First::Own
    } else {
        first_of_pair::<L, K, G, X, C>(entry)
    };
    if !const { F::ALONG } {
        let (term, ..) = if const { K::READS_DIRECTION } {
            entry.element::<K, true, G, X>(first)
        } else {
            entry.element::<K, false, G, X>(first)
        };
        return L::Number::select(near, total + term, total);
    }
    let (_, vector, direction) = entry.element::<K, true, G, X>(first);
    let mut term = total.number(0.0);
    for (vector, direction) in vector.iter().zip(&direction) {
        term = vector.multiply_add(*direction, term);
    }
    L::Number::select(near, total + term, total)
}

/// The vector of an entry.
#[inline(always)]
fn vector<L, K, const G: usize, const X: usize, const C: usize>(
    entry: &Entry<'_, L, C>,
    first: First<<L::Number as Real>::Mask>,
) -> [L::Number; X]
where
    L: Lift,
    K: NearCode<G, X, C>,
{
    let (_, vector, _) = if const { K::READS_DIRECTION } {
        entry.element::<K, true, G, X>(first)
    } else {
        entry.element::<K, false, G, X>(first)
    };
    vector
}

/// Adds the vector of a pair.
#[inline(always)]
fn with_pair<L, K, const G: usize, const X: usize, const C: usize>(
    entry: &Entry<'_, L, C>,
    mut sums: [L::Number; X],
) -> [L::Number; X]
where
    L: Lift,
    K: NearCode<G, X, C>,
{
    let near = near::<L, K, G, X, C>(entry);
    let first = first_of_pair::<L, K, G, X, C>(entry);
    let vector = vector::<L, K, G, X, C>(entry, first);
    for k in 0..X {
        let Place { role, .. } = const { places::<K, G, X, C>() }[k];
        let (mask, found) = match (first, role) {
            (First::OwnWhere(own), Role::Separation) => (near, L::Number::select(own, vector[k], -vector[k])),
            (First::OwnWhere(own), Role::First) => (L::Number::both(near, own), vector[k]),
            (First::OwnWhere(own), Role::Second) => (L::Number::both(near, L::Number::not(own)), vector[k]),
            (_, Role::Separation | Role::First) => (near, vector[k]),
            (_, Role::Second) => continue,
        };
        sums[k] = L::Number::select(mask, sums[k] + found, sums[k]);
    }
    sums
}

/// Adds the vectors of the element from the own end and of that to it, each with the weight of its row.
#[inline(always)]
fn with_weights<L, K, const G: usize, const X: usize, const C: usize>(
    entry: &Entry<'_, L, C>,
    mut sums: [L::Number; X],
) -> [L::Number; X]
where
    L: Lift,
    K: NearCode<G, X, C>,
{
    let near = near::<L, K, G, X, C>(entry);
    let weight = const { columns::<K, G, X, C>().second() };
    let (of_own, of_other) = (entry.own(weight), entry.other(weight));
    let both = const { K::ENDS.exchangeable } && entry.numbers.exchangeable;
    let weight = if both { of_own + of_other } else { of_own };
    let found = vector::<L, K, G, X, C>(entry, First::Own);
    let mask = L::Number::both(near, is_not_zero(weight));
    for k in 0..X {
        let Place { role, .. } = const { places::<K, G, X, C>() }[k];
        if !matches!(role, Role::Second) {
            sums[k] = L::Number::select(mask, weight.multiply_add(found[k], sums[k]), sums[k]);
        }
    }
    if both {
        return sums;
    }
    let found = vector::<L, K, G, X, C>(entry, First::Other);
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

/// Where a weight is not zero; also where it is not a number.
#[inline(always)]
fn is_not_zero<T: Real>(weight: T) -> T::Mask {
    let zero = weight.number(0.0);
    T::not(T::both(weight.le(zero), zero.le(weight)))
}

const fn columns<K, const G: usize, const X: usize, const C: usize>() -> Columns
where
    K: NearCode<G, X, C>,
{
    let Ends { dimension, sort, exchangeable, .. } = K::ENDS;
    Columns::new(&K::INPUTS, &K::ENDS.roles, &K::ENDS.sources, dimension, sort, exchangeable)
}

const fn places<K, const G: usize, const X: usize, const C: usize>() -> [Place; X]
where
    K: NearCode<G, X, C>,
{
    let columns = columns::<K, G, X, C>();
    let mut places = [Place { role: Role::Separation, column: 0, direction: 0 }; X];
    let mut k = 0;
    while k < X {
        places[k] = columns.input(&K::INPUTS, &K::ENDS.roles, k);
        k += 1;
    }
    places
}

const fn coefficients<K, const G: usize, const X: usize, const C: usize>() -> [(Source, usize); C]
where
    K: NearCode<G, X, C>,
{
    let columns = columns::<K, G, X, C>();
    let mut found = [(Source::Shared, 0); C];
    let mut k = 0;
    while k < C {
        found[k] = (K::ENDS.sources[k], columns.coefficient(&K::ENDS.sources, k));
        k += 1;
    }
    found
}
