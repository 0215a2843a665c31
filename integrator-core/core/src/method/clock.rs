use crate::carried::carried;

/// Time as the distance from an origin that follows it, so that rounding does not grow with the time:
/// the clock of methods that go from event to event.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    /// The origin and its rounding error.
    origin: [f64; 2],
    pub(super) now: f64,
}

impl Clock {
    pub(super) fn starting_at(time: f64) -> Self {
        Self { origin: [time, 0.0], now: 0.0 }
    }

    pub(super) fn time(self) -> f64 {
        self.origin[0] + (self.now + self.origin[1])
    }

    /// The distance of a time from the origin.
    pub(super) fn since_origin(self, time: f64) -> f64 {
        (time - self.origin[0]) - self.origin[1]
    }

    /// Moves the origin to now.
    pub(super) fn rebase(&mut self) {
        let step = self.now + self.origin[1];
        let sum = self.origin[0] + step;
        // The rounding error of the sum (Knuth's TwoSum).
        let added = sum - self.origin[0];
        let lost = (self.origin[0] - (sum - added)) + (step - added);
        *self = Self { origin: [sum, lost], now: 0.0 };
    }
}

carried!([] Clock { origin, now } besides {});
