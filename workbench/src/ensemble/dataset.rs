//! The folder of an ensemble: a manifest, and its members in files that are written whole or not at all.
//!
//! ```text
//! manifest.parquet            the columns of members, no row, and the plan with its source as metadata
//! members/part-00000.parquet  the members from 0 on: a row each
//! members/.part-00012.done    the members of a small part, until all that fill a file are done
//! _path/part-00000.parquet    every moment of the same members, where the plan asks for it
//! ```
//!
//! So a reader of Parquet takes the whole folder as one table.
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
use least_action_pages::files::{Draft, Folder};
use serde_json::Value;

use super::frame::Frame;
use super::inputs::Input;
use super::manifest::Manifest;
use super::plan::{Plan, TableFile};
use super::sealed;
use crate::columnar::table::{self, Cell, Columns};
use crate::columnar::{ParquetInput, io_error};
use crate::error::{Error, Result};
use crate::identity::{PROGRAM, checksum};
use crate::places::{KEY, files_of};

/// The files of a dataset, unless members are many: so many can be done side by side.
const FILES: u64 = 64;
/// The most members of a file.
const MEMBERS: u64 = 4096;
/// The most numbers of a file of paths, 128 MB.
const NUMBERS: u64 = 1 << 24;
/// The most numbers of small parts that are gathered in a file.
const GATHERED: u64 = 1 << 20;
/// The file with the sources of the dataset.
pub(super) const MANIFEST: &str = "manifest.parquet";

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
    ) -> Result<Self> {
        let of_table = |table: &TableFile| match files::read(&table.file) {
            Ok(bytes) => Ok(checksum(&bytes)),
            Err(error) => Err(Error::unreadable(&table.file, &error)),
        };
        let table_checksum = plan.table.as_ref().map(of_table).transpose()?;
        let has_path = plan.path;
        let numbers = if has_path { moments.saturating_mul(frame.path.len() as u64) } else { 1 };
        let most = (NUMBERS / numbers.max(1)).clamp(1, MEMBERS);
        let members_per_part = plan.part.unwrap_or_else(|| members.div_ceil(FILES).clamp(1, most));
        let fitting = (GATHERED / numbers.max(frame.columns.len() as u64)).min(MEMBERS);
        let parts_per_file = if plan.part.is_some() { 1 } else { (fitting / members_per_part).max(1) };
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
            parts_per_file,
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
    pub(super) fn check(&self) -> Result {
        let refuse = |reason: String| Err(Error::uncreatable(&self.folder, &reason));
        if !self.folder.exists() {
            return Ok(());
        }
        if !self.folder.is_dir() {
            return refuse("it is no folder; an ensemble is a folder of files".to_owned());
        }
        let path = self.folder.join(MANIFEST);
        if !path.exists() {
            let entries =
                fs::read_dir(&self.folder).map_err(|error| Error::unreadable(&self.folder, &error))?;
            // Another process may be writing the manifest just now.
            let draft = files::beside(&path);
            let mut others = entries.flatten().filter(|entry| entry.path() != draft);
            return match others.next() {
                // Or has written it, and begun with its members.
                Some(_) if !path.exists() => {
                    refuse("it holds files that are of no ensemble; choose a new folder".to_owned())
                }
                _ => Ok(()),
            };
        }
        let text = ParquetInput::open(&path)?.metadata(KEY)?.unwrap_or_default();
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
    pub(super) fn create(&self) -> Result {
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
    fn write_manifest(&self) -> Result {
        let path = self.folder.join(MANIFEST);
        let text = serde_json::to_string(&self.manifest)
            .map_err(|error| Error::unwritable(path.display(), &error))?;
        // Files of members come after the manifest: a folder with files and without a manifest is
        // nobody's.
        while !path.exists() {
            let Some(draft) = begin(&path)? else {
                // Another shard is writing the same.
                thread::sleep(Duration::from_millis(1));
                continue;
            };
            table::write(draft.handle()?, &self.manifest.columns, &[], &text)
                .map_err(|error| draft.unwritable(&io_error(error)))?;
            return Ok(draft.complete()?);
        }
        Ok(())
    }

    /// The file of a part, and before it the file in which it is gathered, each with its mark.
    fn files(&self, folder: &str, part: u64) -> [(PathBuf, String); 2] {
        let per_file = self.manifest.parts_per_file;
        let [gathered, own] = files_of(part, per_file).map(|name| self.folder.join(folder).join(name));
        let mark = |number: u64| format!("{}/{folder}/{number:05}/", self.checksum);
        [(gathered, mark(part / per_file)), (own, format!("{}{per_file}/", mark(part)))]
    }

    /// The folders that have a file for each part, with their columns.
    fn tables(&self) -> impl DoubleEndedIterator<Item = (&'static str, &Columns)> {
        let Manifest { columns, path_columns, plan, .. } = &self.manifest;
        [("members", columns), ("_path", path_columns)].into_iter().take(1 + usize::from(plan.path))
    }

    fn folders(&self) -> impl Iterator<Item = &'static str> {
        self.tables().map(|(folder, _)| folder)
    }

    fn done(&self) -> MutexGuard<'_, BTreeSet<u64>> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if all files of a part are there, of this dataset, and whole.
    pub(super) fn is_done(&self, part: &Part) -> bool {
        let was_whole = self.done().contains(&part.number);
        let is_whole = |(file, mark): &(PathBuf, String)| {
            if was_whole { file.exists() } else { sealed::is_whole(file, mark, self.thorough) }
        };
        let is_done = self.folders().all(|folder| self.files(folder, part.number).iter().any(is_whole));
        if is_done {
            self.done().insert(part.number);
        }
        is_done
    }

    /// True if the file of a part that is written last is there, and the part is not done.
    pub(super) fn is_damaged(&self, part: &Part) -> bool {
        self.files("members", part.number).iter().any(|(file, _)| file.exists()) && !self.is_done(part)
    }

    /// Gathers small parts of which all that fill a file are done. Until their file is whole, they stay.
    pub(super) fn gather(&self) -> Result {
        let per_file = self.manifest.parts_per_file;
        let parts: Vec<Part> = if per_file > 1 { self.parts((0, 1)).collect() } else { Vec::new() };
        for parts in
            parts.chunks(per_file as usize).filter(|parts| parts.iter().all(|part| self.is_done(part)))
        {
            for (folder, columns) in self.tables().rev() {
                let [(file, mark), _] = self.files(folder, parts[0].number);
                if sealed::is_whole(&file, &mark, self.thorough) {
                    continue;
                }
                let mut rows = Vec::new();
                for part in parts {
                    let [_, (own, _)] = self.files(folder, part.number);
                    rows.append(&mut table::read(&own)?);
                }
                // Or another process gathers the same.
                let Some(draft) = begin(&file)? else { return Ok(()) };
                write(draft, columns, &rows, &mark)?;
            }
            for (folder, part) in
                self.folders().flat_map(|folder| parts.iter().map(move |part| (folder, part)))
            {
                let [_, (own, _)] = self.files(folder, part.number);
                // Nobody misses a part that somebody else has removed.
                let _ = fs::remove_file(own);
            }
        }
        Ok(())
    }

    /// Begins a part; none if it is done, or another process writes it.
    pub(super) fn begin(&self, part: &Part) -> Result<Option<Begun>> {
        let draft = |folder: &str| begin(&self.files(folder, part.number)[1].0);
        let Some(members) = draft("members")? else { return Ok(None) };
        // Between the question and the lock, another process may have done it.
        if self.is_done(part) {
            return Ok(None);
        }
        let path = if self.manifest.plan.path { draft("_path")? } else { None };
        Ok((path.is_some() == self.manifest.plan.path).then_some(Begun {
            number: part.number,
            members,
            path,
        }))
    }

    /// Writes a part.
    pub(super) fn write(&self, begun: Begun, rows: &[Vec<Cell>], path: &[Vec<Cell>]) -> Result {
        let Begun { number, members, path: of_path } = begun;
        let mark = |folder: &str| self.files(folder, number)[1].1.clone();
        if let Some(draft) = of_path {
            write(draft, &self.manifest.path_columns, path, &mark("_path"))?;
        }
        write(members, &self.manifest.columns, rows, &mark("members"))
    }
}

/// Begins a file; none if another process writes it.
fn begin(path: &Path) -> Result<Option<Draft>> {
    match Draft::create("--out", path) {
        Ok(draft) => Ok(Some(draft)),
        Err(PageError::BeingWritten { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Writes a table, and gives it its name.
fn write(draft: Draft, columns: &Columns, rows: &[Vec<Cell>], mark: &str) -> Result {
    let unwritable = |error: io::Error| draft.unwritable(&error);
    table::write(draft.handle()?, columns, rows, &sealed::unsealed(mark))
        .map_err(|error| unwritable(io_error(error)))?;
    sealed::seal(&draft.handle()?, mark).map_err(unwritable)?;
    Ok(draft.complete()?)
}
