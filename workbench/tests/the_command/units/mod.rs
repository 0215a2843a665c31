//! Parts of the command and of its pages, each by itself.

mod axes;
#[cfg(feature = "python")]
mod classes;
mod code;
mod curves;
#[cfg(feature = "tables")]
mod digest;
mod document;
mod drafts;
#[cfg(feature = "tables")]
mod draws;
mod film;
mod kinds;
mod memory;
mod messages;
mod names;
mod options;
mod ranges;
mod spool;
mod stated_units;
mod ticks;
mod words;
