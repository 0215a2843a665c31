//! A JSON array with one object a line; each object is a state that `--start` reads.

use std::io::{self, Write};

use integrator_core::carried::{Carried, CarryError, Memory};

use super::{Row, Sink, Table};
use crate::error::Error;

pub(super) struct Json {
    sink: Sink,
    rows: u64,
    closed: bool,
}

impl Json {
    pub(super) fn create(mut sink: Sink) -> Result<Self, Error> {
        sink.file.write_all(b"[").map_err(|error| Sink::unwritable(&sink.path, &error))?;
        Ok(Self { sink, rows: 0, closed: false })
    }

    /// A file that has some rows.
    pub(super) fn reopen(sink: Sink) -> Self {
        Self { sink, rows: 0, closed: false }
    }

    fn object(&mut self, row: &Row<'_>) -> io::Result<()> {
        self.sink.file.write_all(if self.rows == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer(&mut self.sink.file, row)?;
        self.rows += 1;
        Ok(())
    }

    fn close(&mut self) -> io::Result<()> {
        if !self.closed {
            self.closed = true;
            self.sink.file.write_all(b"\n]\n")?;
        }
        self.sink.file.flush()
    }
}

impl Table for Json {
    fn write(&mut self, row: &Row<'_>) -> Result<(), Error> {
        self.object(row).map_err(|error| Sink::unwritable(&self.sink.path, &error))
    }

    fn finish(&mut self) -> Result<(), Error> {
        self.close().map_err(|error| Sink::unwritable(&self.sink.path, &error))
    }
}

impl Carried for Json {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        self.rows.carry(memory)?;
        self.sink.carry(memory)
    }
}
