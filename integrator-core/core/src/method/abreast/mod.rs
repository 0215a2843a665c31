//! Runs that step side by side, each in a lane of registers with the bits that it has alone.
//!
//! Steps take the code of single runs, on registers that round as single numbers. Where a run needs
//! more, such as another matrix in Newton's method or an error, it takes this step alone: rare cases
//! have one source, and a run fails with the error that it has alone.

mod lockstep;
mod numbers;
mod rows;

use super::contract::{Beside, Stepper};
use super::scheme::Scheme;
use crate::error::StepError;
use crate::lanes::Width;
use lockstep::{Join, Lockstep};

/// Runs side by side: at most as many as registers have lanes.
#[doc(hidden)]
pub struct Abreast {
    lockstep: Box<dyn Lockstep>,
    /// The number of steps of each run that has not ended.
    steps: u64,
    /// The lanes whose runs step in registers; the others step by themselves, or have ended.
    together: u8,
    /// All lanes with runs.
    all: u8,
    lanes: Vec<Lane>,
}

/// A run in a lane.
#[derive(Default)]
struct Lane {
    /// The steps taken alone.
    alone: u64,
    has_ended: bool,
    failure: Option<StepError>,
}

/// A run that takes more than this part of its steps alone leaves the others.
const MOST_ALONE: u64 = 4;
/// It is not judged before so many of them.
const PATIENCE: u64 = 16;

impl Abreast {
    /// Begins to step runs side by side; `None` if their model, method or numbers do not allow it.
    pub fn of(width: Width, runs: &mut [Box<dyn Stepper + '_>]) -> Option<Self> {
        let (registers, lanes) = (width.registers()?, width.lanes());
        if lanes < 2 || runs.len() < 2 || runs.len() > lanes {
            return None;
        }
        let parts: Vec<Beside<'_>> = runs.iter_mut().map(|run| run.beside()).collect::<Option<_>>()?;
        let schemes: Vec<Scheme<'_>> = parts.iter().map(|part| part.flow.scheme()).collect::<Option<_>>()?;
        let sizes: Vec<f64> = parts.iter().map(|part| part.step).collect();
        let mut lockstep = registers.run(Join(registers, &schemes, &sizes))?;
        let steps = *parts[0].steps;
        if parts.iter().any(|part| *part.steps != steps) {
            return None;
        }
        (0..lanes).for_each(|lane| lockstep.write(lane, parts.get(lane).unwrap_or(&parts[0]).state));
        lockstep.stand();
        let all = u8::MAX >> (8 - parts.len());
        let lanes = parts.iter().map(|_| Lane::default()).collect();
        Some(Self { lockstep, steps, together: all, all, lanes })
    }

    /// Steps each run that has not failed; allocates nothing.
    pub fn step(&mut self, runs: &mut [Box<dyn Stepper + '_>]) {
        let begun = self.together;
        let done = if begun == 0 { 0 } else { self.lockstep.advance() };
        if begun == self.all && done & begun == begun {
            self.steps += 1;
            return;
        }
        let mut written = false;
        for (lane, run) in runs.iter_mut().enumerate() {
            let bit = 1_u8 << lane;
            if done & begun & bit != 0 || self.lanes[lane].has_ended {
                continue;
            }
            if begun & bit != 0 {
                self.bring(lane, &mut **run);
                self.go_on(lane, &mut **run);
            }
            let Lane { alone, has_ended, failure } = &mut self.lanes[lane];
            *failure = run.step().err();
            *has_ended = failure.is_some();
            *alone += 1;
            let leaves = *has_ended || *alone > PATIENCE + (self.steps + 1) / MOST_ALONE;
            if leaves {
                self.together &= !bit;
            } else if begun & bit != 0 {
                self.lockstep.write(lane, run.state());
                written = true;
            }
        }
        self.steps += 1;
        if written {
            self.lockstep.stand();
        }
    }

    /// Ends a run, which keeps the state that it was brought.
    pub fn leave(&mut self, lane: usize) {
        self.together &= !(1 << lane);
        self.lanes[lane].has_ended = true;
    }

    /// The error that has ended a run.
    pub fn failure(&self, lane: usize) -> Option<&StepError> {
        self.lanes.get(lane)?.failure.as_ref()
    }

    /// The number of steps that a run has taken alone.
    pub fn alone(&self, lane: usize) -> u64 {
        self.lanes.get(lane).map_or(0, |lane| lane.alone)
    }

    fn is_together(&self, lane: usize) -> bool {
        self.together >> lane & 1 != 0
    }

    /// Gives a run the state of its lane, without its multipliers.
    pub fn bring(&self, lane: usize, run: &mut (dyn Stepper + '_)) {
        if let (true, Some(Beside { state, steps, start_time, step, .. })) =
            (self.is_together(lane), run.beside())
        {
            self.lockstep.read(lane, state);
            *steps = self.steps;
            state.t = start_time + self.steps as f64 * step;
        }
    }

    /// Makes everything in a run that was brought belong to its state.
    pub fn go_on(&self, lane: usize, run: &mut (dyn Stepper + '_)) {
        if let (true, Some(Beside { flow, state, .. })) = (self.is_together(lane), run.beside()) {
            flow.go_on_from(state);
        }
    }
}

crate::shown::shown!([] Abreast, |own| "Abreast" { steps: own.steps, runs: own.lanes.len() });
