//! The files that parameters name, heard of where they are read.
//!
//! A parameter may be the name of a file, as that of a [signal](crate::system::Signal) or of a mesh,
//! which is read where parameters are. serde hands over values and nothing else; so whoever reads such a
//! file tells it here, and whoever asks for parameters hears of it: a run is known by the contents of
//! its files, not by their names.
//!
//! ```
//! # use least_action::inputs;
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
    /// Its name, as the parameter has it.
    pub path: PathBuf,
    /// A checksum of its content.
    pub checksum: u64,
}

thread_local! {
    /// The files of the parameters that are being read in this thread, if somebody wants to hear of
    /// them.
    static HEARD: RefCell<Option<Vec<Input>>> = const { RefCell::new(None) };
}

/// Tells of a file that was read for a parameter, with its content.
pub fn tell(path: &Path, content: &[u8]) {
    HEARD.with_borrow_mut(|heard| {
        let Some(heard) = heard else { return };
        let input = Input { path: path.to_owned(), checksum: XxHash64::oneshot(0, content) };
        if !heard.contains(&input) {
            heard.push(input);
        }
    });
}

/// Runs `inside`, and returns the files that were told of meanwhile, each once and in their order.
pub fn hear<R>(inside: impl FnOnce() -> R) -> (R, Vec<Input>) {
    let around = HEARD.replace(Some(Vec::new()));
    let result = inside();
    (result, HEARD.replace(around).unwrap_or_default())
}
