//! Files of a command, and their mistakes by the flag that names them.

use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use least_action_core::files;

use crate::error::Error;

/// Reads a text file; a device or a pipe, which may never end, is refused.
pub fn read_text(path: &Path) -> Result<String, Error> {
    files::read_text(path).map_err(|error| Error::unreadable(path, &error))
}

/// Replaces a file by a text.
pub fn replace(flag: &'static str, path: &Path, text: &str) -> Result<(), Error> {
    let mut draft = Draft::create(flag, path)?;
    draft.write(text)?;
    draft.complete()
}

/// Refuses an output that could not be written, before anything is computed for it.
pub fn check(flag: &'static str, path: &Path) -> Result<(), Error> {
    Draft::create(flag, path).map(drop)
}

/// Refuses an output that would replace an input of its command or another output, also through links,
/// under the name of its draft, or within a folder.
pub fn apart<'p>(
    inputs: impl IntoIterator<Item = &'p Path>,
    outputs: &[(&'static str, &Path)],
) -> Result<(), Error> {
    let is_file = |path: &Path| path != Path::new(files::STANDARD);
    let inputs: Vec<PathBuf> = inputs.into_iter().filter(|path| is_file(path)).map(whole).collect();
    let mut known: Vec<(&'static str, PathBuf)> = Vec::new();
    for (flag, path) in outputs.iter().copied().filter(|(_, path)| is_file(path)) {
        let own = whole(path);
        let draft = files::beside(&own);
        if inputs.iter().any(|input| input.starts_with(&own) || *input == draft) {
            return Err(Error::Mistake(format!(
                "{flag} {}: the command reads this file; choose another name for its output",
                path.display()
            )));
        }
        // What is no file, such as a terminal, takes several outputs.
        let is_replaced = !own.exists() || own.is_file();
        if let Some((first, _)) = known.iter().find(|(_, other)| {
            is_replaced && (*other == own || *other == draft || files::beside(other) == own)
        }) {
            return Err(Error::Mistake(format!(
                "{flag} {}: {first} names the same file; give each a name of its own",
                path.display()
            )));
        }
        known.push((flag, own));
    }
    Ok(())
}

/// The whole name of a file behind all links, which need not be there yet.
fn whole(path: &Path) -> PathBuf {
    let file = files::followed(path);
    let name = file.file_name().unwrap_or_default();
    let whole = file.canonicalize().or_else(|_| Ok::<_, io::Error>(folder(&file).canonicalize()?.join(name)));
    whole.unwrap_or(file)
}

/// The folder of a file.
pub fn folder(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A folder for outputs; of a command that is refused no empty one stays.
#[derive(Debug)]
pub struct Folder(Vec<PathBuf>);

impl Folder {
    /// Makes a folder with those above it, where they are missing.
    pub fn create(path: &Path) -> io::Result<Self> {
        let missing =
            path.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
        let folder = Self(missing.map(Path::to_owned).collect());
        fs::create_dir_all(path)?;
        Ok(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // One with files stays.
        let _ = self.0.iter().try_for_each(fs::remove_dir);
    }
}

/// An output while it is written, under a name beside its own.
#[derive(Debug)]
pub struct Draft {
    /// The name as it was given.
    name: PathBuf,
    draft: files::Draft,
}

impl Draft {
    /// Begins an output.
    pub fn create(flag: &'static str, path: &Path) -> Result<Self, Error> {
        let draft = if path == Path::new(files::STANDARD) {
            files::Draft::standard_output()
        } else {
            files::Draft::create(path)
        };
        let draft = draft.map_err(|error| Error::undrafted(flag, path, &error))?;
        Ok(Self { name: path.to_owned(), draft })
    }

    /// Goes on with the output of a saved run: with its draft, or, where the draft was completed, with a
    /// draft that `unfold` makes of the output.
    pub fn reopen(
        flag: &'static str,
        path: &Path,
        unfold: impl FnOnce(&Path, &mut File) -> io::Result<()>,
    ) -> Result<Self, Error> {
        let draft = files::Draft::reopen(path, unfold).map_err(|error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::InvalidData | ErrorKind::Other => {
                let reason = format!("{error}; a run that goes on needs its earlier rows");
                Error::Unreadable { path: path.to_owned(), reason }
            }
            _ => Error::undrafted(flag, path, &error),
        })?;
        Ok(Self { name: path.to_owned(), draft })
    }

    /// The file that the output replaces.
    pub fn target(&self) -> &Path {
        self.draft.target()
    }

    /// The name that the output takes.
    pub fn path(&self) -> &Path {
        &self.name
    }

    /// The name of the draft; none for a device or a pipe.
    pub fn partial(&self) -> Option<&Path> {
        self.draft.partial()
    }

    /// Another handle of the draft, to write by.
    pub fn handle(&self) -> Result<File, Error> {
        self.draft.file().try_clone().map_err(|error| self.unwritable(&error))
    }

    /// Appends a text.
    pub fn write(&mut self, text: &str) -> Result<(), Error> {
        self.draft.file().write_all(text.as_bytes()).map_err(|error| self.unwritable(&error))
    }

    /// Leaves the draft where it is when it is dropped.
    pub fn keep(&mut self) {
        self.draft.keep();
    }

    /// Replaces the output by a file that `write` fills, or leaves it as it was; the draft stays.
    pub fn put(&self, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), Error> {
        self.draft.put(write).map_err(|error| self.unwritable(&error))
    }

    /// Removes the draft of an output that was [put](Self::put).
    pub fn discard(self) {
        self.draft.discard();
    }

    /// Gives the draft its name.
    pub fn complete(self) -> Result<(), Error> {
        let Self { name, draft } = self;
        let partial = draft.partial().map(Path::to_owned);
        draft.complete().map_err(|error| {
            let left = partial.filter(|partial| partial.exists());
            let left =
                left.map_or_else(String::new, |left| format!("; the output stands in {}", left.display()));
            Error::unwritable(name.display(), &format!("{error}{left}"))
        })
    }

    /// The error of a write that failed.
    pub fn unwritable(&self, error: &impl Display) -> Error {
        Error::unwritable(self.name.display(), error)
    }
}
