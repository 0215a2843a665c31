//! Gathers, for each neighbour in a list, the separation and the neighbour's inputs into columns.

use super::columns::RecordColumns;
use super::plan::ENTRY;
use crate::binding::line::COLUMN;
use crate::lanes::{Lanes, Quadruple, gathered_quadruples};
use crate::lists::image::ImageInLanes;
use crate::system::image::{Image, Shape};
use pulp::{Simd, WithSimd};

/// The supplies of points, by places: the first quadruple of each point, then the second of each, so
/// that entries which read only some of them find these together. A point that is near to nothing
/// follows the last one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Records<'a> {
    pub(super) quadruples: &'a [Quadruple],
    /// The number of points, the additional one included.
    pub(super) points: usize,
}

impl<'a> Records<'a> {
    /// The number of quadruples of a point.
    pub(super) fn each(self) -> usize {
        self.quadruples.len() / self.points
    }

    /// One quadruple of each point.
    #[inline(always)]
    fn of_points(self, turn: usize) -> &'a [Quadruple] {
        &self.quadruples[turn * self.points..][..self.points]
    }
}

/// Coefficients of pairs, and the classes of points by places.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table<'a> {
    /// The coefficients of all pairs of classes, by first class.
    pub(super) values: &'a [f64],
    /// The class of each point as a first and as a second end, and its number.
    pub(super) classes: &'a [[u32; 3]],
    /// The number of classes of second ends.
    pub(super) seconds: usize,
    pub(super) rows: bool,
}

/// The sources of entries.
#[derive(Debug, Clone, Copy)]
pub(super) struct Staging<'a> {
    pub(super) image: &'a Image,
    pub(super) columns: &'a RecordColumns,
    pub(super) records: Records<'a>,
    /// The records of the direction, if the operation has one.
    pub(super) directions: Option<Records<'a>>,
    pub(super) table: Option<Table<'a>>,
}

/// The columns of one place in each lane.
pub(super) struct StageOwn<'a> {
    pub(super) records: Records<'a>,
    pub(super) places: &'a [u32],
    pub(super) to: &'a mut [f64],
}

impl WithSimd for StageOwn<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for turn in 0..self.records.each() {
            let columns = gathered_quadruples(simd, self.records.of_points(turn), self.places);
            for (k, column) in columns.into_iter().enumerate() {
                column.write(self.to, (4 * turn + k) * Lanes::<S>::COUNT);
            }
        }
    }
}

/// The columns of some entries of one group.
pub(super) struct StageEntries<'a> {
    pub(super) staging: &'a Staging<'a>,
    /// The places of the own points.
    pub(super) places: &'a [u32],
    /// The columns of the own points, then of their directions.
    pub(super) own: &'a [f64],
    pub(super) neighbours: &'a [u32],
    /// The block.
    pub(super) to: &'a mut [f64],
}

impl WithSimd for StageEntries<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Staging { image, columns, directions, table, .. } = self.staging;
        let is_plain = columns.dimension == 3 && columns.gathered_direction == 3 && table.is_none();
        let numbers = if is_plain { columns.gathered } else { 0 };
        match (image.shape, numbers, directions) {
            (Shape::Open, 3, None) => self.plain::<S, 0, 3, 0>(simd),
            (Shape::Open, 4, None) => self.plain::<S, 0, 4, 0>(simd),
            (Shape::Orthorhombic, 3, None) => self.plain::<S, 1, 3, 0>(simd),
            (Shape::Orthorhombic, 4, None) => self.plain::<S, 1, 4, 0>(simd),
            (Shape::Open, 3, Some(_)) => self.plain::<S, 0, 3, 3>(simd),
            (Shape::Open, 4, Some(_)) => self.plain::<S, 0, 4, 3>(simd),
            (Shape::Orthorhombic, 3, Some(_)) => self.plain::<S, 1, 3, 3>(simd),
            (Shape::Orthorhombic, 4, Some(_)) => self.plain::<S, 1, 4, 3>(simd),
            (Shape::Open, ..) => self.any::<S, 0>(simd),
            (Shape::Orthorhombic, ..) => self.any::<S, 1>(simd),
            (Shape::General, ..) => self.any::<S, 2>(simd),
        }
    }
}

/// The differences of the first numbers of two records.
#[inline(always)]
fn differences<S: Simd>(simd: S, own: &[f64], others: &[Lanes<S>; 4], dimension: usize) -> [Lanes<S>; 3] {
    let mut d = [Lanes::splat(simd, 0.0); 3];
    // A loop of constant length: otherwise each register is moved by a call.
    for k in 0..3 {
        if k < dimension {
            d[k] = Lanes::load(simd, own, k * Lanes::<S>::COUNT) - others[k];
        }
    }
    d
}

impl StageEntries<'_> {
    /// Entries with a separation in space, and at most one number more: the first quadruple has all.
    /// They have NUMBERS columns, and DIRECTIONS of the direction.
    #[inline(always)]
    fn plain<S: Simd, const IMAGES: usize, const NUMBERS: usize, const DIRECTIONS: usize>(self, simd: S) {
        let Self { staging: Staging { image, records, directions, .. }, own, neighbours, to, .. } = self;
        let (lanes, image) = (Lanes::<S>::COUNT, ImageInLanes::new(simd, image));
        let own_direction = &own[4 * records.each() * lanes..];
        let records = records.of_points(0);
        let directions = directions.map_or(records, |directions| directions.of_points(0));
        let block = S::as_mut_simd_f64s(to).0.as_chunks_mut::<COLUMN>().0;
        let Some((squared, entries)) = block.split_first_mut() else { return };
        let Some((to, rest)) = entries.split_first_chunk_mut::<NUMBERS>() else { return };
        let Some(to_directions) = rest.first_chunk_mut::<DIRECTIONS>() else { return };
        for place in 0..(neighbours.len() / lanes).min(COLUMN) {
            let places = &neighbours[place * lanes..][..lanes];
            let others = gathered_quadruples(simd, records, places);
            let mut d = differences(simd, own, &others, 3);
            image.nearest::<IMAGES>(&mut d);
            squared[place] = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).values();
            for (k, to) in to.iter_mut().enumerate() {
                to[place] = if k < 3 { d[k] } else { others[3] }.values();
            }
            if DIRECTIONS > 0 {
                let others = gathered_quadruples(simd, directions, places);
                let d = differences(simd, own_direction, &others, 3);
                for (to, d) in to_directions.iter_mut().zip(d) {
                    to[place] = d.values();
                }
            }
        }
    }

    #[inline(always)]
    fn any<S: Simd, const IMAGES: usize>(self, simd: S) {
        let lanes = Lanes::<S>::COUNT;
        let Staging { image, columns, records, directions, table } = *self.staging;
        let own_direction = &self.own[4 * records.each() * lanes..];
        let (dimension, image) = (columns.dimension, ImageInLanes::new(simd, image));
        for (place, places) in self.neighbours.chunks_exact(lanes).enumerate() {
            let at = |column: usize| (column * COLUMN + place) * lanes;
            for turn in 0..columns.gathered.div_ceil(4) {
                let mut found = gathered_quadruples(simd, records.of_points(turn), places);
                if turn == 0 {
                    let mut d = differences(simd, self.own, &found, dimension);
                    image.nearest::<IMAGES>(&mut d);
                    let mut squared = d[0] * d[0];
                    for k in 0..3 {
                        if k < dimension {
                            found[k] = d[k];
                        }
                        if 0 < k && k < dimension {
                            squared = squared + d[k] * d[k];
                        }
                    }
                    squared.write(self.to, at(0));
                }
                for (k, found) in found.iter().enumerate().take(columns.gathered - 4 * turn) {
                    found.write(self.to, at(ENTRY + 4 * turn + k));
                }
            }
            if let Some(table) = table {
                let to = &mut self.to[at(ENTRY + columns.gathered)..];
                table.write(columns, (self.places, places), (to, COLUMN * lanes));
            }
            let Some(directions) = directions else { continue };
            let first = ENTRY + columns.undirected();
            for turn in 0..columns.gathered_direction.div_ceil(4) {
                let mut found = gathered_quadruples(simd, directions.of_points(turn), places);
                if turn == 0 {
                    let d = differences(simd, own_direction, &found, dimension);
                    for k in 0..3 {
                        if k < dimension {
                            found[k] = d[k];
                        }
                    }
                }
                for (k, found) in found.iter().enumerate().take(columns.gathered_direction - 4 * turn) {
                    found.write(self.to, at(first + 4 * turn + k));
                }
            }
        }
    }
}

impl Table<'_> {
    /// Writes the coefficients of an entry, lane by lane; `to` begins with its number of the first one,
    /// and has the next ones at this distance.
    fn write(
        &self,
        columns: &RecordColumns,
        (own, others): (&[u32], &[u32]),
        (to, apart): (&mut [f64], usize),
    ) {
        let count = columns.pairs;
        for (lane, (own, other)) in own.iter().zip(others).enumerate() {
            let [own, other] = [own, other].map(|place| self.classes[*place as usize]);
            let of = |first: [u32; 3], second: [u32; 3]| {
                (first[0] as usize * self.seconds + second[1] as usize) * count
            };
            let in_order = self.rows || own[2] < other[2];
            let tuples = if in_order { [of(own, other), of(other, own)] } else { [of(other, own); 2] };
            for (order, tuple) in tuples.into_iter().enumerate().take(columns.orders) {
                for k in 0..count {
                    to[(order * count + k) * apart + lane] = self.values[tuple + k];
                }
            }
        }
    }
}
