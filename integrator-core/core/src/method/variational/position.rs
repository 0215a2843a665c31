//! The position stage: u and λ⁺ from the momentum, and the constraints at the end of the step.

use super::integrand::{Contributions, Entries, Integrand, Node};
use super::parts::{Foot, Parts};
use super::saddle::{Saddle, length, length_of_given};
use crate::method::check::first_not_finite;
use crate::method::constraint::START_TOLERANCE;
use crate::method::constraint::{Excess, Rows};
use crate::method::force_error::{ForceError, check_finite};
use crate::method::newton::{Measured, Newton, Rounding, SLOW, Unknown, negate};
use crate::sparse::Proximal;
use crate::system::{Lagrangian, State};

/// Corrections are not shortened beyond this.
const SHORTEST: f64 = 1.0 / 1024.0;
/// A correction is the last one if it is this part of the tolerance, or if the next one is expected to be the other part: what is left out
/// in every step has the same sign, and adds up.
const LITTLE: f64 = 0.1;
const NOTHING: f64 = 0.02;
/// Corrections of so many rounding errors of positions may be made by those.
const ROUNDINGS: f64 = 4.0;
/// A row is kept where it is off by so many rounding errors of its natural size.
const FLOOR: f64 = 64.0 * f64::EPSILON;
/// A motion is known well enough where rows that hardly hold it change it by this part.
const WEAK: f64 = 1e-10;
/// After so many corrections an iterate is taken whose residual is one of rounding, whatever the next correction is: at a singular position, two
/// branches of the manifold meet, and rounding moves it between them.
const PATIENCE: u32 = 8;
const MATRIX: &str = "the derivative of the discrete momentum with the constraints";
const UNKNOWN: &str = "the new positions";

/// The equations of the position stage in u and y = −½ h λ⁺,
///
/// ```text
/// R = Σ w (L_v − (1 − θ) h (L_q + F)) + B₀ᵀ y − p₀ = 0,    g(q₀ + h u, t₁) / h = 0,    Σ w c(q_θ, u, t_θ) = 0.
/// ```
///
/// Newton's method begins with the saddle matrix of the state, which differs from its own by O(h), and goes on with
/// [K B₀ᵀ; C −δ] of its iterate where that gains less than a factor ten; with that at once where it is small.
pub(super) struct Position {
    contributions: Contributions,
    matrix: Proximal,
    /// The places of the entries of B₀ᵀ and of C.
    of_forces: Vec<u32>,
    of_rows: Vec<u32>,
    newton_rows: Vec<f64>,
    /// (u, y), the iterate, and another one.
    x: Vec<f64>,
    trial: Vec<f64>,
    /// The negative residual at the iterate that was evaluated last, and what a solution makes of it.
    residual: Vec<f64>,
    correction: Vec<f64>,
    following: Vec<f64>,
    /// p̂ = Σ w (L_v + θ h (L_q + F)) there.
    momentum: Vec<f64>,
    rounding: Rounding,
    /// Impulses and momenta as if none cancelled.
    terms: Vec<f64>,
    q: Vec<f64>,
}

/// A step from a state.
#[derive(Clone, Copy)]
struct Step<'s> {
    state: &'s State,
    size: f64,
    end: f64,
}

/// The result of the position stage: u, and p̂.
pub(super) struct Stage<'p> {
    pub(super) u: &'p [f64],
    pub(super) momentum: &'p [f64],
}

/// The judgement of an iterate.
enum Progress {
    /// The following correction is shorter by this factor.
    By(f64),
    /// The iterate is the solution.
    Done,
    None,
}

impl Position {
    /// `None` when there is no memory.
    pub(super) fn new<S: Lagrangian + ?Sized>(system: &S, rows: &Rows<'_>) -> Option<Self> {
        let (n, height) = (system.dimension(), rows.height());
        let entries = Entries::of(system, true);
        let mut matrix = Proximal::new(n, entries.places(), &[rows.newton_pattern(), rows.pattern()])?;
        matrix.accept_small_pivots();
        let place = |row, column| matrix.position(row, column).map(|place| place as u32);
        let zeros = || vec![0.0; n + height];
        Some(Self {
            contributions: entries.placed(|row, column| matrix.position(row, column)),
            of_forces: rows.pattern().entries().filter_map(|(i, j)| place(j, n + i)).collect(),
            of_rows: rows.newton_pattern().entries().filter_map(|(i, j)| place(n + i, j)).collect(),
            newton_rows: vec![0.0; rows.newton_pattern().len()],
            matrix,
            x: zeros(),
            trial: zeros(),
            residual: zeros(),
            correction: zeros(),
            following: zeros(),
            rounding: Rounding::new(n + height, n + height),
            terms: vec![0.0; n],
            momentum: vec![0.0; n],
            q: vec![0.0; n],
        })
    }

    /// Factors once, so that no step takes memory for it.
    pub(super) fn reserve<S: Lagrangian + ?Sized>(
        &mut self,
        parts: &mut Parts<'_, S>,
        foot: &Foot,
        state: &State,
    ) {
        self.x[..state.q.len()].copy_from_slice(&state.v);
        // Where it fails, the step that needs it says so.
        let _ = self.linearize(parts, foot, Step { state, size: 0.0, end: state.t });
    }

    /// Solves the stage for a step of size h to the time of `next`, and moves the positions of `next` there.
    pub(super) fn solve<S: Lagrangian + ?Sized>(
        &mut self,
        parts: &mut Parts<'_, S>,
        foot: &Foot,
        (state, h): (&State, f64),
        next: &mut State,
    ) -> Result<Stage<'_>, ForceError> {
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
        let step = Step { state, size: h, end: next.t };
        if let Err(error) = self.iterate(parts, foot, step) {
            self.follow(parts, foot, step).map_err(|_| error)?;
        }
        for (next, (q, u)) in next.q.iter_mut().zip(state.q.iter().zip(&self.x)) {
            *next = q + h * u;
        }
        Ok(Stage { u: &self.x[..n], momentum: &self.momentum })
    }

    fn iterate<S: Lagrangian + ?Sized>(
        &mut self,
        parts: &mut Parts<'_, S>,
        foot: &Foot,
        step: Step<'_>,
    ) -> Result<(), ForceError> {
        let n = step.state.q.len();
        let Newton { tolerance, iterations: most } = parts.newton;
        // The matrix of the iterate costs less than two residuals where it is small.
        let (mut iterations, mut fresh) = (0, self.matrix.is_small());
        if fresh {
            self.linearize(parts, foot, step)?;
        } else {
            self.evaluate_iterate(parts, foot, step)?;
        }
        let rounding = self.rounding(parts, step);
        loop {
            // The correction at the iterate, which is the first one of its matrix.
            self.aim(parts, fresh);
            let (mut first, mut fast) = (true, true);
            // The factor by which corrections fall at best, and the correction without what rounding adds to it, if they go on to.
            let (mut gain, mut smooth) = (1.0_f64, f64::INFINITY);
            while fast {
                let size = length(&self.correction[..n], parts.saddle.scales());
                let accepted = tolerance * length(&self.x[..n], parts.saddle.scales());
                smooth = if size <= rounding { size.min(gain * smooth) } else { size };
                if gain * smooth <= NOTHING * accepted || size <= LITTLE * accepted {
                    self.step_along(1.0);
                    self.evaluate_trial(parts, foot, step);
                    if self.is_finite() && self.excess(parts, step, tolerance.max(FLOOR)).is_none() {
                        std::mem::swap(&mut self.x, &mut self.trial);
                        return Ok(());
                    }
                }
                if iterations == most {
                    return Err(self.not_converged(parts, foot, step, iterations));
                }
                iterations += 1;
                parts.counts.iterations += 1;
                let patient = iterations <= PATIENCE;
                match self.advance(parts, foot, step, (size, fresh, fresh && first), patient) {
                    Progress::By(ratio) => (fast, gain) = (ratio <= SLOW, gain.min(ratio)),
                    Progress::Done => return self.evaluate_iterate(parts, foot, step),
                    Progress::None if fresh && first => {
                        let known = size <= WEAK * length(&self.x[..n], parts.saddle.scales());
                        if known && self.keeps_rows(parts, foot, step)? {
                            return Ok(());
                        }
                        return Err(self.not_converged(parts, foot, step, iterations));
                    }
                    Progress::None => {
                        fast = false;
                        self.evaluate_iterate(parts, foot, step)?;
                    }
                }
                first = false;
            }
            self.linearize(parts, foot, step)?;
            fresh = true;
        }
    }

    /// Newton's method as it is, from u = v and no multipliers: a fresh matrix, and the whole correction.
    /// Far from the solution corrections may grow, as a stiff beam under a load shows.
    #[cold]
    fn follow<S: Lagrangian + ?Sized>(
        &mut self,
        parts: &mut Parts<'_, S>,
        foot: &Foot,
        step: Step<'_>,
    ) -> Result<(), ForceError> {
        let n = step.state.q.len();
        let Newton { tolerance, iterations: most } = parts.newton;
        self.x[..n].copy_from_slice(&step.state.v);
        self.x[n..].fill(0.0);
        let mut before = f64::INFINITY;
        for _ in 0..most {
            self.linearize(parts, foot, step)?;
            self.aim(parts, true);
            parts.counts.iterations += 1;
            let size = length(&self.correction[..n], parts.saddle.scales());
            let small = size <= tolerance * length(&self.x[..n], parts.saddle.scales());
            self.step_along(1.0);
            self.evaluate_trial(parts, foot, step);
            if !self.is_finite() {
                break;
            }
            let kept = small && self.excess(parts, step, tolerance.max(FLOOR)).is_none();
            let ended = kept || size >= 0.5 * before && self.has_ended(parts, foot, step, (size, true));
            std::mem::swap(&mut self.x, &mut self.trial);
            if ended {
                return self.evaluate_iterate(parts, foot, step);
            }
            before = size;
        }
        Err(self.not_converged(parts, foot, step, most))
    }

    /// The length of a correction by what rounding makes of q₀ + h u, of which the rows at its end are functions.
    fn rounding<S: ?Sized>(&self, parts: &Parts<'_, S>, step: Step<'_>) -> f64 {
        let (scales, n) = (parts.saddle.scales(), step.state.q.len());
        let positions = length(&step.state.q, scales) / step.size.abs();
        ROUNDINGS * f64::EPSILON * (positions + length(&self.x[..n], scales))
    }

    /// Moves the iterate along the correction, shortened as far as needed if the matrix is its own, and puts the following correction in
    /// its place.  As in [`Damped`](crate::method::newton::Damped), a correction is accepted when the one that follows it is shorter; the
    /// lengths are those of the velocities, each in its unit, so that the multipliers of rows that depend on each other take no part.
    fn advance<S: Lagrangian + ?Sized>(
        &mut self,
        parts: &mut Parts<'_, S>,
        foot: &Foot,
        step: Step<'_>,
        (size, fresh, own): (f64, bool, bool),
        patient: bool,
    ) -> Progress {
        let n = step.state.q.len();
        let shortest = if own { SHORTEST } else { 1.0 };
        let mut damping = 1.0;
        while damping >= shortest {
            self.step_along(damping);
            self.evaluate_trial(parts, foot, step);
            if self.is_finite() {
                self.correct(parts, fresh);
                let length = length(&self.following[..n], parts.saddle.scales());
                let shorter = length <= (1.0 - 0.5 * damping) * size;
                if fresh && damping >= 1.0 && !(shorter && patient) && self.is_solved(parts, foot, step) {
                    std::mem::swap(&mut self.x, &mut self.trial);
                    return Progress::Done;
                }
                if shorter {
                    std::mem::swap(&mut self.x, &mut self.trial);
                    std::mem::swap(&mut self.correction, &mut self.following);
                    return Progress::By(if size > 0.0 { length / size } else { 0.0 });
                }
                if damping >= 1.0 && self.has_ended(parts, foot, step, (length, fresh)) {
                    std::mem::swap(&mut self.x, &mut self.trial);
                    return Progress::Done;
                }
            }
            damping *= 0.5;
        }
        Progress::None
    }

    /// True if the trial, whose following correction is of this length, is the solution as far as rounding lets it be; or as far as rows can
    /// hold the motion that hardly do so, next to a singular position.
    fn has_ended<S: Lagrangian + ?Sized>(
        &mut self,
        parts: &mut Parts<'_, S>,
        foot: &Foot,
        step: Step<'_>,
        (size, fresh): (f64, bool),
    ) -> bool {
        let n = step.state.q.len();
        let scale = length(&self.trial[..n], parts.saddle.scales());
        if fresh && size <= WEAK * scale && self.excess(parts, step, START_TOLERANCE).is_none() {
            return true;
        }
        let mut rounding = std::mem::take(&mut self.rounding);
        let trial = std::mem::take(&mut self.trial);
        let mut equations = Iterated { position: self, parts, foot, step, fresh };
        let explained = rounding.explains(size, &mut equations, &trial);
        (self.trial, self.rounding) = (trial, rounding);
        explained
    }

    /// True if the iterate keeps the rows, next to a singular position, where what rounding makes of them moves the next one anywhere.
    #[cold]
    fn keeps_rows<S: Lagrangian + ?Sized>(
        &mut self,
        parts: &mut Parts<'_, S>,
        foot: &Foot,
        step: Step<'_>,
    ) -> Result<bool, ForceError> {
        self.evaluate_iterate(parts, foot, step)?;
        self.trial.copy_from_slice(&self.x);
        Ok(self.excess(parts, step, START_TOLERANCE).is_none())
    }

    /// True if the residual at the trial is one of rounding: of the rows, and of the impulses and momenta that cancel.
    #[cold]
    fn is_solved<S: ?Sized>(&mut self, parts: &Parts<'_, S>, foot: &Foot, step: Step<'_>) -> bool {
        let (n, scales) = (step.state.q.len(), parts.saddle.scales());
        let impulses = &mut self.terms[..];
        impulses.fill(0.0);
        for ((row, column), value) in parts.rows.pattern().entries().zip(&foot.at.matrix) {
            impulses[column] += (value * self.trial[n + row]).abs();
        }
        let terms = length_of_given(impulses, scales) + length_of_given(&foot.momentum, scales);
        length_of_given(&self.residual[..n], scales) <= FLOOR * terms
            && self.excess(parts, step, parts.newton.tolerance.max(FLOOR)).is_none()
    }

    /// The trial is the iterate and a part of the correction.
    fn step_along(&mut self, damping: f64) {
        for ((trial, x), correction) in self.trial.iter_mut().zip(&self.x).zip(&self.correction) {
            *trial = x + damping * correction;
        }
    }

    fn is_finite(&self) -> bool {
        first_not_finite(&self.residual).is_none()
    }

    /// The correction that the last matrix makes of the residual, in `following`.
    fn correct<S: ?Sized>(&mut self, parts: &mut Parts<'_, S>, fresh: bool) {
        self.following.copy_from_slice(&self.residual);
        let Self { matrix, following, .. } = self;
        if fresh { matrix.solve(following) } else { parts.saddle.correct(following) }
    }

    /// The correction at the iterate, whose residual stands there.
    fn aim<S: ?Sized>(&mut self, parts: &mut Parts<'_, S>, fresh: bool) {
        self.correct(parts, fresh);
        std::mem::swap(&mut self.correction, &mut self.following);
    }

    fn evaluate_trial<S: Lagrangian + ?Sized>(
        &mut self,
        parts: &mut Parts<'_, S>,
        foot: &Foot,
        step: Step<'_>,
    ) {
        let trial = std::mem::take(&mut self.trial);
        self.evaluate(parts, foot, step, &trial);
        self.trial = trial;
    }

    fn evaluate_iterate<S: Lagrangian + ?Sized>(
        &mut self,
        parts: &mut Parts<'_, S>,
        foot: &Foot,
        step: Step<'_>,
    ) -> Result<(), ForceError> {
        let x = std::mem::take(&mut self.x);
        self.evaluate(parts, foot, step, &x);
        self.x = x;
        check_finite(&self.residual)
    }

    /// The negative residual at x, and p̂ there.
    fn evaluate<S: Lagrangian + ?Sized>(
        &mut self,
        parts: &mut Parts<'_, S>,
        foot: &Foot,
        Step { state, size: h, end }: Step<'_>,
        x: &[f64],
    ) {
        let Self { residual, momentum, q, .. } = self;
        let Parts { nodes, integrand, rows, saddle, counts, .. } = parts;
        let n = state.q.len();
        let (u, y) = x.split_at(n);
        let (free, constrained) = residual.split_at_mut(n);
        begin(foot, (saddle, rows), y, [free, constrained, momentum]);
        for node in *nodes {
            let at = node.go_to(state, h, u, q);
            integrand.evaluate(q, u, at, counts);
            add(node, h, integrand, [free, momentum]);
            rows.add_values(node.weight, q, u, at.t, constrained);
        }
        for (q, (start, u)) in q.iter_mut().zip(state.q.iter().zip(u)) {
            *q = start + h * u;
        }
        rows.values(q, end, constrained, counts);
        constrained[..rows.holonomic()].iter_mut().for_each(|value| *value /= h);
        residual.iter_mut().for_each(|residual| *residual = -*residual);
    }

    /// The factors of [K B₀ᵀ; C −δ] at the iterate, with the residual there.
    fn linearize<S: Lagrangian + ?Sized>(
        &mut self,
        parts: &mut Parts<'_, S>,
        foot: &Foot,
        Step { state, size: h, end }: Step<'_>,
    ) -> Result<(), ForceError> {
        let Self { contributions, matrix, of_forces, of_rows, newton_rows, x, q, residual, momentum, .. } =
            self;
        let Parts { nodes, integrand, rows, saddle, counts, .. } = parts;
        let n = state.q.len();
        let (u, y) = x.split_at(n);
        let (free, constrained) = residual.split_at_mut(n);
        begin(foot, (saddle, rows), y, [&mut *free, &mut *constrained, &mut *momentum]);
        newton_rows.fill(0.0);
        counts.factorizations += 1;
        let factored = matrix.factor(saddle.scales(), |values| {
            for node in *nodes {
                let at = node.go_to(state, h, u, q);
                integrand.linearize(q, u, at, counts);
                add(node, h, integrand, [&mut *free, &mut *momentum]);
                contributions.add(*node, h, integrand, values);
                let weights = (node.weight, node.place * h);
                rows.add_derivatives(weights, (q, u, at.t), constrained, newton_rows);
            }
            for (q, (start, u)) in q.iter_mut().zip(state.q.iter().zip(u)) {
                *q = start + h * u;
            }
            rows.jacobian(q, end, constrained, newton_rows, counts);
            for (entries, places) in [(&*newton_rows, &*of_rows), (&foot.at.matrix, &*of_forces)] {
                for (entry, place) in entries.iter().zip(places) {
                    values[*place as usize] = *entry;
                }
            }
        });
        constrained[..rows.holonomic()].iter_mut().for_each(|value| *value /= h);
        residual.iter_mut().for_each(|residual| *residual = -*residual);
        check_finite(residual)?;
        factored.map_err(|error| ForceError::Singular { matrix: MATRIX, error })
    }

    /// The row that is off most, where one is off by more than the tolerance at the place where the residual was evaluated last: beside the
    /// natural size of a holonomic one, and beside the velocities of a nonholonomic one.
    fn excess<S: ?Sized>(&self, parts: &Parts<'_, S>, step: Step<'_>, tolerance: f64) -> Option<Excess> {
        let (rows, scales) = (&parts.rows, parts.saddle.scales());
        let n = step.state.q.len();
        let holonomic = n + rows.holonomic();
        let worst = rows.worst(&self.residual[n..holonomic], tolerance / step.size.abs());
        if let Some(Excess { row, residual, accepted }) = worst {
            return Some(Excess {
                row,
                residual: residual * step.size,
                accepted: accepted * step.size.abs(),
            });
        }
        let motion = length(&self.trial[..n], scales);
        for (index, residual) in self.residual.iter().enumerate().skip(holonomic) {
            let accepted = tolerance * motion / scales[index];
            if residual.abs() > accepted || residual.is_nan() {
                return Some(Excess { row: index - n, residual: *residual, accepted });
            }
        }
        None
    }

    #[cold]
    fn not_converged<S: Lagrangian + ?Sized>(
        &mut self,
        parts: &mut Parts<'_, S>,
        foot: &Foot,
        step: Step<'_>,
        iterations: u32,
    ) -> ForceError {
        let n = step.state.q.len();
        let unknown = Unknown { name: UNKNOWN, base: &step.state.q, weight: step.size };
        let moved = unknown.measure(&self.x[..n], &self.correction[..n], parts.newton.tolerance);
        if moved.length <= START_TOLERANCE.sqrt() * moved.accepted / parts.newton.tolerance
            && self.evaluate_iterate(parts, foot, step).is_ok()
            && let Some(Excess { row, residual, accepted }) = self.excess(parts, step, START_TOLERANCE)
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

/// The equations of a step, measured by the corrections of u that they ask for.
struct Iterated<'p, 's, S: ?Sized> {
    position: &'p mut Position,
    parts: &'p mut Parts<'s, S>,
    foot: &'p Foot,
    step: Step<'p>,
    /// True if the matrix is that of the iterate.
    fresh: bool,
}

impl<S: Lagrangian + ?Sized> Measured for Iterated<'_, '_, S> {
    fn unknown(&self) -> Unknown<'_> {
        Unknown { name: UNKNOWN, base: &self.step.state.q, weight: self.step.size }
    }

    fn evaluate(&mut self, x: &[f64], residual: &mut [f64]) {
        self.position.evaluate(self.parts, self.foot, self.step, x);
        residual.copy_from_slice(&self.position.residual);
    }

    fn size(&mut self, residual: &mut [f64]) -> f64 {
        self.position.residual.copy_from_slice(residual);
        self.position.correct(self.parts, self.fresh);
        length(&self.position.following[..self.step.state.q.len()], self.parts.saddle.scales())
    }
}

/// −p₀ + B₀ᵀ y in the equations of the momenta, and zeros elsewhere.
fn begin(
    foot: &Foot,
    (saddle, rows): (&Saddle, &Rows<'_>),
    y: &[f64],
    [free, constrained, momentum]: [&mut [f64]; 3],
) {
    negate(&foot.momentum, free);
    saddle.add_forces(rows, y, free);
    momentum.fill(0.0);
    constrained.fill(0.0);
}

/// Adds a node of the quadrature, at which the integrand stands, to the equations of the momenta and to p̂.
fn add<S: Lagrangian + ?Sized>(
    node: &Node,
    h: f64,
    integrand: &Integrand<'_, S>,
    [free, momentum]: [&mut [f64]; 2],
) {
    let (ahead, behind) = (node.place * h, (1.0 - node.place) * h);
    let known = integrand.force().iter().zip(integrand.momentum());
    for ((residual, momentum), (force, own)) in free.iter_mut().zip(momentum).zip(known) {
        *residual += node.weight * (own - behind * force);
        *momentum += node.weight * (own + ahead * force);
    }
}
