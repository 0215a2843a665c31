//! `project`: the state on the constraints that is nearest to a guess.

use std::io::Write;

use crate::arguments::Project;
use crate::error::Error;
use crate::registry::Registry;

pub(crate) fn project(_registry: &Registry, _arguments: &Project, _out: &mut dyn Write) -> Result<(), Error> {
    Err(Error::Closed)
}
