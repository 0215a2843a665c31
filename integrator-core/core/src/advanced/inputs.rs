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

pub use crate::inputs::*;
