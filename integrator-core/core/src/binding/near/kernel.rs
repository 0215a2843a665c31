//! The kernel of a sum over near pairs: a function of the separation and of the inputs of both ends.

use crate::binding::kernel::KernelHandle;
pub use least_action_kernel::{NearFacts, Role, Sort, Source};
use std::ops::Deref;

/// An element of finite range for the compiler.
#[derive(Debug, Clone)]
pub struct NearKernel {
    /// The element as a function of its slots.
    pub kernel: KernelHandle,
    /// The facts about the sum.
    pub facts: NearFacts,
}

impl Deref for NearKernel {
    type Target = NearFacts;

    fn deref(&self) -> &NearFacts {
        &self.facts
    }
}
