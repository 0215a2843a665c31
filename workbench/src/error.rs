//! Errors of the command line: mistakes of the user (exit code 2) and runs that fail (exit code 1).

use std::fmt::Display;
use std::io;
use std::path::Path;

use least_action::drive::gradient::GradientError;
use least_action::drive::{CheckpointError, RunError};
use least_action::error::{BindError, MeasureError, ProjectionError, StartError, StepError};
use least_action_pages::Error as PageError;
use thiserror::Error;

use crate::stop::Signal;

/// The exit code of a mistake.
pub const MISTAKE: u8 = 2;
/// The exit code of a run that failed.
pub const FAILURE: u8 = 1;
/// The exit code of an ensemble that is done, and of which members failed.
pub const FAILED_MEMBERS: u8 = 3;

/// A result of the command.
pub(crate) type Result<T = (), E = Error> = std::result::Result<T, E>;

/// Everything that stops a command.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// A mistake of the user, told in a sentence where it is found.
    #[error("{0}")]
    Mistake(String),
    /// The mistakes of a file that declares a model, as rustc prints them.
    #[error("{shown}")]
    Declaration {
        /// The mistakes.
        shown: String,
        /// The line of the first, counted from 1; 0 where it has no place.
        line: u32,
        /// Its column, in characters.
        column: u16,
    },
    /// Work that comes to no good end: no number, a wrong one, or no convergence.
    #[error("{0}")]
    Failed(String),
    /// A signal stopped the work, of which something is kept.
    #[error("stopped by {signal}{rest}")]
    Stopped {
        /// The signal.
        signal: Signal,
        /// How far it came, and how it goes on.
        rest: String,
    },
    /// All members of an ensemble are done that were to be, and some of them failed.
    #[error("{0}")]
    MembersFailed(String),
    /// The model lacks a property that the method needs.
    #[error("{sentence}")]
    DoesNotFit {
        /// With the methods that fit.
        sentence: String,
        /// The property alone.
        reason: String,
    },
    /// A method for unconstrained systems was asked to run a constrained model without a penalty.
    #[error("{0}")]
    NeedsPenalty(String),
    /// `eval --check` found a wrong derivative.
    #[error("{0}")]
    Disagreement(String),
    /// A file cannot be read or written, or a model cannot be bound or drawn.
    #[error(transparent)]
    Page(#[from] PageError),
    /// A checkpoint cannot be written or read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The model's parameters make no system.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// A motion has no gradient.
    #[error(transparent)]
    Gradient(#[from] GradientError),
    /// The times, the step and the interval of records make no run.
    #[error(transparent)]
    Plan(RunError),
    /// The run cannot start from this state with these options.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A state cannot be projected onto the constraints.
    #[error(transparent)]
    Projection(#[from] ProjectionError),
    /// Standard output was closed by its reader: nothing is wrong, and there is nobody to tell.
    #[error("standard output was closed")]
    Closed,
}

/// An error of `--observe`, unless another flag is told.
impl From<MeasureError> for Error {
    fn from(source: MeasureError) -> Self {
        Self::Mistake(format!("--observe: {source}"))
    }
}

/// An error that ends a paper ends the command.
#[cfg(feature = "papers")]
impl From<least_action_papers::Error> for Error {
    fn from(error: least_action_papers::Error) -> Self {
        use least_action_papers::Error as PaperError;

        match error {
            PaperError::Page(error) => Self::Page(error),
            PaperError::Bind(error) => Self::Bind(error),
            PaperError::Plan(error) => Self::Plan(error),
            PaperError::Start(error) => Self::Start(error),
            PaperError::Step(error) => Self::Step(error),
            PaperError::Projection(error) => Self::Projection(error),
            PaperError::Output(error) => Self::stdout(&error),
            error => Self::Failed(error.to_string()),
        }
    }
}

impl Error {
    /// A mistake of the user, in a sentence.
    pub(crate) fn mistake(sentence: impl Into<String>) -> Self {
        Self::Mistake(sentence.into())
    }

    /// The refusal of a name that is none of these, with a near one: `what` refuses it, and `there`
    /// leads to the names.
    pub(crate) fn unknown<S: Into<String>>(
        what: impl Display,
        name: &str,
        there: &str,
        known: impl IntoIterator<Item = S>,
    ) -> Self {
        Self::Mistake(known.into_iter().collect::<Names>().refusal(what, name, there))
    }

    /// The refusal of a name that is no number of a model, with a near one and the first of all.
    pub(crate) fn unknown_number(flag: &str, text: &str, name: &str, all: Names) -> Self {
        const FIRST: usize = 8;
        let hint = all.near(name);
        let more = all.0.len().saturating_sub(FIRST);
        let mut known = Names(all.0.into_iter().take(FIRST).collect());
        known.0.extend((more > 0).then(|| format!("… ({more} more)")));
        Self::Mistake(format!("{flag} `{text}`: the model has no number `{name}`{hint}; it has {known}"))
    }

    /// The content of a file is wrong, or has nothing to show.
    pub(crate) fn malformed(path: &Path, reason: impl Display) -> Self {
        Self::Mistake(format!("{}: {reason}", path.display()))
    }

    /// A number on the command line is outside its interval.
    pub(crate) fn number(flag: &str, value: f64, reason: &str) -> Self {
        Self::Mistake(format!("{flag} {value}: {reason}"))
    }

    /// The parameters of a model cannot be read, written or used.
    pub(crate) fn parameters(model: &str, reason: impl Display) -> Self {
        Self::Mistake(format!("the parameters of `{model}` cannot be used: {reason}"))
    }

    /// A run cannot be gone on with from its checkpoint.
    pub(crate) fn not_gone_on(path: &Path, reason: impl Display) -> Self {
        Self::Mistake(format!("the run of {} cannot be gone on with: {reason}", path.display()))
    }

    /// The model does not have a quantity.
    pub(crate) fn not_available(model: &str, quantity: &str, reason: &str) -> Self {
        Self::Mistake(format!("`{model}` has no {quantity}: {reason}"))
    }

    /// A penalty is asked of a model without constraints.
    pub(crate) fn nothing_to_penalize(model: &str) -> Self {
        Self::Mistake(format!("--penalty: `{model}` has no constraints to replace by a penalty"))
    }

    /// A program is asked for a command or a format that its build left out.
    #[cfg_attr(
        all(feature = "tables", feature = "papers", feature = "expand"),
        allow(dead_code, reason = "this build leaves nothing out")
    )]
    pub(crate) fn left_out(what: &str, feature: &str) -> Self {
        Self::Mistake(format!(
            "{what} is left out of this program: give the package `least-action-command` the feature `{feature}`"
        ))
    }

    /// A number is infinite or none.
    pub(crate) fn not_finite(model: &str, quantity: &str) -> Self {
        Self::Failed(format!("the {quantity} of `{model}` is not finite at this state"))
    }

    /// 2 for a mistake of the user, 1 for a run that failed.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Projection(ProjectionError::Start(_)) => MISTAKE,
            Self::Step(_)
            | Self::Projection(_)
            | Self::Page(PageError::Unwritable { .. })
            | Self::Checkpoint(CheckpointError::File { done: "written", .. })
            | Self::Gradient(GradientError::Step(_) | GradientError::NotFinite { .. })
            | Self::Failed(_)
            | Self::Disagreement(_) => FAILURE,
            Self::Stopped { signal, .. } => 128 + signal.number(),
            Self::MembersFailed(_) => FAILED_MEMBERS,
            Self::Closed => 0,
            _ => MISTAKE,
        }
    }

    /// The message in one line of printable characters, whatever the texts that it repeats.
    pub fn line(&self) -> String {
        printable(&one_line(&self.to_string()))
    }

    /// The error of a write, and more about it.
    pub(crate) fn with(self, words: &str) -> Self {
        match self {
            Self::Page(PageError::Unwritable { place, reason }) => {
                Self::unwritable(place, &format!("{reason}; {words}"))
            }
            Self::Checkpoint(CheckpointError::File { path, done: "written", source }) => {
                Self::unwritable(format!("the checkpoint {}", path.display()), &format!("{source}; {words}"))
            }
            error => error,
        }
    }

    pub(crate) fn unreadable(path: &Path, reason: &impl Display) -> Self {
        PageError::unreadable(path, reason).into()
    }

    pub(crate) fn uncreatable(path: &Path, reason: &impl Display) -> Self {
        PageError::uncreatable(path, reason).into()
    }

    pub(crate) fn unwritable(place: impl Display, reason: &impl Display) -> Self {
        PageError::unwritable(place, reason).into()
    }

    /// The name of an output says no format.
    pub(crate) fn unknown_ending(flag: &str, path: &Path, endings: &str) -> Self {
        PageError::unknown_ending(flag, path, endings).into()
    }

    /// An error of standard output; a closed pipe is not a failure.
    pub(crate) fn stdout(error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::Closed
        } else {
            Self::unwritable("standard output", error)
        }
    }
}

/// Joins the lines of a text, so that one message stays one line.
pub fn one_line(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The longest word and the longest text of a message, in characters; longer ones lose their middle.
const LONGEST_WORD: usize = 200;
const LONGEST_TEXT: usize = 4000;

/// A text of readable length without control characters: it may repeat the text of a user or of a file.
pub(crate) fn printable(text: &str) -> String {
    let words: Vec<String> = text.split(' ').map(|word| shortened(word, LONGEST_WORD)).collect();
    let text = shortened(&words.join(" "), LONGEST_TEXT);
    let escaped =
        text.chars().map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() });
    escaped.collect()
}

/// A text, without its middle where it has more characters.
fn shortened(text: &str, longest: usize) -> String {
    let count = text.chars().count();
    if count <= longest {
        return text.to_owned();
    }
    let (front, back) = (longest * 3 / 4, longest / 4);
    let first: String = text.chars().take(front).collect();
    let last: String = text.chars().skip(count - back).collect();
    format!("{first}…({} characters)…{last}", count - front - back)
}

/// Names, printed with commas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names(pub Vec<String>);

impl<S: Into<String>> FromIterator<S> for Names {
    fn from_iter<I: IntoIterator<Item = S>>(names: I) -> Self {
        Self(names.into_iter().map(Into::into).collect())
    }
}

impl Display for Names {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.is_empty() { f.write_str("none") } else { f.write_str(&self.0.join(", ")) }
    }
}

impl Names {
    /// The refusal of a name that is none of these, with a near one: `what` refuses it, and `there`
    /// leads to the names.
    pub(crate) fn refusal(&self, what: impl Display, name: &str, there: &str) -> String {
        /// So many names are listed; of more, the nearest.
        const LISTED: usize = 16;
        const NEAREST: usize = 8;
        let (hint, count) = (self.near(name), self.0.len());
        if count <= LISTED {
            return format!("{what}{hint}; {there} {self}");
        }
        let mut nearest: Vec<&String> = self.0.iter().collect();
        let parts = |own: &str| own.split(['-', '_', '.']).map(|part| strsim::osa_distance(part, name)).min();
        nearest.sort_by_key(|own| parts(own.as_str()).min(Some(strsim::osa_distance(own, name))));
        let nearest: Self = nearest.into_iter().take(NEAREST).cloned().collect();
        format!("{what}{hint}; {there} {nearest}, … ({} more)", count - NEAREST)
    }

    /// The name nearest to a misspelt one, if one is near.
    pub fn near(&self, misspelt: &str) -> Hint {
        let limit = (misspelt.chars().count() / 3).max(1);
        // A far longer or shorter name is far, and comparing takes the product of both lengths.
        let length = misspelt.chars().count();
        let is_possible = |name: &&String| name.chars().count().abs_diff(length) <= limit;
        let best =
            self.0.iter().filter(is_possible).map(|name| (strsim::osa_distance(name, misspelt), name)).min();
        Hint(best.filter(|(distance, _)| *distance <= limit).map(|(_, name)| name.clone()))
    }
}

/// A suggestion, printed only when there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint(pub Option<String>);

impl Display for Hint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Some(name) => write!(f, " (did you mean `{name}`?)"),
            None => Ok(()),
        }
    }
}
