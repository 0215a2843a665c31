use super::RunError;
use crate::system::Signal;

/// The number of steps of a run, and the choice of those that are observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// The number of steps.
    pub steps: u64,
    /// Observe each `every`-th step, beside the first and the last.
    pub every: u64,
}

impl Plan {
    /// The plan from `start` until `end` with steps of one size, each of them observed.
    ///
    /// Steps are never shortened, since a change of step spoils what geometric methods preserve.  Their number is
    /// (end − start)/step rounded to the nearest integer, so the run ends within half a step of `end`, and at `end` to
    /// round-off when the step divides the time between.
    ///
    /// # Errors
    /// `end` is not later than `start`, or by less than half a step, or by more than 2⁵³ steps.
    pub fn until(start: f64, end: f64, step: f64) -> Result<Self, RunError> {
        /// Below it every integer is a number of its own.
        const LARGEST: f64 = (1_u64 << 53) as f64;
        if !(end > start && end.is_finite()) {
            return Err(RunError::EndNotLater { start, end });
        }
        let steps = ((end - start) / step).round();
        if steps < 1.0 {
            return Err(RunError::StepTooLong { start, end, step });
        }
        if steps.is_nan() || steps > LARGEST {
            return Err(RunError::TooManySteps { start, end, step });
        }
        #[expect(clippy::cast_sign_loss, reason = "at least 1, as checked above")]
        Ok(Self { steps: steps as u64, every: 1 })
    }

    /// This plan, if the [signals](crate::system::System::signals) of the system reach from the start to the end.
    ///
    /// # Errors
    /// A signal ends before.
    pub fn within(self, signals: &[(&'static str, Signal)], start: f64, step: f64) -> Result<Self, RunError> {
        let until = start + self.steps as f64 * step;
        match signals.iter().find(|(_, signal)| !signal.reaches(until)) {
            Some((name, signal)) => Err(RunError::SignalEnds { signal: name, end: signal.span()[1], until }),
            None => Ok(self),
        }
    }

    /// This plan with each `every`-th step observed.
    #[must_use]
    pub fn every(self, every: u64) -> Self {
        Self { every, ..self }
    }
}
