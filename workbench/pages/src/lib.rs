//! Pictures and pages of mechanical systems: curves, motions that play in a browser, reports.
//!
//! The command and the papers stand on this crate, and nobody else: it promises no interface.

#[doc(hidden)]
pub mod document;
mod error;
#[doc(hidden)]
pub mod files;
#[doc(hidden)]
pub mod guard;
mod held;
#[doc(hidden)]
pub mod model;
#[doc(hidden)]
pub mod plot;
#[doc(hidden)]
pub mod view;

/// Parts that are tested by themselves: no interface.
#[doc(hidden)]
pub mod internals {
    pub use crate::plot::internals::*;
    pub use crate::view::internals::*;
}

#[doc(hidden)]
pub use error::Error;
