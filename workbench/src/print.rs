//! Printing on standard output: one JSON object on a line, or a table for people.

use std::io::Write;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::error::Error;

/// Prints one JSON object and a newline.
pub(crate) fn json_line(out: &mut dyn Write, value: &impl Serialize) -> Result<(), Error> {
    serde_json::to_writer(&mut *out, value).map_err(|error| Error::stdout(&error.into()))?;
    out.write_all(b"\n").map_err(|error| Error::stdout(&error))
}

/// Lines with columns aligned, two spaces apart.
pub(crate) fn table(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    rows.iter()
        .map(|row| {
            let cells: Vec<String> =
                row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
            cells.join("  ").trim_end().to_owned()
        })
        .collect()
}

/// Says on standard error how far a long computation is: the first time after a second, and then ever more seldom.
pub(crate) struct Progress<'e> {
    err: &'e mut dyn Write,
    talks: bool,
    said: Instant,
    pause: Duration,
}

/// The longest time between two words.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

impl<'e> Progress<'e> {
    pub(crate) fn new(err: &'e mut dyn Write, talks: bool) -> Self {
        Self { err, talks, said: Instant::now(), pause: Duration::from_secs(1) }
    }

    /// Says it if it is time to.
    pub(crate) fn say(&mut self, message: impl FnOnce() -> String) {
        if self.talks && self.said.elapsed() >= self.pause {
            // Nobody is there to be told when the stream is gone.
            let _ = writeln!(self.err, "{}", message());
            self.said = Instant::now();
            self.pause = (2 * self.pause).min(LONGEST_PAUSE);
        }
    }
}
