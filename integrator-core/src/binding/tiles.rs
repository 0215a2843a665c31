//! The coefficients of a family by blocks of eight elements: what one block reads stands together, and an operation reads what it
//! needs.

use super::columns::column;
use crate::lanes::{Aligned, Lanes, MOST_LANES};
use pulp::Simd;

/// The coefficients of all elements: a number where they all have the same, else one for each.
#[derive(Debug, Clone)]
pub(super) struct Tiles<const C: usize> {
    shared: [f64; C],
    /// Those that vary, ascending.
    varying: Vec<usize>,
    /// The varying ones of each block, eight numbers each; the last block is filled with its last element.
    values: Aligned,
}

/// The varying coefficients of one operation.
#[derive(Clone, Copy)]
pub(super) struct Chosen<'a, const C: usize> {
    tiles: &'a [[f64; MOST_LANES]],
    tiles_of_block: usize,
    /// Those that follow each other, as coefficients and among the tiles of a block.
    runs: [Run; C],
    count: usize,
}

#[derive(Clone, Copy, Default)]
struct Run {
    coefficient: usize,
    tile: usize,
    length: usize,
}

impl<const C: usize> Tiles<C> {
    /// The blocks of these tuples.
    pub(super) fn new(tuples: &[[f64; C]]) -> Self {
        let mut shared = [0.0; C];
        let (mut varying, mut columns) = (Vec::new(), Vec::new());
        for (k, shared) in shared.iter_mut().enumerate() {
            let column;
            (*shared, column) = self::column(tuples.as_flattened(), C, k);
            if !column.is_empty() {
                varying.push(k);
                columns.push(column);
            }
        }
        Self { shared, varying, values: tiles(&columns, tuples.len()) }
    }

    /// The shared ones in all lanes.
    #[inline(always)]
    pub(super) fn splat<S: Simd>(&self, simd: S) -> [Lanes<S>; C] {
        let mut values = [Lanes::splat(simd, 0.0); C];
        for (value, shared) in values.iter_mut().zip(self.shared) {
            *value = Lanes::splat(simd, shared);
        }
        values
    }

    /// Those that vary among the ones that are read; all, where it is not known which are.
    pub(super) fn chosen(&self, read: Option<&[usize]>) -> Chosen<'_, C> {
        let (mut runs, mut count) = ([Run::default(); C], 0);
        for (tile, &coefficient) in self.varying.iter().enumerate() {
            if read.is_some_and(|read| !read.contains(&coefficient)) {
                continue;
            }
            match runs[..count].last_mut() {
                Some(run) if (run.coefficient + run.length, run.tile + run.length) == (coefficient, tile) => {
                    run.length += 1;
                }
                _ => {
                    runs[count] = Run { coefficient, tile, length: 1 };
                    count += 1;
                }
            }
        }
        let (tiles, _) = self.values.get().as_chunks();
        Chosen { tiles, tiles_of_block: self.varying.len(), runs, count }
    }
}

impl<const C: usize> Chosen<'_, C> {
    /// Replaces these by those of the elements of a block from `lane` on.
    #[inline(always)]
    pub(super) fn load<S: Simd>(&self, simd: S, (block, lane): (usize, usize), values: &mut [Lanes<S>; C]) {
        let tiles = &self.tiles[block * self.tiles_of_block..][..self.tiles_of_block];
        for run in &self.runs[..self.count] {
            let values = values[run.coefficient..][..run.length].iter_mut();
            for (value, tile) in values.zip(&tiles[run.tile..][..run.length]) {
                *value = Lanes::load(simd, tile, lane);
            }
        }
    }
}

/// Padded columns of `length` numbers, eight rows after the other.
fn tiles(columns: &[Vec<f64>], length: usize) -> Aligned {
    let mut tiles = Aligned::zeros(columns.len() * length.next_multiple_of(MOST_LANES));
    let (places, _) = tiles.get_mut().as_chunks_mut();
    let starts = (0..length).step_by(MOST_LANES);
    let sources = starts.flat_map(|start| columns.iter().map(move |column| &column[start..][..MOST_LANES]));
    for (place, source) in places.iter_mut().zip(sources) {
        let place: &mut [f64; MOST_LANES] = place;
        place.copy_from_slice(source);
    }
    tiles
}
