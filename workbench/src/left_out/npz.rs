//! Arrays of NumPy in a program without tables: none is ever created.

use std::fs::File;
use std::io;

use crate::error::Error;
use crate::output::Columns;

/// Refuses the format.
pub(super) fn check() -> Result<(), Error> {
    Err(Error::left_out("the format .npz", "tables"))
}

pub(super) fn fill(_: &mut File, _: u64, _: &Columns, _: &File) -> io::Result<()> {
    check().map_err(io::Error::other)
}
