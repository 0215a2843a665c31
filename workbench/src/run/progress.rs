//! How far a run is, on a terminal.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use least_action::drive::{Moment, Observer, Summary};
use least_action::system::Lagrangian;

use super::recorder::Unobserved;

/// A bar on standard error, with the rate, the time that is left, and the energy.
pub(super) struct Progress<'s> {
    bar: ProgressBar,
    system: &'s dyn Lagrangian,
    /// When the energy was measured last.
    measured: Option<Instant>,
}

/// The energy is measured anew after this time.
const OFTEN: Duration = Duration::from_millis(250);

impl<'s> Progress<'s> {
    pub(super) fn new(steps: u64, system: &'s dyn Lagrangian) -> Self {
        let bar = ProgressBar::new(steps);
        // A template that does not parse leaves the default bar, which is as good.
        if let Ok(style) = ProgressStyle::with_template(
            "{bar:20} {percent:>3} %  step {pos} of {len}, {per_sec}, {eta} left{msg}",
        ) {
            bar.set_style(style);
        }
        Self { bar, system, measured: None }
    }
}

impl Observer for Progress<'_> {
    fn observe(&mut self, moment: &Moment<'_>) -> Result<(), Unobserved> {
        if self.measured.is_none_or(|measured| measured.elapsed() >= OFTEN) {
            let energy = self.system.energy(&moment.state.q, &moment.state.v, moment.state.t);
            self.bar.set_message(format!(", energy {energy:.6e}"));
            self.measured = Some(Instant::now());
        }
        self.bar.set_position(moment.step);
        Ok(())
    }

    fn finish(&mut self, _summary: &Summary) -> Result<(), Unobserved> {
        self.bar.finish_and_clear();
        Ok(())
    }
}
