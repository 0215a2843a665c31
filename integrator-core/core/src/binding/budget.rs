//! The memory that a system may take: asked for before it is taken.

use crate::error::BindError;

/// The limit, and the estimate of the memory that the parts of a system have taken until now, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    limit: u64,
    taken: u64,
}

impl Budget {
    /// Nothing taken yet.
    pub(super) fn within(limit: u64) -> Self {
        Self { limit, taken: 0 }
    }

    /// The memory that is left, in bytes.
    pub(super) fn room(&self) -> u64 {
        self.limit.saturating_sub(self.taken)
    }

    /// Takes memory for good.
    pub(super) fn take(&mut self, bytes: u64) {
        self.taken = self.taken.saturating_add(bytes);
    }

    /// Refuses what does not fit beside the memory that is taken; `part` names it in a message, `remedy` says what to change.
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
