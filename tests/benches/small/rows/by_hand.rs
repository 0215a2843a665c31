//! The systems of the table by hand: scalar loops of known size that know every number of their system, and no library.
//!
//! A scheme takes as many evaluations and corrections as the method of the library, and ends by its tolerance.
//! It skips its checks: that a step is finite, that an iteration converges, that a row keeps its side.

pub(crate) mod angles;
pub(crate) mod central;
pub(crate) mod rods;
#[expect(dead_code, reason = "the bench of water has more schemes")]
#[path = "../../water/by_hand.rs"]
pub(crate) mod water;

/// A system that steps.
pub(crate) trait ByHand {
    fn step(&mut self);

    fn positions(&self) -> Vec<f64>;

    /// The corrections of Newton's method so far, where they are counted.
    fn iterations(&self) -> Option<u64> {
        None
    }
}

impl ByHand for water::ByHand {
    fn step(&mut self) {
        self.rattle();
    }

    fn positions(&self) -> Vec<f64> {
        self.q.as_flattened().as_flattened().to_vec()
    }
}
