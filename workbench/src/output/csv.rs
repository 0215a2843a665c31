//! Comma-separated values; every number is the shortest decimal that reads back as the same bits.

use std::io::{self, Write};
use std::path::Path;

use least_action::advanced::carried::{CarryError, Memory};

use super::{Columns, Row, Sink, Table};

pub(super) struct Csv {
    sink: Sink,
    /// The column that has a name.
    named: Option<usize>,
}

impl Csv {
    pub(super) fn create(mut sink: Sink, columns: &Columns) -> io::Result<Self> {
        let header: Vec<String> = columns.names.iter().map(|name| quoted(name)).collect();
        writeln!(sink.file, "{}", header.join(","))?;
        Ok(Self { sink, named: columns.named })
    }

    /// A file that has its header and some rows.
    pub(super) fn reopen(sink: Sink, columns: &Columns) -> Self {
        Self { sink, named: columns.named }
    }
}

impl Table for Csv {
    fn write(&mut self, row: &Row<'_>) -> io::Result<()> {
        for (index, number) in row.numbers().enumerate() {
            if index > 0 {
                self.sink.file.write_all(b",")?;
            }
            match row.event.filter(|_| self.named == Some(index)) {
                Some(name) => self.sink.file.write_all(quoted(name).as_bytes())?,
                None => write!(self.sink.file, "{number:?}")?,
            }
        }
        self.sink.file.write_all(b"\n")
    }

    fn finish(&mut self) -> io::Result<()> {
        self.sink.file.flush()
    }

    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        self.sink.carry(memory)
    }

    fn rescue(&mut self, draft: &Path) -> Option<String> {
        self.sink.rescue(0, b"").ok().map(|()| super::kept(draft))
    }
}

/// A name, in quotes where a comma or a quote in it would break the line.
fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}
