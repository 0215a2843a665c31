//! Files: inputs are opened in one place, and outputs take their names when they are complete.

mod draft;
mod input;

pub use draft::Draft;
pub use input::{MARK, copy, open, read, read_text, standard_input};

use std::fs;
use std::path::{Path, PathBuf};

/// The name of standard input and standard output.
pub const STANDARD: &str = "-";

/// The most links from a name to its file: a circle of links has no end.
const LINKS: usize = 40;

/// The file of a name after all links, which may lead to a missing file.
pub fn followed(path: &Path) -> PathBuf {
    let mut file = path.to_owned();
    for _ in 0..LINKS {
        let Ok(next) = fs::read_link(&file) else { break };
        file = file.parent().unwrap_or(Path::new("")).join(next);
    }
    file
}

/// The name of a draft.
pub fn beside(path: &Path) -> PathBuf {
    with_ending(path, "partial")
}

/// A path with a dot and `ending` behind its name, which older versions of Rust have no method for.
pub fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}
