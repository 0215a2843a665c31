//! The elements of a family laid out for the loops over them.
//!
//! Four layouts for SIMD registers. *Chains*: consecutive elements with a point in common, which are read and added where they
//! stand. *Sites*: the same where each element has a point of its own. *Rows*: consecutive elements in which each gather stands
//! still or advances by one stride (a chain with coefficients of its own, the pairs of one particle with all later ones);
//! coordinates are staged component by component, so that what neighbouring elements read are neighbours in memory, and what stands
//! still is read and added up once for a row. *Blocks*: any other order, and heavy elements of meshes in any order; indices are
//! stored for eight elements at a time.
//!
//! One layout for one number at a time. *Stars*: rows that are the pairs of a point with others, which are read and added where they
//! stand. Any other order gains nothing by one.
//!
//! The order is found here, in the indices of the instance, not in the text of the declaration, so that every iterator and every
//! condition profits.
//!
//! Large families are cut into parts that run on several threads; the parts and the order in which their sums are added depend on
//! the instance alone, so that any number of threads gives the same bits.

use super::columns::Columns;
use super::element::Yields;
use super::instant::Instant;
use super::operation::Operation;
use super::tiles::Tiles;
use crate::lanes::{Aligned, MOST_LANES, Registers};
use crate::scratch::Scratch;
use crate::sparse::SymmetricPattern;
use std::ops::Range;

mod blocks;
mod chain;
mod parts;
mod rows;
mod sites;
mod stars;

use blocks::Blocks;
use chain::Chain;
use parts::Parts;
use rows::{Rows, Staged};
use sites::Sites;
use stars::Stars;

/// Families below this number of elements are not worth a register.
const FEW: usize = 16;
/// The least operations of a gradient with which elements in arbitrary order profit: below, moving numbers into lanes and out of
/// them costs more than the arithmetic.
const HEAVY: u32 = 40;
/// Rows shorter than this on average are not worth their ends.
const SHORT: usize = 6;
/// How many operations a staged coordinate costs.
const STAGING: usize = 8;

/// What a family has to say about its elements.
pub(super) struct Elements<const X: usize, const C: usize> {
    /// What each reads.
    pub(super) inputs: Vec<[u32; X]>,
    /// Their coefficients.
    pub(super) coefficients: Vec<[f64; C]>,
    /// The local row and column of each Hessian entry.
    pub(super) entries: &'static [(usize, usize)],
    /// The operations of one gradient.
    pub(super) operations: u32,
    /// Whether all operations are light.
    pub(super) light: bool,
}

impl<const X: usize, const C: usize> Elements<X, C> {
    /// Puts them in this order.
    fn reorder(&mut self, order: &[usize]) {
        self.inputs = order.iter().map(|&element| self.inputs[element]).collect();
        self.coefficients = order.iter().map(|&element| self.coefficients[element]).collect();
    }
}

/// The matrix that a family fills.
#[derive(Clone, Copy)]
pub(super) struct Matrix<'a> {
    pub(super) pattern: &'a SymmetricPattern,
    /// How many entries of elements fill each position, the diagonal counted once more; empty where that is not known.
    pub(super) filled: &'a [u8],
}

/// The elements of a family, in the layout that suits them.
#[derive(Debug)]
pub(super) struct Arrangement<const X: usize, const C: usize, const H: usize> {
    layout: Layout<X, C, H>,
    parts: Parts,
    memory: Scratch<Memory>,
}

#[derive(Debug)]
enum Layout<const X: usize, const C: usize, const H: usize> {
    Chain(Chain<X, C, H>, Registers),
    Sites(Sites<X, C, H>, Registers),
    Rows(Rows<X, H>, Columns<C>, Registers),
    Blocks(Blocks<X, H>, Tiles<C>, Registers),
    Stars(Stars<X, C, H>),
}

/// Staged vectors.
#[derive(Debug, Default)]
struct Memory {
    x: Aligned,
    a: Aligned,
    /// What each part stages and adds up.
    shares: Vec<Share>,
}

impl Memory {
    /// For vectors of length `staged` and this many shares of length `length`.
    fn kept(staged: usize, length: usize, shares: usize) -> Scratch<Self> {
        Scratch::new(move || {
            // Not clones of one: memory that nobody has touched costs nothing.
            let share = |_| Share { memory: Aligned::zeros(length), scalar: 0.0 };
            let shares = (0..shares).map(share).collect();
            Self { x: Aligned::zeros(staged), a: Aligned::zeros(staged), shares }
        })
    }
}

/// What one part of the elements stages and adds up.
#[derive(Debug, Clone, Default)]
struct Share {
    memory: Aligned,
    scalar: f64,
}

impl<const X: usize, const C: usize, const H: usize> Arrangement<X, C, H> {
    /// A layout for these elements of vectors of length `length`, if one pays.
    pub(super) fn of(
        registers: Option<Registers>,
        mut elements: Elements<X, C>,
        length: usize,
        matrix: Matrix<'_>,
    ) -> Option<Self> {
        let count = elements.inputs.len();
        if X == 0 || count < FEW {
            return None;
        }
        let work = count * elements.operations as usize;
        // Heavy elements one at a time have a loop of their own.
        let layout = match registers {
            Some(registers) => Layout::of(registers, &mut elements, length, matrix)?,
            None if elements.light && work >= STAGING * length => {
                let rows = in_rows(&mut elements)?;
                Layout::Stars(Stars::of(&rows, &elements, matrix)?)
            }
            None => return None,
        };
        let parts = match &layout {
            Layout::Chain(..) | Layout::Sites(..) => Parts::new(&[1], work, length, &|_| None),
            Layout::Rows(rows, ..) => {
                Parts::new(&rows.weights(), work, length, &|part| Some(rows.positions(part)))
            }
            Layout::Blocks(blocks, ..) => Parts::new(&blocks.weights(), work, length, &|_| None),
            Layout::Stars(stars) => {
                Parts::new(&stars.weights(), work, length, &|part| Some(stars.positions(part)))
            }
        };
        // What parts on several threads find is added up apart.
        let apart = if parts.len() > 1 { length } else { 0 };
        let (staged, length) = match &layout {
            Layout::Rows(rows, ..) => (rows.staged_length(), rows.memory_length()),
            Layout::Blocks(..) => (0, blocks::MEMORY_LENGTH + apart),
            Layout::Stars(stars) => (0, stars.memory_length() + apart),
            Layout::Chain(..) | Layout::Sites(..) => (0, 0),
        };
        let memory = Memory::kept(staged, length, parts.len());
        Some(Self { layout, parts, memory })
    }

    /// Shows the positions over which a sweep writes, whatever stands there.
    pub(super) fn visit_written(&self, visit: &mut dyn FnMut(Range<usize>)) {
        match &self.layout {
            Layout::Chain(chain, _) => chain.visit_written(visit),
            Layout::Sites(sites, _) => sites.visit_written(visit),
            Layout::Rows(rows, ..) => rows.visit_written(visit),
            Layout::Stars(stars) => stars.visit_written(visit),
            Layout::Blocks(..) => {}
        }
    }

    /// Runs an operation over all elements and adds what it yields; returns the sum of its scalars.
    pub(super) fn sweep(&self, loops: &Loops<X, C, H>, arguments: Arguments<'_>) -> f64 {
        let Self { layout, parts, memory } = self;
        let Arguments { x, a, now, vector, matrix } = arguments;
        let yields = loops.yields;
        let together = parts.len() == 1 || (yields.matrix && !parts.have_separate_positions());
        memory.with(|Memory { x: staged_x, a: staged_a, shares }| match layout {
            Layout::Chain(chain, registers) => {
                (loops.chain)(chain, *registers, Arguments { x, a, now, vector, matrix })
            }
            Layout::Sites(sites, registers) => {
                (loops.sites)(sites, *registers, Arguments { x, a, now, vector, matrix })
            }
            Layout::Blocks(blocks, coefficients, registers) if together => {
                let memory = &mut shares[0].memory.get_mut()[..blocks::MEMORY_LENGTH];
                let arguments = Arguments { x, a, now, vector, matrix };
                (loops.blocks)(blocks, *registers, 0..blocks.len(), coefficients, memory, arguments)
            }
            Layout::Blocks(blocks, coefficients, registers) => {
                let staged = blocks::MEMORY_LENGTH;
                let sum = parts.share(shares, &mut [], &|part, share, _, _| {
                    let (memory, vector) = share.memory.get_mut().split_at_mut(staged);
                    vector.fill(0.0);
                    let arguments = Arguments { x, a, now, vector, matrix: &mut [] };
                    (loops.blocks)(blocks, *registers, part, coefficients, memory, arguments)
                });
                if yields.vector {
                    add_shares(shares, staged, vector);
                }
                sum
            }
            Layout::Stars(stars) if together => {
                let memory = &mut shares[0].memory.get_mut()[..stars.memory_length()];
                if yields.matrix {
                    memory.fill(0.0);
                }
                let arguments = Arguments { x, a, now, vector, matrix: &mut *matrix };
                let sum = (loops.stars)(stars, 0..stars.len(), memory, 0, arguments);
                if yields.matrix {
                    stars.add_diagonal(memory, matrix);
                }
                sum
            }
            Layout::Stars(stars) => {
                let diagonal = stars.memory_length();
                let sum = parts.share(shares, matrix, &|part, share, matrix, first| {
                    let memory = share.memory.get_mut();
                    memory.fill(0.0);
                    let (memory, vector) = memory.split_at_mut(diagonal);
                    let arguments = Arguments { x, a, now, vector, matrix };
                    (loops.stars)(stars, part, memory, first, arguments)
                });
                if yields.vector {
                    add_shares(shares, diagonal, vector);
                }
                if yields.matrix {
                    for share in &*shares {
                        stars.add_diagonal(&share.memory.get()[..diagonal], matrix);
                    }
                }
                sum
            }
            Layout::Rows(rows, coefficients, registers) => {
                rows.stage(x, staged_x.get_mut());
                if yields.direction {
                    rows.stage(a, staged_a.get_mut());
                }
                let (staged_x, staged_a) = (staged_x.get(), staged_a.get());
                let run = |part: Range<usize>, share: &mut Share, matrix: &mut [f64], first: usize| {
                    let memory = share.memory.get_mut();
                    rows.clear(memory, yields.vector, yields.matrix);
                    let arguments = Staged { x: staged_x, a: staged_a, now, memory, matrix, first };
                    (loops.rows)(rows, *registers, part, coefficients, arguments)
                };
                let (sum, used) = if together {
                    (run(0..rows.len(), &mut shares[0], matrix, 0), 1)
                } else {
                    (parts.share(shares, matrix, &run), parts.len())
                };
                for share in &shares[..used] {
                    if yields.vector {
                        rows.unstage(share.memory.get(), vector);
                    }
                    if yields.matrix {
                        rows.unstage_bands(share.memory.get(), matrix);
                    }
                }
                sum
            }
        })
    }
}

impl<const X: usize, const C: usize, const H: usize> Layout<X, C, H> {
    /// One for registers.
    fn of(
        registers: Registers,
        elements: &mut Elements<X, C>,
        length: usize,
        matrix: Matrix<'_>,
    ) -> Option<Self> {
        let work = elements.inputs.len() * elements.operations as usize;
        let heavy = elements.operations >= HEAVY;
        if let Some(chain) = Chain::of(elements, matrix) {
            return Some(Self::Chain(chain, registers));
        }
        if let Some(sites) = Sites::of(elements, matrix) {
            return Some(Self::Sites(sites, registers));
        }
        if work >= STAGING * length
            && let Some(rows) = in_rows(elements)
            && let rows = Rows::new(rows, elements, length, matrix)
            && !(heavy && rows.scatter())
        {
            let columns = Columns::new(&elements.coefficients, &rows.coefficients());
            return Some(Self::Rows(rows, columns, registers));
        }
        if heavy && Blocks::<X, H>::FIT {
            let blocks = Blocks::new(elements, matrix.pattern);
            return Some(Self::Blocks(blocks, Tiles::new(&elements.coefficients), registers));
        }
        None
    }
}

/// Adds the vectors that parts have found, each of which stands behind this place of its memory.
fn add_shares(shares: &[Share], place: usize, vector: &mut [f64]) {
    for share in shares {
        let found = &share.memory.get()[place..];
        vector.iter_mut().zip(found).for_each(|(entry, value)| *entry += value);
    }
}

/// The loop of an operation over stars, with the first position of the matrix.
type StarLoop<const X: usize, const C: usize, const H: usize> =
    fn(&Stars<X, C, H>, Range<usize>, &mut [f64], usize, Arguments<'_>) -> f64;

/// The loop of an operation over blocks, with a memory for what is staged.
type BlockLoop<const X: usize, const C: usize, const H: usize> =
    fn(&Blocks<X, H>, Registers, Range<usize>, &Tiles<C>, &mut [f64], Arguments<'_>) -> f64;

/// The loops of one operation over each of the layouts. What is around them is compiled once for all operations.
pub(super) struct Loops<const X: usize, const C: usize, const H: usize> {
    yields: Yields,
    chain: fn(&Chain<X, C, H>, Registers, Arguments<'_>) -> f64,
    sites: fn(&Sites<X, C, H>, Registers, Arguments<'_>) -> f64,
    rows: fn(&Rows<X, H>, Registers, Range<usize>, &Columns<C>, Staged<'_>) -> f64,
    blocks: BlockLoop<X, C, H>,
    stars: StarLoop<X, C, H>,
}

impl<const X: usize, const C: usize, const H: usize> Loops<X, C, H> {
    /// Those of an operation.
    pub(super) fn of<O: Operation<X, C, H>>() -> Self {
        Self {
            yields: Yields::of::<O, X, C, H>(),
            chain: Chain::sweep::<O>,
            sites: Sites::sweep::<O>,
            rows: Rows::sweep::<O, C>,
            blocks: Blocks::sweep::<O, C>,
            stars: Stars::sweep::<O>,
        }
    }
}

/// What a sweep reads and where it adds.
pub(super) struct Arguments<'a> {
    pub(super) x: &'a [f64],
    pub(super) a: &'a [f64],
    pub(super) now: Instant,
    pub(super) vector: &'a mut [f64],
    pub(super) matrix: &'a mut [f64],
}

impl<'a> Arguments<'a> {
    /// For an operation that yields a scalar.
    pub(super) fn of(x: &'a [f64], now: Instant) -> Self {
        Self { x, a: &[], now, vector: &mut [], matrix: &mut [] }
    }

    /// The same, for a while.
    pub(super) fn again(&mut self) -> Arguments<'_> {
        Arguments { x: self.x, a: self.a, now: self.now, vector: self.vector, matrix: self.matrix }
    }

    /// The vector to which the operation adds.
    pub(super) fn adding_to(self, vector: &'a mut [f64]) -> Self {
        Self { vector, ..self }
    }
}

/// The rows of a family and their stride.
struct InRows {
    /// The elements of each row.
    rows: Vec<Range<usize>>,
    /// What moves in each row: as many answers as there are gathers.
    moving: Vec<bool>,
    stride: usize,
}

/// Cuts the elements into rows, in another order where that makes them longer.
fn in_rows<const X: usize, const C: usize>(elements: &mut Elements<X, C>) -> Option<InRows> {
    let (order, rows) = ordered_rows(elements.inputs.as_flattened(), X)?;
    if let Some(order) = order {
        elements.reorder(&order);
    }
    Some(rows)
}

/// The rows of tuples of this width, and the order in which they are found if it is not that of the tuples.
fn ordered_rows(tuples: &[u32], width: usize) -> Option<(Option<Vec<usize>>, InRows)> {
    let count = tuples.len() / width;
    let long = |rows: &InRows| rows.rows.len() * SHORT <= count;
    if let Some(rows) = cut(tuples, width).filter(long) {
        return Some((None, rows));
    }
    let tuple = |element: usize| &tuples[element * width..][..width];
    let mut order: Vec<usize> = (0..count).collect();
    // Elements that read the same first entries come together; a stable order, so that equal ones stay as declared.
    order.sort_by(|a, b| tuple(*a).cmp(tuple(*b)));
    let sorted: Vec<u32> = order.iter().flat_map(|&element| tuple(element)).copied().collect();
    let rows = cut(&sorted, width).filter(long)?;
    Some((Some(order), rows))
}

/// The longest rows of one stride, from the front.
fn cut(tuples: &[u32], width: usize) -> Option<InRows> {
    let stride = common_stride(tuples, width)?;
    let mut rows: Vec<Range<usize>> = Vec::new();
    let mut all_moving: Vec<bool> = Vec::new();
    let mut before: &[u32] = &[];
    for (element, tuple) in tuples.chunks_exact(width).enumerate() {
        if let Some(row) = rows.last_mut() {
            let moving = before.iter().zip(tuple).map(|(before, at)| before != at);
            let regular = before
                .iter()
                .zip(tuple)
                .all(|(before, at)| at == before || u64::from(*at) == u64::from(*before) + stride as u64);
            let known = all_moving.len() - width;
            let first_step = row.len() == 1;
            if regular
                && before != tuple
                && (first_step || moving.clone().eq(all_moving[known..].iter().copied()))
            {
                if first_step {
                    all_moving.truncate(known);
                    all_moving.extend(moving);
                }
                row.end += 1;
                before = tuple;
                continue;
            }
        }
        rows.push(element..element + 1);
        all_moving.resize(all_moving.len() + width, false);
        before = tuple;
    }
    Some(InRows { rows, moving: all_moving, stride })
}

/// The step by which gathers advance most often.
fn common_stride(tuples: &[u32], width: usize) -> Option<usize> {
    const LARGEST: usize = 16;
    let mut counts = [0_usize; LARGEST + 1];
    for (before, after) in tuples.iter().zip(&tuples[width.min(tuples.len())..]) {
        let step = u64::from(*after).wrapping_sub(u64::from(*before));
        if (1..=LARGEST as u64).contains(&step) {
            counts[step as usize] += 1;
        }
    }
    let most = counts.iter().copied().max().filter(|most| *most > 0)?;
    counts.iter().position(|count| *count == most)
}

/// The position of an entry.
fn position(pattern: &SymmetricPattern, row: u32, column: u32) -> u32 {
    // The pattern is made of these very entries.
    pattern.position(row as usize, column as usize).unwrap_or_default() as u32
}

/// How many elements stand in registers of `lanes` lanes from `at` on, before `end`.
#[inline(always)]
fn lanes_left(at: usize, end: usize, lanes: usize) -> usize {
    (end - at).min(lanes)
}

const _: () = assert!(MOST_LANES == 8, "blocks hold eight elements");

#[cfg(test)]
mod tests;
