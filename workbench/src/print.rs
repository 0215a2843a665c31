//! Printing on standard output: one JSON object on a line, or text for people.

use std::io::{self, Write};

use comfy_table::{ContentArrangement, Table, presets};
use least_action::system::Layout;
use serde::Serialize;
use textwrap::{Options, WordSplitter};

use crate::error::{Error, Result};

/// Prints one JSON object and a newline.
pub(crate) fn json_line(out: &mut dyn Write, value: &impl Serialize) -> Result {
    serde_json::to_writer(&mut *out, value).map_err(|error| Error::stdout(&error.into()))?;
    out.write_all(b"\n").map_err(|error| Error::stdout(&error))
}

/// Text for people: no line is longer than the terminal.
pub(crate) struct Text<'w> {
    out: &'w mut dyn Write,
    columns: Option<usize>,
    /// The line that is being written.
    line: Vec<u8>,
}

/// The columns by which the rest of a line stands behind its beginning.
const HANGING: usize = 4;

impl<'w> Text<'w> {
    /// Of so many columns; of any length where a program reads it.
    pub(crate) fn new(out: &'w mut dyn Write, columns: Option<usize>) -> Self {
        Self { out, columns, line: Vec::new() }
    }

    /// Lines with columns aligned, two spaces apart: cells that are too long take several lines.
    pub(crate) fn table(&mut self, rows: &[Vec<String>]) -> io::Result<()> {
        self.indented(0, rows)
    }

    /// A table behind so many spaces.
    pub(crate) fn indented(&mut self, indent: usize, rows: &[Vec<String>]) -> io::Result<()> {
        let lines = table(rows, self.columns.map(|columns| columns.saturating_sub(indent)));
        lines.iter().try_for_each(|line| writeln!(self, "{:indent$}{line}", ""))
    }

    /// A state, a coordinate in a row.
    pub(crate) fn state(&mut self, layout: &Layout, q: &[f64], v: &[f64]) -> io::Result<()> {
        let mut rows = vec![["coordinate", "q", "v"].map(str::to_owned).to_vec()];
        let row = |(index, (q, v))| vec![layout.name_of(index), format!("{q:?}"), format!("{v:?}")];
        rows.extend(q.iter().zip(v).enumerate().map(row));
        self.table(&rows)
    }

    /// Wraps the line.
    fn end_of_line(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&line);
        match self.columns.filter(|columns| text.chars().count() > *columns) {
            None => writeln!(self.out, "{text}"),
            Some(columns) => {
                let hanging = text.chars().take_while(|letter| *letter == ' ').count() + HANGING;
                let indent = " ".repeat(hanging.min(columns / 2));
                let options = Options::new(columns)
                    .subsequent_indent(&indent)
                    .word_splitter(WordSplitter::NoHyphenation);
                textwrap::wrap(&text, options).iter().try_for_each(|line| writeln!(self.out, "{line}"))
            }
        }
    }
}

impl Write for Text<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            match part.split_last() {
                Some((b'\n', rest)) => {
                    self.line.extend_from_slice(rest);
                    self.end_of_line()?;
                }
                _ => self.line.extend_from_slice(part),
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for Text<'_> {
    fn drop(&mut self) {
        if !self.line.is_empty() {
            // Nobody is left to tell.
            let _ = self.out.write_all(&self.line);
        }
    }
}

/// The lines of a table that is no wider than this.
fn table(rows: &[Vec<String>], columns: Option<usize>) -> Vec<String> {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    if let Some(columns) = columns {
        // The last column has a space behind it, too, which no line shows.
        let width = u16::try_from(columns + GAP).unwrap_or(u16::MAX);
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    }
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    for row in rows {
        // A short row leaves cells empty.
        table.add_row((0..width).map(|column| row.get(column).map_or("", String::as_str)));
    }
    table.column_iter_mut().for_each(|column| {
        column.set_padding((0, GAP as u16));
    });
    table.lines().map(|line| line.trim_end().to_owned()).collect()
}

/// The space between two columns of a table.
const GAP: usize = 2;
