//! Comma-separated values; every number is the shortest decimal that reads back as the same bits.

use std::io::{self, Write};
use std::path::Path;

use least_action::advanced::carried::{Carried, CarryError, Memory};

use super::{Columns, Row, Sink, Table, is_standard};
use crate::error::Error;

pub(super) struct Csv {
    sink: Sink,
}

impl Csv {
    pub(super) fn create(mut sink: Sink, columns: &Columns) -> Result<Self, Error> {
        let header: Vec<String> = columns.names.iter().map(|name| quoted(name)).collect();
        writeln!(sink.file, "{}", header.join(",")).map_err(|error| failed(&sink, &error))?;
        Ok(Self { sink })
    }

    /// A file that has its header and some rows.
    pub(super) fn reopen(sink: Sink) -> Self {
        Self { sink }
    }

    fn line(&mut self, row: &Row<'_>) -> io::Result<()> {
        for (index, number) in row.numbers().enumerate() {
            if index > 0 {
                self.sink.file.write_all(b",")?;
            }
            write!(self.sink.file, "{number:?}")?;
        }
        self.sink.file.write_all(b"\n")
    }
}

impl Table for Csv {
    fn write(&mut self, row: &Row<'_>) -> Result<(), Error> {
        self.line(row).map_err(|error| failed(&self.sink, &error))
    }

    fn finish(&mut self) -> Result<(), Error> {
        self.sink.file.flush().map_err(|error| failed(&self.sink, &error))
    }

    fn rescue(&mut self, draft: &Path) -> Option<String> {
        self.sink.rescue(0, b"").ok().map(|()| super::kept(draft))
    }
}

impl Carried for Csv {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        self.sink.carry(memory)
    }
}

/// The error of a write; a reader of standard output may have seen enough.
fn failed(sink: &Sink, error: &io::Error) -> Error {
    if is_standard(&sink.path) { Error::stdout(error) } else { Sink::unwritable(&sink.path, error) }
}

/// A name, in quotes where a comma or a quote in it would break the line.
fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}
