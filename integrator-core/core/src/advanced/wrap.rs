//! Systems made of systems; they implement the traits of the systems that they wrap.

pub use crate::wrap::*;
