//! The places of the elements of a family in a matrix of second derivatives.

use super::Family;
use crate::binding::alone::LoneElement;
use crate::binding::at::At;
use crate::binding::kernel::Operation;
use crate::binding::sweeps::FillingMemory;
use crate::scratch::Scratch;
use crate::sparse::SymmetricPattern;
use std::ops::Range;

/// The places of a family in the matrix of its second derivatives, found on demand.
#[derive(Debug)]
pub(in crate::binding) struct Placed {
    pub(super) filling: Option<FillingMemory>,
    /// The position of each entry of each element, element by element.
    pub(super) positions: Vec<u32>,
    doubled: Vec<Doubled>,
    /// One element, and the weights of its rows.
    alone: Scratch<(LoneElement, Vec<f64>)>,
}

/// An entry off the diagonal of an element that falls on the diagonal of the matrix, because the element
/// reads one coordinate twice: it counts twice.
#[derive(Debug, Clone)]
struct Doubled {
    element: usize,
    slots: Box<[u32]>,
    entry: usize,
    position: usize,
}

impl Placed {
    /// For a matrix of this pattern; `filled` has the number of entries of
    /// elements at each position, plus one on the diagonal; empty if unknown.
    pub(in crate::binding) fn new(family: &Family, pattern: &SymmetricPattern, filled: &[u8]) -> Self {
        let kernel = &family.kernel;
        let in_registers = family.arranged.as_ref().filter(|_| kernel.operation(Operation::Second).is_wide());
        let filling = in_registers.map(|sweeps| sweeps.filling(kernel, pattern, filled));
        let (mut positions, mut doubled, mut element) = (Vec::new(), Vec::new(), 0);
        family.slots.for_each(|slots| {
            let index = |input: usize| {
                let (slot, component) = kernel.inputs[input];
                slots[slot] as usize + component
            };
            for (entry, at) in kernel.entries.iter().enumerate() {
                let (row, column) = (index(at.row), index(at.column));
                let twice = at.row != at.column && row == column;
                if filling.is_some() && !twice {
                    continue;
                }
                let position = pattern.place(row, column);
                if filling.is_none() {
                    positions.push(position);
                }
                if twice {
                    let position = position as usize;
                    doubled.push(Doubled { element, slots: slots.into(), entry, position });
                }
            }
            element += 1;
        });
        positions.shrink_to_fit();
        let entries = if doubled.is_empty() { 0 } else { kernel.entries.len() };
        let (element, rows) = (LoneElement::new(&family.local, entries), kernel.sums.max(1));
        let alone = Scratch::new(move || (element.clone(), vec![0.0; rows]));
        Self { filling, positions, doubled, alone }
    }

    /// The position of each entry of each element, unless registers fill the matrix.
    pub(in crate::binding) fn positions(&self) -> &[u32] {
        &self.positions
    }

    /// True if an entry counts twice at a [position](Self::positions), or if registers fill the matrix.
    pub(in crate::binding) fn is_more(&self) -> bool {
        self.filling.is_some() || !self.doubled.is_empty()
    }

    /// Visits the positions that a sweep overwrites.
    pub(in crate::binding) fn visit_written(&self, visit: &mut dyn FnMut(Range<usize>)) {
        if let Some(filling) = &self.filling {
            filling.filling.visit_written(visit);
        }
    }
}

impl Family {
    /// Adds entries that count twice once more, with the `weights` of the rows, if there are rows.
    pub(super) fn add_doubled(&self, placed: &Placed, at: At<'_>, weights: &[f64], matrix: &mut [f64]) {
        if placed.doubled.is_empty() {
            return;
        }
        let operation = self.kernel.operation(Operation::Second);
        placed.alone.with(|(element, own_weights)| {
            for twice in &placed.doubled {
                for (&(slot, component), place) in
                    self.kernel.inputs.iter().zip(self.local.inputs(&self.kernel))
                {
                    element.x[place] = at.z[twice.slots[slot] as usize + component];
                }
                let row = self.row(&twice.slots);
                for (k, own) in own_weights.iter_mut().enumerate() {
                    *own = weights.get(row + k * self.apart).copied().unwrap_or(1.0);
                }
                let coefficients = self.coefficients.all().from(twice.element);
                element.run(operation, coefficients, (own_weights, at.now), true);
                matrix[twice.position] += element.entries[twice.entry];
            }
        });
    }
}
