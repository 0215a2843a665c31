use super::RunError;
use crate::system::{Signal, Text};

/// The number of steps of a run, and the choice of the observed ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// The number of steps.
    pub steps: u64,
    /// Observe each `every`-th step, beside the first and the last.
    pub every: u64,
}

impl Plan {
    /// Steps of one size from `start` until `end`, all observed.
    ///
    /// Steps are never shortened, because a change of step spoils the properties that geometric methods
    /// preserve. Their number is (end − start)/step, rounded to the nearest integer: the run ends within
    /// half a step of `end`, and at `end` up to rounding if the step divides the time.
    ///
    /// # Errors
    /// `end` is not later than `start`, or later by less than half a step or by more than 2⁵³ steps.
    pub fn until(start: f64, end: f64, step: f64) -> Result<Self, RunError> {
        /// A double represents every integer below.
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

    /// The plan, if the [signals](crate::system::System::signals) of the system reach its end.
    ///
    /// # Errors
    /// A signal ends before.
    pub fn within(self, signals: &[(Text, Signal)], start: f64, step: f64) -> Result<Self, RunError> {
        let until = start + self.steps as f64 * step;
        match signals.iter().find(|(_, signal)| !signal.reaches(until)) {
            Some((name, signal)) => {
                Err(RunError::SignalEnds { signal: name.to_string(), end: signal.span()[1], until })
            }
            None => Ok(self),
        }
    }

    /// The plan with each `every`-th step observed.
    #[must_use]
    pub fn every(self, every: u64) -> Self {
        Self { every, ..self }
    }
}
