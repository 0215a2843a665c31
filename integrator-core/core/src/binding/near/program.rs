//! Programs on the entries of a list of near pairs.

use super::columns::{InputPlace, RecordColumns};
use super::group::GroupEntries;
use crate::binding::program::Program;
use crate::binding::program::block::{Columns, Inputs, Memory};
use crate::binding::program::step::{Source as From, execute};
use crate::lanes::Real;
use crate::lanes::form::{NumberForm, One, Several};
use crate::scratch::Scratch;
use least_action_kernel::{Code, ElementFacts, NearFacts, Operation, Results, Role, Sort, Source};
use pulp::{Simd, WithSimd};

/// The code of an operation, carried out on entries.
#[derive(Debug)]
pub struct ProgramEntries {
    program: Program,
    form: ResultForm,
    columns: RecordColumns,
    /// The place of each input and of each coefficient.
    places: Vec<InputPlace>,
    coefficients: Vec<(Source, usize)>,
    dimension: usize,
    sort: Sort,
    exchangeable: bool,
    memory: Scratch<Memory>,
}

/// The use of the results of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ResultForm {
    /// Adds up the scalar.
    Scalar,
    /// Adds up the vector.
    Vector,
    /// Adds up the vector times the direction.
    Along,
}

impl ProgramEntries {
    /// Whether an operation has a use on entries.
    pub fn has(operation: Operation) -> bool {
        matches!(operation.results(), Results::Scalar | Results::Vector) && operation.code_of().is_none()
    }

    /// The program of an operation on elements with these ends; `None` as for [`Program::new`], and for
    /// operations without a use here.
    pub fn new<F: Copy>(
        operation: Operation,
        code: &Code<F>,
        facts: &ElementFacts,
        near: &NearFacts,
    ) -> Option<Self> {
        let NearFacts { ref roles, ref sources, dimension, sort, exchangeable, .. } = *near;
        let form = match (operation, operation.results()) {
            (Operation::Along, _) => ResultForm::Along,
            (_, Results::Scalar) => ResultForm::Scalar,
            (_, Results::Vector) => ResultForm::Vector,
            _ => return None,
        };
        let inputs = &facts.inputs;
        let columns = RecordColumns::new(inputs, roles, sources, dimension, sort, exchangeable);
        Some(Self {
            program: Program::new(operation, code, facts)?,
            form,
            columns,
            places: (0..inputs.len()).map(|k| columns.input(inputs, roles, k)).collect(),
            coefficients: (0..sources.len()).map(|k| (sources[k], columns.coefficient(sources, k))).collect(),
            dimension,
            sort,
            exchangeable,
            memory: Scratch::new(Memory::default),
        })
    }

    /// Whether it reads a direction.
    pub(in crate::binding) fn is_directed(&self) -> bool {
        self.program.is_directed() || self.form == ResultForm::Along
    }

    /// The number of results of each end.
    pub(in crate::binding) fn results(&self) -> usize {
        if self.form == ResultForm::Vector { self.places.len() } else { 1 }
    }

    /// Adds up the results of entries for their own ends.
    pub(super) fn run(&self, block: &mut GroupEntries<'_>) {
        self.memory.with(|memory| {
            if let Some(registers) = block.registers {
                return registers.run(InRegisters { program: self, block, memory });
            }
            let GroupEntries { entries, own, own_direction, .. } = *block;
            let results = std::mem::take(&mut block.results);
            let (registers, found) = self.memory_of(memory, entries.len(), 1);
            let views = Views { entries, own, own_direction, results: &mut *results, registers, found };
            self.each(One, block, views);
            block.results = results;
        });
    }

    /// The memory for entries of so many numbers in these lanes.
    fn memory_of<'m>(
        &self,
        memory: &'m mut Memory,
        numbers: usize,
        lanes: usize,
    ) -> (&'m mut [f64], &'m mut [f64]) {
        let width = self.columns.entry(self.is_directed()) * lanes;
        let count = numbers / width.max(1) * lanes;
        let (registers, found) = memory.of(self.program.registers() * count, 2 * self.places.len() * count);
        (registers, found)
    }

    #[inline(always)]
    fn each<L: NumberForm>(&self, form: L, block: &GroupEntries<'_>, views: Views<'_, L::Stored>) {
        let Views { entries, own, own_direction, results, registers, found } = views;
        let width = self.columns.entry(self.is_directed());
        let entries = Entries { program: self, form, block, numbers: entries, width, own, own_direction };
        let first = match self.sort {
            Sort::Pairs if !self.exchangeable => First::OwnWhere,
            _ => First::Own,
        };
        // The vectors of rows come from elements at the own end, and of elements that end there.
        let both = self.exchangeable && block.exchangeable;
        let twice = self.form == ResultForm::Vector && self.sort == Sort::Rows && !both;
        let count = entries.numbers.len() / width.max(1);
        let (from_own, to_own) = found.split_at_mut(self.places.len() * count);
        let passes = [(first, &mut *from_own), (First::Other, &mut *to_own)];
        for (first, results) in passes.into_iter().take(if twice { 2 } else { 1 }) {
            results.fill(form.stored(form.splat(0.0)));
            let inputs = EntriesFrom { first, entries };
            let numbers = self.places.len();
            let mut columns = Columns { form, count, registers: &mut *registers, results, inputs, numbers };
            execute(self.program.steps(), &mut columns);
        }
        let entries = EntriesFrom { first, entries };
        match (self.form, self.sort) {
            (ResultForm::Scalar | ResultForm::Along, _) => {
                let scalar = self.program.scalar().map(|scalar| &registers[scalar as usize * count..]);
                entries.add_scalars(scalar, from_own, &mut results[0]);
            }
            (ResultForm::Vector, Sort::Pairs) => entries.add_pairs(from_own, results),
            (ResultForm::Vector, Sort::Rows) => entries.add_weighted([from_own, to_own], results, both),
        }
    }
}

/// The memory of a block, as registers.
struct Views<'a, R> {
    entries: &'a [R],
    own: &'a [R],
    own_direction: &'a [R],
    results: &'a mut [R],
    registers: &'a mut [R],
    found: &'a mut [R],
}

struct InRegisters<'w, 'a> {
    program: &'w ProgramEntries,
    block: &'w mut GroupEntries<'a>,
    memory: &'w mut Memory,
}

impl WithSimd for InRegisters<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { program, block, memory } = self;
        let GroupEntries { entries, own, own_direction, .. } = *block;
        let results = std::mem::take(&mut block.results);
        let (registers, found) = program.memory_of(memory, entries.len(), S::F64_LANES);
        let views = Views {
            entries: S::as_simd_f64s(entries).0,
            own: S::as_simd_f64s(own).0,
            own_direction: S::as_simd_f64s(own_direction).0,
            results: S::as_mut_simd_f64s(results).0,
            registers: S::as_mut_simd_f64s(registers).0,
            found: S::as_mut_simd_f64s(found).0,
        };
        program.each(Several(simd), block, views);
        block.results = results;
    }
}

/// The entries of a block.
#[derive(Clone, Copy)]
struct Entries<'e, 'a, L: NumberForm> {
    program: &'e ProgramEntries,
    form: L,
    block: &'e GroupEntries<'a>,
    numbers: &'e [L::Stored],
    width: usize,
    own: &'e [L::Stored],
    own_direction: &'e [L::Stored],
}

/// The first end of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum First {
    /// The own end.
    Own,
    /// The other end.
    Other,
    /// The own end where its number is lower.
    OwnWhere,
}

/// The entries of a block as elements that begin at these ends.
struct EntriesFrom<'e, 'a, L: NumberForm> {
    first: First,
    entries: Entries<'e, 'a, L>,
}

impl<'e, L: NumberForm> EntriesFrom<'e, '_, L> {
    #[inline(always)]
    fn each(&self) -> std::slice::ChunksExact<'e, L::Stored> {
        self.entries.numbers.chunks_exact(self.entries.width.max(1))
    }

    /// Where the own end is the first one.
    #[inline(always)]
    fn own_is_first(&self, entry: &[L::Stored]) -> <L::Number as Real>::Mask {
        let Entries { form, own, program, .. } = self.entries;
        let number = program.columns.second();
        form.number(own[number]).lt(form.number(entry[number]))
    }

    /// A number of the first or of the second end, from the own and the other end's; an end that is not
    /// asked for need not have it.
    #[inline(always)]
    fn of_end(
        &self,
        role: Role,
        own: impl Fn() -> L::Stored,
        other: impl Fn() -> L::Stored,
        entry: &[L::Stored],
    ) -> L::Number {
        let form = self.entries.form;
        let (own, other) = (|| form.number(own()), || form.number(other()));
        match (role, self.first) {
            (Role::First, First::Own) | (Role::Second, First::Other) => own(),
            (Role::Separation | Role::Second, First::Own) | (Role::First, First::Other) => other(),
            (Role::Separation, First::Other) => -other(),
            (Role::First, First::OwnWhere) => Real::select(self.own_is_first(entry), own(), other()),
            (Role::Second, First::OwnWhere) => Real::select(self.own_is_first(entry), other(), own()),
            (Role::Separation, First::OwnWhere) => Real::select(self.own_is_first(entry), other(), -other()),
        }
    }

    /// The direction of input k.
    #[inline(always)]
    fn direction(&self, k: usize, entry: &[L::Stored]) -> L::Number {
        let Entries { program, own_direction, .. } = self.entries;
        let InputPlace { role, direction, .. } = program.places[k];
        let other = program.columns.undirected() + direction;
        self.of_end(role, || own_direction[direction], || entry[other], entry)
    }

    /// True where the ends are near.
    #[inline(always)]
    fn near(&self, entry: &[L::Stored]) -> <L::Number as Real>::Mask {
        let Entries { form, program, block, .. } = self.entries;
        let mut squared = form.number(entry[0]) * form.number(entry[0]);
        for component in &entry[1..program.dimension] {
            squared = squared + form.number(*component) * form.number(*component);
        }
        squared.lt(form.splat(block.cutoff))
    }

    /// Adds the scalar of each entry, or its vector times the direction.
    #[inline(always)]
    fn add_scalars(&self, scalars: Option<&[L::Stored]>, found: &[L::Stored], result: &mut L::Stored) {
        let Entries { form, program, .. } = self.entries;
        let (mut total, count) = (form.number(*result), self.each().len());
        for (at, entry) in self.each().enumerate() {
            let mut term = scalars.map_or(form.splat(0.0), |scalars| form.number(scalars[at]));
            if program.form == ResultForm::Along {
                term = form.splat(0.0);
                for k in 0..program.places.len() {
                    let slope = form.number(found[k * count + at]);
                    term = slope.multiply_add(self.direction(k, entry), term);
                }
            }
            total = add(total, self.near(entry), term);
        }
        *result = form.stored(total);
    }

    /// Adds the vectors of pairs.
    #[inline(always)]
    fn add_pairs(&self, found: &[L::Stored], results: &mut [L::Stored]) {
        let Entries { form, program, .. } = self.entries;
        let count = self.each().len();
        for (k, result) in results.iter_mut().enumerate().take(program.places.len()) {
            let role = program.places[k].role;
            let mut sum = form.number(*result);
            for (at, entry) in self.each().enumerate() {
                let (near, value) = (self.near(entry), form.number(found[k * count + at]));
                let (mask, value) = match (self.first, role) {
                    (First::OwnWhere, Role::Separation) => {
                        (near, Real::select(self.own_is_first(entry), value, -value))
                    }
                    (First::OwnWhere, Role::First) => {
                        (<L::Number as Real>::both(near, self.own_is_first(entry)), value)
                    }
                    (First::OwnWhere, Role::Second) => (
                        <L::Number as Real>::both(near, <L::Number as Real>::not(self.own_is_first(entry))),
                        value,
                    ),
                    (_, Role::Separation | Role::First) => (near, value),
                    (_, Role::Second) => continue,
                };
                sum = add(sum, mask, value);
            }
            *result = form.stored(sum);
        }
    }

    /// Adds the vectors of the element from the own end and of the element to it, each weighted by its
    /// row; if they are exchangeable, of one for both.
    #[inline(always)]
    fn add_weighted(&self, [from_own, to_own]: [&[L::Stored]; 2], results: &mut [L::Stored], both: bool) {
        let Entries { form, program, own, .. } = self.entries;
        let (count, weight) = (self.each().len(), program.columns.second());
        for (k, result) in results.iter_mut().enumerate().take(program.places.len()) {
            let role = program.places[k].role;
            let mut sum = form.number(*result);
            for (at, entry) in self.each().enumerate() {
                let (near, at) = (self.near(entry), k * count + at);
                let (of_own, of_other) = (form.number(own[weight]), form.number(entry[weight]));
                if role != Role::Second {
                    let weight = if both { of_own + of_other } else { of_own };
                    sum = add_times(sum, near, weight, form.number(from_own[at]));
                }
                if role != Role::First && !both {
                    let found = form.number(to_own[at]);
                    let found = if role == Role::Separation { -found } else { found };
                    sum = add_times(sum, near, of_other, found);
                }
            }
            *result = form.stored(sum);
        }
    }
}

impl<L: NumberForm> Inputs<L> for EntriesFrom<'_, '_, L> {
    #[inline(always)]
    fn read(&self, source: From, k: usize, to: &mut [L::Stored]) {
        let Entries { program, form, block, own, .. } = self.entries;
        let shared = |number: f64| form.stored(form.splat(number));
        let entries = to.iter_mut().zip(self.each());
        // Loops, not closures, which would be compiled without the registers of the processor.
        match source {
            From::X => {
                let InputPlace { role, column, .. } = program.places[k];
                for (to, entry) in entries {
                    *to = form.stored(self.of_end(role, || own[column], || entry[column], entry));
                }
            }
            From::A => {
                for (to, entry) in entries {
                    *to = form.stored(self.direction(k, entry));
                }
            }
            From::C => {
                let (source, column) = program.coefficients[k];
                let (begin, pairs) = program.columns.pairs();
                match source {
                    Source::Shared => to.fill(shared(block.shared[column])),
                    Source::First | Source::Second => {
                        let role = if source == Source::First { Role::First } else { Role::Second };
                        for (to, entry) in entries {
                            *to = form.stored(self.of_end(role, || own[column], || entry[column], entry));
                        }
                    }
                    // In a pair the first end has the lower number; rows serve both orders.
                    Source::Pair => {
                        let order = if self.first == First::Other { pairs } else { 0 };
                        entries.for_each(|(to, entry)| *to = entry[begin + order + column]);
                    }
                }
            }
            From::Time => to.fill(shared(block.now.instant.t)),
            From::Phase => to.fill(shared(block.now.instant.theta)),
            From::Signal => to.fill(shared(block.now.readings[k])),
            // The weights of rows are applied to the results.
            From::Weight => to.fill(shared(f64::NAN)),
        }
    }
}

/// Adds a term where the mask holds.
#[inline(always)]
fn add<T: Real>(sum: T, mask: T::Mask, term: T) -> T {
    T::select(mask, sum + term, sum)
}

/// Adds a number times a weight that is nonzero or NaN, where the mask holds.
#[inline(always)]
fn add_times<T: Real>(sum: T, mask: T::Mask, weight: T, value: T) -> T {
    let zero = weight.number(0.0);
    let is_zero = T::both(weight.le(zero), zero.le(weight));
    T::select(T::both(mask, T::not(is_zero)), weight.multiply_add(value, sum), sum)
}
