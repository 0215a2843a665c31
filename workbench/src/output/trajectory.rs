//! A trajectory on its way to its file, which takes its name when it is whole.
//!
//! Rows that are written stay where the disk takes no more of them.

use std::path::{Path, PathBuf};

use least_action::advanced::carried::{Carried, CarryError, Memory};
use least_action::files;
use least_action_pages::files::Draft;

use super::{Columns, Ending, Row, Sink, Table, csv, gltf, journal, json, parquet, unwritable, vtk, xyz};
use crate::error::{Error, Result};
use crate::registry::Instance;

/// The flag that names it.
const FLAG: &str = "--out";

pub(crate) struct Trajectory<'s> {
    table: Box<dyn Table + 's>,
    draft: Draft,
    /// The checkpoint of the run, if it has one.
    checkpoint: Option<PathBuf>,
    /// True once a checkpoint stands that knows rows, which stay then.
    is_saved: bool,
    /// True from the moment at which rows are saved until the checkpoint that knows them is written.
    is_carried: bool,
    /// True once a row could not be written.
    is_cut: bool,
}

impl<'s> Trajectory<'s> {
    /// Begins the trajectory of a run, which may have a checkpoint, or goes on with it.
    pub(crate) fn begin(
        path: &Path,
        columns: &Columns,
        instance: &'s Instance,
        (checkpoint, resumed): (Option<&Path>, bool),
    ) -> Result<Self> {
        let ending = Ending::of(path)?;
        let draft = if resumed {
            Draft::reopen(FLAG, path, |output, draft| match ending {
                Ending::Parquet => journal::unfold(output, draft),
                _ => files::copy(output, draft),
            })?
        } else {
            Draft::create(FLAG, path)?
        };
        let needs_file = match (checkpoint, ending) {
            (Some(_), _) => Some("it is no regular file, and a run with --checkpoint goes back to its rows"),
            (None, Ending::Npz) => Some("it is no regular file, and arrays are made of rows at the end"),
            _ => None,
        };
        if let Some(reason) = needs_file.filter(|_| draft.partial().is_none()) {
            return Err(Error::uncreatable(path, &reason));
        }
        let sink = Sink::create(&draft)?;
        let failed = |error| unwritable(path, &error);
        let table: Box<dyn Table + 's> = match ending {
            Ending::Csv if resumed => Box::new(csv::Csv::reopen(sink, columns)),
            Ending::Csv => Box::new(csv::Csv::create(sink, columns).map_err(failed)?),
            Ending::Json if resumed => Box::new(json::Json::reopen(sink, columns)),
            Ending::Json => Box::new(json::Json::create(sink, columns).map_err(failed)?),
            Ending::Parquet if checkpoint.is_some() => {
                Box::new(journal::Journal::new(sink, columns, journal::PARQUET))
            }
            Ending::Parquet => Box::new(parquet::Parquet::create(sink.file, columns).map_err(failed)?),
            Ending::Npz => Box::new(journal::Journal::new(sink, columns, journal::NPZ)),
            Ending::Xyz => Box::new(xyz::Xyz::create(sink, columns, instance)?),
            Ending::Vtk => Box::new(vtk::Vtk::create(sink, columns, draft.target(), instance)?),
            Ending::Gltf => Box::new(gltf::Gltf::create(sink, columns, draft.target(), instance)?),
        };
        let checkpoint = checkpoint.map(Path::to_owned);
        Ok(Self { table, draft, checkpoint, is_saved: false, is_carried: false, is_cut: false })
    }

    /// Appends a row.
    pub(crate) fn write(&mut self, row: &Row<'_>) -> Result {
        self.confirm();
        let written = self.table.write(row);
        self.is_cut = written.is_err();
        written.map_err(|error| unwritable(self.draft.path(), &error))
    }

    /// Writes the rows that are still in memory.
    pub(crate) fn finish(&mut self) -> Result {
        let finished = if self.is_cut { Ok(()) } else { self.table.finish() };
        finished.map_err(|error| unwritable(self.draft.path(), &error))
    }

    /// The run goes on: the checkpoint of the rows that were saved last is written.
    fn confirm(&mut self) {
        if std::mem::take(&mut self.is_carried) {
            self.is_saved = true;
            self.table.publish(&self.draft);
        }
    }

    /// Leaves the rows beside the file that has the name, and says where in the error.
    pub(crate) fn leave(mut self, error: Error) -> Error {
        let is_known = self.is_carried && !matches!(error, Error::Checkpoint(_));
        let words = match &self.checkpoint {
            Some(checkpoint) if self.is_saved || is_known => Some(how_to_go_on(checkpoint)),
            _ => self.draft.partial().and_then(|partial| self.table.rescue(partial)),
        };
        let Some(words) = words else { return error };
        self.draft.keep();
        error.with(&words)
    }

    /// Gives the file its name.
    pub(crate) fn complete(self) -> Result {
        self.table.complete(self.draft)
    }
}

/// Words on a run that is saved, and has no room for a file.
pub(crate) fn how_to_go_on(checkpoint: &Path) -> String {
    format!("make room: `resume {}` goes on with the kept rows", checkpoint.display())
}

impl Carried for Trajectory<'_> {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        self.confirm();
        self.table.carry(memory)?;
        if memory.puts_back() {
            self.is_saved = true;
        } else {
            self.draft.keep();
            self.is_carried = true;
        }
        Ok(())
    }
}
