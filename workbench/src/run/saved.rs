//! A run that is saved, and gone on with: the content of a checkpoint beside the carried values.

use std::path::{Path, PathBuf};

use least_action::drive::{Checkpoint, CheckpointError, CheckpointFile, Interval, Keeper, SavedRun};
use least_action::system::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::arguments::{By, ModelChoice, Request, Resume, Run, StartChoice};
use crate::error::Error;
use crate::identity::Identity;
use crate::memory;
use crate::output;
use crate::parameters;
use crate::places;
use crate::prepared::Prepared;
use crate::registry::{Instance, Registry};
use crate::settings;
use crate::unknowns;

/// The run of a command line, with parameters and options in the place of files, and names of other
/// files as they are from the folder of the checkpoint.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    arguments: Run,
    run: Identity,
    /// The files that parameters are read from: as they are given, and as they are from the folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    files: Vec<[PathBuf; 2]>,
}

/// A run that was stopped: its checkpoint, and its arguments.
pub(crate) struct Stopped {
    pub(super) checkpoint: Checkpoint,
    pub(crate) arguments: Run,
    file: PathBuf,
    run: Identity,
    /// The files that parameters are read from: as they were given, and as they are from here.
    files: Vec<[PathBuf; 2]>,
    /// The parameters that were given, with the names of files as they are from here.
    parameters: Vec<(String, Value)>,
    /// The recording, where it goes on under another name.
    recorded: Option<PathBuf>,
}

/// A run that is saved into a file.
pub(super) struct Saved<'r> {
    file: CheckpointFile,
    interval: Interval,
    run: SavedRun,
    start: &'r State,
}

impl<'r> Saved<'r> {
    /// Nothing, unless the arguments ask for it; a run that goes on has to be the saved one.
    pub(super) fn of(
        arguments: &Run,
        prepared: &'r Prepared<'_>,
        identity: Option<&Identity>,
        stopped: Option<&Stopped>,
    ) -> Result<Option<Self>, Error> {
        let (Some(file), Some(identity)) = (&arguments.checkpoint, identity) else { return Ok(None) };
        let Prepared { instance, method, step, start, .. } = prepared;
        let folder = places::folder(file);
        let own = identity.clone().seen_from(folder);
        stopped.map_or(Ok(()), |stopped| stopped.check(instance, &own))?;
        let taken = CheckpointFile::take(file)?;
        if stopped.is_none() && !arguments.restart {
            taken.check_new().map_err(|error| match error {
                CheckpointError::Held { held } => Error::Mistake(format!("{held}; --restart begins anew")),
                error => error.into(),
            })?;
        }
        let system = instance.system.lagrangian();
        let of = (system.name(), system.layout().dimension());
        let by = (method.name, String::new());
        let given = instance.inputs.iter().map(|(_, input)| [input.path.clone(), input.path.clone()]);
        let files = stopped.map_or_else(|| given.collect(), |stopped| stopped.files.clone());
        let files =
            files.into_iter().map(|[given, here]| [given, places::seen_from(folder, &here)]).collect();
        let system = own.system.clone();
        let note = Note { arguments: by_itself(arguments, folder)?, run: own, files };
        let note = serde_json::to_string(&note).map_err(|error| Error::unwritable(file.display(), &error))?;
        let run = SavedRun::new(of, system, by, *step, note);
        Ok(Some(Self { file: taken, interval: arguments.checkpoint_every, run, start }))
    }

    /// Saves the run now and then.
    pub(super) fn keeper(&self) -> Keeper<'_> {
        let Self { file, interval, run, start } = self;
        Keeper::default().saving(*interval, move |words| Ok(file.write(run, start, words)?))
    }
}

impl Stopped {
    /// Reads the checkpoint that the arguments name.
    pub(crate) fn read(resume: &Resume) -> Result<Self, Error> {
        let Resume { file, out, until, checkpoint_every, memory, format } = resume;
        let checkpoint = Checkpoint::read_within(file, memory.unwrap_or_else(memory::available))?;
        let refuse = |reason: &str| Error::not_gone_on(file, reason);
        let note = &checkpoint.run.note;
        let Note { arguments, run, files } =
            serde_json::from_str(note).map_err(|_| match serde_json::from_str::<unknowns::Note>(note) {
                Ok(own) => {
                    refuse(&format!("it is the checkpoint of a `{}`: repeat that command", own.command))
                }
                Err(_) => refuse("it was saved by another program: go on with it there"),
            })?;
        let folder = places::folder(file);
        let here = |path: Option<PathBuf>| path.map(|path| folder.join(path));
        let mut parameters = parameters::assigned(&arguments.request.model)?;
        let files: Vec<_> = files.into_iter().map(|[given, name]| [given, folder.join(name)]).collect();
        for [given, here] in files.iter().map(|names| names.each_ref().map(|name| name.to_string_lossy())) {
            for (_, value) in &mut parameters {
                places::replace(value, &given, &here);
            }
        }
        let recorded = here(arguments.out);
        if let Some(out) = out {
            let Some(recorded) = &recorded else {
                return Err(refuse("--out: it records nothing, and rows that were not recorded are gone"));
            };
            if out.extension() != recorded.extension() {
                let reason = format!("--out: its rows are rows of {}; keep the ending", recorded.display());
                return Err(refuse(&reason));
            }
        }
        let arguments = Run {
            request: Request {
                model: ModelChoice { memory: *memory, ..arguments.request.model },
                by: By { step: Some(checkpoint.run.step()), ..arguments.request.by },
                until: arguments.request.until.by(until.or(arguments.request.until.time())),
                start: arguments.request.start,
            },
            checkpoint: Some(file.clone()),
            checkpoint_every: checkpoint_every.unwrap_or(arguments.checkpoint_every),
            format: *format,
            out: out.clone().or_else(|| recorded.clone()),
            plot: here(arguments.plot),
            view: here(arguments.view),
            report: here(arguments.report),
            radial: here(arguments.radial),
            ..arguments
        };
        let recorded = recorded.filter(|_| out.is_some());
        Ok(Self { checkpoint, arguments, file: file.clone(), run, files, parameters, recorded })
    }

    /// The arguments with the names of all files as they are from here.
    #[cfg(feature = "python")]
    pub(crate) fn here(&self) -> Run {
        let mut run = self.arguments.clone();
        run.request.model.set =
            self.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
        run
    }

    /// The model of the run, in this program.
    pub(super) fn bind(&self, registry: &Registry) -> Result<Instance, Error> {
        let ModelChoice { name, memory, .. } = &self.arguments.request.model;
        registry.instance(name, &self.parameters, memory.unwrap_or_else(memory::available))
    }

    /// Refuses to go on with another run.
    fn check(&self, instance: &Instance, own: &Identity) -> Result<(), Error> {
        let refuse = |reason: String| Err(Error::not_gone_on(&self.file, reason));
        let Checkpoint { run, .. } = &self.checkpoint;
        let system = instance.system.lagrangian();
        let (name, dimension) = (system.name(), system.layout().dimension());
        if (&*run.system, run.dimension) != (name, dimension) {
            return refuse(format!(
                "it is one of `{}` with {} degrees of freedom, and `{}` is `{name}` with {dimension} in this program",
                run.system, run.dimension, instance.name
            ));
        }
        match self.run.difference(own) {
            Some(part) => refuse(format!(
                "it is one of another `{}`: they differ in {part}; go on with the saved model, or start a new run",
                instance.name
            )),
            None => Ok(()),
        }
    }

    /// Puts the rows so far where the recording goes on, if that is another place than before.
    pub(super) fn redirect(&self) -> Result<(), Error> {
        match (&self.recorded, &self.arguments.out) {
            (Some(from), Some(to)) => output::redirect(from, to),
            _ => Ok(()),
        }
    }
}

/// The arguments with the content of the parameter file in its place, and with the names of files as
/// they are from a folder.
fn by_itself(arguments: &Run, folder: &Path) -> Result<Run, Error> {
    let file = settings::file(arguments.request.model.params.as_deref())?;
    let assignment = |(name, value): (String, Value)| settings::written((&name, &value));
    let mut run = arguments.clone();
    let Request { model, by, start, .. } = &mut run.request;
    model.params = None;
    model.set.splice(..0, file.model.into_iter().map(assignment));
    by.with.splice(..0, file.method.into_iter().map(assignment));
    // The start stands in the checkpoint.
    *start = StartChoice::default();
    for path in [&mut run.out, &mut run.plot, &mut run.view, &mut run.report, &mut run.radial] {
        *path = path.take().map(|path| places::seen_from(folder, &path));
    }
    // It is the file itself.
    run.checkpoint = None;
    Ok(run)
}
