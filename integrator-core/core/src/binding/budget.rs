//! A limit on the memory of a system, checked before memory is taken.

use crate::error::BindError;

/// The limit, and an estimate of the memory taken so far, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    limit: u64,
    taken: u64,
}

impl Budget {
    pub(super) fn within(limit: u64) -> Self {
        Self { limit, taken: 0 }
    }

    pub(super) fn room(&self) -> u64 {
        self.limit.saturating_sub(self.taken)
    }

    /// Takes memory for good.
    pub(super) fn take(&mut self, bytes: u64) {
        self.taken = self.taken.saturating_add(bytes);
    }

    /// Refuses `bytes` that exceed the rest; `part` and `remedy` go into the message.
    pub(super) fn ask(
        &self,
        bytes: u64,
        part: impl FnOnce() -> String,
        remedy: &'static str,
    ) -> Result<(), BindError> {
        if bytes <= self.room() {
            return Ok(());
        }
        Err(BindError::TooMuchMemory { part: part(), needed: bytes, room: self.room(), remedy })
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::within(u64::MAX)
    }
}
