//! Second derivatives of sums over near pairs, and the rows of their gradients.
//!
//! The pattern has all pairs that can ever be near, so that it depends on the instance only: with a
//! pattern that follows the list, the order of elimination, and so the bits of solutions, would depend
//! on the run.

use super::element::{ElementEnds, Index};
use super::family::NearFamily;
use super::kernel::{Role, Sort};
use crate::binding::at::{At, Weights};
use crate::binding::kernel::HessianEntry;
use crate::binding::kernel::Operation;
use crate::sparse::{RowPattern, SymmetricPattern};

/// Stands for an entry that does not exist.
const NONE: u32 = u32::MAX;

/// An entry of the matrix to which an entry of an element is added.
struct MatrixTarget {
    row: u32,
    column: u32,
    /// The number of the entry of the element, and its factor.
    entry: usize,
    factor: f64,
}

/// The place of each target of each possible element in a matrix.
#[derive(Debug)]
pub(in crate::binding) struct NearPlaced {
    places: Vec<u32>,
    /// The number of targets of an element.
    width: usize,
}

impl NearFamily {
    /// An upper bound of the number of its second derivatives.
    pub(in crate::binding) fn second_entries(&self) -> u64 {
        // Off the diagonal, both triangles count.
        let of_element = self.kernel.kernel.entries.iter().map(|at| if at.row == at.column { 1 } else { 2 });
        let ways = if self.kernel.sort == Sort::Pairs { 1 } else { 2 * self.layers.len() as u64 };
        (self.points().pairs() as u64).saturating_mul(ways * of_element.sum::<u64>())
    }

    /// An upper bound of the number of entries of its rows.
    pub(in crate::binding) fn row_entries(&self) -> u64 {
        let count = self.points().len();
        let rows = self.layers.iter().map(|layer| (0..count).filter(|point| layer.has(*point)).count());
        let elements = if self.row_of_pairs.is_some() { count } else { rows.sum::<usize>() * count };
        (elements as u64).saturating_mul(2 * self.kernel.kernel.inputs.len() as u64)
    }

    /// Visits each possible element.
    pub(super) fn each_possible(&self, show: &mut dyn FnMut(ElementEnds)) {
        let points = self.points();
        for (number, layer) in self.layers.iter().enumerate() {
            for first in (0..points.len()).filter(|point| layer.has(*point)) {
                let begin = if self.kernel.sort == Sort::Pairs { first + 1 } else { 0 };
                for second in (begin..points.len()).filter(|second| points.are_pair(first, *second)) {
                    show(ElementEnds { layer: number, first, second });
                }
            }
        }
    }

    /// Visits each index that the elements of a row may read, at least once.
    pub(in crate::binding) fn visit_rows(&self, visit: &mut dyn FnMut(usize, usize)) {
        let (points, mut indices) = (self.points(), Vec::new());
        if let Some(row) = self.row_of_pairs {
            let inputs = self.columns.inputs.iter().filter(|_| points.pairs() > 0);
            for place in inputs.filter(|place| place.role == Role::Separation) {
                points.starts.iter().for_each(|start| visit(row as usize, *start as usize + place.column));
            }
            return self.visit_supplied(&mut |at| visit(row as usize, at as usize));
        }
        self.each_possible(&mut |ends| {
            let Some(row) = self.row_of(ends) else { return };
            self.indices(ends, &mut indices);
            for Index { plus, minus } in &indices {
                visit(row as usize, *plus as usize);
                minus.iter().for_each(|minus| visit(row as usize, *minus as usize));
            }
        });
    }

    /// Adds the gradients of near elements to a matrix, whose row `first` is row 0 here.
    pub(in crate::binding) fn add_rows(
        &self,
        at: At<'_>,
        (pattern, first): (&RowPattern, usize),
        jacobian: &mut [f64],
    ) {
        self.each(at, Weights::Ones, false, &mut |_, row, element| {
            let Some(row) = row.map(|row| first + row as usize) else { return };
            for (Index { plus, minus }, slope) in element.slopes() {
                for (place, slope) in [(Some(plus), slope), (minus, -slope)] {
                    if let Some(at) = place.and_then(|place| pattern.position(row, place as usize)) {
                        jacobian[at] += slope;
                    }
                }
            }
        });
    }

    /// Visits the entries to which an element adds.
    fn targets(&self, indices: &[Index], show: &mut dyn FnMut(MatrixTarget)) {
        for (entry, at) in self.kernel.kernel.entries.iter().enumerate() {
            let signed = |index: Index| [(Some(index.plus), 1.0), (index.minus, -1.0)];
            let (rows, columns) = (signed(indices[at.row]), signed(indices[at.column]));
            for (a, (row, row_sign)) in rows.into_iter().enumerate() {
                for (b, (column, column_sign)) in columns.into_iter().enumerate() {
                    // On the diagonal, each pair of indices counts once.
                    if at.row == at.column && b < a {
                        continue;
                    }
                    let (Some(row), Some(column)) = (row, column) else { continue };
                    let once = at.row == at.column && a == b;
                    let factor = row_sign * column_sign * if row == column && !once { 2.0 } else { 1.0 };
                    show(MatrixTarget { row, column, entry, factor });
                }
            }
        }
    }

    /// Visits each possible element with the entries of the matrix that it can fill.
    fn visit_targets(&self, visit: &mut dyn FnMut(ElementEnds, MatrixTarget)) {
        let mut indices = Vec::new();
        self.each_possible(&mut |ends| {
            self.indices(ends, &mut indices);
            self.targets(&indices, &mut |target| visit(ends, target));
        });
    }

    /// Visits the entries of the matrix that elements can fill.
    pub(in crate::binding) fn visit_hessian(&self, visit: &mut dyn FnMut(usize, usize)) {
        self.visit_targets(&mut |_, target| visit(target.row as usize, target.column as usize));
    }

    /// The places of the elements in a matrix of this pattern.
    pub(in crate::binding) fn placed(&self, pattern: &SymmetricPattern) -> NearPlaced {
        let of_input = |k: usize| {
            if self.kernel.roles[self.kernel.kernel.inputs[k].0] == Role::Separation { 2 } else { 1 }
        };
        let targets = |at: &HessianEntry| match (at.row == at.column, of_input(at.row), of_input(at.column)) {
            (true, ways, _) => ways * (ways + 1) / 2,
            (false, rows, columns) => rows * columns,
        };
        let width = self.kernel.kernel.entries.iter().map(targets).sum();
        let count = self.points().len();
        let elements = match self.kernel.sort {
            Sort::Pairs => count * count.saturating_sub(1) / 2,
            Sort::Rows => count * count,
        };
        let mut places = vec![NONE; elements * width * self.layers.len()];
        let (mut last, mut next) = (usize::MAX, 0);
        self.visit_targets(&mut |ends, target| {
            let element = self.number_of(ends) * width;
            next = if element == last { next + 1 } else { element };
            last = element;
            if let Some(place) = pattern.position(target.row as usize, target.column as usize) {
                places[next] = place as u32;
            }
        });
        NearPlaced { places, width }
    }

    /// The number of an element in a table of all pairs, possible or not.
    fn number_of(&self, ElementEnds { layer, first, second }: ElementEnds) -> usize {
        let count = self.points().len();
        match self.kernel.sort {
            Sort::Pairs => first * (2 * count - first - 1) / 2 + second - first - 1,
            Sort::Rows => (layer * count + first) * count + second,
        }
    }

    /// Adds the second derivatives of near pairs,
    /// weighted by their rows, and their gradient if they have no rows.
    pub(in crate::binding) fn add_second(
        &self,
        NearPlaced { places, width }: &NearPlaced,
        at: At<'_>,
        weights: Weights<'_>,
        gradient: &mut [f64],
        hessian: &mut [f64],
    ) {
        if let Weights::Ones = weights {
            self.add(Operation::Gradient, at, weights, gradient);
        }
        if places.is_empty() {
            return;
        }
        self.each(at, weights, true, &mut |weight, _, element| {
            let mut places = places[self.number_of(element.ends) * width..][..*width].iter();
            self.targets(&element.indices, &mut |target| {
                if let Some(place) = places.next().filter(|place| **place != NONE) {
                    hessian[*place as usize] += weight * target.factor * element.lone.entries[target.entry];
                }
            });
        });
    }
}
