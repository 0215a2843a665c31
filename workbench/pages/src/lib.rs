//! Pictures and pages of mechanical systems: curves, motions that play in a browser, reports.
//!
//! The command and the papers stand on this crate, and nobody else: it promises no interface.

#[cfg(feature = "pictures")]
#[doc(hidden)]
pub mod document;
mod error;
#[cfg(feature = "pictures")]
#[doc(hidden)]
pub mod files;
#[doc(hidden)]
pub mod guard;
mod held;
#[cfg(feature = "pictures")]
#[doc(hidden)]
pub mod live;
#[doc(hidden)]
pub mod model;
#[cfg(feature = "pictures")]
#[doc(hidden)]
pub mod plot;
#[doc(hidden)]
pub mod quantities;
#[doc(hidden)]
pub mod view;

/// Parts that are tested by themselves: no interface.
#[cfg(feature = "pictures")]
#[doc(hidden)]
pub mod internals {
    pub use crate::plot::internals::*;
    pub use crate::view::internals::*;
}

#[doc(hidden)]
pub use error::Error;
