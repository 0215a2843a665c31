//! A page while moments come, and the file that it is written to.

use std::io::{self, Write};
use std::path::Path;

use least_action_core::system::{Holonomic, Layout};

use super::about::About;
use super::moment::Moment;
use super::motion::Motion;
use super::report::{self, Report};
use super::scene::Scene;
use crate::error::Error;
use crate::files::{Draft, folder};
use crate::model::Subject;
use crate::plot::Units;

/// The pages that are made of moments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One that plays the motion.
    Motion,
    /// A report, with the motion in it.
    Report,
}

impl Kind {
    /// The flag of a run that names the page.
    pub fn flag(self) -> &'static str {
        match self {
            Self::Motion => "--view",
            Self::Report => "--report",
        }
    }
}

/// Refuses a page whose name says something else.
pub fn check(flag: &'static str, path: &Path) -> Result<(), Error> {
    let endings = ".html";
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("html")) {
        return Ok(());
    }
    Err(Error::unknown_ending(flag, path, endings))
}

/// A page while moments come.
pub struct Viewer<'s> {
    motion: Motion<'s>,
    report: Option<Report<'s>>,
    draft: Draft,
}

impl<'s> Viewer<'s> {
    /// A page of a model; `measured` are the names of quantities beside positions.
    ///
    /// # Errors
    /// The page cannot be created, or the look of the model names nothing of it.
    pub fn new(
        kind: Kind,
        subject: Subject<'s>,
        units: Units,
        measured: &[String],
        (flag, path): (&'static str, &Path),
    ) -> Result<Self, Error> {
        let system = subject.system.lagrangian();
        let scene = Scene::of(subject)?;
        let draft = Draft::create(flag, path)?;
        Ok(Self::of_scene(kind, scene, (system.layout(), system.holonomic()), units, measured, draft))
    }

    /// The page of a scene, in a draft.
    pub fn of_scene(
        kind: Kind,
        scene: Scene<'s>,
        (layout, constraints): (&Layout, Option<&'s dyn Holonomic>),
        units: Units,
        measured: &[String],
        draft: Draft,
    ) -> Self {
        // A device has no place for a file beside it.
        let is_file = !draft.target().exists() || draft.target().is_file();
        let folder = if is_file { folder(draft.target()).to_owned() } else { std::env::temp_dir() };
        let (report, frames) = match kind {
            Kind::Motion => (None, u64::MAX),
            Kind::Report => (Some(Report::new(layout, constraints, units.clone(), measured)), report::FRAMES),
        };
        let motion = Motion::of_scene(scene, layout, units, measured, &folder).of_at_most(frames);
        Self { motion, report, draft }
    }

    /// Takes a moment into the page.
    pub fn push(&mut self, moment: &Moment<'_>) -> Result<(), Error> {
        if let Some(report) = &mut self.report {
            report.push(moment);
        }
        self.motion.push(moment).map_err(|error| self.draft.unwritable(&error))
    }

    /// Writes the page and gives it its name.
    pub fn complete(self, about: About) -> Result<(), Error> {
        let Self { motion, report, draft } = self;
        let mut out = io::BufWriter::with_capacity(1 << 16, draft.handle()?);
        let written = match report {
            None => motion.write(&mut out, about),
            Some(report) => {
                let page = motion.page(about.of_embedded()).map_err(|error| draft.unwritable(&error))?;
                out.write_all(report.page(about, &page)?.as_bytes())
            }
        };
        written.and_then(|()| out.flush()).map_err(|error| draft.unwritable(&error))?;
        draft.complete()
    }
}
