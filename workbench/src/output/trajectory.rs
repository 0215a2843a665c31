//! A trajectory on its way to its file, which takes its name when it is whole.
//!
//! Rows that are written stay where the disk takes no more of them.

use std::path::{Path, PathBuf};

use least_action::carried::{Carried, CarryError, Memory};
use least_action::files;
use least_action_pages::Error as PageError;
use least_action_pages::files::Draft;

use super::{Columns, Ending, Row, Sink, Table, csv, gltf, journal, json, parquet, vtk, xyz};
use crate::error::Error;
use crate::registry::Instance;

/// The flag that names it.
const FLAG: &str = "--out";

pub(crate) struct Trajectory<'s> {
    table: Box<dyn Table + 's>,
    draft: Draft,
    /// The checkpoint of the run, if it has one.
    checkpoint: Option<PathBuf>,
    /// True once the run was saved, or gone on with: rows that a checkpoint knows stay.
    is_saved: bool,
    /// True once a row could not be written.
    is_cut: bool,
}

impl<'s> Trajectory<'s> {
    /// Begins the trajectory of a run, which may have a checkpoint, or goes on with it.
    pub(crate) fn begin(
        path: &Path,
        inputs: &[&Path],
        columns: &Columns,
        instance: &'s Instance,
        (checkpoint, resumed): (Option<&Path>, bool),
    ) -> Result<Self, Error> {
        let ending = Ending::of(path)?;
        let draft = if resumed {
            Draft::reopen(FLAG, path, |output, draft| match ending {
                Ending::Parquet => journal::unfold(output, draft),
                _ => files::copy(output, draft),
            })?
        } else {
            Draft::create(FLAG, path, inputs)?
        };
        if checkpoint.is_some() && draft.partial().is_none() {
            let reason = "it is no regular file, and a run with --checkpoint goes back to its rows";
            return Err(Error::uncreatable(path, &reason));
        }
        let sink = Sink::create(&draft)?;
        let table: Box<dyn Table + 's> = match ending {
            Ending::Csv if resumed => Box::new(csv::Csv::reopen(sink)),
            Ending::Csv => Box::new(csv::Csv::create(sink, columns)?),
            Ending::Json if resumed => Box::new(json::Json::reopen(sink)),
            Ending::Json => Box::new(json::Json::create(sink, columns)?),
            Ending::Parquet if checkpoint.is_some() => Box::new(journal::Journal::new(sink, columns)),
            Ending::Parquet => Box::new(
                parquet::Parquet::create(path, sink.file, columns)
                    .map_err(|error| Sink::unwritable(path, &error))?,
            ),
            Ending::Xyz => Box::new(xyz::Xyz::create(sink, columns, instance)?),
            Ending::Vtk => Box::new(vtk::Vtk::create(sink, columns, draft.target(), instance)?),
            Ending::Gltf => Box::new(gltf::Gltf::create(sink, columns, draft.target(), instance)?),
        };
        let checkpoint = checkpoint.map(Path::to_owned);
        Ok(Self { table, draft, checkpoint, is_saved: false, is_cut: false })
    }

    /// Appends a row.
    pub(crate) fn write(&mut self, row: &Row<'_>) -> Result<(), Error> {
        self.table.write(row).map_err(|error| self.cut(error))
    }

    /// Writes the rows that are still in memory.
    pub(crate) fn finish(&mut self) -> Result<(), Error> {
        if self.is_cut {
            return Ok(());
        }
        self.table.finish().map_err(|error| self.cut(error))
    }

    /// The error of a write, with words on the rows that are kept.
    fn cut(&mut self, error: Error) -> Error {
        self.is_cut = true;
        if self.is_saved {
            self.draft.keep();
            return told(error, &self.how_to_go_on());
        }
        let rescued = self.draft.partial().and_then(|partial| self.table.rescue(partial));
        match rescued {
            Some(words) => {
                self.draft.keep();
                told(error, &words)
            }
            None => error,
        }
    }

    fn how_to_go_on(&self) -> String {
        let Some(checkpoint) = self.checkpoint.as_ref().filter(|_| self.is_saved) else {
            return String::new();
        };
        format!("make room: `resume {}` goes on with what is kept", checkpoint.display())
    }

    /// Gives the file its name, and says if it has all rows that were observed.
    pub(crate) fn complete(self) -> Result<bool, Error> {
        // The error of a row is told already.
        if self.is_cut {
            return Ok(false);
        }
        let how = self.how_to_go_on();
        self.table.complete(self.draft).map(|()| true).map_err(|error| told(error, &how))
    }
}

/// An error of a write, and more about it.
fn told(error: Error, words: &str) -> Error {
    match error {
        Error::Page(PageError::Unwritable { place, reason }) if !words.is_empty() => {
            Error::unwritable(place, &format!("{reason}; {words}"))
        }
        error => error,
    }
}

impl Carried for Trajectory<'_> {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        let carried = self.table.carry(memory);
        carried.map_err(|error| match error {
            CarryError::Beside(error) if !memory.puts_back() => CarryError::Beside(
                error.downcast().map_or_else(|other| other, |error| self.cut(*error).into()),
            ),
            other => other,
        })?;
        if !memory.puts_back() {
            self.draft.keep();
            self.table.publish(&self.draft);
        }
        self.is_saved = true;
        Ok(())
    }
}
