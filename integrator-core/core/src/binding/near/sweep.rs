//! Evaluates a sum over near pairs, group by group, on several threads.

use super::ends::Layer;
use super::family::NearFamily;
use super::fold::{Fold, Sums};
use super::kernel::{Role, Sort};
use super::memory::{Buffers, NearWorkspace, Sweeps};
use super::plan::{Arrange, Term};
use super::records::{QUADRUPLE, Recorded};
use super::stage::{Records, StageEntries, StageOwn, Staging, Table};
use crate::binding::at::{At, Weights};
use crate::binding::kernel::{Executable, Operation};
use crate::binding::line::COLUMN;
use crate::binding::signals::Now;
use crate::binding::work::InColumns;
use crate::lanes::form::in_form;
use crate::lanes::{Aligned, Registers};
use crate::lists::list::{List, MANY};
use crate::lists::points::Points;
use least_action_kernel::Results;
use pulp::WithSimd;
use std::ops::Range;

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

/// An operation, and the use of its results.
#[derive(Clone, Copy)]
struct Asked<'a> {
    executable: &'a Executable,
    sums: Sums,
    /// Whether it has a direction.
    directed: bool,
    /// The number of results of each point.
    results: usize,
}

impl NearFamily {
    /// An operation, unless it is zero or nobody asks for it. Vectors times the direction are sums of
    /// their terms: ∇f · a in the order of the gradient.
    fn asked(&self, operation: Operation) -> Option<Asked<'_>> {
        let kernel = &self.kernel.kernel;
        let (code, sums) = match (operation, operation.results()) {
            (Operation::Along, _) => (Operation::Gradient, Sums::Along),
            (_, Results::Scalar) => (operation, Sums::Scalars),
            (_, Results::Vector) => (operation, Sums::Vectors),
            _ => return None,
        };
        let executable = kernel.operation(code);
        let results = if sums == Sums::Vectors { kernel.inputs.len() } else { 1 };
        let asked = Asked { executable, sums, directed: operation.is_directed(), results };
        (!matches!(executable, Executable::Zero | Executable::LeftOut)).then_some(asked)
    }

    /// Runs an operation, and shows the list and the results for its places.
    fn run(
        &self,
        layer: &Layer,
        operation: Asked<'_>,
        At { z, a, now, .. }: At<'_>,
        weights: Weights<'_>,
        show: impl FnOnce(&List, PointResults<'_>),
    ) {
        let (points, Sweeps { registers, lanes, memory }) = (self.points(), &self.sweeps);
        self.near.with_list(z, *registers, *lanes, |list| {
            memory.with(|memory| {
                let NearWorkspace { records, directions, classes, results, buffers } = memory;
                let padded = list.groups() * lanes + 1;
                let recorded = Recorded { family: self, layer, list, padded };
                let length = |columns: usize| padded * columns.next_multiple_of(QUADRUPLE);
                // A point that is near to nothing follows the points.
                let records = sized(records, length(self.columns.record), f64::NAN);
                recorded.all(z, weights, records.as_chunks_mut().0);
                let records = Records { quadruples: records.as_chunks().0, points: padded };
                let directions = operation.directed.then(|| {
                    let directions = sized(directions, length(self.columns.direction), 0.0);
                    recorded.inputs(a, directions.as_chunks_mut().0, |place| place.direction);
                    Records { quadruples: directions.as_chunks().0, points: padded }
                });
                let table = (!self.table.is_empty()).then(|| {
                    recorded.classes(classes);
                    Table {
                        values: &self.table,
                        classes,
                        seconds: self.second_classes(),
                        rows: self.kernel.sort == Sort::Rows,
                    }
                });
                let staging =
                    Staging { image: &points.image, columns: &self.columns, records, directions, table };
                let groups = list.groups();
                let parts = (groups * lanes / POINTS).clamp(1, PARTS);
                let of_part = groups.div_ceil(parts).max(1);
                let count = operation.results;
                let results = at_least(results, groups * count * lanes);
                buffers.resize_with(parts, Buffers::default);
                let work = Work { family: self, layer, operation, list, staging: &staging, now };
                work.parts(0..groups, of_part, buffers, results);
                show(list, PointResults { results, count, lanes: *lanes });
            });
        });
    }

    /// Adds up a number over all elements.
    pub fn sum(&self, operation: Operation, at: At<'_>) -> f64 {
        let Some(asked) = self.asked(operation) else {
            let is_left_out = matches!(self.kernel.kernel.operation(operation), Executable::LeftOut);
            return if is_left_out { f64::NAN } else { 0.0 };
        };
        let mut total = 0.0;
        // Both ends of a pair add it.
        let factor = if self.kernel.sort == Sort::Pairs { 0.5 } else { 1.0 };
        for layer in &self.layers {
            self.run(layer, asked, at, Weights::Ones, |list, found| {
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
        let Some(operation) = self.asked(operation) else { return };
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
        let Some(operation) = self.asked(operation) else { return };
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
        let inputs = self.columns.inputs.iter().enumerate();
        let of_separation = inputs.filter(|(_, place)| place.role == Role::Separation);
        let of_separation = separations.iter_mut().zip(of_separation);
        let count = of_separation.map(|(to, (k, place))| *to = (k, place.column)).count();
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
                layer.each_supplied(&self.seconds, &mut |k, places| {
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
    operation: Asked<'a>,
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
                let of_group = self.operation.results * self.family.sweeps.lanes;
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
        let Self { family, layer, operation, list, staging, .. } = *self;
        let (plan, &Sweeps { registers, lanes, .. }) = (&layer.plan, &family.sweeps);
        let Buffers { block, own, found } = buffers;
        let block = at_least(block, plan.length * COLUMN * lanes);
        plan.write_constants(&family.shared, lanes, block);
        let own_length = staging.records.each() * QUADRUPLE * lanes;
        let directions = staging.directions.map_or(0, Records::each) * QUADRUPLE * lanes;
        let own = at_least(own, own_length + directions);
        let found =
            at_least(found, (plan.passes.len() * family.columns.inputs.len()).max(1) * COLUMN * lanes);
        for (group, results) in groups.zip(results.chunks_exact_mut(operation.results * lanes)) {
            results.fill(0.0);
            let places: [u32; crate::lanes::MOST_LANES] =
                std::array::from_fn(|lane| (group * lanes + lane) as u32);
            let places = &places[..lanes];
            let (points, directions) = own.split_at_mut(own_length);
            run(registers, StageOwn { records: staging.records, places, to: points });
            if let Some(records) = staging.directions {
                run(registers, StageOwn { records, places, to: directions });
            }
            for neighbours in list.group(group).chunks(COLUMN * lanes) {
                let to = &mut *block;
                run(registers, StageEntries { staging, places, own, neighbours, to });
                self.entries(neighbours.len() / lanes, own, block, found, results);
            }
        }
    }

    /// Computes the entries of a block.
    fn entries(&self, count: usize, own: &[f64], block: &mut [f64], found: &mut [f64], results: &mut [f64]) {
        let Self { family, layer, operation, now, .. } = *self;
        let (plan, &Sweeps { registers, lanes, .. }) = (&layer.plan, &family.sweeps);
        let Asked { executable, sums, directed, .. } = operation;
        let weighted = sums == Sums::Vectors;
        let arrange = Arrange { plan, directed, weighted, count, own, block: &mut *block };
        if !arrange.is_empty() {
            in_form(registers, arrange);
        }
        let cutoff = family.points().cutoff.powi(2);
        // Compiled code adds up one term at once.
        let one = match sums {
            Sums::Scalars => Some(plan.whole),
            Sums::Vectors => plan.alike,
            Sums::Along => None,
        };
        let one = one.filter(|_| matches!(executable, Executable::Compiled(_)));
        let Term { gate, .. } = one.unwrap_or(plan.whole);
        let weight = one.map(|term| term.weight);
        let passes = if weighted && one.is_none() { plan.passes.len() } else { 1 };
        let of_pass = family.columns.inputs.len().max(1) * COLUMN * lanes;
        let to = if one.is_some() { &mut *results } else { &mut *found };
        for (pass, results) in plan.passes.iter().take(passes).zip(to.chunks_mut(of_pass)) {
            let (columns, below, x, c) = (&*block, cutoff, &pass.x[..], &pass.c[..]);
            let a = if directed { &pass.a[..] } else { x };
            let work =
                &mut InColumns { registers, count, columns, x, a, c, now, gate, below, results, weight };
            executable.run_columns(work);
        }
        if one.is_none() {
            in_form(registers, Fold { plan, sums, count, cutoff, block, found, results });
        }
    }
}

fn run<W: WithSimd>(registers: Option<Registers>, work: W) -> W::Output {
    match registers {
        Some(registers) => registers.run(work),
        None => work.with_simd(pulp::Scalar),
    }
}
