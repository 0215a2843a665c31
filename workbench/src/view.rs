//! `view` and `report`: pages of a recorded trajectory.
//!
//! A run makes its own by `run --view` and `run --report`.

pub(crate) mod about;
#[cfg(feature = "python")]
pub(crate) mod in_memory;
mod recording;
mod subject;

#[cfg(feature = "tables")]
pub(crate) use recording::manifest;
#[cfg(feature = "python")]
pub(crate) use recording::root;

use std::io;
use std::path::{Path, PathBuf};

use least_action::system::{Layout, Look};
use least_action_pages::files::{Draft, apart};
use least_action_pages::plot::Units;
use least_action_pages::view::{About, Kind, Moment, Motion, Scene, Viewer, check, pair};

use crate::arguments::{Page, View};
use crate::error::{Error, Result};
use crate::registry::{Instance, Registry};
use crate::streams::Streams;
use recording::Recording;

/// The flag that names a page of a recording.
const FLAG: &str = "--out";

/// The units that the documentation of a model states.
pub(crate) fn units(instance: &Instance) -> Units {
    let description = instance.system.description();
    Units::of(&description.documentation).with_comments(description.comments)
}

/// The names of the numbers in a recorded run.
pub(crate) fn names(instance: &Instance, file: &Path) -> Result<Vec<String>> {
    Ok(Recording::open(file, None)?.named(instance)?.into_iter().map(|(name, _)| name).collect())
}

/// The times of a recorded run, a column for each name, and words on an improper end of the recording.
pub(crate) type Samples = (Vec<f64>, Vec<Vec<f64>>, Option<String>);

/// Reads columns of a recorded run, which must have a sample.
pub(crate) fn samples(instance: &Instance, file: &Path, names: &[String]) -> Result<Samples> {
    let mut recording = Recording::open(file, None)?;
    let chosen = recording.columns_by(instance, names)?;
    let (mut times, mut columns) = (Vec::new(), vec![Vec::new(); names.len()]);
    let ending = recording.for_each(&chosen, &mut |moment| {
        times.push(moment.t);
        columns.iter_mut().zip(moment.measured).for_each(|(column, number)| column.push(*number));
        Ok(())
    })?;
    if columns.iter().flatten().all(|value| value.is_nan()) {
        let reason = ending.unwrap_or_else(|| "it has no rows with a sample".to_owned());
        return Err(Error::malformed(file, reason));
    }
    Ok((times, columns, ending.map(|ending| format!("{} ends early: {ending}", file.display()))))
}

/// Makes a page of a recorded run, whose model is known.
pub(crate) fn page_of_recording(
    kind: Kind,
    instance: &Instance,
    recording: &Path,
    page: &Path,
    about: About,
) -> Result {
    let mut recording = Recording::open(recording, None)?;
    let columns = recording.columns_of(instance)?;
    let output = (kind.flag(), page);
    let viewer = Viewer::new(kind, instance.subject(), units(instance), &columns.names(), output)?;
    fill(viewer, &mut recording, &columns, about).map(drop)
}

/// Shows all rows of a recording, and completes the page; returns an improper end of the recording.
fn fill(
    mut viewer: Viewer<'_>,
    recording: &mut Recording,
    columns: &recording::Chosen,
    mut about: About,
) -> Result<Option<String>> {
    let ending = recorded(recording, columns, &mut about, &mut |moment| Ok(viewer.push(moment)?))?;
    viewer.complete(about)?;
    Ok(ending)
}

/// Shows all rows of a recording, of which there must be one; returns how it ended, and notes it, if
/// that is not as it should.
fn recorded(
    recording: &mut Recording,
    columns: &recording::Chosen,
    about: &mut About,
    show: &mut recording::Show<'_>,
) -> Result<Option<String>> {
    let mut rows = 0_u64;
    let ending = recording.for_each(columns, &mut |moment| {
        rows += 1;
        show(moment)
    })?;
    if rows == 0 {
        let reason = ending.unwrap_or_else(|| "it has no rows".to_owned());
        return Err(Error::malformed(&recording.path, reason));
    }
    if let Some(reason) = &ending {
        about.notes.push(format!("The recording ends early, after {rows} rows: {reason}."));
    }
    Ok(ending)
}

/// A recording with its model, where that is known, and the words on both.
struct Opened {
    recording: Recording,
    instance: Option<Instance>,
    about: About,
}

/// Opens a recording, and warns of its strange parts.
fn opened(registry: &Registry, arguments: &View, streams: &mut Streams<'_>) -> Result<Opened> {
    let recording = Recording::open(&arguments.file, arguments.member)?;
    let subject::Found { instance, notes } = subject::find(registry, arguments, &recording)?;
    let file = arguments.file.display().to_string();
    notes.iter().for_each(|note| streams.warn(format_args!("{file}: {note}")));
    let told = (arguments, &*streams.command);
    let mut about = about::of_recording(&file, instance.as_ref(), &recording, told);
    about.notes.extend(notes);
    Ok(Opened { recording, instance, about })
}

/// Refuses a page that would replace a file that it shows.
fn check_apart(View { file, params, out, .. }: &View, beside: Option<&PathBuf>) -> Result {
    let inputs = [Some(file), params.as_ref(), beside].into_iter().flatten();
    Ok(apart(inputs.map(PathBuf::as_path), &[(FLAG, out)])?)
}

/// Makes the page of a recorded trajectory, or of two.
pub(crate) fn motion(registry: &Registry, arguments: &Page, streams: &mut Streams<'_>) -> Result {
    let Page { view, beside, beside_member } = arguments;
    check_apart(view, beside.as_ref())?;
    let Some(beside) = beside else { return page(registry, Kind::Motion, view, streams) };
    check(FLAG, &view.out)?;
    let other = View { file: beside.clone(), member: *beside_member, ..view.clone() };
    let mut draft = Draft::create(FLAG, &view.out)?;
    let pages = [within(registry, view, streams)?, within(registry, &other, streams)?];
    draft.write(&pair(&pages))?;
    Ok(draft.complete()?)
}

/// The scene of a recording, and its columns.
struct Stage<'s> {
    layout: Layout,
    columns: recording::Chosen,
    scene: Scene<'s>,
    units: Units,
}

impl<'s> Stage<'s> {
    fn of(recording: &Recording, instance: Option<&'s Instance>) -> Result<Self> {
        let Some(instance) = instance else {
            let (layout, columns) = recording.layout()?;
            let scene = Scene::of_layout(&layout, Look::new(), &[]);
            return Ok(Self { layout, columns, scene, units: Units::default() });
        };
        let (layout, columns) =
            (instance.system.lagrangian().layout().clone(), recording.columns_of(instance)?);
        Ok(Self { layout, columns, scene: Scene::of(instance.subject())?, units: units(instance) })
    }
}

/// The title and the page of a recorded trajectory that stands within another page.
fn within(registry: &Registry, arguments: &View, streams: &mut Streams<'_>) -> Result<(String, String)> {
    let Opened { mut recording, instance, mut about } = opened(registry, arguments, streams)?;
    let Stage { layout, columns, scene, units } = Stage::of(&recording, instance.as_ref())?;
    let unwritable = |error: io::Error| Error::unwritable("the page", &error);
    let mut motion = Motion::of_scene(scene, &layout, units, &columns.names(), &std::env::temp_dir());
    let mut show = |moment: &Moment<'_>| motion.push(moment).map_err(unwritable);
    let ending = recorded(&mut recording, &columns, &mut about, &mut show)?;
    tell_of_end(arguments, ending, streams);
    about.embedded = true;
    let title = about.title.clone();
    Ok((title, motion.page(about).map_err(unwritable)?))
}

/// Says that a recording ends early.
fn tell_of_end(arguments: &View, ending: Option<String>, streams: &mut Streams<'_>) {
    if let Some(reason) = ending {
        let file = arguments.file.display();
        streams.warn(format_args!("{file} ends early: {reason}; the page shows its rows"));
    }
}

/// Refuses a page that says something else by its name, or would replace an input.
pub(crate) fn check_page(arguments: &View) -> Result {
    check(FLAG, &arguments.out)?;
    check_apart(arguments, None)
}

/// Makes a page of a recorded trajectory.
pub(crate) fn page(registry: &Registry, kind: Kind, arguments: &View, streams: &mut Streams<'_>) -> Result {
    check_page(arguments)?;
    let Opened { mut recording, instance, about } = opened(registry, arguments, streams)?;
    let Stage { layout, columns, scene, units } = Stage::of(&recording, instance.as_ref())?;
    let draft = Draft::create(FLAG, &arguments.out)?;
    let constraints = instance.as_ref().and_then(|one| one.system.lagrangian().holonomic());
    let viewer = Viewer::of_scene(kind, scene, (&layout, constraints), units, &columns.names(), draft);
    let ending = fill(viewer, &mut recording, &columns, about)?;
    tell_of_end(arguments, ending, streams);
    Ok(())
}
