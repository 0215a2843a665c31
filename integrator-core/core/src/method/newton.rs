use super::check::first_not_finite;
use super::force_error::ForceError;
use super::report::Evaluations;
use crate::error::StartError;

/// The conditions under which Newton's method stops.
#[derive(Debug, Clone, Copy)]
pub(super) struct Newton {
    /// The last correction beside the largest position.
    pub(super) tolerance: f64,
    /// The most corrections in one solution.
    pub(super) iterations: u32,
}

impl Newton {
    /// The conditions that the options of a method state.
    ///
    /// # Errors
    /// Options that no iteration can meet.
    pub(super) fn of(method: &'static str, tolerance: f64, iterations: u32) -> Result<Self, StartError> {
        Self { tolerance, iterations }.check(method)
    }

    /// Refuses options that no iteration can meet.
    pub(super) fn check(self, method: &'static str) -> Result<Self, StartError> {
        if !(self.tolerance > 0.0 && self.tolerance <= 1e-3) {
            let (option, value, interval) = ("tolerance", self.tolerance, "(0, 0.001]");
            return Err(StartError::OptionOutOfRange { method, option, value, interval });
        }
        if self.iterations == 0 {
            let (option, value, interval) = ("iterations", 0.0, "[1, 4294967295]");
            return Err(StartError::OptionOutOfRange { method, option, value, interval });
        }
        Ok(self)
    }
}

/// The unknown x of the equations of a step, which moves positions to b + w x.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unknown<'b> {
    /// The name of what is sought, for messages.
    pub(super) name: &'static str,
    /// b, or nothing where x stands for itself.
    pub(super) base: &'b [f64],
    /// w, which is not zero.
    pub(super) weight: f64,
}

/// The effect of a correction of x.
#[derive(Debug, Clone, Copy)]
pub(super) struct Move {
    /// The index of the position that it moves most.
    pub(super) index: usize,
    /// The length of that move, and the length that would be accepted.
    pub(super) length: f64,
    pub(super) accepted: f64,
}

impl Unknown<'_> {
    /// The effect of a correction at x, where moves of the part `tolerance` of the largest position are accepted.
    pub(super) fn measure(&self, x: &[f64], correction: &[f64], tolerance: f64) -> Move {
        let (mut index, mut length, mut largest) = (0, 0.0_f64, 0.0_f64);
        for (j, (correction, x)) in correction.iter().zip(x).enumerate() {
            let change = (self.weight * correction).abs();
            if change > length || change.is_nan() {
                (index, length) = (j, change);
            }
            largest = largest.max((self.weight * x).abs());
        }
        largest = self.base.iter().fold(largest, |largest, base| largest.max(base.abs()));
        Move { index, length, accepted: tolerance * largest }
    }

    /// The error of an iteration that ends with this correction.
    #[cold]
    pub(super) fn not_converged(
        &self,
        iterations: u32,
        Move { index, length, accepted }: Move,
    ) -> ForceError {
        let (unknown, correction, tolerance) = (self.name, length, accepted);
        ForceError::NotConverged { unknown, iterations, correction, index, tolerance }
    }

    /// Writes over `shaken` an x that differs from this one by what rounding makes of it and of b + w x, the `number`th of many.
    pub(super) fn shake(&self, number: u64, x: &[f64], shaken: &mut [f64]) {
        self.shake_by(f64::EPSILON, number, x, shaken);
    }

    /// The same by this part of x and of b + w x.
    fn shake_by(&self, part: f64, number: u64, x: &[f64], shaken: &mut [f64]) {
        for (((j, shaken), x), sign) in shaken.iter_mut().enumerate().zip(x).zip(signs(number)) {
            let size = x.abs() + self.base.get(j).map_or(0.0, |base| (base / self.weight).abs());
            *shaken = x + (part * size).copysign(sign);
        }
    }
}

/// Signs that look random and are always the same, the `number`th row of many: the generator of D. E. Knuth's MMIX.
pub(super) fn signs(number: u64) -> impl Iterator<Item = f64> {
    let mut bits = number;
    std::iter::repeat_with(move || {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        bits as i64 as f64
    })
}

/// Equations R(x) = 0 with a matrix of derivatives.
pub(super) trait Equations {
    /// The unknown x.
    fn unknown(&self) -> Unknown<'_>;

    /// R(x), written over `residual`.
    fn evaluate(&mut self, x: &[f64], residual: &mut [f64], counts: &mut Evaluations);

    /// r ← J⁻¹ r, with the matrix J that was factored last; not a number where that fails.
    fn solve(&mut self, r: &mut [f64]);
}

/// Equations whose matrix is the exact derivative, factored as it is.
pub(super) trait Differentiable: Equations {
    /// R(x), written over `residual`, and the factors of its derivative at x.
    ///
    /// # Errors
    /// The residual is not finite, or the matrix has no factors.
    fn linearize(
        &mut self,
        x: &[f64],
        residual: &mut [f64],
        counts: &mut Evaluations,
    ) -> Result<(), ForceError>;
}

/// Factors the derivative of the equations of a first step at a guess: a sparse factorization takes its memory when it is first done, which is
/// to be before.
///
/// # Errors
/// Those of [`Differentiable::linearize`], which the first step meets too, unless it begins elsewhere.
pub(super) fn rehearse(equations: &mut impl Differentiable, guess: &[f64]) -> Result<(), ForceError> {
    equations.linearize(guess, &mut vec![0.0; guess.len()], &mut Evaluations::default())
}

/// A correction that gains less than this factor gets a fresh matrix.
pub(super) const SLOW: f64 = 0.1;
/// Corrections are not shortened beyond this.
const SHORTEST: f64 = 1.0 / 1024.0;
/// The residuals nearby that tell how large rounding errors are.
pub(super) const PROBES: u64 = 4;
/// A correction that is not longer than so many times the largest change of it by rounding is one by rounding.
pub(super) const ROUNDING: f64 = 16.0;

/// By how many times the rounding of x places are moved apart, until residuals differ.
const SHAKEN: [f64; 4] = [1.0, 2.0, 4.0, 8.0];

/// The memory in which the rounding errors of residuals are measured.
///
/// How large they are cannot be read from a residual, nor from its derivatives: terms of any size may have cancelled on the way to it,
/// as in p = eᵀ(ṡ e + s ė) with the unit vector e(t).  But they are other ones at every x, so that residuals at places that differ by
/// rounding alone differ by them.  A residual that is the same there is rounded more coarsely than x, as that of p = M v with a mass that
/// adds many terms; then the places are moved apart until it differs.
#[derive(Debug)]
pub(super) struct Rounding {
    shaken: Vec<f64>,
    change: Vec<f64>,
}

impl Rounding {
    pub(super) fn new(dimension: usize) -> Self {
        Self { shaken: vec![0.0; dimension], change: vec![0.0; dimension] }
    }

    /// True if the correction J⁻¹ R at x, of this length, is no longer than rounding errors make it.
    pub(super) fn explains(
        &mut self,
        length: f64,
        equations: &mut impl Equations,
        (x, residual): (&[f64], &[f64]),
        counts: &mut Evaluations,
    ) -> bool {
        (1..=PROBES).any(|number| {
            for times in SHAKEN {
                equations.unknown().shake_by(times * f64::EPSILON, number, x, &mut self.shaken);
                equations.evaluate(&self.shaken, &mut self.change, counts);
                self.change.iter_mut().zip(residual).for_each(|(change, residual)| *change -= residual);
                if self.change.iter().any(|change| *change != 0.0) {
                    break;
                }
            }
            equations.solve(&mut self.change);
            length <= ROUNDING * norm(&self.change)
        })
    }
}

/// Newton's method with the exact derivative, kept as long as corrections fall by ten each, and with corrections that are shortened where
/// they lead too far.
///
/// A correction is accepted when the one that follows it with the same matrix is shorter (the natural monotonicity test, which does
/// not depend on the scales of the equations).  Done when a correction moves no position by more than the tolerance, or when the
/// corrections have ceased to fall and are no longer than [rounding](Rounding) makes them.
///
/// # Reference
/// P. Deuflhard, Newton Methods for Nonlinear Problems (2004), sections 3.1 and 3.3, doi:10.1007/978-3-642-23899-4.
#[derive(Debug)]
pub(super) struct Damped {
    newton: Newton,
    residual: Vec<f64>,
    correction: Vec<f64>,
    following: Vec<f64>,
    trial: Vec<f64>,
    rounding: Rounding,
}

/// The result of one correction.
enum Progress {
    /// The following correction is shorter by this factor.
    By(f64),
    Rounding,
    None,
}

impl Damped {
    pub(super) fn new(dimension: usize, newton: Newton) -> Self {
        let zeros = || vec![0.0; dimension];
        Self {
            newton,
            residual: zeros(),
            correction: zeros(),
            following: zeros(),
            trial: zeros(),
            rounding: Rounding::new(dimension),
        }
    }

    /// Replaces the guess `x` by the solution.
    pub(super) fn solve(
        &mut self,
        equations: &mut impl Differentiable,
        x: &mut [f64],
        counts: &mut Evaluations,
    ) -> Result<(), ForceError> {
        let Newton { tolerance, iterations: most } = self.newton;
        let mut iterations = 0;
        loop {
            equations.linearize(x, &mut self.residual, counts)?;
            negate(&self.residual, &mut self.correction);
            equations.solve(&mut self.correction);
            let (mut fresh, mut fast) = (true, true);
            while fast {
                let moved = equations.unknown().measure(x, &self.correction, tolerance);
                if moved.length <= moved.accepted {
                    x.iter_mut().zip(&self.correction).for_each(|(x, correction)| *x += correction);
                    return Ok(());
                }
                if iterations == most {
                    return Err(equations.unknown().not_converged(iterations, moved));
                }
                iterations += 1;
                counts.iterations += 1;
                match self.advance(equations, x, fresh, counts) {
                    Progress::By(ratio) => fast = ratio <= SLOW,
                    Progress::Rounding => return Ok(()),
                    Progress::None if fresh => {
                        return Err(equations.unknown().not_converged(iterations, moved));
                    }
                    Progress::None => fast = false,
                }
                fresh = false;
            }
        }
    }

    /// Moves x along the correction, shortened as far as needed if the matrix is `fresh`, and puts the following one in its place.
    fn advance(
        &mut self,
        equations: &mut impl Equations,
        x: &mut [f64],
        fresh: bool,
        counts: &mut Evaluations,
    ) -> Progress {
        let size = norm(&self.correction);
        let shortest = if fresh { SHORTEST } else { 1.0 };
        let mut damping = 1.0;
        while damping >= shortest {
            for ((trial, x), correction) in self.trial.iter_mut().zip(&*x).zip(&self.correction) {
                *trial = x + damping * correction;
            }
            equations.evaluate(&self.trial, &mut self.residual, counts);
            if first_not_finite(&self.residual).is_none() {
                negate(&self.residual, &mut self.following);
                equations.solve(&mut self.following);
                let length = norm(&self.following);
                if length / size <= 1.0 - 0.5 * damping {
                    x.copy_from_slice(&self.trial);
                    std::mem::swap(&mut self.correction, &mut self.following);
                    return Progress::By(length / size);
                }
                let here = (&self.trial[..], &self.residual[..]);
                if damping >= 1.0 && self.rounding.explains(length, equations, here, counts) {
                    x.copy_from_slice(&self.trial);
                    return Progress::Rounding;
                }
            }
            damping *= 0.5;
        }
        Progress::None
    }
}

/// y ← −x.
pub(super) fn negate(x: &[f64], y: &mut [f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y = -x);
}

/// |x|.
pub(super) fn norm(x: &[f64]) -> f64 {
    x.iter().map(|entry| entry * entry).sum::<f64>().sqrt()
}
