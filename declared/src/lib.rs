//! Models that are declared at run time: the file of a model as rustc reads it, without rustc.
//!
//! The compiler gives a declaration as values: kernels, which the core carries out line by line, and the
//! code that finds their elements, which [`rust`] interprets as it does the plain Rust of the file.

mod binding;
mod declared;
mod facts;
mod kernels;
mod oracle;
pub mod rust;

pub use declared::{Declared, Instance, Refusal};
pub use oracle::Interpreted;
