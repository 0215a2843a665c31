//! Constraint equations in small independent sets, computed for eight sets side by side.
//!
//! A rigid molecule has a few light equations. One after the other, they wait for memory and for one another; eight molecules
//! beside each other, their equations are plain operations of registers, between numbers that stay where they are.

use super::instant::Instant;
use super::kernel::ConstraintKernel;
use crate::lanes::{Eight, Lanes, MOST_LANES, Registers, parts};
use crate::sparse::{Group, Sets, column_start};
use crate::system::Abreast;
use pulp::{Simd, WithSimd};
use std::marker::PhantomData;

/// The equations of all families.
pub(super) struct Equations {
    pub(super) families: Vec<Box<dyn FamilyAbreast>>,
    /// The frequency of the fast phase, and where it begins.
    pub(super) phase: Option<[f64; 2]>,
}

impl Abreast for Equations {
    fn values(&self, q: &[Eight], t: f64, values: &mut [Eight]) {
        let now = Instant::of(t, self.phase);
        self.families.iter().for_each(|family| family.put_values(q, now, values));
    }

    fn jacobian(&self, q: &[Eight], t: f64, values: &mut [Eight], jacobian: &mut [Eight]) {
        let now = Instant::of(t, self.phase);
        self.families.iter().for_each(|family| family.put_jacobian(q, now, values, jacobian));
    }

    fn add_weighted_hessian(&self, q: &[Eight], t: f64, weights: &[Eight], triangles: &mut [Eight]) {
        let now = Instant::of(t, self.phase);
        self.families.iter().for_each(|family| family.add_weighted_hessian(q, now, weights, triangles));
    }
}

/// The equations of a family.
pub trait FamilyAbreast: Send {
    /// Writes its rows of g.
    fn put_values(&self, q: &[Eight], now: Instant, values: &mut [Eight]);
    /// Writes its rows of g and of G.
    fn put_jacobian(&self, q: &[Eight], now: Instant, values: &mut [Eight], jacobian: &mut [Eight]);
    /// Adds Σ w Hess g of its rows.
    fn add_weighted_hessian(&self, q: &[Eight], now: Instant, weights: &[Eight], triangles: &mut [Eight]);
}

/// The elements of a family with the kernel `K`.
pub(super) struct Octets<K, const X: usize, const C: usize, const H: usize> {
    registers: Registers,
    list: Vec<Octet<X, C, H>>,
    kernel: PhantomData<fn() -> K>,
}

/// The same equation of eight sets: where it stands, in the numbering of the sets.
struct Octet<const X: usize, const C: usize, const H: usize> {
    row: u32,
    inputs: [u32; X],
    /// The cells of its row of G.
    cells: [u32; X],
    /// Where its Hessian stands among the lower triangles.
    positions: [u32; H],
    coefficients: [Eight; C],
}

/// What the elements of a family read, and which row each fills.
pub(super) struct Listed<'a, const X: usize, const C: usize> {
    pub(super) rows: &'a [usize],
    pub(super) inputs: &'a [[u32; X]],
    pub(super) coefficients: &'a [[f64; C]],
}

impl<K: ConstraintKernel<X, C, H>, const X: usize, const C: usize, const H: usize> Octets<K, X, C, H> {
    /// `None` where the equations of the family are not the same in all sets of a group.
    pub(super) fn new(registers: Registers, listed: &Listed<'_, X, C>, sets: &Sets) -> Option<Self> {
        let mut element_of = vec![None; sets.rows()];
        for (element, row) in listed.rows.iter().enumerate() {
            element_of[*row] = Some(element);
        }
        let mut list = Vec::new();
        for group in &sets.groups {
            for (local, places) in group.rows.iter().enumerate() {
                let elements = places.map(|row| element_of[row as usize]);
                if elements.iter().any(Option::is_some) {
                    list.push(Octet::of(local, group, sets, listed, elements)?.placed(
                        &K::ENTRIES,
                        group,
                        sets,
                    ));
                }
            }
        }
        Some(Self { registers, list, kernel: PhantomData })
    }
}

impl<const X: usize, const C: usize, const H: usize> Octet<X, C, H> {
    fn of(
        local: usize,
        group: &Group,
        sets: &Sets,
        listed: &Listed<'_, X, C>,
        elements: [Option<usize>; MOST_LANES],
    ) -> Option<Self> {
        let shape = &sets.shapes[group.shape];
        let (mut inputs, mut cells, mut coefficients) = ([0; X], [0; X], [Eight::ZERO; C]);
        for (lane, element) in elements.into_iter().enumerate() {
            let element = element?;
            for (k, (index, input)) in listed.inputs[element].iter().zip(&mut inputs).enumerate() {
                let column = group.columns.iter().position(|places| places[lane] == *index)?;
                let cell = group.first_cell + shape.cell((local, column));
                let places = ((group.first_column + column) as u32, cell as u32);
                if lane > 0 && places != (*input, cells[k]) {
                    return None;
                }
                (*input, cells[k]) = places;
            }
            let of_element = &listed.coefficients[element];
            coefficients.iter_mut().zip(of_element).for_each(|(eight, value)| eight[lane] = *value);
        }
        let row = (group.first_row + local) as u32;
        Some(Self { row, inputs, cells, positions: [0; H], coefficients })
    }

    /// With the places of these entries of the Hessian.
    fn placed(mut self, entries: &[(usize, usize); H], group: &Group, sets: &Sets) -> Self {
        let size = sets.shapes[group.shape].columns;
        for (position, &(row, column)) in self.positions.iter_mut().zip(entries) {
            let [row, column] = [row, column].map(|k| self.inputs[k] as usize - group.first_column);
            let (row, column) = (row.max(column), row.min(column));
            *position = (group.first_triangle + column_start(size, column) + row - column) as u32;
        }
        self
    }
}

impl<K: ConstraintKernel<X, C, H>, const X: usize, const C: usize, const H: usize> FamilyAbreast
    for Octets<K, X, C, H>
{
    fn put_values(&self, q: &[Eight], now: Instant, values: &mut [Eight]) {
        self.registers.run(PutValues { family: self, q, now, values });
    }

    fn put_jacobian(&self, q: &[Eight], now: Instant, values: &mut [Eight], jacobian: &mut [Eight]) {
        self.registers.run(PutJacobian { family: self, q, now, values, jacobian });
    }

    fn add_weighted_hessian(&self, q: &[Eight], now: Instant, weights: &[Eight], triangles: &mut [Eight]) {
        if H > 0 {
            self.registers.run(WeightedHessian { family: self, q, now, weights, triangles });
        }
    }
}

/// The rows of g.
struct PutValues<'a, K, const X: usize, const C: usize, const H: usize> {
    family: &'a Octets<K, X, C, H>,
    q: &'a [Eight],
    now: Instant,
    values: &'a mut [Eight],
}

impl<K: ConstraintKernel<X, C, H>, const X: usize, const C: usize, const H: usize> WithSimd
    for PutValues<'_, K, X, C, H>
{
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { family, q, now, values } = self;
        let now = now.splat(simd);
        for octet in &family.list {
            for first in parts::<S>(MOST_LANES) {
                let (x, c) = octet.read(simd, q, first);
                values[octet.row as usize].set_part(K::value(&x, &c, now), first);
            }
        }
    }
}

/// The rows of g and of G.
struct PutJacobian<'a, K, const X: usize, const C: usize, const H: usize> {
    family: &'a Octets<K, X, C, H>,
    q: &'a [Eight],
    now: Instant,
    values: &'a mut [Eight],
    jacobian: &'a mut [Eight],
}

impl<K: ConstraintKernel<X, C, H>, const X: usize, const C: usize, const H: usize> WithSimd
    for PutJacobian<'_, K, X, C, H>
{
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { family, q, now, values, jacobian } = self;
        let now = now.splat(simd);
        for octet in &family.list {
            for first in parts::<S>(MOST_LANES) {
                let (x, c) = octet.read(simd, q, first);
                let (value, gradient) = K::value_gradient(&x, &c, now);
                values[octet.row as usize].set_part(value, first);
                for k in 0..X {
                    jacobian[octet.cells[k] as usize].set_part(gradient[k], first);
                }
            }
        }
    }
}

/// Σ w Hess g.
struct WeightedHessian<'a, K, const X: usize, const C: usize, const H: usize> {
    family: &'a Octets<K, X, C, H>,
    q: &'a [Eight],
    now: Instant,
    weights: &'a [Eight],
    triangles: &'a mut [Eight],
}

impl<K: ConstraintKernel<X, C, H>, const X: usize, const C: usize, const H: usize> WithSimd
    for WeightedHessian<'_, K, X, C, H>
{
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { family, q, now, weights, triangles } = self;
        let now = now.splat(simd);
        for octet in &family.list {
            for first in parts::<S>(MOST_LANES) {
                let (x, c) = octet.read(simd, q, first);
                let weight = weights[octet.row as usize].part(simd, first);
                let second = K::hessian(&x, &c, now);
                for k in 0..H {
                    let entry = &mut triangles[octet.positions[k] as usize];
                    entry.set_part(entry.part(simd, first) + weight * second[k], first);
                }
            }
        }
    }
}

impl<const X: usize, const C: usize, const H: usize> Octet<X, C, H> {
    /// Coordinates and coefficients of a register, from lane `first` on.
    #[inline(always)]
    fn read<S: Simd>(&self, simd: S, q: &[Eight], first: usize) -> ([Lanes<S>; X], [Lanes<S>; C]) {
        let zero = Lanes::splat(simd, 0.0);
        let (mut x, mut c) = ([zero; X], [zero; C]);
        for (x, input) in x.iter_mut().zip(self.inputs) {
            *x = q[input as usize].part(simd, first);
        }
        for (c, eight) in c.iter_mut().zip(&self.coefficients) {
            *c = eight.part(simd, first);
        }
        (x, c)
    }
}
