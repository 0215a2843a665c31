//! A term family bound to an instance: its elements, their coefficients, and where their derivatives go.

use super::index::IndexList;
use super::kernel::{Kernel, PositionKernel};
use crate::error::BindError;
use crate::sparse::SymmetricPattern;
use std::marker::PhantomData;

/// The elements of a family with the kernel `K`.
#[derive(Debug)]
pub struct Family<K, const X: usize, const C: usize, const H: usize> {
    pub(super) inputs: IndexList<X>,
    pub(super) coefficients: Coefficients<C>,
    pub(super) positions: IndexList<H>,
    /// Entries off the local diagonal that fall on the diagonal, because one coordinate is read twice: they count twice.
    pub(super) doubled: Vec<Doubled<X, C>>,
    kernel: PhantomData<fn() -> K>,
}

/// An entry that counts twice.
#[derive(Debug, Clone)]
pub(super) struct Doubled<const X: usize, const C: usize> {
    pub(super) element: usize,
    pub(super) inputs: [u32; X],
    pub(super) coefficients: [f64; C],
    pub(super) entry: usize,
    pub(super) position: usize,
}

impl<K, const X: usize, const C: usize, const H: usize> Clone for Family<K, X, C, H> {
    fn clone(&self) -> Self {
        Self {
            inputs: self.inputs.clone(),
            coefficients: self.coefficients.clone(),
            positions: self.positions.clone(),
            doubled: self.doubled.clone(),
            kernel: PhantomData,
        }
    }
}

impl<K: Kernel<X, C, H>, const X: usize, const C: usize, const H: usize> Default for Family<K, X, C, H> {
    fn default() -> Self {
        Self {
            inputs: IndexList::default(),
            coefficients: Coefficients::default(),
            positions: IndexList::default(),
            doubled: Vec::new(),
            kernel: PhantomData,
        }
    }
}

/// The coefficients of all elements; stored once when they are the same for all.
#[derive(Debug, Clone)]
pub(super) struct Coefficients<const C: usize> {
    values: Vec<[f64; C]>,
    elements: usize,
}

impl<const C: usize> Default for Coefficients<C> {
    fn default() -> Self {
        Self { values: Vec::new(), elements: 0 }
    }
}

impl<const C: usize> Coefficients<C> {
    fn push(&mut self, values: [f64; C]) {
        match &self.values[..] {
            [] => self.values.push(values),
            [only] if *only == values => {}
            [only] => {
                let only = *only;
                self.values.resize(self.elements, only);
                self.values.push(values);
            }
            _ => self.values.push(values),
        }
        self.elements += 1;
    }

    /// One tuple for each element.
    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = &[f64; C]> {
        let stride = usize::from(self.values.len() > 1);
        (0..self.elements).map(move |element| &self.values[element * stride])
    }
}

/// The values that an element reads.
#[inline(always)]
pub(super) fn gather<const X: usize>(from: &[f64], at: &[u32; X]) -> [f64; X] {
    let mut values = [0.0; X];
    for k in 0..X {
        values[k] = from[at[k] as usize];
    }
    values
}

/// Adds what an element yields to where it belongs.
#[inline(always)]
pub(super) fn scatter<const X: usize>(values: &[f64; X], factor: f64, at: &[u32; X], to: &mut [f64]) {
    for k in 0..X {
        to[at[k] as usize] += factor * values[k];
    }
}

impl<K: Kernel<X, C, H>, const X: usize, const C: usize, const H: usize> Family<K, X, C, H> {
    /// Appends an element: the global index of each local coordinate, and its coefficients.
    ///
    /// # Errors
    /// A coefficient is not finite.
    pub fn push(&mut self, inputs: [u32; X], coefficients: [f64; C]) -> Result<(), BindError> {
        if let Some(&value) = coefficients.iter().find(|value| !value.is_finite()) {
            return Err(BindError::CoefficientNotFinite { place: K::NAME.to_owned(), value });
        }
        self.inputs.push(inputs);
        self.coefficients.push(coefficients);
        Ok(())
    }

    pub(super) fn finish(&mut self) {
        self.inputs.finish();
        self.coefficients.values.shrink_to_fit();
    }

    /// The entries of the lower triangle that the family can fill.
    pub(super) fn entries(&self) -> Vec<(usize, usize)> {
        let mut entries = Vec::with_capacity(self.inputs.len() * H);
        for at in self.inputs.iter() {
            entries.extend(K::ENTRIES.iter().map(|&(row, column)| (at[row] as usize, at[column] as usize)));
        }
        entries
    }

    /// Looks up where each entry stands in `pattern`.
    pub(super) fn place(&mut self, pattern: &SymmetricPattern) {
        self.positions = IndexList::default();
        self.doubled = Vec::new();
        for (element, (inputs, coefficients)) in self.inputs.iter().zip(self.coefficients.iter()).enumerate()
        {
            let mut positions = [0; H];
            for (entry, &(row, column)) in K::ENTRIES.iter().enumerate() {
                let (global_row, global_column) = (inputs[row] as usize, inputs[column] as usize);
                // The pattern is made of these very entries.
                let position = pattern.position(global_row, global_column).unwrap_or_default();
                positions[entry] = position as u32;
                if row != column && global_row == global_column {
                    self.doubled.push(Doubled {
                        element,
                        inputs,
                        coefficients: *coefficients,
                        entry,
                        position,
                    });
                }
            }
            self.positions.push(positions);
        }
        self.positions.finish();
    }

    pub(super) fn sum(&self, q: &[f64], t: f64) -> f64 {
        let mut sum = 0.0;
        for (at, c) in self.inputs.iter().zip(self.coefficients.iter()) {
            sum += K::value(&gather(q, &at), c, t);
        }
        sum
    }

    fn rate_sum(&self, q: &[f64], t: f64) -> f64 {
        let mut sum = 0.0;
        for (at, c) in self.inputs.iter().zip(self.coefficients.iter()) {
            sum += K::rate(&gather(q, &at), c, t);
        }
        sum
    }

    fn gradient_sum(&self, q: &[f64], t: f64, gradient: &mut [f64]) {
        for (at, c) in self.inputs.iter().zip(self.coefficients.iter()) {
            scatter(&K::gradient(&gather(q, &at), c, t), 1.0, &at, gradient);
        }
    }

    fn second_sum(&self, q: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        for ((at, c), positions) in
            self.inputs.iter().zip(self.coefficients.iter()).zip(self.positions.iter())
        {
            let (g, h) = K::second(&gather(q, &at), c, t);
            scatter(&g, 1.0, &at, gradient);
            scatter(&h, 1.0, &positions, hessian);
        }
        for twice in &self.doubled {
            let (_, h) = K::second(&gather(q, &twice.inputs), &twice.coefficients, t);
            hessian[twice.position] += h[twice.entry];
        }
    }
}

/// What a family is, and how large: for descriptions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FamilySummary {
    /// The expression of one element.
    pub name: &'static str,
    /// What one element reads, in the words of the declaration.
    pub reads: Vec<String>,
    /// The number of elements.
    pub elements: usize,
    /// The number of local coordinates of one element.
    pub variables: usize,
    /// Weighted operation counts of value, gradient, gradient with Hessian, and third contraction.
    pub operations: [u32; 4],
}

/// A family of terms that add up to a function of one vector: V(q, t), or a part of L(z, t).
pub trait Term: Send + Sync {
    /// What the family is, and how large.
    fn summary(&self) -> FamilySummary;
    /// The Hessian entries that the family can fill.
    fn hessian_entries(&self) -> Vec<(usize, usize)>;
    /// Prepares to fill a matrix of this pattern.
    fn place_in(&mut self, pattern: &SymmetricPattern);
    /// The value.
    fn value(&self, x: &[f64], t: f64) -> f64;
    /// The partial derivative with respect to t.
    fn time_derivative(&self, x: &[f64], t: f64) -> f64;
    /// The coordinates x of which the gradient depends on time otherwise than through x.
    fn coordinates_in_time(&self) -> Vec<usize>;
    /// Adds factor · ∂²/∂x∂t and factor · ∂²/∂t² to the last row of a matrix in (x, …, t), whose pattern has them.
    fn add_second_in_time(&self, x: &[f64], t: f64, factor: f64, pattern: &SymmetricPattern, hessian: &mut [f64]);
    /// Adds the gradient.
    fn add_gradient(&self, x: &[f64], t: f64, gradient: &mut [f64]);
    /// Adds gradient and Hessian.
    fn add_second(&self, x: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]);
}

impl<K: Kernel<X, C, H>, const X: usize, const C: usize, const H: usize> Term for Family<K, X, C, H> {
    fn summary(&self) -> FamilySummary {
        FamilySummary {
            name: K::NAME,
            reads: K::READS.iter().map(|&text| text.to_owned()).collect(),
            elements: self.inputs.len(),
            variables: X,
            operations: K::OPERATIONS,
        }
    }
    fn hessian_entries(&self) -> Vec<(usize, usize)> {
        self.entries()
    }
    fn place_in(&mut self, pattern: &SymmetricPattern) {
        self.place(pattern);
    }
    fn value(&self, x: &[f64], t: f64) -> f64 {
        self.sum(x, t)
    }
    fn time_derivative(&self, x: &[f64], t: f64) -> f64 {
        self.rate_sum(x, t)
    }
    fn coordinates_in_time(&self) -> Vec<usize> {
        let inputs = self.inputs.iter().filter(|_| K::TIME);
        inputs.flat_map(|at| at.map(|index| index as usize)).collect()
    }
    fn add_second_in_time(&self, x: &[f64], t: f64, factor: f64, pattern: &SymmetricPattern, hessian: &mut [f64]) {
        if !K::TIME {
            return;
        }
        // The row of the time is the last of each column.
        let last = |column: usize| pattern.starts()[column + 1] - 1;
        for (at, c) in self.inputs.iter().zip(self.coefficients.iter()) {
            let (mixed, twice) = K::second_in_time(&gather(x, &at), c, t);
            for (column, value) in at.iter().zip(mixed) {
                hessian[last(*column as usize)] += factor * value;
            }
            hessian[last(pattern.dimension() - 1)] += factor * twice;
        }
    }
    fn add_gradient(&self, x: &[f64], t: f64, gradient: &mut [f64]) {
        self.gradient_sum(x, t, gradient);
    }
    fn add_second(&self, x: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        self.second_sum(x, t, gradient, hessian);
    }
}

/// A family of the potential.
pub trait PotentialTerm: Term {
    /// Adds Hess V · a.
    fn add_product(&self, q: &[f64], t: f64, a: &[f64], product: &mut [f64]);
    /// Adds a·V‴·a.
    fn add_third(&self, q: &[f64], t: f64, a: &[f64], contraction: &mut [f64]);
}

impl<K: PositionKernel<X, C, H>, const X: usize, const C: usize, const H: usize> PotentialTerm
    for Family<K, X, C, H>
{
    fn add_product(&self, q: &[f64], t: f64, a: &[f64], product: &mut [f64]) {
        for (at, c) in self.inputs.iter().zip(self.coefficients.iter()) {
            scatter(&K::product(&gather(q, &at), &gather(a, &at), c, t), 1.0, &at, product);
        }
    }

    fn add_third(&self, q: &[f64], t: f64, a: &[f64], contraction: &mut [f64]) {
        for (at, c) in self.inputs.iter().zip(self.coefficients.iter()) {
            scatter(&K::third(&gather(q, &at), &gather(a, &at), c, t), 1.0, &at, contraction);
        }
    }
}
