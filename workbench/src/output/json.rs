//! A JSON array with one object a line; each object is a state that `--start` reads.
//! The first one names the coordinates, the observed quantities and the multipliers, too, and has the
//! identity of the run.

use std::io::{self, Write};
use std::path::Path;

use least_action::advanced::carried::{Carried, CarryError, Memory};

use serde::Serialize;
use serde_json::Value;

use super::{Columns, Row, Sink, Table};

/// The field of the first row that says whose run it is.
pub(crate) const RUN: &str = "run";
/// The field that has the names of the coordinates.
pub(crate) const COORDINATES: &str = "coordinates";
/// The field with the names of the observed quantities.
pub(crate) const OBSERVED_NAMES: &str = "observed_names";
/// The field with the names of the multipliers.
pub(crate) const MULTIPLIER_NAMES: &str = "multiplier_names";

pub(super) struct Json {
    sink: Sink,
    /// All names, for the first row.
    columns: Columns,
    /// Whose run it is.
    run: Option<Value>,
    rows: u64,
}

/// The first row.
#[derive(Serialize)]
struct FirstRow<'r> {
    #[serde(flatten)]
    row: &'r Row<'r>,
    coordinates: &'r [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    observed_names: &'r [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    multiplier_names: &'r [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<&'r Value>,
}

impl Json {
    pub(super) fn create(mut sink: Sink, columns: &Columns) -> io::Result<Self> {
        sink.file.write_all(b"[")?;
        let run = serde_json::from_str(&columns.run).ok();
        Ok(Self { sink, columns: columns.clone(), run, rows: 0 })
    }

    /// A file that has some rows.
    pub(super) fn reopen(sink: Sink, columns: &Columns) -> Self {
        Self { sink, columns: columns.clone(), run: None, rows: 0 }
    }
}

impl Table for Json {
    fn write(&mut self, row: &Row<'_>) -> io::Result<()> {
        if self.rows == 0 {
            self.sink.file.write_all(b"\n")?;
            let Columns { names, observed, .. } = &self.columns;
            let first = FirstRow {
                row,
                coordinates: &names[1..=row.q.len()],
                observed_names: &names[observed.clone()],
                multiplier_names: &names[observed.end..],
                run: self.run.as_ref(),
            };
            serde_json::to_writer(&mut self.sink.file, &first)?;
        } else {
            self.sink.file.write_all(b",\n")?;
            serde_json::to_writer(&mut self.sink.file, row)?;
        }
        self.rows += 1;
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.sink.file.write_all(b"\n]\n")?;
        self.sink.file.flush()
    }

    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        self.rows.carry(memory)?;
        self.sink.carry(memory)
    }

    fn rescue(&mut self, draft: &Path) -> Option<String> {
        // The comma of the row before goes with the one that was cut.
        self.sink.rescue(2, b"\n]\n").ok().map(|()| super::kept(draft))
    }
}
