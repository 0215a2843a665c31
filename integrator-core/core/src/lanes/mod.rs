//! The numbers of kernels: one `f64`, or several in a SIMD register.
//!
//! A kernel is written once, over [`Real`]. A loop over elements chooses its [`Width`] when it starts.

mod aligned;
pub(crate) mod form;
#[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
mod frame;
pub mod functions;
mod instructions;
pub(crate) mod interleave;
mod rated;
pub(crate) mod real;
pub(crate) mod register;
mod sum;
mod width;

pub(crate) use aligned::Aligned;
pub(crate) use interleave::{
    Quadruple, deinterleaved, gathered, gathered_quadruples, interleaved, scattered,
};
pub(crate) use real::Real;
pub(crate) use register::{Exact, LaneMask, Lanes, MOST_LANES};
pub(crate) use sum::Sum;
pub(crate) use width::Registers;
pub use width::Width;
