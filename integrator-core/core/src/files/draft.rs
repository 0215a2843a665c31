//! Outputs under construction: locked, and complete before they take a name.

use super::{STANDARD, beside, followed};
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// An output under construction, under a name beside its own.
///
/// The old file keeps the name until a complete and synced file replaces it: the draft when it is
/// [complete](Self::complete), or a file that [`put`](Self::put) fills.
/// A draft is locked: a second program that writes the output is refused.
/// A draft that is dropped before it is complete is removed, unless it is [kept](Self::keep).
/// The next draft takes or removes all files that a killed process left beside the output.
#[derive(Debug)]
pub struct Draft {
    /// The file behind the name.
    target: PathBuf,
    /// The name of the draft; `None` for a device or a pipe, which is written directly.
    partial: Option<PathBuf>,
    file: File,
    kept: bool,
}

impl Draft {
    /// Begins an output; a draft of a killed process is emptied.
    ///
    /// # Errors
    /// Another program writes the output ([`ErrorKind::WouldBlock`]), or it cannot be written.
    pub fn create(path: &Path) -> io::Result<Self> {
        // A link stays: the file behind it is replaced.
        let target = followed(path);
        let old = match fs::metadata(&target) {
            Ok(old) => {
                // Fails for a directory and for a read-only file.
                let file = OpenOptions::new().write(true).open(&target)?;
                if !old.is_file() {
                    return Ok(Self { target, partial: None, file, kept: false });
                }
                Some(old)
            }
            Err(_) => None,
        };
        let partial = beside(&target);
        let file = locked(&partial)?;
        let draft = Self { target, partial: Some(partial), file, kept: false };
        draft.sweep();
        draft.file.set_len(0)?;
        if let Some(old) = old {
            draft.file.set_permissions(old.permissions())?;
        }
        Ok(draft)
    }

    /// Standard output, which is written directly.
    ///
    /// # Errors
    /// The process has none.
    pub fn standard_output() -> io::Result<Self> {
        #[cfg(unix)]
        let handle = std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned()?;
        #[cfg(windows)]
        let handle = std::os::windows::io::AsHandle::as_handle(&io::stdout()).try_clone_to_owned()?;
        // There is none in a page, nor are there files.
        #[cfg(not(any(unix, windows)))]
        let handle = File::create(STANDARD)?;
        Ok(Self { target: PathBuf::from(STANDARD), partial: None, file: handle.into(), kept: false })
    }

    /// Continues the output of a saved run.
    ///
    /// The draft is the one that the run left; `unfold` makes one from a completed output.
    ///
    /// # Errors
    /// Another program writes the output ([`ErrorKind::WouldBlock`]), there is neither draft nor output,
    /// or no room for the draft.
    pub fn reopen(path: &Path, unfold: impl FnOnce(&Path, &mut File) -> io::Result<()>) -> io::Result<Self> {
        let target = followed(path);
        let partial = beside(&target);
        let is_left = partial.exists();
        if !is_left {
            // A draft is whole at every moment, in case the process is killed.
            whole(&beside(&partial), &partial, |file| unfold(&target, file))?;
        }
        let file = locked(&partial)?;
        let draft = Self { target, partial: Some(partial), file, kept: is_left };
        draft.sweep();
        Ok(draft)
    }

    /// Removes the file of a process that was killed in [`put`](Self::put).
    fn sweep(&self) {
        if let Some(partial) = &self.partial {
            // Usually there is none.
            let _ = fs::remove_file(beside(partial));
        }
    }

    /// The file to replace.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// The name of the draft; `None` for a device or a pipe.
    pub fn partial(&self) -> Option<&Path> {
        self.partial.as_deref()
    }

    /// The draft, for writing.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Keeps the draft when it is dropped, for a later run or a reader.
    pub fn keep(&mut self) {
        self.kept = true;
    }

    /// Replaces the output by a file that `write` fills, or leaves the old one.
    ///
    /// The draft stays, with its lock.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn put(&self, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
        match &self.partial {
            Some(partial) => whole(&beside(partial), &self.target, write),
            None => write(&mut self.file.try_clone()?),
        }
    }

    /// Removes the draft of an output that was [put](Self::put).
    pub fn discard(mut self) {
        self.kept = false;
    }

    /// Gives the draft its name.
    ///
    /// # Errors
    /// The draft cannot be written to the end or renamed; it is kept.
    pub fn complete(mut self) -> io::Result<()> {
        let Some(partial) = &self.partial else { return Ok(()) };
        // Content first: a machine that stops in between leaves no empty file under the name.
        let moved = self.file.sync_all().and_then(|()| fs::rename(partial, &self.target));
        let moved = moved.and_then(|()| sync_folder(&self.target));
        self.kept = true;
        moved
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let (Some(partial), false) = (&self.partial, self.kept) {
            // A draft that cannot be removed does no harm.
            let _ = fs::remove_file(partial);
        }
    }
}

/// Fills a file beside another one, and gives it the other's name when it is complete and synced.
fn whole(scratch: &Path, file: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let fill = || {
        let mut filled = File::create(scratch)?;
        if let Ok(old) = fs::metadata(file) {
            filled.set_permissions(old.permissions())?;
        }
        write(&mut filled)?;
        filled.sync_all()?;
        fs::rename(scratch, file)
    };
    fill().inspect_err(|_| {
        // Half a file would only take space.
        let _ = fs::remove_file(scratch);
    })?;
    sync_folder(file)
}

/// Makes names survive a crash of the machine, if the file system can sync folders.
fn sync_folder(file: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(folder) = file.parent() {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        // A folder may be writable but not readable.
        if let Ok(folder) = File::open(folder) {
            return match folder.sync_all() {
                Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => {
                    Ok(())
                }
                synced => synced,
            };
        }
    }
    #[cfg(not(unix))]
    let _ = file;
    Ok(())
}

/// Opens and locks a draft.
fn locked(draft: &Path) -> io::Result<File> {
    loop {
        let file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(draft)?;
        match file.try_lock() {
            // Without locks, there is no way to find a second writer.
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => return Ok(file),
            locked => locked?,
        }
        // Between opening and locking, its writer may have completed or removed it;
        // then the name belongs to another file, or to none.
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
    // An open file keeps its name on these systems.
    true
}
