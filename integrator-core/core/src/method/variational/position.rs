//! The equations of the position stage: u and λ⁺ from the momentum and the constraints at the end.

use super::parts::{Foot, HeldEquations};
use super::saddle::{Saddle, length};
use crate::method::constraint::{Excess, FAR, Rows, beyond_motion, jump};
use crate::method::entries::{Contributions, NodeMatrixEntries};
use crate::method::force_error::{Attempt, ForceError, check_finite};
use crate::method::newton::{Rounding, negate};
use crate::sparse::Proximal;
use crate::system::{Lagrangian, State};

const MATRIX: &str = "the derivative of the discrete momentum with the constraints";

/// The equations of the position stage in u and y = −½ h λ⁺,
///
/// ```text
/// R = Σ w (L_v − (1 − θ) h (L_q + F)) + B₀ᵀ y − p₀ = 0,
/// g(q₀ + h u, t₁) / h = 0,    Σ w c(q_θ, u, t_θ) = 0.
/// ```
///
/// with the matrix [K B₀ᵀ; C −δ] of derivatives.
pub(super) struct Position {
    contributions: Contributions,
    pub(super) matrix: Proximal,
    /// The places of the entries of B₀ᵀ and of C.
    of_forces: Vec<u32>,
    of_rows: Vec<u32>,
    newton_rows: Vec<f64>,
    /// (u, y): the iterate, and a trial.
    pub(super) x: Vec<f64>,
    pub(super) trial: Vec<f64>,
    /// The negative residual at the last evaluation, and its corrections.
    pub(super) residual: Vec<f64>,
    pub(super) correction: Vec<f64>,
    pub(super) following: Vec<f64>,
    /// p̂ = Σ w (L_v + θ h (L_q + F)) at the last evaluation.
    pub(super) momentum: Vec<f64>,
    pub(super) rounding: Rounding,
    /// Impulses and momenta without cancellation.
    pub(super) terms: Vec<f64>,
    q: Vec<f64>,
    /// The guess u of this step if it is far from the rows, else empty.
    predicted: Vec<f64>,
}

#[derive(Clone, Copy)]
pub(super) struct StepSpan<'s> {
    pub(super) state: &'s State,
    pub(super) size: f64,
    pub(super) end: f64,
}

impl Position {
    /// `None` without memory.
    pub(super) fn new<S: Lagrangian + ?Sized>(system: &S, rows: &Rows<'_>) -> Option<Self> {
        let (n, height) = (system.dimension(), rows.height());
        let entries = NodeMatrixEntries::of(system, true);
        let mut matrix = Proximal::new(n, entries.places(), &[rows.newton_pattern(), rows.pattern()])?;
        matrix.accept_small_pivots();
        let zeros = || vec![0.0; n + height];
        Some(Self {
            contributions: entries.placed(|row, column| matrix.place(row, column)),
            of_forces: rows.pattern().entries().map(|(i, j)| matrix.place(j, n + i)).collect(),
            of_rows: rows.newton_pattern().entries().map(|(i, j)| matrix.place(n + i, j)).collect(),
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
            predicted: Vec::with_capacity(n),
        })
    }

    /// y = −½ h λ⁺ of the last step.
    pub(super) fn multipliers(&self) -> &[f64] {
        &self.x[self.momentum.len()..]
    }

    /// Evaluates the negative residual and p̂ at x.
    pub(super) fn evaluate<S: Lagrangian + ?Sized>(
        &mut self,
        parts: &mut HeldEquations<'_, S>,
        foot: &Foot,
        StepSpan { state, size: h, end }: StepSpan<'_>,
        x: &[f64],
    ) {
        let Self { residual, momentum, q, .. } = self;
        let HeldEquations { nodes, integrand, rows, saddle, counts, .. } = parts;
        let n = state.q.len();
        let (u, y) = x.split_at(n);
        let (free, constrained) = residual.split_at_mut(n);
        begin(foot, (saddle, rows), y, [free, constrained, momentum]);
        for node in *nodes {
            let at = node.go_to(state, h, u, q);
            integrand.evaluate(q, u, at, counts);
            integrand.add_to(*node, h, [free, momentum]);
            rows.add_values(node.weight, q, u, at.t, constrained);
        }
        for (q, (start, u)) in q.iter_mut().zip(state.q.iter().zip(u)) {
            *q = start + h * u;
        }
        rows.values(q, end, constrained, counts);
        constrained[..rows.holonomic()].iter_mut().for_each(|value| *value /= h);
        residual.iter_mut().for_each(|residual| *residual = -*residual);
    }

    /// Factors [K B₀ᵀ; C −δ] at the iterate, and evaluates the residual.
    pub(super) fn linearize<S: Lagrangian + ?Sized>(
        &mut self,
        parts: &mut HeldEquations<'_, S>,
        foot: &Foot,
        StepSpan { state, size: h, end }: StepSpan<'_>,
    ) -> Attempt {
        let Self { contributions, matrix, of_forces, of_rows, newton_rows, x, q, residual, momentum, .. } =
            self;
        let HeldEquations { nodes, integrand, rows, saddle, counts, .. } = parts;
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
                integrand.add_to(*node, h, [free, momentum]);
                contributions.add(node.factors(h), integrand.derivatives(), values);
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

    /// The row farthest beyond the tolerance at the last evaluation, relative to the natural size of a
    /// holonomic row and to the velocities of a nonholonomic one.
    pub(super) fn excess<S: ?Sized>(
        &self,
        parts: &HeldEquations<'_, S>,
        step: StepSpan<'_>,
        tolerance: f64,
    ) -> Option<Excess> {
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
}

/// Leaps of the rows in a step, as on a [manifold](crate::method::constraint::Manifold).
impl Position {
    /// Refuses a first guess to which a row jumps, at the last evaluation.
    pub(super) fn look_for_jumps<S: ?Sized>(
        &mut self,
        parts: &mut HeldEquations<'_, S>,
        step: StepSpan<'_>,
    ) -> Attempt {
        let n = step.state.q.len();
        let holonomic = parts.rows.holonomic();
        self.predicted.clear();
        let far = parts.rows.worst(&self.residual[n..n + holonomic], FAR / step.size.abs());
        if far.is_some() { self.jumped(parts, step) } else { Ok(()) }
    }

    #[cold]
    fn jumped<S: ?Sized>(
        &mut self,
        HeldEquations { rows, counts, .. }: &mut HeldEquations<'_, S>,
        StepSpan { state, size, end }: StepSpan<'_>,
    ) -> Attempt {
        let (n, holonomic) = (state.q.len(), rows.holonomic());
        self.predicted.extend_from_slice(&self.x[..n]);
        let Self { predicted, q, trial, following, correction, .. } = self;
        let (there, values) = (&mut trial[..n], &mut correction[n..n + holonomic]);
        for (there, (q, u)) in there.iter_mut().zip(state.q.iter().zip(&*predicted)) {
            *there = q + size * u;
        }
        rows.values(there, end, values, counts);
        let evaluate = |q: &[f64], values: &mut [f64]| rows.values(q, end, values, counts);
        let memory = (&mut q[..], &mut following[n..n + holonomic]);
        let leap = jump(evaluate, [&state.q, there], (values, rows.reciprocal_sizes()), memory);
        leap.map_or(Ok(()), |leap| Err(leap.behind(n)))
    }

    /// Refuses a solution that a correction far beyond the motion reaches.
    pub(super) fn on_this_branch<S: ?Sized>(
        &self,
        parts: &mut HeldEquations<'_, S>,
        step: StepSpan<'_>,
    ) -> Attempt {
        if self.predicted.is_empty() { Ok(()) } else { self.beyond_motion(parts, step) }
    }

    #[cold]
    fn beyond_motion<S: ?Sized>(
        &self,
        HeldEquations { rows, saddle, counts, .. }: &mut HeldEquations<'_, S>,
        StepSpan { state, end, .. }: StepSpan<'_>,
    ) -> Attempt {
        let (n, scales) = (state.q.len(), saddle.scales());
        let leap = beyond_motion(rows.pattern(), |k| {
            let motion = self.predicted[k].abs() + state.v[k].abs();
            [(self.x[k] - self.predicted[k]) / scales[k], motion / scales[k]]
        });
        let Some(leap) = leap.filter(|leap| leap.row < rows.holonomic()) else { return Ok(()) };
        let mut values = vec![0.0; rows.holonomic()];
        rows.values(&state.q, end, &mut values, counts);
        let moves = values[leap.row].abs() * rows.reciprocal_sizes()[leap.row] > 0.1 * FAR;
        if moves { Ok(()) } else { Err(leap.behind(n)) }
    }
}

/// Begins with −p₀ + B₀ᵀ y in the equations of the momenta, and zeros elsewhere.
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
