//! The straight code of a model on the numbers of several members, one in each lane.

use super::instant::Instant;
use super::straight::{Answer, CURVATURE, GRADIENT, Question, Sizes, VALUE, Visit};
use crate::lanes::Registers;
use crate::lanes::form::{NumberForm, Together};
use crate::system::{Evaluation, LaneCode, Wanted};
use pulp::{Simd, WithSimd};
use std::any::Any;
use std::marker::PhantomData;

/// A model that shows its elements.
pub(super) trait Shown: 'static {
    /// Zero for a model that does not.
    const SIZES: Sizes;
    fn show_terms(visit: &mut impl Visit);
    fn show_rows(visit: &mut impl Visit);
}

/// The code of a model.
struct Code<M>(PhantomData<fn() -> M>);

/// The `&'static dyn LaneCode<S>` of a model for these registers.
pub(super) fn code<M: Shown>(registers: Registers) -> Box<dyn Any> {
    registers.run(Code::<M>(PhantomData))
}

impl<M: Shown> WithSimd for Code<M> {
    type Output = Box<dyn Any>;

    fn with_simd<S: Simd>(self, _: S) -> Box<dyn Any> {
        Box::new(&Self(PhantomData) as &'static dyn LaneCode<S>)
    }
}

impl<M: Shown, S: Simd> LaneCode<S> for Code<M> {
    fn evaluate(&self, simd: S, wanted: Wanted, evaluation: &mut Evaluation<'_, S>) {
        let model = PhantomData::<fn() -> M>;
        match wanted {
            Wanted::Gradient => simd.vectorize(Asked::<_, _, GRADIENT, false> { simd, model, evaluation }),
            Wanted::Values => simd.vectorize(Asked::<_, _, VALUE, true> { simd, model, evaluation }),
            Wanted::Jacobian => simd.vectorize(Asked::<_, _, GRADIENT, true> { simd, model, evaluation }),
            Wanted::Curvature => simd.vectorize(Asked::<_, _, CURVATURE, true> { simd, model, evaluation }),
        }
    }
}

/// A question about V, or about the rows of g.
struct Asked<'a, 'e, M, S: Simd, const Q: Question, const OF_ROWS: bool> {
    simd: S,
    model: PhantomData<fn() -> M>,
    evaluation: &'a mut Evaluation<'e, S>,
}

impl<M: Shown, S: Simd, const Q: Question, const OF_ROWS: bool> WithSimd for Asked<'_, '_, M, S, Q, OF_ROWS> {
    type Output = ();

    #[inline(always)]
    fn with_simd<A: Simd>(self, _: A) {
        let (form, Evaluation { coefficients, q, v, places, values, vector }) =
            (Together(self.simd), self.evaluation);
        // Lengths that the compiler knows.
        let Sizes { coordinates: n, rows: m } = M::SIZES;
        let (rows, entries) = if OF_ROWS { (m, if Q == GRADIENT { m * n } else { 0 }) } else { (0, n) };
        let mut answer = Answer::<Q, _> {
            form,
            coefficients,
            places,
            placed: &[],
            x: &q[..n],
            a: &v[..n],
            // The model depends on no time.
            now: Instant::default(),
            weights: &[],
            values: &mut values[..rows],
            vector: &mut vector[..entries],
            matrix: &mut [],
        };
        answer.values.fill(form.splat(0.0));
        answer.vector.fill(form.splat(0.0));
        if OF_ROWS {
            M::show_rows(&mut answer);
        } else {
            M::show_terms(&mut answer);
        }
    }
}
