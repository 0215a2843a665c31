//! Models that are declared at run time: the file of a model as rustc reads it, without rustc.
//!
//! [`rust`] interprets the plain Rust of such a file.

pub mod rust;
