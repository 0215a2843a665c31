//! The columns of a block of entries, and the way from entries to elements and to sums of points.
//!
//! A block has first the columns that are gathered: the squares of distances, the entries, ones, and
//! shared coefficients. Then come those that are found from them: inputs of elements whose first end is
//! not always the own point, and the weights of results. An element f(d, x_i, x_j, c) is computed at
//! both of its ends, and each keeps its own part: nothing is scattered, and each lane adds up the terms
//! of one point in the order of its neighbours' numbers. So each result depends on the positions alone,
//! not on the list, the registers or the threads.

use super::columns::{InputPlace, RecordColumns};
use crate::binding::line::COLUMN;
use crate::lanes::Real;
use crate::lanes::form::{ColumnForm, InForm};
use least_action_kernel::{NearFacts, Role, Sort, Source};

/// The column of the squares of distances, and the first column of an entry.
const SQUARED: u32 = 0;
pub(super) const ENTRY: usize = 1;

/// The first end of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum First {
    /// The own end.
    Own,
    /// The other end.
    Other,
    /// The end with the lower number.
    Lower,
}

/// The weight of a derivative of an element in the sum of the own point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Share {
    Whole,
    /// The sign of d.
    Sign,
    /// One where the own end is the first or the second one.
    OfFirst,
    OfSecond,
    /// The weight of the own row, of the other, its negative, or of both.
    Own,
    Other,
    MinusOther,
    Both,
}

/// A column that is found from a number of the own point and a column.
#[derive(Debug, Clone, Copy)]
struct Move {
    role: Role,
    own: usize,
    other: usize,
}

/// Elements that begin at these ends, with the columns of their inputs, directions and coefficients.
#[derive(Debug, Clone)]
pub(super) struct Pass {
    first: First,
    pub(super) x: Vec<u32>,
    pub(super) a: Vec<u32>,
    pub(super) c: Vec<u32>,
    /// The column of the first of the moves, and the number of them without directions.
    begin: usize,
    undirected: usize,
    moves: Vec<Move>,
}

/// The results of a pass in the sum of a point: where the number of the gate is below the square of the
/// cutoff, they are multiplied by the weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) pass: usize,
    pub(super) gate: u32,
    pub(super) weight: u32,
}

#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) passes: Vec<Pass>,
    /// Each has the columns of a gate and of a weight.
    shares: Vec<Share>,
    /// The terms of each input, one or two, or none.
    pub(super) terms: Vec<Vec<Term>>,
    /// Of near entries, without a weight.
    pub(super) whole: Term,
    /// The term of all inputs, if they have the same one.
    pub(super) alike: Option<Term>,
    extra: Option<usize>,
    /// The number of columns that are gathered, and of all.
    pub(super) gathered: usize,
    pub(super) length: usize,
}

impl Plan {
    /// For elements whose ends may be exchanged in this instance, too, or not.
    pub(super) fn new(columns: &RecordColumns, near: &NearFacts, exchangeable: bool) -> Self {
        let gathered = ENTRY + columns.entry() + 1 + columns.shared();
        let firsts = match (near.sort, near.exchangeable) {
            (Sort::Pairs, false) => &[First::Lower][..],
            (Sort::Rows, of_code) if !(of_code && exchangeable) => &[First::Own, First::Other],
            _ => &[First::Own],
        };
        let whole = Term { pass: 0, gate: SQUARED, weight: (ENTRY + columns.entry()) as u32 };
        let both = firsts.len() == 1;
        let (mut shares, mut terms) = (Vec::new(), vec![Vec::new(); columns.inputs.len()]);
        for (terms, InputPlace { role, .. }) in terms.iter_mut().zip(&columns.inputs) {
            for (pass, first) in firsts.iter().enumerate() {
                let Some(share) = share(near.sort, *first, *role, both) else { continue };
                if share == Share::Whole {
                    terms.push(whole);
                    continue;
                }
                let at = shares.iter().position(|known| *known == share).unwrap_or_else(|| {
                    shares.push(share);
                    shares.len() - 1
                });
                let gate = (gathered + 2 * at) as u32;
                terms.push(Term { pass, gate, weight: gate + 1 });
            }
        }
        let mut length = gathered + 2 * shares.len();
        let passes = firsts.iter().map(|first| {
            let pass = Pass::new(columns, *first, length);
            length += pass.moves.len();
            pass
        });
        let passes = passes.collect();
        let first: Option<&Vec<Term>> = terms.first();
        let alike = first.filter(|first| first.len() == 1 && terms.iter().all(|other| other == *first));
        let alike = alike.map(|first| first[0]);
        Self { passes, shares, terms, whole, alike, extra: columns.extra, gathered, length }
    }

    /// Writes the columns of ones and of shared coefficients.
    pub(super) fn write_constants(&self, shared: &[f64], lanes: usize, block: &mut [f64]) {
        let begin = (self.gathered - shared.len() - 1) * COLUMN * lanes;
        let columns = block[begin..].chunks_exact_mut(COLUMN * lanes);
        columns.zip(std::iter::once(&1.0).chain(shared)).for_each(|(column, number)| column.fill(*number));
    }
}

/// The share of the own point in the derivative by an input, if it has one; rows of exchangeable
/// elements add both ways at once.
fn share(sort: Sort, first: First, role: Role, both: bool) -> Option<Share> {
    Some(match (sort, first, role) {
        (_, First::Own, Role::Second) | (_, First::Other, Role::First) => return None,
        (Sort::Pairs, First::Own | First::Other, _) => Share::Whole,
        (_, First::Lower, Role::Separation) => Share::Sign,
        (_, First::Lower, Role::First) => Share::OfFirst,
        (_, First::Lower, Role::Second) => Share::OfSecond,
        (Sort::Rows, First::Own, _) if both => Share::Both,
        (Sort::Rows, First::Own, _) => Share::Own,
        (Sort::Rows, First::Other, Role::Separation) => Share::MinusOther,
        (Sort::Rows, First::Other, _) => Share::Other,
    })
}

impl Pass {
    fn new(columns: &RecordColumns, first: First, begin: usize) -> Self {
        let place = |moves: &mut Vec<Move>, role: Role, own: usize, other: usize| {
            let is_gathered = match first {
                First::Own => role != Role::First,
                First::Other => role == Role::First,
                First::Lower => false,
            };
            if is_gathered {
                return other as u32;
            }
            moves.push(Move { role, own, other });
            (begin + moves.len() - 1) as u32
        };
        let (directions, own_directions) = (ENTRY + columns.undirected(), columns.record.next_multiple_of(4));
        let (inputs, mut moves) = (columns.inputs.iter(), Vec::new());
        let x = inputs.clone().map(|at| place(&mut moves, at.role, at.column, ENTRY + at.column)).collect();
        let shared = ENTRY + columns.entry() + 1;
        let c = columns.coefficients.iter().map(|(source, column)| match source {
            Source::Shared => (shared + column) as u32,
            Source::First => place(&mut moves, Role::First, *column, ENTRY + column),
            Source::Second => place(&mut moves, Role::Second, *column, ENTRY + column),
            Source::Pair => {
                let order = if first == First::Other { columns.pairs } else { 0 };
                (ENTRY + columns.gathered + order + column) as u32
            }
        });
        let c = c.collect();
        let undirected = moves.len();
        let a = inputs
            .map(|at| place(&mut moves, at.role, own_directions + at.direction, directions + at.direction));
        let a = a.collect();
        Self { first, x, a, c, begin, undirected, moves }
    }
}

/// Finds the columns that are not gathered.
pub(super) struct Arrange<'a> {
    pub(super) plan: &'a Plan,
    /// Whether there is a direction, and whether results have weights.
    pub(super) directed: bool,
    pub(super) weighted: bool,
    pub(super) count: usize,
    /// The records of the own points, then of their directions.
    pub(super) own: &'a [f64],
    pub(super) block: &'a mut [f64],
}

impl Arrange<'_> {
    /// True if there is nothing to find.
    pub(super) fn is_empty(&self) -> bool {
        self.plan.length == self.plan.gathered
    }
}

impl InForm for Arrange<'_> {
    #[inline(always)]
    fn run<L: ColumnForm>(self, form: L) {
        let Self { plan, directed, weighted, count, own, block } = self;
        let (own, count, extra) = (form.all(own), count.min(COLUMN), plan.extra.unwrap_or_default());
        let (gathered, found) = form.all_mut(block).as_chunks_mut::<COLUMN>().0.split_at_mut(plan.gathered);
        let (number, numbers) = (form.number(own[extra]), &gathered[ENTRY + extra]);
        if weighted {
            let squared = &gathered[SQUARED as usize];
            for (share, [gate, weight]) in plan.shares.iter().zip(found.as_chunks_mut().0) {
                for place in 0..count {
                    let squared = form.number(squared[place]);
                    let [of_gate, of_weight] = share.of(squared, number, form.number(numbers[place]));
                    gate[place] = form.stored(of_gate);
                    weight[place] = form.stored(of_weight);
                }
            }
        }
        let passes = plan.passes.iter().take(if weighted { plan.passes.len() } else { 1 });
        for Pass { first, begin, undirected, moves, .. } in passes {
            let moves = if directed { moves } else { &moves[..*undirected] };
            for (at, to) in moves.iter().zip(&mut found[begin - plan.gathered..]) {
                let (own, others) = (form.number(own[at.own]), &gathered[at.other]);
                for place in 0..count {
                    let (other, of_other) = (form.number(others[place]), form.number(numbers[place]));
                    to[place] = form.stored(match (first, at.role) {
                        (First::Own, _) | (First::Other, Role::First | Role::Second) => own,
                        (First::Other, Role::Separation) => -other,
                        (First::Lower, Role::Separation) => Real::select(number.lt(of_other), other, -other),
                        (First::Lower, Role::First) => Real::select(number.lt(of_other), own, other),
                        (First::Lower, Role::Second) => Real::select(number.lt(of_other), other, own),
                    });
                }
            }
        }
    }
}

impl Share {
    /// The gate and the weight of an entry, from the square of the distance, and from the numbers of
    /// both ends or the weights of their rows. A point whose weight is zero is as far as any.
    #[inline(always)]
    fn of<T: Real>(self, squared: T, own: T, other: T) -> [T; 2] {
        let (one, far) = (own.number(1.0), own.number(f64::INFINITY));
        let weight = match self {
            Self::Whole => return [squared, one],
            Self::Sign => return [squared, T::select(own.lt(other), one, -one)],
            Self::OfFirst => return [T::select(own.lt(other), squared, far), one],
            Self::OfSecond => return [T::select(own.lt(other), far, squared), one],
            Self::Own => own,
            Self::Other => other,
            Self::MinusOther => -other,
            Self::Both => own + other,
        };
        let zero = own.number(0.0);
        [T::select(T::both(weight.le(zero), zero.le(weight)), far, squared), weight]
    }
}
