//! Static dual numbers, element by element, as num-dual offers them without a compiler.

use crate::by_hand::Potential;
use least_action::advanced::sparse::SymmetricPattern;
use least_action::expr::Number;
use num_dual::{Dual2, Dual2SVec64, DualSVec64};

/// The elements of a potential, each a function of X coordinates.
pub(crate) trait Element<const X: usize> {
    /// The coordinates that each element reads.
    fn inputs(&self) -> Vec<[usize; X]>;

    /// The energy of one element.
    fn energy<T: Number>(&self, element: usize, x: [T; X]) -> T;
}

/// Elements with the places of their derivatives.
pub(crate) struct Dual<E, const X: usize> {
    elements: E,
    inputs: Vec<[usize; X]>,
    /// The places of the entries of the lower triangle of each element, by rows.
    places: Vec<usize>,
}

impl<E: Element<X>, const X: usize> Dual<E, X> {
    pub(crate) fn new(elements: E, pattern: &SymmetricPattern) -> Self {
        let inputs = elements.inputs();
        let entries =
            inputs.iter().flat_map(|at| (0..X).flat_map(move |i| (0..=i).map(move |j| (at[i], at[j]))));
        let places = entries.map(|(row, column)| pattern.position(row, column).expect("an entry")).collect();
        Self { elements, inputs, places }
    }
}

impl<E: Element<X>, const X: usize> Potential for Dual<E, X> {
    fn value(&mut self, q: &[f64]) -> f64 {
        let elements = self.inputs.iter().enumerate();
        elements.map(|(element, at)| self.elements.energy(element, at.map(|i| q[i]))).sum()
    }

    fn gradient(&mut self, q: &[f64], gradient: &mut [f64]) {
        gradient.fill(0.0);
        for (element, at) in self.inputs.iter().enumerate() {
            let x = std::array::from_fn(|i| DualSVec64::<X>::from_re(q[at[i]]).derivative(i));
            if let Some(derivative) = self.elements.energy(element, x).eps.0 {
                for (&i, value) in at.iter().zip(&derivative) {
                    gradient[i] += value;
                }
            }
        }
    }

    fn second(&mut self, q: &[f64], gradient: &mut [f64], hessian: &mut [f64]) {
        gradient.fill(0.0);
        hessian.fill(0.0);
        let places = self.places.chunks_exact(X * (X + 1) / 2);
        for ((element, at), places) in self.inputs.iter().enumerate().zip(places) {
            let x = std::array::from_fn(|i| Dual2SVec64::<X>::from_re(q[at[i]]).derivative(i));
            let energy = self.elements.energy(element, x);
            if let Some(derivative) = energy.v1.0 {
                for (&i, value) in at.iter().zip(&derivative) {
                    gradient[i] += value;
                }
            }
            if let Some(second) = energy.v2.0 {
                let mut places = places.iter();
                for i in 0..X {
                    for (j, &place) in (0..=i).zip(&mut places) {
                        hessian[place] += second[(i, j)];
                    }
                }
            }
        }
    }

    fn third(&mut self, q: &[f64], a: &[f64], contraction: &mut [f64]) {
        contraction.fill(0.0);
        for (element, at) in self.inputs.iter().enumerate() {
            let x = std::array::from_fn(|i| {
                let position = DualSVec64::<X>::from_re(q[at[i]]).derivative(i);
                Dual2::new(position, DualSVec64::from_re(a[at[i]]), DualSVec64::from_re(0.0))
            });
            if let Some(derivative) = self.elements.energy(element, x).v2.eps.0 {
                for (&i, value) in at.iter().zip(&derivative) {
                    contraction[i] += value;
                }
            }
        }
    }
}
