//! Saves a run in intervals, and stops it on request.

use super::{Observer, Watch};
use crate::carried::{Carried, CarryError, put_back, save};
use crate::method::Stepper;
use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The interval between two saves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Interval {
    /// This many steps.
    Steps(u64),
    /// The steps until this much time has passed.
    Time(Duration),
}

/// Takes the saved words of stepper, watch and observers.
type Save<'k> = dyn FnMut(&[u64]) -> Result<(), Box<dyn Error + Send + Sync>> + 'k;

/// Saves a run between two steps, stops it, and continues a saved one.
///
/// It saves all that the [stepper](crate::carried::Carried), the [watch](Watch) and the
/// [observers](Observer::carry) carry from one step to the next. A run continues from its old start with
/// its old options and observers, and takes, to the bit, the steps that it would have taken.
#[derive(Default)]
pub struct Keeper<'k> {
    interval: Option<Interval>,
    save: Option<Box<Save<'k>>>,
    stop: Option<&'k AtomicBool>,
    resumed: Option<&'k [u64]>,
    done: u64,
    saved: Option<Instant>,
    /// The next step at which to read the clock, and the steps between two readings.
    next: u64,
    stride: u64,
    read: Option<Instant>,
    words: Vec<u64>,
}

/// The approximate time between two readings: a reading costs more than a step of a small system.
const READINGS: Duration = Duration::from_millis(5);

impl<'k> Keeper<'k> {
    /// Saves the run with this function, in intervals and when it stops.
    #[must_use]
    pub fn saving(
        self,
        interval: Interval,
        save: impl FnMut(&[u64]) -> Result<(), Box<dyn Error + Send + Sync>> + 'k,
    ) -> Self {
        Self { interval: Some(interval), save: Some(Box::new(save)), ..self }
    }

    /// Stops the run after the step in which `stop` becomes true.
    #[must_use]
    pub fn stopped_by(self, stop: &'k AtomicBool) -> Self {
        Self { stop: Some(stop), ..self }
    }

    /// Continues from these words.
    #[must_use]
    pub fn resuming(self, words: &'k [u64]) -> Self {
        Self { resumed: Some(words), ..self }
    }

    /// The number of steps of the continued run; otherwise zero.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// Puts saved words back, if there are any; returns the number of steps done.
    pub(super) fn put_back(
        &mut self,
        stepper: &mut dyn Stepper,
        watch: &mut Watch<'_>,
        observers: &mut [&mut dyn Observer],
    ) -> Result<u64, CarryError> {
        let Some(words) = self.resumed.take() else { return Ok(0) };
        let rest = put_back(&mut CarriedParts { stepper, watch, observers }, words)?;
        if !rest.is_empty() {
            return Err(CarryError::Foreign);
        }
        self.done = stepper.steps();
        Ok(self.done)
    }

    pub(super) fn is_asked_to_stop(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// True if the run must be saved or stopped after this step;
    /// the last step is always saved, so that the run can be extended.
    pub(super) fn is_due(&mut self, step: u64, of: u64) -> bool {
        self.is_asked_to_stop()
            || step == of
            || match self.interval {
                None => false,
                Some(Interval::Steps(steps)) => step.is_multiple_of(steps.max(1)),
                Some(Interval::Time(time)) => step >= self.next && self.has_passed(time, step),
            }
    }

    fn has_passed(&mut self, time: Duration, step: u64) -> bool {
        let now = Instant::now();
        let since = now - *self.read.get_or_insert(now);
        self.stride =
            if since < READINGS { (2 * self.stride).clamp(1, 1 << 20) } else { (self.stride / 2).max(1) };
        (self.next, self.read) = (step + self.stride, Some(now));
        now - *self.saved.get_or_insert(now) >= time
    }

    pub(super) fn save(
        &mut self,
        stepper: &mut dyn Stepper,
        watch: &mut Watch<'_>,
        observers: &mut [&mut dyn Observer],
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let Some(write) = &mut self.save else { return Ok(()) };
        self.words.clear();
        save(&mut CarriedParts { stepper, watch, observers }, &mut self.words)?;
        self.saved = Some(Instant::now());
        write(&self.words)
    }
}

crate::shown::shown!([] Keeper<'_>, |own| "Keeper" { interval: own.interval });

/// The parts of a run that carry memory.
struct CarriedParts<'p, 'w, 'o> {
    stepper: &'p mut dyn Stepper,
    watch: &'p mut Watch<'w>,
    observers: &'p mut [&'o mut dyn Observer],
}

impl Carried for CarriedParts<'_, '_, '_> {
    fn carry(&mut self, memory: &mut crate::carried::Memory<'_>) -> Result<(), CarryError> {
        self.stepper.carry(memory)?;
        self.watch.carry(memory)?;
        self.observers.iter_mut().try_for_each(|observer| observer.carry(memory))
    }
}
