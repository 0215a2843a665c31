//! Trajectories on disk, row by row, so that what was computed is there when a run fails.

mod csv;
mod json;
mod parquet;

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use integrator_core::system::Layout;
use serde::Serialize;

use crate::error::Error;
use crate::files::Draft;

/// One recorded instant.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Row<'r> {
    pub(crate) t: f64,
    pub(crate) q: &'r [f64],
    pub(crate) v: &'r [f64],
    pub(crate) energy: f64,
    /// max |g|, for constrained models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) constraint_residual: Option<f64>,
    /// max |c|, for models with constraints on velocities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) nonholonomic_residual: Option<f64>,
    /// The values of the quantities that `--observe` names.
    #[serde(skip_serializing_if = "<[f64]>::is_empty")]
    pub(crate) observed: &'r [f64],
    /// λ in M q̈ = −∇V + Gᵀ λ, where the method computes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) multipliers: Option<&'r [f64]>,
}

impl Row<'_> {
    /// All numbers of the row, in the order of [`Columns`].
    fn numbers(&self) -> impl Iterator<Item = f64> + '_ {
        std::iter::once(self.t)
            .chain(self.q.iter().copied())
            .chain(self.v.iter().copied())
            .chain(std::iter::once(self.energy))
            .chain(self.constraint_residual)
            .chain(self.nonholonomic_residual)
            .chain(self.observed.iter().copied())
            .chain(self.multipliers.into_iter().flatten().copied())
    }
}

/// The names of the columns: `t`, the coordinates, their velocities as `der.` and the same, `energy`, for constrained models
/// `constraint_residual` and, of constraints on velocities, `nonholonomic_residual`, what is observed, and, where the method computes them, the
/// multipliers as `lambda.` and the name of the equation, of constraints on velocities as `mu.`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Columns(Vec<String>);

impl Columns {
    pub(crate) fn new(
        layout: &Layout,
        [holonomic, nonholonomic]: [bool; 2],
        observed: &[String],
        multipliers: &[String],
    ) -> Self {
        let coordinates = || (0..layout.dimension()).map(|index| layout.name_of(index));
        let mut names = vec!["t".to_owned()];
        names.extend(coordinates());
        names.extend(coordinates().map(|name| format!("der.{name}")));
        names.push("energy".to_owned());
        let residuals = [(holonomic, "constraint_residual"), (nonholonomic, "nonholonomic_residual")];
        names.extend(residuals.iter().filter(|(there, _)| *there).map(|(_, name)| (*name).to_owned()));
        names.extend(observed.iter().cloned());
        names.extend(multipliers.iter().cloned());
        Self(names)
    }
}

/// A trajectory file that is being written.
pub(crate) trait Table {
    /// Appends a row.
    fn write(&mut self, row: &Row<'_>) -> Result<(), Error>;

    /// Writes what is still in memory and closes the file, so that it can be read.
    fn finish(&mut self) -> Result<(), Error>;
}

/// The formats, by the ending of the file.
#[derive(Debug, Clone, Copy)]
enum Ending {
    Csv,
    Json,
    Parquet,
}

impl Ending {
    fn of(path: &Path) -> Result<Self, Error> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("csv") => Ok(Self::Csv),
            Some("json") => Ok(Self::Json),
            Some("parquet") => Ok(Self::Parquet),
            _ => Err(Error::UnknownEnding {
                flag: "--out",
                path: path.to_owned(),
                endings: ".csv, .parquet or .json",
            }),
        }
    }
}

/// Refuses a file whose ending says no format.
pub(crate) fn check(path: &Path) -> Result<(), Error> {
    Ending::of(path).map(drop)
}

/// Writes a trajectory into a draft, in the format that the ending of its name says.
pub(crate) fn create(draft: &Draft, columns: &Columns) -> Result<Box<dyn Table>, Error> {
    let ending = Ending::of(draft.path())?;
    let sink = Sink::create(draft)?;
    Ok(match ending {
        Ending::Csv => Box::new(csv::Csv::create(sink, columns)?),
        Ending::Json => Box::new(json::Json::create(sink)?),
        Ending::Parquet => Box::new(parquet::Parquet::create(sink, columns)?),
    })
}

/// A buffered file that knows its path, for messages.
struct Sink {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Sink {
    fn create(draft: &Draft) -> Result<Self, Error> {
        let file = BufWriter::with_capacity(1 << 16, draft.handle()?);
        Ok(Self { path: draft.path().to_owned(), file })
    }

    /// The error of a write that failed.
    fn unwritable(path: &Path, error: &impl ToString) -> Error {
        Error::Unwritable { place: path.display().to_string(), reason: error.to_string() }
    }
}
