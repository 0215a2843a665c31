//! The folder of an ensemble: a manifest, and its members in files that are written whole or not at all.
//!
//! ```text
//! manifest.json               the plan, its source, and the names of all columns
//! members/part-00000.parquet  the members from 0 on: a row each
//! path/part-00000.parquet     every moment of the same members, where the plan asks for it
//! ```
//!
//! The content of a file is a function of the plan and its number alone: neither the time nor the writer
//! has a part in it.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use least_action::drive::SystemIdentity;
use least_action::files;
use least_action::system::State;
use least_action_pages::Error as PageError;
use least_action_pages::files::{Draft, Folder, read_text, replace};
use serde_json::Value;

use super::frame::{self, Cell, Columns, Frame};
use super::inputs::Input;
use super::manifest::Manifest;
use super::plan::Plan;
use super::sealed;
use crate::error::Error;
use crate::identity::{PROGRAM, checksum};
use crate::output::io_error;

/// The files of a dataset, unless members are many: so many can be done side by side.
const FILES: u64 = 64;
/// The most members of a file.
const MEMBERS: u64 = 4096;
/// The most numbers of a file of paths, 128 MB.
const NUMBERS: u64 = 1 << 24;

/// One file of members, and of their paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) number: u64,
    pub(super) members: Range<u64>,
}

/// Where a dataset stands.
pub(super) struct Dataset {
    folder: PathBuf,
    manifest: Manifest,
    /// A checksum of the manifest, without the names of files: each part has it.
    checksum: String,
    /// True if parts are read as a whole before they count as done.
    thorough: bool,
    /// The parts that were found to be done.
    done: Mutex<BTreeSet<u64>>,
}

/// The drafts of the files of a part, which nobody else writes meanwhile.
pub(super) struct Begun {
    number: u64,
    members: Draft,
    path: Option<Draft>,
}

/// The sizes of a dataset.
pub(super) struct Size {
    pub(super) members: u64,
    pub(super) parts: u64,
    /// Its numbers, uncompressed, in bytes.
    pub(super) bytes: u64,
}

impl Dataset {
    /// A dataset for a plan; nothing is written yet.
    pub(super) fn new(
        folder: &Path,
        plan: &Plan,
        (system, inputs, start): (SystemIdentity, Vec<Input>, Option<&State>),
        (members, moments): (u64, u64),
        (frame, thorough): (&Frame, bool),
    ) -> Result<Self, Error> {
        let table = plan
            .table
            .as_ref()
            .map(|table| files::read(&table.file).map_err(|error| Error::unreadable(&table.file, &error)));
        let table_checksum = table.transpose()?.map(|bytes| checksum(&bytes));
        let has_path = plan.path;
        let numbers = if has_path { moments.saturating_mul(frame.path.len() as u64) } else { 1 };
        let most = (NUMBERS / numbers.max(1)).clamp(1, MEMBERS);
        let members_per_part = plan.part.unwrap_or_else(|| members.div_ceil(FILES).clamp(1, most));
        // Contents identify files: on another machine they may stand elsewhere.
        let mut plan = plan.clone();
        for file in plan.start.iter_mut().chain(plan.table.as_mut().map(|table| &mut table.file)) {
            *file = file.file_name().map_or_else(PathBuf::new, PathBuf::from);
        }
        let manifest = Manifest {
            program: PROGRAM.to_owned(),
            plan,
            system,
            inputs,
            table_checksum,
            start: start.cloned(),
            members,
            members_per_part,
            parts: members.div_ceil(members_per_part),
            columns: frame.columns.clone(),
            path_columns: if has_path { frame.path.clone() } else { Columns::new() },
        };
        let (checksum, done) = (checksum(manifest.without_names()?.as_bytes()), Mutex::default());
        Ok(Self { folder: folder.to_owned(), manifest, checksum, thorough, done })
    }

    /// The sizes of the whole, with so many moments of each member.
    pub(super) fn size(&self, moments: u64) -> Size {
        let Manifest { members, parts, columns, path_columns, .. } = &self.manifest;
        let numbers = moments.saturating_mul(path_columns.len() as u64).saturating_add(columns.len() as u64);
        Size { members: *members, parts: *parts, bytes: members.saturating_mul(numbers).saturating_mul(8) }
    }

    /// The parts of a shard: their numbers divided by `of` leave `shard`.
    pub(super) fn parts(&self, (shard, of): (u64, u64)) -> impl Iterator<Item = Part> + '_ {
        let Manifest { members, members_per_part, parts, .. } = self.manifest;
        (shard..parts).step_by(usize::try_from(of).unwrap_or(usize::MAX)).map(move |number| {
            let first = number * members_per_part;
            Part { number, members: first..members.min(first + members_per_part) }
        })
    }

    /// The number of parts of a shard that are not there.
    pub(super) fn to_do(&self, (shard, of): (u64, u64)) -> u64 {
        // There may be millions of parts.
        if self.folder.exists() {
            self.parts((shard, of)).filter(|part| !self.is_done(part)).count() as u64
        } else {
            self.manifest.parts.saturating_sub(shard).div_ceil(of)
        }
    }

    /// Refuses a folder that holds something else.
    pub(super) fn check(&self) -> Result<(), Error> {
        let refuse = |reason: String| Err(Error::uncreatable(&self.folder, &reason));
        if !self.folder.exists() {
            return Ok(());
        }
        if !self.folder.is_dir() {
            return refuse("it is no folder; an ensemble is a folder of files".to_owned());
        }
        let path = self.folder.join("manifest.json");
        if !path.exists() {
            let entries =
                fs::read_dir(&self.folder).map_err(|error| Error::unreadable(&self.folder, &error))?;
            // Another process may be writing the manifest just now.
            let mut others = entries.flatten().filter(|entry| entry.file_name() != "manifest.json.partial");
            return match others.next() {
                // Or has written it, and begun with its members.
                Some(_) if !path.exists() => {
                    refuse("it holds files that are of no ensemble; choose a new folder".to_owned())
                }
                _ => Ok(()),
            };
        }
        let text = read_text(&path)?;
        let known: Value = serde_json::from_str(&text).map_err(|error| Error::malformed(&path, error))?;
        let is_one = known.get("plan").is_some();
        let known: Manifest = match serde_json::from_value(known) {
            Ok(known) => known,
            Err(_) if is_one => {
                return refuse(
                    "it holds an ensemble of another version of this program; choose a new folder".to_owned(),
                );
            }
            Err(error) => return Err(Error::malformed(&path, error)),
        };
        match self.manifest.difference(&known)? {
            None => Ok(()),
            Some(part) => refuse(format!(
                "it holds an ensemble with another {part}; choose a new folder, or remove this one"
            )),
        }
    }

    /// Makes the folder with its manifest; one of this plan stays as it is.
    pub(super) fn create(&self) -> Result<(), Error> {
        self.check()?;
        let _made = Folder::create(&self.folder).map_err(|error| Error::uncreatable(&self.folder, &error))?;
        self.write_manifest()?;
        for folder in self.folders() {
            let path = self.folder.join(folder);
            fs::create_dir_all(&path).map_err(|error| Error::uncreatable(&path, &error))?;
        }
        Ok(())
    }

    /// Writes the manifest, where there is none.
    fn write_manifest(&self) -> Result<(), Error> {
        let path = self.folder.join("manifest.json");
        let text = serde_json::to_string_pretty(&self.manifest)
            .map_err(|error| Error::unwritable(path.display(), &error))?;
        // Files of members come after the manifest: a folder with files and without a manifest is
        // nobody's.
        while !path.exists() {
            match replace("--out", &path, &format!("{text}\n")) {
                // Another shard is writing the same.
                Err(PageError::BeingWritten { .. }) => thread::sleep(Duration::from_millis(1)),
                written => return Ok(written?),
            }
        }
        Ok(())
    }

    fn file(&self, folder: &str, part: u64) -> PathBuf {
        self.folder.join(folder).join(format!("part-{part:05}.parquet"))
    }

    /// The mark of a file of this dataset.
    fn mark(&self, folder: &str, part: u64) -> String {
        format!("{}/{folder}/{part:05}/", self.checksum)
    }

    /// The folders that have a file for each part.
    fn folders(&self) -> impl Iterator<Item = &'static str> {
        ["members", "path"].into_iter().take(1 + usize::from(self.manifest.plan.path))
    }

    fn done(&self) -> MutexGuard<'_, BTreeSet<u64>> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if all files of a part are there, of this dataset, and whole.
    pub(super) fn is_done(&self, part: &Part) -> bool {
        let file = |folder| self.file(folder, part.number);
        if self.done().contains(&part.number) {
            return self.folders().all(|folder| file(folder).exists());
        }
        let is_whole =
            |folder| sealed::is_whole(&file(folder), &self.mark(folder, part.number), self.thorough);
        let is_done = self.folders().all(is_whole);
        if is_done {
            self.done().insert(part.number);
        }
        is_done
    }

    /// True if the file of a part that is written last is there, and the part is not done.
    pub(super) fn is_damaged(&self, part: &Part) -> bool {
        self.file("members", part.number).exists() && !self.is_done(part)
    }

    /// Begins a part; none if it is done, or another process writes it.
    pub(super) fn begin(&self, part: &Part) -> Result<Option<Begun>, Error> {
        let draft = |folder: &str| match Draft::create("--out", &self.file(folder, part.number)) {
            Ok(draft) => Ok(Some(draft)),
            Err(PageError::BeingWritten { .. }) => Ok(None),
            Err(error) => Err(Error::from(error)),
        };
        let Some(members) = draft("members")? else { return Ok(None) };
        // Between the question and the lock, another process may have done it.
        if self.is_done(part) {
            return Ok(None);
        }
        let path = if self.manifest.plan.path { draft("path")? } else { None };
        Ok((path.is_some() == self.manifest.plan.path).then_some(Begun {
            number: part.number,
            members,
            path,
        }))
    }

    /// Writes a part.
    pub(super) fn write(&self, begun: Begun, rows: &[Vec<Cell>], path: &[Vec<Cell>]) -> Result<(), Error> {
        let Begun { number, members, path: of_path } = begun;
        let table = |draft: &Draft, folder: &str, columns: &Columns, rows: &[Vec<Cell>]| {
            let unwritable = |error: io::Error| Error::unwritable(draft.path().display(), &error);
            let mark = self.mark(folder, number);
            frame::write(draft.handle()?, columns, rows, sealed::unsealed(&mark))
                .map_err(|error| unwritable(io_error(error)))?;
            sealed::seal(&draft.handle()?, &mark).map_err(unwritable)
        };
        if let Some(draft) = of_path {
            table(&draft, "path", &self.manifest.path_columns, path)?;
            draft.complete()?;
        }
        table(&members, "members", &self.manifest.columns, rows)?;
        Ok(members.complete()?)
    }
}
