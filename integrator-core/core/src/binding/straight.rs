//! Models whose terms are elements at known places: their type evaluates a step in straight code.
//!
//! The type of a model [shows](Visit) its elements in order. An [`Answer`] is a visitor that runs one
//! operation on each; the compiler, which knows the visitor, inlines all of them.

use super::family::Placed;
use super::instant::Instant;
use super::kernel::Code;
use super::sweep::Straight;
use crate::lanes::form::{ElementForm, One};

/// The sizes that a declaration fixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// The degrees of freedom.
    pub coordinates: usize,
    /// The rows of g.
    pub rows: usize,
}

impl Sizes {
    /// The most degrees of freedom of these models.
    pub(super) const MOST_COORDINATES: usize = 20;
}

/// The operations of an element that steps need.
/// The value replaces an operation that the element lacks: it adds nothing to vectors.
pub trait Asked<const G: usize, const X: usize, const C: usize> {
    /// f.
    type Value: Code<G, X, C>;
    /// ∇f; for a row, with f.
    type Gradient: Code<G, X, C>;
    /// Hess f; for a term, with ∇f.
    type Second: Code<G, X, C>;
    /// Hess f · a.
    type Product: Code<G, X, C>;
    /// a·f‴·a.
    type Third: Code<G, X, C>;
    /// aᵀ Hess f a, for a row.
    type Quadratic: Code<G, X, C>;
    /// d²f/dt² along a motion without acceleration, for a row.
    type Curvature: Code<G, X, C>;
}

impl<A, B, D, E, F, H, I, const G: usize, const X: usize, const C: usize> Asked<G, X, C>
    for (A, B, D, E, F, H, I)
where
    A: Code<G, X, C>,
    B: Code<G, X, C>,
    D: Code<G, X, C>,
    E: Code<G, X, C>,
    F: Code<G, X, C>,
    H: Code<G, X, C>,
    I: Code<G, X, C>,
{
    type Value = A;
    type Gradient = B;
    type Second = D;
    type Product = E;
    type Third = F;
    type Quadratic = H;
    type Curvature = I;
}

/// A visitor of elements.
pub trait Visit {
    /// An element with these operations, whose slots begin at `starts`, and its row.
    fn term<A: Asked<G, X, C>, const G: usize, const X: usize, const C: usize>(
        &mut self,
        starts: [u32; G],
        row: usize,
    );
}

/// An evaluation, by the number of its operation.
pub(super) type Question = u8;
pub(super) const VALUE: Question = 0;
pub(super) const GRADIENT: Question = 1;
pub(super) const SECOND: Question = 2;
pub(super) const PRODUCT: Question = 3;
pub(super) const THIRD: Question = 4;
pub(super) const QUADRATIC: Question = 5;
pub(super) const CURVATURE: Question = 6;

/// The numbers of an instance.
#[derive(Debug, Default)]
pub(super) struct InstanceNumbers {
    /// The coefficients of all elements of V, of R and of g.
    pub(super) of_terms: Vec<f64>,
    pub(super) of_general: Vec<f64>,
    pub(super) of_rows: Vec<f64>,
    /// The place of each input of each element of g in the Jacobian.
    pub(super) places: Vec<u32>,
}

/// The evaluation at x with the direction or velocity a:
/// adds scalars to `values`, vectors to `vector`, and second derivatives to `matrix`.
#[derive(Default)]
pub(super) struct Answer<'a, const Q: Question, L: ElementForm = One> {
    pub(super) form: L,
    pub(super) coefficients: &'a [L::Entry],
    pub(super) places: &'a [u32],
    pub(super) placed: &'a [Placed],
    pub(super) x: &'a [L::Entry],
    pub(super) a: &'a [L::Entry],
    pub(super) now: Instant,
    pub(super) weights: &'a [L::Entry],
    pub(super) values: &'a mut [L::Entry],
    pub(super) vector: &'a mut [L::Entry],
    pub(super) matrix: &'a mut [L::Entry],
}

impl<const Q: Question, L: ElementForm> Visit for Answer<'_, Q, L> {
    #[inline(always)]
    fn term<A: Asked<G, X, C>, const G: usize, const X: usize, const C: usize>(
        &mut self,
        starts: [u32; G],
        row: usize,
    ) {
        let Some((c, rest)) = self.coefficients.split_first_chunk::<C>() else { return };
        self.coefficients = rest;
        let (mut places, mut positions) = (&[0; X], &[][..]);
        if let Some((own, rest)) = self.places.split_first_chunk::<X>() {
            (places, self.places) = (own, rest);
        }
        if let Some((own, rest)) = self.placed.split_first() {
            (positions, self.placed) = (own.positions(), rest);
        }
        let ports = &mut Straight {
            form: self.form,
            x: self.x,
            a: self.a,
            c,
            now: self.now,
            starts,
            row,
            weights: self.weights,
            vector: &mut *self.vector,
            places,
            matrix: &mut *self.matrix,
            positions,
        };
        let value = match Q {
            VALUE => ports.run::<A::Value>(),
            GRADIENT => ports.run::<A::Gradient>(),
            SECOND => ports.run::<A::Second>(),
            PRODUCT => ports.run::<A::Product>(),
            THIRD => ports.run::<A::Third>(),
            QUADRATIC => ports.run::<A::Quadratic>(),
            _ => ports.run::<A::Curvature>(),
        };
        if let Some(sum) = self.values.get_mut(row) {
            *sum = *sum + value;
        }
    }
}
