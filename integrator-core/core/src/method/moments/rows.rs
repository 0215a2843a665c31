//! The rows of a run: their values and rates at both ends of a step.

use super::cubic::Cubic;
use crate::carried::{Carried, CarryError, Memory, carried};
use crate::error::StartError;
use crate::method::event::{Event, EventValue};
use crate::system::{Moments as Declared, RowsOf, State};

/// The effect of a moment on the motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    None,
    /// Velocities take new values.
    Reset,
    /// Bodies collide.
    Impact,
}

/// The kinds of rows that a model declares, gaps first.
const KINDS: [RowsOf; 2] = [RowsOf::Unilateral, RowsOf::Event];
/// Half of the span of a difference in time, as a part of the step.
const SPAN: f64 = 1.0 / 8192.0;
/// Gaps below zero by so many round-off units of their terms are zero.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// A row, and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// The place of its name.
    pub(super) name: usize,
    pub(super) action: Action,
    pub(super) has_friction: bool,
    pub(super) rises: Option<bool>,
    pub(super) ends_after: Option<u64>,
    /// The number of moments so far.
    pub(super) count: u64,
    /// The value and the rate at the begin and at the end of a step.
    pub(super) at: [[f64; 2]; 2],
    /// True if it is zero at the begin, where it has acted: its rate tells its sign.
    pub(super) fresh: bool,
    /// The rounding of a gap at the end of a step: a body may touch another without closing in.
    slack: f64,
}

impl Row {
    fn new(name: usize, action: Action) -> Self {
        Self {
            name,
            action,
            has_friction: false,
            rises: None,
            ends_after: None,
            count: 0,
            at: [[0.0; 2]; 2],
            fresh: false,
            slack: 0.0,
        }
    }

    /// The row in a step of length h.
    pub(super) fn cubic(&self, h: f64) -> Cubic {
        let [[begin, rate], [end, rate_at_end]] = self.at;
        let begin = if self.fresh { 0.0 } else { begin };
        Cubic { values: [begin, end], slopes: [h * rate, h * rate_at_end], slack: self.slack }
    }

    /// The sign with which a step begins.
    pub(super) fn sign(&self) -> f64 {
        let [value, rate] = self.at[0];
        if self.action == Action::Impact {
            1.0
        } else if !self.fresh && value != 0.0 {
            value.signum()
        } else if rate != 0.0 {
            rate.signum()
        } else {
            self.at[1][0].signum()
        }
    }
}

/// The rows of a kind that the model declares.
struct Kind {
    of: RowsOf,
    first: usize,
    values: Vec<f64>,
    derivatives: Vec<f64>,
    rates: Vec<f64>,
}

/// All rows of a run.
pub(super) struct Rows<'s> {
    declared: Option<&'s dyn Declared>,
    kinds: Vec<Kind>,
    pub(super) all: Vec<Row>,
    pub(super) names: Vec<String>,
    /// The values of the last rows, which the model does not declare.
    own: Vec<EventValue>,
    /// True if the values at the begin of a step are known.
    is_known: bool,
    /// True if a row may read velocities: then accelerations are needed.
    reads_velocities: bool,
    /// (v, a).
    motion: Vec<f64>,
    /// The velocities one step before the begin, and their time, if they belong to the same motion.
    before: Vec<f64>,
    time_before: f64,
    has_before: bool,
    beside: State,
}

impl<'s> Rows<'s> {
    pub(super) fn new(n: usize) -> Self {
        Self {
            declared: None,
            kinds: Vec::new(),
            all: Vec::new(),
            names: Vec::new(),
            own: Vec::new(),
            is_known: false,
            reads_velocities: false,
            motion: vec![0.0; 2 * n],
            before: vec![0.0; n],
            time_before: 0.0,
            has_before: false,
            beside: State::at_rest(vec![0.0; n]),
        }
    }

    /// Takes the rows that a model declares.
    pub(super) fn declare(&mut self, declared: &'s dyn Declared) {
        self.declared = Some(declared);
        for of in KINDS {
            let (first, methods) = (self.all.len(), declared.moment_methods(of));
            for method in methods {
                let action = match of {
                    RowsOf::Unilateral => Action::Impact,
                    _ if method.resets.is_empty() => Action::None,
                    _ => Action::Reset,
                };
                for row in method.rows.clone() {
                    let rises = if of == RowsOf::Unilateral { Some(false) } else { method.rises };
                    let has_friction = method.friction > 0.0;
                    self.all.push(Row { has_friction, rises, ..Row::new(self.names.len(), action) });
                    self.names.push(method.row_name(row));
                }
            }
            let (count, n) = (self.all.len() - first, self.before.len());
            self.reads_velocities |= declared.moment_pattern(of).entries().any(|(_, column)| column >= n);
            let derivatives = vec![0.0; declared.moment_pattern(of).len()];
            let (values, rates) = (vec![0.0; count], vec![0.0; count]);
            self.kinds.push(Kind { of, first, values, derivatives, rates });
        }
    }

    /// Looks for an event: one that the model declares, all of its rows, or one with a value of its own.
    ///
    /// # Errors
    /// The model declares no event of this name.
    pub(super) fn look_for(&mut self, event: Event) -> Result<(), StartError> {
        let Event { name, rises, ends_after, value } = event;
        if let Some(value) = value {
            self.all.push(Row { rises, ends_after, ..Row::new(self.names.len(), Action::None) });
            self.names.push(name);
            self.own.push(value);
            (self.is_known, self.reads_velocities) = (false, true);
            return Ok(());
        }
        let is_own =
            |own: &str| own == name || own.strip_prefix(&*name).is_some_and(|rest| rest.starts_with('['));
        let mut found = false;
        for row in &mut self.all {
            if is_own(&self.names[row.name]) {
                found = true;
                // A gap closes, and a reset acts, as the model declares.
                if row.action == Action::None {
                    row.rises = rises.or(row.rises);
                }
                row.ends_after = ends_after.or(row.ends_after);
            }
        }
        if found {
            Ok(())
        } else {
            Err(StartError::UnknownEvent { event: name, known: self.names.join(", ") })
        }
    }

    /// The first gap that is violated at the begin, and its value.
    pub(super) fn violated(&mut self, state: &State) -> Option<(usize, f64)> {
        self.evaluate(0, state, 1.0);
        let mut gaps = self.all.iter().enumerate().filter(|(_, row)| row.action == Action::Impact);
        // A value that is not a number is refused.
        let is_kept = |row: &Row| row.at[0][0] >= -row.slack;
        gaps.find(|(_, row)| !is_kept(row)).map(|(place, row)| (place, row.at[0][0]))
    }

    /// Evaluates all rows at the end of a step, and at its begin, unless they are known there.
    pub(super) fn stand(&mut self, begin: &State, end: &State) {
        let (n, h) = (begin.q.len(), end.t - begin.t);
        let mean = |k: usize| (end.v[k] - begin.v[k]) / h;
        if !self.is_known {
            (0..n).filter(|_| self.reads_velocities).for_each(|k| self.motion[n + k] = mean(k));
            self.evaluate(0, begin, h);
        }
        if !self.reads_velocities {
            return self.evaluate(1, end, h);
        }
        let Self { motion, before, .. } = self;
        let earlier = begin.t - self.time_before;
        for k in 0..n {
            // The slope of the parabola through three velocities at its end.
            let bend = (mean(k) - (begin.v[k] - before[k]) / earlier) / (earlier + h);
            motion[n + k] = mean(k) + if self.has_before { h * bend } else { 0.0 };
        }
        self.evaluate(1, end, h);
    }

    /// Writes all values and rates at a state; its acceleration stands behind the velocities.
    fn evaluate(&mut self, side: usize, state: &State, h: f64) {
        let Self { declared, kinds, all, motion, own, beside, .. } = self;
        let State { q, v, t } = state;
        motion[..v.len()].copy_from_slice(v);
        for Kind { of, first, values, derivatives, rates } in kinds {
            let Some(declared) = declared.filter(|_| !values.is_empty()) else { continue };
            declared.moment_derivatives(*of, q, v, *t, values, derivatives);
            declared.moment_rates(*of, q, v, *t, rates);
            declared.moment_pattern(*of).multiply_add(derivatives, motion, rates);
            for (row, (value, rate)) in all[*first..].iter_mut().zip(values.iter().zip(&*rates)) {
                (row.at[side], row.slack) = ([*value, *rate], 0.0);
            }
            if *of == RowsOf::Unilateral {
                for ((row, column), slope) in declared.moment_pattern(*of).entries().zip(derivatives) {
                    all[*first + row].slack += q.get(column).map_or(0.0, |q| ROUNDING * (*slope * q).abs());
                }
            }
        }
        let (first, n) = (all.len() - own.len(), q.len());
        for (row, value) in all[first..].iter_mut().zip(own) {
            let mut along = |span: f64| {
                beside.t = t + span;
                for k in 0..n {
                    beside.q[k] = q[k] + span * (v[k] + 0.5 * span * motion[n + k]);
                    beside.v[k] = v[k] + span * motion[n + k];
                }
                value(beside)
            };
            let span = SPAN * h;
            let rate = (along(span) - along(-span)) / (2.0 * span);
            row.at[side] = [value(state), rate];
        }
    }

    /// The value of a row at a state.
    pub(super) fn value(&mut self, row: usize, state: &State) -> f64 {
        let first = self.all.len() - self.own.len();
        if let Some(own) = row.checked_sub(first) {
            return (self.own[own])(state);
        }
        let State { q, v, t } = state;
        let kind = self.kinds.iter_mut().rfind(|kind| kind.first <= row);
        match (kind, self.declared) {
            (Some(Kind { of, first, values, .. }), Some(declared)) => {
                declared.moment_values(*of, q, v, *t, values);
                values[row - *first]
            }
            _ => f64::NAN,
        }
    }

    /// The end of the step becomes the begin of the next.
    pub(super) fn arrive(&mut self, begin: &State) {
        for row in &mut self.all {
            row.at[0] = row.at[1];
            row.fresh = false;
        }
        if self.reads_velocities {
            self.before.copy_from_slice(&begin.v);
        }
        (self.time_before, self.has_before, self.is_known) = (begin.t, true, true);
    }

    /// A row has acted, and the motion begins again from there.
    pub(super) fn restart(&mut self, acted: usize) {
        self.forget();
        self.all[acted].fresh = true;
    }

    /// The motion begins again.
    pub(super) fn forget(&mut self) {
        (self.is_known, self.has_before) = (false, false);
    }
}

/// Writes the state at a part of a step over another, by the cubics through positions and velocities of
/// both ends.
pub(super) fn between((from, to): (&State, &State), part: f64, state: &mut State) {
    let h = to.t - from.t;
    state.t = from.t + part * h;
    for k in 0..from.q.len() {
        let cubic = Cubic { values: [from.q[k], to.q[k]], slopes: [h * from.v[k], h * to.v[k]], slack: 0.0 };
        (state.q[k], state.v[k]) = (cubic.value(part), cubic.slope(part) / h);
    }
}

/// The run fixes the number of rows.
impl Carried for Rows<'_> {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        memory.agrees(self.all.len() as u64)?;
        self.all.iter_mut().try_for_each(|row| row.carry(memory))?;
        let Self { is_known, before, time_before, has_before, .. } = self;
        is_known.carry(memory)?;
        before.carry(memory)?;
        time_before.carry(memory)?;
        has_before.carry(memory)
    }
}

carried!([] Row { count, at, fresh, slack } besides { name, action, has_friction, rises, ends_after });
