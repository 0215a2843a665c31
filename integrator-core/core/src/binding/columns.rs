//! The inputs of the elements of a block, each a column, and the places of their sums.
//!
//! A column has a number for each element. If all elements of a row read one number, it is spread into a
//! column; if all add to one place, the sum stays in a register until the row ends. So the loop over
//! registers has arithmetic alone; bounds are checked here, once for each row and block.

use super::coefficients::Column;
use super::line::{BLOCK, Line};
use crate::lanes::{Lanes, MOST_LANES, Sum};
use pulp::Simd;
use std::cell::Cell;

/// One number for each element of a block.
#[repr(align(64))]
#[derive(Debug, Clone, Copy)]
pub(super) struct Block([f64; BLOCK]);

impl Block {
    const ZERO: Self = Self([0.0; BLOCK]);

    /// A shared coefficient; zeros for a varying one.
    pub(super) fn of(column: &Column) -> Self {
        match column {
            Column::Shared(number) => Self([*number; BLOCK]),
            Column::Varying(_) => Self::ZERO,
        }
    }
}

/// The sums of a block in which a vector ends.
#[repr(align(64))]
#[derive(Debug, Clone)]
pub(super) struct BlockEnd([Cell<f64>; BLOCK]);

impl BlockEnd {
    fn zeros() -> Self {
        Self([const { Cell::new(0.0) }; BLOCK])
    }
}

/// The memory of a block for each input, coefficient and sum:
/// for numbers that all elements share, and for columns that end within the block.
#[derive(Debug)]
pub(super) struct Blocks {
    pub(super) x: Vec<Block>,
    pub(super) a: Vec<Block>,
    pub(super) weights: Vec<Block>,
    pub(super) coefficients: Vec<Block>,
    pub(super) vector: Vec<BlockEnd>,
    pub(super) sums: Vec<BlockEnd>,
}

impl Blocks {
    /// For elements with `inputs` inputs, `sums` sums and these coefficients.
    pub(super) fn new(inputs: usize, sums: usize, coefficients: Vec<Block>) -> Self {
        let of_inputs = || vec![Block::ZERO; inputs];
        let of_sums = || vec![Block::ZERO; sums];
        Self {
            x: of_inputs(),
            a: of_inputs(),
            weights: of_sums(),
            coefficients,
            vector: vec![BlockEnd::zeros(); inputs],
            sums: vec![BlockEnd::zeros(); sums],
        }
    }

    /// The blocks for elements with X inputs, C coefficients and R sums.
    #[inline(always)]
    pub(super) fn own<const X: usize, const C: usize, const R: usize>(&mut self) -> Option<Own<'_, X, C, R>> {
        Some(Own {
            x: self.x.first_chunk_mut()?,
            a: self.a.first_chunk_mut()?,
            weights: self.weights.first_chunk_mut()?,
            coefficients: self.coefficients.first_chunk_mut()?,
            vector: self.vector.first_chunk()?,
            sums: self.sums.first_chunk()?,
        })
    }
}

/// [`Blocks`] with constant lengths.
pub(super) struct Own<'b, const X: usize, const C: usize, const R: usize> {
    pub(super) x: &'b mut [Block; X],
    pub(super) a: &'b mut [Block; X],
    pub(super) weights: &'b mut [Block; R],
    pub(super) coefficients: &'b mut [Block; C],
    pub(super) vector: &'b [BlockEnd; X],
    pub(super) sums: &'b [BlockEnd; R],
}

/// The places of a row: `lead` places of others before its first element, so that registers begin with
/// cache lines, and the number of places with them.
#[derive(Clone, Copy)]
pub(super) struct RowPlaces {
    pub(super) lead: usize,
    pub(super) count: usize,
}

/// The number of a register in a block, with bounds that the compiler knows.
#[inline(always)]
fn within<S: Simd>(register: usize) -> usize {
    register % (BLOCK / Lanes::<S>::COUNT)
}

/// The inputs of the elements of a row: for each column the blocks that lie whole in memory.
///
/// If there are no more, an own block has the number that all elements read, or the rest of a column.
#[derive(Clone, Copy)]
pub(super) struct InputColumns<'b, const N: usize>([&'b [[f64; BLOCK]]; N]);

impl<'b, const N: usize> InputColumns<'b, N> {
    /// Own blocks alone.
    pub(super) const OWN: Self = Self([&[]; N]);

    /// Finds the numbers of the lines of a row.
    #[inline(always)]
    pub(super) fn find(
        &mut self,
        lines: &[Line; N],
        places: RowPlaces,
        from: &'b [f64],
        own: &mut [Block; N],
    ) {
        for ((line, own), whole) in lines.iter().zip(own).zip(&mut self.0) {
            let start = line.start as usize;
            if line.advances {
                *whole = column(&from[start - places.lead..], places, own);
            } else {
                *whole = &[];
                let registers = own.0.as_chunks_mut().0.iter_mut().take(places.count.div_ceil(MOST_LANES));
                registers.for_each(|own| *own = [from[start]; MOST_LANES]);
            }
        }
    }

    /// [`Self::find`] out of line, for inputs of few operations:
    /// slower, but compiled once for each number of lines.
    #[inline(never)]
    pub(super) fn find_apart(
        &mut self,
        lines: &[Line; N],
        places: RowPlaces,
        from: &'b [f64],
        own: &mut [Block; N],
    ) {
        self.find(lines, places, from, own);
    }

    /// Finds the coefficients of a row; shared ones have own blocks.
    #[inline(never)]
    pub(super) fn find_coefficients(
        &mut self,
        columns: &'b [Column],
        first: u32,
        places: RowPlaces,
        own: &mut [Block; N],
    ) {
        for ((values, own), whole) in columns.iter().zip(own).zip(&mut self.0) {
            if let Column::Varying(all) = values {
                // A register of padding precedes the numbers.
                *whole = column(&all[first as usize + MOST_LANES - places.lead..], places, own);
            }
        }
    }

    /// The columns of a block.
    #[inline(always)]
    pub(super) fn block<'r>(&'r self, own: &'r [Block; N], block: usize) -> Read<'r, N> {
        let mut read = Read(own.each_ref().map(|own| &own.0));
        for (read, whole) in read.0.iter_mut().zip(&self.0) {
            *read = whole.get(block).unwrap_or(*read);
        }
        read
    }
}

/// The whole blocks of a column; the rest of the row goes into `own`, filled up with zeros.
#[inline(always)]
fn column<'b>(from: &'b [f64], places: RowPlaces, own: &mut Block) -> &'b [[f64; BLOCK]] {
    let (whole, rest) = from.as_chunks();
    if whole.len() * BLOCK < places.count {
        fill(&mut own.0, rest);
    }
    whole
}

#[inline(never)]
fn fill(own: &mut [f64; BLOCK], from: &[f64]) {
    own.fill(0.0);
    own.iter_mut().zip(from).for_each(|(own, from)| *own = *from);
}

/// The inputs of the elements of a block.
#[derive(Clone, Copy)]
pub(super) struct Read<'b, const N: usize>([&'b [f64; BLOCK]; N]);

impl<const N: usize> Read<'_, N> {
    /// A register of a column.
    #[inline(always)]
    pub(super) fn get<S: Simd>(&self, simd: S, k: usize, register: usize) -> Lanes<S> {
        Lanes::of(simd, S::as_simd_f64s(self.0[k]).0[within::<S>(register)])
    }
}

/// The places to which elements add: columns, which may overlap,
/// and a sum for all elements of a row that add to one place.
pub(super) struct Sums<'b, const N: usize> {
    to: &'b [Cell<f64>],
    own: &'b [BlockEnd; N],
    whole: [&'b [[Cell<f64>; BLOCK]]; N],
    columns: [&'b [Cell<f64>; BLOCK]; N],
    advances: [bool; N],
    still: [Sum; N],
}

impl<'b, const N: usize> Sums<'b, N> {
    /// For elements that add to the vector `to`.
    #[inline(always)]
    pub(super) fn new(to: &'b mut [f64], own: &'b [BlockEnd; N]) -> Self {
        let (to, columns) = (Cell::from_mut(to).as_slice_of_cells(), own.each_ref().map(|own| &own.0));
        Self { to, own, whole: [&[]; N], columns, advances: [false; N], still: [Sum::ZERO; N] }
    }

    #[inline(always)]
    pub(super) fn begin(&mut self, lines: &[Line; N], lead: usize) {
        self.still = [Sum::ZERO; N];
        for (k, line) in lines.iter().enumerate() {
            self.advances[k] = line.advances;
            self.whole[k] = &[];
            if line.advances {
                self.whole[k] = self.to[line.target as usize - lead..].as_chunks().0;
            }
        }
    }

    /// Begins a block; columns end within it only if `ends`.
    #[inline(always)]
    pub(super) fn begin_block(&mut self, lines: &[Line; N], block: usize, ends: bool) {
        for ((column, whole), own) in self.columns.iter_mut().zip(&self.whole).zip(self.own) {
            *column = whole.get(block).unwrap_or(&own.0);
        }
        if ends {
            each_rest(lines, self.to, self.own, block, &mut |_, own| own.set(0.0));
        }
    }

    #[inline(always)]
    pub(super) fn add<S: Simd>(&mut self, k: usize, register: usize, value: Lanes<S>) {
        if self.advances[k] {
            let to = self.register::<S>(k, register);
            let mut numbers = [0.0; MOST_LANES];
            to.iter().zip(&mut numbers).for_each(|(to, number)| *number = to.get());
            set(to, Lanes::from_array(value.simd(), &numbers) + value);
        } else {
            self.still[k].add(register, value);
        }
    }

    /// Writes a register; all lines advance.
    #[inline(always)]
    pub(super) fn write<S: Simd>(&self, k: usize, register: usize, value: Lanes<S>) {
        set(self.register::<S>(k, register), value);
    }

    #[inline(always)]
    fn register<S: Simd>(&self, k: usize, register: usize) -> &[Cell<f64>] {
        let lanes = Lanes::<S>::COUNT;
        &self.columns[k][within::<S>(register) * lanes..][..lanes]
    }

    #[inline(always)]
    pub(super) fn end_block(&self, lines: &[Line; N], block: usize, ends: bool) {
        if ends {
            each_rest(lines, self.to, self.own, block, &mut |to, own| to.set(to.get() + own.get()));
        }
    }

    /// Ends a row: adds the sum of its elements to each line that does not advance.
    #[inline(always)]
    pub(super) fn end(&self, lines: &[Line; N], lead: usize) {
        for (k, line) in lines.iter().enumerate() {
            if !line.advances {
                let (to, still) = (&self.to[line.target as usize], self.still[k]);
                to.set(to.get() + still.total_from(lead));
            }
        }
    }
}

#[inline(always)]
fn set<S: Simd>(to: &[Cell<f64>], value: Lanes<S>) {
    to.iter().zip(value.to_array()).for_each(|(to, number)| to.set(number));
}

/// Visits the numbers to which the elements of the last block add, with the sums in own blocks.
#[inline(never)]
fn each_rest(
    lines: &[Line],
    to: &[Cell<f64>],
    own: &[BlockEnd],
    block: usize,
    act: &mut dyn FnMut(&Cell<f64>, &Cell<f64>),
) {
    for (line, own) in lines.iter().zip(own) {
        let rest = to.get(line.target as usize + block * BLOCK..).unwrap_or_default();
        if line.advances && rest.len() < BLOCK {
            rest.iter().zip(&own.0).for_each(|(to, own)| act(to, own));
        }
    }
}
