//! Inputs: regular files, and texts up to a limit.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// The largest text in bytes: the state of ten million unknowns fits.
const LONGEST_TEXT: u64 = 1 << 30;

/// Opens a regular file; refuses devices and pipes, which may never end.
///
/// # Errors
/// The file does not exist, is not readable, or is not regular.
pub fn open(path: &Path) -> io::Result<File> {
    // Opening a pipe would wait for its writer.
    regular(&fs::metadata(path)?)?;
    let file = File::open(path)?;
    // Another file may have taken the name since.
    regular(&file.metadata()?)?;
    Ok(file)
}

fn regular(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_file() {
        Ok(())
    } else {
        Err(io::Error::other("it is no regular file; write its content to a file first"))
    }
}

/// The bytes of a file.
///
/// # Errors
/// It cannot be [opened](open) or read.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The byte order mark with which some programs begin a text.
pub const MARK: &str = "\u{feff}";

/// The text of standard input, read once; later calls return it again.
///
/// # Errors
/// It cannot be read, is not UTF-8, or is longer than a gigabyte.
pub fn standard_input() -> io::Result<String> {
    static READ: Mutex<Option<String>> = Mutex::new(None);
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(text) = &*read {
        return Ok(text.clone());
    }
    let text = text_of(io::stdin())?;
    *read = Some(text.clone());
    Ok(text)
}

/// The text of a file, without a byte order mark.
///
/// # Errors
/// It cannot be [opened](open) or read, is not UTF-8, or is longer than a gigabyte.
pub fn read_text(path: &Path) -> io::Result<String> {
    text_of(open(path)?)
}

fn text_of(input: impl Read) -> io::Result<String> {
    let mut text = String::new();
    input.take(LONGEST_TEXT + 1).read_to_string(&mut text)?;
    if text.len() as u64 > LONGEST_TEXT {
        return Err(io::Error::other(format!("it is longer than the {LONGEST_TEXT} bytes that are read")));
    }
    if text.starts_with(MARK) {
        text.drain(..MARK.len());
    }
    Ok(text)
}

/// Appends the content of a file to another one.
///
/// # Errors
/// The file cannot be [opened](open) or read, or the other one cannot be written.
pub fn copy(from: &Path, to: &mut File) -> io::Result<()> {
    io::copy(&mut open(from)?, to).map(drop)
}
