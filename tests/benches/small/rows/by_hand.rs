//! The systems of the table by hand: scalar loops of known size that know every number of their system.
//!
//! A scheme takes as many evaluations and corrections as the library's, and ends by its tolerance.
//! It skips its checks: that a step is finite, that an iteration converges, that a row keeps its side.

pub(crate) mod angles;
pub(crate) mod central;
pub(crate) mod driven;
pub(crate) mod four_bar;
pub(crate) mod penalty;
pub(crate) mod rigid_body;
pub(crate) mod rods;
#[expect(dead_code, reason = "the bench of water has more schemes")]
#[path = "../../water/by_hand.rs"]
pub(crate) mod water;

/// The positions, and the corrections of Newton's method so far, where they are counted.
pub(crate) type Told = (Vec<f64>, Option<u64>);

/// A system that steps.
pub(crate) trait ByHand {
    fn step(&mut self);

    fn told(&self) -> Told;
}

impl ByHand for water::ByHand {
    fn step(&mut self) {
        self.rattle();
    }

    fn told(&self) -> Told {
        (self.q.as_flattened().as_flattened().to_vec(), None)
    }
}
