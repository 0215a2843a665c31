//! A run that is saved, and gone on with: what a checkpoint tells beside what is carried.

use std::path::{Path, PathBuf, absolute};

use least_action::drive::{Checkpoint, CheckpointError, CheckpointFile, Interval, Keeper, SavedRun};
use least_action::system::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::arguments::{Resume, Run};
use crate::error::Error;
use crate::registry::Instance;
use crate::settings;

/// The run of a command line, without files that may change: parameters and options stand in it.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    arguments: Run,
}

/// A run that is saved into a file.
pub(super) struct Saved<'r> {
    file: CheckpointFile,
    interval: Interval,
    run: SavedRun,
    start: &'r State,
}

impl<'r> Saved<'r> {
    /// Nothing, unless the arguments ask for it; where the run is gone on with, it has to be the one that was saved.
    pub(super) fn of(
        arguments: &'r Run,
        instance: &Instance,
        start: &'r State,
        checkpoint: Option<&Checkpoint>,
    ) -> Result<Option<Self>, Error> {
        let Some(file) = &arguments.checkpoint else { return Ok(None) };
        let system = instance.system.lagrangian();
        let (name, dimension) = (system.name(), system.layout().dimension());
        if let Some(Checkpoint { run, .. }) = checkpoint
            && (&*run.system, run.dimension) != (name, dimension)
        {
            let reason = format!(
                "it is one of `{}` with {} degrees of freedom, and `{}` is `{name}` with {dimension} in this program",
                run.system, run.dimension, instance.name
            );
            return Err(Error::NotGoneOn { path: file.clone(), reason });
        }
        check(file, arguments)?;
        let taken = CheckpointFile::take(file)?;
        if checkpoint.is_none() && !arguments.restart {
            check_new(file)?;
        }
        let note = Note { arguments: by_itself(arguments)? };
        let note = serde_json::to_string(&note).map_err(|error| Error::unwritable(file.display(), &error))?;
        let run = SavedRun::new(name, dimension, &arguments.method, arguments.step, note);
        Ok(Some(Self { file: taken, interval: arguments.checkpoint_every, run, start }))
    }

    /// Saves the run now and then.
    pub(super) fn keeper(&self) -> Keeper<'_> {
        let Self { file, interval, run, start } = self;
        Keeper::default().saving(*interval, move |words| Ok(file.write(run, start, words)?))
    }
}

/// Refuses a checkpoint for which the command has another use.
fn check(file: &Path, arguments: &Run) -> Result<(), Error> {
    let Run { out, plot, view, report, radial, start, model, .. } = arguments;
    let whole = |path: &Path| path.canonicalize().or_else(|_| absolute(path)).ok();
    let others = [out, plot, view, report, radial, start, &model.params].into_iter().flatten();
    if others.into_iter().any(|other| whole(other) == whole(file)) {
        let reason =
            "the command has another use for this file; choose another name for the checkpoint".to_owned();
        return Err(Error::uncreatable(file, &reason));
    }
    Ok(())
}

/// Refuses to begin anew over a run that could be gone on with, as a job that is queued again would.
fn check_new(file: &Path) -> Result<(), Error> {
    let held = match Checkpoint::read(file) {
        Ok(Checkpoint { run, .. }) => {
            let (system, method, file) = (run.system, run.method, file.display());
            format!("it holds a run of `{system}` by {method}; `resume {file}` goes on with it")
        }
        Err(error @ (CheckpointError::Damaged { .. } | CheckpointError::Version { .. })) => error.to_string(),
        Err(_) => return Ok(()),
    };
    Err(Error::WouldRestart { path: file.to_owned(), held })
}

/// The arguments of the run of a checkpoint, with those of the command that goes on with it.
pub(super) fn arguments(checkpoint: &Checkpoint, resume: &Resume) -> Result<Run, Error> {
    let Note { arguments } = serde_json::from_str(&checkpoint.run.note).map_err(|_| Error::NotGoneOn {
        path: resume.file.clone(),
        reason: "it was saved by another program: go on with it there".to_owned(),
    })?;
    let Resume { file, until, checkpoint_every, memory, format } = resume;
    let mut run = Run {
        until: until.unwrap_or(arguments.until),
        step: checkpoint.run.step(),
        checkpoint: Some(file.clone()),
        checkpoint_every: checkpoint_every.unwrap_or(arguments.checkpoint_every),
        format: *format,
        ..arguments
    };
    run.model.memory = *memory;
    Ok(run)
}

/// The arguments with the content of the parameter file in its place, and with whole paths.
fn by_itself(arguments: &Run) -> Result<Run, Error> {
    let file = settings::file(arguments.model.params.as_deref())?;
    let assignment = |(name, value): (String, Value)| match value {
        Value::String(word) => format!("{name}={word}"),
        value => format!("{name}={value}"),
    };
    let mut run = arguments.clone();
    run.model.params = None;
    run.model.set = file.model.into_iter().map(assignment).chain(run.model.set).collect();
    run.with = file.method.into_iter().map(assignment).chain(run.with).collect();
    // The start stands in the checkpoint.
    run.start = None;
    let whole = |path: &mut Option<PathBuf>| {
        if let Some(path) = path
            && let Ok(found) = absolute(&*path)
        {
            *path = found;
        }
    };
    whole(&mut run.out);
    whole(&mut run.plot);
    whole(&mut run.view);
    whole(&mut run.report);
    whole(&mut run.radial);
    Ok(run)
}
