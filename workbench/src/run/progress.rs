//! How far a run is, on a terminal.

use indicatif::{ProgressBar, ProgressStyle};
use least_action::drive::{Moment, Observer, Summary};

use super::recorder::Unobserved;

/// A bar on standard error.
pub(super) struct Progress(ProgressBar);

impl Progress {
    pub(super) fn new(steps: u64) -> Self {
        let bar = ProgressBar::new(steps);
        // A template that does not parse leaves the default bar, which is as good.
        if let Ok(style) =
            ProgressStyle::with_template("{bar:40} {percent:>3} %  step {pos} of {len}, {eta} left")
        {
            bar.set_style(style);
        }
        Self(bar)
    }
}

impl Observer for Progress {
    fn observe(&mut self, moment: &Moment<'_>) -> Result<(), Unobserved> {
        self.0.set_position(moment.step);
        Ok(())
    }

    fn finish(&mut self, _summary: &Summary) -> Result<(), Unobserved> {
        self.0.finish_and_clear();
        Ok(())
    }
}
