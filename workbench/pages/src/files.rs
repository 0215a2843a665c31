//! Files of a command: inputs are read up to a limit, and outputs take their names when they are complete.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::error::Error;

/// The most bytes that are read of an input: the state of ten million unknowns fits.
const LONGEST_INPUT: u64 = 1 << 30;

/// Reads a text file; a device or a pipe, which may never end, is refused.
pub fn read_text(path: &Path) -> Result<String, Error> {
    let unreadable = |error: io::Error| Error::unreadable(path, &error);
    let metadata = fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(Error::unreadable(path, &"it is no regular file; write its content to a file first"));
    }
    let mut text = String::new();
    File::open(path)
        .map_err(unreadable)?
        .take(LONGEST_INPUT + 1)
        .read_to_string(&mut text)
        .map_err(unreadable)?;
    if text.len() as u64 > LONGEST_INPUT {
        return Err(Error::unreadable(
            path,
            &format!("it is longer than the {LONGEST_INPUT} bytes that are read"),
        ));
    }
    // A mark of the encoding is no part of the text.
    if text.starts_with(MARK) {
        text.drain(..MARK.len());
    }
    Ok(text)
}

/// The mark of UTF-8 with which some programs begin a file.
pub const MARK: &str = "\u{feff}";

/// Replaces a file by a text.
pub fn replace(flag: &'static str, path: &Path, text: &str) -> Result<(), Error> {
    let mut draft = Draft::create(flag, path, &[])?;
    draft.write(text)?;
    draft.complete()
}

/// Refuses an output that could not be written, before anything is computed for it.
pub fn check(flag: &'static str, path: &Path) -> Result<(), Error> {
    Draft::create(flag, path, &[]).map(drop)
}

/// An output while it is written, under a name beside its own.
///
/// The file that has the name stays as it is until the draft is [complete](Self::complete) and replaces it. A draft is locked, so
/// that a second program that writes the output is refused. A draft that is dropped before it is complete is removed.
#[derive(Debug)]
pub struct Draft {
    /// The name as it was given, and the file that it stands for.
    name: PathBuf,
    target: PathBuf,
    /// The name until it is complete; none for a device or a pipe, which is written directly.
    partial: Option<PathBuf>,
    file: File,
    /// True if others than this run have written the draft, which is not removed then.
    kept: bool,
}

impl Draft {
    /// Begins an output, which must be none of the inputs of the command.
    pub fn create(flag: &'static str, path: &Path, inputs: &[&Path]) -> Result<Self, Error> {
        let uncreatable =
            |error: io::Error| Error::Uncreatable { path: path.to_owned(), reason: error.to_string() };
        // A link stays a link: the file that it names is replaced.
        let named = fs::canonicalize(path);
        if let Ok(named) = &named
            && inputs.iter().any(|input| fs::canonicalize(input).is_ok_and(|input| input == *named))
        {
            return Err(Error::OverAnInput { flag, path: path.to_owned() });
        }
        let target = named.unwrap_or_else(|_| path.to_owned());
        let old = match fs::metadata(&target) {
            Ok(old) => {
                // Fails for a directory, and for a file that may not be written.
                let file = OpenOptions::new().write(true).open(&target).map_err(uncreatable)?;
                if !old.is_file() {
                    return Ok(Self { name: path.to_owned(), target, partial: None, file, kept: false });
                }
                Some(old)
            }
            Err(_) => None,
        };
        let draft = beside(&target);
        let file = locked(&draft).map_err(|error| match error {
            TryLockError::WouldBlock => Error::BeingWritten { flag, path: path.to_owned() },
            TryLockError::Error(error) => uncreatable(error),
        })?;
        file.set_len(0).map_err(uncreatable)?;
        if let Some(old) = old {
            file.set_permissions(old.permissions()).map_err(uncreatable)?;
        }
        Ok(Self { name: path.to_owned(), target, partial: Some(draft), file, kept: false })
    }

    /// Goes on with the output of a run that was saved: with its draft, or, where that was completed, with one that `unfold` makes of the output.
    pub fn reopen(
        flag: &'static str,
        path: &Path,
        unfold: impl FnOnce(&Path, &Path) -> io::Result<()>,
    ) -> Result<Self, Error> {
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let draft = beside(&target);
        let is_left = draft.exists();
        if !is_left {
            // A draft is whole from its first moment on, should the process be killed.
            let copy = beside(&draft);
            unfold(&target, &copy).and_then(|()| fs::rename(&copy, &draft)).map_err(|error| {
                let _ = fs::remove_file(&copy);
                let reason = format!("{error}; a run that is gone on with needs what it had written before");
                Error::Unreadable { path: path.to_owned(), reason }
            })?;
        }
        let file = locked(&draft).map_err(|error| match error {
            TryLockError::WouldBlock => Error::BeingWritten { flag, path: path.to_owned() },
            TryLockError::Error(error) => {
                Error::Uncreatable { path: path.to_owned(), reason: error.to_string() }
            }
        })?;
        Ok(Self { name: path.to_owned(), target, partial: Some(draft), file, kept: is_left })
    }

    /// Gives another file the name of the output, and removes the draft.
    pub fn complete_with(mut self, other: &Path) -> Result<(), Error> {
        fs::rename(other, &self.target).map_err(|error| self.unwritable(&error))?;
        self.kept = false;
        Ok(())
    }

    /// The file that the output replaces.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// The name that the output takes.
    pub fn path(&self) -> &Path {
        &self.name
    }

    /// Another handle of the draft, to write by.
    pub fn handle(&self) -> Result<File, Error> {
        self.file.try_clone().map_err(|error| self.unwritable(&error))
    }

    /// Appends a text.
    pub fn write(&mut self, text: &str) -> Result<(), Error> {
        self.file.write_all(text.as_bytes()).map_err(|error| self.unwritable(&error))
    }

    /// Gives the draft its name.
    pub fn complete(mut self) -> Result<(), Error> {
        let Some(draft) = &self.partial else { return Ok(()) };
        // The content before the name: a machine that stops in between leaves no empty file of that name.
        let moved = self.file.sync_all().and_then(|()| fs::rename(draft, &self.target));
        let refused = moved.map_err(|error| Error::Unwritable {
            place: self.name.display().to_string(),
            reason: format!("{error}; the output stands in {}", draft.display()),
        });
        self.partial = None;
        refused
    }

    fn unwritable(&self, error: &io::Error) -> Error {
        Error::Unwritable { place: self.name.display().to_string(), reason: error.to_string() }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let (Some(draft), false) = (&self.partial, self.kept) {
            // Nobody waits for the draft: that it stays where it cannot be removed harms nothing.
            let _ = fs::remove_file(draft);
        }
    }
}

/// The name of a draft.
pub fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().map_or_else(OsString::new, OsString::from);
    name.push(".partial");
    path.with_file_name(name)
}

/// Opens and locks a draft.
fn locked(draft: &Path) -> Result<File, TryLockError> {
    loop {
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(draft)
            .map_err(TryLockError::Error)?;
        match file.try_lock() {
            // A file system without locks has no second writer that could be told.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => return Ok(file),
            Err(error) => return Err(error),
            Ok(()) => {}
        }
        // Between opening and locking, its writer may have completed or removed it: then the name is another file's, or nobody's.
        let (Ok(own), Ok(named)) = (file.metadata(), fs::metadata(draft)) else { continue };
        if is_the_same(&own, &named) {
            return Ok(file);
        }
    }
}

#[cfg(unix)]
fn is_the_same(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn is_the_same(_: &Metadata, _: &Metadata) -> bool {
    // An open file keeps its name there.
    true
}
