//! Evaluates a sum over near pairs, group by group, on several threads.

use super::columns::InputPlace;
use super::ends::{Layer, Supplies};
use super::family::NearFamily;
use super::group::GroupEntries;
use super::kernel::{NearOperation, Role, Sort};
use super::memory::{Buffers, NearWorkspace, Sweeps};
use super::stage::{Records, StageEntries, StageOwn, Staging, Table};
use crate::binding::at::{At, Weights};
use crate::binding::kernel::Operation;
use crate::binding::signals::Now;
use crate::lanes::{Aligned, Quadruple, Registers};
use crate::lists::list::{List, MANY};
use crate::lists::points::Points;
use pulp::WithSimd;
use std::ops::Range;

/// The number of entries that are computed together: their columns stay in the nearest cache.
const ENTRIES: usize = 32;
/// The numbers of a quadruple.
const QUADRUPLE: usize = 4;
/// The least number of points of a part of the groups, and the largest number of parts.
const POINTS: usize = 1024;
const PARTS: usize = 32;

/// Memory of this length; new memory is filled with `fill`.
fn sized(memory: &mut Aligned, length: usize, fill: f64) -> &mut [f64] {
    if memory.get().len() != length {
        *memory = Aligned::zeros(length);
        memory.get_mut().fill(fill);
    }
    memory.get_mut()
}

/// The first `length` numbers of memory that grows and never shrinks,
/// because operations with more and fewer numbers alternate.
fn at_least(memory: &mut Aligned, length: usize) -> &mut [f64] {
    if memory.get().len() < length {
        *memory = Aligned::zeros(length);
    }
    &mut memory.get_mut()[..length]
}

/// The results for points: a register for each result of each group.
#[derive(Debug, Clone, Copy)]
struct PointResults<'a> {
    results: &'a [f64],
    /// The number of results of a point.
    count: usize,
    lanes: usize,
}

impl PointResults<'_> {
    /// Result k of a place.
    #[inline]
    fn number(&self, place: usize, k: usize) -> f64 {
        let (group, lane) = (place >> self.lanes.trailing_zeros(), place & (self.lanes - 1));
        self.results[(group * self.count + k) * self.lanes + lane]
    }
}

impl NearFamily {
    /// Runs an operation, and shows the list and the results for its places.
    fn run(
        &self,
        layer: &Layer,
        operation: &NearOperation,
        At { z, a, now, .. }: At<'_>,
        weights: Weights<'_>,
        show: impl FnOnce(&List, PointResults<'_>),
    ) {
        let (points, Sweeps { registers, lanes, memory }) = (self.points(), &self.sweeps);
        self.near.with_list(z, *registers, *lanes, |list| {
            memory.with(|memory| {
                let NearWorkspace { records, directions, classes, results, buffers } = memory;
                let padded = list.groups() * lanes + 1;
                let length = |columns: usize| padded * columns.next_multiple_of(QUADRUPLE);
                // A point that is near to nothing follows the points.
                let records = sized(records, length(self.columns.record()), f64::NAN);
                self.stage(layer, list, (z, weights), records.as_chunks_mut().0, padded);
                let records = Records { quadruples: records.as_chunks().0, points: padded };
                let directions = operation.is_directed().then(|| {
                    let directions = sized(directions, length(self.columns.direction()), 0.0);
                    let to = directions.as_chunks_mut().0;
                    self.stage_inputs(layer, list, a, to, padded, |place| place.direction);
                    Records { quadruples: directions.as_chunks().0, points: padded }
                });
                let table = (!self.table.is_empty()).then(|| {
                    self.stage_classes(layer, list, padded, classes);
                    Table {
                        values: &self.table,
                        classes,
                        seconds: self.second_classes(),
                        rows: self.kernel.sort == Sort::Rows,
                    }
                });
                let staging = Staging {
                    image: &points.image,
                    dimension: points.dimension,
                    columns: &self.columns,
                    records,
                    directions,
                    table,
                };
                let groups = list.groups();
                let parts = (groups * lanes / POINTS).clamp(1, PARTS);
                let of_part = groups.div_ceil(parts).max(1);
                let count = operation.results();
                let results = at_least(results, groups * count * lanes);
                buffers.resize_with(parts, Buffers::default);
                let work = Work { family: self, layer, operation, list, staging: &staging, now };
                work.parts(0..groups, of_part, buffers, results);
                show(list, PointResults { results, count, lanes: *lanes });
            });
        });
    }

    /// Writes a column of records: a number for each place.
    fn column(
        list: &List,
        to: &mut [Quadruple],
        padded: usize,
        column: usize,
        of: impl Fn(usize) -> f64 + Sync,
    ) {
        let (turn, k) = (column / QUADRUPLE, column % QUADRUPLE);
        halved(&list.number_of, &mut to[turn * padded..], &|number, record| record[k] = of(number));
    }

    /// Writes the points into records.
    fn points_of<const D: usize>(&self, list: &List, from: &[f64], to: &mut [Quadruple]) {
        let starts = &self.points().starts;
        halved(&list.number_of, to, &|number, record| {
            let point = from.get(starts[number] as usize..).and_then(<[f64]>::first_chunk::<D>);
            if let (Some(point), Some(record)) = (point, record.first_chunk_mut::<D>()) {
                *record = *point;
            }
        });
    }

    /// Writes the points into records, and the inputs that ends supply.
    fn stage_inputs(
        &self,
        layer: &Layer,
        list: &List,
        from: &[f64],
        to: &mut [Quadruple],
        padded: usize,
        column_of: impl Fn(InputPlace) -> usize,
    ) {
        match self.points().dimension {
            2 => self.points_of::<2>(list, from, to),
            _ => self.points_of::<3>(list, from, to),
        }
        self.each_supplied(layer, &mut |k, places| {
            let read = |point: usize| from.get(places[point] as usize).copied().unwrap_or(0.0);
            Self::column(list, to, padded, column_of(self.input(k)), read);
        });
    }

    /// Visits each input that ends supply, with the index for each point.
    fn each_supplied(&self, layer: &Layer, show: &mut dyn FnMut(usize, &[u32])) {
        for (k, of_ends) in self.seconds.inputs.iter().zip(&layer.supplies.inputs).enumerate() {
            let supplied = [of_ends.0, of_ends.1].into_iter().find(|places| !places.is_empty());
            supplied.into_iter().for_each(|places| show(k, places));
        }
    }

    fn stage(
        &self,
        layer: &Layer,
        list: &List,
        (z, weights): (&[f64], Weights<'_>),
        to: &mut [Quadruple],
        padded: usize,
    ) {
        self.stage_inputs(layer, list, z, to, padded, |place| place.column);
        for Supplies { coefficients, .. } in [&self.seconds, &layer.supplies] {
            for (k, numbers) in coefficients.iter().enumerate().filter(|(_, numbers)| !numbers.is_empty()) {
                let column = self.columns.coefficient(&self.kernel.sources, k);
                Self::column(list, to, padded, column, |point| numbers[point]);
            }
        }
        if let Some(column) = self.columns.extra() {
            Self::column(list, to, padded, column, |point| match (layer.rows.get(point), weights) {
                // In pairs, the numbers of the ends decide which is the first one.
                (None, _) => point as f64,
                (Some(_), _) if !layer.has(point) => 0.0,
                (Some(_), Weights::Ones) => 1.0,
                (Some(row), Weights::Of(weights)) => weights[*row as usize],
            });
        }
    }

    fn stage_classes(&self, layer: &Layer, list: &List, padded: usize, to: &mut Vec<[u32; 3]>) {
        to.clear();
        to.resize(padded, [0; 3]);
        let classes = [&layer.supplies.classes, &self.seconds.classes];
        for (to, number) in to.iter_mut().zip(&list.number_of) {
            let [first, second] = classes.map(|classes| classes[*number as usize]);
            *to = [first, second, *number];
        }
    }

    /// Adds up a number over all elements.
    pub fn sum(&self, operation: Operation, at: At<'_>) -> f64 {
        let operation = match self.kernel.operation(operation) {
            NearOperation::Zero => return 0.0,
            NearOperation::LeftOut => return f64::NAN,
            operation => operation,
        };
        let mut total = 0.0;
        // Both ends of a pair add it.
        let factor = if self.kernel.sort == Sort::Pairs { 0.5 } else { 1.0 };
        for layer in &self.layers {
            self.run(layer, operation, at, Weights::Ones, |list, found| {
                // In the order of numbers, not of places.
                let mut sum = 0.0;
                for (point, place) in list.place_of.iter().enumerate() {
                    if layer.has(point) {
                        sum += found.number(*place as usize, 0);
                    }
                }
                total += factor * sum;
            });
        }
        total
    }

    /// Adds a number of each element to its row.
    pub fn add_to_rows(&self, operation: Operation, at: At<'_>, values: &mut [f64]) {
        if let Some(row) = self.row_of_pairs {
            values[row as usize] += self.sum(operation, at);
            return;
        }
        let Some(operation) = self.kernel.asked(operation) else { return };
        for layer in &self.layers {
            self.run(layer, operation, at, Weights::Ones, |list, found| {
                for (point, (row, place)) in layer.rows.iter().zip(&list.place_of).enumerate() {
                    if layer.has(point) {
                        values[*row as usize] += found.number(*place as usize, 0);
                    }
                }
            });
        }
    }

    /// Adds a vector of the sum, or of Σ w φ with the weights w of the rows, point by point.
    ///
    /// The row of a point needs the weights of the point and of each neighbour: both are in the records
    /// of the ends, and nothing is scattered. Elements that are not near add nothing, even with an
    /// infinite weight, as the root of a density has at a point without neighbours.
    pub fn add(&self, operation: Operation, at: At<'_>, weights: Weights<'_>, vector: &mut [f64]) {
        let Some(operation) = self.kernel.asked(operation) else { return };
        let factor = match (self.row_of_pairs, weights) {
            (Some(row), Weights::Of(weights)) => weights[row as usize],
            _ => 1.0,
        };
        if factor == 0.0 {
            return;
        }
        let weighted = |found: f64| if found == 0.0 { 0.0 } else { factor * found };
        let points = self.points();
        let mut separations = [(0, 0); 3];
        let of_separation =
            (0..self.kernel.kernel.inputs.len()).filter(|k| self.input(*k).role == Role::Separation);
        let count =
            separations.iter_mut().zip(of_separation).map(|(to, k)| *to = (k, self.input(k).column)).count();
        for layer in &self.layers {
            self.run(layer, operation, at, weights, |list, found| {
                let add = |place: u32, to: &mut [f64]| {
                    for (k, component) in &separations[..count] {
                        if let Some(to) = to.get_mut(*component) {
                            *to += weighted(found.number(place as usize, *k));
                        }
                    }
                };
                each_point((points, &points.starts, &list.place_of), 0, vector, &add);
                self.each_supplied(layer, &mut |k, places| {
                    for (at, place) in places.iter().zip(&list.place_of) {
                        if let Some(to) = vector.get_mut(*at as usize) {
                            *to += weighted(found.number(*place as usize, k));
                        }
                    }
                });
            });
        }
    }
}

/// Writes a quadruple for each point, on several threads if there are many.
fn halved(numbers: &[u32], records: &mut [Quadruple], write: &(impl Fn(usize, &mut Quadruple) + Sync)) {
    let half = numbers.len() / 2;
    if half < MANY {
        return numbers.iter().zip(records).for_each(|(number, record)| write(*number as usize, record));
    }
    let (left, right) = numbers.split_at(half);
    let (left_records, right_records) = records.split_at_mut(half);
    rayon::join(|| halved(left, left_records, write), || halved(right, right_records, write));
}

/// Shows each point its place and its part of a vector, whose first number has index `begin`, on several
/// threads if there are many.
fn each_point(
    (points, starts, places): (&Points, &[u32], &[u32]),
    begin: usize,
    vector: &mut [f64],
    show: &(impl Fn(u32, &mut [f64]) + Sync),
) {
    let half = starts.len() / 2;
    if half >= MANY && points.in_order {
        let ((starts, right_starts), (places, right_places)) = (starts.split_at(half), places.split_at(half));
        let middle = right_starts.first().map_or(begin, |start| *start as usize);
        if let Some((vector, right_vector)) = vector.split_at_mut_checked(middle - begin) {
            rayon::join(
                || each_point((points, starts, places), begin, vector, show),
                || each_point((points, right_starts, right_places), middle, right_vector, show),
            );
            return;
        }
    }
    for (start, place) in starts.iter().zip(places) {
        if let Some(to) = vector.get_mut(*start as usize - begin..) {
            show(*place, to);
        }
    }
}

/// An operation on the groups of a list.
struct Work<'a> {
    family: &'a NearFamily,
    layer: &'a Layer,
    operation: &'a NearOperation,
    list: &'a List,
    staging: &'a Staging<'a>,
    now: &'a Now<'a>,
}

impl Work<'_> {
    /// Computes groups, `of_part` of them with each of the buffers.
    fn parts(&self, groups: Range<usize>, of_part: usize, buffers: &mut [Buffers], results: &mut [f64]) {
        match buffers {
            [] => {}
            [buffers] => self.groups(groups, buffers, results),
            _ => {
                let half = buffers.len() / 2;
                let middle = (groups.start + half * of_part).min(groups.end);
                let of_group = self.operation.results() * self.family.sweeps.lanes;
                let (left, right) = buffers.split_at_mut(half);
                let (left_results, right_results) = results.split_at_mut((middle - groups.start) * of_group);
                rayon::join(
                    || self.parts(groups.start..middle, of_part, left, left_results),
                    || self.parts(middle..groups.end, of_part, right, right_results),
                );
            }
        }
    }

    /// Computes groups in order.
    fn groups(&self, groups: Range<usize>, buffers: &mut Buffers, results: &mut [f64]) {
        let Self { family, layer, operation, list, staging, now } = *self;
        let Sweeps { registers, lanes, .. } = family.sweeps;
        let width = family.columns.entry(operation.is_directed());
        let Buffers { entries, own, own_direction } = buffers;
        let entries = at_least(entries, ENTRIES * width * lanes);
        let own = at_least(own, staging.records.each() * QUADRUPLE * lanes);
        let directions = staging.directions.map_or(0, Records::each);
        let own_direction = at_least(own_direction, directions * QUADRUPLE * lanes);
        let cutoff = family.points().cutoff.powi(2);
        for (group, results) in groups.zip(results.chunks_exact_mut(operation.results() * lanes)) {
            results.fill(0.0);
            let places: [u32; crate::lanes::MOST_LANES] =
                std::array::from_fn(|lane| (group * lanes + lane) as u32);
            let places = &places[..lanes];
            run(registers, StageOwn { records: staging.records, places, to: own });
            if let Some(records) = staging.directions {
                run(registers, StageOwn { records, places, to: own_direction });
            }
            for neighbours in list.group(group).chunks(ENTRIES * lanes) {
                let count = neighbours.len() / lanes;
                let to = &mut entries[..count * width * lanes];
                run(registers, StageEntries { staging, places, own, own_direction, neighbours, to });
                operation.run(&mut GroupEntries {
                    registers,
                    entries: &entries[..count * width * lanes],
                    own,
                    own_direction,
                    shared: &family.shared,
                    now,
                    cutoff,
                    exchangeable: layer.exchangeable,
                    results,
                });
            }
        }
    }
}

fn run<W: WithSimd>(registers: Option<Registers>, work: W) -> W::Output {
    match registers {
        Some(registers) => registers.run(work),
        None => work.with_simd(pulp::Scalar),
    }
}
