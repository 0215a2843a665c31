//! What the elements of a block read, each input a column, and where their results are added.
//!
//! Bounds are checked here, once for a block and not for each register of it, so that the loop over its registers has arithmetic alone; and by functions that are
//! compiled once for all models.

use super::coefficients::Column;
use super::line::Line;
use crate::lanes::{Lanes, MOST_LANES, Registers, Sum};
use pulp::{Simd, WithSimd};

/// So many elements are computed before their results are added: as many in registers of any width, so that all add in one order.
pub(super) const BLOCK: usize = 8 * MOST_LANES;

/// One number for each element of a block.
#[repr(align(64))]
#[derive(Debug, Clone, Copy)]
pub(super) struct Block([f64; BLOCK]);

impl Block {
    pub(super) const ZERO: Self = Self([0.0; BLOCK]);

    /// The registers of the elements.
    #[inline(always)]
    pub(super) fn registers<S: Simd>(numbers: &[f64; BLOCK]) -> &[S::f64s] {
        S::as_simd_f64s(numbers).0
    }
}

/// What is read where nothing is.
pub(super) static NOTHING: [f64; BLOCK] = [0.0; BLOCK];

/// The memory for a block of elements: for each input, coefficient and sum.
#[derive(Debug, Clone)]
pub(super) struct Blocks {
    pub(super) x: Vec<Block>,
    pub(super) a: Vec<Block>,
    pub(super) weights: Vec<Block>,
    pub(super) coefficients: Vec<Block>,
    pub(super) vector: Vec<Block>,
    pub(super) sums: Vec<Block>,
}

impl Blocks {
    /// For elements with so many inputs that add to so many sums, and with these coefficients, of which those that all elements share are there already.
    pub(super) fn new(inputs: usize, sums: usize, coefficients: &[Column]) -> Self {
        let of_inputs = || vec![Block::ZERO; inputs];
        let of_sums = || vec![Block::ZERO; sums];
        let coefficient = |column: &Column| match column {
            Column::Shared(number) => Block([*number; BLOCK]),
            Column::Varying(_) => Block::ZERO,
        };
        let coefficients = coefficients.iter().map(coefficient).collect();
        Self {
            x: of_inputs(),
            a: of_inputs(),
            weights: of_sums(),
            coefficients,
            vector: of_inputs(),
            sums: of_sums(),
        }
    }
}

/// Some elements of a row: how many are before them, and how many they are, at most a block.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) begin: usize,
    pub(super) count: usize,
}

/// The numbers that the elements of a part read on their lines: where they stand in `from`, or in `own`, if all read the same one or `from` ends within the block.
#[inline(always)]
pub(super) fn read<'b, S: Simd, const N: usize>(
    simd: S,
    lines: &[Line; N],
    part: Part,
    from: &'b [f64],
    own: &'b mut [Block; N],
) -> [&'b [f64; BLOCK]; N] {
    let mut read = [&NOTHING; N];
    for ((line, own), read) in lines.iter().zip(own).zip(&mut read) {
        let start = line.start as usize;
        *read = if line.advances {
            column(from, start + part.begin, own)
        } else {
            if part.begin == 0 {
                let number = simd.splat_f64s(from[start]);
                let registers = part.count.div_ceil(Lanes::<S>::COUNT);
                S::as_mut_simd_f64s(&mut own.0).0.iter_mut().take(registers).for_each(|own| *own = number);
            }
            &own.0
        };
    }
    read
}

/// [`read`] in a function of its own, for what few operations read: it takes longer, but is compiled once for as many lines.
#[inline(never)]
pub(super) fn read_apart<'b, const N: usize>(
    lines: &[Line; N],
    part: Part,
    from: &'b [f64],
    own: &'b mut [Block; N],
) -> [&'b [f64; BLOCK]; N] {
    read(pulp::Scalar::new(), lines, part, from, own)
}

/// The coefficients of the elements from this one on; those that all elements share are in blocks of their own.
#[inline(never)]
pub(super) fn coefficients<'b, const N: usize>(
    columns: &'b [Column],
    element: usize,
    own: &'b mut [Block; N],
) -> [&'b [f64; BLOCK]; N] {
    let mut read = [&NOTHING; N];
    for ((values, own), read) in columns.iter().zip(own).zip(&mut read) {
        *read = match values {
            Column::Shared(_) => &own.0,
            Column::Varying(all) => column(all, element, own),
        };
    }
    read
}

/// The numbers from `at` on, and zeros where they end within the block.
#[inline(always)]
fn column<'b>(from: &'b [f64], at: usize, own: &'b mut Block) -> &'b [f64; BLOCK] {
    match from.get(at..).and_then(<[f64]>::first_chunk) {
        Some(whole) => whole,
        None => rest(&from[at..], own),
    }
}

/// The last numbers of a column, then zeros.
#[inline(never)]
fn rest<'b>(from: &[f64], own: &'b mut Block) -> &'b [f64; BLOCK] {
    own.0[..from.len()].copy_from_slice(from);
    own.0[from.len()..].fill(0.0);
    &own.0
}

/// Puts a register of each column to its place.
#[inline(always)]
pub(super) fn put<S: Simd, const N: usize>(blocks: &mut [Block; N], register: usize, found: [Lanes<S>; N]) {
    for (block, found) in blocks.iter_mut().zip(found) {
        S::as_mut_simd_f64s(&mut block.0).0[register] = found.values();
    }
}

/// What the elements of a part have found, to be added to where their lines lead: to a number for each of them, or to one for all, which `sums` keep until the row ends.
pub(super) struct Adding<'a> {
    pub(super) lines: &'a [Line],
    pub(super) part: Part,
    pub(super) found: &'a [Block],
    /// Whether lines share no place: then it is written, whatever stood there.
    pub(super) writes: bool,
    pub(super) to: &'a mut [f64],
    pub(super) sums: &'a mut [Sum],
}

impl WithSimd for Adding<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { lines, part, found, writes, to, sums } = self;
        let count = part.count.div_ceil(Lanes::<S>::COUNT);
        for ((line, found), sum) in lines.iter().zip(found).zip(sums) {
            let registers = S::as_simd_f64s(&found.0).0.iter().take(count);
            if !line.advances {
                let mut total = *sum;
                for (number, found) in registers.enumerate() {
                    total.add(number, Lanes::of(simd, *found));
                }
                *sum = total;
                continue;
            }
            let to = &mut to[line.target as usize + part.begin..];
            let (whole, rest) = S::as_mut_simd_f64s(to);
            let pairs = whole.iter_mut().zip(registers);
            if writes {
                pairs.for_each(|(to, found)| *to = *found);
            } else {
                pairs.for_each(|(to, found)| *to = simd.add_f64s(*to, *found));
            }
            if whole.len() < count {
                add_to_rest(rest, &found.0[whole.len() * Lanes::<S>::COUNT..]);
            }
        }
    }
}

impl Adding<'_> {
    /// Adds it.
    pub(super) fn run(self, registers: Registers) {
        registers.run(self);
    }
}

/// Adds to the last numbers of a vector.
#[inline(never)]
fn add_to_rest(to: &mut [f64], numbers: &[f64]) {
    to.iter_mut().zip(numbers).for_each(|(to, number)| *to += number);
}

/// Ends a row: adds to each line that stands still the sum of what its elements have found.
pub(super) fn end(lines: &[Line], sums: &mut [Sum], written: bool, to: &mut [f64]) {
    for (line, sum) in lines.iter().zip(sums) {
        if !line.advances {
            let to = &mut to[line.target as usize];
            *to = if written { 0.0 } else { *to } + sum.total();
            *sum = Sum::ZERO;
        }
    }
}
