//! Parquet outputs in a program without tables: none is ever created.

use std::convert::Infallible;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use least_action::advanced::carried::{Carried, CarryError, Memory};

use crate::error::Error;
use crate::output::{Columns, Row, Table};

/// Refuses the format.
pub(super) fn check() -> Result<(), Error> {
    Err(Error::left_out("the format .parquet", "tables"))
}

pub(super) struct Parquet(Infallible);

impl Parquet {
    pub(super) fn create(_: &Path, _: BufWriter<File>, _: &Columns) -> io::Result<Self> {
        check().map(|()| unreachable!("the format is refused")).map_err(io::Error::other)
    }

    pub(super) fn holding(_: &Path, _: &File, _: &Columns, _: Vec<f64>) -> io::Result<Self> {
        check().map(|()| unreachable!("the format is refused")).map_err(io::Error::other)
    }

    pub(super) fn push(&mut self, _: impl IntoIterator<Item = f64>) -> io::Result<()> {
        match self.0 {}
    }

    pub(super) fn close(&mut self) -> io::Result<()> {
        match self.0 {}
    }
}

impl Table for Parquet {
    fn write(&mut self, _: &Row<'_>) -> Result<(), Error> {
        match self.0 {}
    }

    fn finish(&mut self) -> Result<(), Error> {
        match self.0 {}
    }
}

impl Carried for Parquet {
    fn carry(&mut self, _: &mut Memory<'_>) -> Result<(), CarryError> {
        match self.0 {}
    }
}

pub(super) fn for_each_number(_: &Path, _: impl FnMut(f64) -> io::Result<()>) -> io::Result<()> {
    check().map_err(io::Error::other)
}
