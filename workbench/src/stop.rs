//! The wish of a user, or of the machine, that a run ends: SIGINT and SIGTERM.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// A signal that ends a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Of the keyboard, by Ctrl-C.
    Interrupt,
    /// Of a system that shuts down, or of a queue whose time is over.
    Terminate,
}

impl Signal {
    /// The number that the shell adds to 128.
    pub(crate) fn number(self) -> u8 {
        match self {
            Self::Interrupt => 2,
            Self::Terminate => 15,
        }
    }
}

impl std::fmt::Display for Signal {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Interrupt => "SIGINT",
            Self::Terminate => "SIGTERM",
        })
    }
}

/// Says if the process was asked to end.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stop {
    asked: Arc<AtomicBool>,
    signal: Arc<AtomicUsize>,
}

impl Stop {
    /// Listens from now on: the run finds the first signal, and a second one ends the process at once.
    pub(crate) fn listening() -> Self {
        let stop = Self::default();
        for signal in [SIGINT, SIGTERM] {
            // Where a system has no such signal, nobody can send it.
            let _ = flag::register_conditional_default(signal, Arc::clone(&stop.asked));
            let _ = flag::register_usize(signal, Arc::clone(&stop.signal), signal as usize);
            let _ = flag::register(signal, Arc::clone(&stop.asked));
        }
        stop
    }

    /// Asks by hand, as a signal of the keyboard does.
    #[cfg(feature = "python")]
    pub(crate) fn ask(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    /// True once the process was asked.
    pub(crate) fn asked(&self) -> &AtomicBool {
        &self.asked
    }

    /// The signal by which it was asked.
    pub(crate) fn signal(&self) -> Signal {
        if self.signal.load(Ordering::Relaxed) == SIGTERM as usize {
            Signal::Terminate
        } else {
            Signal::Interrupt
        }
    }
}
