//! `ensemble` in a program without tables.

use crate::arguments::{Ensemble, View};
use crate::error::{Error, Result};
use crate::registry::Registry;
use crate::streams::Streams;

/// Refuses a plan.
pub(crate) fn ensemble(_: &Registry, _: &Ensemble, _: &mut Streams<'_>) -> Result<Option<Error>> {
    Err(Error::left_out("`ensemble`", "tables"))
}

/// Refuses a dataset.
pub(crate) fn report(_: &Registry, _: &View, _: &Streams<'_>) -> Result {
    Err(Error::left_out("the format .parquet", "tables"))
}
