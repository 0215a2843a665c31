//! Mistakes in a file and failures of its evaluation, with their places.

use std::fmt::{Display, Formatter};
use std::sync::Arc;

/// A place in a file: its line and its column, counted from 1; zero if it is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    pub(crate) file: u16,
    /// The column in characters.
    pub column: u16,
    /// The line.
    pub line: u32,
}

/// A result of reading a file, or of evaluating it.
pub(crate) type Result<T = (), E = Error> = std::result::Result<T, E>;

/// A mistake in a file, or a failure of its evaluation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(Box<Details>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Details {
    message: String,
    help: Option<String>,
    place: Place,
    file: Option<Arc<str>>,
}

impl Error {
    /// An error without a place.
    pub fn new(message: impl Into<String>) -> Self {
        Self(Box::new(Details { message: message.into(), help: None, place: Place::default(), file: None }))
    }

    /// The way out for what is not understood here.
    pub(crate) const CRATE: &'static str =
        "a crate that rustc compiles understands all of Rust: `least-action new NAME` makes one";

    /// Rust that is not understood here.
    pub(crate) fn refused(what: &str) -> Self {
        Self::new(format!("{what} is not understood here")).with_help(Self::CRATE)
    }

    /// With its remedy.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    /// Of a part with this name.
    pub(crate) fn inside(mut self, name: &str) -> Self {
        self.0.message = format!("{name}: {}", self.0.message);
        self
    }

    /// With its place, if it has none.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        if self.0.place.line == 0 {
            self.0.place = place;
        }
        self
    }

    /// With the name of its file, one of these.
    pub(crate) fn of(mut self, files: &[Arc<str>]) -> Self {
        if self.0.place.line > 0 && self.0.file.is_none() {
            self.0.file = files.get(usize::from(self.0.place.file)).cloned();
        }
        self
    }

    /// The mistake.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The remedy.
    pub fn help(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// The bytes of the word at its place in the text; empty at the beginning if it has none.
    pub fn range(&self, text: &str) -> std::ops::Range<usize> {
        let Place { line, column, .. } = self.0.place;
        let Some(number) = (line as usize).checked_sub(1) else { return 0..0 };
        let mut lines = text.split_inclusive('\n');
        let before: usize = lines.by_ref().take(number).map(str::len).sum();
        let own = lines.next().unwrap_or_default();
        let letters = own.char_indices().map(|(at, _)| at);
        let start = letters.chain([own.len()]).nth(usize::from(column).saturating_sub(1)).unwrap_or(0);
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let length = own[start..].find(|letter| !is_word(letter)).unwrap_or(own.len() - start);
        let first = own[start..].chars().next().map_or(0, char::len_utf8);
        before + start..before + start + length.max(first)
    }

    /// The place.
    pub fn place(&self) -> Place {
        self.0.place
    }

    /// The name of the file.
    pub fn file(&self) -> Option<&str> {
        self.0.file.as_deref()
    }
}

impl Display for Error {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        let Details { message, help, place, file } = &*self.0;
        if let (Some(file), Place { line, column, .. }) = (file, place) {
            write!(formatter, "{file}:{line}:{column}: ")?;
        }
        formatter.write_str(message)?;
        help.as_ref().map_or(Ok(()), |help| write!(formatter, "; {help}"))
    }
}

impl std::error::Error for Error {}
