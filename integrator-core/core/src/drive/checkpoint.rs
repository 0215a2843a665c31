//! Saved runs in files.

use super::SystemIdentity;
use crate::error::{StartError, errors};
use crate::files::{self, Draft, beside, followed, with_ending};
use crate::system::State;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;
use twox_hash::XxHash64;

/// A run between two steps: its identity, its start, and all that it carries.
///
/// [`resume`](super::resume) or a [`Keeper`](super::Keeper) continues it.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// The saved run.
    pub run: SavedRun,
    /// Its first state.
    pub start: State,
    /// The memory of its stepper, its watch and its observers.
    pub words: Vec<u64>,
}

/// The run of a checkpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SavedRun {
    /// The version of this library.
    pub version: String,
    /// The name of the system.
    pub system: String,
    /// The number of its degrees of freedom.
    pub dimension: usize,
    /// The identity of the system.
    pub identity: SystemIdentity,
    /// The name of the method.
    pub method: String,
    /// The options of the method from the library; a command writes its own options into the note.
    pub options: String,
    /// The bits of the step h, without decimals.
    step: u64,
    /// Further data of the program that runs it, such as parameters.
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
/// The longest second line.
const LONGEST: usize = 1 << 26;

errors! {
    /// A checkpoint cannot be written, read or continued.
    #[derive(Debug, Error)]
    #[non_exhaustive]
    CheckpointError:

    /// A file cannot be read or written.
    #[error("the checkpoint {} cannot be {done}: {source}{}", path.display(), kept(path, done))]
    File {
        path: PathBuf = "The file.",
        done: &'static str = "The failed action, in a word.",
        source: io::Error = "The error of the operating system.",
    },
    /// Another run writes its checkpoints there.
    #[error("another run is saving itself to {}; wait for its end, or choose another name", path.display())]
    Taken { path: PathBuf = "The file." },
    /// A file is not a checkpoint, and is not replaced.
    #[error("{} is no checkpoint of a run; choose another name", path.display())]
    Other { path: PathBuf = "The file." },
    /// A file is cut short or changed.
    #[error("the checkpoint {} is damaged: {reason}{}", path.display(), before(path))]
    Damaged { path: PathBuf = "The file.", reason: &'static str = "The sign of the damage." },
    /// A new run would replace a saved one.
    #[error("{held}; `restart` begins anew")]
    Held { held: String = "The saved checkpoint, and how to continue it." },
    /// Another version of the library wrote the file; its steps may have other bits.
    #[error(
        "the checkpoint {} is one of version {version}, and this is {VERSION}: go on with that version, or start from its last state",
        path.display()
    )]
    Version { path: PathBuf = "The file.", version: String = "The version that wrote it." },
    /// The checkpoint has another system or method.
    #[error(
        "the checkpoint is one of `{}` with {} degrees of freedom by {}, and not of `{system}` with {dimension} by {method}",
        run.system, run.dimension, run.method
    )]
    OtherRun {
        run: Box<SavedRun> = "The saved run.",
        system: String = "The given system.",
        dimension: usize = "The number of its degrees of freedom.",
        method: &'static str = "The given method.",
    },
    /// The system has the saved name but is another one.
    #[error(
        "the checkpoint is one of another `{system}`: they differ in {part}; go on with the system that was saved, or start a new run from its \
         last state"
    )]
    OtherSystem { system: String = "The common name.", part: String = "The differing part, in words." },
    /// The method has other options.
    #[error(
        "the checkpoint is one of a run by {saved}, and not by {given}; go on with the options that were saved"
    )]
    OtherOptions {
        saved: String = "The saved method with its options.",
        given: String = "The given method with its options.",
    },
    /// The method of the continued run cannot be started.
    #[error(transparent)]
    Start(Box<StartError>),
}

/// Names the previous checkpoint, if there is one.
fn before(path: &Path) -> String {
    let before = previous(path);
    if before.exists() { format!("; the one before it is {}", before.display()) } else { String::new() }
}

/// Says that a failed write leaves the old checkpoint.
fn kept(path: &Path, done: &str) -> &'static str {
    if done == "written" && path.exists() {
        "; the run can go on from the one before, which stays"
    } else {
        ""
    }
}

/// The name of the previous checkpoint, beside the file behind all links.
pub fn previous(path: &Path) -> PathBuf {
    with_ending(&followed(path), "previous")
}

/// The place of a run's checkpoints, locked against other runs.
#[derive(Debug)]
pub struct CheckpointFile {
    /// The given name.
    path: PathBuf,
    /// Locked while the run may write; checkpoints are written beside it.
    draft: Draft,
}

impl CheckpointFile {
    /// Takes a place, before anything is computed.
    ///
    /// A checkpoint there stays until the run writes its first one.
    ///
    /// # Errors
    /// Another run has the place, a file there is not a checkpoint, or it cannot be written.
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
        // Left by a process that was killed between a link and its name.
        let _ = fs::remove_file(beside(&previous(draft.target())));
        Ok(Self { path: path.to_owned(), draft })
    }

    /// Refuses to replace a saved run by a new one, as a queued job that starts again would.
    ///
    /// # Errors
    /// There is a checkpoint, even a damaged one or one of another version.
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
            // There is none: a taken place has no other file.
            Err(_) => return Ok(()),
        };
        Err(CheckpointError::Held { held })
    }

    /// Writes a checkpoint beside its place, and renames it when it is complete.
    ///
    /// The previous one is [kept](previous).
    ///
    /// # Errors
    /// A file cannot be written; the old checkpoint stays.
    pub fn write(&self, run: &SavedRun, start: &State, words: &[u64]) -> Result<(), CheckpointError> {
        let target = self.draft.target();
        let written = self.draft.put(|file| {
            file.write_all(&bytes(run, start, words)?)?;
            // Complete before the old one is touched.
            file.sync_all()?;
            if target.exists() { keep(target) } else { Ok(()) }
        });
        written.map_err(|source| CheckpointError::File { path: self.path.clone(), done: "written", source })
    }
}

/// True if a file begins like a checkpoint.
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
    // A link gives it both names until the new one takes the first; without links, a copy.
    let copy = || {
        File::create(&link).and_then(|mut file| files::copy(target, &mut file).and_then(|()| file.sync_all()))
    };
    let kept = fs::hard_link(target, &link).or_else(|_| copy()).and_then(|()| fs::rename(&link, before));
    // Half a copy takes space; two links to one file, left by a killed process, cannot be renamed.
    let _ = fs::remove_file(&link);
    kept
}

impl Checkpoint {
    /// Reads a checkpoint.
    ///
    /// # Errors
    /// The file cannot be read, is not a checkpoint, is damaged, or has another version.
    pub fn read(path: &Path) -> Result<Self, CheckpointError> {
        Self::read_within(path, u64::MAX)
    }

    /// Reads a checkpoint into so many bytes of memory.
    ///
    /// # Errors
    /// Those of [`read`](Self::read), or the file is too long.
    pub fn read_within(path: &Path, memory: u64) -> Result<Self, CheckpointError> {
        let unread = |source| CheckpointError::File { path: path.to_owned(), done: "read", source };
        // Another file may be of any size.
        if !is_checkpoint(path).map_err(unread)? {
            return Err(CheckpointError::Other { path: path.to_owned() });
        }
        // Its bytes and its words are in memory together.
        let length = fs::metadata(path).map_err(unread)?.len();
        if length > memory / 2 {
            let reason = format!("its {length} bytes take more than the {memory} bytes of memory");
            return Err(unread(io::Error::other(reason)));
        }
        let bytes = files::read(path).map_err(unread)?;
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
