//! `ensemble` in a program without tables.

use crate::arguments::{Ensemble, View};
use crate::error::Error;
use crate::registry::Registry;
use crate::streams::Streams;

/// Refuses a plan.
pub(crate) fn ensemble(_: &Registry, _: &Ensemble, _: &mut Streams<'_>) -> Result<Option<Error>, Error> {
    Err(Error::left_out("`ensemble`", "tables"))
}

/// Refuses a dataset.
pub(crate) fn report(_: &Registry, _: &View, _: &Streams<'_>) -> Result<(), Error> {
    Err(Error::left_out("the format .parquet", "tables"))
}
