//! Pictures of a run as SVG: the path of the bodies, the coordinates and the energy error against time.

mod axis;
mod curves;
mod draw;
mod film;
mod panels;
mod pattern;
mod picture;
mod scene;
mod ticks;
mod units;

use std::path::Path;

pub(crate) use axis::Axis;
pub(crate) use film::{Film, spread};
pub(crate) use panels::{Panel, panels};
pub(crate) use units::{Units, quantity};

use crate::error::Error;
use crate::files::{self, Draft};
use crate::model::Erased;

/// The flag that names a picture.
const FLAG: &str = "--plot";

/// Draws what was filmed.
pub(crate) fn write(mut draft: Draft, title: &str, film: &Film) -> Result<(), Error> {
    let place = || draft.path().display().to_string();
    let svg = picture::svg(title, film)
        .map_err(|error| Error::Unwritable { place: place(), reason: error.to_string() })?;
    draft.write(&svg)?;
    draft.complete()
}

/// A picture of its own: what it shows, and the text of an SVG element.
#[derive(Debug, Clone)]
pub(crate) struct Figure {
    pub(crate) heading: String,
    pub(crate) svg: String,
}

/// The pictures of what was filmed, one by one.
pub(crate) fn figures(film: &Film) -> Result<Vec<Figure>, Error> {
    picture::figures(film)
        .map_err(|error| Error::Unwritable { place: "the picture".to_owned(), reason: error.to_string() })
}

/// The picture of a panel alone.
pub(crate) fn figure(panel: Panel) -> Result<Figure, Error> {
    panels::alone(panel)
        .map_err(|error| Error::Unwritable { place: "the picture".to_owned(), reason: error.to_string() })
}

/// Writes a picture that is drawn.
pub(crate) fn write_text(path: &Path, svg: &str) -> Result<(), Error> {
    files::replace(FLAG, path, svg)
}

/// Draws the sparsity of a model.
pub(crate) fn write_pattern(path: &Path, name: &str, system: &dyn Erased) -> Result<(), Error> {
    let lagrangian = system.lagrangian();
    let svg = pattern::pattern(name, lagrangian, system.natural(), lagrangian.holonomic());
    write_text(path, &svg)
}

/// Refuses a picture file that is no SVG.
pub(crate) fn check_ending(path: &Path) -> Result<(), Error> {
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg")) {
        return Ok(());
    }
    Err(Error::UnknownEnding { flag: FLAG, path: path.to_owned(), endings: ".svg" })
}

/// Refuses a picture file that cannot be created, before the run rather than after it.
pub(crate) fn check(path: &Path) -> Result<(), Error> {
    files::check(FLAG, path)
}
