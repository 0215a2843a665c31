//! Dissipations that read sums: F = −∂D/∂v of Rayleigh's function D(q, v, t), through the sums.

use super::assembly::Assembly;
use super::family::Family;
use super::moving::{Derivatives, Motion, Moving, placed};
use super::row::RowFamily;
use super::second::GeneralSecond;
use super::terms::add_gradients;
use crate::scratch::Scratch;
use crate::sparse::{RowPattern, SymmetricPattern};

/// The terms of D, with the second derivatives that are those of F.
pub(super) struct Dissipated {
    pub(super) families: Vec<Family>,
    /// Or how many entries they would have at least.
    second: Result<GeneralSecond, usize>,
    memory: Scratch<Memory>,
    /// The place of an entry of second derivatives among those of F.
    places: Vec<(u32, u32)>,
}

#[derive(Debug)]
struct Memory {
    gradient: Vec<f64>,
    hessian: Vec<f64>,
}

impl Dissipated {
    /// D of these families, if there are any, and the derivatives of its force together with those of these `forces`.
    pub(super) fn beside(
        dimension: usize,
        forces: &mut [RowFamily],
        families: Vec<Family>,
        moving: Option<&Moving>,
    ) -> (Derivatives, Option<Self>) {
        let mut dissipated = Self::new(dimension, families, moving);
        let shape = (dimension, dimension);
        if let Some(Self { second: Err(entries), .. }) = dissipated {
            return (Derivatives::refused(shape, entries), dissipated);
        }
        let entries = dissipated.as_ref().map_or_else(Vec::new, Self::entries);
        let derivatives = placed(forces, shape, moving, &entries);
        if let Some(dissipated) = &mut dissipated {
            dissipated.place(&derivatives.pattern);
        }
        (derivatives, dissipated)
    }

    fn new(dimension: usize, families: Vec<Family>, moving: Option<&Moving>) -> Option<Self> {
        if families.is_empty() {
            return None;
        }
        let none = SymmetricPattern::new(dimension, []);
        let sums = moving.map(|moving| (&moving.stages, moving.reduction()));
        let second = GeneralSecond::new(&none, &none, &families, sums);
        let length = second.as_ref().map_or(0, |second| second.natural.pattern.len());
        let memory = Scratch::new(move || Memory {
            gradient: vec![0.0; 2 * dimension + 1],
            hessian: vec![0.0; length],
        });
        Some(Self { families, second, memory, places: Vec::new() })
    }

    /// Shows each entry of ∂F/∂(q, v) with that of the second derivatives of D whose negative it is.
    fn visit(&self, visit: &mut dyn FnMut(usize, (usize, usize))) {
        let Ok(GeneralSecond { natural, .. }) = &self.second else { return };
        let pattern = &natural.pattern;
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

    /// The entries of ∂F/∂(q, v).
    fn entries(&self) -> Vec<(usize, usize)> {
        let mut entries = Vec::new();
        self.visit(&mut |_, entry| entries.push(entry));
        entries
    }

    /// Prepares to fill a matrix of this pattern.
    fn place(&mut self, pattern: &RowPattern) {
        let mut places = Vec::new();
        self.visit(&mut |source, (row, column)| {
            // The pattern has these entries.
            places.push((source as u32, pattern.position(row, column).unwrap_or_default() as u32));
        });
        self.places = places;
    }
}

impl Assembly {
    /// The terms of Rayleigh's functions that read sums.
    pub(super) fn dissipated(&self) -> &[Family] {
        self.dissipated.as_ref().map_or(&[], |dissipated| &dissipated.families)
    }

    /// Adds what these families make of a motion, and the force of dissipations that read sums: both see the same sums, which are found once.
    pub(super) fn add_forces(&self, own: &[RowFamily], at: Motion<'_>, force: &mut [f64]) {
        let (Some(dissipated), Some(moving)) = (&self.dissipated, &self.moving) else {
            if !own.is_empty() {
                self.with_motion(at, |z| own.iter().for_each(|family| family.add_values(z, at.now, force)));
            }
            return;
        };
        moving.stages.with(&[at.q, at.v, &[at.t]], at.now, |memory| {
            own.iter().for_each(|family| family.add_values(&memory.z[0], at.now, force));
            memory.clear(0);
            add_gradients(&dissipated.families, &memory.z[0], at.now, &mut memory.w[0]);
            moving.stages.backwards(0, at.now, memory);
            force.iter_mut().zip(&memory.w[0][at.q.len()..]).for_each(|(force, slope)| *force -= slope);
        });
    }

    /// Adds the derivatives of that force by (q, v).
    pub(super) fn add_dissipated_derivatives(&self, at: Motion<'_>, derivatives: &mut [f64]) {
        let Some(Dissipated { families, second: Ok(second), memory, places }) = &self.dissipated else {
            return;
        };
        memory.with(|Memory { gradient, hessian }| {
            hessian.fill(0.0);
            self.add_second_through_sums(families, second, at, gradient, hessian);
            for &(source, place) in places {
                derivatives[place as usize] -= hessian[source as usize];
            }
        });
    }
}
