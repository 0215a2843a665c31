//! A motion while its moments come, and the page that plays it.

use std::io::{self, Write};
use std::path::Path;

use least_action_core::system::Layout;

use super::about::About;
use super::grain::Extent;
use super::moment::Moment;
use super::page::{self, Head};
use super::scene::Scene;
use super::spool::Spool;
use super::strips::Strips;
use crate::plot::Units;

/// A page has velocities of so many coordinates of points at most: more would take the room of frames.
const CURVED: usize = 4500;

/// A scene with its curves, and the frames that came.
pub struct Motion<'s> {
    scene: Scene<'s>,
    strips: Strips,
    units: Units,
    spool: Spool,
    /// True if frames have velocities.
    curved: bool,
    places: Vec<f64>,
    rates: Vec<f64>,
    frame: Vec<f64>,
}

impl<'s> Motion<'s> {
    /// The motion of a scene; `measured` are the names of quantities beside positions. A file of frames
    /// stands in `folder`, where memory is short.
    pub fn of_scene(
        scene: Scene<'s>,
        layout: &Layout,
        units: Units,
        measured: &[String],
        folder: &Path,
    ) -> Self {
        let strips = Strips::new(layout, &units, measured);
        let numbers = scene.drawn.dimension * scene.drawn.points;
        let curved = numbers <= CURVED;
        let spool = Spool::new(1 + strips.width() + if curved { 2 * numbers } else { numbers }, folder);
        let [places, rates, frame] = [const { Vec::new() }; 3];
        Self { scene, strips, units, spool, curved, places, rates, frame }
    }

    /// The same with so many frames at most.
    #[must_use]
    pub fn of_at_most(self, frames: u64) -> Self {
        Self { spool: self.spool.of_at_most(frames), ..self }
    }

    /// Takes a moment.
    pub fn push(&mut self, moment: &Moment<'_>) -> io::Result<()> {
        self.scene.place(moment.q, moment.t, &mut self.places);
        self.frame.clear();
        self.frame.push(moment.t);
        self.strips.values(moment, &mut self.frame);
        self.frame.extend_from_slice(&self.places);
        if self.curved {
            self.scene.rates(moment, &mut self.rates);
            self.frame.extend_from_slice(&self.rates);
        }
        self.spool.push(&self.frame)
    }

    /// Writes the page.
    pub fn write(self, mut out: &mut dyn Write, about: About) -> io::Result<()> {
        let Self { scene, strips, units, mut spool, rates, .. } = self;
        let head = Head::new(&scene.drawn, strips, &units, about);
        let extent = Extent::of(&mut spool, &head.points())?;
        // The last frames are enough to tell if velocities were recorded.
        let is_curved = rates.iter().any(|rate| rate.is_finite());
        page::write(&mut out, head, &extent, (&mut spool, is_curved))
    }

    /// The page as text.
    pub fn page(self, about: About) -> io::Result<String> {
        let mut page = Vec::new();
        self.write(&mut page, about)?;
        String::from_utf8(page).map_err(io::Error::other)
    }
}
