//! Parquet outputs in a program without tables: none is ever created.

use std::convert::Infallible;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use crate::output::{Columns, Row, Table};

pub(super) struct Parquet(Infallible);

impl Parquet {
    pub(super) fn create(_: BufWriter<File>, _: &Columns) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn holding(_: &File, _: &Columns, _: Vec<f64>) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn push(&mut self, _: impl IntoIterator<Item = f64>) -> io::Result<()> {
        match self.0 {}
    }
}

impl Table for Parquet {
    fn write(&mut self, _: &Row<'_>) -> io::Result<()> {
        match self.0 {}
    }

    fn finish(&mut self) -> io::Result<()> {
        match self.0 {}
    }
}

pub(super) fn for_each_number(_: &Path, _: impl FnMut(f64) -> io::Result<()>) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
