//! Motion to play, in one page: `run --view`, and `view` for a recorded trajectory.
//!
//! A page is made in two passes. While moments come, a [`Spool`] keeps the numbers of as many frames as a page has; at the end their extents are known,
//! positions become whole numbers of quanta ([`code`]), and [`page`] writes them behind the script that plays them, whose source is `view/page/`.

mod about;
mod code;
mod found;
mod page;
mod recording;
mod scene;
mod spool;
mod strips;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use integrator_core::system::{Layout, Look};

pub(crate) use about::About;
pub(crate) use code::Base64;
use page::{Extent, Head};
use recording::Recording;
pub(crate) use scene::{Drawn, GroupKind, Scene};
pub(crate) use spool::Spool;
use strips::Strips;

use crate::arguments::View;
use crate::error::Error;
#[cfg(feature = "python")]
use crate::files;
use crate::files::Draft;
use crate::parameters;
use crate::plot::Units;
use crate::registry::{Instance, Registry};

/// The flag that names a page, of a run and of a recording.
const FLAG: &str = "--view";

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
    scene: Scene<'s>,
    strips: Strips,
    units: Units,
    spool: Spool,
    draft: Draft,
    places: Vec<f64>,
    frame: Vec<f64>,
}

impl<'s> Viewer<'s> {
    /// A page of a model; `measured` are the names of what comes beside positions.
    ///
    /// # Errors
    /// The page cannot be created, or the look of the model names what there is not.
    pub(crate) fn new(
        instance: &'s Instance,
        measured: &[String],
        path: &Path,
        inputs: &[&Path],
    ) -> Result<Self, Error> {
        let units = Units::of(&instance.system.description().documentation);
        let layout = instance.system.lagrangian().layout();
        let scene = Scene::of(instance)?;
        Ok(Self::of_scene(scene, layout, units, measured, Draft::create(FLAG, path, inputs)?))
    }

    fn of_scene(scene: Scene<'s>, layout: &Layout, units: Units, measured: &[String], draft: Draft) -> Self {
        let strips = Strips::new(layout, &units, measured);
        let width = 1 + strips.width() + scene.drawn.dimension * scene.drawn.points;
        let folder = draft.target().parent().filter(|parent| !parent.as_os_str().is_empty());
        // A device has no place for a file beside it.
        let is_file = !draft.target().exists() || draft.target().is_file();
        let folder = match folder {
            Some(folder) if is_file => folder.to_owned(),
            None if is_file => PathBuf::from("."),
            _ => std::env::temp_dir(),
        };
        let spool = Spool::new(width, &folder);
        Self { scene, strips, units, spool, draft, places: Vec::new(), frame: Vec::new() }
    }

    /// Takes a moment into the page.
    pub(crate) fn push(&mut self, moment: &Moment<'_>) -> Result<(), Error> {
        self.scene.place(moment.q, moment.t, &mut self.places);
        self.frame.clear();
        self.frame.push(moment.t);
        self.strips.values(moment, &mut self.frame);
        self.frame.extend_from_slice(&self.places);
        self.spool.push(&self.frame).map_err(|error| unwritable(&self.draft, &error))
    }

    /// Writes the page and gives it its name.
    pub(crate) fn complete(self, about: About) -> Result<(), Error> {
        let Self { scene, strips, units, mut spool, draft, .. } = self;
        let head = Head::new(&scene.drawn, strips, &units, about);
        let file = draft.handle()?;
        let written = Extent::of(&mut spool, &head).and_then(|extent| {
            let mut out = io::BufWriter::with_capacity(1 << 16, file);
            page::write(&mut out, head, &extent, &mut spool)?;
            out.flush()
        });
        written.map_err(|error| unwritable(&draft, &error))?;
        draft.complete()
    }
}

fn unwritable(draft: &Draft, error: &io::Error) -> Error {
    Error::Unwritable { place: draft.path().display().to_string(), reason: error.to_string() }
}

/// Makes the page of a recorded run, whose model is known.
pub(crate) fn page_of_recording(
    instance: &Instance,
    recording: &Path,
    page: &Path,
    about: About,
) -> Result<(), Error> {
    let mut recording = Recording::open(recording, None)?;
    let columns = recording.columns_of(instance)?;
    let viewer = Viewer::new(instance, &columns.names(), page, &[recording.path()])?;
    fill(viewer, &mut recording, &columns, about).map(drop)
}

/// The most frames of a page that a notebook shows beside others.
#[cfg(feature = "python")]
const NOTEBOOK_FRAMES: usize = 600;

/// The page of rows in memory, of which it has some that are evenly spread: times and positions, and what was measured column by column.
#[cfg(feature = "python")]
pub(crate) fn page_of_rows(
    registry: &Registry,
    arguments: &crate::arguments::Run,
    (t, q): (&[f64], &[f64]),
    (names, columns): (&[String], &[&[f64]]),
) -> Result<String, Error> {
    use std::sync::atomic::{AtomicU64, Ordering};
    static PAGES: AtomicU64 = AtomicU64::new(0);
    let instance = parameters::bind(registry, &arguments.model)?;
    let number = PAGES.fetch_add(1, Ordering::Relaxed);
    let name = format!("least-action-{}-{number}.html", std::process::id());
    let path = std::env::temp_dir().join(name);
    let mut viewer = Viewer::new(&instance, names, &path, &[])?;
    let (n, stride) = (q.len() / t.len().max(1), t.len().div_ceil(NOTEBOOK_FRAMES).max(1));
    let last = t.len().saturating_sub(1);
    let mut measured = Vec::with_capacity(columns.len());
    for row in (0..last).step_by(stride).chain((!t.is_empty()).then_some(last)) {
        measured.clear();
        measured.extend(columns.iter().map(|column| column[row]));
        viewer.push(&Moment { t: t[row], q: &q[n * row..n * (row + 1)], measured: &measured })?;
    }
    viewer.complete(About::of_run(&instance, arguments, Vec::new(), Vec::new(), None))?;
    let page = files::read_text(&path);
    let _ = std::fs::remove_file(&path);
    page
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
pub(crate) fn view(registry: &Registry, arguments: &View, err: &mut dyn Write) -> Result<(), Error> {
    check("--out", &arguments.out)?;
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
        let viewer = Viewer::new(&instance, &columns.names(), &arguments.out, &[recording.path()])?;
        fill(viewer, &mut recording, &columns, about)?
    } else {
        let (layout, columns) = recording.layout()?;
        let about = About::of_recording(&file, None, &[]);
        let draft = Draft::create("--out", &arguments.out, &[recording.path()])?;
        let scene = Scene::of_layout(&layout, Look::new(), &[]);
        let viewer = Viewer::of_scene(scene, &layout, Units::default(), &columns.names(), draft);
        fill(viewer, &mut recording, &columns, about)?
    };
    if let Some(reason) = ending {
        // The page is there; nobody may listen.
        let _ = writeln!(err, "warning: {file} ends early: {reason}; the page shows what is there");
    }
    Ok(())
}
