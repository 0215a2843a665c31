//! Moments: the events and the gaps of a run, found inside of its steps.
//!
//! A step Φ_h takes the run from z₀ to z₁. Each row e has a value and a rate at both ends, and the cubic
//! through them tells where it may pass zero. The step is then taken again up to there: the moment is
//! the zero of e(Φ_τ(z₀)) in τ, to the rounding of the time, so that its order is that of the method.
//! A method whose steps cannot be cut has the state between both ends by the same cubic.
//!
//! A moment that changes velocities cuts the step: Φ_{h−τ} ∘ R ∘ Φ_τ. The grid of times goes on.
//! Around a symmetric method such a step is symmetric and keeps the order; it is not symplectic.
//!
//! Two zeros of one row inside of a step are seen where the cubic has a turning point between them: a
//! row that touches zero more shallowly than the error of the cubic, of order h⁴, is missed.
//!
//! # Reference
//! R. C. Fetecau, J. E. Marsden, M. Ortiz, M. West, Nonsmooth Lagrangian mechanics and variational
//! collision integrators, SIAM J. Appl. Dyn. Syst. 2 (2003), 381-416, doi:10.1137/S1111111102406038.

mod cubic;
mod impulse;
mod rows;

use super::event::{Event, Passed};
use super::flow::{Flow, Substep};
use super::force_error::{ForceError, SMALLER};
use crate::carried::{self, carried};
use crate::error::{StartError, StepError};
use crate::system::{State, System};
use cubic::{Bracket, Cubic};
use impulse::Impulses;
use rows::{Action, Row, Rows};

/// The most cuts of a step.
const MOST_CUTS: u64 = 64;
/// Below this part of a step no part of it is taken: constraints know no shorter one.
const LEAST_PART: f64 = 1e-9;
/// Moments within this part of a step are of one instant.
const TOGETHER: f64 = 1e-12;
/// The most evaluations for one moment.
const MOST_TRIES: usize = 60;

/// The moments of a run.
pub(crate) struct Moments<'s> {
    method: &'static str,
    rows: Rows<'s>,
    impulses: Option<Impulses<'s>>,
    /// True if parts of steps can be taken.
    cuts: bool,
    /// The state inside of a step at which rows are evaluated: a cut step goes on there, and a run ends.
    pub(super) probe: State,
    /// The state before a step that is cut.
    begin: State,
    is_cut: bool,
    /// The memory of the flow at the end of a step.
    memory: Vec<u64>,
    /// The moments of the last step, in the order of time.
    pub(super) passed: Vec<Passed>,
    /// The energy that all moments have added.
    pub(super) energy: f64,
    /// True if the run has reached the event that ends it.
    pub(super) has_ended: bool,
}

/// A step as the moments leave it.
pub(crate) enum Outcome {
    /// It stays as it is.
    Whole,
    /// It is cut: the run goes on from [`Moments::probe`] with the rest.
    Cut,
    /// The run ends there.
    Ended,
}

/// A zero that was found inside of a step.
struct Found {
    part: f64,
    row: usize,
    rises: bool,
    state: State,
}

impl<'s> Moments<'s> {
    /// The moments that a system declares; `None` if it declares none.
    ///
    /// # Errors
    /// A moment changes velocities, and the method takes no parts of steps; or a gap is violated.
    pub(crate) fn of<S: System + ?Sized>(
        method: &'static str,
        system: &'s S,
        state: &State,
        cuts: bool,
    ) -> Result<Option<Self>, StartError> {
        let Some(declared) = system.moments() else { return Ok(None) };
        let mut moments = Self::new(method, state, cuts);
        moments.rows.declare(declared);
        let name = |row: &Row| moments.rows.names[row.name].clone();
        let of = || system.name().to_owned();
        if let Some(row) = moments.rows.all.iter().find(|row| row.action != Action::None && !cuts) {
            return Err(StartError::MomentsNotKept { method, system: of(), moment: name(row) });
        }
        if let Some(row) = moments.rows.all.iter().find(|row| row.has_friction) {
            return Err(StartError::FrictionNotKept { method, system: of(), gap: name(row) });
        }
        if let Some((row, value)) = moments.rows.violated(state) {
            let gap = moments.rows.names[moments.rows.all[row].name].clone();
            return Err(StartError::GapViolated { system: of(), gap, value });
        }
        moments.impulses = Impulses::of(declared, system, state)?;
        Ok(Some(moments))
    }

    /// No moments.
    pub(crate) fn new(method: &'static str, state: &State, cuts: bool) -> Self {
        Self {
            method,
            rows: Rows::new(state.q.len()),
            impulses: None,
            cuts,
            probe: state.clone(),
            begin: state.clone(),
            is_cut: false,
            memory: Vec::new(),
            passed: Vec::new(),
            energy: 0.0,
            has_ended: false,
        }
    }

    /// Looks for an event.
    ///
    /// # Errors
    /// The model declares no event of this name.
    pub(crate) fn look_for(&mut self, event: Event) -> Result<(), StartError> {
        self.rows.look_for(event)
    }

    /// The names of all rows.
    pub(crate) fn names(&self) -> &[String] {
        &self.rows.names
    }

    /// The state before a step, if it was cut.
    pub(crate) fn begun(&self) -> Option<&State> {
        self.is_cut.then_some(&self.begin)
    }

    /// A step begins.
    pub(crate) fn begin(&mut self) {
        self.passed.clear();
        self.is_cut = false;
    }

    /// Keeps the state before a step that is cut.
    pub(crate) fn keep(&mut self, state: &State) {
        if !std::mem::replace(&mut self.is_cut, true) {
            self.begin.assign(state);
        }
    }

    /// The velocities of the state have changed from outside.
    pub(crate) fn forget(&mut self) {
        self.rows.forget();
    }

    /// Looks for moments in the part of a step from `begin` to `end`, to which the memory of the flow
    /// belongs.
    ///
    /// # Errors
    /// A part of the step fails, or there are too many cuts.
    pub(crate) fn look(
        &mut self,
        flow: &mut dyn Flow,
        (begin, end): (&State, &State),
        number: u64,
    ) -> Result<Outcome, StepError> {
        self.rows.stand(begin, end);
        let h = end.t - begin.t;
        if self.rows.all.iter().all(|row| row.cubic(h).stays(row.sign())) {
            self.rows.arrive(begin);
            return Ok(Outcome::Whole);
        }
        self.memory.clear();
        if self.cuts {
            carried::save(flow, &mut self.memory).map_err(|_| self.refused(begin, h, number))?;
        }
        let mut found = self.find(flow, (begin, end), number)?;
        // Moments of one instant are recorded before the motion changes there.
        let acts = |found: &Found| self.rows.all[found.row].action != Action::None;
        let key = |found: &Found| found.part + if acts(found) { TOGETHER } else { 0.0 };
        found.sort_by(|a, b| key(a).total_cmp(&key(b)));
        let mut recorded = Vec::new();
        for Found { part, row, rises, state } in found {
            let count = self.rows.all[row].count + 1;
            let ends = self.rows.all[row].ends_after == Some(count);
            let action = self.rows.all[row].action;
            if action == Action::None && !ends {
                self.rows.all[row].count = count;
                let name = self.rows.all[row].name;
                let (before, impulse, energy) = (None, 0.0, 0.0);
                self.passed.push(Passed { name, count, rises, state, before, impulse, energy });
                recorded.push((part, row));
                continue;
            }
            let outcome = self.cut(flow, (begin, end), Found { part, row, rises, state }, number)?;
            let together = recorded.into_iter().filter(|(other, _)| part - other <= TOGETHER);
            together.for_each(|(_, row)| self.rows.all[row].fresh = true);
            return Ok(outcome);
        }
        if self.cuts {
            // The words are those of this flow.
            carried::put_back(flow, &self.memory).map_err(|_| self.refused(begin, h, number))?;
        }
        self.rows.arrive(begin);
        Ok(Outcome::Whole)
    }

    /// Acts at a moment inside of a step.
    fn cut(
        &mut self,
        flow: &mut dyn Flow,
        (begin, end): (&State, &State),
        Found { part, row, rises, state }: Found,
        number: u64,
    ) -> Result<Outcome, StepError> {
        let h = end.t - begin.t;
        let cuts = self.passed.iter().filter(|passed| passed.before.is_some()).count() as u64;
        if cuts >= MOST_CUTS {
            let cause = ForceError::Accumulated { impacts: cuts };
            let place = self.rows.names[self.rows.all[row].name].clone();
            let substep = Substep { number, size: h, end: end.t };
            return Err(cause.at(self.method, place, &substep, state.t, SMALLER));
        }
        // The memory of the flow then belongs to the moment.
        self.stand(flow, (begin, end), part, number)?;
        let Row { name, action, ends_after, .. } = self.rows.all[row];
        let count = self.rows.all[row].count + 1;
        self.rows.all[row].count = count;
        let mut passed = Passed { name, count, rises, state, before: None, impulse: 0.0, energy: 0.0 };
        if let Some(impulses) = self.impulses.as_mut().filter(|_| action != Action::None) {
            let before = self.probe.v.clone();
            let failed = impulses.act(&mut self.rows, (row, h), &mut self.probe, &mut passed);
            failed.map_err(|cause| self.failed(cause, begin, h, number))?;
            passed.before = Some(before);
            passed.state.assign(&self.probe);
            self.energy += passed.energy;
        }
        self.passed.push(passed);
        self.rows.restart(row);
        if ends_after == Some(count) {
            self.has_ended = true;
            return Ok(Outcome::Ended);
        }
        Ok(Outcome::Cut)
    }

    /// All zeros inside of a part of a step, with the states there.
    fn find(
        &mut self,
        flow: &mut dyn Flow,
        (begin, end): (&State, &State),
        number: u64,
    ) -> Result<Vec<Found>, StepError> {
        let (h, mut found) = (end.t - begin.t, Vec::new());
        for row in 0..self.rows.all.len() {
            let (cubic, sign) = (self.rows.all[row].cubic(h), self.rows.all[row].sign());
            for bracket in cubic.brackets(sign) {
                if self.rows.all[row].rises.is_some_and(|rises| rises != bracket.rises) {
                    continue;
                }
                if let Some(part) = self.locate(flow, (begin, end), (row, cubic, bracket), number)? {
                    found.push(Found { part, row, rises: bracket.rises, state: self.probe.clone() });
                }
            }
        }
        Ok(found)
    }

    /// The zero of a row between two places of a step; `None` if the motion does not reach it.
    fn locate(
        &mut self,
        flow: &mut dyn Flow,
        (begin, end): (&State, &State),
        (row, cubic, bracket): (usize, Cubic, Bracket),
        number: u64,
    ) -> Result<Option<f64>, StepError> {
        let (h, Bracket { ends: [mut left, mut right], zero, rises }) = (end.t - begin.t, bracket);
        let outside = if rises { -1.0 } else { 1.0 };
        let mut value_at = |this: &mut Self, part: f64| -> Result<f64, StepError> {
            this.stand(flow, (begin, end), part, number)?;
            Ok(this.rows.value(row, &this.probe))
        };
        // The cubic alone tells of a turning point; the step decides if the row passes zero there.
        let inner = [(left, outside), (right, -outside)];
        for (inner, side) in inner.into_iter().filter(|(place, _)| *place > 0.0 && *place < 1.0) {
            if value_at(self, inner)? * side <= 0.0 {
                return Ok(None);
            }
        }
        let rounding = 2.0 * f64::EPSILON * (end.t.abs() / h.abs()).max(1.0);
        let (mut part, mut last) = (zero, None::<[f64; 2]>);
        for _ in 0..MOST_TRIES {
            let value = value_at(self, part)?;
            if value == 0.0 || right - left <= rounding {
                break;
            }
            if value * outside > 0.0 {
                left = part;
            } else {
                right = part;
            }
            let slope = match last {
                Some([other, before]) if (value - before).abs() > 0.0 => (value - before) / (part - other),
                _ => cubic.slope(part),
            };
            last = Some([part, value]);
            let next = part - value / slope;
            let next = if next >= left && next <= right { next } else { 0.5 * (left + right) };
            if (next - part).abs() <= rounding {
                break;
            }
            part = next;
        }
        Ok(Some(part))
    }

    /// Writes the state at a part of a step over the probe; the memory of the flow belongs to it then.
    fn stand(
        &mut self,
        flow: &mut dyn Flow,
        (begin, end): (&State, &State),
        part: f64,
        number: u64,
    ) -> Result<(), StepError> {
        let h = end.t - begin.t;
        if !self.cuts {
            rows::between((begin, end), part, &mut self.probe);
            return Ok(());
        }
        let (size, end) = (part * h, begin.t + part * h);
        if !flow.go_on_from(begin) {
            return Err(self.refused(begin, h, number));
        }
        self.probe.t = end;
        if part < LEAST_PART {
            self.probe.assign(begin);
            return Ok(());
        }
        flow.advance(begin, &Substep { number, size, end }, &mut self.probe)
    }

    fn refused(&self, begin: &State, h: f64, number: u64) -> StepError {
        self.failed(ForceError::NotCut, begin, h, number)
    }

    #[cold]
    fn failed(&self, cause: ForceError, begin: &State, size: f64, number: u64) -> StepError {
        cause.at(self.method, String::new(), &Substep { number, size, end: begin.t + size }, begin.t, SMALLER)
    }
}

carried!(['s] Moments<'s> { rows, energy, has_ended } besides { method, impulses, cuts, probe, begin, is_cut, memory, passed });
