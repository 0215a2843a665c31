//! Pictures of a run as SVG: the path of the bodies, the coordinates and the energy error against time.

mod curves;
mod draw;
mod film;
mod heat;
mod panels;
mod pattern;
mod picture;
mod scene;
mod surface;
mod ticks;

use std::path::Path;

use least_action_core::system::{Lagrangian, Natural};

pub use crate::quantities::{Axis, Units, commented};
pub use curves::scattered;
pub use draw::bounds;
pub use film::{Film, spread};
pub use panels::{Panel, is_steady, panels};

use crate::error::Error;
use crate::files::{self, Draft};

/// Parts that are tested by themselves.
pub(crate) mod internals {
    pub use crate::plot::curves::{Look, hex};
    pub use crate::plot::draw::{equal_scales, power, range, range_of_most, tick};
    pub use crate::plot::film::{FRAMES as FRAMES_OF_A_PICTURE, SAMPLES, followed};
    pub use crate::plot::ticks::{logarithmic_ticks, ticks};
    pub use crate::quantities::axis::Unit;
}

/// The flag that names a picture.
const FLAG: &str = "--plot";

/// Draws a film.
pub fn write(mut draft: Draft, title: &str, film: &Film) -> Result<(), Error> {
    draft.write(&drawn(title, film)?)?;
    draft.complete()
}

/// The text of the picture of a film.
pub fn drawn(title: &str, film: &Film) -> Result<String, Error> {
    picture::svg(title, film).map_err(|error| Error::unwritable("the picture", &error))
}

/// A picture of its own: its name, and the text of an SVG element.
#[derive(Debug, Clone)]
pub struct Figure {
    pub heading: String,
    pub svg: String,
}

/// The pictures of a film, one by one.
pub fn figures(film: &Film) -> Result<Vec<Figure>, Error> {
    picture::figures(film).map_err(|error| Error::unwritable("the picture", &error))
}

/// The picture of a panel alone.
pub fn figure(panel: Panel) -> Result<Figure, Error> {
    panels::alone(panel).map_err(|error| Error::unwritable("the picture", &error))
}

/// The picture of a quantity over two others, whose places and values are told.
pub fn heat(heading: &str, axes: [&Axis; 2], cells: &[[f64; 3]]) -> Result<Figure, Error> {
    let svg = heat::heat(heading, axes, cells).map_err(|error| Error::unwritable("the picture", &error))?;
    Ok(Figure { heading: heading.to_owned(), svg })
}

/// Writes a picture that is drawn.
pub fn write_text(path: &Path, svg: &str) -> Result<(), Error> {
    files::replace(FLAG, path, svg)
}

/// Draws the sparsity of a model.
pub fn write_pattern(
    path: &Path,
    name: &str,
    lagrangian: &dyn Lagrangian,
    natural: Option<&dyn Natural>,
) -> Result<(), Error> {
    let svg = pattern::pattern(name, lagrangian, natural, lagrangian.holonomic());
    write_text(path, &svg)
}

/// Refuses a picture file that is no SVG.
pub fn check_ending(path: &Path) -> Result<(), Error> {
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg")) {
        return Ok(());
    }
    Err(Error::unknown_ending(FLAG, path, ".svg"))
}

/// Refuses a picture file that cannot be created, before the run rather than after it.
pub fn check(path: &Path) -> Result<(), Error> {
    files::check(FLAG, path)
}
