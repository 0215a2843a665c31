//! `view` and `report`: pages of a recorded trajectory.
//!
//! A run makes its own by `run --view` and `run --report`.

pub(crate) mod about;
#[cfg(feature = "python")]
pub(crate) mod in_memory;
mod recording;
mod subject;

use std::io::Write;
use std::path::Path;

use least_action::system::Look;
use least_action_pages::files::Draft;
use least_action_pages::plot::Units;
use least_action_pages::view::{About, Kind, Scene, Viewer, check};

use crate::arguments::View;
use crate::error::Error;
use crate::registry::{Instance, Registry};
use recording::Recording;

/// The units that the documentation of a model states.
pub(crate) fn units(instance: &Instance) -> Units {
    Units::of(&instance.system.description().documentation)
}

/// The page of a model; `measured` are the names of what comes beside positions.
pub(crate) fn viewer<'s>(
    kind: Kind,
    instance: &'s Instance,
    (units, measured): (Units, &[String]),
    output: (&'static str, &Path),
    inputs: &[&Path],
) -> Result<Viewer<'s>, Error> {
    Ok(Viewer::new(kind, instance.subject(), units, measured, output, inputs)?)
}

/// Makes a page of a recorded run, whose model is known.
pub(crate) fn page_of_recording(
    kind: Kind,
    instance: &Instance,
    recording: &Path,
    page: &Path,
    about: About,
) -> Result<(), Error> {
    let mut recording = Recording::open(recording, None)?;
    let columns = recording.columns_of(instance)?;
    let viewer = viewer(
        kind,
        instance,
        (units(instance), &columns.names()),
        (kind.flag(), page),
        &[recording.path()],
    )?;
    fill(viewer, &mut recording, &columns, about).map(drop)
}

/// Shows all rows of a recording, and completes the page; returns how the recording ended if that is not as it should.
fn fill(
    mut viewer: Viewer<'_>,
    recording: &mut Recording,
    columns: &recording::Chosen,
    mut about: About,
) -> Result<Option<String>, Error> {
    let mut rows = 0_u64;
    let ending = recording.for_each(columns, &mut |moment| {
        rows += 1;
        Ok(viewer.push(moment)?)
    })?;
    if rows == 0 {
        let reason = ending.unwrap_or_else(|| "it has no rows".to_owned());
        return Err(Error::NothingToView { path: recording.path().to_owned(), reason });
    }
    if let Some(reason) = &ending {
        about.notes.push(format!("The recording ends early, after {rows} rows: {reason}."));
    }
    viewer.complete(about)?;
    Ok(ending)
}

/// Makes a page of a recorded trajectory.
pub(crate) fn view(
    registry: &Registry,
    kind: Kind,
    arguments: &View,
    err: &mut dyn Write,
) -> Result<(), Error> {
    const FLAG: &str = "--out";
    check(FLAG, &arguments.out)?;
    let mut recording = Recording::open(&arguments.file, arguments.member)?;
    let subject::Found { instance, notes } = subject::find(registry, arguments, &recording)?;
    let file = arguments.file.display().to_string();
    for note in &notes {
        // Nobody may listen.
        let _ = writeln!(err, "warning: {file}: {note}");
    }
    let mut about = about::of_recording(&file, instance.as_ref(), &recording, arguments);
    about.notes.extend(notes);
    let ending = if let Some(instance) = instance {
        let columns = recording.columns_of(&instance)?;
        let out = (FLAG, &*arguments.out);
        let viewer = viewer(kind, &instance, (units(&instance), &columns.names()), out, &[recording.path()])?;
        fill(viewer, &mut recording, &columns, about)?
    } else {
        let (layout, columns) = recording.layout()?;
        let draft = Draft::create(FLAG, &arguments.out, &[recording.path()])?;
        let scene = Scene::of_layout(&layout, Look::new(), &[]);
        let (units, names) = (Units::default(), columns.names());
        let viewer = Viewer::of_scene(kind, scene, (&layout, None), units, &names, draft);
        fill(viewer, &mut recording, &columns, about)?
    };
    if let Some(reason) = ending {
        // The page is there; nobody may listen.
        let _ = writeln!(err, "warning: {file} ends early: {reason}; the page shows what is there");
    }
    Ok(())
}
