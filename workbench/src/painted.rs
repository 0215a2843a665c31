//! Messages on a terminal: the word with which a line begins has a colour.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

/// The words with which messages begin.
const WORDS: [(&str, AnsiColor); 3] =
    [("error:", AnsiColor::Red), ("warning:", AnsiColor::Yellow), ("note:", AnsiColor::Cyan)];

/// A stream of messages, line by line.
pub(crate) struct Painted<W> {
    to: W,
    /// True if letters may have colours.
    color: bool,
    /// The beginning of a line.
    line: Vec<u8>,
}

impl<W: Write> Painted<W> {
    pub(crate) fn new(to: W, color: bool) -> Self {
        Self { to, color, line: Vec::new() }
    }

    fn end_of_line(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        let word = WORDS.iter().find(|(word, _)| self.color && line.starts_with(word.as_bytes()));
        let Some((word, color)) = word else { return self.to.write_all(&line) };
        let style = Style::new().bold().fg_color(Some((*color).into()));
        write!(self.to, "{style}{word}{style:#}")?;
        self.to.write_all(&line[word.len()..])
    }
}

impl<W: Write> Write for Painted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                self.end_of_line()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.end_of_line()?;
        self.to.flush()
    }
}
