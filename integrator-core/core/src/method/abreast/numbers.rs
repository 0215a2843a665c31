//! The numbers of members in lanes, and the code of their model.

use crate::lanes::{Exact, Real};
use crate::method::scheme::Scheme;
use crate::system::{Evaluation, LaneCode, Wanted};
use pulp::Simd;

/// The positions, velocities and accelerations −M⁻¹ ∇V of all members.
pub(super) struct Point<S: Simd> {
    pub(super) q: Vec<Exact<S>>,
    pub(super) v: Vec<Exact<S>>,
    pub(super) a: Vec<Exact<S>>,
}

/// The numbers of all members, with the code of their model.
pub(super) struct System<S: Simd> {
    pub(super) simd: S,
    pub(super) code: &'static dyn LaneCode<S>,
    pub(super) terms: Vec<Exact<S>>,
    /// 1/M_ii.
    pub(super) reciprocals: Vec<Exact<S>>,
}

/// A register for each number of the members, from slices of equal length; `None` from others.
pub(super) fn registers<'f, S: Simd>(
    simd: S,
    members: &[Scheme<'f>],
    numbers: impl Fn(&Scheme<'f>) -> &'f [f64],
) -> Option<Vec<Exact<S>>> {
    let all: Vec<&[f64]> = members.iter().map(numbers).collect();
    let first = all.first()?;
    // Lanes without a member repeat the first one.
    let of = |k: usize| Exact::each(simd, |lane| all.get(lane).unwrap_or(first)[k]);
    all.iter().all(|own| own.len() == first.len()).then(|| (0..first.len()).map(of).collect())
}

impl<S: Simd> System<S> {
    #[inline(always)]
    pub(super) fn evaluate(&self, wanted: Wanted, mut evaluation: Evaluation<'_, S>) {
        self.code.evaluate(self.simd, wanted, &mut evaluation);
    }

    /// a ← −M⁻¹ ∇V(q)
    #[inline(always)]
    pub(super) fn accelerate(&self, q: &[Exact<S>], a: &mut [Exact<S>]) {
        let coefficients = &self.terms;
        self.evaluate(
            Wanted::Gradient,
            Evaluation { coefficients, q, v: q, places: &[], values: &mut [], vector: &mut *a },
        );
        for (a, reciprocal) in a.iter_mut().zip(&self.reciprocals) {
            *a = -*a * *reciprocal;
        }
    }
}

/// A bit for each lane with finite numbers.
#[inline(always)]
pub(super) fn finite<S: Simd>(numbers: &[Exact<S>]) -> u8 {
    let Some(first) = numbers.first() else { return u8::MAX };
    let infinity = first.number(f64::INFINITY);
    let mut all = infinity.le(infinity);
    for number in numbers {
        all = Exact::<S>::both(all, number.abs().lt(infinity));
    }
    all.bits()
}
