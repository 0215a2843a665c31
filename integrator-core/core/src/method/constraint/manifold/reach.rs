//! The position of a step: Newton's method for g(q + M⁻¹ Gᵀ x, t) = 0, and its criteria.

use super::Manifold;
use crate::method::constraint::START_TOLERANCE;
use crate::method::constraint::leap::{FAR, Leap, beyond_motion, jump};
use crate::method::constraint::natural_size::worst;
use crate::method::constraint::newton::{Arrival, FLOOR, IterationVerdict, Progress};
use crate::method::constraint::vectors::{largest_product, scale};
use crate::method::force_error::{Attempt, ForceError};
use crate::method::newton::{Measured, Unknown};
use crate::system::Constrained;

/// The foot of a step, its velocity, and the length of the step.
pub(in crate::method::constraint) type Departure<'s> = (&'s [f64], &'s [f64], f64);

/// Up to this residual, relative to natural sizes, a step may leave a singular position; up to this part
/// of the positions, a motion is none.
const ASIDE: f64 = 1e-5;
const WEAK: f64 = 1e-10;

impl<S: Constrained + ?Sized> Manifold<'_, S> {
    /// Solves g(q + M⁻¹ Gᵀ x, t) = 0 for x, with G at the foot, and moves q there; the foot may then
    /// [advance](Self::advance). The step is `from` the foot, with its velocity and length.
    ///
    /// Begins with x = `factor` λ, where λ are the multipliers of an earlier step or zero.
    ///
    /// Newton's method with the matrix of the foot, which differs from its own by O(h); an iteration
    /// that gains less than a factor of ten gets its own matrix G(q) M⁻¹ Gᵀ. A foot without factors gets
    /// none at first: the matrix of the first iterate is nearer to the solution. Far from the manifold
    /// the matrix of the foot is safer, and is tried next. Accepts `|g_c| ≤ tolerance · s_c` for every
    /// c; once the residual stops falling, 64 round-off units instead of the tolerance, or the rounding
    /// of g nearby.
    ///
    /// No constraint may turn by a right angle on the way: its force would push to the wrong side, and
    /// the position would be on another branch of the manifold. Nor may it [leap](Leap).
    pub(crate) fn reach(
        &mut self,
        q: &mut [f64],
        t: f64,
        from: Departure<'_>,
        guess: (f64, &[f64]),
        tolerance: f64,
        most_iterations: u32,
    ) -> Attempt {
        self.begin(from);
        self.settle_if_dependent()?;
        if !self.settled {
            self.matrix.soften(false);
            self.matrix.stand(&self.jacobian);
            self.start.copy_from_slice(q);
            let outcome = self.iterate((q, t), from, guess, &mut Progress::new(tolerance, most_iterations));
            if matches!(outcome, Ok(Arrival::Accepted)) && self.on_this_branch((q, t), from).is_ok() {
                return Ok(());
            }
            q.copy_from_slice(&self.start);
            self.settle_in_step()?;
        }
        let mut progress = Progress::new(tolerance, most_iterations);
        match self.iterate((q, t), from, guess, &mut progress)? {
            Arrival::Accepted => self.on_this_branch((q, t), from),
            Arrival::NotFinite => Err(self.not_finite(q)),
            Arrival::Exhausted => Err(self.not_kept(&progress).unwrap_or_else(|| self.not_finite(q))),
        }
    }

    /// The failure of an iteration that leaves a row above the tolerance, if one is.
    #[cold]
    pub(in crate::method::constraint) fn not_kept(&self, progress: &Progress) -> Option<ForceError> {
        let (unknown, iterations) = ("the multipliers", progress.iterations);
        let (row, residual, accepted) = worst(&self.values, &self.reciprocal_sizes, progress.tolerance())?;
        let index = self.system.dimension() + row;
        Some(ForceError::RowNotKept { unknown, iterations, index, residual, accepted })
    }

    /// Newton's method from q + M⁻¹ Gᵀ x with x = `factor` λ, with the factors of the foot, if any.
    fn iterate(
        &mut self,
        (q, t): (&mut [f64], f64),
        from: Departure<'_>,
        (factor, multipliers): (f64, &[f64]),
        progress: &mut Progress,
    ) -> Attempt<Arrival> {
        scale(factor, multipliers, &mut self.impulse);
        if self.settled && self.is_soft() {
            let mut impulse = std::mem::take(&mut self.impulse);
            self.remove_null(&mut impulse);
            self.impulse = impulse;
        }
        let (m, n) = self.sizes();
        let q = &mut q[..n];
        self.matrix.add_motion(&self.impulse[..m], q);
        // A soft matrix must belong to the iterate: off the manifold the foot's matrix would leave a
        // part of the residual to be divided by δ.
        let mut factored = self.settled && !self.is_soft();
        loop {
            // The end of the iteration needs G, which costs little beside g: evaluate both where this
            // may be the end.
            let last = progress.may_end();
            if last {
                self.look(q, t);
            } else {
                self.evaluations.constraints += 1;
                self.system.constraint_values(q, t, &mut self.values[..m]);
            }
            let residual = largest_product(&self.values[..m], &self.reciprocal_sizes[..m]);
            self.look_for_leaps(residual, (q, t), from)?;
            let stopped = progress.has_stopped(residual);
            let verdict = match progress.judge(residual) {
                IterationVerdict::Slow | IterationVerdict::Ended(Arrival::Exhausted)
                    if stopped && self.is_rounding(residual, q, t) =>
                {
                    IterationVerdict::Ended(Arrival::Accepted)
                }
                verdict @ (IterationVerdict::Slow | IterationVerdict::Ended(Arrival::Exhausted))
                    if self.may_be_noise(verdict, stopped)
                        && (self.is_noise_of_step(q, t, progress.tolerance())
                            || self.is_out_of_reach((residual, progress.is_patient()), q)) =>
                {
                    IterationVerdict::Ended(Arrival::Accepted)
                }
                IterationVerdict::Fast if !factored => IterationVerdict::Slow,
                verdict => verdict,
            };
            if verdict != IterationVerdict::Fast && !last {
                self.look(q, t);
            }
            match verdict {
                IterationVerdict::Ended(arrival) => return Ok(arrival),
                IterationVerdict::Slow => {
                    (factored, self.settled) = (true, false);
                    self.factor_trial().map_err(|zero| self.singular(zero))?;
                }
                IterationVerdict::Fast => {}
            }
            self.matrix.correct(&self.values[..m], &mut self.multipliers[..m], q);
            self.impulse[..m]
                .iter_mut()
                .zip(&self.multipliers)
                .for_each(|(sum, multiplier)| *sum += multiplier);
            self.evaluations.iterations += 1;
            progress.iterations += 1;
        }
    }

    /// True if the residual relative to the natural sizes is rounding, judged by g at positions nearby:
    /// terms that no derivative shows may have cancelled in g, the time above all.
    #[cold]
    pub(in crate::method::constraint) fn is_rounding(&mut self, residual: f64, q: &[f64], t: f64) -> bool {
        let Self { system, reciprocal_sizes, evaluations, rounding, .. } = self;
        let count = &mut evaluations.constraints;
        rounding.explains(residual, &mut Values { system: *system, t, reciprocal_sizes, count }, q)
    }

    /// True if a residual that is not accepted deserves a closer look: at the end of a failing
    /// iteration, and where it stops falling and rows depend on each other.
    pub(in crate::method::constraint) fn may_be_noise(
        &self,
        verdict: IterationVerdict,
        stopped: bool,
    ) -> bool {
        verdict == IterationVerdict::Ended(Arrival::Exhausted) || (stopped && self.is_soft())
    }

    /// True if every residual is accepted, or is rounding in coordinates as large as the largest of
    /// their kind or in motions by multipliers that cancel: near a singular position, the rounding of
    /// one row is the residual of another.
    #[cold]
    pub(in crate::method::constraint) fn is_noise(
        &mut self,
        q: &[f64],
        t: f64,
        tolerance: f64,
        multipliers: &[f64],
    ) -> bool {
        self.look(q, t);
        let Self {
            system, matrix, pattern, jacobian, trial, values, reciprocal_sizes, nearby: sizes, ..
        } = self;
        matrix.magnitudes(jacobian, multipliers, sizes);
        for coordinate in system.layout().coordinates() {
            let range = coordinate.offset..coordinate.offset + coordinate.size();
            let largest = q[range.clone()].iter().fold(0.0_f64, |largest, q| largest.max(q.abs()));
            sizes[range].iter_mut().for_each(|size| *size += largest);
        }
        values.iter().zip(&*reciprocal_sizes).enumerate().all(|(row, (value, reciprocal))| {
            let terms = pattern.row(row).map(|k| trial[k].abs() * sizes[pattern.columns()[k] as usize]);
            value.abs() * reciprocal <= tolerance || value.abs() <= FLOOR * terms.sum::<f64>()
        })
    }

    /// [`Self::is_noise`] with the multipliers of a position stage without kicks by velocities.
    #[cold]
    fn is_noise_of_step(&mut self, q: &[f64], t: f64, tolerance: f64) -> bool {
        let impulse = std::mem::take(&mut self.impulse);
        let is_noise = self.is_noise(q, t, tolerance, &impulse);
        self.impulse = impulse;
        is_noise
    }

    /// True if no multipliers reach the residual of g, as beside a singular position: its correction
    /// hardly moves the positions.
    #[cold]
    fn is_out_of_reach(&mut self, residual: (f64, bool), q: &[f64]) -> bool {
        if !self.is_soft() {
            return false;
        }
        let mut motion = std::mem::take(&mut self.nearby);
        motion.fill(0.0);
        self.matrix.correct(&self.values, &mut self.multipliers, &mut motion);
        let is_out_of_reach = is_out_of_reach(residual, 1.0, &motion, q);
        self.nearby = motion;
        is_out_of_reach
    }

    /// Measures the rows for a position stage.
    pub(in crate::method::constraint) fn begin(&mut self, (q, v, h): Departure<'_>) {
        self.measure(q, v, h);
        self.predicted.clear();
    }

    /// Refuses an iterate to which a row jumps, if its residual is far from zero.
    #[inline]
    pub(in crate::method::constraint) fn look_for_leaps(
        &mut self,
        residual: f64,
        (q, t): (&[f64], f64),
        from: Departure<'_>,
    ) -> Attempt {
        if residual > FAR { self.jumped(q, t, from) } else { Ok(()) }
    }

    #[cold]
    fn jumped(&mut self, q: &[f64], t: f64, (foot, ..): Departure<'_>) -> Attempt {
        let Self { system, values, reciprocal_sizes, nearby, left, predicted, evaluations, .. } = self;
        if predicted.is_empty() {
            predicted.extend_from_slice(q);
        }
        let evaluate = |q: &[f64], values: &mut [f64]| {
            evaluations.constraints += 1;
            system.constraint_values(q, t, values);
        };
        let leap = jump(evaluate, [foot, q], (values, reciprocal_sizes), (nearby, left));
        leap.map_or(Ok(()), |leap| Err(leap.behind(system.dimension())))
    }

    /// Refuses a solution where a constraint has turned, or that a leap reaches.
    pub(in crate::method::constraint) fn on_this_branch(
        &mut self,
        (q, t): (&[f64], f64),
        from: Departure<'_>,
    ) -> Attempt {
        if let Some((row, cosine)) = self.turned() {
            return Err(ForceError::Turned { index: self.system.dimension() + row, cosine });
        }
        let leap = if self.predicted.is_empty() { None } else { self.beyond_motion(q, t, from) };
        leap.map_or(Ok(()), |leap| Err(leap.behind(self.system.dimension())))
    }

    #[cold]
    fn beyond_motion(&mut self, q: &[f64], t: f64, (foot, v, h): Departure<'_>) -> Option<Leap> {
        let Self { system, predicted, left, reciprocal_sizes, .. } = self;
        let mass = system.mass();
        let leap = beyond_motion(system.jacobian_pattern(), |k| {
            let unit = mass.values[mass.pattern.starts()[k]].sqrt();
            let motion = (predicted[k] - foot[k]).abs() + (h * v[k]).abs();
            [unit * (q[k] - predicted[k]), unit * motion]
        })?;
        // A row that moves by itself, as a pivot does from rest, takes its coordinates along.
        system.constraint_values(foot, t, left);
        (left[leap.row].abs() * reciprocal_sizes[leap.row] <= 0.1 * FAR).then_some(leap)
    }

    /// The first constraint that turns by a right angle or more since the foot, with the cosine.
    fn turned(&self) -> Option<(usize, f64)> {
        let (pattern, foot, iterate) = (&self.pattern, &self.jacobian, &self.trial);
        if pattern.face_forward(foot, iterate) {
            return None;
        }
        let product = |a: &[f64], b: &[f64], row: usize| -> f64 {
            pattern.row(row).map(|place| a[place] * b[place]).sum()
        };
        // NaN counts as turned.
        let forward = |row: usize| product(foot, iterate, row) > 0.0;
        let row = (0..pattern.height()).position(|row| !forward(row)).unwrap_or(0);
        let norms = [foot, iterate].map(|values| product(values, values, row).sqrt());
        Some((row, product(foot, iterate, row) / (norms[0] * norms[1])))
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
