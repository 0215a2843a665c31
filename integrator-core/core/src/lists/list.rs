//! Lists of neighbours: the points that may be near to each point, in the order of their numbers.
//!
//! Points that are consecutive in a list's order of *places* form a *group*, one point in each lane of a
//! register. Entry r of a group has the r-th neighbour of each of its points; the place after all points
//! stands for none.
//!
//! A list has all pairs within the cutoff and a *skin*, at the positions for which it was built. Until a
//! point has moved by half of the skin, it has all near pairs; its other pairs add nothing to any
//! result. So a list is a cache: the bits of a result do not depend on its time or its skin.

use super::points::Points;
use super::search::{BinnedPoints, Rows};
use crate::lanes::Registers;
use std::ops::Range;

/// The number of points that pay for a thread with little work for each.
pub(crate) const MANY: usize = 16_384;
/// The part of the skin that points may use; the rest is for rounding.
const USED: f64 = 0.999;
/// Lists of more points are built on several threads.
const LARGE: usize = 8192;
/// A growing list reserves its length divided by this.
const RESERVE: usize = 8;

/// Two lists, because engines alternate between two states, and memory to build them.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    kept: [List; 2],
    /// The list that was used last.
    last: usize,
    places: BinnedPoints,
    rows: Vec<Rows>,
    /// The number of lists built.
    pub(crate) built: u64,
}

/// A list of neighbours.
#[derive(Debug, Default)]
pub(crate) struct List {
    /// The number of lanes; zero before the list is built.
    lanes: usize,
    /// The place of each point, and the point at each place.
    pub(crate) place_of: Vec<u32>,
    pub(crate) number_of: Vec<u32>,
    /// The positions for which it was built.
    at: Vec<f64>,
    /// Whether it holds for these positions alone: far positions round by more than a skin.
    has_far: bool,
    parts: Vec<Part>,
    /// The number of groups of each part, except the last one.
    groups: usize,
}

/// The neighbours of consecutive groups.
#[derive(Debug, Default)]
pub struct Part {
    /// The first neighbour of each group.
    pub begins: Vec<usize>,
    /// The neighbours of all groups.
    pub neighbours: Vec<u32>,
    /// The next free place for neighbours of each point.
    filled: Vec<u32>,
}

impl Lists {
    /// A list with all near pairs, for registers with this many lanes.
    pub(crate) fn at(
        &mut self,
        points: &Points,
        z: &[f64],
        registers: Option<Registers>,
        lanes: usize,
    ) -> &List {
        for list in [self.last, 1 - self.last] {
            if self.kept[list].holds(points, z, lanes) {
                self.last = list;
                return &self.kept[list];
            }
        }
        self.last = 1 - self.last;
        self.built += 1;
        let list = &mut self.kept[self.last];
        match points.skin {
            None => list.take_all(points, lanes),
            Some(skin) => {
                list.build(
                    points,
                    z,
                    points.cutoff + skin,
                    (registers, lanes),
                    &mut self.places,
                    &mut self.rows,
                );
            }
        }
        &self.kept[self.last]
    }
}

impl List {
    /// Whether it has all near pairs.
    fn holds(&self, points: &Points, z: &[f64], lanes: usize) -> bool {
        if self.lanes != lanes {
            return false;
        }
        let Some(skin) = points.skin else { return true };
        let limit = if self.has_far { 0.0 } else { (0.5 * USED * skin).powi(2) };
        match points.dimension {
            2 => self.moved::<2>(points, z) <= limit,
            _ => self.moved::<3>(points, z) <= limit,
        }
    }

    /// The square of the largest displacement of a point since the list was built; infinite if unknown.
    fn moved<const D: usize>(&self, points: &Points, z: &[f64]) -> f64 {
        moved::<D>(&points.starts, self.at.as_chunks().0, z)
    }

    /// The number of groups.
    pub(crate) fn groups(&self) -> usize {
        self.place_of.len().div_ceil(self.lanes.max(1))
    }

    /// The neighbours of a group, entry by entry.
    pub(crate) fn group(&self, group: usize) -> &[u32] {
        let Some(part) = self.parts.get(group / self.groups.max(1)) else { return &[] };
        match part.begins.get(group % self.groups.max(1)..) {
            Some([begin, end, ..]) => &part.neighbours[*begin..*end],
            _ => &[],
        }
    }

    /// Takes all pairs, with the points in order.
    fn take_all(&mut self, points: &Points, lanes: usize) {
        let count = points.len();
        self.lanes = lanes;
        self.place_of = (0..count as u32).collect();
        self.number_of = self.place_of.clone();
        self.groups = self.groups().max(1);
        let mut part = Part { begins: vec![0], ..Part::default() };
        let lanes_of = |group: usize| (group * lanes..(group + 1) * lanes).map(|place| place.min(count));
        for group in 0..self.groups() {
            let rows: Vec<Vec<u32>> = lanes_of(group)
                .map(|point| {
                    let others = 0..if point < count { count } else { 0 };
                    others.filter(|other| points.are_pair(point, *other)).map(|other| other as u32).collect()
                })
                .collect();
            let longest = rows.iter().map(Vec::len).max().unwrap_or(0);
            for entry in 0..longest {
                part.neighbours
                    .extend(rows.iter().map(|row| row.get(entry).copied().unwrap_or(count as u32)));
            }
            part.begins.push(part.neighbours.len());
        }
        self.parts = vec![part];
    }

    /// Builds the list of all pairs within the radius.
    fn build(
        &mut self,
        points: &Points,
        z: &[f64],
        radius: f64,
        (registers, lanes): (Option<Registers>, usize),
        places: &mut BinnedPoints,
        rows: &mut Vec<Rows>,
    ) {
        let count = points.len();
        self.lanes = lanes;
        self.at.clear();
        self.at.reserve_exact(count * points.dimension);
        for start in &points.starts {
            self.at.extend_from_slice(&z[*start as usize..][..points.dimension]);
        }
        places.sort(points, z, radius);
        self.has_far = places.has_far();
        self.place_of.clone_from(&places.place_of);
        self.number_of.clone_from(&places.number_of);
        let threads = if count < LARGE { 1 } else { rayon::current_num_threads() };
        let groups = self.groups();
        self.groups = groups.div_ceil(threads).max(1);
        let parts = groups.div_ceil(self.groups).max(1);
        rows.resize_with(parts, Rows::default);
        self.parts.resize_with(parts, Part::default);
        let of_part = self.groups * lanes;
        let places_of = |part: usize| (part * of_part).min(count)..((part + 1) * of_part).min(count);
        each(rows, 0, &|part, rows| places.search(registers, points, radius, places_of(part), rows));
        let (rows, place_of) = (&rows[..], &self.place_of);
        let order = Transposition { rows, place_of, of_part, lanes };
        each(&mut self.parts, 0, &|part, into| order.fill(places_of(part), into));
    }
}

/// The square of the largest displacement of points; infinite if unknown.
fn moved<const D: usize>(starts: &[u32], at: &[[f64; D]], z: &[f64]) -> f64 {
    let half = starts.len() / 2;
    if half >= MANY && at.len() == starts.len() {
        let ((left, right), (left_at, right_at)) = (starts.split_at(half), at.split_at(half));
        let (a, b) = rayon::join(|| moved(left, left_at, z), || moved(right, right_at, z));
        return a.max(b);
    }
    let mut farthest = 0.0_f64;
    for (start, at) in starts.iter().zip(at) {
        let mut squared = 0.0;
        if let Some(now) = z.get(*start as usize..).and_then(<[f64]>::first_chunk::<D>) {
            for (now, at) in now.iter().zip(at) {
                squared += (now - at) * (now - at);
            }
        }
        // Keeps NaN, too.
        farthest = if squared <= farthest { farthest } else { squared };
        if farthest.is_nan() {
            return f64::INFINITY;
        }
    }
    farthest
}

/// Acts on each item, on several threads.
fn each<T: Send>(items: &mut [T], first: usize, act: &(dyn Fn(usize, &mut T) + Sync)) {
    match items {
        [] => {}
        [item] => act(first, item),
        _ => {
            let half = items.len() / 2;
            let (left, right) = items.split_at_mut(half);
            rayon::join(|| each(left, first, act), || each(right, first + half, act));
        }
    }
}

/// Brings the neighbours of all points into the order of their numbers without sorting:
/// in that order, each point is appended to the neighbours of each of its own neighbours.
pub struct Transposition<'a> {
    /// The neighbours that the search found for each point, part by part.
    pub rows: &'a [Rows],
    /// The place of each point, in the order of numbers.
    pub place_of: &'a [u32],
    /// The number of points of a part.
    pub of_part: usize,
    /// The number of points of a group.
    pub lanes: usize,
}

impl Transposition<'_> {
    /// Fills in the neighbours of the points at these places.
    pub fn fill(&self, places: Range<usize>, part: &mut Part) {
        part.lay_out(places.clone(), self, |place| self.row(place).len());
        self.append(places.clone(), part);
        // A pair at the very radius may be found from one end only, because the differences
        // from both ends round. Then there is room for the neighbours found from the other ends.
        let found = |place: usize| part.found(place - places.start, self.lanes);
        if places.clone().any(|place| found(place) != self.row(place).len()) {
            let counts: Vec<usize> = places.clone().map(found).collect();
            part.lay_out(places.clone(), self, |place| counts[place - places.start]);
            self.append(places, part);
        }
    }

    /// The neighbours found for the point at a place.
    fn row(&self, place: usize) -> &[u32] {
        self.rows[place / self.of_part].row(place % self.of_part)
    }

    fn append(&self, places: Range<usize>, part: &mut Part) {
        for place in self.place_of {
            let (rows, row) = (&self.rows[*place as usize / self.of_part], *place as usize % self.of_part);
            if !rows.reaches(row, &places) {
                continue;
            }
            for own in rows.row(row) {
                let own = (*own as usize).wrapping_sub(places.start);
                if let Some(next) = part.filled.get_mut(own) {
                    if let Some(neighbour) = part.neighbours.get_mut(*next as usize) {
                        *neighbour = *place;
                    }
                    *next += self.lanes as u32;
                }
            }
        }
    }
}

impl Part {
    /// Reserves places for `count` neighbours of each point; all are empty.
    fn lay_out(&mut self, places: Range<usize>, of: &Transposition<'_>, count: impl Fn(usize) -> usize) {
        let (lanes, nobody) = (of.lanes, of.place_of.len() as u32);
        self.begins.clear();
        self.begins.push(0);
        let mut end = 0;
        for first in places.clone().step_by(lanes) {
            let counts = (first..(first + lanes).min(places.end)).map(&count);
            end += counts.max().unwrap_or(0) * lanes;
            self.begins.push(end);
        }
        self.neighbours.clear();
        if self.neighbours.capacity() < end {
            self.neighbours.reserve_exact(end + end / RESERVE);
        }
        self.neighbours.resize(end, nobody);
        self.filled.clear();
        let begin = |place: usize| self.begins[place / lanes] + place % lanes;
        self.filled.extend((0..places.len()).map(|place| begin(place) as u32));
    }

    /// The number of neighbours so far of a point, which is counted from the first one of the part.
    fn found(&self, point: usize, lanes: usize) -> usize {
        (self.filled[point] as usize - self.begins[point / lanes] - point % lanes) / lanes
    }
}
