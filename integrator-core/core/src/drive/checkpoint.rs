//! A saved run as a file.

use super::SystemIdentity;
use crate::files::{self, Draft, beside, followed};
use crate::system::State;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
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
    /// The options of the method, where the library has them; a command writes its options into the note.
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
    #[error("the checkpoint {} cannot be {done}: {source}{}", path.display(), kept(path, done))]
    File {
        /// The file.
        path: PathBuf,
        /// The thing that was tried, in a word.
        done: &'static str,
        /// The error of the system.
        source: io::Error,
    },
    /// A run that goes on writes its checkpoints there.
    #[error("another run is saving itself to {}; wait for its end, or choose another name", path.display())]
    Taken {
        /// The file.
        path: PathBuf,
    },
    /// A file is no checkpoint, and is not replaced by one.
    #[error("{} is no checkpoint of a run; choose another name", path.display())]
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
    /// A run would begin anew where one is saved already.
    #[error("{held}; `restart` begins anew")]
    Held {
        /// The checkpoint that is there, and how to go on with it.
        held: String,
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

/// Words on the checkpoint that one which cannot be written leaves in its place.
fn kept(path: &Path, done: &str) -> &'static str {
    if done == "written" && path.exists() {
        "; the run can go on from the one before, which stays"
    } else {
        ""
    }
}

/// The name of the checkpoint before, beside the file to which a link leads.
pub fn previous(path: &Path) -> PathBuf {
    followed(path).with_added_extension("previous")
}

/// The place of a run's checkpoints, where no other run writes meanwhile.
#[derive(Debug)]
pub struct CheckpointFile {
    /// The name as it was given.
    path: PathBuf,
    /// Locked as long as the run may write; each checkpoint is written beside it.
    draft: Draft,
}

impl CheckpointFile {
    /// Takes a place, before anything is computed for it.
    ///
    /// A checkpoint there stays until the first one of the run is written.
    ///
    /// # Errors
    /// Another run has it, a file there is no checkpoint, or none can be written.
    pub fn take(path: &Path) -> Result<Self, CheckpointError> {
        let refused = |source: io::Error| match source.kind() {
            ErrorKind::WouldBlock => CheckpointError::Taken { path: path.to_owned() },
            _ => CheckpointError::File { path: path.to_owned(), done: "created", source },
        };
        if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(refused(io::Error::other("it is no regular file")));
        }
        let draft = Draft::create(path).map_err(refused)?;
        if draft.target().exists() && !is_checkpoint(draft.target()).map_err(refused)? {
            return Err(CheckpointError::Other { path: path.to_owned() });
        }
        // A process that was killed between a link and its name has left it.
        let _ = fs::remove_file(beside(&previous(draft.target())));
        Ok(Self { path: path.to_owned(), draft })
    }

    /// Refuses to begin anew over a run that could be gone on with, as a job that is queued again would.
    ///
    /// # Errors
    /// A checkpoint stands in the place, be it damaged or one of another version.
    pub fn check_new(&self) -> Result<(), CheckpointError> {
        let held = match Checkpoint::read(&self.path) {
            Ok(Checkpoint { run: SavedRun { system, method, .. }, .. }) => {
                let file = self.path.display();
                format!(
                    "the checkpoint {file} holds a run of `{system}` by {method}, and `resume` goes on with it"
                )
            }
            Err(error @ (CheckpointError::Damaged { .. } | CheckpointError::Version { .. })) => {
                error.to_string()
            }
            // There is none: nothing else is left in a place that was taken.
            Err(_) => return Ok(()),
        };
        Err(CheckpointError::Held { held })
    }

    /// Writes a checkpoint beside its place, and gives it its name when it is whole.
    ///
    /// The one that had the name before is [kept](previous).
    ///
    /// # Errors
    /// A file cannot be written; what stood in its place stands there then.
    pub fn write(&self, run: &SavedRun, start: &State, words: &[u64]) -> Result<(), CheckpointError> {
        let target = self.draft.target();
        let written = self.draft.put(|file| {
            file.write_all(&bytes(run, start, words)?)?;
            // Whole before the one before it is touched.
            file.sync_all()?;
            if target.exists() { keep(target) } else { Ok(()) }
        });
        written.map_err(|source| CheckpointError::File { path: self.path.clone(), done: "written", source })
    }
}

/// True if a file begins as every checkpoint does.
fn is_checkpoint(path: &Path) -> io::Result<bool> {
    let mut first = Vec::new();
    files::open(path)?.take(FIRST.len() as u64).read_to_end(&mut first)?;
    Ok(first == FIRST.as_bytes())
}

/// Gives a checkpoint its second name.
fn keep(target: &Path) -> io::Result<()> {
    let before = previous(target);
    let link = beside(&before);
    let _ = fs::remove_file(&link);
    // By a link it has both names until the new one takes the first; a copy where there are no links.
    let copy = || {
        File::create(&link).and_then(|mut file| files::copy(target, &mut file).and_then(|()| file.sync_all()))
    };
    let kept = fs::hard_link(target, &link).or_else(|_| copy()).and_then(|()| fs::rename(&link, before));
    // Half a copy takes room, and two links to one file, as a killed process leaves them, are not
    // renamed.
    let _ = fs::remove_file(&link);
    kept
}

impl Checkpoint {
    /// Reads a checkpoint.
    ///
    /// # Errors
    /// The file cannot be read, is none, is damaged, or one of another version.
    pub fn read(path: &Path) -> Result<Self, CheckpointError> {
        let bytes = files::read(path).map_err(|source| CheckpointError::File {
            path: path.to_owned(),
            done: "read",
            source,
        })?;
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

fn bytes(run: &SavedRun, start: &State, words: &[u64]) -> io::Result<Vec<u8>> {
    let mut bytes = FIRST.as_bytes().to_vec();
    serde_json::to_writer(&mut bytes, run)?;
    bytes.push(b'\n');
    let numbers = std::iter::once(&start.t).chain(&start.q).chain(&start.v).map(|number| number.to_bits());
    bytes.extend(numbers.chain(words.iter().copied()).flat_map(u64::to_le_bytes));
    let sum = XxHash64::oneshot(0, &bytes);
    bytes.extend(sum.to_le_bytes());
    Ok(bytes)
}
