//! Second derivatives of a function, placed when an engine first asks for them.
//!
//! Hess f = K_xx + K_xu J + Jᵀ K_ux + Jᵀ K_uu J with J = ∂u/∂x; K are the second derivatives by z of
//! f + Σ w_k φ_k with the weight w_k and the elements φ_k of sum k.

use super::scalar::Function;
use super::space::Space;
use crate::binding::at::{At, Weights};
use crate::binding::family::Placed;
use crate::binding::kernel::Operation;
use crate::binding::near::second::NearPlaced;
use crate::binding::signals::Now;
use crate::binding::terms::Terms;
use crate::scratch::Scratch;
use crate::sparse::SymmetricPattern;
use std::ops::Range;

/// Shorter gaps are set to zero together with the ranges around them.
const GAP: usize = 16;

/// The places of the elements of a function in a matrix.
///
/// A layout overwrites each position that only one entry of one element fills: with all pairs, for
/// instance, the blocks off the diagonal, most of the matrix. Only the rest is set to zero before.
pub(in crate::binding) struct Filled {
    families: Vec<Placed>,
    near: Vec<NearPlaced>,
    /// The positions that are set to zero.
    blank: Vec<Range<usize>>,
}

impl Filled {
    /// In a matrix of this pattern; `filled` has the number of entries of
    /// elements at each position, plus one on the diagonal, or is empty.
    pub(in crate::binding) fn new(terms: Terms<'_>, pattern: &SymmetricPattern, filled: &[u8]) -> Self {
        let families: Vec<Placed> =
            terms.families.iter().map(|family| Placed::new(family, pattern, filled)).collect();
        let mut written = Vec::new();
        families.iter().for_each(|placed| placed.visit_written(&mut |range| written.push(range)));
        let near = terms.near.iter().map(|family| family.placed(pattern)).collect();
        Self { families, near, blank: rest(written, pattern.len()) }
    }

    /// Prepares a matrix for adding.
    pub(in crate::binding) fn clear(&self, matrix: &mut [f64]) {
        self.blank.iter().for_each(|range| matrix[range.clone()].fill(0.0));
    }

    /// Adds second derivatives by z, and the gradient of elements without rows.
    pub(in crate::binding) fn add(
        &self,
        terms: Terms<'_>,
        at: At<'_>,
        weights: Weights<'_>,
        gradient: &mut [f64],
        matrix: &mut [f64],
    ) {
        for (family, placed) in terms.families.iter().zip(&self.families) {
            family.add_second(placed, at, weights, gradient, matrix);
        }
        for (family, placed) in terms.near.iter().zip(&self.near) {
            family.add_second(placed, at, weights, gradient, matrix);
        }
    }
}

/// Second derivatives by x of the elements of a function.
pub(in crate::binding) struct Second {
    /// Their pattern, or a larger one.
    pub(in crate::binding) pattern: SymmetricPattern,
    filled: Filled,
    /// With sums: the matrix by z that elements fill.
    by_z: Option<(SymmetricPattern, Scratch<Vec<f64>>)>,
    /// True if elements fill their positions only.
    is_plain: bool,
}

impl Second {
    /// In a matrix of their own.
    ///
    /// # Errors
    /// There are too many entries through sums; a lower bound of their number.
    pub(in crate::binding) fn new(Function { space, stages, terms }: Function<'_>) -> Result<Self, usize> {
        let entries = terms.second_entries();
        let by_x = if stages.has_sums() { Some(space.second_pattern(&entries)?) } else { None };
        let (by_z, filled) = SymmetricPattern::counted(stages.length, entries);
        Ok(Self::filling(terms, by_z, &filled, by_x))
    }

    /// In a larger matrix; `around` makes its pattern from their entries.
    ///
    /// # Errors
    /// There are too many entries through sums; a lower bound of their number.
    pub(in crate::binding) fn within(
        Function { space, stages, terms }: Function<'_>,
        around: impl FnOnce(&mut dyn Iterator<Item = (usize, usize)>) -> SymmetricPattern,
    ) -> Result<Self, usize> {
        let entries = terms.second_entries();
        if !stages.has_sums() {
            return Ok(Self::filling(terms, around(&mut entries.into_iter()), &[], None));
        }
        let by_x = around(&mut space.second_pattern(&entries)?.entries());
        let by_z = SymmetricPattern::new(stages.length, entries);
        Ok(Self::filling(terms, by_z, &[], Some(by_x)))
    }

    fn filling(
        terms: Terms<'_>,
        by_z: SymmetricPattern,
        filled: &[u8],
        by_x: Option<SymmetricPattern>,
    ) -> Self {
        let filled = Filled::new(terms, &by_z, filled);
        match by_x {
            None => {
                let is_plain = !filled.families.iter().any(Placed::is_more);
                Self { pattern: by_z, filled, by_z: None, is_plain }
            }
            Some(pattern) => {
                let length = by_z.len();
                let by_z = Some((by_z, Scratch::new(move || vec![0.0; length])));
                Self { pattern, filled, by_z, is_plain: false }
            }
        }
    }

    /// The places of the elements, if they fill nothing else.
    pub(in crate::binding) fn plain(&self) -> Option<&[Placed]> {
        self.is_plain.then_some(&self.filled.families)
    }

    /// Prepares a matrix for adding.
    pub(in crate::binding) fn clear(&self, matrix: &mut [f64]) {
        self.filled.clear(matrix);
    }

    /// Writes the second derivatives over `matrix`, and adds the gradient.
    pub(in crate::binding) fn write(
        &self,
        function: Function<'_>,
        (x, now): (&[&[f64]], &Now<'_>),
        gradient: &mut [f64],
        matrix: &mut [f64],
    ) {
        match self.by_z {
            None => self.filled.clear(matrix),
            Some(_) => matrix.fill(0.0),
        }
        self.add(function, (x, now), gradient, matrix);
    }

    /// Adds the second derivatives to `matrix`, and the gradient.
    pub(in crate::binding) fn add(
        &self,
        Function { space, stages, terms }: Function<'_>,
        (x, now): (&[&[f64]], &Now<'_>),
        gradient: &mut [f64],
        matrix: &mut [f64],
    ) {
        let Some((by_z, memory)) = &self.by_z else {
            return stages.at(x, now, |z| {
                self.filled.add(terms, At::new(z, now), Weights::Ones, gradient, matrix);
            });
        };
        memory.with(|values| {
            self.filled.clear(values);
            let inside = |z: &[f64], w: &mut [f64]| {
                self.filled.add(terms, At::new(z, now), Weights::Ones, w, values);
                values
            };
            stages.weighed((x, now), gradient, inside, &mut carry_gradients, |z, w, values| {
                self.add_through((space, (by_z, values)), (z, w), now, matrix);
            });
        });
    }

    /// Writes the second derivatives of Σ w f of rows f over `matrix`; `slopes` adds Σ w ∇f by z.
    pub(in crate::binding) fn write_weighted(
        &self,
        (Function { space, stages, terms }, weights): (Function<'_>, &[f64]),
        (x, now): (&[&[f64]], &Now<'_>),
        slopes: impl FnOnce(&[f64], &mut [f64]),
        matrix: &mut [f64],
    ) {
        let add = |z: &[f64], values: &mut [f64]| {
            self.filled.add(terms, At::new(z, now), Weights::Of(weights), &mut [], values);
        };
        let Some((by_z, memory)) = &self.by_z else {
            self.filled.clear(matrix);
            return stages.at(x, now, |z| add(z, matrix));
        };
        matrix.fill(0.0);
        memory.with(|values| {
            self.filled.clear(values);
            let inside = |z: &[f64], w: &mut [f64]| {
                add(z, values);
                slopes(z, w);
                values
            };
            stages.weighed((x, now), &mut [], inside, &mut carry_gradients, |z, w, values| {
                self.add_through((space, (by_z, values)), (z, w), now, matrix);
            });
        });
    }

    /// Adds second derivatives by x, from second derivatives by z and the weights of the sums.
    fn add_through(
        &self,
        (space, by_z): (&Space, (&SymmetricPattern, &[f64])),
        (z, weights): (&[f64], &[f64]),
        now: &Now<'_>,
        matrix: &mut [f64],
    ) {
        // If they were refused, there is no pattern.
        let (Ok(slopes), Ok(weighed)) = (space.slopes(), space.weighed()) else { return };
        slopes.with(&space.stages, z, now, |of_sums| {
            slopes.add_second(by_z, of_sums, (&self.pattern, &mut *matrix));
            weighed.with(&space.stages, (z, weights), now, |values| {
                slopes.add_second((&weighed.pattern, values), of_sums, (&self.pattern, &mut *matrix));
            });
        });
    }
}

/// Adds the gradients of the elements of a stage.
pub(in crate::binding) fn carry_gradients(
    terms: Terms<'_>,
    at: At<'_>,
    weights: Weights<'_>,
    vector: &mut [f64],
) {
    terms.add(Operation::Gradient, at, weights, vector);
}

/// The positions before `end` outside of `ranges`; ranges shorter than `GAP` between them are included.
pub fn rest(mut ranges: Vec<Range<usize>>, end: usize) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut rest: Vec<Range<usize>> = Vec::new();
    let mut from = 0;
    for range in ranges.into_iter().chain(std::iter::once(end..end)) {
        if from < range.start {
            match rest.last_mut() {
                Some(last) if from - last.end < GAP => last.end = range.start,
                _ => rest.push(from..range.start),
            }
        }
        from = from.max(range.end);
    }
    rest
}
