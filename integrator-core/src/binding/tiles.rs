//! The coefficients of a family by blocks of eight elements: what one block reads stands together, and an operation reads what it
//! needs.

use super::columns::column;
use crate::lanes::{Lanes, MOST_LANES};
use pulp::Simd;

/// The coefficients of all elements: a number where they all have the same, else one for each.
#[derive(Debug, Clone)]
pub(super) struct Tiles<const C: usize> {
    shared: [f64; C],
    /// Those that vary, ascending.
    varying: Vec<usize>,
    /// The varying ones of each block; the last block is filled with its last element.
    values: Vec<[f64; MOST_LANES]>,
}

/// The varying coefficients of one operation, and where each stands among those of a block.
#[derive(Clone, Copy)]
pub(super) struct Chosen<const C: usize> {
    coefficients: [(usize, usize); C],
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
    pub(super) fn chosen(&self, read: Option<&[usize]>) -> Chosen<C> {
        let mut chosen = Chosen { coefficients: [(0, 0); C], length: 0 };
        for (place, &coefficient) in self.varying.iter().enumerate() {
            if read.is_none_or(|read| read.contains(&coefficient)) {
                chosen.coefficients[chosen.length] = (coefficient, place);
                chosen.length += 1;
            }
        }
        chosen
    }

    /// Replaces the chosen ones by those of the elements of a block from `lane` on.
    #[inline(always)]
    pub(super) fn load<S: Simd>(
        &self,
        simd: S,
        (block, lane): (usize, usize),
        chosen: &Chosen<C>,
        values: &mut [Lanes<S>; C],
    ) {
        let tile = &self.values[block * self.varying.len()..][..self.varying.len()];
        for &(coefficient, place) in &chosen.coefficients[..chosen.length] {
            values[coefficient] = Lanes::load(simd, &tile[place], lane);
        }
    }
}

/// Padded columns of `length` numbers, eight rows after the other.
fn tiles(columns: &[Vec<f64>], length: usize) -> Vec<[f64; MOST_LANES]> {
    let mut tiles = Vec::with_capacity(columns.len() * length.div_ceil(MOST_LANES));
    for start in (0..length).step_by(MOST_LANES) {
        for column in columns {
            let mut tile = [0.0; MOST_LANES];
            tile.copy_from_slice(&column[start..start + MOST_LANES]);
            tiles.push(tile);
        }
    }
    tiles
}
