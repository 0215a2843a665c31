//! Second derivatives of sums over near pairs, and their elements one by one.
//!
//! The pattern has all pairs that can ever be near, so that it is a function of the instance: a pattern that followed the list would bring
//! its history into the order in which unknowns are eliminated, and so into the bits of what is solved.

use super::family::{Layer, NO_ROW, NearFamily};
use super::kernel::{Role, Sort, Source};
use super::memory::{Alone, Ends, Index, NearElements};
use crate::binding::at::{At, Weights};
use crate::binding::coefficients::CoefficientTuples;
use crate::binding::derivative::Slope;
use crate::binding::family::starts_of_slots;
use crate::binding::gather::Run;
use crate::binding::instant::Instant;
use crate::binding::kernel::{Arguments, Operation, Single};
use crate::binding::signals::{Now, Signals};
use crate::describe::Smoothness;
use crate::scratch::Scratch;
use crate::sparse::SymmetricPattern;

/// The most points on either side whose pairs are looked at where a sum ends.
const LOOKED_AT: usize = 64;

/// The place of an entry that does not exist.
const NONE: u32 = u32::MAX;

/// An entry of the matrix to which an entry of an element is added.
struct Target {
    row: u32,
    column: u32,
    /// Which of the entries of the element it is, and its factor.
    entry: usize,
    factor: f64,
}

/// Where a family adds to a matrix: a place for each target of each possible element.
#[derive(Debug)]
pub(in crate::binding) struct NearPlaced {
    places: Vec<u32>,
    /// The targets of an element.
    width: usize,
    memory: Scratch<Alone>,
}

impl NearFamily {
    /// Where the sum ends, and how much a pair changes it there.
    pub(super) fn range_in_words(&self) -> String {
        let pairs = format!("over pairs that are nearer than {}", self.near.points().cutoff);
        if self.kernel.kernel.smoothness != Smoothness::Unknown {
            return pairs;
        }
        let what = if self.kernel.along.is_some() { "the sum" } else { "the potential" };
        match self.step_at_cutoff() {
            Some(0.0) => pairs,
            Some(step) => {
                format!("{pairs}; one that comes into range changes {what} by {step:.1e}, and so the energy")
            }
            None => format!("{pairs}; one that comes into range may change {what}, and so the energy"),
        }
    }

    /// The most by which an element differs from zero at the cutoff, along the axes; none where it depends on more than the separation.
    fn step_at_cutoff(&self) -> Option<f64> {
        if self.kernel.roles.iter().any(|role| *role != Role::Separation) {
            return None;
        }
        let (points, signals) = (self.near.points(), Signals::default());
        let now = signals.at(Instant::of(0.0, None), None);
        let (shift, mut alone) = (points.first_array.unwrap_or(0), Alone::of(self));
        let (firsts, seconds) = (self.firsts().min(LOOKED_AT), self.seconds().min(LOOKED_AT));
        let mut most = 0.0_f64;
        let all = (0..self.layers.len()).flat_map(|layer| (0..firsts).map(move |first| (layer, first)));
        for (layer, first) in all {
            for second in (shift..shift + seconds).filter(|second| *second != first) {
                for turn in 0..2 * points.dimension {
                    let mut d = [0.0; 3];
                    d[turn / 2] = if turn % 2 == 0 { points.cutoff } else { -points.cutoff };
                    alone.read(self, Ends { layer, first, second }, &[], d);
                    most = most.max(alone.run(&self.kernel.kernel.value, &now, false).abs());
                }
            }
        }
        Some(most)
    }

    /// An upper bound of the entries of its second derivatives.
    pub(in crate::binding) fn second_entries(&self) -> u64 {
        // The blocks of pairs off the diagonal, of which both triangles count.
        let of_element = self.kernel.kernel.entries.iter().map(|at| if at.row == at.column { 1 } else { 2 });
        let ways = if self.kernel.sort == Sort::Pairs { 1 } else { 2 * self.layers.len() as u64 };
        (self.near.points().pairs() as u64).saturating_mul(ways * of_element.sum::<u64>())
    }

    /// An upper bound of the entries of the rows to which it adds.
    pub(in crate::binding) fn row_entries(&self) -> u64 {
        let count = self.near.points().len();
        let elements = if self.row_of_pairs.is_some() {
            count
        } else {
            let without =
                self.layers.iter().flat_map(|layer| &layer.rows).filter(|row| **row == NO_ROW).count();
            (self.layers.len() * count).saturating_sub(without).saturating_mul(count)
        };
        (elements as u64).saturating_mul(2 * self.kernel.kernel.inputs.len() as u64)
    }

    /// Whether it has all its pairs in every list: then it has elements, too.
    pub(in crate::binding) fn has_elements(&self) -> bool {
        self.near.points().skin.is_none()
    }

    /// Shows each possible element.
    fn each_possible(&self, show: &mut dyn FnMut(Ends)) {
        let points = self.near.points();
        for (layer, Layer { rows, .. }) in self.layers.iter().enumerate() {
            for first in 0..points.len() {
                let begin = match self.kernel.sort {
                    Sort::Pairs => first + 1,
                    Sort::Rows if rows.get(first) == Some(&NO_ROW) => continue,
                    Sort::Rows => 0,
                };
                for second in (begin..points.len()).filter(|second| points.are_pair(first, *second)) {
                    show(Ends { layer, first, second });
                }
            }
        }
    }

    /// Where the inputs of an element stand.
    pub(super) fn indices(&self, ends: Ends, indices: &mut Vec<Index>) {
        indices.clear();
        let starts = &self.near.points().starts;
        for k in 0..self.kernel.kernel.inputs.len() {
            let (slot, component) = self.slot_of(k);
            let role = self.input(k).role;
            let layer = &self.layers[ends.layer];
            let of = |point| {
                self.start(layer, role, point, self.slots_of(role), slot).unwrap_or(0) as u32
                    + component as u32
            };
            let at = |point: usize| starts[point] + component as u32;
            indices.push(match role {
                Role::Separation => Index { plus: at(ends.first), minus: Some(at(ends.second)) },
                Role::First => Index { plus: of(ends.first), minus: None },
                Role::Second => Index { plus: of(ends.second), minus: None },
            });
        }
    }

    /// Shows the entries to which an element adds.
    fn targets(&self, indices: &[Index], show: &mut dyn FnMut(Target)) {
        for (entry, at) in self.kernel.kernel.entries.iter().enumerate() {
            let signed = |index: Index| [(Some(index.plus), 1.0), (index.minus, -1.0)];
            let (rows, columns) = (signed(indices[at.row]), signed(indices[at.column]));
            for (a, (row, row_sign)) in rows.into_iter().enumerate() {
                for (b, (column, column_sign)) in columns.into_iter().enumerate() {
                    // An entry of the diagonal is there once with itself.
                    if at.row == at.column && b < a {
                        continue;
                    }
                    let (Some(row), Some(column)) = (row, column) else { continue };
                    let once = at.row == at.column && a == b;
                    let factor = row_sign * column_sign * if row == column && !once { 2.0 } else { 1.0 };
                    show(Target { row, column, entry, factor });
                }
            }
        }
    }

    /// Shows the entries of the matrix that elements can fill.
    pub(in crate::binding) fn visit_hessian(&self, visit: &mut dyn FnMut(usize, usize)) {
        let mut indices = Vec::new();
        self.each_possible(&mut |ends| {
            self.indices(ends, &mut indices);
            self.targets(&indices, &mut |target| visit(target.row as usize, target.column as usize));
        });
    }

    /// Where the elements add to a matrix of this pattern.
    pub(in crate::binding) fn placed(&self, pattern: &SymmetricPattern) -> NearPlaced {
        let mut indices = Vec::new();
        let mut width = 0;
        self.each_possible(&mut |ends| {
            if width == 0 {
                self.indices(ends, &mut indices);
                self.targets(&indices, &mut |_| width += 1);
            }
        });
        let count = self.near.points().len();
        let elements = match self.kernel.sort {
            Sort::Pairs => count * count.saturating_sub(1) / 2,
            Sort::Rows => count * count,
        };
        let mut places = vec![NONE; elements * width * self.layers.len()];
        self.each_possible(&mut |ends| {
            self.indices(ends, &mut indices);
            let mut to = places[self.number_of(ends) * width..][..width].iter_mut();
            self.targets(&indices, &mut |target| {
                let place = pattern.position(target.row as usize, target.column as usize);
                if let (Some(to), Some(place)) = (to.next(), place) {
                    *to = place as u32;
                }
            });
        });
        let family = Alone::of(self);
        NearPlaced { places, width, memory: Scratch::new(move || family.clone()) }
    }

    /// The number of an element among those that are possible, and some more.
    fn number_of(&self, Ends { layer, first, second }: Ends) -> usize {
        let count = self.near.points().len();
        match self.kernel.sort {
            Sort::Pairs => first * (2 * count - first - 1) / 2 + second - first - 1,
            Sort::Rows => (layer * count + first) * count + second,
        }
    }

    /// Adds the second derivatives of near pairs with the weights of their rows, and their gradient if they have no rows.
    pub(in crate::binding) fn add_second(
        &self,
        placed: &NearPlaced,
        at: At<'_>,
        weights: Weights<'_>,
        gradient: &mut [f64],
        hessian: &mut [f64],
    ) {
        if let Weights::Ones = weights {
            self.add(Slope::Gradient, at, weights, gradient);
        }
        let At { z, now, .. } = at;
        if self.kernel.kernel.entries.is_empty() || placed.width == 0 {
            return;
        }
        placed.memory.with(|alone| {
            let mut indices = std::mem::take(&mut alone.indices);
            self.each_near(z, &mut |ends, d| {
                let weight = match (weights, self.row_of(ends)) {
                    (Weights::Of(weights), Some(row)) => weights[row as usize],
                    _ => 1.0,
                };
                if weight == 0.0 {
                    return;
                }
                alone.read(self, ends, z, d);
                alone.numbers.fill(0.0);
                alone.run(&self.kernel.kernel.second, now, true);
                self.indices(ends, &mut indices);
                let places = &placed.places[self.number_of(ends) * placed.width..][..placed.width];
                let mut places = places.iter();
                self.targets(&indices, &mut |target| {
                    if let Some(place) = places.next().filter(|place| **place != NONE) {
                        hessian[*place as usize] += weight * target.factor * alone.numbers[target.entry];
                    }
                });
            });
            alone.indices = indices;
        });
    }

    /// Shows the derivatives of each element whose ends are near, each with the place of what it is a derivative by.
    pub(super) fn each_slope(&self, z: &[f64], now: &Now<'_>, show: &mut dyn FnMut(Ends, usize, f64)) {
        let make = || {
            let alone = Alone::of(self);
            Scratch::new(move || alone.clone())
        };
        self.alone.get_or_init(make).with(|alone| {
            let mut indices = std::mem::take(&mut alone.indices);
            self.each_near(z, &mut |ends, d| {
                alone.read(self, ends, z, d);
                alone.run(&self.kernel.kernel.gradient, now, false);
                self.indices(ends, &mut indices);
                for (k, index) in indices.iter().enumerate() {
                    let slope = alone.vector[alone.place(self, k)];
                    show(ends, index.plus as usize, slope);
                    if let Some(minus) = index.minus {
                        show(ends, minus as usize, -slope);
                    }
                }
            });
            alone.indices = indices;
        });
    }

    /// Shows each possible element with the places that it reads.
    pub(super) fn visit_reads(&self, show: &mut dyn FnMut(Ends, &[u32])) {
        let (mut reads, mut indices) = (Vec::new(), Vec::new());
        self.each_possible(&mut |ends| {
            self.indices(ends, &mut indices);
            read_by(&indices, &mut reads);
            show(ends, &reads);
        });
    }

    /// Shows the places that pairs read, with each point as each end that it can be: not all pairs.
    pub(super) fn visit_ends(&self, show: &mut dyn FnMut(&[u32])) {
        let points = self.near.points();
        let count = points.len();
        let (firsts, begin) = points.first_array.map_or((count, 1), |first_array| (first_array, first_array));
        if firsts == 0 || begin >= count {
            return;
        }
        let seconds = count - begin;
        let (mut reads, mut indices) = (Vec::new(), Vec::new());
        for layer in 0..self.layers.len() {
            for k in 0..firsts.max(seconds) {
                let (first, second) = match points.first_array {
                    Some(_) => (k % firsts, begin + k % seconds),
                    None if k + 1 < count => (k, k + 1),
                    None => continue,
                };
                self.indices(Ends { layer, first, second }, &mut indices);
                read_by(&indices, &mut reads);
                show(&reads);
            }
        }
    }

    /// Shows each element whose ends are near, with d, in the order of their numbers.
    pub(super) fn each_near(&self, z: &[f64], show: &mut dyn FnMut(Ends, [f64; 3])) {
        let points = self.near.points();
        let lanes = self.sweeps.lanes;
        self.near.0.lists.with(|lists| {
            let list = lists.at(points, z, self.sweeps.registers(), lanes);
            for (layer, Layer { rows, .. }) in self.layers.iter().enumerate() {
                for first in 0..points.len() {
                    if self.kernel.sort == Sort::Rows && rows.get(first) == Some(&NO_ROW) {
                        continue;
                    }
                    let place = list.place_of[first] as usize;
                    for neighbours in list.group(place / lanes).chunks_exact(lanes) {
                        let Some(second) = list.number_of.get(neighbours[place % lanes] as usize) else {
                            continue;
                        };
                        let second = *second as usize;
                        if self.kernel.sort == Sort::Pairs && second < first {
                            continue;
                        }
                        if let Some(d) = points.separation(z, first, second) {
                            show(Ends { layer, first, second }, d);
                        }
                    }
                }
            }
        });
    }
}

/// Writes the places that inputs which stand there read.
fn read_by(indices: &[Index], reads: &mut Vec<u32>) {
    reads.clear();
    reads.extend(indices.iter().flat_map(|index| std::iter::once(index.plus).chain(index.minus)));
}

impl Alone {
    pub(super) fn of(family: &NearFamily) -> Self {
        let kernel = family.kernel.kernel;
        let (starts, length) = starts_of_slots(kernel);
        let entries = kernel.entries.len();
        Self {
            starts,
            still: vec![0; kernel.slots],
            x: vec![0.0; length],
            vector: vec![0.0; length],
            numbers: vec![0.0; entries],
            counting: (0..entries as u32).collect(),
            coefficients: vec![0.0; kernel.coefficients],
            indices: vec![Index { plus: 0, minus: None }; kernel.inputs.len()],
        }
    }

    /// The place of input k in the short vectors.
    fn place(&self, family: &NearFamily, k: usize) -> usize {
        let (slot, component) = family.kernel.kernel.inputs[k];
        self.starts[slot] as usize + component
    }

    /// Reads the inputs and the coefficients of an element.
    pub(super) fn read(&mut self, family: &NearFamily, ends: Ends, z: &[f64], d: [f64; 3]) {
        let layer = &family.layers[ends.layer];
        for k in 0..family.kernel.kernel.inputs.len() {
            let ((slot, component), role) = (family.slot_of(k), family.input(k).role);
            let read = |point| {
                let start = family.start(layer, role, point, family.slots_of(role), slot)?;
                z.get(start + component).copied()
            };
            let value = match role {
                Role::Separation => d[component],
                Role::First => read(ends.first).unwrap_or(0.0),
                Role::Second => read(ends.second).unwrap_or(0.0),
            };
            let place = self.place(family, k);
            self.x[place] = value;
        }
        self.read_coefficients(family, ends);
    }

    fn read_coefficients(&mut self, family: &NearFamily, Ends { layer, first, second }: Ends) {
        let (sources, layer) = (family.kernel.sources, &family.layers[layer]);
        let end = second - family.near.points().first_array.unwrap_or(0);
        for (k, source) in sources.iter().enumerate() {
            let rank = sources[..k].iter().filter(|other| *other == source).count();
            let width = family.coefficients_of(*source);
            let value = match source {
                Source::Shared => family.shared.get(rank),
                Source::First => layer.supplies.coefficients.get(first * width + rank),
                Source::Second => family.seconds.coefficients.get(end * width + rank),
                Source::Pair => {
                    let class = |classes: &[u32], end: usize| classes.get(end).copied().unwrap_or(0) as usize;
                    let (of_first, of_second) =
                        (class(&layer.supplies.classes, first), class(&family.seconds.classes, end));
                    family.table.get((of_first * family.second_classes() + of_second) * width + rank)
                }
            };
            self.coefficients[k] = value.copied().unwrap_or(0.0);
        }
    }

    /// What the last operation found for input k.
    pub(super) fn slope(&self, family: &NearFamily, k: usize) -> f64 {
        self.vector[self.place(family, k)]
    }

    /// Runs an operation; returns its scalar.
    pub(super) fn run(&mut self, operation: &Operation, now: &Now<'_>, with_matrix: bool) -> f64 {
        let Self { starts, still, x, vector, numbers, counting, coefficients, .. } = self;
        vector.fill(0.0);
        let matrix = if with_matrix { &mut numbers[..] } else { &mut [] };
        let positions = if with_matrix { &counting[..] } else { &[] };
        let mut arguments =
            Arguments { vector, matrix, positions, weights: &[1.0], ..Arguments::at(At::new(x, now)) };
        let run = Run { element: 0, step: 1, count: 1, first: starts, strides: still };
        (operation.single)(&mut Single {
            arguments: &mut arguments,
            run,
            coefficients: CoefficientTuples::one(coefficients),
            entries: positions.len(),
            reads: &[],
        })
    }
}

impl NearFamily {
    fn elements(&self) -> &NearElements {
        self.elements.get_or_init(|| {
            let (mut ends, alone) = (Vec::new(), Alone::of(self));
            self.each_possible(&mut |element| ends.push(element));
            NearElements { ends, memory: Scratch::new(move || alone.clone()) }
        })
    }

    /// The number of places that an element reads.
    pub(in crate::binding) fn reads(&self) -> usize {
        let of_ends =
            (0..self.kernel.kernel.inputs.len()).filter(|k| self.input(*k).role != Role::Separation);
        2 * self.near.points().dimension + of_ends.count()
    }

    /// Shows each possible element by its number, with the places that it reads.
    pub(in crate::binding) fn visit_elements(&self, visit: &mut dyn FnMut(u32, &[u32])) {
        let (points, mut reads, mut indices) = (self.near.points(), Vec::new(), Vec::new());
        for (number, ends) in self.elements().ends.iter().enumerate() {
            reads.clear();
            for point in [ends.first, ends.second] {
                reads.extend((0..points.dimension).map(|component| points.starts[point] + component as u32));
            }
            self.indices(*ends, &mut indices);
            reads.extend(indices.iter().filter(|index| index.minus.is_none()).map(|index| index.plus));
            visit(number as u32, &reads);
        }
    }

    /// The value of an element that reads these numbers, and its gradient by them unless that is empty; not a number where there is
    /// no such element.
    pub(in crate::binding) fn element_value(
        &self,
        number: u32,
        reads: &[f64],
        now: &Now<'_>,
        gradient: &mut [f64],
    ) -> f64 {
        let elements = self.elements();
        let Some(ends) = elements.ends.get(number as usize).filter(|_| reads.len() == self.reads()) else {
            gradient.fill(f64::NAN);
            return f64::NAN;
        };
        gradient.fill(0.0);
        let (points, dimension) = (self.near.points(), self.near.points().dimension);
        let mut d = [0.0; 3];
        (0..dimension).for_each(|k| d[k] = reads[k] - reads[dimension + k]);
        let Some(d) = points.near(points.image.nearest(d)) else { return 0.0 };
        elements.memory.with(|alone| {
            let mut own = 2 * dimension;
            for k in 0..self.kernel.kernel.inputs.len() {
                let (place, input) = (alone.place(self, k), self.input(k));
                if input.role == Role::Separation {
                    alone.x[place] = d[input.column];
                } else {
                    alone.x[place] = reads[own];
                    own += 1;
                }
            }
            alone.read_coefficients(self, *ends);
            let kernel = self.kernel.kernel;
            if gradient.is_empty() {
                return alone.run(&kernel.value, now, false);
            }
            alone.run(&kernel.gradient, now, false);
            let mut own = 2 * dimension;
            for k in 0..kernel.inputs.len() {
                let (found, input) = (alone.vector[alone.place(self, k)], self.input(k));
                if input.role == Role::Separation {
                    gradient[input.column] += found;
                    gradient[dimension + input.column] -= found;
                } else {
                    gradient[own] += found;
                    own += 1;
                }
            }
            0.0
        })
    }

    /// Whether no element changes when what it reads moves in this direction.
    pub(in crate::binding) fn is_invariant(&self, direction: &[f64]) -> bool {
        if direction.len() != self.reads() {
            return false;
        }
        let dimension = self.near.points().dimension;
        // The cutoff sees all components of d.
        let mut still = (0..dimension).all(|k| direction[k] - direction[dimension + k] == 0.0);
        let mut own = 2 * dimension;
        for k in 0..self.kernel.kernel.inputs.len() {
            if self.input(k).role != Role::Separation {
                still &= direction[own] == 0.0;
                own += 1;
            }
        }
        still
    }
}
