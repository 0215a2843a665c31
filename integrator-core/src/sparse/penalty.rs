//! The penalty ½ ω² |g|² of equations in small independent sets, eight sets side by side.

use super::sets::{Group, LARGEST, Sets, eight, put};
use crate::lanes::{Eight, Lanes, MOST_LANES, Registers, Width, parts};
use pulp::{Scalar512b, Simd, WithSimd};

/// M + c ω² Gᵀ G of each set, for a diagonal mass, and the force of the penalty.
pub(crate) struct PenaltySets {
    sets: Sets,
    /// The mass of each column.
    masses: Vec<Eight>,
    registers: Option<Registers>,
}

impl PenaltySets {
    pub(crate) fn new(sets: Sets, diagonal: &[f64]) -> Self {
        let mut masses = sets.zero_columns();
        sets.gather_columns(diagonal, &mut masses);
        Self { sets, masses, registers: Width::widest().registers() }
    }

    pub(crate) fn sets(&self) -> &Sets {
        &self.sets
    }

    /// M + `factor` Gᵀ G, written over lower triangles.
    pub(crate) fn multiply(&self, jacobian: &[Eight], factor: f64, triangles: &mut [Eight]) {
        self.run(Multiply { penalty: self, jacobian, factor, triangles });
    }

    /// y ← y + Gᵀ w.
    pub(crate) fn add_force(&self, jacobian: &[Eight], weights: &[Eight], y: &mut [f64]) {
        self.run(AddForce { jacobian, weights, y });
    }

    fn run(&self, task: impl Task) {
        let work = Work { sets: &self.sets, task };
        match self.registers {
            Some(registers) => registers.run(work),
            None => work.with_simd(Scalar512b),
        }
    }
}

/// What is done for a group of sets of R rows.
trait Task {
    fn run<S: Simd, const R: usize>(&mut self, simd: S, group: &Group);
}

/// A task for all groups, in a function with the instructions of the registers at hand.
struct Work<'a, T> {
    sets: &'a Sets,
    task: T,
}

impl<T: Task> WithSimd for Work<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        for group in &self.sets.groups {
            match group.rows.len() {
                1 => self.task.run::<S, 1>(simd, group),
                2 => self.task.run::<S, 2>(simd, group),
                3 => self.task.run::<S, 3>(simd, group),
                4 => self.task.run::<S, 4>(simd, group),
                5 => self.task.run::<S, 5>(simd, group),
                _ => self.task.run::<S, LARGEST>(simd, group),
            }
        }
    }
}

/// The columns of G of a group.
#[inline(always)]
fn columns<'a, const R: usize>(group: &Group, jacobian: &'a [Eight]) -> &'a [[Eight; R]] {
    &jacobian[group.first_cell..].as_chunks().0[..group.columns.len()]
}

struct Multiply<'a> {
    penalty: &'a PenaltySets,
    jacobian: &'a [Eight],
    factor: f64,
    triangles: &'a mut [Eight],
}

impl Task for Multiply<'_> {
    #[inline(always)]
    fn run<S: Simd, const R: usize>(&mut self, simd: S, group: &Group) {
        let columns = columns::<R>(group, self.jacobian);
        let masses = &self.penalty.masses[group.first_column..];
        let mut rest = &mut self.triangles[group.first_triangle..];
        for (j, (left, mass)) in columns.iter().zip(masses).enumerate() {
            let (column, after) = rest.split_at_mut(columns.len() - j);
            rest = after;
            for first in parts::<S>(MOST_LANES) {
                let mut scaled = [Lanes::splat(simd, self.factor); R];
                for r in 0..R {
                    scaled[r] = scaled[r] * left[r].part(simd, first);
                }
                let mut sum = mass.part(simd, first);
                for (entry, right) in column.iter_mut().zip(&columns[j..]) {
                    for r in 0..R {
                        sum = sum + scaled[r] * right[r].part(simd, first);
                    }
                    entry.set_part(sum, first);
                    sum = Lanes::splat(simd, 0.0);
                }
            }
        }
    }
}

struct AddForce<'a> {
    jacobian: &'a [Eight],
    weights: &'a [Eight],
    y: &'a mut [f64],
}

impl Task for AddForce<'_> {
    #[inline(always)]
    fn run<S: Simd, const R: usize>(&mut self, simd: S, group: &Group) {
        for first in parts::<S>(group.sets) {
            let mut weights = [Lanes::splat(simd, 0.0); R];
            for (weight, eight) in weights.iter_mut().zip(&self.weights[group.first_row..]) {
                *weight = eight.part(simd, first);
            }
            for (places, column) in group.columns.iter().zip(columns::<R>(group, self.jacobian)) {
                let mut sum = eight(self.y, places).part(simd, first);
                for r in 0..R {
                    sum = sum + column[r].part(simd, first) * weights[r];
                }
                put(&sum.to_array()[..Lanes::<S>::COUNT], &places[first..], self.y);
            }
        }
    }
}
