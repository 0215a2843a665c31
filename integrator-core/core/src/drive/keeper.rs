//! What becomes of a run that may be interrupted: it is saved now and then, and stops when it is asked to.

use super::{Observer, Watch};
use crate::carried::{Carried, CarryError, put_back, save};
use crate::method::Stepper;
use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// When a run is saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interval {
    /// After each so many steps.
    Steps(u64),
    /// After the step with which so much time has passed.
    Time(Duration),
}

/// Takes what was saved; the words are those of the stepper, the watch and the observers.
type Save<'k> = dyn FnMut(&[u64]) -> Result<(), Box<dyn Error + Send + Sync>> + 'k;

/// Saves a run between two of its steps, stops it, and goes on with one that was saved.
///
/// What is saved is all that the [stepper](crate::carried::Carried), the [watch](Watch) and the [observers](Observer::carry) carry from one step to
/// the next. A run that goes on with it is started as the first one was, from its start and with its options and observers; it takes the steps
/// that the first one would have taken, to the bit.
#[derive(Default)]
pub struct Keeper<'k> {
    interval: Option<Interval>,
    save: Option<Box<Save<'k>>>,
    stop: Option<&'k AtomicBool>,
    resumed: Option<&'k [u64]>,
    done: u64,
    saved: Option<Instant>,
    /// The step at which the clock is read next, and the steps between two readings.
    next: u64,
    stride: u64,
    read: Option<Instant>,
    words: Vec<u64>,
}

/// The clock is read about as often: reading it costs more than a step of a small system.
const READINGS: Duration = Duration::from_millis(5);

impl<'k> Keeper<'k> {
    /// Saves the run by this function, now and then and when it is stopped.
    #[must_use]
    pub fn saving(
        self,
        interval: Interval,
        save: impl FnMut(&[u64]) -> Result<(), Box<dyn Error + Send + Sync>> + 'k,
    ) -> Self {
        Self { interval: Some(interval), save: Some(Box::new(save)), ..self }
    }

    /// Stops the run after the step during which this becomes true.
    #[must_use]
    pub fn stopped_by(self, stop: &'k AtomicBool) -> Self {
        Self { stop: Some(stop), ..self }
    }

    /// Goes on with what was saved.
    #[must_use]
    pub fn resuming(self, words: &'k [u64]) -> Self {
        Self { resumed: Some(words), ..self }
    }

    /// The steps of the run that was saved and is gone on with; zero unless there is one.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// Puts back what was saved, if anything was; the number of steps that are done.
    pub(super) fn put_back(
        &mut self,
        stepper: &mut dyn Stepper,
        watch: &mut Watch<'_>,
        observers: &mut [&mut dyn Observer],
    ) -> Result<u64, CarryError> {
        let Some(words) = self.resumed.take() else { return Ok(0) };
        let rest = put_back(&mut Parts { stepper, watch, observers }, words)?;
        if !rest.is_empty() {
            return Err(CarryError::Foreign);
        }
        self.done = stepper.steps();
        Ok(self.done)
    }

    pub(super) fn is_asked_to_stop(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// True if something is to be done after this step of so many: the last is saved always, from which a run may go on further.
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
        save(&mut Parts { stepper, watch, observers }, &mut self.words)?;
        self.saved = Some(Instant::now());
        write(&self.words)
    }
}

impl std::fmt::Debug for Keeper<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Keeper").field("interval", &self.interval).finish_non_exhaustive()
    }
}

/// The parts of a run that carry something.
struct Parts<'p, 'w, 'o> {
    stepper: &'p mut dyn Stepper,
    watch: &'p mut Watch<'w>,
    observers: &'p mut [&'o mut dyn Observer],
}

impl Carried for Parts<'_, '_, '_> {
    fn carry(&mut self, memory: &mut crate::carried::Memory<'_>) -> Result<(), CarryError> {
        self.stepper.carry(memory)?;
        self.watch.carry(memory)?;
        self.observers.iter_mut().try_for_each(|observer| observer.carry(memory))
    }
}
