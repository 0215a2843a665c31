//! The step of a system with constraints, in the position–momentum form.

use super::integrand::{Integrand, Node, sees_potential};
use super::limits;
use super::parts::{Foot, HeldEquations, MATRIX, singular};
use super::position::Position;
use super::saddle::Saddle;
use super::velocity::Velocity;
use crate::carried::carried;
use crate::error::{Begun, StartError, StepError};
use crate::method::constraint::{Null, Rows, check_gradients, listed, null_space};
use crate::method::first_order::Balance;
use crate::method::flow::{Flow, Substep};
use crate::method::force_error::{Attempt, ForceError, WITH_ROWS, at_start, no_factors};
use crate::method::newton::Newton;
use crate::method::report::{Evaluations, Report};
use crate::method::stability::OF_VERLET;
use crate::system::{Lagrangian, State};

/// The flow of a discrete Lagrangian under constraints.
pub(in crate::method) struct Held<'s, S: ?Sized> {
    method: &'static str,
    parts: HeldEquations<'s, S>,
    position: Position,
    velocity: Velocity,
    foot: Foot,
    /// Describes the rows that depend on each other at the start.
    warning: Option<String>,
    /// The length of the last step, and true if the trace has ½ h² λ⁺ and ½ h λ⁻.
    size: f64,
    of_impulses: bool,
    balance: Option<Box<Balance<'s>>>,
}

impl<'s, S: Lagrangian + ?Sized> Held<'s, S> {
    pub(super) fn start(
        system: &'s S,
        rows: Rows<'s>,
        method: &'static str,
        newton: Newton,
        nodes: &'static [Node],
        balance: Option<Box<Balance<'s>>>,
        state: &State,
    ) -> Begun<Self> {
        let n = system.dimension();
        let height = rows.height();
        let no_memory = || no_factors(system, MATRIX, (0.0, 0));
        let mut saddle = Saddle::new(system, &rows).ok_or_else(no_memory)?;
        saddle.stand_in(balance.as_ref().map_or(&[], |balance| balance.states()));
        let position = Position::new(system, &rows).ok_or_else(no_memory)?;
        let foot = Foot {
            momentum: vec![0.0; n],
            at: rows.at(),
            solution: vec![0.0; n + height],
            solved: false,
            multipliers: vec![0.0; height],
            stands: false,
        };
        let counts = Evaluations::default();
        let integrand = Integrand::new(system);
        let parts = HeldEquations { nodes, newton, integrand, rows, saddle, dependent: false, counts };
        let velocity = Velocity::new(&parts.rows, n);
        let (size, of_impulses) = (f64::NAN, false);
        let mut held =
            Self { method, parts, position, velocity, foot, warning: None, size, of_impulses, balance };
        held.check(state)?;
        held.stand(state).map_err(|error| at_start(system.name(), |index| held.name_of(index), error))?;
        held.warning = held.dependence(state)?;
        // A sparse matrix allocates when it is first factored: here.
        held.position.reserve(&mut held.parts, &held.foot, state);
        Ok(held)
    }

    /// The flow with a trace of impulses.
    pub(super) fn of_impulses(self) -> Self {
        Self { of_impulses: true, ..self }
    }

    /// Makes `v` tangent at the foot, in the metric of L_vv: B v = 0, or with the rates of rows at a
    /// place.
    fn lay(&mut self, v: &mut [f64], with_rates: Option<(&[f64], f64)>) {
        let Self { parts: HeldEquations { rows, saddle, .. }, foot, .. } = self;
        let (free, constrained) = saddle.given().split_at_mut(v.len());
        free.fill(0.0);
        constrained.fill(0.0);
        match with_rates {
            Some((q, t)) => rows.rates(q, v, t, &foot.at, constrained),
            None => rows.pattern().multiply_add(&foot.at.matrix, v, constrained),
        }
        constrained.iter_mut().for_each(|rate| *rate = -*rate);
        saddle.refine(rows, &mut foot.solution);
        v.iter_mut().zip(&foot.solution).for_each(|(v, change)| *v += change);
    }

    /// Refuses a start off the constraints, and rows that contradict each other.
    fn check(&mut self, state: &State) -> Begun {
        let Self { parts, foot, .. } = self;
        parts.integrand.system.holonomic().map_or(Ok(()), |rows| check_gradients(rows, state))?;
        let off = parts.rows.off(state, &mut foot.at, &mut parts.counts);
        off.map_or(Ok(()), |(error, residuals)| Err(self.contradiction(state, &residuals).unwrap_or(error)))
    }

    /// The error of dependent rows with independent residuals: no motion removes them.
    fn contradiction(&mut self, state: &State, residuals: &[f64]) -> Option<StartError> {
        let Self { parts, foot, .. } = self;
        parts.integrand.evaluate_mass(&state.q, &state.v, state.t, &mut parts.counts);
        parts.saddle.factor(&parts.integrand, &parts.rows, &foot.at).ok()?;
        let null = null_space(residuals.len(), |z| parts.saddle.keep_null(z));
        Some(parts.contradictory(&null.contradicted_by(residuals)?))
    }

    /// Describes the rows that depend on each other at the foot.
    fn dependence(&mut self, state: &State) -> Begun<Option<String>> {
        let State { t, q, v } = state;
        let Self { parts, foot, .. } = self;
        let mut null = null_space(parts.rows.height(), |z| parts.saddle.keep_null(z));
        if null.is_empty() {
            return Ok(None);
        }
        // Rows whose accelerations contradict each other hold only for an instant.
        let mut curvature = vec![0.0; parts.rows.height()];
        parts.rows.curvature(q, v, *t, &foot.at, &mut curvature);
        let (rows, accelerations) = ((parts.rows.pattern(), &foot.at.matrix[..]), &foot.solution[..q.len()]);
        if let Some(rows) = null.contradicted_by_curvature(&curvature, rows, accelerations) {
            return Err(parts.contradictory(&rows));
        }
        let (positions, height) = (parts.rows.holonomic(), parts.rows.height());
        let nearby = if positions < height { self.nearby(state) } else { None };
        let implied = nearby.as_ref().map_or_else(Vec::new, |(there, _)| {
            let there = there.implied(positions);
            null.implied(positions).into_iter().filter(|row| there.contains(row)).collect()
        });
        let mut words = Vec::new();
        if !implied.is_empty() {
            let rows = listed(&implied, |row| self.parts.rows.name(row));
            words.push(format!(
                "constraints on positions imply {rows}: left out, since a step would keep both to its own accuracy only"
            ));
            self.parts.rows.leave_out(&implied);
            self.stand(state).map_err(|error| {
                at_start(self.parts.integrand.system.name(), |index| self.name_of(index), error)
            })?;
            let Self { parts, .. } = self;
            null = null_space(height, |z| parts.saddle.keep_null(z)).without_zeros();
        }
        let varying = nearby.and_then(|(there, matrix)| self.varying(&null, &there, &matrix));
        if let Some(rows) = varying {
            let Self { method, parts, .. } = self;
            return Err(StartError::VaryingFactors {
                method,
                system: parts.integrand.system.name().to_owned(),
                equations: listed(&rows, |row| parts.rows.name(row)),
            });
        }
        if !null.is_empty() {
            self.parts.dependent = true;
            words.push(null.warning(|row| self.parts.rows.name(row)));
        }
        Ok(Some(words.join("; ")))
    }

    /// Nonholonomic rows whose dependence has other factors nearby, in a step that takes means of rows.
    fn varying(&self, null: &Null, there: &Null, matrix: &[f64]) -> Option<Vec<usize>> {
        let rows = &self.parts.rows;
        if self.parts.nodes.len() == 1 {
            return None;
        }
        null.varies(there, rows.holonomic()..rows.height(), (rows.pattern(), matrix))
    }

    /// The dependences of rows near a state, and B there.
    fn nearby(&mut self, State { t, q, v }: &State) -> Option<(Null, Vec<f64>)> {
        let Self { parts, foot, .. } = self;
        // A place that differs in all coordinates, relative to their size where they are not zero.
        let nearby = |(index, q): (usize, &f64)| {
            let part = 0.01 * (1.0 + 0.1 * (index % 7) as f64);
            q + part * if *q == 0.0 { 1.0 } else { q.abs() }
        };
        let elsewhere: Vec<f64> = q.iter().enumerate().map(nearby).collect();
        let mut at = parts.rows.at();
        parts.integrand.evaluate_mass(&elsewhere, v, *t, &mut parts.counts);
        parts.rows.evaluate(&elsewhere, v, *t, &mut at, &mut parts.counts);
        let found = parts.saddle.factor(&parts.integrand, &parts.rows, &at).ok().map(|_| {
            let there = null_space(parts.rows.height(), |z| parts.saddle.keep_null(z));
            (there, at.matrix)
        });
        // Back to the foot, which was factored before.
        parts.integrand.evaluate_mass(q, v, *t, &mut parts.counts);
        let _ = parts.saddle.factor(&parts.integrand, &parts.rows, &foot.at);
        found
    }

    /// The degree of freedom or row of an unknown of a stage.
    fn name_of(&self, index: usize) -> String {
        let n = self.parts.integrand.system.dimension();
        if index < n {
            self.parts.integrand.system.layout().name_of(index)
        } else {
            self.parts.rows.name(index - n)
        }
    }

    /// Puts the foot at a state: computes all that depends on it alone.
    fn stand(&mut self, State { t, q, v }: &State) -> Attempt {
        let Self { parts, foot, .. } = self;
        foot.stands = false;
        parts.integrand.evaluate_mass(q, v, *t, &mut parts.counts);
        parts.rows.evaluate(q, v, *t, &mut foot.at, &mut parts.counts);
        if parts.saddle.factor(&parts.integrand, &parts.rows, &foot.at).map_err(singular)? {
            parts.counts.factorizations += 1;
        }
        foot.settle(parts, (q, v, *t));
        Ok(())
    }

    fn attempt(&mut self, state: &State, h: f64, next: &mut State) -> Attempt {
        if !self.foot.stands {
            self.stand(state)?;
        }
        let Self { parts, position, velocity, foot, size, balance, .. } = self;
        *size = h;
        let stage = position.solve(parts, foot, (state, h), next)?;
        foot.stands = false;
        velocity.solve(parts, stage, &mut foot.at, next)?;
        if let Some(balance) = balance {
            balance.solve(parts.integrand.system, &next.q, &mut next.v, next.t)?;
        }
        foot.settle(parts, (&next.q, &next.v, next.t));
        Ok(())
    }

    /// The error of a failed step; above the linear limit at the last good state, it says so.
    #[cold]
    fn failed(&self, error: ForceError, substep: &Substep, state: &State) -> StepError {
        let (method, size) = (self.method, substep.size.abs());
        let with_potential = sees_potential(self.parts.nodes);
        let omega = limits::fastest_frequency(self.parts.integrand.system, state, with_potential);
        let leapt = matches!(error, ForceError::Leap { .. });
        let limit = omega.map(|omega| OF_VERLET / omega).filter(|limit| size > *limit && !leapt);
        if let Some(limit) = limit {
            return ForceError::AboveStability { limit }.of_step(method, substep, state.t);
        }
        error.in_step(method, |index| self.name_of(index), substep, state.t, WITH_ROWS)
    }
}

impl<S: Lagrangian + ?Sized> Flow for Held<'_, S> {
    fn takes_parts(&self) -> bool {
        true
    }

    fn advance(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        let outcome = self.attempt(state, substep.size, next);
        outcome.map_err(|error| {
            // The last good state has been a foot before; if that fails now, the next step reports it.
            let _ = self.stand(state);
            self.failed(error, substep, state)
        })
    }

    fn multipliers(&self) -> Option<&[f64]> {
        (self.foot.stands && self.foot.solved).then_some(&self.foot.multipliers)
    }

    fn trace_length(&self) -> usize {
        2 * self.parts.rows.height()
    }

    fn trace(&self, trace: &mut [f64]) {
        let (early, late) = trace.split_at_mut(self.parts.rows.height());
        early.copy_from_slice(self.position.multipliers());
        late.copy_from_slice(self.velocity.multipliers());
        if self.of_impulses {
            early.iter_mut().for_each(|y| *y *= -self.size);
            late.iter_mut().for_each(|y| *y = -*y);
        }
    }

    fn make_tangent(&mut self, v: &mut [f64]) {
        self.lay(v, None);
    }

    fn kick(&mut self, state: &mut State) {
        let State { t, q, v } = state;
        self.lay(v, Some((q, *t)));
        // The next step reports a failure.
        let _ = self.stand(state);
    }

    fn report(&self) -> Report<'_> {
        Report::of(self.parts.counts)
    }

    fn go_on_from(&mut self, state: &State) -> bool {
        // The next step reports a failure.
        let _ = self.stand(state);
        true
    }

    fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }
}

carried!([S: Lagrangian + ?Sized] Held<'_, S> {
    parts, foot
} besides { method, position, velocity, warning, size, of_impulses, balance });
