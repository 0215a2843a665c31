//! Errors of the command line: mistakes of the user (exit code 2) and runs that fail (exit code 1).

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

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

/// Everything that stops a command.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read or written, or a model cannot be bound or drawn.
    #[error(transparent)]
    Page(#[from] PageError),
    /// The command line does not parse.
    #[error("{message}")]
    Arguments {
        /// The mistake, in one line.
        message: String,
    },
    /// A checkpoint cannot be written or read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A run cannot be gone on with from its checkpoint.
    #[error("the run of {} cannot be gone on with: {reason}", path.display())]
    NotGoneOn {
        /// The checkpoint.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// A signal stopped a run, whose rows are kept.
    #[error("stopped by {signal} at t = {time} after {steps} steps: {}", how_to_go_on(checkpoint.as_deref()))]
    Stopped {
        /// The signal.
        signal: Signal,
        /// The time of the last state.
        time: f64,
        /// The steps that were done.
        steps: u64,
        /// The file from which the run can go on.
        checkpoint: Option<PathBuf>,
    },
    /// A recording has nothing that a page could show.
    #[error("{}: {reason}", path.display())]
    NothingToView {
        /// The recording.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// A format of points for a model without any.
    #[error("{} holds points, and `{model}` has none: take .csv, .parquet or .json, or say in its `fn look` where they are", path.display())]
    NoPoints {
        /// The output.
        path: PathBuf,
        /// The model.
        model: String,
    },
    /// A run that is saved and gone on with makes its page of its recording.
    #[error(
        "{flag} of a run with --checkpoint needs --out FILE, .csv, .parquet or .json: the page is made of the recording, which a run that is gone on with has whole"
    )]
    ViewWithoutRecording {
        /// The flag that names the page.
        flag: &'static str,
    },
    /// A state that a program gave is none of the model.
    #[error("the start cannot be used: {reason}")]
    GivenStart {
        /// The reason.
        reason: String,
    },
    /// An ensemble was stopped by a signal; its parts that were done are kept.
    #[error("stopped by {signal}: {left} parts are left, and the same command goes on with them")]
    EnsembleStopped {
        /// The signal.
        signal: Signal,
        /// The parts that are not done.
        left: u64,
    },
    /// All members of an ensemble are done that were to be, and some of them failed.
    #[error(
        "{failed} of {members} members failed, and have their error in the column `error`; the first, {first}"
    )]
    MembersFailed {
        /// The members that failed.
        failed: u64,
        /// The members that were done.
        members: u64,
        /// The number of the first, and its error.
        first: String,
    },
    /// No model of that name is registered.
    #[error("unknown model `{name}`{hint}; there are: {known}")]
    UnknownModel {
        /// The name given.
        name: String,
        /// A near name, as text.
        hint: Hint,
        /// The models that there are.
        known: Names,
    },
    /// The declaration of a model cannot be compiled again.
    #[error("the declaration of `{model}` cannot be compiled again: {reason}")]
    Expansion {
        /// The model.
        model: String,
        /// The reason.
        reason: String,
    },
    /// A program is asked for a part that its build left out.
    #[error(
        "{what} is left out of this program: give the package `least-action-command` the feature `{feature}`"
    )]
    LeftOut {
        /// The command or the format.
        what: &'static str,
        /// The feature that brings it.
        feature: &'static str,
    },
    /// No method of that name exists.
    #[error("unknown method `{name}`{hint}; there are: {known}")]
    UnknownMethod {
        /// The name given.
        name: String,
        /// A near name, as text.
        hint: Hint,
        /// The methods that there are.
        known: Names,
    },
    /// No paper of that name can be reproduced.
    #[error("unknown paper `{name}`{hint}; there are: {known}")]
    UnknownPaper {
        /// The name given.
        name: String,
        /// A near name, as text.
        hint: Hint,
        /// The papers that there are.
        known: Names,
    },
    /// The model has no such parameter.
    #[error("`{model}` has no parameter `{name}`{hint}; its parameters are: {known}")]
    UnknownParameter {
        /// The model.
        model: String,
        /// The name given.
        name: String,
        /// A near name, as text.
        hint: Hint,
        /// The parameters that there are.
        known: Names,
    },
    /// The method has no such option.
    #[error("`{method}` has no option `{name}`{hint}; its options are: {known}")]
    UnknownOption {
        /// The method, or the command with options of its own.
        method: String,
        /// The name given.
        name: String,
        /// A near name, as text.
        hint: Hint,
        /// The options that there are.
        known: Names,
    },
    /// `--what` asks for a quantity that does not exist.
    #[error("--what: unknown quantity `{name}`{hint}; there are: {known}")]
    UnknownQuantity {
        /// The name given.
        name: String,
        /// A near name, as text.
        hint: Hint,
        /// The quantities that there are.
        known: Names,
    },
    /// A `name=value` argument that is none.
    #[error("{flag} `{text}`: write name=value")]
    NotAnAssignment {
        /// The flag.
        flag: &'static str,
        /// The text that was given.
        text: String,
    },
    /// A parameter of the model has a value that its type does not take.
    #[error("parameter `{name}` of `{model}`: {value} is refused: {reason}")]
    ParameterRefused {
        /// The model.
        model: String,
        /// The parameter.
        name: String,
        /// The value given.
        value: String,
        /// The reason.
        reason: String,
    },
    /// The parameters cannot be read or written as plain data.
    #[error("the parameters of `{model}` cannot be used: {reason}")]
    Parameters {
        /// The model.
        model: String,
        /// The reason.
        reason: String,
    },
    /// An option of the method is no finite number.
    #[error("--with {name}: `{value}` is not a finite number")]
    OptionNotANumber {
        /// The option.
        name: String,
        /// The text that was given.
        value: String,
    },
    /// An option of the method is neither a finite number nor a list of them.
    #[error("--with {name}: `{value}` is neither a finite number nor a list such as [0.1,0.2]")]
    OptionNotNumbers {
        /// The option.
        name: String,
        /// The text that was given.
        value: String,
    },
    /// An option of the method is none of the words that it takes.
    #[error("--with {name}: `{value}` is none of its words{hint}; there are: {known}")]
    OptionNotAWord {
        /// The option.
        name: String,
        /// The text that was given.
        value: String,
        /// A near word, as text.
        hint: Hint,
        /// The words that it takes.
        known: Names,
    },
    /// The model's parameters make no system.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The model lacks a property that the method needs.
    #[error("`{method}` does not fit `{model}`: {reason}; methods that fit: {fitting}")]
    DoesNotFit {
        /// The method.
        method: String,
        /// The model.
        model: String,
        /// The property that the model lacks, in words.
        reason: String,
        /// The methods that fit.
        fitting: Names,
    },
    /// A method for unconstrained systems was asked to run a constrained model without a penalty.
    #[error(
        "`{method}` knows no constraints, and `{model}` has {equations}: add --with omega=… to replace them by the \
         penalty ½ omega² |g|², or use a constrained method: {constrained}"
    )]
    NeedsPenalty {
        /// The method.
        method: String,
        /// The model.
        model: String,
        /// The number of its constraint equations.
        equations: usize,
        /// The methods that keep constraints.
        constrained: Names,
    },
    /// An option of the projection onto a slow manifold, without the frequency that defines one.
    #[error("--with {option}: it belongs to the projection onto a slow manifold; add --with omega=…")]
    NeedsOmega {
        /// The option.
        option: &'static str,
    },
    /// A slow manifold was asked for, and nothing says how fast the rest is.
    #[error("`{command}` needs the frequency of the stiff part of `{model}`: add --with omega=…")]
    NeedsFrequency {
        /// The method or the command.
        command: String,
        /// The model.
        model: String,
    },
    /// A penalty was asked of a model without constraints.
    #[error("--penalty: `{model}` has no constraints to replace by a penalty")]
    NothingToPenalize {
        /// The model.
        model: String,
    },
    /// The multipliers of a penalty were asked of a run without one.
    #[error(
        "--observe-window: it averages the multipliers of a penalty, and this run has none; give --with omega=… to a \
         method for unconstrained systems, on a model with constraints"
    )]
    NoPenalty,
    /// The third derivative needs a direction.
    #[error("the contraction a·V‴·a needs its direction a: give it by --direction FILE")]
    NoDirection,
    /// `eval` was asked for a quantity that the model does not have.
    #[error("`{model}` has no {quantity}: {reason}")]
    NotAvailable {
        /// The model.
        model: String,
        /// The quantity.
        quantity: &'static str,
        /// The reason.
        reason: String,
    },
    /// `eval` met a number that is infinite or none.
    #[error("the {quantity} of `{model}` is not finite at this state")]
    NotFinite {
        /// The model.
        model: String,
        /// The quantity.
        quantity: &'static str,
    },
    /// `eval --check` found a wrong derivative.
    #[error("a kernel of `{model}` disagrees with dual numbers: {quantity}, at {entry}")]
    Disagreement {
        /// The model.
        model: String,
        /// The quantity.
        quantity: String,
        /// The entry that differs most.
        entry: String,
    },
    /// `eval --check` found a derivative that dual numbers do not have.
    #[error(
        "not compared: {quantity} of `{model}` has no value in dual numbers at {place}, at {entry}: a function has no derivative \
         there, such as a root or a norm at 0, `acos` at ±1, `atan2` at (0, 0); give a state away from it, or a smooth form of \
         the term, such as k (1 + cos θ) for an angle that is straight"
    )]
    NotCompared {
        /// The model.
        model: String,
        /// The quantity.
        quantity: String,
        /// The entry.
        entry: String,
        /// The name of the state.
        place: String,
    },
    /// A loss or a derivative names no number of the model.
    #[error("{place}: the model has no number `{name}`{hint}; it has {known}")]
    UnknownNumber {
        /// The flag with its text.
        place: String,
        /// The name given.
        name: String,
        /// A near name, as text.
        hint: Hint,
        /// The first of the names.
        known: Names,
    },
    /// A text is no loss.
    #[error("--loss `{text}`: {reason}; write `end: NAME = TARGET`, `mean: NAME = TARGET` or `data: FILE`")]
    NotALoss {
        /// The text.
        text: String,
        /// The mistake.
        reason: String,
    },
    /// The steps of a method have no derivative.
    #[error("`{method}` has no gradient: {reason}; on `{model}` these methods have: {others}")]
    NoDerivative {
        /// The method.
        method: &'static str,
        /// The model.
        model: String,
        /// The reason.
        reason: &'static str,
        /// The methods that fit the model and have a derivative.
        others: Names,
    },
    /// A motion has no gradient.
    #[error(transparent)]
    Gradient(#[from] GradientError),
    /// A fit is refused.
    #[error("{0}")]
    Fit(String),
    /// A fit comes to no end.
    #[error("{0}")]
    NotFitted(String),
    /// A signal stopped a fit.
    #[error("stopped by {signal} after {iterations} iterations: {}", match checkpoint {
        Some(path) => format!("the same command goes on from {}", path.display()),
        None => "a fit with --checkpoint FILE can go on".to_owned(),
    })]
    FitStopped {
        /// The signal.
        signal: Signal,
        /// The iterations that were done.
        iterations: usize,
        /// The file from which the fit can go on.
        checkpoint: Option<PathBuf>,
    },
    /// `gradient --check` found differences that do not agree.
    #[error(
        "the gradient of `{model}` along the direction is {gradient:.10e}, and differences give {differences:.10e}: they agree where the \
         motion is smooth and the start keeps its distance from kinks"
    )]
    GradientDisagrees {
        /// The model.
        model: String,
        /// The slope by the gradient.
        gradient: f64,
        /// The slope by differences.
        differences: f64,
    },
    /// `--observe` names nothing that the model can be asked for.
    #[error("`{model}` has no `{name}` to observe{hint}; it has {known}")]
    UnknownObservable {
        /// The model.
        model: String,
        /// The name that was asked for.
        name: String,
        /// A name that is near.
        hint: Hint,
        /// The names that there are.
        known: Names,
    },
    /// A quantity is asked for that is not known of the model.
    #[error("{flag}: {source}")]
    Unmeasurable {
        /// The flag that asks for it, or says how it is measured.
        flag: &'static str,
        /// The reason.
        source: Box<MeasureError>,
    },
    /// A new crate cannot be written.
    #[error("new {path}: {reason}", path = path.display())]
    NewCrate {
        /// The folder that was asked for.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The content of a file is wrong.
    #[error("{path}: {reason}", path = path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The mistake and its place.
        reason: String,
    },
    /// A number on the command line is outside its interval.
    #[error("{flag} {value}: {reason}")]
    BadNumber {
        /// The flag.
        flag: &'static str,
        /// The value given.
        value: f64,
        /// The condition that the value must satisfy.
        reason: &'static str,
    },
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
        Self::Unmeasurable { flag: "--observe", source: Box::new(source) }
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
            error => Self::NotFitted(error.to_string()),
        }
    }
}

/// How a run that was stopped is gone on with.
fn how_to_go_on(checkpoint: Option<&Path>) -> String {
    match checkpoint {
        Some(path) => format!("`resume {}` goes on with it", path.display()),
        None => "the rows are kept; `run` with --checkpoint FILE saves a run that can go on".to_owned(),
    }
}

impl Error {
    /// The refusal of a name, with a near one and the first of all.
    pub(crate) fn unknown(flag: &str, text: &str, name: &str, all: Names) -> Self {
        const FIRST: usize = 8;
        let hint = all.near(name);
        let more = all.0.len().saturating_sub(FIRST);
        let mut known = Names(all.0.into_iter().take(FIRST).collect());
        known.0.extend((more > 0).then(|| format!("… ({more} more)")));
        Self::UnknownNumber { place: format!("{flag} `{text}`"), name: name.to_owned(), hint, known }
    }

    /// 2 for a mistake of the user, 1 for a run that failed.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Projection(ProjectionError::Start(_)) => MISTAKE,
            Self::Step(_)
            | Self::Projection(_)
            | Self::Page(PageError::Unwritable { .. })
            | Self::Checkpoint(CheckpointError::File { done: "written", .. })
            | Self::NotFinite { .. }
            | Self::Gradient(GradientError::Step(_) | GradientError::NotFinite { .. })
            | Self::GradientDisagrees { .. }
            | Self::NotFitted(_)
            | Self::Disagreement { .. }
            | Self::NotCompared { .. } => FAILURE,
            Self::Stopped { signal, .. }
            | Self::EnsembleStopped { signal, .. }
            | Self::FitStopped { signal, .. } => 128 + signal.number(),
            Self::MembersFailed { .. } => FAILED_MEMBERS,
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
    pub(crate) fn unknown_ending(flag: &'static str, path: &Path, endings: &'static str) -> Self {
        PageError::UnknownEnding { flag, path: path.to_owned(), endings }.into()
    }

    pub(crate) fn panicked(model: &str, reason: String) -> Self {
        PageError::Panicked { model: model.to_owned(), reason }.into()
    }

    pub(crate) fn malformed(path: &Path, reason: impl Display) -> Self {
        Self::Malformed { path: path.to_owned(), reason: reason.to_string() }
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
