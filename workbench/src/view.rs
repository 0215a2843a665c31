//! Motion to play, in one page: `run --view`, and `view` for a recorded trajectory. A report has it among what else is to be said: `run --report`, and `report`.
//!
//! A page is made in two passes. While moments come, a [`Spool`] keeps the numbers of as many frames as a page has; at the end their extents are known,
//! positions become whole numbers of quanta ([`code`]), and [`page`] writes them behind the script that plays them, whose source is `view/page/`.

mod about;
mod code;
mod found;
mod motion;
mod page;
mod recording;
mod report;
mod scene;
mod spool;
mod strips;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use least_action::system::{Holonomic, Layout, Look};

pub(crate) use about::{About, Section, rounded};
pub(crate) use code::Base64;
pub(crate) use motion::Motion;
use recording::Recording;
use report::Report;
pub(crate) use scene::{Drawn, GroupKind, Scene};
pub(crate) use spool::Spool;

use crate::arguments::View;
use crate::error::Error;
use crate::files::Draft;
use crate::parameters;
use crate::plot::Units;
use crate::registry::{Instance, Registry};

/// The pages that are made of moments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One that plays the motion.
    Motion,
    /// A report, with the motion in it.
    Report,
}

impl Kind {
    /// The flag of a run that names the page.
    pub(crate) fn flag(self) -> &'static str {
        match self {
            Self::Motion => "--view",
            Self::Report => "--report",
        }
    }
}

/// Refuses a page whose name says something else.
pub(crate) fn check(flag: &'static str, path: &Path) -> Result<(), Error> {
    let endings = ".html";
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("html")) {
        return Ok(());
    }
    Err(Error::UnknownEnding { flag, path: path.to_owned(), endings })
}

/// One moment: its time, its positions, and what was measured beside them.
pub(crate) struct Moment<'m> {
    pub(crate) t: f64,
    pub(crate) q: &'m [f64],
    /// Those whose names the viewer was given, in their order.
    pub(crate) measured: &'m [f64],
}

/// A page while moments come.
pub(crate) struct Viewer<'s> {
    motion: Motion<'s>,
    report: Option<Report<'s>>,
    draft: Draft,
}

impl<'s> Viewer<'s> {
    /// A page of a model; `measured` are the names of what comes beside positions.
    ///
    /// # Errors
    /// The page cannot be created, or the look of the model names what there is not.
    pub(crate) fn new(
        kind: Kind,
        instance: &'s Instance,
        measured: &[String],
        (flag, path): (&'static str, &Path),
        inputs: &[&Path],
    ) -> Result<Self, Error> {
        let units = Units::of(&instance.system.description().documentation);
        let system = instance.system.lagrangian();
        let scene = Scene::of(instance)?;
        let draft = Draft::create(flag, path, inputs)?;
        Ok(Self::of_scene(kind, scene, (system.layout(), system.holonomic()), units, measured, draft))
    }

    fn of_scene(
        kind: Kind,
        scene: Scene<'s>,
        (layout, constraints): (&Layout, Option<&'s dyn Holonomic>),
        units: Units,
        measured: &[String],
        draft: Draft,
    ) -> Self {
        let folder = draft.target().parent().filter(|parent| !parent.as_os_str().is_empty());
        // A device has no place for a file beside it.
        let is_file = !draft.target().exists() || draft.target().is_file();
        let folder = match folder {
            Some(folder) if is_file => folder.to_owned(),
            None if is_file => PathBuf::from("."),
            _ => std::env::temp_dir(),
        };
        let (report, frames) = match kind {
            Kind::Motion => (None, u64::MAX),
            Kind::Report => (Some(Report::new(layout, constraints, units.clone(), measured)), report::FRAMES),
        };
        let motion = Motion::of_scene(scene, layout, units, measured, &folder).of_at_most(frames);
        Self { motion, report, draft }
    }

    /// Takes a moment into the page.
    pub(crate) fn push(&mut self, moment: &Moment<'_>) -> Result<(), Error> {
        if let Some(report) = &mut self.report {
            report.push(moment);
        }
        self.motion.push(moment).map_err(|error| unwritable(&self.draft, &error))
    }

    /// Writes the page and gives it its name.
    pub(crate) fn complete(self, about: About) -> Result<(), Error> {
        let Self { motion, report, draft } = self;
        let mut out = io::BufWriter::with_capacity(1 << 16, draft.handle()?);
        let written = match report {
            None => motion.write(&mut out, about),
            Some(report) => {
                let page = motion.page(about.of_embedded()).map_err(|error| unwritable(&draft, &error))?;
                out.write_all(report.page(about, &page)?.as_bytes())
            }
        };
        written.and_then(|()| out.flush()).map_err(|error| unwritable(&draft, &error))?;
        draft.complete()
    }
}

fn unwritable(draft: &Draft, error: &io::Error) -> Error {
    Error::Unwritable { place: draft.path().display().to_string(), reason: error.to_string() }
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
    let viewer = Viewer::new(kind, instance, &columns.names(), (kind.flag(), page), &[recording.path()])?;
    fill(viewer, &mut recording, &columns, about).map(drop)
}

/// The rows of a run in memory: times and positions, and what was measured, column by column with its name.
#[cfg(feature = "python")]
pub(crate) struct Columns<'c> {
    pub(crate) t: &'c [f64],
    pub(crate) q: &'c [f64],
    pub(crate) names: &'c [String],
    pub(crate) measured: &'c [&'c [f64]],
}

#[cfg(feature = "python")]
impl Columns<'_> {
    /// Shows every so many-th row, and the last one.
    fn for_each<E>(
        &self,
        stride: usize,
        mut show: impl FnMut(&Moment<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Self { t, q, measured: columns, .. } = self;
        let (n, last) = (q.len() / t.len().max(1), t.len().saturating_sub(1));
        let mut measured = Vec::with_capacity(columns.len());
        for row in (0..last).step_by(stride).chain((!t.is_empty()).then_some(last)) {
            measured.clear();
            measured.extend(columns.iter().map(|column| column[row]));
            show(&Moment { t: t[row], q: &q[n * row..n * (row + 1)], measured: &measured })?;
        }
        Ok(())
    }
}

/// The most frames of a page that a notebook shows beside others.
#[cfg(feature = "python")]
const NOTEBOOK_FRAMES: usize = 600;

/// The page of rows in memory, of which it has some that are evenly spread.
#[cfg(feature = "python")]
pub(crate) fn page_of_rows(
    registry: &Registry,
    arguments: &crate::arguments::Run,
    rows: &Columns<'_>,
) -> Result<String, Error> {
    let instance = parameters::bind(registry, &arguments.model)?;
    let layout = instance.system.lagrangian().layout();
    let units = Units::of(&instance.system.description().documentation);
    let folder = std::env::temp_dir();
    let mut motion = Motion::of_scene(Scene::of(&instance)?, layout, units, rows.names, &folder);
    let unwritable =
        |error: io::Error| Error::Unwritable { place: "the page".to_owned(), reason: error.to_string() };
    let stride = rows.t.len().div_ceil(NOTEBOOK_FRAMES).max(1);
    rows.for_each(stride, |moment| motion.push(moment)).map_err(unwritable)?;
    let about = About::of_run(&instance, arguments, Vec::new(), Vec::new(), None);
    motion.page(about).map_err(unwritable)
}

/// Writes the report of rows in memory.
#[cfg(feature = "python")]
pub(crate) fn report_of_rows(
    registry: &Registry,
    arguments: &crate::arguments::Run,
    rows: &Columns<'_>,
    path: &Path,
) -> Result<(), Error> {
    check("report", path)?;
    let instance = parameters::bind(registry, &arguments.model)?;
    let mut viewer = Viewer::new(Kind::Report, &instance, rows.names, ("report", path), &[])?;
    rows.for_each(1, |moment| viewer.push(moment))?;
    viewer.complete(About::of_run(&instance, arguments, Vec::new(), Vec::new(), None))
}

/// Shows all rows of a recording, and completes the page; returns how the recording ended if that is not as it should.
fn fill(
    mut viewer: Viewer<'_>,
    recording: &mut Recording,
    columns: &recording::Chosen,
    mut about: About,
) -> Result<Option<String>, Error> {
    let mut rows = 0_u64;
    let ending = recording.for_each(columns, &mut |t, q, measured| {
        rows += 1;
        viewer.push(&Moment { t, q, measured })
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
    let choice = arguments.choice(recording.model());
    if choice.is_none() && (!arguments.set.is_empty() || arguments.params.is_some()) {
        let message = "parameters are those of a model: name it by --model".to_owned();
        return Err(Error::Arguments { message });
    }
    let file = arguments.file.display().to_string();
    let ending = if let Some(choice) = choice {
        let instance = parameters::bind_with(registry, &choice, recording.settings())?;
        let columns = recording.columns_of(&instance)?;
        let about = About::of_recording(&file, Some(&instance), &choice.set);
        let out = (FLAG, &*arguments.out);
        let viewer = Viewer::new(kind, &instance, &columns.names(), out, &[recording.path()])?;
        fill(viewer, &mut recording, &columns, about)?
    } else {
        let (layout, columns) = recording.layout()?;
        let about = About::of_recording(&file, None, &[]);
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
