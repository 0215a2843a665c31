//! The files that parameters name, heard of where they are read.
//!
//! A parameter may be the name of a file, as that of a [signal](crate::system::Signal) or of a mesh, which is read where parameters are. serde hands over values and
//! nothing else; so whoever reads such a file tells it here, and whoever asks for parameters hears of it: a run is known by the contents of its files, not by their names.
//!
//! ```
//! # use least_action::inputs;
//! /// A table of numbers as a parameter: the name of its file.
//! fn read(path: &std::path::Path) -> std::io::Result<String> {
//!     let text = std::fs::read_to_string(path)?;
//!     inputs::tell(path, text.as_bytes());
//!     Ok(text)
//! }
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
    /// The files of the parameters that are being read in this thread, if somebody wants to hear of them.
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
