//! Finds the neighbours of each point, in any order.

use super::grid::{Bin, Grid, RUNS, Run};
use super::image::ImageInLanes;
use super::points::Points;
use crate::lanes::{Aligned, Lanes, MOST_LANES, Real, Registers};
use crate::system::image::{Image, Shape};
use pulp::{Simd, WithSimd};
use std::ops::Range;

/// The points by bins; points without a bin come last.
#[derive(Debug, Default)]
pub(crate) struct BinnedPoints {
    pub(crate) grid: Grid,
    /// The components of the points in the cell, with a register of padding.
    positions: [Aligned; 3],
    /// The components of the given points, if some are far:
    /// their differences, which round differently, decide which are near.
    given: [Aligned; 3],
    /// The first point of each bin; far points follow the last bin, then points without a bin.
    begins: Vec<u32>,
    bin_of: Vec<u32>,
    /// The points in the cell.
    images: Vec<[f64; 3]>,
    /// The place of each point, and the point at each place.
    pub(crate) place_of: Vec<u32>,
    pub(crate) number_of: Vec<u32>,
}

/// The neighbours of some points, by places.
#[derive(Debug, Default)]
pub struct Rows {
    /// The end of the neighbours of each point.
    ends: Vec<usize>,
    /// The places between which the neighbours of each point lie.
    spans: Vec<[u32; 2]>,
    /// May be longer than the neighbours.
    neighbours: Vec<u32>,
    /// The places to leave out for a point, ascending.
    left_out: Vec<u32>,
}

impl Rows {
    /// These neighbours of each point, with spans of all places.
    pub fn of(neighbours: &[&[u32]]) -> Self {
        let mut rows = Self::default();
        for own in neighbours {
            rows.neighbours.extend_from_slice(own);
            rows.ends.push(rows.neighbours.len());
            rows.spans.push([0, u32::MAX]);
        }
        rows
    }

    /// The neighbours of the point with number `row` here.
    pub(crate) fn row(&self, row: usize) -> &[u32] {
        let begin = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.neighbours[begin..self.ends[row]]
    }

    /// Whether the point with number `row` here may have neighbours at these places.
    pub(crate) fn reaches(&self, row: usize, places: &Range<usize>) -> bool {
        let [low, high] = self.spans[row];
        (low as usize) < places.end && places.start < high as usize
    }
}

impl BinnedPoints {
    /// Sorts the points into bins.
    pub(crate) fn sort(&mut self, points: &Points, z: &[f64], radius: f64) {
        let count = points.len();
        self.grid = Grid::new(points, radius, (0..count).map(|point| points.position(z, point)));
        let bins = self.grid.len();
        self.begins.clear();
        self.begins.resize(bins + 3, 0);
        self.bin_of.clear();
        self.images.clear();
        for point in 0..count {
            let position = points.position(z, point);
            let (bin, image) = match self.grid.bin(position) {
                Bin::In(bins, image) => (self.grid.index(bins), image),
                Bin::Far => (bins, position),
                Bin::Nowhere => (bins + 1, position),
            };
            self.bin_of.push(bin as u32);
            self.images.push(image);
            self.begins[bin + 1] += 1;
        }
        for bin in 0..bins + 2 {
            self.begins[bin + 1] += self.begins[bin];
        }
        self.place_of.resize(count, 0);
        self.number_of.resize(count, 0);
        for (point, bin) in self.bin_of.iter().enumerate() {
            let next = &mut self.begins[*bin as usize];
            let place = *next as usize;
            *next += 1;
            self.place_of[point] = place as u32;
            self.number_of[place] = point as u32;
        }
        // Each beginning has become the next one.
        self.begins.rotate_right(1);
        self.begins[0] = 0;
        write_columns(&mut self.positions, &self.number_of, |point| self.images[point]);
        if self.has_far() {
            write_columns(&mut self.given, &self.number_of, |point| points.position(z, point));
        }
    }

    /// Whether some points are compared one by one.
    pub(crate) fn has_far(&self) -> bool {
        let bins = self.grid.len();
        self.begins[bins] < self.begins[bins + 1]
    }

    /// Finds the neighbours of the points at these places.
    pub(crate) fn search(
        &self,
        registers: Option<Registers>,
        points: &Points,
        radius: f64,
        places: Range<usize>,
        rows: &mut Rows,
    ) {
        rows.ends.clear();
        rows.spans.clear();
        let search = NeighbourSearch { at: self, points, radius, places, rows };
        match registers {
            Some(registers) => registers.run(search),
            None => search.with_simd(pulp::Scalar),
        }
    }
}

/// Writes the components of points, by places.
fn write_columns(columns: &mut [Aligned; 3], number_of: &[u32], position: impl Fn(usize) -> [f64; 3]) {
    let length = number_of.len() + MOST_LANES;
    if columns[0].get().len() != length {
        *columns = std::array::from_fn(|_| Aligned::zeros(length));
    }
    let [x, y, w] = columns.each_mut().map(Aligned::get_mut);
    for (place, point) in number_of.iter().enumerate() {
        [x[place], y[place], w[place]] = position(*point as usize);
    }
}

struct NeighbourSearch<'a> {
    at: &'a BinnedPoints,
    points: &'a Points,
    radius: f64,
    places: Range<usize>,
    rows: &'a mut Rows,
}

impl WithSimd for NeighbourSearch<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let image = &self.points.image;
        // If the radius exceeds half of the cell,
        // rounding may miss the nearest image of a pair that is not near yet.
        let several = image.shape == Shape::General && 2.0 * self.radius > image.narrowest();
        match image.shape {
            _ if self.at.grid.tells_images() && !self.at.has_far() => self.run::<S, 0>(simd),
            Shape::Open => self.run::<S, 0>(simd),
            Shape::Orthorhombic => self.run::<S, 1>(simd),
            Shape::General if several => self.run::<S, 3>(simd),
            Shape::General => self.run::<S, 2>(simd),
        }
    }
}

impl NeighbourSearch<'_> {
    #[inline(always)]
    fn run<S: Simd, const IMAGES: usize>(self, simd: S) {
        let Self { at, points, radius, places, rows } = self;
        let positions = at.positions.each_ref().map(Aligned::get);
        let bins = at.grid.len();
        let (far, nowhere) = (at.begins[bins] as usize, at.begins[bins + 1] as usize);
        let image = &points.image;
        let compare =
            Compare { image, in_lanes: ImageInLanes::new(simd, image), positions, squared: radius * radius };
        let given = at.given.each_ref().map(Aligned::get);
        let one_by_one = Compare { positions: given, ..compare };
        let (mut length, mut runs) = (0, [Run::default(); RUNS]);
        for place in places {
            let position = [positions[0][place], positions[1][place], positions[2][place]];
            let own = at.number_of[place] as usize;
            // The point itself, and its exceptions.
            rows.left_out.clear();
            rows.left_out.push(place as u32);
            rows.left_out.extend(points.exceptions_of(own).iter().map(|other| at.place_of[*other as usize]));
            rows.left_out.sort_unstable();
            let begin = length;
            rows.spans.push([u32::MAX, 0]);
            if place < far {
                let found = at.grid.runs(at.grid.bins(at.bin_of[own] as usize), position, &mut runs);
                for Run { begin, end, own } in &runs[..found] {
                    let run = at.begins[*begin] as usize..at.begins[*end] as usize;
                    length = compare.with::<IMAGES>(simd, *own, run, rows, length);
                }
            }
            if far < nowhere && place < nowhere {
                let others = if place < far { far } else { 0 }..nowhere;
                let position = given.map(|column| column[place]);
                length = one_by_one.with::<IMAGES>(simd, position, others, rows, length);
            }
            if let Some(first_array) = points.first_array {
                let found = &mut rows.neighbours[begin..length];
                let is_first = |number: usize| number < first_array;
                let mut kept = 0;
                for k in 0..found.len() {
                    let other = found[k];
                    found[kept] = other;
                    let number = at.number_of[other as usize] as usize;
                    kept += usize::from(is_first(own) != is_first(number));
                }
                length = begin + kept;
            }
            rows.ends.push(length);
        }
    }
}

/// The data for comparing points.
#[derive(Clone, Copy)]
struct Compare<'a, S: Simd> {
    image: &'a Image,
    in_lanes: ImageInLanes<S>,
    positions: [&'a [f64]; 3],
    squared: f64,
}

impl<S: Simd> Compare<'_, S> {
    /// Appends the places of a run that are near to a point,
    /// without the ones to leave out; returns the number of entries.
    #[inline(always)]
    fn with<const IMAGES: usize>(
        &self,
        simd: S,
        own: [f64; 3],
        run: Range<usize>,
        rows: &mut Rows,
        mut length: usize,
    ) -> usize {
        if let Some([low, high]) = rows.spans.last_mut().filter(|_| !run.is_empty()) {
            (*low, *high) = ((*low).min(run.start as u32), (*high).max(run.end as u32));
        }
        let mut first = run.start;
        let mut out = rows.left_out.partition_point(|out| (*out as usize) < first);
        while let Some(place) = rows.left_out.get(out).map(|place| *place as usize)
            && place < run.end
        {
            length = self.run::<IMAGES>(simd, own, first..place, rows, length);
            (first, out) = (place + 1, out + 1);
        }
        self.run::<IMAGES>(simd, own, first..run.end, rows, length)
    }

    /// Appends the places of a run that are near to a point; returns the number of entries.
    #[inline(always)]
    fn run<const IMAGES: usize>(
        &self,
        simd: S,
        own: [f64; 3],
        run: Range<usize>,
        rows: &mut Rows,
        mut length: usize,
    ) -> usize {
        let lanes = Lanes::<S>::COUNT;
        let most = length + run.len() + MOST_LANES;
        if rows.neighbours.len() < most {
            rows.neighbours.resize(most + most / 8, 0);
        }
        let squared = Lanes::splat(simd, self.squared);
        let [x, y, z] = self.positions;
        let mut first = run.start;
        while first < run.end {
            let d = [
                Lanes::splat(simd, own[0]) - Lanes::load(simd, x, first),
                Lanes::splat(simd, own[1]) - Lanes::load(simd, y, first),
                Lanes::splat(simd, own[2]) - Lanes::load(simd, z, first),
            ];
            let near = self.distance::<IMAGES>(simd, d).lt(squared);
            let Some(to) = rows.neighbours[length..].first_chunk_mut() else { break };
            // Ignore lanes beyond the end of the run.
            length += near.write_places(first as u32, run.end - first, to);
            first += lanes;
        }
        length
    }

    /// The square of the distance of the nearest image.
    #[inline(always)]
    fn distance<const IMAGES: usize>(&self, simd: S, mut d: [Lanes<S>; 3]) -> Lanes<S> {
        self.in_lanes.nearest::<IMAGES>(&mut d);
        let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if IMAGES < 3 {
            return square;
        }
        let mut least = square;
        let turns = |direction: usize| if self.image.repeats[direction] { -1..=1 } else { 0..=0 };
        for a in turns(0) {
            for b in turns(1) {
                for c in turns(2) {
                    let mut square = Lanes::splat(simd, 0.0);
                    for k in 0..3 {
                        let rows = &self.image.rows;
                        let shift =
                            f64::from(a) * rows[0][k] + f64::from(b) * rows[1][k] + f64::from(c) * rows[2][k];
                        let shifted = d[k] + shift;
                        square = square + shifted * shifted;
                    }
                    least = Lanes::select(square.lt(least), square, least);
                }
            }
        }
        least
    }
}
