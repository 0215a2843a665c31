//! Declared models bound to an instance:
//! everything that does not depend on coordinates is evaluated once.
//!
//! `#[lagrangian]` implements [`Model`] with a kernel for each term family; [`Model::bind`] runs the
//! loops and conditions of the declaration on the parameters and yields a [`Bound`] system, which
//! implements the traits of [`crate::system`].
//!
//! An *element* is one term of a *family*. It reads entries of coordinates through *slots*, each
//! component of which is an *input*, and constant numbers, its *coefficients*. Its *kernel* has an
//! *operation* for each derivative. A *sweep* runs one operation over all elements of a family, one by
//! one or, in a *layout*, in the lanes of registers.

mod alone;
pub(crate) mod assembly;
pub(crate) mod at;
pub(crate) mod binder;
pub(crate) mod bound;
mod budget;
pub(crate) mod checked;
pub(crate) mod coefficients;
pub(crate) mod collectives;
mod columns;
mod dynamic;
pub(crate) mod facts;
pub(crate) mod family;
pub(crate) mod function;
pub(crate) mod gather;
mod in_lanes;
pub(crate) mod instant;
pub(crate) mod kernel;
pub(crate) mod layout;
pub(crate) mod line;
pub(crate) mod near;
mod numbers;
pub(crate) mod parameter;
pub(crate) mod program;
pub(crate) mod signals;
pub(crate) mod straight;
pub(crate) mod sweep;
mod sweeps;
mod terms;
pub(crate) mod threads;
mod work;

pub use crate::system::cell::Cell;
pub use bound::{Bound, Model};
pub use dynamic::Dynamic;
pub use facts::{Classification, Facts};
// Ensembles of the command step members in lanes.
pub(crate) use crate::lists::range::{Near, NearPoints};
