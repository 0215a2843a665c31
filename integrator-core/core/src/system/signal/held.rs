//! The value of a held signal, which a program replaces between two steps.

use std::sync::atomic::{AtomicU64, Ordering};

/// A number that all copies of a signal share.
#[derive(Debug)]
pub(super) struct Held(AtomicU64);

impl Held {
    pub(super) fn new(value: f64) -> Self {
        Self(AtomicU64::new(value.to_bits()))
    }

    /// Relaxed: no other memory depends on the number.
    pub(super) fn value(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }

    pub(super) fn set(&self, value: f64) {
        self.0.store(value.to_bits(), Ordering::Relaxed);
    }
}

impl PartialEq for Held {
    fn eq(&self, other: &Self) -> bool {
        self.value() == other.value()
    }
}
