//! A saved run as a file.

use super::SystemIdentity;
use crate::system::State;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;
use twox_hash::XxHash64;

/// A run between two of its steps: whose it is, where it began, and all that it carries.
///
/// A run goes on from it by [`resume`](super::resume), or by a [`Keeper`](super::Keeper).
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// The run that was saved.
    pub run: SavedRun,
    /// The state with which it began.
    pub start: State,
    /// What its stepper, its watch and its observers carry.
    pub words: Vec<u64>,
}

/// The run of a checkpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SavedRun {
    /// The version of this library.
    pub version: String,
    /// The name of the system, and the number of its degrees of freedom.
    pub system: String,
    /// The number of its degrees of freedom.
    pub dimension: usize,
    /// The system itself, known by what it is.
    pub identity: SystemIdentity,
    /// The name of the method.
    pub method: String,
    /// Its options, where the library has them; those of a command stand in the note.
    pub options: String,
    /// The bits of the step h: no decimal stands between.
    step: u64,
    /// What the program that runs it needs to know beside: parameters, options.
    pub note: String,
}

impl SavedRun {
    /// A run of this version of the library.
    pub fn new(
        (system, dimension): (&str, usize),
        identity: SystemIdentity,
        (method, options): (&str, String),
        step: f64,
        note: String,
    ) -> Self {
        let (version, system, method) = (VERSION.to_owned(), system.to_owned(), method.to_owned());
        Self { version, system, dimension, identity, method, options, step: step.to_bits(), note }
    }

    /// The step h.
    pub fn step(&self) -> f64 {
        f64::from_bits(self.step)
    }
}

const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The first line of every checkpoint.
const FIRST: &str = "least-action checkpoint 1\n";
/// The longest second line that is read.
const LONGEST: usize = 1 << 26;

/// A checkpoint cannot be written, read or gone on with.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// A file cannot be read or written.
    #[error("the checkpoint {} cannot be {done}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The thing that was tried, in a word.
        done: &'static str,
        /// The error of the system.
        source: io::Error,
    },
    /// A file is no checkpoint.
    #[error("{} is no checkpoint of a run", path.display())]
    Other {
        /// The file.
        path: PathBuf,
    },
    /// A file is cut short, or some of its bits are others than were written.
    #[error("the checkpoint {} is damaged: {reason}{}", path.display(), before(path))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The sign of it.
        reason: &'static str,
    },
    /// Another version of the library wrote the file, whose steps may have other bits.
    #[error(
        "the checkpoint {} is one of version {version}, and this is {VERSION}: go on with that version, or start from its last state",
        path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// The version that wrote it.
        version: String,
    },
}

/// Where the checkpoint before stands, if there is one.
fn before(path: &Path) -> String {
    let before = previous(path);
    if before.exists() { format!("; the one before it is {}", before.display()) } else { String::new() }
}

/// The name of the checkpoint before.
pub fn previous(path: &Path) -> PathBuf {
    with_ending(path, ".previous")
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(ending);
    path.with_file_name(name)
}

impl Checkpoint {
    /// Writes a checkpoint beside its place, and gives it its name when it is complete; the one that had the name before is
    /// [kept](previous).
    ///
    /// # Errors
    /// A file cannot be written; what stood in its place stands there then.
    pub fn write(path: &Path, run: &SavedRun, start: &State, words: &[u64]) -> Result<(), CheckpointError> {
        let draft = with_ending(path, ".partial");
        let written = write_to(&draft, run, start, words).and_then(|()| put_in_place(&draft, path));
        written.map_err(|source| {
            // That half a file stays where it cannot be removed harms nobody.
            let _ = fs::remove_file(&draft);
            CheckpointError::File { path: path.to_owned(), done: "written", source }
        })
    }

    /// Reads a checkpoint.
    ///
    /// # Errors
    /// The file cannot be read, is none, is damaged, or one of another version.
    pub fn read(path: &Path) -> Result<Self, CheckpointError> {
        let mut bytes = Vec::new();
        File::open(path)
            .and_then(|mut file| file.read_to_end(&mut bytes))
            .map_err(|source| CheckpointError::File { path: path.to_owned(), done: "read", source })?;
        let damaged = |reason| CheckpointError::Damaged { path: path.to_owned(), reason };
        let rest = bytes
            .strip_prefix(FIRST.as_bytes())
            .ok_or_else(|| CheckpointError::Other { path: path.to_owned() })?;
        let (whole, sum) = bytes.split_last_chunk().ok_or_else(|| damaged("it is cut short"))?;
        let end = rest.iter().take(LONGEST).position(|byte| *byte == b'\n');
        let end = end.ok_or_else(|| damaged("it is cut short"))?;
        if XxHash64::oneshot(0, whole) != u64::from_le_bytes(*sum) {
            return Err(damaged("it is cut short, or some of its bits have changed"));
        }
        let run: SavedRun =
            serde_json::from_slice(&rest[..end]).map_err(|_| damaged("its first lines cannot be read"))?;
        if run.version != VERSION {
            return Err(CheckpointError::Version { path: path.to_owned(), version: run.version });
        }
        let numbers = rest[end + 1..].strip_suffix(sum).unwrap_or_default();
        let (chunks, odd) = numbers.as_chunks();
        let mut words: Vec<u64> = chunks.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
        let of_start = run.dimension.checked_mul(2).and_then(|length| length.checked_add(1));
        let of_start = of_start.filter(|length| *length <= words.len() && odd.is_empty());
        let of_start = of_start.ok_or_else(|| damaged("it has not as many numbers as it says"))?;
        let state: Vec<f64> = words.drain(..of_start).map(f64::from_bits).collect();
        let (q, v) = state[1..].split_at(run.dimension);
        let start = State { t: state[0], q: q.to_vec(), v: v.to_vec() };
        Ok(Self { run, start, words })
    }
}

fn write_to(draft: &Path, run: &SavedRun, start: &State, words: &[u64]) -> io::Result<()> {
    let mut bytes = FIRST.as_bytes().to_vec();
    serde_json::to_writer(&mut bytes, run)?;
    bytes.push(b'\n');
    let numbers = std::iter::once(&start.t).chain(&start.q).chain(&start.v).map(|number| number.to_bits());
    bytes.extend(numbers.chain(words.iter().copied()).flat_map(u64::to_le_bytes));
    let sum = XxHash64::oneshot(0, &bytes);
    bytes.extend(sum.to_le_bytes());
    let mut file = File::create(draft)?;
    file.write_all(&bytes)?;
    file.sync_all()
}

/// Gives a draft its name; at every moment a whole checkpoint has it.
fn put_in_place(draft: &Path, path: &Path) -> io::Result<()> {
    if path.exists() {
        let link = with_ending(path, ".linked");
        // A link, so that the old one keeps its name until the new one has it; a copy where there are no links.
        let _ = fs::remove_file(&link);
        fs::hard_link(path, &link).or_else(|_| fs::copy(path, &link).map(drop))?;
        fs::rename(&link, previous(path))?;
    }
    fs::rename(draft, path)?;
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        // The names outlive a machine that stops, where its file system can say so.
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
    Ok(())
}
