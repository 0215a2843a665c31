//! The streams of a command, and the wish that it ends.

use std::fmt::Display;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use serde::Serialize;

use crate::arguments::Format;
use crate::error::{Error, Result};
use crate::patience::Patience;
use crate::print::{Text, json_line};
use crate::stop::Stop;

/// How much a command says.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Says {
    /// No table at the end of a run.
    Little,
    #[default]
    Usual,
    /// The size of a run before its first step.
    Much,
}

/// The streams that a command prints to.
pub(crate) struct Streams<'w> {
    pub(crate) out: &'w mut dyn Write,
    pub(crate) err: &'w mut dyn Write,
    /// The columns of the terminal, where lines for people end; `None` where a program reads them.
    pub(crate) columns: Option<usize>,
    pub(crate) says: Says,
    /// True if letters may have colours: of text, and of messages.
    pub(crate) colors: [bool; 2],
    /// True if a progress bar can be seen.
    pub(crate) progress: bool,
    /// True if a long computation may say on standard error how far it is, in lines.
    pub(crate) talks: bool,
    /// Says so where it says nothing else.
    pub(crate) patience: Option<Patience>,
    /// The command as a shell reads it.
    pub(crate) command: String,
    /// The caller's wish that the command ends; signals of the process tell it where there is none and
    /// the command talks.
    pub(crate) stop: Option<Stop>,
}

impl<'w> Streams<'w> {
    /// Streams that a program reads, and nobody watches.
    pub(crate) fn on(out: &'w mut dyn Write, err: &'w mut dyn Write) -> Self {
        let (columns, patience, stop) = (None, None, None);
        let [progress, talks] = [false; 2];
        let (says, colors, command) = (Says::default(), [false; 2], String::new());
        Self { out, err, columns, says, colors, progress, talks, patience, command, stop }
    }

    /// Notes something on standard error.
    pub(crate) fn note(&mut self, words: impl Display) {
        self.say("note", words);
    }

    /// Warns of something on standard error.
    pub(crate) fn warn(&mut self, words: impl Display) {
        self.say("warning", words);
    }

    /// A line that begins with a word, which has a colour on a terminal.
    pub(crate) fn say(&mut self, word: &str, words: impl Display) {
        let color = match word {
            "error" => AnsiColor::Red,
            "warning" => AnsiColor::Yellow,
            _ => AnsiColor::Cyan,
        };
        let style =
            if self.colors[1] { Style::new().bold().fg_color(Some(color.into())) } else { Style::new() };
        self.tell(format_args!("{style}{word}:{style:#} {words}"));
    }

    /// A line on standard error; the result is there when nobody listens.
    pub(crate) fn tell(&mut self, line: impl Display) {
        let _ = writeln!(self.err, "{line}");
    }

    /// Prints a result on standard output.
    pub(crate) fn print<R: Serialize>(
        &mut self,
        format: Format,
        result: &R,
        text: impl FnOnce(&R, &mut Text<'_>) -> io::Result<()>,
    ) -> Result {
        match format {
            Format::Json => json_line(self.out, result),
            Format::Text => text(result, &mut self.text()).map_err(|error| Error::stdout(&error)),
        }
    }

    /// Standard output for text.
    pub(crate) fn text(&mut self) -> Text<'_> {
        Text::new(self.out, self.columns)
    }

    /// The wish that the command ends.
    pub(crate) fn stop(&self) -> Stop {
        let listening = || if self.talks { Stop::listening() } else { Stop::default() };
        self.stop.clone().unwrap_or_else(listening)
    }
}
