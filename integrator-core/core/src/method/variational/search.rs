//! The position stage: the search for the solution of its equations.

use super::parts::{Foot, HeldEquations};
use super::position::{Position, StepSpan};
use super::saddle::{length, length_of_given};
use crate::binding::threads::first_not_finite;
use crate::method::constraint::{Excess, START_TOLERANCE};
use crate::method::force_error::{Attempt, ForceError, check_finite};
use crate::method::newton::{Measured, Newton, SLOW, Unknown};
use crate::system::{Lagrangian, State};

/// The strongest shortening of a correction.
const SHORTEST: f64 = 1.0 / 1024.0;
/// A correction is the last one if it is at most this part of the tolerance, or if the next one should
/// be at most the second part: the corrections left out have one sign in all steps and add up.
const LITTLE: f64 = 0.1;
const NOTHING: f64 = 0.02;
/// Corrections of this many rounding errors of positions may be rounding.
const ROUNDINGS: f64 = 4.0;
/// A row holds up to this many rounding errors of its natural size.
const FLOOR: f64 = 64.0 * f64::EPSILON;
/// A motion is accurate enough if rows that hardly hold it change it by at most this part.
const WEAK: f64 = 1e-10;
/// After this many corrections an iterate is accepted if its residual is rounding, whatever its next
/// correction: at a singular position two branches of the manifold meet, and rounding moves it between
/// them.
const PATIENCE: u32 = 8;
const UNKNOWN: &str = "the new positions";

/// The result of the position stage: u, and p̂.
pub(super) struct PositionStage<'p> {
    pub(super) u: &'p [f64],
    pub(super) momentum: &'p [f64],
}

enum SearchProgress {
    /// The next correction is shorter by this factor.
    By(f64),
    /// The iterate is the solution.
    Done,
    None,
}

/// The search for the positions of a step.
///
/// Newton's method begins with the saddle matrix of the state, which differs from its own by O(h). Once
/// it gains less than a factor of ten it continues with [K B₀ᵀ; C −δ] of its iterate; it begins with
/// this matrix if it is small.
struct PositionSearch<'p, 's, S: ?Sized> {
    own: &'p mut Position,
    parts: &'p mut HeldEquations<'s, S>,
    foot: &'p Foot,
    step: StepSpan<'p>,
    /// True if the matrix belongs to the iterate.
    fresh: bool,
}

impl Position {
    /// Factors once, so that no step allocates for it.
    pub(super) fn reserve<S: Lagrangian + ?Sized>(
        &mut self,
        parts: &mut HeldEquations<'_, S>,
        foot: &Foot,
        state: &State,
    ) {
        self.x[..state.q.len()].copy_from_slice(&state.v);
        // The step that needs the factors reports a failure.
        let _ = self.linearize(parts, foot, StepSpan { state, size: 0.0, end: state.t });
    }

    /// Solves the stage for a step of size h to the time of `next`, and writes the positions of `next`.
    pub(super) fn solve<S: Lagrangian + ?Sized>(
        &mut self,
        parts: &mut HeldEquations<'_, S>,
        foot: &Foot,
        (state, h): (&State, f64),
        next: &mut State,
    ) -> Result<PositionStage<'_>, ForceError> {
        let n = state.q.len();
        // u = v + ½ h a, λ⁺ = λ.
        let (u, y) = self.x.split_at_mut(n);
        u.copy_from_slice(&state.v);
        y.fill(0.0);
        if foot.solved {
            let known = self.x.iter_mut().zip(&foot.solution);
            known.for_each(|(x, solution)| *x += 0.5 * h * solution);
        }
        parts.rows.measure_step((&state.q, &state.v), h, &foot.at);
        let step = StepSpan { state, size: h, end: next.t };
        let mut search = PositionSearch { own: self, parts, foot, step, fresh: false };
        match search.iterate() {
            Err(error) if !matches!(error, ForceError::Leap { .. }) => search.pass().map_err(|_| error)?,
            outcome => outcome?,
        }
        search.own.on_this_branch(search.parts, step)?;
        for (next, (q, u)) in next.q.iter_mut().zip(state.q.iter().zip(&self.x)) {
            *next = q + h * u;
        }
        Ok(PositionStage { u: &self.x[..n], momentum: &self.momentum })
    }
}

impl<S: Lagrangian + ?Sized> PositionSearch<'_, '_, S> {
    fn iterate(&mut self) -> Attempt {
        let Newton { tolerance, iterations: most } = self.parts.newton;
        // A small matrix of the iterate costs less than two residuals.
        let mut iterations = 0;
        self.fresh = self.own.matrix.is_small();
        if self.fresh {
            self.linearize()?;
        } else {
            self.evaluate_iterate()?;
        }
        self.own.look_for_jumps(self.parts, self.step)?;
        let rounding = self.rounding();
        loop {
            // The correction at the iterate, the first with its matrix.
            self.aim();
            let (mut first, mut fast) = (true, true);
            // The best factor between corrections; the correction without rounding, should it hold.
            let (mut gain, mut smooth) = (1.0_f64, f64::INFINITY);
            while fast {
                let size = self.length(&self.own.correction);
                let accepted = tolerance * self.length(&self.own.x);
                smooth = if size <= rounding { size.min(gain * smooth) } else { size };
                if gain * smooth <= NOTHING * accepted || size <= LITTLE * accepted {
                    self.step_along(1.0);
                    self.evaluate_trial();
                    if self.is_finite() && self.keeps_to(tolerance.max(FLOOR)) {
                        self.take_trial();
                        return Ok(());
                    }
                }
                if iterations == most {
                    return Err(self.not_converged(iterations));
                }
                iterations += 1;
                self.parts.counts.iterations += 1;
                match self.advance(size, self.fresh && first, iterations <= PATIENCE) {
                    SearchProgress::By(ratio) => (fast, gain) = (ratio <= SLOW, gain.min(ratio)),
                    SearchProgress::Done => return self.evaluate_iterate(),
                    SearchProgress::None if self.fresh && first => {
                        let known = size <= WEAK * self.length(&self.own.x) || self.is_weak(size);
                        if known && self.keeps_rows()? {
                            return Ok(());
                        }
                        return Err(self.not_converged(iterations));
                    }
                    SearchProgress::None => {
                        fast = false;
                        self.evaluate_iterate()?;
                    }
                }
                first = false;
            }
            self.linearize()?;
            self.fresh = true;
        }
    }

    /// Plain Newton, and then the search once more as among rows that depend on each other: at a
    /// singular position of a linkage they do.
    #[cold]
    fn pass(&mut self) -> Attempt {
        if self.follow().is_ok() {
            return Ok(());
        }
        let known = std::mem::replace(&mut self.parts.dependent, true);
        self.begin_again();
        let outcome = self.iterate();
        self.parts.dependent = known;
        outcome
    }

    /// Begins with u = v without multipliers.
    fn begin_again(&mut self) {
        let (u, y) = self.own.x.split_at_mut(self.step.state.q.len());
        u.copy_from_slice(&self.step.state.v);
        y.fill(0.0);
    }

    /// Plain Newton, from u = v without multipliers: a fresh matrix, and whole corrections. Far from the
    /// solution they may grow, as for a stiff beam under a load.
    #[cold]
    fn follow(&mut self) -> Attempt {
        let Newton { tolerance, iterations: most } = self.parts.newton;
        self.begin_again();
        self.fresh = true;
        let mut before = f64::INFINITY;
        for _ in 0..most {
            self.linearize()?;
            self.aim();
            self.parts.counts.iterations += 1;
            let size = self.length(&self.own.correction);
            let small = size <= tolerance * self.length(&self.own.x);
            self.step_along(1.0);
            self.evaluate_trial();
            if !self.is_finite() {
                break;
            }
            let kept = small && self.keeps_to(tolerance.max(FLOOR));
            let ended = kept || size >= 0.5 * before && self.has_ended(size);
            self.take_trial();
            if ended {
                return self.evaluate_iterate();
            }
            before = size;
        }
        Err(self.not_converged(most))
    }

    /// The length of the velocities in some unknowns, each in its unit.
    fn length(&self, x: &[f64]) -> f64 {
        length(&x[..self.step.state.q.len()], self.parts.saddle.scales())
    }

    /// The length of a correction from the rounding of q₀ + h u, where the rows are evaluated.
    fn rounding(&self) -> f64 {
        let positions = self.length(&self.step.state.q) / self.step.size.abs();
        ROUNDINGS * f64::EPSILON * (positions + self.length(&self.own.x))
    }

    /// Moves the iterate by the correction of this length, shortened as far as needed if the matrix is
    /// its own, and replaces the correction by the next one. As in
    /// [`Damped`](crate::method::newton::Damped), a correction is accepted if the next one is shorter;
    /// only velocities count, each in its unit, so that multipliers of dependent rows take no part.
    fn advance(&mut self, size: f64, own: bool, patient: bool) -> SearchProgress {
        let shortest = if own { SHORTEST } else { 1.0 };
        let mut damping = 1.0;
        while damping >= shortest {
            self.step_along(damping);
            self.evaluate_trial();
            if self.is_finite() {
                self.correct();
                let length = self.length(&self.own.following);
                let shorter = length <= (1.0 - 0.5 * damping) * size;
                let weak = !patient && self.is_weak(length);
                if self.fresh && damping >= 1.0 && !(shorter && patient) && self.is_solved(weak) {
                    self.take_trial();
                    return SearchProgress::Done;
                }
                if shorter {
                    self.take_trial();
                    std::mem::swap(&mut self.own.correction, &mut self.own.following);
                    return SearchProgress::By(if size > 0.0 { length / size } else { 0.0 });
                }
                if damping >= 1.0 && self.has_ended(length) {
                    self.take_trial();
                    return SearchProgress::Done;
                }
            }
            damping *= 0.5;
        }
        SearchProgress::None
    }

    /// True if the trial, with a next correction of this length, is the solution up to rounding; next to
    /// a singular position, up to motions that rows hardly hold.
    fn has_ended(&mut self, size: f64) -> bool {
        if self.fresh && size <= WEAK * self.length(&self.own.trial) && self.keeps_to(START_TOLERANCE) {
            return true;
        }
        let mut rounding = std::mem::take(&mut self.own.rounding);
        let trial = std::mem::take(&mut self.own.trial);
        let explained = rounding.explains(size, self, &trial);
        (self.own.trial, self.own.rounding) = (trial, rounding);
        explained
    }

    /// True if a correction may be of a motion that rows hold by its square alone, as all distances
    /// hold a straight molecule: they keep the square of the motion that would correct them.
    fn is_weak(&self, size: f64) -> bool {
        let positions = self.length(&self.step.state.q) / self.step.size.abs();
        self.parts.dependent && size <= START_TOLERANCE.sqrt() * positions
    }

    /// True if the rows hold to a tolerance at the last evaluation.
    fn keeps_to(&self, tolerance: f64) -> bool {
        self.own.excess(self.parts, self.step, tolerance).is_none()
    }

    /// True if the rows hold at the iterate next to a singular position, where rounding would move the
    /// next iterate anywhere. The last correction is taken if rows are nearer to zero behind it: it also
    /// removes what is not of the motion that they hardly hold.
    #[cold]
    fn keeps_rows(&mut self) -> Result<bool, ForceError> {
        self.evaluate_iterate()?;
        let before = self.off();
        self.step_along(1.0);
        self.evaluate_trial();
        if self.off() < before {
            self.take_trial();
        }
        self.evaluate_iterate()?;
        self.own.trial.copy_from_slice(&self.own.x);
        Ok(self.keeps_to(START_TOLERANCE))
    }

    /// The largest residual of a row on positions at the last evaluation, relative to its natural size.
    fn off(&self) -> f64 {
        let (n, rows) = (self.step.state.q.len(), &self.parts.rows);
        let residuals = &self.own.residual[n..n + rows.holonomic()];
        let sizes = residuals.iter().zip(rows.reciprocal_sizes());
        sizes.map(|(residual, size)| (residual * size).abs()).fold(0.0, |a, b| if b <= a { a } else { b })
    }

    /// True if the residual at the trial is rounding of rows, and of cancelling impulses and momenta.
    #[cold]
    fn is_solved(&mut self, weak: bool) -> bool {
        let Self { own: Position { terms: impulses, trial, residual, .. }, parts, foot, step, .. } = self;
        let (n, scales) = (step.state.q.len(), parts.saddle.scales());
        impulses.fill(0.0);
        for ((row, column), value) in parts.rows.pattern().entries().zip(&foot.at.matrix) {
            impulses[column] += (value * trial[n + row]).abs();
        }
        let terms = length_of_given(impulses, scales) + length_of_given(&foot.momentum, scales);
        length_of_given(&residual[..n], scales) <= FLOOR * terms
            && self.keeps_to(if weak { START_TOLERANCE } else { self.parts.newton.tolerance.max(FLOOR) })
    }

    /// Sets the trial to the iterate plus a part of the correction.
    fn step_along(&mut self, damping: f64) {
        let Position { trial, x, correction, .. } = &mut *self.own;
        for ((trial, x), correction) in trial.iter_mut().zip(&*x).zip(&*correction) {
            *trial = x + damping * correction;
        }
    }

    fn take_trial(&mut self) {
        std::mem::swap(&mut self.own.x, &mut self.own.trial);
    }

    fn is_finite(&self) -> bool {
        first_not_finite(&self.own.residual).is_none()
    }

    /// Computes in `following` the correction of the residual with the last matrix.
    fn correct(&mut self) {
        let Position { matrix, following, residual, .. } = &mut *self.own;
        following.copy_from_slice(residual);
        if self.fresh { matrix.solve(following) } else { self.parts.saddle.correct(following) }
    }

    /// Computes the correction at the iterate, from its residual.
    fn aim(&mut self) {
        self.correct();
        std::mem::swap(&mut self.own.correction, &mut self.own.following);
    }

    fn linearize(&mut self) -> Attempt {
        self.own.linearize(self.parts, self.foot, self.step)
    }

    fn evaluate_trial(&mut self) {
        let trial = std::mem::take(&mut self.own.trial);
        self.own.evaluate(self.parts, self.foot, self.step, &trial);
        self.own.trial = trial;
    }

    fn evaluate_iterate(&mut self) -> Attempt {
        let x = std::mem::take(&mut self.own.x);
        self.own.evaluate(self.parts, self.foot, self.step, &x);
        self.own.x = x;
        check_finite(&self.own.residual)
    }

    #[cold]
    fn not_converged(&mut self, iterations: u32) -> ForceError {
        let state = self.step.state;
        let n = state.q.len();
        let unknown = Unknown { name: UNKNOWN, base: &state.q, weight: self.step.size };
        let tolerance = self.parts.newton.tolerance;
        let moved = unknown.measure(&self.own.x[..n], &self.own.correction[..n], tolerance);
        if moved.length <= START_TOLERANCE.sqrt() * moved.accepted / tolerance
            && self.evaluate_iterate().is_ok()
            && let Some(Excess { row, residual, accepted }) =
                self.own.excess(self.parts, self.step, START_TOLERANCE)
        {
            return ForceError::RowNotKept {
                unknown: UNKNOWN,
                iterations,
                index: n + row,
                residual,
                accepted,
            };
        }
        unknown.not_converged(iterations, moved)
    }
}

/// The equations of a step, measured by their corrections of u.
impl<S: Lagrangian + ?Sized> Measured for PositionSearch<'_, '_, S> {
    fn unknown(&self) -> Unknown<'_> {
        Unknown { name: UNKNOWN, base: &self.step.state.q, weight: self.step.size }
    }

    fn evaluate(&mut self, x: &[f64], residual: &mut [f64]) {
        self.own.evaluate(self.parts, self.foot, self.step, x);
        residual.copy_from_slice(&self.own.residual);
    }

    fn size(&mut self, residual: &mut [f64]) -> f64 {
        self.own.residual.copy_from_slice(residual);
        self.correct();
        self.length(&self.own.following)
    }
}
