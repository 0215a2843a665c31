//! The rule that ends every iteration of Newton's method at rounding.
//!
//! # The rule
//! An iterate x is a solution if the size of its residual is at most a few times the change of that size
//! by rounding, however small the tolerance is.
//!
//! # Why it holds
//! A program computes R̂ = R + ρ, where ρ is the rounding of all operations from x to the residual. When
//! R̂ is as small as ρ, no step improves the iterate: the correction −J⁻¹ R̂ with the derivative J is
//! −J⁻¹ ρ, which points anywhere. Neither R̂ nor derivatives tell the size of ρ: terms of any size may
//! have cancelled, as in p = eᵀ(ṡ e + s ė) with the unit vector e(t), or in sums of sums. But ρ differs
//! at every x, while R is smooth: the second difference
//!
//! ```text
//! R̂(x + δ) − 2 R̂(x) + R̂(x − δ) = ρ₊ − 2 ρ + ρ₋ + O(δ²)
//! ```
//!
//! contains ρ alone, without a derivative, if δ² is below rounding. A short δ may leave the bits of
//! large terms unchanged and so hide their rounding: δ grows from few to thousands of roundings of x and
//! of the place b + w x. The change of R̂ by one rounding of x is added, since x itself is no more
//! accurate.
//!
//! Far from the solution R̂ is larger than both: there the rule accepts nothing.

use super::{NewtonEquations, Unknown, norm};
use crate::method::report::Evaluations;

/// Residuals R(x) with a size.
pub(in crate::method) trait Measured {
    /// The unknown x.
    fn unknown(&self) -> Unknown<'_>;

    /// Writes R(x) over `residual`.
    fn evaluate(&mut self, x: &[f64], residual: &mut [f64]);

    /// The size of a residual, which it may overwrite.
    fn size(&mut self, residual: &mut [f64]) -> f64;
}

/// A residual is rounding up to this many times a change by rounding.
const ROUNDING: f64 = 16.0;

/// The shifts of x, in roundings; the square of the last is far below rounding.
const ASIDE: [f64; 4] = [4.0, 32.0, 256.0, 4096.0];

/// Equations that measure a residual by its correction.
pub(super) struct Corrected<'e, E> {
    pub(super) equations: &'e mut E,
    pub(super) counts: &'e mut Evaluations,
}

impl<E: NewtonEquations> Measured for Corrected<'_, E> {
    fn unknown(&self) -> Unknown<'_> {
        self.equations.unknown()
    }

    fn evaluate(&mut self, x: &[f64], residual: &mut [f64]) {
        self.equations.evaluate(x, residual, self.counts);
    }

    fn size(&mut self, residual: &mut [f64]) -> f64 {
        self.equations.solve(residual);
        norm(residual)
    }
}

/// Memory for the rounding of residuals.
#[derive(Debug, Default)]
pub(in crate::method) struct Rounding {
    place: Vec<f64>,
    here: Vec<f64>,
    ahead: Vec<f64>,
    behind: Vec<f64>,
}

impl Rounding {
    /// For this many unknowns and equations.
    pub(in crate::method) fn new(unknowns: usize, equations: usize) -> Self {
        let [here, ahead, behind] = std::array::from_fn(|_| vec![0.0; equations]);
        Self { place: vec![0.0; unknowns], here, ahead, behind }
    }

    /// True if `size`, of the residual at x, is rounding.
    #[cold]
    pub(in crate::method) fn explains(
        &mut self,
        size: f64,
        equations: &mut impl Measured,
        x: &[f64],
    ) -> bool {
        let Self { place, here, ahead, behind } = self;
        equations.evaluate(x, here);
        (1..).zip(ASIDE).any(|(number, times)| {
            let part = times * f64::EPSILON;
            for (side, values) in [(part, &mut *ahead), (-part, &mut *behind)] {
                equations.unknown().aside(side, number, x, place);
                equations.evaluate(place, values);
            }
            for ((ahead, behind), here) in ahead.iter_mut().zip(&mut *behind).zip(&*here) {
                let (forward, backward) = (*ahead - here, *behind - here);
                (*ahead, *behind) = (forward + backward, 0.5 * (forward - backward) / times);
            }
            size <= ROUNDING * (equations.size(ahead) + equations.size(behind))
        })
    }
}

impl Unknown<'_> {
    /// Writes over `place` an x shifted by this part of x and of b + w x, with the `number`th signs.
    pub(in crate::method) fn aside(&self, part: f64, number: u64, x: &[f64], place: &mut [f64]) {
        for (((j, place), x), sign) in place.iter_mut().enumerate().zip(x).zip(signs(number)) {
            let size = x.abs() + self.base.get(j).map_or(0.0, |base| (base / self.weight).abs());
            *place = x + part * size.copysign(sign);
        }
    }
}

/// The `number`th row of pseudorandom signs: the generator of D. E. Knuth's MMIX.
pub(in crate::method) fn signs(number: u64) -> impl Iterator<Item = f64> {
    let mut bits = number;
    std::iter::repeat_with(move || {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        bits as i64 as f64
    })
}
