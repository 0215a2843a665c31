//! Consistent initial values and multipliers of constrained systems.

use super::SlowManifold;
use crate::error::ProjectionError;
use crate::method::check::{check_option, check_state};
use crate::method::report::Evaluations;
use crate::system::{Constrained, State, Unforced};
use crate::wrap::Penalized;

/// A state on the constraints, with its multipliers.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ConsistentStart {
    /// Positions and velocities with g = 0 and ġ = 0, up to the error of the extrapolation.
    pub state: State,
    /// λ in M q̈ = −∇V + Gᵀ λ.
    pub multipliers: Vec<f64>,
    /// The largest change of a multiplier by the last extrapolation: an error estimate one level before.
    pub change: f64,
    /// The number of iterations for each ω.
    pub iterations: u32,
    /// The number of evaluations.
    pub evaluations: Evaluations,
}

/// Multipliers have settled when they change by less.
const SETTLED: f64 = 1e-9;

impl SlowManifold {
    /// The state on the constraints to which IPA leads from a guess, with its multipliers, by Richardson
    /// extrapolation in ω.
    ///
    /// The guess is projected onto the slow manifolds of the penalties ω, 2ω, …, 2^{l−1} ω,
    /// l = `levels`, all with one number of iterations. In the time ω t the micro-integrations agree up
    /// to terms in even powers of 1/ω, so the state and λ = −ω² g are expansions in ω⁻² around the
    /// limit; extrapolation leaves errors O(ω^−2l). Since λ is ω² times a difference of numbers near 1,
    /// rounding contributes 10⁻¹⁶ ω² 4^{l−1}: ω from 100 to 1000 with three levels is most accurate.
    ///
    /// No equation is solved, and constraints may depend on each other.
    ///
    /// # Errors
    /// `levels` outside 1 to 8, a guess that does not fit or is not finite, no convergence.
    pub fn consistent_start<S: Constrained + Unforced + ?Sized>(
        &self,
        system: &S,
        omega: f64,
        levels: u32,
        guess: &State,
    ) -> Result<ConsistentStart, ProjectionError> {
        check_option(Self::NAME, (1..=8).contains(&levels), ("levels", f64::from(levels), "[1, 8]"))?;
        check_state(system, guess)?;
        let penalties: Vec<Penalized<'_, S>> = (0..levels)
            .map(|level| Penalized::new(system, omega * f64::from(1_u32 << level)))
            .collect::<Result<_, _>>()?;
        // Let the multipliers settle as far as they can.
        let settled = SlowManifold { force_tolerance: self.force_tolerance.min(SETTLED), ..*self };
        let mut projectors =
            penalties.iter().map(|penalty| settled.projector(penalty)).collect::<Result<Vec<_>, _>>()?;
        let mut done = Vec::with_capacity(projectors.len());
        for projector in &mut projectors {
            done.push(projector.find(guess, &mut |_, _, _| {})?.iterations);
        }
        // Another number of iterations would give another point.
        let iterations = done.iter().copied().max().unwrap_or(0);
        let mut evaluations = Evaluations::default();
        let mut rows: Vec<Vec<f64>> = Vec::with_capacity(projectors.len());
        for ((projector, penalty), done) in projectors.iter_mut().zip(&penalties).zip(done) {
            projector.go_on(iterations - done)?;
            let State { t, q, v } = projector.found();
            let mut multipliers = vec![0.0; system.constraints()];
            penalty.multipliers(q, *t, &mut multipliers);
            rows.push([q.as_slice(), v, &multipliers].concat());
            evaluations = evaluations.with(projector.evaluations());
        }
        let n = guess.q.len();
        let (mut best, change) = extrapolated(rows, 2 * n);
        let multipliers = best.split_off(2 * n);
        let v = best.split_off(n);
        Ok(ConsistentStart {
            state: State { t: guess.t, q: best, v },
            multipliers,
            change,
            iterations,
            evaluations,
        })
    }
}

/// Richardson's extrapolation of rows with errors in powers of 4^−level; also the last change of the
/// entries from `watched` on.
fn extrapolated(mut rows: Vec<Vec<f64>>, watched: usize) -> (Vec<f64>, f64) {
    let (mut change, mut factor) = (f64::INFINITY, 1.0);
    for order in 1..rows.len() {
        factor *= 4.0;
        for level in (order..rows.len()).rev() {
            let (coarser, finer) = rows.split_at_mut(level);
            for (fine, coarse) in finer[0].iter_mut().zip(&coarser[level - 1]) {
                *fine += (*fine - coarse) / (factor - 1.0);
            }
        }
    }
    let last = rows.pop().unwrap_or_default();
    if let Some(before) = rows.last() {
        let differences = last.iter().zip(before).skip(watched).map(|(a, b)| (a - b).abs());
        change = differences.fold(0.0, f64::max);
    }
    (last, change)
}
