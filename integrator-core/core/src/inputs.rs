//! The files that parameters name, reported when they are read.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use twox_hash::XxHash64;

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// Its name in the parameter.
    pub path: PathBuf,
    /// A checksum of its content.
    pub checksum: u64,
}

thread_local! {
    /// The files for the parameters that this thread is reading, inside of [`hear`].
    static HEARD: RefCell<Option<Vec<Input>>> = const { RefCell::new(None) };
}

/// Reports a file that was read for a parameter, with its content.
pub fn tell(path: &Path, content: &[u8]) {
    HEARD.with_borrow_mut(|heard| {
        let Some(heard) = heard else { return };
        let input = Input { path: path.to_owned(), checksum: XxHash64::oneshot(0, content) };
        if !heard.contains(&input) {
            heard.push(input);
        }
    });
}

/// Runs `inside`, and returns the reported files, each once, in order.
pub fn hear<R>(inside: impl FnOnce() -> R) -> (R, Vec<Input>) {
    let around = HEARD.replace(Some(Vec::new()));
    let result = inside();
    (result, HEARD.replace(around).unwrap_or_default())
}
