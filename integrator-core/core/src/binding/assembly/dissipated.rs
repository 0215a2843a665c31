//! Dissipations that read sums: F = −∂D/∂v of Rayleigh's function D(q, v, t), through the sums.

use super::Assembly;
use crate::binding::family::Family;
use crate::binding::function::{Function, Second, Space};
use crate::binding::signals::Now;
use crate::binding::terms::Terms;
use crate::scratch::Scratch;
use crate::sparse::{RowPattern, SymmetricPattern};
use crate::system::System;

/// D, with its second derivatives: the derivatives of F are the part by velocities.
pub(in crate::binding) struct Dissipated {
    pub(in crate::binding) families: Vec<Family>,
    /// Or how many entries they would have at least.
    second: Result<Second, usize>,
    memory: Scratch<Memory>,
    /// The place of each second derivative of D among the derivatives of F.
    places: Vec<(u32, u32)>,
}

#[derive(Debug)]
struct Memory {
    gradient: Vec<f64>,
    hessian: Vec<f64>,
}

impl Dissipated {
    /// Of these families, if there are any.
    pub(super) fn new(dimension: usize, families: Vec<Family>, space: &Space) -> Option<Self> {
        if families.is_empty() {
            return None;
        }
        let arguments = 2 * dimension + 1;
        let second = Second::within(Function::new(space, Terms::of(&families)), |entries| {
            SymmetricPattern::new(arguments, entries)
        });
        let length = second.as_ref().map_or(0, |second| second.pattern.len());
        let memory = move || Memory { gradient: vec![0.0; arguments], hessian: vec![0.0; length] };
        Some(Self { families, second, memory: Scratch::new(memory), places: Vec::new() })
    }

    /// D.
    pub(super) fn function<'a>(&'a self, space: &'a Space) -> Function<'a> {
        Function::new(space, Terms::of(&self.families))
    }

    /// Runs `inside` with zeros for a gradient of D.
    pub(super) fn with_gradient(&self, inside: impl FnOnce(&mut [f64])) {
        self.memory.with(|Memory { gradient, .. }| {
            gradient.fill(0.0);
            inside(gradient);
        });
    }

    /// Shows each entry of ∂F/∂(q, v) with the second derivative of D of which it is the negative.
    fn visit(&self, visit: &mut dyn FnMut(usize, (usize, usize))) {
        let Ok(Second { pattern, .. }) = &self.second else { return };
        let n = pattern.dimension() / 2;
        for (source, (row, column)) in pattern.entries().enumerate() {
            if !(n..2 * n).contains(&row) {
                continue;
            }
            visit(source, (row - n, column));
            if column >= n && column != row {
                visit(source, (column - n, row));
            }
        }
    }

    /// The entries of ∂F/∂(q, v), or how many there are at least where they are too many.
    pub(super) fn entries(&self) -> Result<Vec<(usize, usize)>, usize> {
        let mut entries = Vec::new();
        self.visit(&mut |_, entry| entries.push(entry));
        self.second.as_ref().map(|_| entries).map_err(|found| *found)
    }

    /// Prepares to fill a matrix of this pattern.
    pub(super) fn place(&mut self, pattern: &RowPattern) {
        let mut places = Vec::new();
        self.visit(&mut |source, (row, column)| {
            // The pattern has these entries.
            places.push((source as u32, pattern.position(row, column).unwrap_or_default() as u32));
        });
        self.places = places;
    }
}

impl Assembly {
    /// Adds the force of dissipations that read sums.
    pub(super) fn add_dissipated(&self, x: &[&[f64]], now: &Now<'_>, force: &mut [f64]) {
        let Some(dissipated) = &self.dissipated else { return };
        dissipated.with_gradient(|gradient| {
            dissipated.function(&self.motion).add_gradient(x, now, gradient);
            let slopes = &gradient[force.len()..];
            force.iter_mut().zip(slopes).for_each(|(force, slope)| *force -= slope);
        });
    }

    /// Adds the derivatives of that force by (q, v), and the force itself, unless `force` is empty.
    pub(super) fn add_dissipated_derivatives(
        &self,
        (x, now): (&[&[f64]], &Now<'_>),
        force: &mut [f64],
        derivatives: &mut [f64],
    ) {
        let Some(dissipated @ Dissipated { second: Ok(second), memory, places, .. }) = &self.dissipated
        else {
            return;
        };
        memory.with(|Memory { gradient, hessian }| {
            gradient.fill(0.0);
            hessian.fill(0.0);
            second.add(dissipated.function(&self.motion), (x, now), gradient, hessian);
            let slopes = &gradient[self.dimension()..];
            force.iter_mut().zip(slopes).for_each(|(force, slope)| *force -= slope);
            for &(source, place) in places {
                derivatives[place as usize] -= hessian[source as usize];
            }
        });
    }
}
