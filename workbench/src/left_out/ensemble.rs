//! `ensemble` in a program without tables.

use crate::arguments::Ensemble;
use crate::error::Error;
use crate::registry::Registry;
use crate::streams::Streams;

/// Refuses a plan.
pub(crate) fn ensemble(_: &Registry, _: &Ensemble, _: &mut Streams<'_>) -> Result<Option<Error>, Error> {
    Err(Error::left_out("`ensemble`", "tables"))
}
