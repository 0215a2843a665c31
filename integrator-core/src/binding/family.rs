//! A term family bound to an instance: its elements, their coefficients, and where their derivatives go.

use super::arrangement::{Arguments, Arrangement, Elements, Matrix};
use super::home::{self, Stretch};
use super::index::{IndexList, Tuples as _};
use super::instant::Instant;
use super::kernel::{Kernel, PositionKernel};
use super::operation::{Gradient, LIGHT, Operation, Product, Rate, Second, Third, Value};
use super::places::{self, Doubled};
use super::plain::{Listed, Plain};
use super::side::Arranging;
use super::translation::is_invariant;
use crate::describe::Smoothness;
use crate::error::BindError;
use crate::lanes::Width;
use crate::sparse::SymmetricPattern;
use std::marker::PhantomData;
use std::ops::Range;

/// The elements of a family with the kernel `K`.
#[derive(Debug)]
pub struct Family<K, const X: usize, const C: usize, const H: usize> {
    pub(super) inputs: IndexList<X>,
    pub(super) coefficients: Coefficients<C>,
    pub(super) positions: IndexList<H>,
    pub(super) doubled: Vec<Doubled>,
    /// The elements once more, in a layout of their own, where that pays; the lists above then serve only the binding.
    arrangement: Option<Arrangement<X, C, H>>,
    kernel: PhantomData<fn() -> K>,
}

impl<K, const X: usize, const C: usize, const H: usize> Clone for Family<K, X, C, H> {
    fn clone(&self) -> Self {
        Self {
            inputs: self.inputs.clone(),
            coefficients: self.coefficients.clone(),
            positions: self.positions.clone(),
            doubled: self.doubled.clone(),
            // Found anew for the pattern in which the copy is placed.
            arrangement: None,
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
            arrangement: None,
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
            [only] if same_bits(only, &values) => {}
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
    pub(super) fn to_vec(&self) -> Vec<[f64; C]> {
        let mut tuples = self.values.clone();
        if let [only] = self.values[..] {
            tuples.resize(self.elements, only);
        }
        tuples
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.elements
    }

    /// The tuple of one element.
    #[inline]
    pub(super) fn get(&self, element: usize) -> Option<&[f64; C]> {
        match &self.values[..] {
            [only] => Some(only),
            values => values.get(element),
        }
    }

    /// The tuple that all elements have.
    #[inline(always)]
    pub(super) fn shared(&self) -> Option<[f64; C]> {
        match self.values[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// The tuples from that of element `start` on.
    #[inline]
    pub(super) fn part(&self, start: usize) -> Part<'_, C> {
        let stride = usize::from(self.values.len() > 1);
        Part { values: &self.values[start * stride..], stride }
    }
}

/// The coefficients of consecutive elements.
#[derive(Clone, Copy)]
pub(super) struct Part<'a, const C: usize> {
    values: &'a [[f64; C]],
    stride: usize,
}

impl<'a, const C: usize> Part<'a, C> {
    /// The same for all.
    pub(super) fn shared(values: &'a [f64; C]) -> Self {
        Self { values: std::slice::from_ref(values), stride: 0 }
    }

    #[inline(always)]
    pub(super) fn of(self, element: usize) -> &'a [f64; C] {
        &self.values[element * self.stride]
    }
}

pub(super) fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

impl<K: Kernel<X, C, H>, const X: usize, const C: usize, const H: usize> Family<K, X, C, H> {
    /// Whether there are so few elements that they are listed.
    pub(super) const FEW: bool = <K::Side as Arranging>::FEW;

    /// Appends an element: the global index of each local coordinate, and its coefficients.
    ///
    /// # Errors
    /// A coefficient is not finite, or there are too many elements.
    pub fn push(&mut self, inputs: [u32; X], coefficients: [f64; C]) -> Result<(), BindError> {
        places::check_element(&coefficients, self.inputs.len(), K::NAME)?;
        self.inputs.push(inputs);
        self.coefficients.push(coefficients);
        Ok(())
    }

    pub(super) fn finish(&mut self) {
        Self::end(&mut self.inputs);
        self.coefficients.values.shrink_to_fit();
    }

    /// Ends a list with one tuple for each element.
    pub(super) fn end<const W: usize>(list: &mut IndexList<W>) {
        if const { Self::FEW } {
            list.list();
        } else {
            list.finish();
        }
    }

    /// Looks up where each entry stands in `pattern`.
    pub(super) fn place(&mut self, pattern: &SymmetricPattern) {
        self.arrangement = None;
        self.positions = IndexList::default();
        places::place(&self.inputs, &K::ENTRIES, pattern, &mut self.positions);
        Self::end(&mut self.positions);
        self.doubled = places::doubled(&self.inputs, &K::ENTRIES, pattern);
    }

    /// The same, in a layout of its own where that pays.
    fn arrange(&mut self, pattern: &SymmetricPattern, filled: &[u8], width: Width) {
        let elements = || Elements {
            inputs: self.inputs.to_vec(),
            coefficients: self.coefficients.to_vec(),
            entries: const { &K::ENTRIES },
            operations: K::OPERATIONS[1],
            light: K::OPERATIONS.iter().all(|count| *count < LIGHT),
        };
        // Time may stand behind the entries that the matrix has.
        let length = pattern.dimension() + 1;
        let matrix = Matrix { pattern, filled };
        let arrangement = K::Side::arrange(width.registers(), elements, length, matrix);
        if arrangement.is_none() {
            return self.place(pattern);
        }
        (self.arrangement, self.positions) = (arrangement, IndexList::default());
        self.doubled = places::doubled(&self.inputs, &K::ENTRIES, pattern);
    }

    /// Runs an operation over all elements and adds what it yields; returns the sum of its scalars.
    fn sweep<O: Operation<X, C, H>>(&self, arguments: Arguments<'_>) -> f64 {
        let Self { inputs, coefficients, positions, .. } = self;
        if const { Self::FEW } {
            let (inputs, positions) = (inputs.listed(), positions.listed());
            return Listed { inputs, coefficients, positions }.sweep::<O>(arguments);
        }
        if let Some(arrangement) = &self.arrangement {
            return K::Side::sweep::<O, X, C, H>(arrangement, arguments);
        }
        Plain { inputs, coefficients, positions }.sweep::<O>(arguments)
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
    /// How smooth the expression is.
    pub smoothness: Smoothness,
    /// Weighted operation counts of value, gradient, gradient with Hessian, and third contraction.
    pub operations: [u32; 4],
}

/// A family of terms that add up to a function of one vector: V(q, t), or a part of L(z, t).
pub trait Term: Send + Sync {
    /// What the family is, and how large.
    fn summary(&self) -> FamilySummary;
    /// The Hessian entries that the family can fill.
    fn hessian_entries(&self) -> Vec<(usize, usize)>;
    /// Prepares to fill a matrix of this pattern, computing as many elements at once as `width` says.  `filled` tells how
    /// many entries of elements fill each position, the diagonal counted once more; it may be empty, when that is not known.
    fn place_in(&mut self, pattern: &SymmetricPattern, filled: &[u8], width: Width);
    /// Shows the positions over which [`Self::add_second`] writes, whatever stands there.
    fn visit_written(&self, visit: &mut dyn FnMut(Range<usize>));
    /// The value.
    fn value(&self, x: &[f64], now: Instant) -> f64;
    /// The partial derivative with respect to t.
    fn time_derivative(&self, x: &[f64], now: Instant) -> f64;
    /// Adds the gradient.
    fn add_gradient(&self, x: &[f64], now: Instant, gradient: &mut [f64]);
    /// Adds gradient and Hessian; see [`Self::visit_written`].
    fn add_second(&self, x: &[f64], now: Instant, gradient: &mut [f64], hessian: &mut [f64]);
}

impl<K: Kernel<X, C, H>, const X: usize, const C: usize, const H: usize> Term for Family<K, X, C, H> {
    fn summary(&self) -> FamilySummary {
        FamilySummary {
            name: K::NAME,
            reads: words(K::READS),
            elements: self.inputs.len(),
            variables: X,
            smoothness: K::SMOOTHNESS,
            operations: K::OPERATIONS,
        }
    }
    fn hessian_entries(&self) -> Vec<(usize, usize)> {
        places::entries(&self.inputs, &K::ENTRIES)
    }
    fn place_in(&mut self, pattern: &SymmetricPattern, filled: &[u8], width: Width) {
        self.arrange(pattern, filled, width);
    }
    fn visit_written(&self, visit: &mut dyn FnMut(Range<usize>)) {
        if let Some(arrangement) = &self.arrangement {
            arrangement.visit_written(visit);
        }
    }
    fn value(&self, x: &[f64], now: Instant) -> f64 {
        self.sweep::<Value<K>>(Arguments::of(x, now))
    }
    fn time_derivative(&self, x: &[f64], now: Instant) -> f64 {
        self.sweep::<Rate<K>>(Arguments::of(x, now))
    }
    fn add_gradient(&self, x: &[f64], now: Instant, gradient: &mut [f64]) {
        self.sweep::<Gradient<K>>(Arguments::of(x, now).adding_to(gradient));
    }
    fn add_second(&self, x: &[f64], now: Instant, gradient: &mut [f64], hessian: &mut [f64]) {
        if H == 0 {
            return self.add_gradient(x, now, gradient);
        }
        self.sweep::<Second<K>>(Arguments { matrix: hessian, ..Arguments::of(x, now).adding_to(gradient) });
        for twice in &self.doubled {
            let Some(coefficients) = self.coefficients.get(twice.element) else { continue };
            // The element by itself: what it reads and yields stands side by side.
            let (x, mut vector, mut matrix) = (gathered::<X>(x, &twice.inputs), [0.0; X], [0.0; H]);
            let arguments = Arguments { x: &x, a: &[], now, vector: &mut vector, matrix: &mut matrix };
            let (at, positions) = (std::array::from_fn(|k| k as u32), std::array::from_fn(|k| k as u32));
            let alone = Stretch::of_one(&at, &positions, coefficients);
            home::one_by_one::<Second<K>, X, C, H>()(arguments, &alone);
            hessian[twice.position] += matrix[twice.entry];
        }
    }
}

/// What is read at these indices.
pub(super) fn gathered<const X: usize>(x: &[f64], inputs: &[u32]) -> [f64; X] {
    let mut values = [0.0; X];
    for (value, index) in values.iter_mut().zip(inputs) {
        *value = x[*index as usize];
    }
    values
}

pub(super) fn words(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

/// A family of the potential.
pub trait PotentialTerm: Term {
    /// Shows each element and what it reads.
    fn visit_elements(&self, visit: &mut dyn FnMut(u32, &[u32]));
    /// The value of one element, of the values that it reads; not a number when they are too many or too few.
    fn element_value(&self, element: u32, x: &[f64], now: Instant) -> f64;
    /// The gradient of one element, written over `gradient`; not a number when the values are too many or too few.
    fn element_gradient(&self, element: u32, x: &[f64], now: Instant, gradient: &mut [f64]);
    /// Whether an element is the same everywhere along a direction, as its expression proves.
    fn is_invariant(&self, element: u32, direction: &[f64]) -> bool;
    /// Adds Hess V · a.
    fn add_product(&self, q: &[f64], now: Instant, a: &[f64], product: &mut [f64]);
    /// Adds a·V‴·a.
    fn add_third(&self, q: &[f64], now: Instant, a: &[f64], contraction: &mut [f64]);
}

impl<K: PositionKernel<X, C, H>, const X: usize, const C: usize, const H: usize> PotentialTerm
    for Family<K, X, C, H>
{
    fn visit_elements(&self, visit: &mut dyn FnMut(u32, &[u32])) {
        let mut element = 0;
        self.inputs.visit(&mut |inputs| {
            visit(element, inputs);
            element += 1;
        });
    }

    fn element_value(&self, element: u32, x: &[f64], now: Instant) -> f64 {
        match (x.try_into(), self.coefficients.get(element as usize)) {
            (Ok(x), Some(coefficients)) => K::value::<f64>(x, coefficients, now),
            _ => f64::NAN,
        }
    }

    fn element_gradient(&self, element: u32, x: &[f64], now: Instant, gradient: &mut [f64]) {
        match (x.try_into(), self.coefficients.get(element as usize)) {
            (Ok(x), Some(coefficients)) if gradient.len() == X => {
                gradient.copy_from_slice(&K::gradient::<f64>(x, coefficients, now));
            }
            _ => gradient.fill(f64::NAN),
        }
    }

    fn is_invariant(&self, element: u32, direction: &[f64]) -> bool {
        match (direction.try_into(), self.coefficients.get(element as usize)) {
            (Ok(direction), Some(coefficients)) => is_invariant::<K, X, C, H>(direction, coefficients),
            _ => false,
        }
    }

    fn add_product(&self, q: &[f64], now: Instant, a: &[f64], product: &mut [f64]) {
        // Without second derivatives there is nothing to add.
        if H > 0 {
            self.sweep::<Product<K>>(Arguments { a, ..Arguments::of(q, now).adding_to(product) });
        }
    }

    fn add_third(&self, q: &[f64], now: Instant, a: &[f64], contraction: &mut [f64]) {
        if !K::QUADRATIC {
            self.sweep::<Third<K>>(Arguments { a, ..Arguments::of(q, now).adding_to(contraction) });
        }
    }
}
