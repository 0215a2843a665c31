//! Outputs while they are written: locked, and whole before they take a name.

use super::{STANDARD, beside, followed};
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// An output while it is written, under a name beside its own.
///
/// The file that has the name stays as it is until a whole and synced one replaces it.
/// This is the draft when it is [complete](Self::complete), or a file that [`put`](Self::put) fills.
/// A draft is locked, so that a second program that writes the output is refused.
/// A draft that is dropped before it is complete is removed, unless it is to be [kept](Self::keep).
/// The next draft takes or removes all files that a killed process leaves beside the output.
#[derive(Debug)]
pub struct Draft {
    /// The file that the name stands for.
    target: PathBuf,
    /// The name until it is complete; none for a device or a pipe, which is written directly.
    partial: Option<PathBuf>,
    file: File,
    kept: bool,
}

impl Draft {
    /// Begins an output; a draft that a killed process has left is emptied.
    ///
    /// # Errors
    /// Another program writes the output ([`ErrorKind::WouldBlock`]), or it cannot be written.
    pub fn create(path: &Path) -> io::Result<Self> {
        // A link stays a link: the file that it names is replaced.
        let target = followed(path);
        let old = match fs::metadata(&target) {
            Ok(old) => {
                // Fails for a directory, and for a file that may not be written.
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

    /// Standard output, which takes what is written at once.
    ///
    /// # Errors
    /// The process has none.
    pub fn standard_output() -> io::Result<Self> {
        #[cfg(unix)]
        let handle = std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned()?;
        #[cfg(windows)]
        let handle = std::os::windows::io::AsHandle::as_handle(&io::stdout()).try_clone_to_owned()?;
        Ok(Self { target: PathBuf::from(STANDARD), partial: None, file: handle.into(), kept: false })
    }

    /// Goes on with the output of a run that was saved.
    ///
    /// The draft is the one that the run left; `unfold` makes one of an output that was completed.
    ///
    /// # Errors
    /// Another program writes the output ([`ErrorKind::WouldBlock`]), there is neither draft nor output,
    /// or no room for the draft.
    pub fn reopen(path: &Path, unfold: impl FnOnce(&Path, &mut File) -> io::Result<()>) -> io::Result<Self> {
        let target = followed(path);
        let partial = beside(&target);
        let is_left = partial.exists();
        if !is_left {
            // A draft is whole from its first moment on, should the process be killed.
            whole(&beside(&partial), &partial, |file| unfold(&target, file))?;
        }
        let file = locked(&partial)?;
        let draft = Self { target, partial: Some(partial), file, kept: is_left };
        draft.sweep();
        Ok(draft)
    }

    /// Removes the file that a process left which was killed in [`put`](Self::put).
    fn sweep(&self) {
        if let Some(partial) = &self.partial {
            // Mostly there is none.
            let _ = fs::remove_file(beside(partial));
        }
    }

    /// The file that the output replaces.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// The name of the draft; none for a device or a pipe.
    pub fn partial(&self) -> Option<&Path> {
        self.partial.as_deref()
    }

    /// The draft, to write by.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Leaves the draft where it is when it is dropped: a run can go on from it, or someone read it.
    pub fn keep(&mut self) {
        self.kept = true;
    }

    /// Replaces the output by a file that `write` fills, or leaves it as it was.
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
    /// The draft cannot be written to the end, or renamed; it is kept then.
    pub fn complete(mut self) -> io::Result<()> {
        let Some(partial) = &self.partial else { return Ok(()) };
        // The content before the name: a machine that stops in between leaves no empty file there.
        let moved = self.file.sync_all().and_then(|()| fs::rename(partial, &self.target));
        let moved = moved.and_then(|()| sync_folder(&self.target));
        self.kept = true;
        moved
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let (Some(partial), false) = (&self.partial, self.kept) {
            // Nobody waits for the draft: that it stays where it cannot be removed harms nothing.
            let _ = fs::remove_file(partial);
        }
    }
}

/// Fills a file beside another one, and gives it the name of that one when it is whole and synced.
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
        // Half a file would take the room that its writer lacks.
        let _ = fs::remove_file(scratch);
    })?;
    sync_folder(file)
}

/// Makes names outlive a machine that stops, where its file system can say so.
fn sync_folder(file: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(folder) = file.parent() {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        // Names may be written into a folder that may not be read.
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
            // A file system without locks has no second writer that could be told.
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => return Ok(file),
            locked => locked?,
        }
        // Between opening and locking, its writer may have completed or removed it.
        // Then the name is another file's, or nobody's.
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
