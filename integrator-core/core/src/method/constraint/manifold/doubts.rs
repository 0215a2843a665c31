//! The rare judgements of a position stage: rounding and noise, jumps, and other branches.

use super::{Ahead, Doubts, Form, Manifold, Span};
use crate::binding::threads::first_not_finite;
use crate::method::constraint::judgement::{FLOOR, Judgement, Verdict};
use crate::method::constraint::leap::{FAR, Leap, beyond_motion, jump};
use crate::method::constraint::natural_size::{Excess, START_TOLERANCE};
use crate::method::constraint::vectors::largest_product;
use crate::method::force_error::{Attempt, ForceError};
use crate::method::newton::{Measured, Unknown};
use crate::system::Constrained;

/// Up to this residual, relative to natural sizes, a step may leave a singular position; up to this part
/// of the positions, a motion is none.
const ASIDE: f64 = 1e-5;
const WEAK: f64 = 1e-10;

impl<S: Constrained + ?Sized> Manifold<'_, S> {
    /// True if a residual that is not accepted is rounding or noise: once it stops falling, up to the
    /// rounding of g nearby, and where rows depend on each other, or at the end of a failing iteration.
    #[cold]
    pub(super) fn is_noise(
        &mut self,
        form: &mut impl Form<S>,
        (of_rows, stopped): (f64, bool),
        (verdict, judgement): (Verdict, &Judgement),
        (q, t): (&[f64], f64),
    ) -> bool {
        let tolerance = judgement.tolerance;
        if stopped
            && (of_rows <= tolerance || self.is_rounding(of_rows, q, t))
            && form.is_rounding(&self.foot, tolerance)
        {
            return true;
        }
        if !(verdict == Verdict::Exhausted || (stopped && self.foot.is_soft())) {
            return false;
        }
        self.look(q, t);
        let impulse = std::mem::take(&mut self.impulse);
        let is_noise = self.is_cancelled(q, tolerance, form.multipliers().unwrap_or(&impulse));
        self.impulse = impulse;
        is_noise && form.is_rounding(&self.foot, tolerance)
            || form.multipliers().is_none() && self.is_out_of_reach((of_rows, judgement.is_patient()), q)
    }

    /// True if the residual relative to the natural sizes is rounding, judged by g at positions nearby:
    /// terms that no derivative shows may have cancelled in g, the time above all.
    fn is_rounding(&mut self, residual: f64, q: &[f64], t: f64) -> bool {
        let Self { system, sizes, evaluations, doubts, .. } = self;
        let mut values = Values {
            system: *system,
            t,
            reciprocal_sizes: &sizes.reciprocals,
            count: &mut evaluations.constraints,
        };
        doubts.rounding.explains(residual, &mut values, q)
    }

    /// True if every residual is accepted, or is rounding in coordinates as large as the largest of
    /// their kind or in motions by multipliers that cancel: near a singular position, the rounding of
    /// one row is the residual of another.
    fn is_cancelled(&mut self, q: &[f64], tolerance: f64, multipliers: &[f64]) -> bool {
        let Self { system, foot, ahead: Ahead { values, jacobian, .. }, sizes, .. } = self;
        let (pattern, motion) = (&foot.pattern, &mut foot.motion);
        foot.matrix.magnitudes(&foot.jacobian, multipliers, motion);
        for coordinate in system.layout().coordinates() {
            let range = coordinate.offset..coordinate.offset + coordinate.size();
            let largest = q[range.clone()].iter().fold(0.0_f64, |largest, q| largest.max(q.abs()));
            motion[range].iter_mut().for_each(|size| *size += largest);
        }
        values.iter().zip(&sizes.reciprocals).enumerate().all(|(row, (value, reciprocal))| {
            let terms = pattern.row(row).map(|k| jacobian[k].abs() * motion[pattern.columns()[k] as usize]);
            value.abs() * reciprocal <= tolerance || value.abs() <= FLOOR * terms.sum::<f64>()
        })
    }

    /// True if no multipliers reach the residual of g, as beside a singular position: its correction
    /// hardly moves the positions.
    fn is_out_of_reach(&mut self, residual: (f64, bool), q: &[f64]) -> bool {
        if !self.foot.is_soft() {
            return false;
        }
        let Self { foot, ahead, multipliers, .. } = self;
        foot.motion.fill(0.0);
        foot.matrix.correct(&ahead.values, multipliers, &mut foot.motion);
        is_out_of_reach(residual, 1.0, &foot.motion, q)
    }

    /// The failure at a position or at values of g that are not finite.
    #[cold]
    pub(in crate::method::constraint) fn not_finite(&self, q: &[f64]) -> ForceError {
        ForceError::NotFinite { index: first_not_finite(q).unwrap_or(self.system.dimension()) }
    }

    /// The failure of an iteration that leaves a row above the tolerance, if one is.
    #[cold]
    pub(super) fn not_kept(&self, judgement: &Judgement) -> Option<ForceError> {
        let (unknown, iterations) = ("the multipliers", judgement.iterations);
        let Excess { row, residual, accepted } = self.sizes.worst(&self.ahead.values, judgement.tolerance)?;
        let index = self.system.dimension() + row;
        Some(ForceError::RowNotKept { unknown, iterations, index, residual, accepted })
    }

    /// Refuses an iterate to which a row jumps.
    #[cold]
    pub(super) fn look_for_jumps(&mut self, q: &[f64], Span { q: from, end, .. }: Span<'_>) -> Attempt {
        let Self { system, foot, ahead, sizes, doubts: Doubts { predicted, .. }, evaluations, .. } = self;
        if predicted.is_empty() {
            predicted.extend_from_slice(q);
        }
        let evaluate = |q: &[f64], values: &mut [f64]| {
            evaluations.constraints += 1;
            system.constraint_values(q, end, values);
        };
        let residuals = (&ahead.values[..], &sizes.reciprocals[..]);
        let leap = jump(evaluate, [from, q], residuals, (&mut foot.motion, &mut foot.left));
        leap.map_or(Ok(()), |leap| Err(leap.behind(system.dimension())))
    }

    /// Refuses a solution where a constraint has turned, or that a leap reaches.
    pub(super) fn on_this_branch(&mut self, q: &[f64], span: Span<'_>) -> Attempt {
        let Self { foot, ahead, doubts, system, .. } = self;
        if !foot.pattern.face_forward(&foot.jacobian, &ahead.jacobian) {
            return Err(self.turned());
        }
        let (n, is_near) = (system.dimension(), doubts.predicted.is_empty());
        let leap = if is_near { None } else { self.beyond_motion(q, span) };
        leap.map_or(Ok(()), |leap| Err(leap.behind(n)))
    }

    #[cold]
    fn beyond_motion(&mut self, q: &[f64], Span { q: from, v, h, end }: Span<'_>) -> Option<Leap> {
        let Self { system, foot, sizes, doubts: Doubts { predicted, .. }, .. } = self;
        let mass = system.mass();
        let leap = beyond_motion(system.jacobian_pattern(), |k| {
            let unit = mass.values[mass.pattern.starts()[k]].sqrt();
            let motion = (predicted[k] - from[k]).abs() + (h * v[k]).abs();
            [unit * (q[k] - predicted[k]), unit * motion]
        })?;
        // A row that moves by itself, as a pivot does from rest, takes its coordinates along.
        system.constraint_values(from, end, &mut foot.left);
        (foot.left[leap.row].abs() * sizes.reciprocals[leap.row] <= 0.1 * FAR).then_some(leap)
    }

    /// The failure of the first constraint that turns by a right angle or more since the foot.
    #[cold]
    fn turned(&self) -> ForceError {
        let (pattern, foot, iterate) = (&self.foot.pattern, &self.foot.jacobian, &self.ahead.jacobian);
        let product = |a: &[f64], b: &[f64], row: usize| -> f64 {
            pattern.row(row).map(|place| a[place] * b[place]).sum()
        };
        // NaN counts as turned.
        let forward = |row: usize| product(foot, iterate, row) > 0.0;
        let row = (0..pattern.height()).position(|row| !forward(row)).unwrap_or(0);
        let norms = [foot, iterate].map(|values| product(values, values, row).sqrt());
        let cosine = product(foot, iterate, row) / (norms[0] * norms[1]);
        ForceError::Turned { index: self.system.dimension() + row, cosine }
    }
}

/// g(q, t), measured by its largest entry relative to the natural sizes.
struct Values<'m, S: ?Sized> {
    system: &'m S,
    t: f64,
    reciprocal_sizes: &'m [f64],
    count: &'m mut u64,
}

impl<S: Constrained + ?Sized> Measured for Values<'_, S> {
    fn unknown(&self) -> Unknown<'_> {
        Unknown { name: "the new positions", base: &[], weight: 1.0 }
    }

    fn evaluate(&mut self, q: &[f64], residual: &mut [f64]) {
        *self.count += 1;
        self.system.constraint_values(q, self.t, residual);
    }

    fn size(&mut self, residual: &mut [f64]) -> f64 {
        largest_product(residual, self.reciprocal_sizes)
    }
}

/// True if a residual is small, and `factor` times the motion that should remove it is nothing beside q.
///
/// Rows may hold a motion by its square alone, as all distances hold a straight molecule: after patient
/// iterations they may keep the square of a motion that only many iterations would take back.
pub(in crate::method::constraint) fn is_out_of_reach(
    (residual, patient): (f64, bool),
    factor: f64,
    motion: &[f64],
    q: &[f64],
) -> bool {
    let largest = |values: &[f64]| values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let part = factor.abs() * largest(motion) / largest(q);
    residual <= ASIDE && part <= WEAK || !patient && residual <= START_TOLERANCE && part <= residual.sqrt()
}
