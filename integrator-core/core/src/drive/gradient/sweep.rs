//! The way back: from the last state to the first, over recorded or recomputed steps.

use super::result::{GradientError, MemoryPlan};
use crate::carried::CarryError;
use crate::method::linearization::{LinearizedRun, Tape};

/// The states that are kept: all, or checkpoints from which stretches are recomputed.
///
/// A recomputed stretch has the bits of the forward run: a checkpoint holds the memory of the run.
pub(super) struct Kept {
    tape: Tape,
    /// The memory of the run at the start of each stretch.
    checkpoints: Vec<Vec<u64>>,
    plan: MemoryPlan,
    steps: u64,
}

impl Kept {
    /// Chooses the plan by the memory in bytes.
    ///
    /// # Errors
    /// The run cannot be saved.
    pub(super) fn new(run: &mut LinearizedRun<'_>, steps: u64, memory: u64) -> Result<Self, CarryError> {
        let of_checkpoint = 8 * checkpoint(run)?.len() as u64;
        let of_step = 8 * run.numbers_of_a_step() as u64;
        let plan = MemoryPlan::choose(steps, of_step, of_checkpoint, memory);
        Ok(Self { tape: run.tape(), checkpoints: Vec::new(), plan, steps })
    }

    pub(super) fn plan(&self) -> MemoryPlan {
        self.plan
    }

    /// The tape, which holds the first state after the way back.
    pub(super) fn tape(&self) -> &Tape {
        &self.tape
    }

    /// Runs to the end; `each` sees every state on the way.
    ///
    /// # Errors
    /// A step fails, or `each` does.
    pub(super) fn forwards(
        &mut self,
        run: &mut LinearizedRun<'_>,
        each: &mut dyn FnMut(&LinearizedRun<'_>) -> Result<(), GradientError>,
    ) -> Result<(), GradientError> {
        let stretches = self.plan.stretches();
        each(run)?;
        for k in 1..=stretches {
            // The way back begins with the last stretch.
            let records = k == stretches && self.plan.inner() == 1;
            if records {
                run.record_first(&mut self.tape);
            } else {
                self.checkpoints.push(checkpoint(run)?);
            }
            while run.steps() < beginning(k, stretches, self.steps) {
                run.step(records.then_some(&mut self.tape))?;
                each(run)?;
            }
        }
        Ok(())
    }

    /// Visits the steps from the last to the first, each on a tape that holds it.
    ///
    /// # Errors
    /// A step fails.
    pub(super) fn backwards(
        &mut self,
        run: &mut LinearizedRun<'_>,
        visit: &mut Visit<'_>,
    ) -> Result<(), GradientError> {
        let stretches = self.plan.stretches();
        let mut end = self.steps;
        if self.plan.inner() == 1 {
            end = beginning(stretches - 1, stretches, self.steps);
            self.visit(run, [end, self.steps], visit)?;
        }
        while let Some(words) = self.checkpoints.pop() {
            run.put_back(&words)?;
            let begin = run.steps();
            self.stretch(run, [begin, end], visit)?;
            end = begin;
        }
        Ok(())
    }

    /// Visits a stretch that begins at the run's state, in small stretches.
    fn stretch(
        &mut self,
        run: &mut LinearizedRun<'_>,
        [begin, end]: [u64; 2],
        visit: &mut Visit<'_>,
    ) -> Result<(), GradientError> {
        let inner = self.plan.inner().min(end - begin);
        let mut checkpoints = vec![checkpoint(run)?];
        for part in 1..inner {
            while run.steps() < begin + beginning(part, inner, end - begin) {
                run.step(None)?;
            }
            checkpoints.push(checkpoint(run)?);
        }
        let mut last = end;
        while let Some(words) = checkpoints.pop() {
            run.put_back(&words)?;
            let first = run.steps();
            run.record_first(&mut self.tape);
            while run.steps() < last {
                run.step(Some(&mut self.tape))?;
            }
            self.visit(run, [first, last], visit)?;
            last = first;
        }
        Ok(())
    }

    fn visit(
        &self,
        run: &mut LinearizedRun<'_>,
        [begin, end]: [u64; 2],
        visit: &mut Visit<'_>,
    ) -> Result<(), GradientError> {
        (begin + 1..=end).rev().try_for_each(|number| visit(run, &self.tape, number))
    }
}

/// A visit to a step of a tape, by its number.
type Visit<'v> = dyn FnMut(&mut LinearizedRun<'_>, &Tape, u64) -> Result<(), GradientError> + 'v;

/// The step at which stretch k of `count` begins.
#[expect(clippy::cast_possible_truncation, reason = "k ≤ count")]
fn beginning(k: u64, count: u64, steps: u64) -> u64 {
    (u128::from(k) * u128::from(steps) / u128::from(count)) as u64
}

fn checkpoint(run: &mut LinearizedRun<'_>) -> Result<Vec<u64>, CarryError> {
    let mut words = Vec::new();
    run.save(&mut words)?;
    Ok(words)
}
