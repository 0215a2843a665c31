//! Evaluates single elements of a sum over near pairs.

use super::element::{Element, ElementEnds, Index};
use super::family::NearFamily;
use super::kernel::{Role, Sort, Source};
use crate::binding::at::{At, Weights};
use crate::binding::instant::Instant;
use crate::binding::kernel::Operation;
use crate::binding::signals::{Now, Signals};
use crate::describe::Smoothness;
use crate::scratch::Scratch;

/// Up to this many possible pairs are elements with numbers, even with a list.
const FEW_ELEMENTS: usize = 5000;
/// The most points on either side whose pairs are evaluated at the cutoff.
const LOOKED_AT: usize = 64;

impl NearFamily {
    /// Runs `inside` with the memory of one element.
    fn alone<R>(&self, inside: impl FnOnce(&mut Element) -> R) -> R {
        let make = || {
            let element = Element::new(&self.kernel.kernel);
            Scratch::new(move || element.clone())
        };
        self.alone.get_or_init(make).with(inside)
    }

    /// Reads the coefficients, and the inputs at `indices` in z.
    fn read(&self, element: &mut Element, ends: ElementEnds, z: &[f64], d: [f64; 3]) {
        (element.ends, element.d) = (ends, d);
        for ((index, place), (_, component)) in
            element.indices.iter().zip(&element.places).zip(&*self.kernel.kernel.inputs)
        {
            element.lone.x[*place] = match index.minus {
                Some(_) => d[*component],
                None => z[index.plus as usize],
            };
        }
        let layer = &self.layers[ends.layer].supplies;
        let (mut shared, mut pair) = (self.shared.iter(), self.of_pair(ends).iter());
        for (k, (to, source)) in element.coefficients.iter_mut().zip(&*self.kernel.sources).enumerate() {
            let value = match source {
                Source::Shared => shared.next(),
                Source::First => layer.coefficients[k].get(ends.first),
                Source::Second => self.seconds.coefficients[k].get(ends.second),
                Source::Pair => pair.next(),
            };
            // A missing one is told by its result.
            *to = value.copied().unwrap_or(f64::NAN);
        }
    }

    /// The coefficients of a pair.
    fn of_pair(&self, ElementEnds { layer, first, second }: ElementEnds) -> &[f64] {
        let width = self.coefficients_of(Source::Pair);
        let class = |classes: &[u32], end: usize| classes.get(end).copied().unwrap_or(0) as usize;
        let of_first = class(&self.layers[layer].supplies.classes, first);
        let at = of_first * self.second_classes() + class(&self.seconds.classes, second);
        self.table.get(at * width..(at + 1) * width).unwrap_or_default()
    }

    /// The row of an element.
    pub(super) fn row_of(&self, ends: ElementEnds) -> Option<u32> {
        self.row_of_pairs.or_else(|| self.layers[ends.layer].rows.get(ends.first).copied())
    }

    /// Finds the indices of the inputs of an element.
    pub(super) fn indices(
        &self,
        ElementEnds { layer, first, second }: ElementEnds,
        indices: &mut Vec<Index>,
    ) {
        let (points, layer) = (self.points(), &self.layers[layer].supplies);
        indices.clear();
        indices.extend(self.kernel.kernel.inputs.iter().enumerate().map(|(k, (slot, component))| {
            let point = |point: usize| points.starts[point] + *component as u32;
            match self.kernel.roles[*slot] {
                Role::Separation => Index { plus: point(first), minus: Some(point(second)) },
                Role::First => Index { plus: layer.inputs[k][first], minus: None },
                Role::Second => Index { plus: self.seconds.inputs[k][second], minus: None },
            }
        }));
    }

    /// Evaluates the gradient, or the second derivatives, of each near element,
    /// and shows it with the weight of its row, unless the weight is zero.
    pub(super) fn each(
        &self,
        At { z, now, .. }: At<'_>,
        weights: Weights<'_>,
        second: bool,
        show: &mut dyn FnMut(f64, Option<u32>, &Element),
    ) {
        let kernel = &self.kernel.kernel;
        let operation = kernel.operation(if second { Operation::Second } else { Operation::Gradient });
        self.alone(|element| {
            self.each_near(z, &mut |ends, d| {
                let row = self.row_of(ends);
                let weight = match (weights, row) {
                    (Weights::Of(weights), Some(row)) => weights[row as usize],
                    _ => 1.0,
                };
                if weight != 0.0 {
                    self.indices(ends, &mut element.indices);
                    self.read(element, ends, z, d);
                    element.run(operation, now, second);
                    show(weight, row, element);
                }
            });
        });
    }

    /// Visits each near element with d, in the order of numbers.
    fn each_near(&self, z: &[f64], show: &mut dyn FnMut(ElementEnds, [f64; 3])) {
        let (points, lanes) = (self.points(), self.sweeps.lanes);
        self.near.with_list(z, self.sweeps.registers, lanes, |list| {
            for (number, layer) in self.layers.iter().enumerate() {
                for first in (0..points.len()).filter(|point| layer.has(*point)) {
                    let place = list.place_of[first] as usize;
                    for neighbours in list.group(place / lanes).chunks_exact(lanes) {
                        // The place after all points stands for no neighbour.
                        let neighbour = neighbours[place % lanes] as usize;
                        let Some(second) = list.number_of.get(neighbour).map(|second| *second as usize)
                        else {
                            continue;
                        };
                        if self.kernel.sort == Sort::Pairs && second < first {
                            continue;
                        }
                        if let Some(d) = points.separation(z, first, second) {
                            show(ElementEnds { layer: number, first, second }, d);
                        }
                    }
                }
            }
        });
    }

    /// The range of the sum in words, and the change of the sum when a pair enters.
    pub(super) fn range_in_words(&self, what: &str) -> String {
        let pairs = format!("over pairs that are nearer than {}", self.points().cutoff);
        if self.kernel.kernel.smoothness != Smoothness::Unknown {
            return pairs;
        }
        match self.step_at_cutoff() {
            Some(0.0) => pairs,
            Some(step) => {
                format!("{pairs}; one that comes into range changes {what} by {step:.1e}, and so the energy")
            }
            None => format!("{pairs}; one that comes into range may change {what}, and so the energy"),
        }
    }

    /// The largest value of an element at the cutoff, along the axes;
    /// `None` if it depends on more than the separation.
    fn step_at_cutoff(&self) -> Option<f64> {
        if self.kernel.roles.iter().any(|role| *role != Role::Separation) {
            return None;
        }
        let (points, signals) = (self.points(), Signals::default());
        let now = signals.at(Instant::of(0.0, None), None);
        let (firsts, seconds) = (self.firsts().min(LOOKED_AT), self.seconds().min(LOOKED_AT));
        let mut most = 0.0_f64;
        self.alone(|element| {
            let all = (0..self.layers.len()).flat_map(|layer| (0..firsts).map(move |first| (layer, first)));
            for (layer, first) in all {
                for second in (self.shift()..self.shift() + seconds).filter(|second| *second != first) {
                    for turn in 0..2 * points.dimension {
                        let mut d = [0.0; 3];
                        d[turn / 2] = if turn % 2 == 0 { points.cutoff } else { -points.cutoff };
                        let ends = ElementEnds { layer, first, second };
                        self.indices(ends, &mut element.indices);
                        self.read(element, ends, &[], d);
                        most = most.max(
                            element.run(self.kernel.kernel.operation(Operation::Value), &now, false).abs(),
                        );
                    }
                }
            }
        });
        Some(most)
    }
}

/// Elements by number; they read contiguous numbers: both points, and the inputs of their ends.
impl NearFamily {
    /// Whether elements have numbers: if pairs are few, or the list has all pairs.
    pub(in crate::binding) fn has_elements(&self) -> bool {
        self.points().skin.is_none() || self.points().pairs() <= FEW_ELEMENTS
    }

    fn possible(&self) -> &[ElementEnds] {
        self.possible.get_or_init(|| {
            let mut possible = Vec::new();
            self.each_possible(&mut |ends| possible.push(ends));
            possible
        })
    }

    /// The indices of the inputs of an element among the numbers that it reads, and their number.
    fn among_reads(&self, indices: &mut Vec<Index>) -> usize {
        let dimension = self.points().dimension;
        let mut next = 2 * dimension;
        indices.clear();
        for (slot, component) in &*self.kernel.kernel.inputs {
            let is_separation = self.kernel.roles[*slot] == Role::Separation;
            let plus = if is_separation { *component } else { next };
            let minus = is_separation.then_some((dimension + component) as u32);
            next += usize::from(!is_separation);
            indices.push(Index { plus: plus as u32, minus });
        }
        next
    }

    /// Visits each possible element by its number, with the indices that it reads.
    pub(in crate::binding) fn visit_elements(&self, visit: &mut dyn FnMut(u32, &[u32])) {
        let (points, mut reads, mut indices) = (self.points(), Vec::new(), Vec::new());
        for (number, ends) in self.possible().iter().enumerate() {
            reads.clear();
            for point in [ends.first, ends.second] {
                reads.extend((0..points.dimension).map(|component| points.starts[point] + component as u32));
            }
            self.indices(*ends, &mut indices);
            reads.extend(indices.iter().filter(|index| index.minus.is_none()).map(|index| index.plus));
            visit(number as u32, &reads);
        }
    }

    /// The value of an element from these numbers, or, unless `gradient` is empty,
    /// its gradient by them; NaN if the element does not exist.
    pub(in crate::binding) fn element_value(
        &self,
        number: u32,
        reads: &[f64],
        now: &Now<'_>,
        gradient: &mut [f64],
    ) -> f64 {
        self.alone(|element| {
            let length = self.among_reads(&mut element.indices);
            let ends = self.possible().get(number as usize).filter(|_| reads.len() == length);
            let Some(ends) = ends else {
                gradient.fill(f64::NAN);
                return f64::NAN;
            };
            gradient.fill(0.0);
            let (points, dimension) = (self.points(), self.points().dimension);
            let mut d = [0.0; 3];
            (0..dimension).for_each(|k| d[k] = reads[k] - reads[dimension + k]);
            let Some(d) = points.near(points.image.nearest(d)) else { return 0.0 };
            self.read(element, *ends, reads, d);
            let kernel = &self.kernel.kernel;
            if gradient.is_empty() {
                return element.run(kernel.operation(Operation::Value), now, false);
            }
            element.run(kernel.operation(Operation::Gradient), now, false);
            for (Index { plus, minus }, slope) in element.slopes() {
                gradient[plus as usize] += slope;
                if let Some(minus) = minus {
                    gradient[minus as usize] -= slope;
                }
            }
            0.0
        })
    }

    /// Whether no element changes along this direction of its numbers.
    pub(in crate::binding) fn is_invariant(&self, direction: &[f64]) -> bool {
        let mut indices = Vec::new();
        let (length, dimension) = (self.among_reads(&mut indices), self.points().dimension);
        // The cutoff depends on all components of d.
        direction.len() == length
            && (0..dimension).all(|k| direction[k] - direction[dimension + k] == 0.0)
            && direction[2 * dimension..].iter().all(|number| *number == 0.0)
    }

    /// Adds Σ d ⊗ f with the forces f = −w ∂φ/∂d of the elements φ to the virial,
    /// and all else of the gradient Σ w ∇φ to `rest`; w is the weight of the row of an element.
    pub(in crate::binding) fn add_virial(
        &self,
        at: At<'_>,
        weights: Weights<'_>,
        virial: &mut nalgebra::Matrix3<f64>,
        rest: &mut [f64],
    ) {
        self.each(at, weights, false, &mut |weight, _, element| {
            for ((index, slope), (_, component)) in element.slopes().zip(&*self.kernel.kernel.inputs) {
                // A weight may be infinite with a zero slope: the product would be NaN.
                let slope = if slope == 0.0 { 0.0 } else { weight * slope };
                match index.minus {
                    Some(_) => (0..3).for_each(|c| virial[(*component, c)] -= slope * element.d[c]),
                    None => rest[index.plus as usize] += slope,
                }
            }
        });
    }
}
