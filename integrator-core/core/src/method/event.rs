//! Events of a run: what is looked for, and what was found.

use crate::system::State;

/// A number e of a state whose zeros a run looks for.
pub(super) type EventValue = Box<dyn FnMut(&State) -> f64 + Send>;

/// An event that a run is to look for.
///
/// Without a value of its own it is the event of this name that the model declares.
pub struct Event {
    /// Its name.
    pub name: String,
    /// True if it counts only where it rises, false where it falls; `None` counts both, or as the
    /// model declares.
    pub rises: Option<bool>,
    /// The run ends when the event has passed so often.
    pub ends_after: Option<u64>,
    /// Its value, if the model does not declare it.
    pub value: Option<EventValue>,
}

impl Event {
    /// The event of this name of the model.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), rises: None, ends_after: None, value: None }
    }

    /// The event e(state) = 0.
    pub fn of(name: impl Into<String>, value: impl FnMut(&State) -> f64 + Send + 'static) -> Self {
        Self { value: Some(Box::new(value)), ..Self::named(name) }
    }

    /// Counts only where the value rises.
    #[must_use]
    pub fn rising(self) -> Self {
        Self { rises: Some(true), ..self }
    }

    /// Counts only where the value falls.
    #[must_use]
    pub fn falling(self) -> Self {
        Self { rises: Some(false), ..self }
    }

    /// Ends the run when the event has passed `count` times.
    #[must_use]
    pub fn ending_after(self, count: u64) -> Self {
        Self { ends_after: Some(count), ..self }
    }
}

crate::shown::shown!([] Event, |own| "Event" { name: own.name, rises: own.rises, ends_after: own.ends_after });

/// A moment that a run has found.
#[derive(Debug, Clone, PartialEq)]
pub struct Passed {
    /// The place of its name among [`Stepper::moment_names`](crate::method::Stepper::moment_names).
    pub name: usize,
    /// The number of times it has passed, this one included.
    pub count: u64,
    /// True if its value rises.
    pub rises: bool,
    /// The state; behind a change of velocities.
    pub state: State,
    /// The velocities before, where the moment changes them.
    pub before: Option<Vec<f64>>,
    /// The impulse of a contact along its gap; zero elsewhere.
    pub impulse: f64,
    /// The energy that the moment adds.
    pub energy: f64,
}
