//! The unknowns of a fit or of a control in a checkpoint, from which the same command goes on.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use least_action::drive::{Checkpoint, CheckpointFile, SavedRun};
use least_action::system::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::prepared::Prepared;
use crate::stop::Stop;

/// The place of the unknowns, and whose they are.
pub(crate) struct Unknowns {
    path: Option<PathBuf>,
    file: Option<CheckpointFile>,
    run: SavedRun,
    start: State,
    stop: Stop,
    /// The number of the last iteration.
    number: usize,
    unsaved: Option<Error>,
    /// The ones of the file.
    pub(crate) words: Option<Vec<u64>>,
}

/// The command of a checkpoint.
#[derive(Serialize, Deserialize)]
pub(crate) struct Note {
    pub(crate) command: String,
    identity: Identity,
    /// All that the unknowns depend on beside, by name.
    of: Value,
}

impl Unknowns {
    /// Takes the file, and reads it if it is there; `of` is an object of all that the unknowns depend on
    /// beside the model, the method and the start.
    pub(crate) fn open(
        file: Option<&PathBuf>,
        (command, of): (&str, Value),
        motion: &Prepared<'_>,
    ) -> Result<Self> {
        let system = motion.instance.system.lagrangian();
        let named = (system.name(), system.layout().dimension());
        let by = (motion.method.name, &motion.options);
        let identity = Identity::of(&motion.instance, by, (motion.step, 0), &motion.start);
        let whose = identity.system.clone();
        let note = Note { command: command.to_owned(), identity, of };
        let taken = file.map(|file| CheckpointFile::take(file)).transpose()?;
        let words = file.filter(|file| file.exists()).map(|file| note.words(file)).transpose()?;
        let note = serde_json::to_string(&note).map_err(|error| Error::Mistake(error.to_string()))?;
        let run = SavedRun::new(named, whose, (motion.method.name, String::new()), motion.step, note);
        let (path, start, stop) = (file.cloned(), motion.start.clone(), motion.stop.clone());
        Ok(Self { path, file: taken, run, start, stop, number: 0, unsaved: None, words })
    }

    /// Saves the unknowns of an iteration, and goes on unless the user asks for the end.
    pub(crate) fn see(&mut self, number: usize, words: &[u64]) -> ControlFlow<()> {
        self.number = number;
        let written = self.file.as_ref().map(|file| file.write(&self.run, &self.start, words));
        self.unsaved = written.and_then(Result::err).map(Error::from);
        let is_over = self.unsaved.is_some() || self.is_stopped();
        if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn is_stopped(&self) -> bool {
        self.stop.asked().load(Ordering::Relaxed)
    }

    /// The result, unless the user or a full disk has ended the work.
    pub(crate) fn ended<T>(self, found: Result<T>) -> Result<T> {
        if self.is_stopped() {
            let (signal, iterations) = (self.stop.signal(), self.number);
            let how = self.path.map_or_else(
                || "a fit with --checkpoint FILE can go on".to_owned(),
                |path| format!("the same command goes on from {}", path.display()),
            );
            return Err(Error::Stopped { signal, rest: format!(" after {iterations} iterations: {how}") });
        }
        self.unsaved.map_or(found, Err)
    }
}

impl Note {
    /// The unknowns of a checkpoint of this command.
    fn words(&self, file: &Path) -> Result<Vec<u64>> {
        let Checkpoint { run, words, .. } = Checkpoint::read(file)?;
        let refused =
            |reason: String| Err(Error::not_gone_on(file, format_args!("{reason}, or name another file")));
        let Ok(Self { command, identity, of }) = serde_json::from_str(&run.note) else {
            let reason = "it is no checkpoint of a fit or a control: `resume` goes on with a run";
            return refused(reason.to_owned());
        };
        if command != self.command {
            return refused(format!("it is the checkpoint of a `{command}`: repeat that command"));
        }
        if let Some(part) = identity.difference(&self.identity) {
            let reason = format!("it is one of another motion, which differs in {part}: repeat that command");
            return refused(reason);
        }
        let all = self.of.as_object().into_iter().flatten();
        match all.into_iter().find(|(name, value)| of.get(name) != Some(value)) {
            Some((name, _)) => refused(format!("it belongs to another `{name}`: repeat that command")),
            None => Ok(words),
        }
    }
}
