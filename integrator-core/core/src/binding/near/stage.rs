//! Gathers, for each neighbour in a list, the separation and the neighbour's inputs into columns.

use super::columns::RecordColumns;
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
    pub(super) dimension: usize,
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
    /// Their columns, and the columns of their directions.
    pub(super) own: &'a [f64],
    pub(super) own_direction: &'a [f64],
    pub(super) neighbours: &'a [u32],
    pub(super) to: &'a mut [f64],
}

impl WithSimd for StageEntries<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Staging { image, dimension, columns, directions, table, .. } = self.staging;
        let is_plain = *dimension == 3 && columns.gathered_direction() == 3 && table.is_none();
        let numbers = if is_plain { columns.gathered() } else { 0 };
        match (image.shape, numbers, directions) {
            (Shape::Open, 3, None) => self.separations::<S, 0, 3>(simd),
            (Shape::Open, 4, None) => self.separations::<S, 0, 4>(simd),
            (Shape::Orthorhombic, 3, None) => self.separations::<S, 1, 3>(simd),
            (Shape::Orthorhombic, 4, None) => self.separations::<S, 1, 4>(simd),
            (Shape::Open, 3, Some(directions)) => self.with_directions::<S, 0, 3>(simd, *directions),
            (Shape::Open, 4, Some(directions)) => self.with_directions::<S, 0, 4>(simd, *directions),
            (Shape::Orthorhombic, 3, Some(directions)) => self.with_directions::<S, 1, 3>(simd, *directions),
            (Shape::Orthorhombic, 4, Some(directions)) => self.with_directions::<S, 1, 4>(simd, *directions),
            (Shape::Open, ..) => self.run::<S, 0>(simd),
            (Shape::Orthorhombic, ..) => self.run::<S, 1>(simd),
            (Shape::General, ..) => self.run::<S, 2>(simd),
        }
    }
}

/// The three components of a register of places.
#[inline(always)]
fn load<S: Simd>(simd: S, from: &[f64]) -> [Lanes<S>; 3] {
    let lanes = Lanes::<S>::COUNT;
    [Lanes::load(simd, from, 0), Lanes::load(simd, from, lanes), Lanes::load(simd, from, 2 * lanes)]
}

impl StageEntries<'_> {
    /// Entries with a separation in space, and at most one number more: the first quadruple has all.
    #[inline(always)]
    fn separations<S: Simd, const IMAGES: usize, const NUMBERS: usize>(self, simd: S) {
        let (lanes, own) = (Lanes::<S>::COUNT, load(simd, self.own));
        let image = ImageInLanes::new(simd, self.staging.image);
        let records = self.staging.records.of_points(0);
        let entries = self.to.chunks_exact_mut(NUMBERS * lanes);
        for (entry, places) in entries.zip(self.neighbours.chunks_exact(lanes)) {
            let [x, y, z, more] = gathered_quadruples(simd, records, places);
            let mut d = [own[0] - x, own[1] - y, own[2] - z];
            image.nearest::<IMAGES>(&mut d);
            d[0].write(entry, 0);
            d[1].write(entry, lanes);
            d[2].write(entry, 2 * lanes);
            if NUMBERS > 3 {
                more.write(entry, 3 * lanes);
            }
        }
    }

    /// As [`separations`](Self::separations), with the direction of the separation.
    #[inline(always)]
    fn with_directions<S: Simd, const IMAGES: usize, const NUMBERS: usize>(
        self,
        simd: S,
        directions: Records<'_>,
    ) {
        let lanes = Lanes::<S>::COUNT;
        let (own, own_direction) = (load(simd, self.own), load(simd, self.own_direction));
        let image = ImageInLanes::new(simd, self.staging.image);
        let records = self.staging.records.of_points(0);
        let directions = directions.of_points(0);
        let entries = self.to.chunks_exact_mut((NUMBERS + 3) * lanes);
        for (entry, places) in entries.zip(self.neighbours.chunks_exact(lanes)) {
            let [x, y, z, more] = gathered_quadruples(simd, records, places);
            let [a, b, c, _] = gathered_quadruples(simd, directions, places);
            let mut d = [own[0] - x, own[1] - y, own[2] - z];
            image.nearest::<IMAGES>(&mut d);
            d[0].write(entry, 0);
            d[1].write(entry, lanes);
            d[2].write(entry, 2 * lanes);
            if NUMBERS > 3 {
                more.write(entry, 3 * lanes);
            }
            (own_direction[0] - a).write(entry, NUMBERS * lanes);
            (own_direction[1] - b).write(entry, (NUMBERS + 1) * lanes);
            (own_direction[2] - c).write(entry, (NUMBERS + 2) * lanes);
        }
    }

    #[inline(always)]
    fn run<S: Simd, const IMAGES: usize>(self, simd: S) {
        let lanes = Lanes::<S>::COUNT;
        let Staging { image, dimension, columns, records, directions, table } = *self.staging;
        let (width, image) = (columns.entry(directions.is_some()), ImageInLanes::new(simd, image));
        let own = |from: &[f64], k: usize| Lanes::<S>::load(simd, from, k * lanes);
        let zero = Lanes::splat(simd, 0.0);
        let entries = self.to.chunks_exact_mut(width * lanes);
        for (entry, places) in entries.zip(self.neighbours.chunks_exact(lanes)) {
            let gathered = columns.gathered();
            for turn in 0..gathered.div_ceil(4) {
                let mut found = gathered_quadruples(simd, records.of_points(turn), places);
                if turn == 0 {
                    let mut d = [zero; 3];
                    // A loop of constant length: otherwise each register is moved by a call.
                    for k in 0..3 {
                        if k < dimension {
                            d[k] = own(self.own, k) - found[k];
                        }
                    }
                    image.nearest::<IMAGES>(&mut d);
                    for k in 0..3 {
                        if k < dimension {
                            found[k] = d[k];
                        }
                    }
                }
                for (k, found) in found.iter().enumerate().take(gathered - 4 * turn) {
                    found.write(entry, (4 * turn + k) * lanes);
                }
            }
            if let Some(table) = table {
                table.write(columns, self.places, places, entry);
            }
            if let Some(directions) = directions {
                let (gathered, first) = (columns.gathered_direction(), width - columns.gathered_direction());
                for turn in 0..gathered.div_ceil(4) {
                    let found = gathered_quadruples(simd, directions.of_points(turn), places);
                    for (k, found) in found.into_iter().enumerate().take(gathered - 4 * turn) {
                        let column = 4 * turn + k;
                        let is_point = column < dimension;
                        let found = if is_point { own(self.own_direction, k) - found } else { found };
                        found.write(entry, (first + column) * lanes);
                    }
                }
            }
        }
    }
}

impl Table<'_> {
    /// The coefficients of an entry, lane by lane.
    fn write(&self, columns: &RecordColumns, own: &[u32], others: &[u32], entry: &mut [f64]) {
        let ((begin, count), lanes) = (columns.pairs(), own.len());
        for (lane, (own, other)) in own.iter().zip(others).enumerate() {
            let [own, other] = [own, other].map(|place| self.classes[*place as usize]);
            let of = |first: [u32; 3], second: [u32; 3]| {
                (first[0] as usize * self.seconds + second[1] as usize) * count
            };
            let in_order = self.rows || own[2] < other[2];
            let tuples = if in_order { [of(own, other), of(other, own)] } else { [of(other, own); 2] };
            for (order, tuple) in tuples.into_iter().enumerate().take(columns.orders()) {
                for k in 0..count {
                    entry[(begin + order * count + k) * lanes + lane] = self.values[tuple + k];
                }
            }
        }
    }
}
