//! The files that parameters name, reported when they are read.
//!
//! A parameter may be the name of a file, such as a [signal](crate::system::Signal) or a mesh, which is
//! read together with the parameters. serde hands over values only; so the reader of the file tells it
//! here, and the reader of the parameters hears it: the contents of the files identify a run, not their
//! names.
//!
//! ```
//! # use least_action::advanced::inputs;
//! # use std::path::Path;
//! /// A table of numbers from a file whose name is the parameter, and whose text was read.
//! fn table(file: &Path, text: &str) -> Vec<f64> {
//!     inputs::tell(file, text.as_bytes());
//!     text.lines().filter_map(|line| line.parse().ok()).collect()
//! }
//! # let (table, heard) = inputs::hear(|| table(Path::new("table.txt"), "1\n2\n"));
//! # assert!(table == [1.0, 2.0] && heard[0].path == Path::new("table.txt"));
//! ```

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
