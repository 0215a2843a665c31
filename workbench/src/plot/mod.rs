//! Pictures of a run as SVG: the path of the bodies, the coordinates and the energy error against time.

mod draw;
mod film;
mod panels;
mod pattern;
mod scene;

use std::path::Path;

pub(crate) use film::Film;
pub(crate) use panels::{Panel, panels};

use crate::error::Error;
use crate::model::Erased;

/// Draws what was filmed.
pub(crate) fn write(path: &Path, title: &str, film: &Film) -> Result<(), Error> {
    let place = || path.display().to_string();
    let svg = draw::svg(title, film)
        .map_err(|error| Error::Unwritable { place: place(), reason: error.to_string() })?;
    write_text(path, &svg)
}

/// Writes a picture that is drawn.
pub(crate) fn write_text(path: &Path, svg: &str) -> Result<(), Error> {
    std::fs::write(path, svg)
        .map_err(|error| Error::Unwritable { place: path.display().to_string(), reason: error.to_string() })
}

/// Draws the sparsity of a model.
pub(crate) fn write_pattern(path: &Path, name: &str, system: &dyn Erased) -> Result<(), Error> {
    let lagrangian = system.lagrangian();
    let svg = pattern::pattern(name, lagrangian, system.natural(), lagrangian.holonomic());
    std::fs::write(path, svg)
        .map_err(|error| Error::Uncreatable { path: path.to_owned(), reason: error.to_string() })
}

/// Refuses a picture file that is no SVG.
pub(crate) fn check_ending(path: &Path) -> Result<(), Error> {
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg")) {
        return Ok(());
    }
    Err(Error::UnknownEnding { flag: "--plot", path: path.to_owned(), endings: ".svg" })
}

/// Refuses a picture file that cannot be created, before the run rather than after it.
pub(crate) fn check(path: &Path) -> Result<(), Error> {
    let refused =
        |error: std::io::Error| Error::Uncreatable { path: path.to_owned(), reason: error.to_string() };
    std::fs::OpenOptions::new().create(true).append(true).open(path).map(drop).map_err(refused)
}
